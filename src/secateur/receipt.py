"""What was done to one request, and what it saved.

Rule: every request leaves one, a request that nothing was done to or that failed included. It names bytes by their
hashes and never holds what was said. Values only; no clock, no store.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from secateur.lineage import digest
from secateur.model import Epoch, Message, Remove, Replace, Restore, Rewrite

Messages = tuple[Message, ...]
Verb = Literal["rewrite", "remove", "replace", "restore"]
Outcome = Literal["opened", "unchanged", "refused", "failed", "undone", "pinned"]


class Entry(Struct, frozen=True):
    """One edit, as a person asks about it."""

    verb: Verb
    by: str  # the strategy
    tool: str
    call: str
    message: int  # 0-based index in the transcript as read
    lines: tuple[int, ...]  # 0-based lines of a session log
    tokens_before: int
    tokens_after: int
    reason: str  # why its epoch was opened
    key: str
    at: int  # ms
    handle: str | None = None  # where the bytes can be read back; none without a store
    removed: str = ""  # hash of the bytes that left the view; "" where none did
    inserted: str = ""  # hash of the text that came in; "" where none did


class Receipt(Struct, frozen=True):
    """Totals are tokens by `counter`, fixed tokens included."""

    policy: str
    model: str
    window: int
    window_source: str
    counter: str
    tokens_raw: int  # of the history as it came
    tokens_view: int  # as it goes on
    messages: int
    opened: bool  # an epoch was opened for this request
    entries: tuple[Entry, ...]  # its edits
    in_force: int  # edits of the plan that apply to this history, these included
    gate: str  # why nothing new was done; "" where an epoch was opened
    idle_s: float | None = None
    cost: None = None  # unknown: no prices yet
    warnings: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()  # what was broken when it came and was repaired, as sentences
    outcome: Outcome = "unchanged"
    trigger: str = ""  # why an epoch was opened
    error: str = ""  # why the request failed
    at: int = 0  # ms since 1970
    format: str = ""
    provider: str = ""
    tip: str = ""  # last key of the raw history
    calibrated: float = 1.0  # what the provider counts for one token of ours, as far as it has told
    session: str = ""  # with a store: where it is kept
    number: int | None = None  # with a store: which of the session's receipts this is, from 0
    epochs: tuple[int, int] = (0, 0)  # with a store: those of the session's plan that made the view, [first, last)
    sent: str = ""  # with a store: hash of the view as it was sent
    forced: str = ""  # why an epoch had to be opened, whatever the cache holds: a repair reads otherwise than it did


def entries(read: Messages, before: Messages, after: Messages, epoch: Epoch) -> tuple[Entry, ...]:
    """What an epoch did to the parts of a history, in its order.

    `before` and `after` are the same messages in the views around it; an untouched one is the same object in both.
    """
    edits = {edit.key: edit for edit in epoch.edits if not isinstance(edit, Replace)}
    told: list[Entry] = []
    for number, (raw, was, now) in enumerate(zip(read, before, after, strict=True)):
        if was is not now:
            told += _of_message(number, (raw, was, now), edits, epoch)
    return tuple(told)


def _of_message(
    number: int, states: tuple[Message, Message, Message], edits: dict[str, Rewrite | Remove | Restore], epoch: Epoch
) -> Iterator[Entry]:
    raw, was, now = states
    had, has = _tokens(was), _tokens(now)
    for part in raw.parts:
        if part.key in edits and part.within not in edits:  # the outer edit wins, and accounts for what was inside
            yield Entry(
                verb=_verb(edits[part.key]),
                by=edits[part.key].by,
                tool=part.tool,
                call=part.call,
                message=number,
                lines=(int(part.path[0]),) if raw.lines and part.path else (),
                tokens_before=had.get(part.key, 0),
                tokens_after=has.get(part.key, 0),
                reason=epoch.why,
                key=part.key,
                at=epoch.at,
                removed=_hash(was, part.key),
                inserted=_hash(now, part.key),
            )


def _hash(message: Message, key: str) -> str:
    """The hash of how a part reads; "" where it does not stand."""
    for part in message.parts:
        if part.key == key:
            return part.digest if part.digest and part.kind != "tool_result" else digest(part.text)
    return ""


def _tokens(message: Message) -> dict[str, int]:
    """Tokens by key; a result's are also those of the media that stand inside it, which go when it goes."""
    tokens = {part.key: part.tokens for part in message.parts}
    for part in message.parts:
        if part.within in tokens:
            tokens[part.within] += part.tokens
    return tokens


def _verb(edit: Rewrite | Remove | Restore) -> Verb:
    return "rewrite" if isinstance(edit, Rewrite) else "remove" if isinstance(edit, Remove) else "restore"
