"""`secateur prune`: the prune phase on a session file or a request body; the same format comes out.

Rule: nothing is written in place unless asked, and never where the policy forbids it; a session is not dumped on a
person's terminal. Where the document goes to standard output, the report goes to standard error.
"""

import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec.structs import replace

from secateur.cli import options
from secateur.cli.composition import find_largest
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.inputs import OpenedDocument, read_source
from secateur.cli.options import make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_count, format_dollars, format_duration, format_percent, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean
from secateur.cli.removal_totals import (
    ALTERNATIVES_LEGEND,
    PolicyAlternative,
    find_alternatives,
    make_alternatives_table,
    make_strategy_table,
    make_tool_table,
    make_turn_table,
    sum_by_strategy,
    sum_by_tool,
    sum_by_turn,
)
from secateur.cli.report import RunReport, make_report
from secateur.cli.runs import (
    RewriteOptions,
    describe_output,
    load_policy,
    make_engine,
    open_outcome,
    open_source,
    print_run,
    read_plan,
    write_outcome,
)
from secateur.cli.store_option import get_shown_url
from secateur.engine import View
from secateur.errors import StillTooLong
from secateur.policy import Policy
from secateur.pricing.tariffs import get_tariff
from secateur.receipt import EditCost
from secateur.sessions.originals import After, Before, keep_file
from secateur.sessions.receipt_log import with_handles
from secateur.stores import get_default_url
from secateur.stores.protocol import SessionId

_EPILOG = """\
\b
Examples:
  secateur prune s.jsonl --dry-run            what would be removed
  secateur prune s.jsonl -o pruned.jsonl      write the pruned session
  secateur prune s.jsonl --in-place           keeps s.jsonl.bak
  secateur prune request.json --policy hermes --window 128000 > less.json
  secateur prune s.jsonl --protect 'mcp_*' --json | jq .output
  secateur prune s.jsonl --plan-out plan.json             decide now,
  secateur prune s.jsonl --apply plan.json -o p.jsonl     edit later
  secateur prune s.jsonl --session s1 -o p.jsonl      store what is removed:
  secateur why s1                                     list it
  secateur restore p.jsonl -o s.jsonl                 get the file back

\b
Exit codes: 0 success, 2 usage or configuration, 3 input unreadable,
4 still longer than --window.
"""
_PRICED = "tokens of input"  # in the words of a schedule that weighs costs
_FREE = re.compile(r": [\d,]+ tokens freed$")  # how a schedule says that no cache is lost


class PruneOptions(RewriteOptions, frozen=True, kw_only=True):
    """The options of `secateur prune`."""

    session: Annotated[
        str,
        make_option(
            "--session",
            default="",
            metavar="NAME",
            help="Store what is removed, under this name; default: a name derived from the history.",
        ),
    ]
    store: options.StoreUrl

    @property
    def is_stored(self) -> bool:
        """Whether what is removed is kept in a store."""
        return bool(self.session or self.store)


@options.make_command("prune", PruneOptions, _EPILOG)
def command(args: PruneOptions) -> int:
    """Remove stale tool outputs from INPUT, a session file or a request body (- is standard input).

    The document is written to -o, to INPUT itself (--in-place), or to standard output if that is a pipe or a file;
    on a terminal nothing is written. With --session or --store, what is removed is stored: `secateur why` lists it,
    `secateur recall` reads it back, and `secateur restore` restores the whole file.
    """
    chosen = load_policy(args)
    args.target.check()
    if args.dry_run and args.is_stored:
        raise UsageError("--dry-run stores nothing: drop it, or drop --session and --store")
    source = read_source(args.input)
    with show_work(f"reading {source.label}") as rename:
        before = open_source(source, args)
        _check_log(args, chosen, before)
        rename(f"pruning {source.label}")
        view = _fit_and_store(args, chosen, before) if args.is_stored else _fit(args, chosen, before)
        rename("reading the outcome")
        after = open_outcome(args.target.pack(source, view.request), before, args)
    report = make_report(view, before, after, args.target.name)
    if args.is_stored:
        edits = with_handles(report.edits, before.document)
        report = replace(report, edits=edits, session=view.session, store=get_shown_url(args.store))
    backup = write_outcome(view, after, before, args)
    print_run(report, args, lambda: _render(report, before, after, backup, _try_alternatives(args, report, before)))
    return _conclude(args, report, after)


