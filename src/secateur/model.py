"""The values that everything else is about: what a strategy sees of a conversation, and the edits it may propose.

A format reads a native document into a `Transcript`; every part knows its place in that document. Strategies propose
edits that name parts by key. Nothing here knows a provider, does I/O, or writes to a native document.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Kind = Literal["text", "reasoning", "tool_call", "tool_result", "media", "other"]
Role = Literal["system", "user", "assistant", "tool"]
Origin = Literal["user", "harness", "synthetic", "summary"]
Path = tuple[str | int, ...]


class Part(Struct, frozen=True, gc=False):
    """One piece of a message.

    `text` is what the model reads of it (a call's arguments as canonical JSON). `fingerprint` identifies what the part
    holds besides its text: the hash of a medium or of an unknown value, the signature of reasoning. `lineage` makes
    `key` and `local`, a counter makes `tokens`; a reader leaves them empty.
    """

    kind: Kind
    path: Path  # the place of its body in the native document
    text: str = ""
    tool: str = ""  # the tool's name, on a call and on its result
    call_id: str = ""  # the id that pairs a call with its result; providers repeat ids and leave them empty
    is_error: bool = False
    fingerprint: str = ""
    container_key: str = ""  # key of the result that contains this medium (readers set any non-empty mark)
    pinned: bool = False  # never rewritten: signed, encrypted, of an unknown type, or kept by the server
    prefix_bound: bool = False  # valid only while everything before it stays unchanged (API rule A54)
    joined_to_next: bool = (
        False  # may not go without what follows it: signed steps, reasoning units (API rules R3, R4, G10)
    )
    marker: str = ""  # a cache marker inside the body, as JSON: it stays when the body is rewritten (API rules 3.5)
    size: int = 0  # bytes of a medium's data in the document
    cleared_at_path: Path = ()  # where the host records the time this part was cleared, if it has such a place
    cleared: str = ""  # the host's own placeholder for it once that time is recorded, if it has one
    tokens: int = 0
    key: str = ""  # hash of this part and of everything before it
    local: str = ""  # hash of this part alone


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
        """Whether a plan inserted it into the view: it has no place in the document."""
        return not self.path and len(self.parts) == 1 and self.parts[0].pinned and not self.parts[0].path

    @property
    def is_output(self) -> bool:
        """Whether the model wrote it, rather than a plan or a host in the model's name."""
        return self.role == "assistant" and self.origin not in ("synthetic", "summary") and not self.is_put_in


class Derived(Struct, eq=False):
    """Caches of values derived from a growing history, stored with its index."""

    histories: list[Any] = []  # calls and results (`toolcalls.history`), the one used last at the end
    folds: dict[tuple[str, str, str], str] = {}  # shortened texts (`strategies.new_results`)
    outlines: dict[tuple[str, bool, str, str, int], str] = {}  # what is left of results (`strategies.condense`)


class MessagePositions(Struct, frozen=True):
    """An index by message number, so that the last turns of a long history are found without walking it."""

    user_messages: tuple[int, ...] = ()  # every user-role message
    user_turns: tuple[int, ...] = ()  # those of origin "user": where turns begin
    assistant_messages: tuple[int, ...] = ()
    first_prunable: int = 0  # messages before this one hold no result that the policy could still edit
    prunable: tuple[int, ...] | None = None  # the messages after it that do hold one in the raw history; None: unknown
    derived: Derived | None = None  # shared by the views of one session; None: nothing is kept


class Transcript(Struct, frozen=True):
    """A conversation as the model would read it, oldest message first."""

    messages_path: Path  # the native array of the messages
    messages: tuple[Message, ...]
    model: str = ""
    provider: str = ""
    fixed_tokens: int = 0  # system prompt and tool definitions
    partial: bool = False  # the provider holds history that is not here: observe only
    requires_leading_reasoning: bool = False  # the tool loop that runs must begin with its reasoning (API rule A52)
    parts_only: bool = False  # messages are not one by one the array's elements: only parts can be edited, in place
    last_call_ms: int = 0  # when the model was last called, in ms; 0: unknown
    last_timestamp_ms: int = 0  # the document's last timestamp, in ms; 0: unknown
    window: int = 0  # the model's context window in tokens, as the host recorded it; 0: it did not
    folder: str = ""  # in which the session works, and the branch there, as the host recorded them last
    branch: str = ""
    warnings: tuple[str, ...] = ()  # what is wrong with the document: torn lines, missing parents
    index: MessagePositions | None = None  # None: not made yet; `bounds.get_index` makes it

    def __repr__(self) -> str:
        tokens = sum(part.tokens for message in self.messages for part in message.parts) + self.fixed_tokens
        return f"<Transcript {len(self.messages):,} messages, {tokens:,} tokens>"


class NewMessage(Struct, frozen=True):
    """A message that is not in the history. `meta` is passed to hosts that can store it, never to a provider."""

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
    """The part is removed. For reasoning only: a call or result is never removed alone."""

    key: str
    strategy: str = ""


class Replace(Struct, frozen=True, tag="replace", tag_field="verb"):
    """Messages (after, through] become `items`. Equal keys insert; `after` "" is the start."""

    after: str
    through: str
    messages: tuple[NewMessage, ...]
    strategy: str = ""


class Restore(Struct, frozen=True, gc=False, tag="restore", tag_field="verb"):
    """The part is shown in its original form again."""

    key: str
    strategy: str = ""


Edit = Rewrite | Remove | Replace | Restore


class Epoch(Struct, frozen=True):
    """All edits made at one moment (a batch). `head_key` is the last key of the history at that moment; `reverts` is
    the number of an epoch that this one undoes.

    It applies to histories that contain `head_key` and none of `excluded_keys`, which belong to other branches.
    """

    at_ms: int  # ms since 1970; audit stamps come from here, never from a clock at apply
    head_key: str
    reason: str
    edits: tuple[Edit, ...]
    reverts: int | None = None
    content_hashes: dict[str, str] | UnsetType = (
        UNSET  # hash without lineage of each edited part and range, where it is kept
    )
    excluded_keys: tuple[str, ...] | UnsetType = UNSET  # first keys of branches that left `head_key` without it
