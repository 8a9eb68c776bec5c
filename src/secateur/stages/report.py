"""The result of a compaction, reported: for the receipt, for the store and for a hook; and why a view cannot be sent.

Rule: a receipt has no text that was summarized, only hashes and counts. What was replaced and the summary with its
facts go to the store, which only their owner reads.
"""

from collections.abc import Iterator
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from secateur.compaction.outcome import Compacted, Outcome, Refused
from secateur.fitting.background import PreparedSummary
from secateur.hooks import AfterCompact, Hooks, call_after_hook
from secateur.lineage import hash_text
from secateur.model import Part, Transcript
from secateur.receipt import CompactionReport, EditRecord, RejectedAttempt
from secateur.session import Projection
from secateur.stages import Context
from secateur.stores.protocol import Blob

if TYPE_CHECKING:
    from secateur.compacting import Made

LARGEST = 5  # parts that are named


class CompactionResult(Struct, frozen=True):
    """What the compaction of one request came to."""

    outcome: Outcome | None = None  # None: the policy does not compact
    report: CompactionReport | None = None  # the same for the receipt
    edits: tuple[EditRecord, ...] = ()
    blobs: tuple[Blob, ...] = ()  # what was replaced, and the summary with its facts, for a store to keep
    warnings: tuple[str, ...] = ()
    reason: str = ""  # why its epoch was opened; "" if none was
    prepared: PreparedSummary | None = None  # the summary that was made, for a request that is decided again
    too_long: str = ""  # why the view cannot be sent, if it cannot


def report_compaction(outcome: Outcome, made: "Made | None", too_long: str) -> CompactionResult:
    """The result of a compaction, or of the decision against one."""
    answers = made.answers if made else ()
    tokens = (
        sum(answer.spent.input + answer.spent.read + answer.spent.write for answer in answers),
        sum(answer.spent.output for answer in answers),
    )
    tried = tuple(
        RejectedAttempt(attempt.rung, attempt.reason, attempt.text, attempt.by) for attempt in outcome.attempts
    )
    if isinstance(outcome, Refused):
        report = CompactionReport(
            done=False,
            reason=outcome.reason,
            text=outcome.text,
            attempts=tried,
            model_calls=outcome.asks,
            asked_tokens=tokens,
        )
        return CompactionResult(outcome, report, too_long=too_long)
    report = _build_report(outcome, tried, tokens)
    return CompactionResult(outcome, report, blobs=tuple(_iterate_blobs(outcome)), too_long=too_long)


def call_hook(hooks: Hooks, session: str, outcome: Outcome) -> str:
    """Call the hook for a compaction that was made; what went wrong with it, or ""."""
    if not isinstance(outcome, Compacted):
        return ""
    after = AfterCompact(
        session=session,
        method=outcome.rung,
        by=outcome.by,
        summary=outcome.summary,
        continuation=outcome.continuation.branch,
        messages=outcome.messages,
        tokens_before=outcome.tokens_before,
        tokens_after=outcome.tokens_after,
        handles=tuple(outcome.blobs),
    )
    return call_after_hook(hooks, after)


def explain_too_long(context: Context, projection: Projection, outcome: Outcome) -> str:
    """Why the view cannot be sent, with its largest parts; "" if it can."""
    if isinstance(outcome, Refused) and outcome.reason == "fixed_overhead":
        return outcome.text
    used = context.load(projection).tokens
    if context.window <= 0 or used <= context.window:
        return ""
    why = f"; {outcome.text}" if isinstance(outcome, Refused) else ""
    return (
        f"{used:,} tokens are left and the window is {context.window:,}{why}; system prompt and tools take"
        f" {context.fixed_tokens:,}, the largest that stay are {name_largest(projection)}:"
        " give a larger window, or protect less"
    )


def name_largest(projection: Projection) -> str:
    """The largest parts of the view, with their tokens."""
    parts = projection.tallies.find_largest(projection.get_view().messages, LARGEST)
    return ", ".join(f"{part.tool or part.kind} ({part.tokens:,})" for part in parts)


def find_largest(view: Transcript) -> tuple[Part, ...]:
    """The largest parts of a view."""
    parts = [part for message in view.messages for part in message.parts]
    return tuple(nlargest(LARGEST, parts, key=attrgetter("tokens")))


def _build_report(made: Compacted, tried: tuple[RejectedAttempt, ...], tokens: tuple[int, int]) -> CompactionReport:
    return CompactionReport(
        done=True,
        reason="compacted",
        method=made.rung,
        summarizer=made.by,
        attempts=tried,
        model_calls=made.asks,
        asked_tokens=tokens,
        messages=made.messages,
        tokens_before=made.tokens_before,
        tokens_after=made.tokens_after,
        rejected_lines=len(made.dropped),
        evicted_lines=made.forgotten,
        continuation=made.continuation.branch,
        summary=hash_text(made.summary),
        handles=tuple(made.blobs),
    )


def _iterate_blobs(made: Compacted) -> Iterator[Blob]:
    """The replaced text in full, under the handle named by the summary; the summary, its prose and facts."""
    for text in made.blobs.values():
        yield Blob(text.encode("utf-8", "surrogatepass"), "text")
    kept = {"summary": made.summary, "sections": made.sections, "ledger": msgspec.to_builtins(made.ledger)}
    yield Blob(msgspec.json.encode(kept), "summary")
