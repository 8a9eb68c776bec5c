"""Older work becomes digests where that pays: when, and the epoch that makes them.

The rule is that of the schedule `break_even`, and the costs are those of the same ledger (`cachecost`). Older work has
a carrying cost: each request reads it from the cache again. Once that has reached `break_even_share` times what it
would cost to write anew what the digests leave and what is behind them, and as many tokens were read as the policy
asks for (`min_reads`), they are made. Where the cache is cold, and where that part is written anew anyway, that cost is
zero. Digests must free a multiple of what they leave, and keep the bill within the bound on the overspend, so a short
session gets none. Where they wait for the window, they are made once the view is over its threshold, and before that if
it will be soon and no live cache is lost.
"""

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from secateur.budget import explain_cold
from secateur.cachecost.applied_edits import AppliedEdit
from secateur.cachecost.history import History, build_history
from secateur.cachecost.ledger import CostLedger
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.cachecost.rereads import Bar, compute_bar
from secateur.compaction.cut import compute_tail_room
from secateur.compaction.outcome import Compacted, CompactionSkipped
from secateur.compaction.settings import DigestSettings
from secateur.compaction.trigger import Load, check_due
from secateur.hooks import call_before_hook
from secateur.model import Replace
from secateur.plan import list_active_epochs
from secateur.projection import Projection
from secateur.stages import Context
from secateur.stages.compact import CompactionStep, conclude_epoch, make_before_event
from secateur.stages.old_work import count_pruned, find_old_span, is_newest_result_within
from secateur.stages.proposing import read_raw_history
from secateur.stages.setup import NO_OPTIONS, CompactionSetup, CompactOptions
from secateur.stages.summary_epoch import check_preconditions

_Digests = tuple[Compacted, str] | CompactionSkipped  # the digests and why; or why those that would pay wait


def conclude(
    context: Context, projection: Projection, setup: CompactionSetup, options: CompactOptions, load: Load
) -> CompactionStep | None:
    """The epoch that makes digests, where they come into question and are due; or why those that would pay wait.

    None otherwise.
    """
    if check_preconditions(projection, setup.is_written) is not None:
        return None
    settings = context.settings.digest
    if settings is None:
        return None
    must = check_due(context.settings, load, context.limits).why == "over"
    make = _make_forced_digests if must else make_digests
    made = make(context, projection, settings)
    if isinstance(made, CompactionSkipped):
        return CompactionStep(made)
    is_bound = must or settings.when == "window"
    if made is None or _is_undone(projection, made[0]) or (is_bound and _is_left_high(context, projection, made[0])):
        return None
    outcome, why = made
    reply, warning = call_before_hook(setup.hooks, make_before_event(context, projection, "price", why, options))
    if reply.cancel:
        return None
    step = conclude_epoch(context, projection, CompactionStep(outcome), why)
    return step.with_warnings(warning) if isinstance(step.outcome, Compacted) else None


def _make_forced_digests(context: Context, projection: Projection, settings: DigestSettings) -> _Digests | None:
    """The digests of a view over its threshold.

    They tell no names where these would leave the view too long. Where the newest result is too long for the tail of a
    summary as well, nothing but the summary would be left: then all that the model has read is digested, so that its
    answers and an outline of the results stay in view.
    """
    forced = settings.apply_forced(context.window)
    made: _Digests | None = None
    for share in dict.fromkeys((forced.names_share, 0.0)):
        made = make_digests(context, projection, replace(forced, names_share=share), must=True)
        if isinstance(made, CompactionSkipped) or (made and not _is_left_high(context, projection, made[0])):
            return made
    room = compute_tail_room(context.settings, context.limits.usable)
    if not room or is_newest_result_within(projection, room):
        return made
    forced = replace(forced, last_results=0, keep_tokens=0, names_share=0.0)
    return make_digests(context, projection, forced, must=True)


def _is_left_high(context: Context, projection: Projection, made: Compacted) -> bool:
    """Whether the view would be above the low-water mark: the next requests would ask for more again."""
    settings = context.settings.digest
    assert settings is not None
    left = context.load(projection).tokens - context.budget.scale_to_reported(_count_freed(made))
    return left > settings.low_water_share * context.window


