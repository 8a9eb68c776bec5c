"""A plan applied to messages: the transcript that the model reads, with ranges replaced, and the same edits as patches.

Rule: a view is a pure function of history and plan. A message without an edit is the same object in every view, and so
is the replacement of a range. Nothing here decides what to edit.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from operator import is_not

from msgspec.structs import replace

from secateur import bounds
from secateur.errors import EditError
from secateur.formats import Format
from secateur.jsontext.inside import compare_texts
from secateur.lineage import hash_text
from secateur.model import Message, MessagePositions, NewMessage, Part, Path, Remove, Replace, Rewrite
from secateur.patch import Op
from secateur.plan import FoldedPlan

Count = Callable[[str], int]


def project_message(message: Message, fold: FoldedPlan, count: Count) -> Message:
    """Project one message to what the model reads."""
    parts = fold.parts
    for part in message.parts:
        if part.key in parts:
            return _apply_edits(message, fold, count)
    return message


def _apply_edits(message: Message, fold: FoldedPlan, count: Count) -> Message:
    parts = fold.parts
    kept = []
    gone = ""  # the result that was edited last: media inside went with it
    for part in message.parts:
        key = part.key
        if part.container_key and part.container_key == gone:
            continue
        if key not in parts:
            kept.append(part)
            continue
        edit = parts[key][0]
        if part.kind == "tool_result":
            gone = key
        if isinstance(edit, Rewrite):
            sent = part.cleared if fold.stamps and part.cleared else edit.text
            kept.append(replace(part, text=edit.text, tokens=count(sent), fingerprint=""))
    return replace(message, parts=tuple(kept))


def sum_tokens(message: Message) -> int:
    """The tokens of a message's parts."""
    return sum([part.tokens for part in message.parts])


def get_entry_words(format: Format | None, ranges: Iterable[tuple[int, int, Replace]], edit: Replace) -> str | None:
    """Extra text of a host's own compaction entry, if the entry represents this edit.

    None for the other edits, and where what is behind a summary is not in one text with it.
    """
    if format is None or format.entry_words is None:
        return None
    edits = (one for _, _, one in ranges if any(item.origin == "summary" for item in one.messages))
    return format.entry_words if next(edits, None) is edit else None


def weigh_items(edit: Replace, count: Count, words: str | None = None) -> list[int]:
    """Tokens of a range's replacement, item by item; with `words`, as stored in a host's entry."""
    sizes = [count(item.text) for item in edit.messages]
    if words is None:
        return sizes
    first = next(n for n, item in enumerate(edit.messages) if item.origin == "summary")
    end = next((n for n in range(first + 1, len(sizes)) if "carried" not in edit.messages[n].meta), len(sizes))
    whole = count(words) + count("\n\n".join(item.text for item in edit.messages[first:end]))
    return [*sizes[:first], whole, *[0] * (end - first - 1), *sizes[end:]]


def make_weigher(
    format: Format | None, ranges: Iterable[tuple[int, int, Replace]], count: Count
) -> Callable[[Replace], int]:
    """Make a function that counts a range's replacement as stored in the document."""
    known = tuple(ranges)
    return lambda edit: sum(weigh_items(edit, count, get_entry_words(format, known, edit)))


def build_replacement(edit: Replace, count: Count, words: str | None = None) -> tuple[Message, ...]:
    """Build the messages that replace a range."""
    made = []
    for number, (new, tokens) in enumerate(zip(edit.messages, weigh_items(edit, count, words), strict=True)):
        key = hash_text(f"{edit.after}\0{edit.through}\0{number}\0{new.role}\0{new.text}")
        part = Part("text", (), new.text, tokens=tokens, key=key, local=key, pinned=True)
        made.append(Message(new.role, (), (part,), new.origin, key=key))
    return tuple(made)


def project_messages(
    messages: tuple[Message, ...], fold: FoldedPlan, ranges: list[tuple[int, int, Replace]], count: Count
) -> tuple[Message, ...]:
    """Project all messages to what the model reads, with ranges replaced."""
    made: list[Message] = []
    here = 0
    for i, j, edit in ranges:
        made += (project_message(message, fold, count) for message in messages[here:i])
        made += build_replacement(edit, count)
        here = max(here, j)
    made += (project_message(message, fold, count) for message in messages[here:])
    return tuple(made)


def locate_in_view(ranges: Iterable[tuple[int, int, Replace]], number: int) -> int:
    """The view's position of message `number` of the history; for a replaced one, its replacement's start."""
    shift = 0
    for i, j, edit in ranges:
        if number < j:
            return min(number, i) + shift
        shift += len(edit.messages) - (j - i)
    return number + shift


