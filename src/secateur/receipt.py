"""What was done to one request, and what it saved.

Rule: every request leaves one, including a request that was not edited or that failed. It names bytes by their hashes
and never contains content. Values only; no clock, no store.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from itertools import count as numbers
from operator import is_not
from typing import Literal

from msgspec import Struct

from secateur.lineage import hash_text
from secateur.model import Epoch, Message, Part, Remove, Replace, Restore, Rewrite
from secateur.usage import UsageBill

Messages = tuple[Message, ...]
Ranges = Sequence[tuple[int, int, Replace]]
Weigh = Callable[[Replace], int]
Verb = Literal["rewrite", "remove", "replace", "restore"]
Outcome = Literal["opened", "unchanged", "refused", "failed", "undone", "pinned", "filed", "recalled"]


class ReplacedPart(Struct, frozen=True, gc=False, array_like=True):
    """One part that a summary replaced: written without names, since a summary replaces hundreds."""

    key: str
    tool: str
    call_id: str
    message: int  # as in `Entry`
    user_turn: int
    tokens: int


class EditRecord(Struct, frozen=True, gc=False):
    """One edit, as a person asks about it."""

    verb: Verb
    strategy: str  # the strategy
    tool: str
    call_id: str
    message: int  # 0-based index in the transcript as read
    lines: tuple[int, ...]  # 0-based lines of a session log
    tokens_before: int
    tokens_after: int
    reason: str  # why its epoch was opened
    key: str
    at_ms: int  # ms
    handle: str | None = None  # where the bytes can be read back; none without a store
    removed_hash: str = ""  # hash of the bytes that left the view; "" where none did, and of a raw text without a store
    inserted_hash: str = ""  # hash of the text that came in; "" where none did
    user_turn: int | None = None  # the user's turn that it belongs to, from 1; 0: before the first; null: unknown
    parts: tuple[ReplacedPart, ...] = ()  # of a replace: what its range contained


class RejectedAttempt(Struct, frozen=True):
    """A summary that was not taken."""

    method: str  # model, or supplied
    reason: str  # the check that failed, in one word
    text: str  # the same in a sentence
    summarizer: str = ""  # the summarizer


class CompactionReport(Struct, frozen=True, kw_only=True):
    """The result of a compaction, or why there was none. Replaced texts are never here."""

    done: bool
    reason: str  # in one word: why it was made (over, forced), or why there was none (off, under, cancelled, ...)
    text: str = ""  # the same in a sentence
    method: str = ""  # supplied, model or extract; "" where nothing was done
    summarizer: str = ""  # the summarizer
    attempts: tuple[RejectedAttempt, ...] = ()  # what was tried before
    model_calls: int = 0  # questions put to summarizers
    asked_tokens: tuple[int, int] = (0, 0)  # what summarizers read and wrote, as their providers counted
    messages: int = 0  # that were replaced
    tokens_before: int = 0  # of the replaced part, by the policy's counter
    tokens_after: int = 0  # of what is there now
    rejected_lines: int = 0  # lines of a model that name what the history does not hold
    marked_lines: int = 0  # lines of a model with a statement that the history does not bear out
    evicted_lines: int = 0  # lines that had no room any more
    continuation: str = ""  # how the agent continues: media, unanswered, mid_task, sentence, idle, waiting or none
    summary: str = ""  # hash of the summary
    handles: tuple[str, ...] = ()  # by which the replaced parts can be read back


class EditCost(Struct, frozen=True, kw_only=True):
    """The cost and the savings of an epoch, in tokens of plain input; dollars by the model's price for these."""

    model: str  # whose prices they are
    immediate: float  # in this request, more than without the edits; below zero: it saves at once
    saved_per_request: float  # in each later request, while the cache is warm
    break_even_requests: float | None  # later requests until it has paid for itself; null where nothing is freed
    dollars_now: float
    dollars_saved: float
    cache_cold_reason: str = ""  # why there was no cache to lose; "" where it was taken to be warm
    price_assumption: str = ""  # why the prices are not those of the request's own model; "": they are