def _is_undone(projection: Projection, made: Compacted) -> bool:
    """Whether the same was made before and taken back: it is not made again."""
    epochs = projection.branch_plan.epochs
    kept = {
        edit.after
        for epoch in list_active_epochs(projection.branch_plan)
        for edit in epoch.edits
        if isinstance(edit, Replace)
    }
    every = {edit.after for epoch in epochs for edit in epoch.edits if isinstance(edit, Replace)}
    return any(isinstance(edit, Replace) and edit.after in every - kept for edit in made.edits)


def make_digests(
    context: Context, projection: Projection, settings: DigestSettings, must: bool = False
) -> _Digests | None:
    """The digests that are due, and why; None where none are. With `must` the price does not count.

    `CompactionSkipped` reports digests that would pay if the agent had not read back so much that earlier ones removed.
    """
    costs = _DigestCosts(context, projection, settings)
    if costs.old.tokens + costs.pruned < settings.min_tokens_freed or not (must or costs.may_pay()):
        return None
    from secateur.compaction.shorten import shorten  # not before digests are due: it loads all that reads a history

    held = "" if must else costs.explain_bar(None)
    scene, span = context.build_compaction_input(projection, NO_OPTIONS, False), (costs.old.first, costs.old.end)
    made = CompactionSkipped("rereads", held) if held else shorten(scene, context.settings, settings, span)
    if isinstance(made, CompactionSkipped):
        return made if held else None
    if not _is_worth_it(made, settings, costs.pruned) or not (must or costs.is_paying(made)):
        return None
    held = "" if must else costs.explain_bar(made)
    return CompactionSkipped("rereads", held) if held else (made, costs.explain(made, must))


