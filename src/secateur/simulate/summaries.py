"""What is still too long in a replay becomes a summary, as it would have in the engine, and what that call would cost.

Rule: when, where and what follows are the engine's own (`pipeline`). No model is asked: the summary that code makes
stands for the one that a model would have written, in its place and within its budget. The call is priced as if the
session's own model had been asked in plain text, as `compaction.ask` puts it: all of the question as plain input, all
of the summary as output. No breaker's veto and no host's hook is played but those that follow from plan and history.
"""

from msgspec import Struct

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.compact import compact
from secateur.compaction.outcome import Compacted
from secateur.compaction.trigger import check_due
from secateur.pipeline import apply_compaction, fit_window
from secateur.projection import Projection
from secateur.simulate.bill import ExtraCall
from secateur.simulate.cache import CachedPrompt
from secateur.stages import Context
from secateur.stages.setup import NO_OPTIONS, CompactionSetup
from secateur.stages.summary_epoch import find_refusal

REPLAYED = CompactionSetup(is_written=False)


class Summed(Struct, frozen=True):
    """What came of it: why an epoch was opened ("": none was), and the calls that it took."""

    why: str = ""
    calls: tuple[ExtraCall, ...] = ()


def summarize(context: Context, projection: Projection) -> Summed:
    """Compact if it is due, and shorten what the model has not read yet where nothing else makes the view fit."""
    asks = _collect_asks(context, projection) if context.policy.compaction is not None else []
    done = fit_window(context, projection, apply_compaction(context, projection, REPLAYED, NO_OPTIONS))
    if not done.reason or not isinstance(done.outcome, Compacted) or done.outcome.rung == "digest":
        return Summed(done.reason)  # no model is asked for a digest
    written = projection.count(done.outcome.summary)
    calls = [
        ExtraCall(CachedPrompt(0, 0, ask.tokens), ask.most_tokens if ask.stage == "part" else written) for ask in asks
    ]
    return Summed(done.reason, tuple(calls))


def _collect_asks(context: Context, projection: Projection) -> list[Ask]:
    """The prompts a summarizer would have been sent; none if no summary is due or the breaker is open."""
    if not check_due(context.settings, context.load(projection), context.limits).now:
        return []
    messages = projection.document.transcript.messages
    if find_refusal(projection.plan, messages, context.window, projection.count) is not None:
        return []
    scene = context.build_compaction_input(projection, NO_OPTIONS, True)
    steps = compact(scene, context.settings, context.policy.continuation)
    found: list[Ask] = []
    try:
        asks = next(steps)
        found += asks
        while asks[-1].stage == "part":
            asks = steps.send(tuple(SummaryAnswer(ask.text[: ask.most_tokens]) for ask in asks))
            found += asks
    except StopIteration:
        pass
    finally:
        steps.close()
    return found
