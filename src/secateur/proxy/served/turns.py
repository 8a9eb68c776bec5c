"""Shared by all formats: the tool's description, calls and their answers, hidden turns, and the sums of usage.

Rule: a turn is identified by what the client saw of it, so that it is found again in later requests however the client
writes it. Usage is the sum of what the provider reported, member by member.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Raw, Struct

from secateur.decoding import prepare_type
from secateur.lineage import hash_text
from secateur.proxy.body_members import Members, split_members
from secateur.text.readback import NAME

TOOL = f"{NAME}_recall"
DESCRIPTION = (
    "Read back, word for word, what was removed from your context, by the handle in its placeholder. "
    '`[secateur: Bash "npm test" gave 8120 chars, 96 lines; removed, recall 1a2b3c4d5e6f]` is read with handle '
    '1a2b3c4d5e6f. Long texts come in pages; lines like "120-180" or a json_path like "$.items[0].name" give a part. '
    "Use it only for what a placeholder names."
)


class RecallCall(Struct, frozen=True):
    """The model calls the tool."""

    id: str
    arguments: Any = None  # an object, as the model gave it; None if it cannot be read


class RecallAnswer(Struct, frozen=True):
    """The answer that a model gets."""

    call: RecallCall
    text: str
    is_error: bool = False


class HiddenTurn(Struct, frozen=True):
    """A turn of the model in which the client did not see everything."""

    at: int  # so many elements of the client's request came before it
    seen: str  # a hash of what the client saw of it
    elements: tuple[Raw, ...]  # that replace the client's
    results: tuple[Raw, ...] = ()  # that come first in the client's next element
    lost: tuple[str, ...] = ()  # reasoning that goes: it is bound to calls of a turn that did not end

    def encode(self) -> bytes:
        """The turn as it is kept."""
        return msgspec.json.encode(self)


def decode_turn(data: bytes) -> HiddenTurn:
    """A turn as it was kept. Raises ValueError."""
    return msgspec.json.decode(data, type=prepare_type(HiddenTurn))


class TurnReader(Protocol):
    """Reads one turn of the model, of one response or several, and makes one response for the client of it."""

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it, if anything yet."""

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""

    def list_calls(self) -> tuple[RecallCall, ...]:
        """After a response: the calls to serve before the turn continues; none if it is over."""

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """After a turn: the hidden calls whose answers go into the client's next request."""

    def has_stuck_calls(self) -> bool:
        """After a response: whether there are hidden calls that cannot be served; mostly whatever a call says has an
        answer.
        """
        return False

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The next request of the turn, after `body`; `forbids` further calls of any tool. Raises ValueError."""

    def finish(self) -> list[bytes]:
        """The end of the client's stream, as far as it was held back."""

    def reveal(self) -> list[bytes]:
        """The end of the client's stream, with the calls that could not be served."""

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error, as a stream has it that has begun."""

    def build_whole(self, reveals: bool = False) -> bytes:
        """The client's response, if it is not streamed."""

    def list_bound(self) -> tuple[str, ...]:
        """Identify the reasoning that the client saw after a hidden call, if it is bound to that call."""
        return ()

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of the turn, with the answers to its open calls; None if the client saw all of it."""


class RoundReader(TurnReader):
    """Shared by readers: the finished responses, the next request, and events that are held back."""

    def __init__(self) -> None:
        self._rounds: list[Any] = []  # elements of the responses before, and the results of their calls
        self._next: list[Any] = []  # the same of what was asked for, and is not answered yet
        self._held: list[Any] = []  # the end of the response that is read
        self._hidden: Collection[Any] = ()  # of this response, what the client does not see

    def finish(self) -> list[bytes]:
        """The events that were held back, with the usage of all responses."""
        return [self._restate(event) for event in self._held] if self._rounds else self._held

    def _begin_round(self) -> None:
        """A response begins: what was asked for is answered."""
        if self._next:
            self._rounds += self._next
            self._next, self._held = [], []
            self._clear()

    def _hold(self, event: bytes) -> list[bytes]:
        """Hold an event back where something comes before it that is not known yet; what the client gets now."""
        if self._rounds or self._hidden:
            self._held.append(event)
            return []
        return [event]

    def _clear(self) -> None:
        """Forget the response before."""
        raise NotImplementedError

    def _restate(self, event: bytes) -> bytes:
        """An event that was held back, with the usage of all responses if it states usage."""
        return event


class Dialect(Protocol):
    """Tools and turns in one message format."""

    messages: str  # the member that has the history
    ping: bytes  # an event that says nothing; b"" where the clients of the format know none

    def can_offer(self, members: Members) -> bool:
        """Whether a request may have one more tool."""

    def add_tool(self, members: Members) -> Members:
        """The request with the tool behind its own."""

    def is_output(self, element: Raw) -> bool:
        """Whether an element is the model's."""
        return bool(read_member(element, "role") == "assistant")

    def is_user(self, element: Raw) -> bool:
        """Whether an element is the user's."""
        return bool(read_member(element, "role") == "user")

    def match_turn(self, elements: Sequence[Raw], turn: HiddenTurn) -> int:
        """How many elements at the beginning of these are the client's own version of a turn; 0 if it is not there."""

    def expand_turn(self, own: Sequence[Raw], turn: HiddenTurn) -> list[Raw]:
        """The elements that replace the client's own version of a turn."""
        return [*turn.elements]

    def insert_results(self, element: Raw, turn: HiddenTurn) -> Raw | None:
        """The element behind a turn with the turn's results; None if they are elements or cannot be there."""
        return None

    def start_turn(self) -> TurnReader:
        """A reader for a new turn."""


