"""Clear inputs: long strings in the arguments of old calls are shortened.

Rule: the arguments stay valid JSON of the same schema: same names, same types, and every character outside the
shortened strings as it was. Only calls that were answered, before the boundary and never in the turn that is still
running (API rule A51), since the model may continue from them. Arguments that are not JSON stay.
"""

import json
import re
from collections.abc import Iterator

import msgspec

from secateur.bounds import find_boundary, find_turn_start, get_index
from secateur.budget import Budget
from secateur.memoizing import memoize_texts
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.protect import Count, is_protected_tool
from secateur.strategy import Strategy
from secateur.text.placeholder import count_kept, shorten_string
from secateur.toolcalls.history import get_history

_STRING = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")', re.DOTALL)
_ANSWER = ("assistant", "tool")


class ClearInputs(Strategy, frozen=True, kw_only=True, tag="clear_inputs"):
    """String values longer than `max_chars` keep their first `head_chars` characters and a note of their size."""

    edits = frozenset({"tool_call"})
    leaves = "the start of long arguments remains"

    max_chars: Count = 500
    head_chars: Count = 200

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        inside = find_boundary(transcript, budget.protect)
        turns = get_index(transcript).user_turns
        stop = min(inside.stop, turns[-1], find_turn_start(transcript)) if turns else 0
        for number in self._find_messages(transcript, budget, range(inside.start, stop)):
            calls = [part for part in transcript.messages[number].parts if self._is_long(part, budget)]
            answered = _list_answered(transcript, number) if calls else frozenset()
            for part in calls:
                text = _shorten_cached(self, part.text)
                if part.call_id in answered and len(text) < len(part.text):
                    yield Rewrite(part.key, text, strategy="clear_inputs")

    def shorten(self, arguments: str) -> str:
        """The arguments with their long strings cut; unchanged if they are not JSON."""
        if not _is_json(arguments):
            return arguments
        pieces = _STRING.split(arguments)  # every second one is a string
        for place in range(1, len(pieces), 2):
            if len(pieces[place]) - 2 > self.max_chars and not pieces[place + 1].lstrip().startswith(":"):
                pieces[place] = self._cut(pieces[place])
        return "".join(pieces)

    def _find_messages(self, transcript: Transcript, budget: Budget, inside: range) -> list[int]:
        """The messages in this range that hold a long, unedited call."""
        calls = get_history(transcript.messages, budget.originals, transcript.index).find_long_calls(self.max_chars)
        numbers = {calls[key] for key in calls.keys() - budget.edited_by.keys()}
        return [number for number in sorted(numbers) if number in inside]

    def _is_long(self, part: Part, budget: Budget) -> bool:
        """Whether this is a call that may be shortened once it has a result."""
        if part.kind != "tool_call" or len(part.text) <= self.max_chars or part.key in budget.edited_by:
            return False
        protect = budget.protect
        return not (
            part.pinned or part.prefix_bound or part.key in protect.part_keys or is_protected_tool(protect, part.tool)
        )

    def _is_cut(self, said: str) -> bool:
        """Whether it was shortened before: no more precedes the note than is kept of a string here."""
        kept = count_kept(said)
        return kept is not None and kept <= max(self.max_chars, self.head_chars)

    def _cut(self, token: str) -> str:
        """A long string of the JSON, shortened; escapes stay escapes."""
        said = json.loads(token)
        if self._is_cut(said):
            return token
        short = shorten_string(said, self.head_chars)
        cut = json.dumps(short, ensure_ascii="\\u" in token)
        return cut if len(cut) < len(token) else token


_scan = msgspec.json.Decoder(msgspec.Raw).decode


def _is_json(text: str) -> bool:
    try:
        _scan(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        try:
            json.loads(text)  # lone surrogates, NaN
        except (ValueError, RecursionError):
            return False
    return True


def _list_answered(transcript: Transcript, number: int) -> frozenset[str]:
    """Ids of this round's calls with a result: up to the next user message or answer to results."""
    messages = transcript.messages
    behind = range(number + 1, len(messages))
    ends = (n for n in behind if messages[n].role == "user" or (messages[n].role, messages[n - 1].role) == _ANSWER)
    round_ = messages[number + 1 : next(ends, len(messages)) + 1]
    return frozenset(part.call_id for message in round_ for part in message.parts if part.kind == "tool_result")


@memoize_texts(1_024)
def _shorten_cached(strategy: ClearInputs, arguments: str) -> str:
    return strategy.shorten(arguments)
