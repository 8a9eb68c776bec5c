"""What a policy's views hold of a history, told from the messages it would have sent.

Rule: an edited part keeps its key and has another text; what a view lacks is gone; what is not of the history was
added. A text that names the handle of what stood there says where to read it back. Between epochs a view only grows,
and so what was told of the last one holds.
"""

from collections.abc import Iterable, Sequence

from secateur.lineage import handle_of
from secateur.model import Message
from secateur.simulate.recall.outcomes import ViewState


def compare_views(views: Iterable[tuple[Sequence[Message], Sequence[Message]]]) -> list[ViewState]:
    """A `Held` for each pair of a request's history and the view sent in its place."""
    found: list[ViewState] = []
    last: tuple[Sequence[Message], Sequence[Message]] = ((), ())
    for history, seen in views:
        if found and _is_continued(last, (history, seen)):
            found.append(found[-1])
        else:
            found.append(_compare_view(history, seen))
        last = (history, seen)
    return found


def _is_continued(
    last: tuple[Sequence[Message], Sequence[Message]], now: tuple[Sequence[Message], Sequence[Message]]
) -> bool:
    """Whether both grew by the same messages and nothing else."""
    grew = [len(new) - len(old) for old, new in zip(last, now, strict=True)]
    if grew[0] != grew[1] or grew[0] < 0:
        return False
    tails = [new[len(old) :] for old, new in zip(last, now, strict=True)]
    return _is_same_prefix(*tails) and all(_is_same_prefix(old, new) for old, new in zip(last, now, strict=True))


def _is_same_prefix(some: Sequence[Message], others: Sequence[Message]) -> bool:
    """Whether the shorter one is a prefix of the longer, object by object."""
    return all(one is other for one, other in zip(some, others, strict=False))


def _compare_view(history: Sequence[Message], seen: Sequence[Message]) -> ViewState:
    kept = set(map(id, seen))
    was = {part.key: part.text for message in history if id(message) not in kept for part in message.parts}
    known = set(map(id, history))
    now = {part.key: part.text for message in seen if id(message) not in known for part in message.parts}
    changed = {key: now.get(key, "") for key, text in was.items() if now.get(key) != text}
    added = tuple(text for key, text in now.items() if key not in was and text)
    handles = frozenset(key for key, text in changed.items() if text and handle_of(was[key]) in text)
    return ViewState(changed, added, handles)
