"""What each request's context is made of, kind by kind: the layers of the picture.

Rule: every token of a view is in exactly one layer. What an edit left of a part is a layer of its own.
"""

from collections.abc import Sequence

from secateur.model import Message, Part
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run

LEFT = "what edits left"
LAYERS = (
    "system prompt and tools",
    "user",
    "host and summaries",
    "assistant",
    "reasoning",
    "tool calls",
    "media",
    LEFT,
    "tool results",
)
_KINDS = {"reasoning": "reasoning", "tool_call": "tool calls", "tool_result": "tool results", "media": "media"}
Layer = list[int]  # tokens, in the order of LAYERS


def measure_layers(recording: Recording, run: Run) -> list[Layer]:
    """By request: tokens of each layer in the sent view."""
    stack = _Stack(recording)
    return [stack.measure_view(turn.request.segment, turn.seen, turn.fixed_tokens) for turn in run.turns]


class _Stack:
    """Sums over messages; views that begin alike are counted once."""

    def __init__(self, recording: Recording) -> None:
        self._came = [{p.key: p.text for one in segment.messages for p in one.parts} for segment in recording.segments]
        self._own = [set(map(id, segment.messages)) for segment in recording.segments]
        self._messages: Sequence[Message] = ()
        self._sums: list[Layer] = [[0] * len(LAYERS)]

    def measure_view(self, segment: int, seen: Sequence[Message], fixed: int) -> Layer:
        pairs = zip(self._messages, seen, strict=False)
        short = min(len(self._messages), len(seen))
        keep = next((at for at, (old, new) in enumerate(pairs) if old is not new), short)
        del self._sums[keep + 1 :]
        for message in seen[keep:]:
            self._sums.append(self._with(self._sums[-1], segment, message))
        self._messages = seen
        whole = list(self._sums[-1])
        whole[0] += fixed
        return whole

    def _with(self, below: Layer, segment: int, message: Message) -> Layer:
        whole = list(below)
        whole_message = id(message) in self._own[segment]
        for part in message.parts:
            edited = not whole_message and self._came[segment].get(part.key, part.text) != part.text
            whole[LAYERS.index(LEFT if edited else _classify_part(message, part))] += part.tokens
        return whole


def _classify_part(message: Message, part: Part) -> str:
    if part.kind in _KINDS:
        return _KINDS[part.kind]
    if message.role == "system":
        return LAYERS[0]
    if message.role == "assistant":
        return "assistant"
    return "user" if message.origin == "user" else "host and summaries"
