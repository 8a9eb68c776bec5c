"""A plan laid over a history: the transcript as the model reads it, and the same edits in the document's coordinates.

Rule: a view is a pure function of history and plan. Messages without an edit are the very same objects. Nothing here
decides what to edit.
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from secateur.errors import EditError
from secateur.formats import Format
from secateur.jsontext.inside import inside
from secateur.lineage import hash_text
from secateur.model import Message, NewMessage, Part, Path, Remove, Replace, Rewrite
from secateur.patch import Op
from secateur.plan import FoldedPlan

Count = Callable[[str], int]


def seen(message: Message, fold: FoldedPlan, count: Count) -> Message:
    """One message as the model reads it."""
    parts = fold.parts
    for part in message.parts:
        if part.key in parts:
            return _edited(message, fold, count)
    return message


def _edited(message: Message, fold: FoldedPlan, count: Count) -> Message:
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


def tokens_of(message: Message) -> int:
    """The tokens of a message's parts."""
    return sum([part.tokens for part in message.parts])


def entry_words(format: Format | None, ranges: Iterable[tuple[int, int, Replace]], edit: Replace) -> str | None:
    """What a host's own compaction entry says beside the summary, if it is this edit that the entry stands for.

    None for the other edits, and where what stands behind a summary is not in one text with it.
    """
    if format is None or format.entry_words is None:
        return None
    edits = (one for _, _, one in ranges if any(item.origin == "summary" for item in one.messages))
    return format.entry_words if next(edits, None) is edit else None


def weighed(edit: Replace, count: Count, words: str | None = None) -> list[int]:
    """Tokens of what stands in place of a range, item by item; with `words`, as a host's entry holds it."""
    sizes = [count(item.text) for item in edit.messages]
    if words is None:
        return sizes
    first = next(n for n, item in enumerate(edit.messages) if item.origin == "summary")
    end = next((n for n in range(first + 1, len(sizes)) if "carried" not in edit.messages[n].meta), len(sizes))
    whole = count(words) + count("\n\n".join(item.text for item in edit.messages[first:end]))
    return [*sizes[:first], whole, *[0] * (end - first - 1), *sizes[end:]]


def weigher(
    format: Format | None, ranges: Iterable[tuple[int, int, Replace]], count: Count
) -> Callable[[Replace], int]:
    """Tokens of what stands in place of a range, as the document holds it."""
    known = tuple(ranges)
    return lambda edit: sum(weighed(edit, count, entry_words(format, known, edit)))


def inserted(edit: Replace, count: Count, words: str | None = None) -> tuple[Message, ...]:
    """The messages that stand in place of a range."""
    made = []
    for number, (new, tokens) in enumerate(zip(edit.messages, weighed(edit, count, words), strict=True)):
        key = hash_text(f"{edit.after}\0{edit.through}\0{number}\0{new.role}\0{new.text}")
        part = Part("text", (), new.text, tokens=tokens, key=key, local=key, pinned=True)
        made.append(Message(new.role, (), (part,), new.origin, key=key))
    return tuple(made)


def all_seen(
    messages: tuple[Message, ...], fold: FoldedPlan, ranges: list[tuple[int, int, Replace]], count: Count
) -> tuple[Message, ...]:
    """All messages as the model reads them; replaced ranges give way to what stands for them."""
    made: list[Message] = []
    here = 0
    for i, j, edit in ranges:
        made += (seen(message, fold, count) for message in messages[here:i])
        made += inserted(edit, count)
        here = max(here, j)
    made += (seen(message, fold, count) for message in messages[here:])
    return tuple(made)


def placed(ranges: Iterable[tuple[int, int, Replace]], number: int) -> int:
    """Where message `number` of the history stands in the view: one that gave way, where its stand-in begins."""
    shift = 0
    for i, j, edit in ranges:
        if number < j:
            return min(number, i) + shift
        shift += len(edit.messages) - (j - i)
    return number + shift


def lowered(message: Message, fold: FoldedPlan, format: Format, stamp: bool) -> list[Op]:
    """The edits of one message as operations on its document. Raises EditError where one names a pinned part."""
    found: list[Op] = []
    parts = fold.parts
    gone = ""  # as in `seen`
    whole: Path = ()  # where the result stands that was edited last
    for part in message.parts:
        key = part.key
        if part.container_key and part.container_key == gone:
            found += _beside(part, whole)
            continue
        if key not in parts:
            continue
        edit, at = parts[key]
        if isinstance(edit, Remove):
            found.append(_without(part))
            continue
        if part.pinned:
            raise EditError(f"an edit by {edit.strategy or 'the caller'} names a part that may not change: {part.path}")
        if part.kind == "tool_result":
            gone, whole = key, part.path
        body = format.replacement_body(part, edit.text)
        found.append(Op(part.path, inside(part.text, edit.text, body) if part.kind == "tool_call" else body))
        if stamp and part.cleared_at_path:
            found.append(Op(part.cleared_at_path, at))
    return found


def emptied(message: Message, fold: FoldedPlan) -> bool:
    """Whether every part of an edited message is removed, so that the message goes with them."""
    for part in message.parts:
        edit = fold.parts.get(part.key)
        if edit is None or not isinstance(edit[0], Remove):
            return False
    return True


def top_ops(
    at: Path, ranges: Iterable[tuple[int, int, Replace]], gone: Iterable[tuple[int, int]], format: Format
) -> list[Op]:
    """Operations on the array of messages itself: replaced ranges, and messages of which nothing is left.

    All are ranges of the array's elements.
    """
    found = [Op(at, [format.new_message(_plain(new)) for new in edit.messages], (i, j)) for i, j, edit in ranges]
    inside = [range(i, j) for i, j, _ in ranges]
    return found + [Op(at, [], (i, j)) for i, j in gone if not any(i in one for one in inside)]


def _beside(medium: Part, whole: Path) -> list[Op]:
    """What takes out a medium that stands beside the text of its result, at `whole`, and goes with it."""
    return [] if medium.path[: len(whole)] == whole else [_without(medium)]


def _without(part: Part) -> Op:
    """Take a part out of the array that holds it; what stands under a name of its own is left empty."""
    last = part.path[-1]
    if isinstance(last, int):
        return Op(part.path[:-1], [], (last, last + 1))
    return Op(part.path, "")


def _plain(new: NewMessage) -> NewMessage:
    """Metadata never goes to a provider (SEEDS 4.6)."""
    return NewMessage(new.role, new.text, new.origin)