class _DigestCosts:
    """The cost of digests of the older work, and the cost of reading it so far, in tokens of plain input."""

    def __init__(self, context: Context, projection: Projection, settings: DigestSettings) -> None:
        self.old, self._cold_reason = find_old_span(projection, settings, context.window), explain_cold(context.budget)
        self._settings, self._projection, self._context = settings, projection, context

    @cached_property
    def pruned(self) -> int:
        """What pruning freed of the older work: it counts where digests wait for the window and a pause has come."""
        if not self._cold_reason or self._settings.when != "window":
            return 0
        return count_pruned(self._projection, self.old.first, self.old.end)

    @cached_property
    def _break_even_share(self) -> float:
        """The share of the rewrite cost that the carrying cost must have reached.

        `min_reads` counts tokens, which are read at one price and rewritten at another.
        """
        settings, pricing = self._settings, self._context.budget.pricing
        dearer = pricing.cache_write - pricing.cache_read
        reads = settings.min_reads * pricing.cache_read / dearer if dearer > 0 else 0.0
        return max(settings.break_even_share, reads)

    @cached_property
    def _ledger(self) -> CostLedger:
        return CostLedger(self._history, CachedPrefixes(self._history))

    @cached_property
    def _bar(self) -> Bar:
        return compute_bar(self._history, self._ledger) if self._history.plan.epochs else Bar()

    @cached_property
    def _history(self) -> History:
        projection, budget, raw = self._projection, self._context.budget, read_raw_history(self._projection)
        # The edits of this request are among these; a cache that was cold before them is still cold.
        now = replace(budget, cold_reason=self._cold_reason, edited_by=projection.edited, originals=projection.raw)
        return build_history(
            raw,
            budget=now,
            plan=projection.branch_plan,
            count=projection.count,
            fixed_tokens=self._context.fixed_tokens,
        )

    def may_pay(self) -> bool:
        """Whether they would pay if nothing were left of the older work: computed before any digest is written.

        Most requests are decided without the ledger: if the cache is warm, and nothing was edited yet, at least what it
        holds after the older work is rewritten.
        """
        old, pricing, projection = self.old, self._context.budget.pricing, self._projection
        messages, epochs = projection.projected_messages, projection.branch_plan.epochs
        if not self._cold_reason and not (epochs and epochs[-1].head_key == messages[-1].key):
            tokens, answers = projection.history_totals.take(messages).tokens, projection.index.assistant_messages
            behind = max(0, tokens[answers[-1]] - tokens[old.end]) if answers else 0
            least = max(0.0, pricing.cache_write - pricing.cache_read) * behind
            if self._compute_carrying_cost(old.tokens) < self._break_even_share * least:
                return False
        return self._is_paying(*self._build_upper_bound())

    def is_paying(self, made: Compacted) -> bool:
        """Whether reading what is freed has cost enough, and the bill stays within the bound."""
        return self._is_paying(self._build_edits(made), _count_freed(made))

    def _is_paying(self, edits: Sequence[AppliedEdit], freed: int) -> bool:
        most = self._settings.max_overspend
        if self._compute_carrying_cost(freed) < self._break_even_share * self._compute_rewrite_cost(edits, freed):
            return False
        return most is None or self._ledger.is_free(edits) or self._ledger.can_afford(edits, most)

    def explain_bar(self, made: Compacted | None) -> str:
        """Why these digests have not earned what this session requires, or "". None: nothing is left of older work.

        It is asked last: most requests are decided before, and the bar is costly to compute.
        """
        times = self._bar.times
        if times == 1:
            return ""
        edits, freed = (self._build_edits(made), _count_freed(made)) if made else self._build_upper_bound()
        cost = times * self._break_even_share * self._compute_rewrite_cost(edits, freed)
        is_much = freed >= times * self._settings.min_tokens_freed
        return "" if is_much and self._compute_carrying_cost(freed) >= cost else self._bar.explain()

    def _build_upper_bound(self) -> tuple[list[AppliedEdit], int]:
        """The older work as if nothing was left of it, and what would be freed."""
        return [self._ledger.build_edit(self.old.begins, self.old.tokens)], self.old.tokens

    def _compute_carrying_cost(self, freed: int) -> float:
        return self._context.budget.pricing.cache_read * self.old.read_tokens * freed / max(1, self.old.tokens)

    def _compute_rewrite_cost(self, edits: Sequence[AppliedEdit], freed: int) -> float:
        """The cost of rewriting the cache, and of bound reasoning that becomes invalid."""
        pricing, ledger = self._context.budget.pricing, self._ledger
        more = ledger.estimate_overspend(edits) - ledger.overspend
        voided = _count_bound(self._projection, self.old.end)
        return max(0.0, more + pricing.cache_read * freed) + pricing.output * voided

    def _build_edits(self, made: Compacted) -> list[AppliedEdit]:
        return self._ledger.build_range_edits([edit for edit in made.edits if isinstance(edit, Replace)])

    def explain(self, made: Compacted, must: bool) -> str:
        """Explain in one sentence why the digests are made."""
        freed = _count_freed(made)
        what = f"{freed:,} tokens of older work freed"
        if must:
            return f"{what}: the view is over its threshold"
        raised = f"; {self._bar.explain()}" if self._bar.times > 1 else ""
        rent, penalty = self._compute_carrying_cost(freed), self._compute_rewrite_cost(self._build_edits(made), freed)
        if not penalty:
            return f"{what}: {self._cold_reason or 'what stands there is written anew in this request'}{raised}"
        return f"{what}: {rent:,.0f} were paid for reading them, {penalty:,.0f} it costs, in tokens of input{raised}"


def _count_freed(made: Compacted) -> int:
    return made.tokens_before - made.tokens_after


def _is_worth_it(made: Compacted, settings: DigestSettings, pruned: int) -> bool:
    """Whether enough is freed, with what was `pruned` of it before, and a multiple of what is left."""
    return pruned + _count_freed(made) >= max(settings.min_tokens_freed, settings.min_savings_ratio * made.tokens_after)


def _count_bound(projection: Projection, first: int) -> int:
    """Tokens of reasoning behind a message that is void once something before it changes."""
    if not projection.binds:
        return 0
    return sum(part.tokens for one in projection.projected_messages[first:] for part in one.parts if part.prefix_bound)