class FileWrite(Struct, frozen=True, kw_only=True):
    """A file that a view was written to, and the file it was made of. Sizes and hashes are of the unpacked bytes."""

    path: str  # where it was written; "" for standard output
    before: str  # hash of the file as it was
    before_bytes: int
    after: str  # hash of what was written
    after_bytes: int
    reach: int  # so many of the written bytes, from the start, hold everything that was changed
    reached: str  # hash of these
    difference: str  # id of the blob that turns the written bytes back into the file as it was; "": they are the same


class Receipt(Struct, frozen=True):
    """Totals are tokens by `counter`, fixed tokens included."""

    policy: str
    model: str
    window: int
    window_source: str
    counter: str
    tokens_raw: int  # of the history as received
    tokens_view: int  # as it continues
    messages: int
    opened: bool  # an epoch was opened for this request
    edits: tuple[EditRecord, ...]  # its edits
    active_edits: int  # edits of the plan that apply to this history, these included
    skipped_reason: str  # why nothing was done; "" where something was
    idle_s: float | None = None
    cost: EditCost | None = None  # of what was edited for this request; none where nothing was
    warnings: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()  # what was broken when it came and was repaired, as sentences
    status: Outcome = "unchanged"
    reason: str = ""  # why an epoch was opened
    error: str = ""  # why the request failed
    at_ms: int = 0  # ms since 1970
    format: str = ""
    provider: str = ""
    head_key: str = ""  # last key of the raw history
    token_ratio: float = 1.0  # the provider's count for one token of ours, as far as known
    counted_by: str = ""  # the counter, and the factor by which it counts for this model
    session: str = ""  # with a store: where it is kept
    sequence: int | None = None  # with a store: which of the session's receipts this is, from 0
    epochs: tuple[int, int] = (0, 0)  # with a store: those of the session's plan that made the view, [first, last)
    view_hash: str = ""  # with a store: hash of the view as it was sent
    epoch_hashes: tuple[
        str, ...
    ] = ()  # as the store keeps it: hashes of the epochs that were saved with it (`chain.hash_epochs`)
    compaction: CompactionReport | None = None  # null: the policy does not compact
    forced_reason: str = ""  # why an epoch was opened whatever the cache holds: a repair that changed
    parent: str = ""  # last key of the history that this one continues from; "" where none of the session's was sent
    view: str = ""  # hash of the view as the model reads it, by which the next request knows whether it moved
    tools_hashes: tuple[str, ...] = ()  # of the tools that this history was sent with, the newest first
    system_hashes: tuple[str, ...] = ()  # of its system prompts
    content_ends: tuple[str, ...] = ()  # where the system prompt is a message: hashes of the first and last behind it
    cold_keys: tuple[str, ...] = ()  # last keys of the histories of this line whose cache was lost, pauses aside
    lines: int = 0  # ends of the session's branches; 1: it never parted
    unread: int = 0  # results that the model has not answered and does not see as received, excerpts aside
    filed: FileWrite | None = None  # where a command wrote the view to a file
    breakpoints: int = 0  # cache markers that were added, so that what is before the edits is found again
    billed: UsageBill | None = (
        None  # what the provider counted for the session's earlier answers of this model; null: none
    )
    recall_rounds: UsageBill | None = None  # further requests of a turn, in which the model read removed texts back

    @property
    def sizes(self) -> str:
        """Tokens before and after, and how many edits lie between, in a few words."""
        edits = f"{self.active_edits:,} edit{'' if self.active_edits == 1 else 's'}"
        return f"{self.tokens_raw:,} → {self.tokens_view:,} tokens, {edits}"

    def __repr__(self) -> str:
        return f"<Receipt {self.status}, {self.sizes}>"


_VERBS: dict[type, Verb] = {Rewrite: "rewrite", Remove: "remove", Restore: "restore"}


def build_records(read: Messages, before: Messages, after: Messages, epoch: Epoch) -> tuple[EditRecord, ...]:
    """Records of what an epoch did to the parts of a history, in order.

    `before` and `after` are the same messages in the views around it; an untouched one is the same object in both.
    """
    edits = {edit.key: edit for edit in epoch.edits if not isinstance(edit, Replace)}
    told: list[EditRecord] = []
    changed = list(compress(numbers(), map(is_not, before, after)))
    turns = _find_user_turns(read[: changed[-1] + 1]) if changed else []
    for number in changed:
        place = (number, bisect_right(turns, number))
        told += _build_message_records(place, (read[number], before[number], after[number]), edits, epoch)
    return tuple(told)


