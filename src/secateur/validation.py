"""The gate: what the provider would refuse of a view, and would have taken of the raw history.

Rule: a view is validated before it goes out, and only where it was edited since the last one: the rounds around each
edited message, as they will be sent, by the rules of the format's API; the last round also by the rules for how a
history ends. Rounds answer to nothing outside them, so all of them are read in one pass; only where that finds
something is the raw history asked whether it was there before.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from secateur.api import FAMILIES, Violation, check, family_of
from secateur.bounds import find_turn_start
from secateur.formats.native import member
from secateur.jsontext import Text
from secateur.model import Message, Path, Transcript
from secateur.patch import Op, apply
from secateur.session.document import Document, elements
from secateur.settle import headless

_BY_MODEL = ("anthropic",)  # how a history may end hangs on the model (wire rule A14)
_NEVER_OURS = ("G5",)  # some servers take it: what came so may stay, but no edit brings it about
_AT_ONCE = 32  # rounds read in one pass: enough to share its cost, few enough to be forgotten soon


def find_new_violations(
    document: Document, ops: dict[int, list[Op]], top: list[Op], touched: Iterable[int]
) -> list[Violation]:
    """Violations of the view that the raw history does not have, in the rounds around the `touched` messages.

    `ops` are the edits by message, `top` those of the array of messages itself; with any of these the whole history
    is looked at. Logs are not sent, so nothing refuses them. Paths count from the first message that is looked at.
    """
    family = family_of(document.format.name)
    if family == "transcript" or family not in FAMILIES:
        return []
    messages, whole = document.transcript.messages, bool(top)
    windows = [range(len(messages))] if whole else list(_rounds(messages, sorted(touched)))
    found: list[Violation] = []
    for first in range(0, len(windows), _AT_ONCE):
        some = windows[first : first + _AT_ONCE]
        raw, edits = _looked_at(document, some, ops, top)
        errors = _asking(family, document, whole, some[-1].stop == len(messages))
        found += _new(errors(apply(raw, edits)), partial(errors, raw), edits)
    return found


def _asking(family: str, document: Document, whole: bool, tail: bool) -> Callable[[list[Any]], list[Violation]]:
    """The errors of a window; of one that ends the history, also those that hang on the model."""
    request = {"model": document.transcript.model} if tail and family in _BY_MODEL else None
    return lambda messages: [
        one
        for one in check(family, messages, request, whole=whole, tail=tail)
        if one.severity == "error" or one.rule in _NEVER_OURS
    ]


def _new(found: list[Violation], before: Callable[[], list[Violation]], edits: list[Op]) -> list[Violation]:
    """Those that were not there `before`, which is only asked if there are any.

    Each is held against the one that said the same of the same place in the raw window, and excused once.
    """
    if not found:
        return []
    known = Counter((one.rule, one.text, one.path) for one in before())
    fresh = []
    for one in found:
        place = _came_from(one.path, edits)
        sign = (one.rule, one.text, place if place is not None else one.path)
        if place is None or not known[sign]:
            fresh.append(one)
        else:
            known[sign] -= 1
    return fresh


def _came_from(path: Path, edits: list[Op]) -> Path | None:
    """Where what stands at a path of the edited window stood in the raw one; None for what an edit put there."""
    array, *steps = path
    place: list[str | int] = []
    for step in steps:
        if not isinstance(step, int):
            place.append(step)
            continue
        came = _origin(step, [op for op in edits if op.path == tuple(place) and op.slice is not None])
        if came is None:
            return None
        place.append(came)
    return (array, *place)


def _origin(step: int, cuts: list[Op]) -> int | None:
    """The index before these cuts of the element that stands at `step` behind them."""
    shift = 0
    for op in sorted(cuts, key=lambda op: op.slice or (0, 0)):
        assert op.slice is not None
        i, j = op.slice
        if step < i + shift:
            break
        if step < i + shift + len(op.value):
            return None
        shift += len(op.value) - (j - i)
    return step - shift


def lost_word(document: Document, view: tuple[Message, ...]) -> list[Violation]:
    """The word "json", where the response format needs it among the messages and the edits took the last one out.

    OpenAI refuses JSON mode without it (wire rules O9, R15).
    """
    asked = member(document.native, "response_format") or _member_of(member(document.native, "text"), "format")
    if _member_of(asked, "type") != "json_object" or _says_json(view):
        return []
    if not _says_json(document.transcript.messages):
        return []
    rule = "R15" if document.format.name == "openai_responses" else "O9"
    text = "the word json is left in no message, and the response format asks for it: keep a message that says it"
    return [
        Violation(rule, document.transcript.messages_path, ".".join(map(str, document.transcript.messages_path)), text)
    ]


def lost_opening(read: Transcript, shown: tuple[Message, ...]) -> list[Violation]:
    """The reasoning that the running tool loop must begin with, where the edits took it out (wire rule A52).

    The loop may have any number of rounds, so no window shows it; the transcript does.
    """
    if not read.requires_leading_reasoning or not headless(read.messages, shown, find_turn_start(read)):
        return []
    text = "the running tool loop does not start with its reasoning: leave that in"
    return [Violation("A52", read.messages_path, ".".join(map(str, read.messages_path)), text)]


def _member_of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _says_json(messages: tuple[Message, ...]) -> bool:
    texts = (part.text for message in messages for part in message.parts if part.kind in ("text", "tool_result"))
    return any("json" in text.lower() for text in texts)


def _rounds(messages: tuple[Message, ...], touched: list[int]) -> Iterator[range]:
    """The rounds that these messages belong to, each once."""
    end = 0
    for number in touched:
        if number < end:
            continue
        start, end = number, number + 1
        while start and not _opens(messages, start):
            start -= 1
        while end < len(messages) and not _opens(messages, end):
            end += 1
        yield range(start, end)


def _opens(messages: tuple[Message, ...], number: int) -> bool:
    """Whether a round or a turn begins here: nothing before it answers to anything behind it."""
    message = messages[number]
    if message.role == "assistant":
        return number == 0 or messages[number - 1].role != "assistant"
    return message.role != "tool" and all([part.kind != "tool_result" for part in message.parts])


def _looked_at(
    document: Document, windows: list[range], ops: dict[int, list[Op]], top: list[Op]
) -> tuple[list[Any], list[Op]]:
    """The native messages of these windows in one list, and the edits on that list."""
    depth = len(document.transcript.messages_path)
    gone = [op.slice for op in top if op.slice is not None]
    raw: list[Any] = []
    edits: list[Op] = list(_moved(op, depth, 0) for op in top)
    for window in windows:
        first = elements(document, window.start).start
        shift = first - len(raw)
        raw += _values(document, first, elements(document, window.stop - 1).stop)
        edits += [
            _moved(op, depth, shift)
            for number in window
            for op in ops.get(number, ())
            if not gone or not _within(op, depth, gone)
        ]
    return raw, edits


def _within(op: Op, depth: int, gone: list[tuple[int, int]]) -> bool:
    """Whether an edit stands in elements that go as a whole."""
    step = op.path[depth] if len(op.path) > depth else op.slice[0] if op.slice else 0
    return isinstance(step, int) and any(i <= step < j for i, j in gone)


def _moved(op: Op, depth: int, shift: int) -> Op:
    """An operation on the document as one on a list in which its elements stand `shift` places earlier."""
    if len(op.path) == depth and op.slice is not None:
        i, j = op.slice
        return Op((), op.value, (i - shift, j - shift))
    step = op.path[depth]
    assert isinstance(step, int)
    return Op((step - shift, *op.path[depth + 1 :]), op.value, op.slice)


def _values(document: Document, first: int, last: int) -> list[Any]:
    native: Any = document.native
    if isinstance(native, Text):
        items = native.at(document.transcript.messages_path)
        return list(items.values(first, last)) if items is not None else []
    for step in document.transcript.messages_path:
        native = native[step]
    return list(native[first:last])
