"""What a compaction came to, told: for the receipt, for the store, for a hook, and why a view cannot be sent.

Rule: a receipt holds no text that was summed up, only hashes and counts; what gave way and the summary with its facts
go to the store, whose owner alone reads them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from secateur.compaction.outcome import Compacted, Outcome, Refused
from secateur.compaction.trigger import limits
from secateur.fitting.hooks import After, Hooks
from secateur.fitting.hooks import told as hook_told
from secateur.fitting.moment import Numbers
from secateur.fitting.wish import Fitted
from secateur.lineage import digest
from secateur.model import Part, Transcript
from secateur.receipt import Summarised, Tried
from secateur.session import Session
from secateur.stores.protocol import Blob

if TYPE_CHECKING:
    from secateur.compacting import Made

LARGEST = 5  # items that are named


def off(no: Refused, too_long: str) -> Fitted:
    """Nobody wants a compaction: whether the view may go out as it is, its window says."""
    said = Summarised(done=False, reason=no.reason, text=no.text)
    return Fitted(no, said, too_long=too_long)


def told(numbers: Numbers, outcome: Outcome, made: "Made | None", too_long: str) -> Fitted:
    """What came of it."""
    answers = made.answers if made else ()
    tokens = (
        sum(one.spent.input + one.spent.read + one.spent.write for one in answers),
        sum(one.spent.output for one in answers),
    )
    tried = tuple(Tried(one.rung, one.reason, one.text, one.by) for one in outcome.attempts)
    if isinstance(outcome, Refused):
        said = Summarised(
            done=False,
            reason=outcome.reason,
            text=outcome.text,
            attempts=tried,
            asks=outcome.asks,
            asked_tokens=tokens,
        )
        return Fitted(outcome, said, too_long=too_long)
    return Fitted(outcome, _summarised(outcome, tried, tokens), blobs=tuple(_blobs(outcome)), too_long=too_long)


def tell(hooks: Hooks, numbers: Numbers, outcome: Outcome) -> str:
    """Tell the host what was done; what was wrong with its hook, or ""."""
    if not isinstance(outcome, Compacted):
        return ""
    after = After(
        session=numbers.session,
        rung=outcome.rung,
        by=outcome.by,
        summary=outcome.summary,
        continuation=outcome.continuation.branch,
        messages=outcome.messages,
        tokens_before=outcome.tokens_before,
        tokens_after=outcome.tokens_after,
        handles=tuple(outcome.blobs),
    )
    return hook_told(hooks, after)


def too_long(work: Session, numbers: Numbers, outcome: Outcome) -> str:
    """Why the view cannot be sent, with what is largest in it; "" if it can."""
    if isinstance(outcome, Refused) and outcome.reason == "fixed_overhead":
        return outcome.text
    used = numbers.load(work).tokens
    if numbers.window <= 0 or used <= numbers.window:
        return ""
    named = ", ".join(f"{part.tool or part.kind} ({part.tokens:,})" for part in largest(work.after()))
    why = f"; {outcome.text}" if isinstance(outcome, Refused) else ""
    space = limits(numbers.settings, numbers.window, numbers.model)
    return (
        f"{used:,} tokens are left and the window is {space.window:,}{why}; system prompt and tools take"
        f" {numbers.fixed:,}, the largest that stay are {named}: give a larger window, or protect less"
    )


def largest(view: Transcript) -> tuple[Part, ...]:
    """The parts of a view that take most."""
    parts = [part for message in view.messages for part in message.parts]
    return tuple(sorted(parts, key=lambda part: -part.tokens)[:LARGEST])


def _summarised(made: Compacted, tried: tuple[Tried, ...], tokens: tuple[int, int]) -> Summarised:
    return Summarised(
        done=True,
        reason="compacted",
        rung=made.rung,
        by=made.by,
        attempts=tried,
        asks=made.asks,
        asked_tokens=tokens,
        messages=made.messages,
        tokens_before=made.tokens_before,
        tokens_after=made.tokens_after,
        dropped=len(made.dropped),
        forgotten=made.forgotten,
        branch=made.continuation.branch,
        summary=digest(made.summary),
        handles=tuple(made.blobs),
    )


def _blobs(made: Compacted) -> Iterator[Blob]:
    """What gave way, in full, under the handle that the summary names; the summary itself, its prose and its facts."""
    for text in made.blobs.values():
        yield Blob(text.encode("utf-8", "surrogatepass"), "text")
    kept = {"summary": made.summary, "sections": made.sections, "ledger": msgspec.to_builtins(made.ledger)}
    yield Blob(msgspec.json.encode(kept), "summary")
