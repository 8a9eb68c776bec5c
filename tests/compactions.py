"""Compactions as literals: a scene from a transcript and its plan, a summarizer of given answers, the view after."""

from collections.abc import Sequence
from typing import Any

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.compact import compact
from secateur.compaction.conversation import CompactionInput, ViewEntry, build_rows
from secateur.compaction.outcome import Compacted, CompactionSkipped, Outcome
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.template import get_template
from secateur.compaction.trigger import Load
from secateur.model import Epoch, Message, Transcript
from secateur.plan import Plan, fold, resolve_ranges
from secateur.projection.messages import project_message, project_messages
from secateur.tokens import get_counter

COUNT = get_counter("chars/4-ceil")


def rows(transcript: Transcript, plan: Plan | None = None) -> tuple[ViewEntry, ...]:
    laid = fold(plan or Plan())
    shown = [project_message(message, laid, COUNT) for message in transcript.messages]
    return build_rows(shown, resolve_ranges(laid.ranges, transcript.messages), COUNT)


def scene(transcript: Transcript, plan: Plan | None = None, **more: Any) -> CompactionInput:
    """A compaction that someone asks for, of this conversation under this plan."""
    laid = fold(plan or Plan())
    given: dict[str, Any] = {
        "raw": transcript.messages,
        "shown": tuple(project_message(message, laid, COUNT) for message in transcript.messages),
        "ranges": tuple(resolve_ranges(laid.ranges, transcript.messages)),
        "count": COUNT,
        "window": 0,
        "load": Load(sum(row.tokens for row in rows(transcript, plan))),
        "forced": True,
        "asks": False,
    }
    return CompactionInput(**(given | more))


def run(
    scene: CompactionInput,
    settings: Compaction,
    after: Continuation | None = None,
    answers: Sequence[SummaryAnswer] = (),
) -> tuple[Outcome, list[Ask]]:
    """What comes of it, and what a summarizer was asked. It gives these answers, the last one forever."""
    asked: list[Ask] = []
    steps = compact(scene, settings, after or Continuation())
    try:
        asks = next(steps)
        while True:
            first = len(asked)
            asked += asks
            asks = steps.send(tuple(answers[min(at, len(answers) - 1)] for at in range(first, len(asked))))
    except StopIteration as done:
        return done.value, asked


def done(outcome: Outcome) -> Compacted:
    assert isinstance(outcome, Compacted), outcome
    return outcome


def refused(outcome: Outcome) -> CompactionSkipped:
    assert isinstance(outcome, CompactionSkipped), outcome
    return outcome


def opened(transcript: Transcript, outcome: Outcome, plan: Plan | None = None) -> Plan:
    """The plan with the compaction in it."""
    return (plan or Plan()).with_epoch(Epoch(0, transcript.messages[-1].key, "compaction", done(outcome).edits))


def view(transcript: Transcript, plan: Plan) -> tuple[Message, ...]:
    laid = fold(plan)
    return project_messages(transcript.messages, laid, resolve_ranges(laid.ranges, transcript.messages), COUNT)


def texts(messages: Sequence[Message]) -> list[str]:
    return ["".join(part.text for part in message.parts) for message in messages]


def said(name: str = "secateur", **lines: str) -> str:
    """A summary under a template's headings: a line under those that are named, none under the others."""
    parts = [f"## {one.heading}\n{lines.get(one.id, '(none)')}" for one in get_template(name).sections]
    return "\n\n".join(parts)
