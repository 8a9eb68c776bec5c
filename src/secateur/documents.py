"""A native document, read: which format it is, and the transcript that points into it.

Rule: reading a grown request costs what is new. The bytes of the previous request of a session are compared with the
new ones; messages in the common prefix are taken over, and only the rest is parsed. Nothing here decides or edits.
"""

import json
from bisect import bisect_left, bisect_right
from itertools import compress
from operator import is_not
from typing import Any

from msgspec import Struct, structs

from secateur import formats
from secateur.errors import FormatError
from secateur.formats import Format
from secateur.formats.detection import NAMED, detect_document, detect_object, recognize
from secateur.jsontext import Spans, Text, convert_recursion_error, scan_array, scan_members
from secateur.model import Message, Path, Transcript
from secateur.objects import Seen, SeenList, count_shared, format_of
from secateur.text.own_text import with_own_origin
from secateur.tokens import get_factor, scale_tokens

_BOM = b"\xef\xbb\xbf"
_TAIL = 4_096  # bytes


class Document(Struct, frozen=True):
    """`native` is a `Text`, `Lines`, or Python objects; `encoding` and `bom` are how it came."""

    format: Format
    native: Any
    transcript: Transcript
    reason: str = ""  # why it was taken for this format
    encoding: str = "utf-8"  # "str" if it came as one
    bom: bytes = b""

    def encode_output(self, data: bytes) -> Any:
        """Encode bytes in the type and encoding the document arrived in."""
        if self.encoding == "str":
            return data.decode("utf-8", "surrogatepass")
        if self.encoding != "utf-8":
            data = data.decode("utf-8", "surrogatepass").encode(self.encoding, "surrogatepass")
        return self.bom + data


@convert_recursion_error()
def read(request: Any, name: str | None = None, model: str = "") -> Document:
    """Read a request or a session: bytes, text, or Python objects. Raises FormatError, UnknownFormat."""
    if isinstance(request, bytes | bytearray | memoryview | str):
        data, encoding, bom = _decode_request(request)
        native, format, reason = detect_document(data, name)
    else:
        native, encoding, bom = request, "object", b""
        format, reason = _detect_object_format(request, name)
    return Document(format, native, _read_transcript(format, native, (), model), reason, encoding, bom)


def _read_transcript(format: Format, native: Any, known: tuple[Message, ...], model: str) -> Transcript:
    """Read the transcript, its fixed tokens counted in the model's own tokens."""
    found = format.read(native, known, model)
    messages = with_own_origin(found.messages, len(known))
    if messages is not found.messages:
        found = structs.replace(found, messages=messages)
    times = get_factor(found.model)
    if times == 1 or not found.fixed_tokens:
        return found
    return structs.replace(found, fixed_tokens=scale_tokens(found.fixed_tokens, times))


def _detect_object_format(request: Any, name: str | None) -> tuple[Format, str]:
    """The format of the objects' packages unless a format was named; else the detected one."""
    told = "" if name is not None else format_of(request)
    return (
        (formats.get_format(told), "it holds objects of that provider's package")
        if told
        else detect_object(request, name)
    )


@convert_recursion_error()
def read_on(old: Document | None, request: Any, name: str | None, model: str) -> tuple[Document, int]:
    """Read a request of a session whose last one was `old`, or take one that was read; and how many leading messages
    are the very same. Raises as `read` does.
    """
    if isinstance(request, Document):
        return request, count_same(old.transcript.messages, request.transcript.messages) if old is not None else 0
    if old is not None and isinstance(request, Seen | SeenList):
        return _extend_objects(old, request, model) or (read(request, name, model), 0)
    if old is not None and isinstance(request, bytes) and type(old.native) is Text and not old.bom:
        if request == old.native.data:
            return old, len(old.transcript.messages)
        more = extend_document(old, request, model)
        if more is not None:
            return more
    return read(request, name, model), 0


def count_same(some: tuple[Message, ...], others: tuple[Message, ...]) -> int:
    """Count the leading messages that are the same objects, because one document reused them from the other."""
    size = min(len(some), len(others))
    return next(compress(range(size), map(is_not, some, others)), size)


def is_grown(old: Document, data: bytes) -> bool:
    """Whether `data` begins with all messages of a request but the last, which may have grown itself."""
    items = old.native.at(old.transcript.messages_path) if type(old.native) is Text else None
    if items is None or items.kind != "[" or len(items) < 2:
        return False
    return data.startswith(memoryview(old.native.data)[: items.open().ends[-2]])


def _extend_objects(old: Document, new: Any, model: str) -> tuple[Document, int] | None:
    """Like `extend_document` for objects: shapes only change with them, so identical ones read the same."""
    at, told = old.transcript.messages_path, format_of(new)
    keep = 0 if len(at) > 1 or old.transcript.parts_only else count_shared(old.native, new, at)
    if not keep or (told and told != old.format.name):
        return None
    if old.native == new:
        return old, len(old.transcript.messages)
    known = _take_known(old.transcript, keep)
    read = _read_transcript(old.format, new, known, model)
    if not known or _has_other_format(old, new, read.messages[len(known) :]):
        return None
    return Document(old.format, new, read, old.reason, old.encoding), len(known)


