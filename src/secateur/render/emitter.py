"""A view in its document's own shape, and the bytes of the last one kept so that the next costs what is new.

Rule: without an edit the request itself is sent. Bytes that were written once are written again as they are; only the
messages that changed or came since are spliced. Nothing here reads a message or decides an edit.
"""

from itertools import compress
from operator import is_not
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.api import Violation
from secateur.documents import Document, get_element_range
from secateur.jsontext import Spans, Text, dumps, find_value
from secateur.model import Message, NewMessage, Path, Replace
from secateur.patch import Op, Splice, apply, apply_splices, compile_splices, replace_value
from secateur.projection import Projection
from secateur.projection.messages import build_top_ops, compile_ops, is_emptied
from secateur.render.host_entry import append_entry, has_host_entry
from secateur.validation import (
    can_violate,
    check_json_word,
    check_leading_reasoning,
    find_new_violations,
    has_plugin_rules,
)

# Stands for a message of which nothing is left, where two neighbours of one role would meet (API rule B3).
_NOTHING_LEFT = "[reasoning removed]"

_FEW = 4  # edits of one message that are looked for one by one; of more, the array that holds them all is opened

Range = tuple[int, int, Replace]  # the messages [i, j), and what is in their place


class Emitter:
    """The edits of one session's messages in its document's coordinates, by message number."""

    def __init__(self) -> None:
        self._raw: tuple[Message, ...] = ()  # the history whose edits are known here
        self._shown: tuple[Message, ...] = ()  # and its messages as the model reads them
        self._ops: dict[int, list[Op]] = {}
        self._op_count = 0  # of all of them
        self._fresh: set[int] = set()  # messages whose edits are not validated yet
        self._plain: set[int] = set()  # those of them whose edits no rule could object to
        self._judges_all = False  # plugins have rules: nothing is known of what they look at
        self._opened: tuple[Text | None, Spans | None] = None, None  # a document, and where its messages are in it
        self._cuts: dict[int, list[Splice]] = {}
        self._at_top: set[int] = set()  # messages of which an edit takes whole elements of the array
        self._emptied: set[int] = set()  # messages of which nothing is left; lines of a log stay, others name them
        self._sent: _Sent | None = None
        self._fine: tuple[list[Range], set[int], int] | None = None  # ranges, emptied and all messages found valid

    def count_edits(self, projection: Projection) -> int:
        """How many edits the view has: replaced ranges, and operations on messages."""
        self._follow(projection)
        return len(projection.ranges) + self._op_count

    def find_new_violations(self, projection: Projection) -> list[Violation]:
        """What the provider would reject in the view, and would have accepted in the raw history (`validation`)."""
        self._follow(projection)
        document, ranges = projection.document, [*projection.ranges]
        if (found := self._find(document, ranges)) is None:
            return []
        read = replace(document.transcript, index=projection.message_index.positions)
        return (
            found
            or check_leading_reasoning(read, projection.projected_messages, projection.get_view().messages)
            or check_json_word(document, projection.get_view().messages)
        )

    def emit(self, projection: Projection, request: Any) -> Any:
        """The view in the document's own shape: the very request if no edit applies to it."""
        self._follow(projection)
        document, ranges = projection.document, [*projection.ranges]
        if ranges and has_host_entry(document):
            self._sent = None
            return append_entry(document, self._ops, projection.fold, ranges)
        top = self._build_top_ops(document, ranges)
        if not self._ops and not top:
            self._sent = None
            return request
        native = document.native
        if top or self._at_top:
            self._sent = None
            return self._with_top(document, top, ranges)
        if isinstance(native, Text):
            return document.encode_output(self._splice_view(document, native))
        return apply(native, [op for some in self._ops.values() for op in some])

    def _follow(self, projection: Projection) -> None:
        """Take over the changes of the projection since the last time.

        Messages are compared by identity: one that is the same object in the history and in the view has the same
        edits. So a projection needs no knowledge of documents, and whatever it ingested in the meantime, this state is
        right.
        """
        raw, shown = projection.document.transcript.messages, projection.projected_messages
        if raw is self._raw and shown is self._shown:
            return
        known, size = len(self._raw), min(len(self._raw), len(raw))
        same = next(compress(range(size), map(is_not, self._raw, raw)), size)
        changed = [*compress(range(same), map(is_not, self._shown, shown))]
        if known:
            self._forget(same, known)
            self._invalidate_from(min(changed, default=same))
        edited = [*changed, *compress(range(same, len(raw)), map(is_not, shown[same:], raw[same:]))]
        self._judges_all = bool(edited) and has_plugin_rules(projection.document)
        for number in edited:
            self._lower(projection, number, raw[number])
        self._raw, self._shown, self._op_count = raw, shown, sum(map(len, self._ops.values()))

    def _forget(self, first: int, last: int) -> None:
        """Messages [first, last) are not what they were; none before them changed."""
        self._fine = self._fine if first == last else None
        if not first:
            self._ops, self._cuts, self._emptied, self._at_top, self._sent = {}, {}, set(), set(), None
            self._fresh, self._plain = set(), set()
            return
        self._invalidate_from(first)
        for number in range(first, last):
            self._ops.pop(number, None)
            self._emptied.discard(number)
            self._at_top.discard(number)
            self._fresh.discard(number)
            self._plain.discard(number)
            self._cuts.pop(number, None)

    def _lower(self, projection: Projection, number: int, message: Message) -> None:
        """Compute the places of a message's edits."""
        self._ops.pop(number, None)
        self._cuts.pop(number, None)
        self._emptied.discard(number)
        self._at_top.discard(number)
        self._plain.discard(number)
        self._fresh.add(number)
        document, fold = projection.document, projection.fold
        ops = compile_ops(message, fold, document.format, fold.stamps)
        if not ops:
            return
        self._ops[number] = ops
        spliced_out = not document.format.log and not document.transcript.parts_only
        if spliced_out and len(ops) >= len(message.parts) and is_emptied(message, fold):
            if document.format.must_alternate:
                self._ops[number] = [
                    Op(message.path, document.format.new_message(NewMessage(message.role, _NOTHING_LEFT)))
                ]
                self._at_top.add(number)
            else:
                self._emptied.add(number)
        elif spliced_out and any([op.slice and op.path == document.transcript.messages_path for op in ops]):
            self._at_top.add(number)
        elif isinstance(native := document.native, Text):
            cuts = self._cuts[number] = self._locate_ops(document, native, ops)
            parts = [part for part in message.parts if part.key in fold.parts]
            if not self._judges_all and not can_violate(native, parts, cuts):
                self._plain.add(number)

    def _find(self, document: Document, ranges: list[Range]) -> list[Violation] | None:
        """What the provider would reject in the edits made since the last validation; None if there is nothing."""
        touched, plain = self._fresh, self._plain
        self._fresh, self._plain = set(), set()
        if not touched and self._is_validated(ranges):
            return None
        top, judged = self._build_top_ops(document, ranges), touched - plain
        found = find_new_violations(document, self._ops, self._cuts, top, judged) if judged or top else []
        if found and plain:  # paths count from the first message that is looked at: the same whatever is left out
            found = find_new_violations(document, self._ops, self._cuts, top, touched)
        if found:
            self._fresh |= touched  # still to be validated: rolling back one more epoch may not be enough
        self._fine = None if found else ([*ranges], {*self._emptied}, len(document.transcript.messages))
        return found if touched or top else None

    def _is_validated(self, ranges: list[Range]) -> bool:
        """Whether the replaced or removed whole messages were already found valid, with others after them."""
        if self._fine is None or self._fine[:2] != (ranges, self._emptied):
            return False
        ends = (*(j for _, j, _ in ranges), *(number + 1 for number in self._emptied))
        return max(ends, default=-1) < self._fine[2]

    def _locate_ops(self, document: Document, native: Text, ops: list[Op]) -> list[Splice]:
        """Locate operations in the bytes: by search where that is safe, else by opening their parents."""
        many = len(ops) > _FEW
        at = _find_common_path(ops) if many else document.transcript.messages_path
        spans = _open_array(native, at) if many else self._get_messages(native, at)
        data, found, depth = native.data, list[Splice](), len(at)
        if spans is None:
            return compile_splices(native, ops)
        for op in ops:
            if op.slice:
                return compile_splices(native, ops)
            number = op.path[depth] if len(op.path) > depth else None
            if not isinstance(number, int):
                return compile_splices(native, ops)
            span = find_value(data, (spans.starts[number], spans.ends[number]), op.path[depth + 1 :])
            if span is None:
                return compile_splices(native, ops)
            if type(op.value) is str:
                found.append(Splice(*span, dumps(op.value)))
            else:
                found += replace_value(data, span, op.value)
        return found

    def _get_messages(self, native: Text, path: Path) -> Spans | None:
        """The places of a document's messages, computed once for each document."""
        if self._opened[0] is not native:
            self._opened = native, _open_array(native, path)
        return self._opened[1]

    def _invalidate_from(self, first: int) -> None:
        """Invalidate the last view from message `first` on."""
        sent = self._sent
        if sent is not None and first < sent.messages:
            cuts = [cut for number in range(first, sent.messages) for cut in self._cuts.get(number, ())]
            self._sent = replace(sent, messages=first, growth=sent.growth - sum(map(_measure_growth, cuts)))

    def _build_top_ops(self, document: Document, ranges: list[Range]) -> list[Op]:
        """Operations on the array of messages itself."""
        read = document.transcript
        if (not ranges and not self._emptied) or has_host_entry(document):
            return []
        placed = [
            (get_element_range(document, i).start, get_element_range(document, j).start, edit) for i, j, edit in ranges
        ]
        known = sorted(n for n in self._emptied if n < len(read.messages))
        gone = [(span.start, span.stop) for span in (get_element_range(document, number) for number in known)]
        return build_top_ops(read.messages_path, placed, gone, document.format)

    def _with_top(self, document: Document, top: list[Op], ranges: list[Range]) -> Any:
        shown = self._ops.keys() - self._emptied
        for i, j, _ in ranges:
            shown -= {*range(i, j)} if j - i < len(shown) else {number for number in shown if i <= number < j}
        native = document.native
        if isinstance(native, Text):  # the places of most messages' edits are known from earlier turns
            ops = [op for number in sorted(shown - self._cuts.keys()) for op in self._ops[number]]
            cuts = [cut for number in shown & self._cuts.keys() for cut in self._cuts[number]]
            splices = sorted((*compile_splices(native, [*ops, *top]), *cuts))
            return document.encode_output(apply_splices(native.data, splices))
        return apply(native, [*(op for number in sorted(shown) for op in self._ops[number]), *top])

    def _splice_view(self, document: Document, native: Text) -> bytes:
        """The last view as far as it is still valid, and the rest with its edits."""
        # The last view's first messages are written again as they are: their bytes end where those of the document's
        # end, moved by what their edits made longer or shorter. Only what follows is spliced, with its cuts counted
        # from there. The cuts of earlier messages stay right, since the document's bytes before them are the same.
        sent, size = self._sent, len(document.transcript.messages)
        items = native.at(document.transcript.messages_path) if sent is not None and sent.messages else None
        if sent is None or items is None:
            data = apply_splices(native.data, sorted(cut for some in self._cuts.values() for cut in some))
        elif sent.messages == size and sent.raw is native.data:
            return sent.data
        else:
            raw = items.open().ends[get_element_range(document, sent.messages - 1).stop - 1]
            tail = [cut for number in range(sent.messages, size) for cut in self._cuts.get(number, ())]
            moved = [Splice(cut.start - raw, cut.end - raw, cut.text) for cut in sorted(tail)]
            rest = apply_splices(memoryview(native.data)[raw:], moved)
            data = b"".join((memoryview(sent.data)[: raw + sent.growth], rest))
        self._sent = _Sent(data, native.data, size, len(data) - len(native.data))
        return data


def _open_array(native: Text, path: Path) -> Spans | None:
    """The places of the elements of the array at a path; None if there is no array."""
    items = native.at(path)
    return items.open() if items is not None and items.kind == "[" else None


def _find_common_path(ops: list[Op]) -> Path:
    """The path that all operations share: that of the blocks of their message, whose places are found at once."""
    first, same = ops[0].path, 0
    for steps in zip(*[op.path for op in ops], strict=False):
        if len(set(steps)) > 1:
            break
        same += 1
    return first[:same]


class _Sent(Struct, frozen=True):
    """The last view, and the document that it was made of."""

    data: bytes
    raw: bytes
    messages: int  # the number of its first messages that are unchanged
    growth: int  # bytes that these are longer than in the document


def _measure_growth(cut: Splice) -> int:
    return len(cut.text) - (cut.end - cut.start)
