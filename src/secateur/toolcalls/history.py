"""The completed tool calls of a growing history, analyzed incrementally: each request pays only for new messages.

Rule: the result depends on the history alone. A history that has grown is recognized by its messages' keys, since each
key covers everything before it. A few histories are kept with the index that the views of a session share. Nothing is
decided here.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter

from secateur.model import Message, MessagePositions, Part
from secateur.toolcalls.completed_calls import CompletedCall, build_completed_call
from secateur.toolcalls.staleness import Repeats, StalenessIndex

_KEPT = 8  # histories


class ToolHistory:
    """Calls with their results, oldest result first, and which of the results are stale."""

    def __init__(self) -> None:
        self.completed_calls: list[CompletedCall] = []
        self.keys: list[str] = []
        self.where: dict[str, tuple[int, int]] = {}  # key of a call or result -> its message, and its characters
        self.last: Sequence[Message] = ()  # the history as it was last read
        self.index: MessagePositions | None = None  # shared by the views of this history
        self._called: list[tuple[int, str, int]] = []  # message, key and characters of each call
        self._calls: dict[str, list[Part]] = {}  # those without a result, by their ids
        self._long: dict[int, tuple[int, dict[str, int]]] = {}  # calls longer than that, of so many calls
        self._staleness: dict[tuple[int, int], StalenessIndex] = {}
        self._repeats = Repeats()
        self._covered: list[tuple[int, ...]] = []  # which reads each read covers, whatever is in use

    def grow(self, messages: Sequence[Message], raw: Mapping[str, Part]) -> None:
        """Add the messages that are new."""
        for number in range(len(self.keys), len(messages)):
            if number and messages[number].role == "assistant" != messages[number - 1].role:
                self._calls.pop("", None)  # without an id, a call is answered in its round or never
            for part in messages[number].parts:
                part = raw.get(part.key, part)
                if part.kind in _PAIRED:
                    self.where[part.key] = number, len(part.text)
                if part.kind == "tool_call":
                    self._called.append((number, part.key, len(part.text)))
                    self._calls.setdefault(part.call_id, []).append(part)
                elif part.kind == "tool_result" and self._calls.get(part.call_id):
                    # ids repeat: the newest call of an id is meant; where ids are empty, the oldest
                    call = self._calls[part.call_id].pop(-1 if part.call_id else 0)
                    if not self._calls[part.call_id]:
                        del self._calls[part.call_id]
                    self.completed_calls.append(build_completed_call(number, call, part))
            self.keys.append(messages[number].key)
        self.last = messages

    def find_long_calls(self, longer: int) -> Mapping[str, int]:
        """Return the calls with more than `longer` characters of arguments, oldest first: key and message."""
        taken, found = self._long.get(longer, (0, {}))
        found.update({key: number for number, key, size in self._called[taken:] if size > longer})
        self._long[longer] = len(self._called), found
        return found

    def get_repeats(self) -> Repeats:
        """Return which calls were repeated or retried."""
        self._repeats.take(self.completed_calls)
        return self._repeats

    def get_staleness(self, files: int, longest: int = 0) -> StalenessIndex:
        """Return which results are stale if this many files count as in use at a time.

        Reads of more than `longest` characters do not count as in use; 0: all do.
        """
        found = self._staleness.get((files, longest))
        if found is None:
            found = StalenessIndex(files, self._covered, self._repeats, longest)
            self._staleness[files, longest] = found
        found.take(self.completed_calls)
        return found


def get_history(
    messages: Sequence[Message], raw: Mapping[str, Part] | None = None, index: MessagePositions | None = None
) -> ToolHistory:
    """Return the completed calls of a history; `raw` has the original parts that a view shows differently.

    Views of one history share their `index`: if one of them was analyzed last, the index identifies it.
    """
    kept: list[ToolHistory] = index.derived.histories if index is not None and index.derived is not None else []
    if kept and index is not None and kept[-1].index is index and len(kept[-1].keys) == len(messages):
        kept[-1].last = messages
        return kept[-1]
    found = next((one for one in reversed(kept) if _has_prefix(messages, one)), None)
    if found is None:
        found = ToolHistory()
    else:
        kept.remove(found)
    found.grow(messages, raw or {})
    found.index = index
    if found.keys and all(found.keys):
        kept.append(found)
        del kept[:-_KEPT]
    return found


_key = attrgetter("key")
_PAIRED = ("tool_call", "tool_result")


def _has_prefix(messages: Sequence[Message], known: ToolHistory) -> bool:
    """Return whether a history continues a known one."""
    if messages is known.last:
        return True
    size = len(known.keys)
    if size > len(messages) or messages[size - 1].key != known.keys[-1]:
        return False
    return list(map(_key, messages[:size])) == known.keys
