"""What a strategy sees of a conversation, and what it may say about it.

A format reads a native document into a `Transcript`; every part remembers where it stands. Strategies answer with
edits that name parts by key. Nothing here knows a provider, does I/O, or ever writes to a native document.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Kind = Literal["text", "reasoning", "tool_call", "tool_result", "media", "other"]
Role = Literal["system", "user", "assistant", "tool"]
Origin = Literal["user", "harness", "synthetic", "summary"]
Path = tuple[str | int, ...]


class Part(Struct, frozen=True, gc=False):
    """One piece of a message.

    `text` is what the model reads of it (a call's arguments as canonical JSON). `digest` names what was said besides
    the text: a hash of a medium or of an unknown value, the signature of reasoning. `key` and `local` are made by
    `lineage`, `tokens` by a counter; a reader leaves them empty.
    """

    kind: Kind
    path: Path  # where its body stands in the native document
    text: str = ""
    tool: str = ""  # the tool's name, on a call and on its result
    call_id: str = ""  # the id that pairs a call with its result; providers repeat ids and leave them empty
    is_error: bool = False
    fingerprint: str = ""
    container_key: str = ""  # key of the result that this medium stands inside (readers: any non-empty mark)
    pinned: bool = False  # never rewritten: signed, encrypted, unknown, server-side
    prefix_bound: bool = False  # valid only while everything before it stays as it was (wire rule A54)
    joined_to_next: bool = (
        False  # may not go without what follows it: signed steps, reasoning units (wire rules R3, R4, G10)
    )
    marker: str = ""  # a cache marker inside the body, as JSON: it stays when the body is rewritten (wire rules 3.5)
    size: int = 0  # bytes of a medium's data as they stand in the document
    cleared_at_path: Path = ()  # where the host records the time this part was cleared, if it has such a place
    cleared: str = ""  # what the host sends in its place once that time is recorded, where it says so in its own words
    tokens: int = 0
    key: str = ""  # lineage hash: what was said, after everything said before it
    local: str = ""  # the same hash without lineage


class Message(Struct, frozen=True, gc=False):
    """One message as the API counts them. `role` is "tool" when all its parts are results, whatever the API says."""

    role: Role
    path: Path
    parts: tuple[Part, ...]
    origin: Origin = "user"
    lines: tuple[int, ...] = ()  # lines of a session log it was read from, 0-based
    recorded_ms: int = 0  # when it was recorded, in ms since 1970; 0: unknown
    key: str = ""  # key of its last non-reasoning part; without one, a hash of the previous key and the role

    @property
    def is_put_in(self) -> bool:
        """Whether a plan put it into the view: it stands nowhere in the document, and nobody said it."""
        return not self.path and len(self.parts) == 1 and self.parts[0].pinned and not self.parts[0].path

    @property
    def is_output(self) -> bool:
        """Whether the model said it: what a plan or a host puts in its mouth is no answer, and shows nothing read."""
        return self.role == "assistant" and self.origin not in ("synthetic", "summary") and not self.is_put_in


class Derived:
    """What was derived from a history that grows, kept beside its index; it only saves work."""

    def __init__(self) -> None:
        self.histories: list[Any] = []  # calls and results (`acts.known`), the one used last at the end
        self.folds: dict[tuple[str, str, str], str] = {}  # shortened texts (`strategies.new_results`)
        self.outlines: dict[
            tuple[str, bool, str, str, int], str
        ] = {}  # what is left of results (`strategies.condense`)


class MessagePositions(Struct, frozen=True):
    """Where things stand, by message number, so that nobody walks a long history to find its last turns."""

    user_messages: tuple[int, ...] = ()  # every user-role message
    user_turns: tuple[int, ...] = ()  # those of origin "user": where turns begin
    assistant_messages: tuple[int, ...] = ()
    first_prunable: int = 0  # messages before this one hold no result that the policy could still edit
    prunable: tuple[int, ...] | None = None  # the messages behind it that do hold one, as it came; None: not known
    derived: Derived | None = None  # shared by the views of one session; None: nothing is kept


class Transcript(Struct, frozen=True):
    """A conversation as the model would read it, oldest message first."""

    messages_path: Path  # the native array that holds the messages
    messages: tuple[Message, ...]
    model: str = ""
    provider: str = ""
    fixed_tokens: int = 0  # system prompt and tool definitions
    partial: bool = False  # the provider holds history that is not here: observe only
    requires_leading_reasoning: bool = False  # the tool loop that runs must begin with its reasoning (wire rule A52)
    parts_only: bool = False  # messages are not the array's elements one by one: parts change where they stand, no more
    last_call_ms: int = 0  # when the model was last called, in ms; 0: unknown
    last_timestamp_ms: int = 0  # the document's last timestamp, in ms; 0: unknown
    window: int = 0  # the model's context window in tokens, as the host recorded it; 0: it did not
    warnings: tuple[str, ...] = ()  # what the reader met: torn lines, missing parents
    index: MessagePositions | None = None  # None: not made yet; `bounds.index_of` makes it

    def __repr__(self) -> str:
        tokens = sum(part.tokens for message in self.messages for part in message.parts) + self.fixed_tokens
        return f"<Transcript {len(self.messages):,} messages, {tokens:,} tokens>"


class NewMessage(Struct, frozen=True):
    """A message that is not in the history. `meta` goes to hosts that have a place for it, never to a provider."""

    role: Role
    text: str
    origin: Origin = "synthetic"
    meta: dict[str, Any] = {}


class Rewrite(Struct, frozen=True, gc=False, tag="rewrite", tag_field="verb"):
    """The part now reads `text`."""

    key: str
    text: str
    strategy: str = ""  # the strategy that proposed it


class Remove(Struct, frozen=True, gc=False, tag="remove", tag_field="verb"):
    """The part goes. For reasoning only: a call or result never goes alone."""

    key: str
    strategy: str = ""


class Replace(Struct, frozen=True, tag="replace", tag_field="verb"):
    """Messages (after, through] become `items`. Equal keys insert; `after` "" is the start."""

    after: str
    through: str
    messages: tuple[NewMessage, ...]
    strategy: str = ""


class Restore(Struct, frozen=True, gc=False, tag="restore", tag_field="verb"):
    """The part reads as it came again."""

    key: str
    strategy: str = ""


Edit = Rewrite | Remove | Replace | Restore


class Epoch(Struct, frozen=True):
    """All edits of one moment. `tip` is the last key of the history when it was opened, `undoes` an epoch's index.

    It holds for the histories that have `tip` in them, and none of what stands `apart`: those are other branches.
    """

    at_ms: int  # ms since 1970; audit stamps come from here, never from a clock at apply
    head_key: str
    reason: str
    edits: tuple[Edit, ...]
    reverts: int | None = None
    content_hashes: dict[str, str] | UnsetType = (
        UNSET  # hash without lineage of each edited part and range, where it is kept
    )
    excluded_keys: tuple[str, ...] | UnsetType = (
        UNSET  # keys of other branches that went on from `tip`: it is not theirs
    )
