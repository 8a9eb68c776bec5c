"""Validation: what the provider would reject in a view, and would have accepted in the raw history.

Rule: a view is validated before it is sent, and only where it was edited since the last one: the rounds around each
edited message, as they will be sent, by the rules of the format's API; the last round also by the rules for how a
history ends. Rounds do not depend on anything outside them, so all of them are read in one pass; only if that finds
something is the raw history checked for the same violation. Conditions that no rule can check are not validated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from secateur.api import FAMILIES, Violation, check, get_family
from secateur.api.registry import list_plugin_rules
from secateur.documents import Document, get_element_ranges
from secateur.formats.json_word import IN_INPUT, IN_MESSAGES, has_json_word
from secateur.formats.native import read_member
from secateur.jsontext import Text
from secateur.model import Message, Part, Path, Transcript
from secateur.patch import Op, Splice, apply, apply_splices
from secateur.plan import is_leading_reasoning_gone, is_missing_reasoning
from secateur.registry import find

Ops = dict[int, list[Op]]
Cuts = dict[int, list[Splice]]

_BY_MODEL = ("anthropic",)  # how a history may end hangs on the model (API rule A14)
_NEVER_OURS = ("G5",)  # some servers take it: what came so may stay, but no edit brings it about
_QUOTE = 0x22
_VISIBLE = bytes(sorted({*range(0x21, 0x7F)} - {_QUOTE, 0x5C}))  # with which a text begins that is not blank
_AT_ONCE = 64  # rounds read in one pass: enough to share its cost, few enough to be forgotten soon


def find_new_violations(
    document: Document, ops: Ops, cuts: Cuts, top: list[Op], touched: Iterable[int]
) -> list[Violation]:
    """Violations of the view that the raw history does not have, in the rounds around the `touched` messages.

    `ops` are the edits by message, `cuts` the same in the document's bytes as far as they are known there, `top` the
    edits of the array of messages itself; with any of these the whole history is looked at. Logs are not sent, so
    nothing refuses them. Paths count from the first message that is looked at.
    """
    family = get_family(document.format.name)
    if family == "transcript" or family not in FAMILIES:
        return []
    messages, whole = document.transcript.messages, bool(top)
    windows = [range(len(messages))] if whole else list(_iterate_rounds(messages, sorted(touched)))
    found: list[Violation] = []
    for first in range(0, len(windows), _AT_ONCE):
        some = windows[first : first + _AT_ONCE]
        errors = _make_checker(family, document, whole, some[-1].stop == len(messages))
        seen = None if whole else _read_edited(document, some, ops, cuts)
        if seen is not None and not errors(seen):
            continue
        left, edits = _extract_windows(document, some, ops, top)
        found += _keep_new(errors(apply(left, edits)), partial(_check_raw, errors, document, some), edits)
    return found


def has_plugin_rules(document: Document) -> bool:
    """Whether plugins have rules for the API of this document, which may look at anything."""
    return bool(find("rules")) and bool(list_plugin_rules(get_family(document.format.name)))


def can_violate(native: Text, parts: Iterable[Part], cuts: list[Splice]) -> bool:
    """Whether a built-in rule may judge a message otherwise once these parts of it are edited, by these cuts.

    Of the text of a result, rules look at three things: whether it is blank, too long, or no Unicode. So a string that
    takes the place of a longer one, and is none of these, breaks none of them.
    """
    for part in parts:
        if part.kind != "tool_result":
            return True
    data = native.data
    for cut in cuts:
        start, end, text = cut.start, cut.end, cut.text
        if len(text) < 3 or len(text) > end - start or text[1] not in _VISIBLE or b"\\ud" in text:
            return True
        if not data[start] == data[end - 1] == text[0] == _QUOTE:
            return True
    return not cuts


def _make_checker(family: str, document: Document, whole: bool, tail: bool) -> Callable[[list[Any]], list[Violation]]:
    """A check for the errors of a window; at the end of the history also those that depend on the model."""
    request = {"model": document.transcript.model} if tail and family in _BY_MODEL else None
    return lambda messages: [
        one
        for one in check(family, messages, request, whole=whole, tail=tail)
        if one.severity == "error" or one.rule in _NEVER_OURS
    ]


def _check_raw(
    errors: Callable[[list[Any]], list[Violation]], document: Document, windows: list[range]
) -> list[Violation]:
    """The errors that these windows had before any edit."""
    elements = [get_element_ranges(document, window.start, window.stop) for window in windows]
    return errors([value for one in elements for value in _list_values(document, one, [])])


def _keep_new(found: list[Violation], before: Callable[[], list[Violation]], edits: list[Op]) -> list[Violation]:
    """Violations that were not there `before`, which is only called if there are any.

    Each is compared with the same violation at the same place in the raw window, and excused once.
    """
    if not found:
        return []
    known = Counter((one.rule, one.text, one.path) for one in before())
    fresh = []
    for one in found:
        place = _map_to_raw(one.path, edits)
        sign = (one.rule, one.text, place if place is not None else one.path)
        if place is None or not known[sign]:
            fresh.append(one)
        else:
            known[sign] -= 1
    return fresh


def _map_to_raw(path: Path, edits: list[Op]) -> Path | None:
    """The raw path of a path in the edited window; None for what an edit inserted."""
    array, *steps = path
    place: list[str | int] = []
    for step in steps:
        if not isinstance(step, int):
            place.append(step)
            continue
        came = _map_index(step, [op for op in edits if op.path == tuple(place) and op.slice is not None])
        if came is None:
            return None
        place.append(came)
    return (array, *place)


def _map_index(step: int, cuts: list[Op]) -> int | None:
    """The index before these cuts of the element at `step` after them."""
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


def check_json_word(document: Document, view: tuple[Message, ...]) -> list[Violation]:
    """Check for the word "json", if the response format needs it and the edits removed the last one.

    OpenAI refuses JSON mode without it (API rules O9, R15).
    """
    asked = read_member(document.native, "response_format") or _get_member(
        read_member(document.native, "text"), "format"
    )
    if _get_member(asked, "type") != "json_object":
        return []
    rule, kinds = ("R15", IN_INPUT) if document.format.name == "openai_responses" else ("O9", IN_MESSAGES)
    if has_json_word(view, kinds) or not has_json_word(document.transcript.messages, kinds):
        return []
    text = "the response format requires the word json in a message, and none contains it any more: keep one that does"
    return [
        Violation(rule, document.transcript.messages_path, ".".join(map(str, document.transcript.messages_path)), text)
    ]


def check_leading_reasoning(read: Transcript, shown: tuple[Message, ...], view: tuple[Message, ...]) -> list[Violation]:
    """Check for leading reasoning of the running tool loop, removed by the edits or replaced with its round (A52).

    The loop may have any number of rounds, so no window shows it; the transcript does.
    """
    if not read.requires_leading_reasoning:
        return []
    is_missing = is_missing_reasoning(read.messages, shown)
    if not is_missing and not is_leading_reasoning_gone(read.messages, view):
        return []
    text = "the running tool loop does not start with its reasoning: keep the reasoning"
    return [Violation("A52", read.messages_path, ".".join(map(str, read.messages_path)), text)]


def _get_member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _iterate_rounds(messages: tuple[Message, ...], touched: list[int]) -> Iterator[range]:
    """The rounds these messages belong to, each once."""
    end = 0
    for number in touched:
        if number < end:
            continue
        start, end = number, number + 1
        while start and not _is_start(messages, start):
            start -= 1
        while end < len(messages) and not _is_start(messages, end):
            end += 1
        yield range(start, end)


def _is_start(messages: tuple[Message, ...], number: int) -> bool:
    """Whether a round or a turn begins here: nothing before it depends on anything after it."""
    message = messages[number]
    if message.role == "assistant":
        return number == 0 or messages[number - 1].role != "assistant"
    return message.role != "tool" and all([part.kind != "tool_result" for part in message.parts])


def _read_edited(document: Document, windows: list[range], ops: Ops, cuts: Cuts) -> list[Any] | None:
    """The messages of these windows, read from the bytes that are sent; None where these are not known.

    An edited result is short, so this takes less than to read what came and to edit it.
    """
    native, read = document.native, document.transcript
    items = native.at(read.messages_path) if type(native) is Text and not read.parts_only else None
    if items is None or any([number in ops and number not in cuts for window in windows for number in window]):
        return None
    spans, pieces = items.open(), []
    for window in windows:
        elements = get_element_ranges(document, window.start, window.stop)
        first, last = spans.starts[elements.start], spans.ends[elements.stop - 1]
        changes = [cut for number in window for cut in sorted(cuts.get(number, ()))]
        moved = [Splice(cut.start - first, cut.end - first, cut.text) for cut in changes]
        pieces.append(apply_splices(memoryview(native.data)[first:last], moved))
    values: list[Any] = Text.of(b"[%b]" % b",".join(pieces)).value()
    return values


def _extract_windows(document: Document, windows: list[range], ops: Ops, top: list[Op]) -> tuple[list[Any], list[Op]]:
    """The native messages of these windows in one list, None for those that are cut out, and the edits on that list."""
    depth = len(document.transcript.messages_path)
    gone = [op.slice for op in top if op.slice is not None]
    raw: list[Any] = []
    edits: list[Op] = list(_shift_op(op, depth, 0) for op in top)
    for window in windows:
        elements = get_element_ranges(document, window.start, window.stop)
        shift = elements.start - len(raw)
        raw += _list_values(document, elements, gone)
        edits += [
            _shift_op(op, depth, shift)
            for number in window
            for op in ops.get(number, ())
            if not gone or not _is_within_cut(op, depth, gone)
        ]
    return raw, edits


def _is_within_cut(op: Op, depth: int, gone: list[tuple[int, int]]) -> bool:
    """Whether an edit lies in elements that are removed as a whole."""
    step = op.path[depth] if len(op.path) > depth else op.slice[0] if op.slice else 0
    return isinstance(step, int) and any(i <= step < j for i, j in gone)


def _shift_op(op: Op, depth: int, shift: int) -> Op:
    """A document operation converted to a list whose elements come `shift` places earlier."""
    if len(op.path) == depth and op.slice is not None:
        i, j = op.slice
        return Op((), op.value, (i - shift, j - shift))
    step = op.path[depth]
    assert isinstance(step, int)
    return Op((step - shift, *op.path[depth + 1 :]), op.value, op.slice)


def _list_values(document: Document, elements: range, gone: list[tuple[int, int]]) -> list[Any]:
    """The native messages of these elements; None for those within `gone`, which need not be parsed."""
    native: Any = document.native
    if isinstance(native, Text):
        items = native.at(document.transcript.messages_path)
        if items is None:
            return []
        found: list[Any] = [None] * len(elements)
        for first, last in _iterate_kept(elements, gone):
            found[first - elements.start : last - elements.start] = items.values(first, last)
        return found
    for step in document.transcript.messages_path:
        native = native[step]
    return list(native[elements.start : elements.stop])


def _iterate_kept(elements: range, gone: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of these elements between those that are `gone`."""
    here = elements.start
    for first, last in sorted(gone):
        if here < first:
            yield here, min(first, elements.stop)
        here = max(here, last)
    if here < elements.stop:
        yield here, elements.stop
