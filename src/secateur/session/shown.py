"""The view of a history of which ranges stand replaced: what stays, and what stands for the rest.

Rule: what stands in a view stays the same object from request to request, so that others know it by that. Where no
range is replaced there is nothing to do here. Nothing is decided or edited.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import compress
from operator import is_not

from msgspec.structs import replace

from secateur import bounds
from secateur.formats import Format
from secateur.model import Message, MessagePositions, Replace
from secateur.session.projection import build_replacement, get_entry_words, locate_in_view

Messages = tuple[Message, ...]
Located = tuple[int, int, Replace]


class Shown:
    """The view shown last."""

    def __init__(self) -> None:
        self._put: dict[tuple[int, str | None], tuple[Replace, Messages]] = {}  # what stands for a range, by its edit
        self._messages: Messages = ()
        self._index = MessagePositions()

    def build_view(
        self,
        seen: Messages,
        index: MessagePositions,
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
