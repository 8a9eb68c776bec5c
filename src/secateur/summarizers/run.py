"""A compaction with summarizers: each listed one is asked in turn, until one writes an acceptable summary.

    made = compacted(Task(scene, settings, after), parse("anthropic:claude-haiku-4-5"), deadline_s=60)

Rule: the caller has an outcome when the deadline is over, whatever the summarizers do: the last resort needs none. Each
is asked in parts that fit its own window, and has its share of the remaining time, so that one which never answers
leaves some for the next. A summarizer that is asked behind the session's own request is ranked by its price. The
outcome names every attempt. Nothing is stored here and nothing is replaced.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import CancelledError
from itertools import takewhile
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.compact import compact
from secateur.compaction.conversation import CompactionInput
from secateur.compaction.outcome import Compacted, CompactionSkipped, Outcome, RejectedSummary
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.summary import compute_summary_budget
from secateur.model import Part
from secateur.pricing import price_of
from secateur.summarizers.builtin import EXTRACTIVE, Extractive
from secateur.summarizers.driver import Stop, drive
from secateur.summarizers.endpoint import is_local
from secateur.summarizers.protocol import Summarizer, is_asked_behind_session

DEADLINE_S = 120.0
RESERVE_SHARE, MOST_RESERVE_S = 0.1, 2.0  # of the deadline, for what is done without a model


class CompactionRun(Struct, frozen=True):
    """Its result, and every answer that was had: who gave it, what it cost, or why there was none."""

    outcome: Outcome
    answers: tuple[SummaryAnswer, ...] = ()


class CompactionTask(Struct, frozen=True):
    """What to compact, and how."""

    scene: CompactionInput
    settings: Compaction
    after: Continuation


def compact_history(
    task: CompactionTask, listed: Sequence[Summarizer], deadline_s: float = DEADLINE_S, stop: Stop | None = None
) -> CompactionRun:
    """Run the compaction if one is due. Calling `stop` turns it into a refusal ("cancelled")."""
    models = order_by_cost(tuple(takewhile(lambda one: one.name != EXTRACTIVE, listed)), task)
    ends = monotonic() + deadline_s - min(deadline_s * RESERVE_SHARE, MOST_RESERVE_S)
    try:
        made = _try_models(task, models, ends, stop or Stop())
    except CancelledError:
        return CompactionRun(CompactionSkipped("cancelled", "it was cancelled"))
    return made


async def acompact_history(
    task: CompactionTask, listed: Sequence[Summarizer], deadline_s: float = DEADLINE_S
) -> CompactionRun:
    """Run the compaction in a running event loop; cancelling it cancels the summary."""
    stop = Stop()
    try:
        return await asyncio.to_thread(compact_history, task, listed, deadline_s, stop)
    except asyncio.CancelledError:
        stop.cancel()
        raise


def order_by_cost(models: tuple[Summarizer, ...], task: CompactionTask) -> tuple[Summarizer, ...]:
    """Put a summarizer that is asked behind the session's own request before the first that costs as much or more.

    A warm prompt cache makes the whole view cheap to read, a cold one expensive. Summarizers of unknown price, and
    those on this machine, keep their places in the list.
    """
    own = next((one for one in models if is_asked_behind_session(one)), None)
    if own is None or task.scene.own is None:
        return models
    others = [one for one in models if one is not own]
    costs = [estimate_cost(one, task) for one in others]
    mine, listed = estimate_cost(own, task), models.index(own)
    behind = (at for at, cost in enumerate(costs) if (at >= listed if cost is None or mine is None else mine <= cost))
    others.insert(next(behind, len(others)), own)
    return tuple(others)


def estimate_cost(one: Summarizer, task: CompactionTask) -> float | None:
    """Return the dollars of a million such questions; None if no table has the price."""
    scene, settings = task.scene, task.settings
    most = compute_summary_budget(settings, scene.window)
    if is_asked_behind_session(one):
        if scene.own is None:
            return None
        price = scene.own.pricing
        read = price.cache_write if scene.own.cold_reason else price.cache_read
        return price.dollars * (read * scene.own.tokens + price.output * most)
    known = price_of(getattr(one, "model", ""))
    if known is None or is_local(f"//{one.host}"):
        return None
    tail = settings.keep_tokens if isinstance(settings.keep_tokens, int) else settings.keep_tokens * scene.window
    tokens = max(0.0, sum(_count_shown(part, task) for message in scene.raw for part in message.parts) - tail)
    return known.base.input * (tokens + known.base.o * most)


def _count_shown(part: Part, task: CompactionTask) -> int:
    """Return the tokens of a part as a summarizer is shown it: of a result only its ends."""
    if part.kind in ("reasoning", "media"):
        return 0
    most = task.settings.max_tool_chars if part.kind == "tool_result" else len(part.text)
    return task.scene.count(part.text[:most])


def _try_models(task: CompactionTask, models: Sequence[Summarizer], ends: float, stop: Stop) -> CompactionRun:
    """Return the first acceptable summary; after the last model the outcome has its own last rung."""
    attempts: tuple[RejectedSummary, ...] = ()
    answers: tuple[SummaryAnswer, ...] = ()
    made = CompactionRun(CompactionSkipped("cancelled", "nothing was tried"))
    for place, one in enumerate(models):
        share = (ends - monotonic()) / (len(models) - place)
        made = _try_model(task, one, share, stop)
        answers += made.answers
        attempts += made.outcome.attempts
        if _is_settled(made.outcome, task.settings):
            break
    if not models:
        made = _try_model(task, None, 0, stop)
        attempts = made.outcome.attempts
    return CompactionRun(replace(made.outcome, attempts=attempts, asks=len(answers)), answers)


def _try_model(task: CompactionTask, one: Summarizer | None, seconds: float, stop: Stop) -> CompactionRun:
    window = one.window_tokens if one else 0
    own = task.scene.own if one is not None and is_asked_behind_session(one) else None
    scene = replace(task.scene, asks=one is not None, summarizer_window=window, own=own)
    outcome, answers = drive(compact(scene, task.settings, task.after), one or Extractive(), seconds, stop)
    return CompactionRun(outcome, answers)


def _is_settled(outcome: Outcome, settings: Compaction) -> bool:
    """Return whether another summarizer would change nothing: there is a summary, or none caused the refusal."""
    if isinstance(outcome, Compacted) and outcome.rung != "extract":
        return True
    return not outcome.attempts or settings.on_bad_summary == "cancel"