def compile_ops(message: Message, fold: FoldedPlan, format: Format, stamp: bool) -> list[Op]:
    """Compile the edits of one message into document operations. EditError if one names a pinned part."""
    found: list[Op] = []
    parts = fold.parts
    gone = ""  # as in `seen`
    whole: Path = ()  # the place of the result that was edited last
    for part in message.parts:
        key = part.key
        if part.container_key and part.container_key == gone:
            found += _remove_beside(part, whole)
            continue
        if key not in parts:
            continue
        edit, at = parts[key]
        if isinstance(edit, Remove):
            found.append(_without(part))
            continue
        if part.pinned:
            raise EditError(
                f"an edit by {edit.strategy or 'the caller'} addresses a part that cannot be edited: {part.path}"
            )
        if part.kind == "tool_result":
            gone, whole = key, part.path
        body = format.replacement_body(part, edit.text)
        found.append(Op(part.path, compare_texts(part.text, edit.text, body) if part.kind == "tool_call" else body))
        if stamp and part.cleared_at_path:
            found.append(Op(part.cleared_at_path, at))
    return found


def is_emptied(message: Message, fold: FoldedPlan) -> bool:
    """Whether every part of an edited message is removed, and the message with them."""
    for part in message.parts:
        edit = fold.parts.get(part.key)
        if edit is None or not isinstance(edit[0], Remove):
            return False
    return True


def build_top_ops(
    at: Path, ranges: Iterable[tuple[int, int, Replace]], gone: Iterable[tuple[int, int]], format: Format
) -> list[Op]:
    """Operations on the array of messages itself: replaced ranges and emptied messages.

    All are ranges of the array's elements.
    """
    found = [
        Op(at, [format.new_message(_strip_metadata(new)) for new in edit.messages], (i, j)) for i, j, edit in ranges
    ]
    inside = [range(i, j) for i, j, _ in ranges]
    return found + [Op(at, [], (i, j)) for i, j in gone if not any(i in one for one in inside)]


def _remove_beside(medium: Part, whole: Path) -> list[Op]:
    """Remove a medium stored next to the text of its result, at `whole`, along with the result."""
    return [] if medium.path[: len(whole)] == whole else [_without(medium)]


def _without(part: Part) -> Op:
    """Remove a part from its array; a value under a name of its own is left empty."""
    last = part.path[-1]
    if isinstance(last, int):
        return Op(part.path[:-1], [], (last, last + 1))
    return Op(part.path, "")


def _strip_metadata(new: NewMessage) -> NewMessage:
    """Strip metadata, which never goes to a provider (SEEDS 4.6)."""
    return NewMessage(new.role, new.text, new.origin)


Messages = tuple[Message, ...]
Located = tuple[int, int, Replace]


class Shown:
    """The view shown last."""

    def __init__(self) -> None:
        self._put: dict[
            tuple[int, str | None], tuple[Replace, Messages]
        ] = {}  # the replacement of a range, by its edit
        self._messages: Messages = ()
        self._index = MessagePositions()

    def build_view(
        self,
        seen: Messages,
        index: MessagePositions | None,
        ranges: Sequence[Located],
        format: Format | None,
        count: Callable[[str], int],
    ) -> tuple[Messages, MessagePositions]:
        """The messages of the view and their index. `seen` are the projected messages of the history."""
        made: list[Message] = []
        here = 0
        for i, j, edit in ranges:
            made += seen[here:i]
            words = get_entry_words(format, ranges, edit)
            if (id(edit), words) not in self._put:
                self._put[id(edit), words] = edit, build_replacement(edit, count, words)
            made += self._put[id(edit), words][1]
            here = max(here, j)
        made += seen[here:]
        messages, before = tuple(made), self._messages
        size = min(len(before), len(messages))
        same = next(compress(range(size), map(is_not, before, messages)), size)
        self._index = bounds.extend_index(messages, bounds.truncate_index(self._index, same), same)
        self._messages = messages
        if index is None:
            return messages, self._index
        may = None if index.prunable is None else tuple(locate_shown(ranges, index.prunable))
        return messages, replace(
            self._index,
            first_prunable=locate_in_view(ranges, index.first_prunable),
            prunable=may,
            derived=index.derived,
        )


def locate_shown(ranges: Sequence[Located], numbers: Sequence[int]) -> list[int]:
    """Positions in the view of those of these messages, given in order, that it shows."""
    found: list[int] = []
    here = shift = 0
    for i, j, edit in ranges:
        found += [one + shift for one in numbers[bisect_left(numbers, here) : bisect_left(numbers, i)]]
        here, shift = max(here, j), shift + len(edit.messages) - (j - i)
    return found + [one + shift for one in numbers[bisect_left(numbers, here) :]]