def describe_turn(texts: Iterable[str], calls: Iterable[str]) -> str:
    """The hash by which a turn is known: its words without spaces, and its calls."""
    words = "".join("".join(text.split()) for text in texts)
    return hash_text(json.dumps([words, *calls]))


def read_arguments(text: str | Any) -> Any:
    """Parse the arguments of a call; None if they are not an object."""
    if isinstance(text, str):
        try:
            text = json.loads(text or "{}")
        except ValueError:
            return None
    return text if isinstance(text, dict) else None


def read_member(element: Raw, name: str) -> Any:
    """One member of an object, decoded; None if there is none."""
    try:
        found = split_members(element).get(name)
        return None if found is None else msgspec.json.decode(found)
    except (ValueError, RecursionError):
        return None


def read_error(body: bytes) -> dict[str, Any]:
    """The error in a provider's response, or in the response of a gateway before it."""
    try:
        error = json.loads(body)
    except ValueError:
        error = None
    error = error[0] if isinstance(error, list) and error else error
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        found: dict[str, Any] = error["error"]
        return found
    text = body[:500].decode("utf-8", "replace") or "the provider could not be reached"
    return {"type": "api_error", "message": text}


def sum_usage(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Add several tables, member by member; for values that are not numbers, take the newest."""
    total: dict[str, Any] = {}
    for table in tables:
        for name, value in table.items():
            total[name] = _add(total.get(name), value)
    return total


def _add(before: Any, value: Any) -> Any:
    if before is None or value is None:
        return before if value is None else value
    if isinstance(value, dict) and isinstance(before, dict):
        return sum_usage([before, value])
    if isinstance(value, list) and isinstance(before, list):
        return _add_rows(before, value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isinstance(before, int | float):
        return value
    return before + value


def _add_rows(before: list[Any], rows: list[Any]) -> list[Any]:
    """Rows of two tables: those with the same names (a modality) are added up."""
    found: dict[str, Any] = {}
    for row in (*before, *rows):
        key = repr(row)
        if isinstance(row, dict):
            key = repr(sorted((name, value) for name, value in row.items() if isinstance(value, str)))
        found[key] = _add(found.get(key), row) if isinstance(row, dict) else row
    return [*found.values()]
