"""In which messages parts stand, so that an edit of a few parts costs a few messages; and which came as ours.

Rule: numbers are those of the history as it came. What is no longer in it is forgotten. Nothing here reads a view.
"""

from collections.abc import Iterable

from secateur.model import Message
from secateur.own_text import is_own


class Places:
    """The parts of a history that grows, by their keys."""

    def __init__(self) -> None:
        self._size = 0  # messages
        self._found: dict[str, tuple[int, ...]] = {}  # reasoning that says the same in two answers has one key
        self.own: set[str] = set()  # keys of results that came as text of ours
        self.messages: dict[str, int] = {"": 0}  # key of a message -> its number, counted from 1

    def learn(self, messages: tuple[Message, ...], first: int) -> None:
        """Take the messages from the `first` on."""
        found = self._found
        for number in range(first, len(messages)):
            if messages[number].key:
                self.messages[messages[number].key] = number + 1
            for part in messages[number].parts:
                found[part.key] = (*found[part.key], number) if part.key in found else (number,)
                if is_own(part):
                    self.own.add(part.key)
        self._size = len(messages)

    def forget(self, size: int) -> None:
        """Keep the first `size` messages."""
        if size < self._size:
            kept = {key: tuple(one for one in numbers if one < size) for key, numbers in self._found.items()}
            self._found = {key: numbers for key, numbers in kept.items() if numbers}
            self.own &= self._found.keys()
            self.messages = {key: number for key, number in self.messages.items() if number <= size}
            self._size = size

    def __contains__(self, key: object) -> bool:
        """Whether a message or a part of the history has this key."""
        return key in self.messages or key in self._found

    def of(self, keys: Iterable[str]) -> list[int]:
        """The messages that hold these parts, in order, each once; keys of other histories name none."""
        found = self._found
        return sorted({number for key in keys for number in found.get(key, ())})