def extend_document(old: Document, data: bytes, model: str = "") -> tuple[Document, int] | None:
    """Read `data` as a continuation of `old`; return it and the number of unchanged leading messages.

    None where nothing can be taken over: another format's matter, or a change before the first message.
    """
    text, at = old.native, old.transcript.messages_path
    if type(text) is not Text or old.bom or old.encoding != "utf-8" or len(at) > 1 or old.transcript.parts_only:
        return None
    items = text.at(at)
    if items is None or items.kind != "[":
        return None
    same = measure_common_prefix(text.data, data)
    spans = items.open()
    keep = bisect_right(spans.ends, same)
    if not keep or data[spans.ends[keep - 1] - 1 : spans.ends[keep - 1]] not in (b"}", b'"', b"]"):
        return None
    new = _rescan(text, items, data, keep)
    known = _take_known(old.transcript, keep)
    read = _read_transcript(old.format, new, known, model)
    if _has_other_format(old, new, read.messages[len(known) :]):
        return None
    return Document(old.format, new, read, old.reason), len(known)


def _has_other_format(old: Document, new: Any, more: tuple[Message, ...]) -> bool:
    """Whether new messages show another format than a short, ambiguous beginning suggested."""
    if old.reason == NAMED or all(part.kind != "other" for message in more for part in message.parts):
        return False
    found = recognize(new, log=False)
    return found is not None and found[0] is not old.format


def get_element_range(document: Document, number: int) -> range:
    """The native array elements of message `number`; after the last message an empty range at the end."""
    return get_element_ranges(document, number, number + 1)


def get_element_ranges(document: Document, first: int, last: int) -> range:
    """The native array elements of messages [first, last); after the last message an empty range at the end."""
    read, depth = document.transcript, len(document.transcript.messages_path)
    messages = read.messages
    stop = (
        _get_first_element(messages[last], depth)
        if last < len(messages)
        else _size(document.native, read.messages_path)
    )
    return range(_get_first_element(messages[first], depth) if first < len(messages) else stop, stop)


def _get_first_element(message: Message, depth: int) -> int:
    """The index of the array element, `depth` steps down, at which a message begins."""
    place = message.path[depth]
    assert isinstance(place, int)
    return place


def _size(native: Any, at: Path) -> int:
    """Count the elements of the array at a path."""
    if isinstance(native, Text):
        items = native.at(at)
        return len(items) if items is not None else 0
    for step in at:
        native = native[step]
    return len(native)


def _take_known(read: Transcript, keep: int) -> tuple[Message, ...]:
    """The messages made of the first `keep` elements, except one that the next element may still extend."""
    messages, depth = read.messages, len(read.messages_path)
    count = bisect_left(
        messages, keep, key=lambda message: _get_first_element(message, depth)
    )  # one message may span elements
    while count and messages[count - 1].role == "assistant":
        count -= 1
    return messages[:count]


def _decode_request(request: Any) -> tuple[bytes, str, bytes]:
    if isinstance(request, str):
        return request.encode("utf-8", "surrogatepass"), "str", b""
    data = bytes(request)
    if data.startswith(_BOM):
        return data[3:], "utf-8", _BOM
    encoding = (
        json.detect_encoding(data[:4]) if b"\0" in data[:4] or data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    )
    if encoding in ("utf-8", "utf-8-sig"):
        return data, "utf-8", b""
    try:
        text = data.decode(encoding)
        little = {"utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
        big = data[:2] == b"\xfe\xff" or data[:4] == b"\0\0\xfe\xff"
        exact, width = little.get(encoding, (encoding, 0))
        return text.encode(), exact.replace("le", "be") if big and width else exact, data[:width]
    except UnicodeError as error:
        raise FormatError(f"the document looks like {encoding} but is not: {error}") from error


def measure_common_prefix(old: bytes, new: bytes) -> int:
    """Length of the common prefix: bisection over memory comparison, no Python step per byte."""
    view = memoryview(old)
    low, high = 0, min(len(old), len(new))
    if new.startswith(view[: max(0, high - _TAIL)]):
        low = max(0, high - _TAIL)  # a history that grew: only its closing brackets are others, so one pass is enough
    else:
        step = 1 << 16
        while low + step < high and new.startswith(view[low : low + step], low):
            low, step = low + step, step * 2
        high = min(high, low + step)
    while low < high:
        middle = (low + high + 1) // 2
        if new.startswith(view[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def _rescan(text: Text, items: Text, data: bytes, keep: int) -> Text:
    """Reopen the new document as far as its messages, without rescanning what precedes the change."""
    old = items.open()
    starts, ends, close = scan_array(data, old.ends[keep - 1])
    spans = Spans(old.starts[:keep] + starts, old.ends[:keep] + ends)
    if items is text:
        whole = Text(data, text.start, close + 1)
        _require_end(data, close + 1)
        return whole.adopt(spans)
    members = text.open()
    assert members.names is not None
    before = {name: at for name, at in members.names.items() if members.ends[at] <= items.start}
    heads = [(members.starts[at], members.ends[at]) for at in before.values()]
    names, tails_start, tails_end, end = scan_members(data, close + 1)
    known = [*before, find_items_name(members, items), *(name.decode("utf-8", "surrogatepass") for name in names)]
    if len(set(known)) != len(known) or any("\\" in name for name in known):
        return Text.of(data)
    _require_end(data, end + 1)
    whole = Text(data, text.start, end + 1)
    places = [*heads, (items.start, close + 1), *zip(tails_start, tails_end, strict=True)]
    whole.adopt(Spans([a for a, _ in places], [b for _, b in places], {name: at for at, name in enumerate(known)}))
    child = whole.child(find_items_name(members, items))
    assert child is not None
    child.adopt(spans)
    return whole


def find_items_name(members: Spans, items: Text) -> str:
    """The member name that holds the messages."""
    assert members.names is not None
    return next(name for name, at in members.names.items() if members.starts[at] == items.start)


def _require_end(data: bytes, end: int) -> None:
    if data[end:].strip(b" \t\n\r"):
        raise FormatError(f"not JSON: text after the value that ends at byte {end}")
