"""A recorded history as plain messages for a peer, and what the peer would send as a view for the bill.

Rule: a piece is a dict that every peer's own shape can hold, one result each: `{"role": "user", "text"}`, `{"role":
"assistant", "text", "calls": [{"id", "name", "args"}]}`, `{"role": "tool", "call", "name", "text", "error"}`. What has
no such shape (reasoning, a host's notes) stays where the message around it, or before it, stays. A result is known by
its call, everything else by being unchanged; a text that is not of the history was added. No peer is known here.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.model import Message, Part
from secateur.tokens import Counter

Piece = dict[str, Any]
Item = int | Piece  # the number of a piece that stays unchanged, or another piece


class Placed(Struct, frozen=True):
    """Pieces of a history, each with the number of its message."""

    pieces: tuple[Piece, ...]
    of: tuple[int, ...]


def pieces(messages: Sequence[Message]) -> Placed:
    """All messages as pieces. A message of the system's own, or of reasoning alone, has none."""
    found = [(number, piece) for number, message in enumerate(messages) for piece in _pieces(message)]
    return Placed(tuple(piece for _, piece in found), tuple(number for number, _ in found))


class Views:
    """Makes the views of one session. Equal messages are the same object, so that a bill sees what stayed."""

    def __init__(self, messages: Sequence[Message], placed: Placed, count: Counter) -> None:
        self._messages, self._placed, self._count = messages, placed, count
        self._home: dict[tuple[str, str], tuple[int, Part]] = {}  # of a call, of a result: its message and its part
        for number, message in enumerate(messages):
            self._home.update(((part.kind, part.call_id), (number, part)) for part in message.parts if part.call_id)
        self._all = _by_message(placed)
        self._unheld = _unheld(len(messages), self._all)
        self._made: dict[Any, Message] = {}

    def of(self, sent: Iterable[Item], size: int) -> tuple[Message, ...]:
        """The view that a peer's pieces are; `size`: the messages that the request held."""
        seen = [self._messages[one] for one in self._unheld.get(-1, ())]
        for number, items in self._grouped(sent):
            if number < 0:
                seen += [self._added(item) for item in items if isinstance(item, dict)]
                continue
            seen.append(self._message(number, items))
            seen += [self._messages[one] for one in self._unheld.get(number, ()) if one < size]
        return tuple(seen)

    def _grouped(self, sent: Iterable[Item]) -> Iterator[tuple[int, list[Item]]]:
        """What stands together and comes from one message; -1 for what is new."""
        last, group = -1, list[Item]()
        for item in sent:
            number = self._placed.of[item] if isinstance(item, int) else self._stands_for(item)
            if group and number != last:
                yield last, group
                group = []
            last = number
            group.append(item)
        if group:
            yield last, group

    def _stands_for(self, piece: Piece) -> int:
        """The message that a changed piece comes from; -1 if it is new."""
        kind = "tool_result" if piece["role"] == "tool" else "tool_call"
        names = [piece["call"]] if piece["role"] == "tool" else [call["id"] for call in piece.get("calls", ())]
        return next((self._home[kind, name][0] for name in names if (kind, name) in self._home), -1)

    def _message(self, number: int, items: list[Item]) -> Message:
        message = self._messages[number]
        if items == self._all[number]:
            return message
        parts: list[Part] = []
        for item in items:
            piece = self._placed.pieces[item] if isinstance(item, int) else item
            parts += self._parts(message, piece)
        return self._known(message, tuple(parts))

    def _parts(self, message: Message, piece: Piece) -> Iterator[Part]:
        """The parts of a message that a piece of it holds now."""
        if piece["role"] == "tool":
            was = self._home["tool_result", piece["call"]][1]
            yield self._said(was, piece["text"])
            return
        yield from (part for part in message.parts if part.kind == "reasoning")
        if piece["text"]:
            texts = [part for part in message.parts if part.kind == "text"]
            yield from texts if _joined(texts) == piece["text"] else [self._text(piece["text"])]
        for call in piece.get("calls", ()):
            was = self._home["tool_call", call["id"]][1] if ("tool_call", call["id"]) in self._home else None
            if was is not None:
                yield was if _arguments(was) == call["args"] else self._said(was, _json(call["args"]))

    def _added(self, piece: Piece) -> Message:
        blank = Message(piece["role"] if piece["role"] != "tool" else "user", (), (), "synthetic")
        return self._known(blank, (self._text(piece["text"]),))

    def _text(self, text: str) -> Part:
        return Part("text", (), text=text, key=f"added {hash(text)}", tokens=self._count(text))

    def _said(self, was: Part, text: str) -> Part:
        return was if was.text == text else replace(was, text=text, tokens=self._count(text))

    def _known(self, like: Message, parts: tuple[Part, ...]) -> Message:
        name = (like.role, *((part.key, part.text) for part in parts))
        if name not in self._made:
            self._made[name] = replace(like, parts=parts)
        return self._made[name]


def _pieces(message: Message) -> Iterator[Piece]:
    if message.role == "system":
        return
    texts = _joined([part for part in message.parts if part.kind == "text"])
    calls = [
        {"id": part.call_id, "name": part.tool, "args": _arguments(part)}
        for part in message.parts
        if part.kind == "tool_call"
    ]
    if message.role == "assistant":
        if texts or calls:
            yield {"role": "assistant", "text": texts, "calls": calls}
        return
    for part in message.parts:
        if part.kind == "tool_result":
            yield {"role": "tool", "call": part.call_id, "name": part.tool, "text": part.text, "error": part.is_error}
    if texts:
        yield {"role": "user", "text": texts}


def _joined(texts: Iterable[Part]) -> str:
    return "\n\n".join(part.text for part in texts)


def _arguments(part: Part) -> dict[str, Any]:
    """Arguments as an object; what is none (a custom tool's free text) as the one argument `input`."""
    try:
        value = json.loads(part.text)
    except ValueError:
        return {"input": part.text}
    return value if isinstance(value, dict) else {"input": part.text}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _by_message(placed: Placed) -> dict[int, list[Item]]:
    found: dict[int, list[Item]] = {}
    for place, number in enumerate(placed.of):
        found.setdefault(number, []).append(place)
    return found


def _unheld(size: int, held: dict[int, list[Item]]) -> dict[int, list[int]]:
    """Messages without a piece, by the last message before them that has one."""
    found: dict[int, list[int]] = {}
    last = -1
    for number in range(size):
        if number in held:
            last = number
        else:
            found.setdefault(last, []).append(number)
    return found