def _check_log(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> None:
    """Raise UsageError for a session log that the policy does not change in place (SEEDS 2.7)."""
    if args.in_place and chosen.allow_in_place == "bodies" and before.document.format.log:
        raise UsageError(
            f"policy {chosen.name} never changes a recorded session in place: give -o FILE, or another policy"
        )


def _fit(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> View[Any]:
    """The view. One that is too long is written all the same, and the exit code says so."""
    engine = make_engine(chosen, before, args, compact=False, too_long="send")
    return engine.fit(before.source.data, plan=read_plan(args.apply), idle_s=args.idle, fixed_tokens=args.fixed_tokens)


def _fit_and_store(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> View[Any]:
    """The view, recorded in the store, with the original file if the view is written to one.

    No model is called with it, so the session's clock stays where it is. Raises UsageError, before anything is
    written, if what is removed could not be kept.
    """
    source, target = before.source, args.target.name
    engine = make_engine(
        chosen, before, args, compact=False, too_long="send", store=args.store or get_default_url(), recall_handles="on"
    )
    engine.sessions.calls = False
    view = engine.fit(
        source.data,
        session=args.session or None,
        plan=read_plan(args.apply),
        idle_s=args.idle,
        fixed_tokens=args.fixed_tokens,
    )
    who = SessionId(view.session, engine.sessions.tenant)
    store, number = engine.sessions.store, view.receipt.sequence
    state = store.load(who) if store is not None else None
    if state is None or number is None or state.receipts <= number:
        raise UsageError(
            f"nothing was written, since what is removed could not be stored: {'; '.join(view.receipt.warnings)}"
        )
    if target is not None:
        was = Before(source.data, source.stored if source.is_gzip else b"")
        written = After(view.request, "" if target == "-" else str(Path(target).resolve()))
        keep_file(engine.sessions, who, was, written, int(time.time() * 1000))
    return view


def _try_alternatives(args: PruneOptions, report: RunReport, before: OpenedDocument) -> list[PolicyAlternative] | None:
    """The results of the other presets, if this policy freed nothing; None if they were not tried."""
    if report.edits or args.apply:
        return None
    with show_work("trying the other policies"):
        return find_alternatives(before, report.policy, lambda other: _fit(args, other, before))


def _conclude(args: PruneOptions, report: RunReport, after: OpenedDocument) -> int:
    if args.window is None or report.output.tokens <= args.window:
        return SUCCESS
    heaviest = ", ".join(f"{clean(one.tool) or one.kind} ({one.tokens:,})" for one in find_largest(after.transcript, 3))
    raise StillTooLong(
        f"{report.output.tokens:,} tokens remain and the window is {args.window:,}; the largest remaining are "
        f"{heaviest}: give a larger --window, protect less, or run secateur compact to summarize the rest"
    )


def _render(
    report: RunReport,
    before: OpenedDocument,
    after: OpenedDocument,
    backup: Path | None,
    others: Sequence[PolicyAlternative] | None,
) -> list[Any]:
    """The report as text."""
    blocks: list[Any] = [_describe_settings(report, before), _describe_outcome(report, before)]
    blocks += [*_describe_reasons(report), ""]
    if report.edits:
        blocks += _make_removal_tables(report, before)
    elif others:
        blocks += [make_alternatives_table(others), ALTERNATIVES_LEGEND, ""]
    elif others is not None:
        blocks += ["No other preset would remove anything here.", ""]
    blocks += [tables.make_parts_table("Largest remaining", find_largest(after.transcript, 5))]
    blocks += [_describe_cost(report.cost)] if report.cost else []
    blocks += [f"warning: {clean(warning)}" for warning in _select_warnings(report, others or ())]
    return [*blocks, *_advise_compaction(report), *_describe_storage(report), describe_output(report, before, backup)]


def _describe_settings(report: RunReport, before: OpenedDocument) -> str:
    idle = "unknown" if report.idle_s is None else format_duration(report.idle_s)
    return (
        f"{clean(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {report.policy}, idle {idle}, window {format_count(report.window.value)}: {report.window.source}\n"
        f"tokens counted by {clean(report.counted_by or report.counter)}"
    )


def _describe_outcome(report: RunReport, before: OpenedDocument) -> str:
    if not report.edits:
        return f"Nothing was pruned: {report.skipped_reason}."
    share = format_percent(report.input.tokens - report.output.tokens, report.input.tokens)
    figures = f"{format_count(report.input.tokens)} → {format_count(report.output.tokens)} tokens, {share} less"
    return f"Pruned {_describe_edited_parts(report, before)}: {figures}."


def _describe_edited_parts(report: RunReport, before: OpenedDocument) -> str:
    """The edited parts by kind: `30 of 64 tool results, the arguments of 9 calls and 2 other parts`."""
    kinds = {part.key: part.kind for message in before.transcript.messages for part in message.parts}
    edited = Counter(kinds.get(edit.key, "other") for edit in report.edits)
    results, calls = edited["tool_result"], edited["tool_call"]
    rest = len(report.edits) - results - calls
    kinds_text = [f"{results:,} of {report.input.tool_results:,} tool results"] if results else []
    kinds_text += [f"the arguments of {pluralize(calls, 'call')}"] if calls else []
    kinds_text += [pluralize(rest, "other part" if kinds_text else "part")] if rest else []
    return " and ".join([", ".join(kinds_text[:-1]), kinds_text[-1]] if len(kinds_text) > 1 else kinds_text)


def _describe_reasons(report: RunReport) -> list[str]:
    """The reasons for the edits, each once; the figures are in the tables."""
    reasons = dict.fromkeys(_FREE.sub(": editing costs nothing", edit.reason) for edit in report.edits)
    return [f"Why: {clean(why)}." for why in reasons]


def _make_removal_tables(report: RunReport, before: OpenedDocument) -> list[Any]:
    """The removed parts, added up; by strategy only if there were several."""
    whole, rules = report.input.tokens, sum_by_strategy(report.edits)
    return [
        *([make_strategy_table(rules, whole)] if len(rules) > 1 else []),
        make_tool_table(sum_by_tool(report.edits), whole),
        make_turn_table(sum_by_turn(report.edits, before.transcript), whole),
    ]


def _select_warnings(report: RunReport, others: Sequence[PolicyAlternative]) -> list[str]:
    """The warnings to show. That a price is assumed matters only if a price decided or is shown."""
    assumed = get_tariff(report.model).assumption
    priced = not report.cost and (
        _PRICED in (report.skipped_reason or "") or any(alternative.cost for alternative in others)
    )
    return [warning for warning in report.warnings if warning != assumed or priced]


def _advise_compaction(report: RunReport) -> list[str]:
    """The next step if pruning was not enough."""
    over = report.output.tokens > report.window.value > 0
    return ["Pruning alone does not bring it under the window: secateur compact summarizes the rest."] if over else []


def _describe_storage(report: RunReport) -> list[str]:
    """Where the removed text is stored, and how to read it back."""
    if report.session is None and report.edits and report.output.path:
        return ["To be able to read back what was removed, store it with --session NAME."]
    if report.session is None:
        return []
    name = clean(report.session)
    handle = next((edit.handle for edit in report.edits if edit.handle), None)
    back = f"; secateur recall {handle} reads one part back" if handle else ""
    removed = f": secateur why {name} lists what was removed{back}" if report.edits else ""
    return [f"Stored as session {name} at {clean(report.store or '')}{removed}."]


def _describe_cost(cost: EditCost) -> str:
    """The next request, then each later one, then when it has paid for itself."""
    why = cost.price_assumption.partition(":")[0]
    whose = f"{clean(cost.model)} ({clean(why)}: give one with --model)" if why else clean(cost.model)
    each = f"each later request {format_dollars(cost.dollars_saved)} less"
    if cost.immediate <= 0:
        return f"At the prices of {whose} the next request costs {format_dollars(-cost.dollars_now)} less, {each}."
    after = f": it pays back after {cost.break_even_requests:g}" if cost.break_even_requests else ""
    more = f"{format_dollars(cost.dollars_now)} more, since the prompt cache is rewritten"
    return f"At the prices of {whose} the next request costs {more}; {each}{after}."