def build_range_records(
    read: Messages, shown: Messages, ranges: Ranges, epoch: Epoch, weigh: Weigh
) -> tuple[EditRecord, ...]:
    """Records of the message ranges an epoch replaced, one each, by their first message.

    `ranges` are all that are in force, `shown` the messages one by one as the model read them before; `weigh` gives the
    tokens of what replaces one.
    """
    mine = {id(one) for one in epoch.edits if isinstance(one, Replace)}
    found = sorted([(i, j, edit) for i, j, edit in ranges if id(edit) in mine], key=lambda one: one[:2])
    turns = _find_user_turns(read) if found else []
    return tuple(_build_range_record(read, shown, place, (epoch, weigh, turns)) for place in found)


def _build_range_record(
    read: Messages, shown: Messages, place: tuple[int, int, Replace], how: tuple[Epoch, Weigh, list[int]]
) -> EditRecord:
    (i, j, edit), (epoch, weigh, turns) = place, how
    parts = [part for message in read[i:j] for part in message.parts]
    return EditRecord(
        verb="replace",
        strategy=edit.strategy,
        tool="",
        call_id="",
        message=i,
        lines=tuple(line for message in read[i:j] for line in message.lines),
        tokens_before=sum(part.tokens for message in shown[i:j] for part in message.parts),
        tokens_after=weigh(edit),
        reason=epoch.reason,
        key=edit.through,
        at_ms=epoch.at_ms,
        removed_hash=hash_text("".join(part.key for part in parts)) if parts else "",
        inserted_hash=hash_text("\0".join(item.text for item in edit.messages)) if edit.messages else "",
        user_turn=bisect_right(turns, i),
        parts=tuple(_iterate_visible_parts(read, shown, (i, j), turns)),
    )


def _iterate_visible_parts(
    read: Messages, shown: Messages, inside: tuple[int, int], turns: list[int]
) -> Iterator[ReplacedPart]:
    """The parts of messages [i, j) still visible to the model."""
    for number in range(*inside):
        turn = bisect_right(turns, number)
        for part in read[number].parts if shown[number].parts else ():
            yield ReplacedPart(part.key, part.tool, part.call_id, number, turn, part.tokens)


def _find_user_turns(messages: Messages) -> list[int]:
    """The numbers of the user's messages."""
    return [at for at, message in enumerate(messages) if message.role == "user" and message.origin == "user"]


def _build_message_records(
    place: tuple[int, int],
    states: tuple[Message, Message, Message],
    edits: dict[str, Rewrite | Remove | Restore],
    epoch: Epoch,
) -> Iterator[EditRecord]:
    number, turn = place
    raw, was, now = states
    stood, stands = ({part.key: part for part in reversed(message.parts)} for message in (was, now))
    had, has = _sum_tokens_by_key(was, stood), _sum_tokens_by_key(now, stands)
    for part in raw.parts:
        if (
            part.key in edits and part.container_key not in edits
        ):  # the outer edit wins, and accounts for what was inside
            yield EditRecord(
                verb=_VERBS[type(edits[part.key])],
                strategy=edits[part.key].strategy,
                tool=part.tool,
                call_id=part.call_id,
                message=number,
                lines=(int(part.path[0]),) if raw.lines and part.path else (),
                tokens_before=had.get(part.key, 0),
                tokens_after=has.get(part.key, 0),
                reason=epoch.reason,
                key=part.key,
                at_ms=epoch.at_ms,
                removed_hash=_hash(stood.get(part.key), part),
                inserted_hash=_hash(stands.get(part.key)),
                user_turn=turn,
            )


def _hash(part: Part | None, raw: Part | None = None) -> str:
    """The hash of a part's text; "" if it is not there, or still the `raw` one: that is hashed by whoever keeps it."""
    if part is None or (part is raw and not part.fingerprint):
        return ""
    return part.fingerprint if part.fingerprint and part.kind != "tool_result" else hash_text(part.text)


def _sum_tokens_by_key(message: Message, parts: dict[str, Part]) -> dict[str, int]:
    """Tokens by key; a result's include those of the media inside it, which are removed with it."""
    tokens = {key: part.tokens for key, part in parts.items()}
    for part in message.parts:
        if part.container_key and part.container_key in tokens:
            tokens[part.container_key] += part.tokens
    return tokens
