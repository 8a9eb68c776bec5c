"""A view as a prompt cache sees it: blocks in order, each named by all that stands before it.

Rule: two prompts share a prefix exactly as far as their chains are equal. The blocks of messages that stood in the last
prompt are not looked at again, so a session costs what is new and what was edited. Nothing here knows prices or rules.
"""

from msgspec import Struct

from secateur.model import Message, Part


class ReplayedPrompt(Struct, frozen=True):
    """One request. All lists go by block and are the builder's own: they hold until the next prompt is made."""

    chain: list[int]  # a name for the prefix that ends with this block
    ends: list[int]  # tokens of that prefix
    stops: list[int]  # by message: its last block (-1: none, and no fixed block)
    spoken: list[bool]  # by message: whether the model said it
    fixed: int  # blocks before the messages: 1 for system prompt and tools, else 0
    same: int  # leading blocks that stood in the last prompt
    before: int  # blocks of the last prompt

    @property
    def tokens(self) -> int:
        """All that is sent."""
        return self.ends[-1] if self.ends else 0


class Prompts:
    """Makes prompts of one session, request by request."""

    def __init__(self, fixed_tokens: int = 0, *, strips_reasoning: bool = False) -> None:
        """`strips_reasoning`: the provider drops reasoning from before the newest user turn out of the prompt."""
        self._fixed = fixed_tokens
        self._strips = strips_reasoning
        self._head: tuple[str, int, int] | None = None
        self._messages: tuple[Message, ...] = ()
        self._turn = 0  # the message at which the newest user turn begins: reasoning before it may be stripped
        self._chain: list[int] = []
        self._ends: list[int] = []
        self._stops: list[int] = []
        self._spoken: list[bool] = []
        self._seed = 0

    def build_prompt(self, messages: tuple[Message, ...], *, model: str = "", state: int = 0) -> ReplayedPrompt:
        """The prompt of a view. Another `model` shares no prefix, another `state` only system prompt and tools."""
        head = (model, self._fixed, state)
        before = len(self._chain)
        keep = _count_common(self._messages, messages) if head == self._head else 0
        turn = _turn(messages) if self._strips else 0
        if turn != self._turn:
            keep = min(keep, self._turn, turn)
        blocks = self._truncate_blocks(keep) if head == self._head else self._begin(head)
        self._messages, self._turn, self._head = messages[:keep], turn, head
        self._grow(messages, keep)
        self._messages = messages
        fixed = 1 if self._fixed else 0
        return ReplayedPrompt(self._chain, self._ends, self._stops, self._spoken, fixed, min(blocks, before), before)

    def _begin(self, head: tuple[str, int, int]) -> int:
        """Start anew; how many leading blocks stay what they were."""
        model, fixed, state = head
        stays = bool(fixed and self._head and self._head[:2] == head[:2])
        self._chain = [hash((model, "fixed"))] if fixed else []
        self._ends = [fixed] if fixed else []
        self._stops, self._spoken = [], []
        self._seed = hash((model, state))
        return int(stays)

    def _truncate_blocks(self, keep: int) -> int:
        """Drop all blocks after the first `keep` messages; return how many remain."""
        blocks = self._stops[keep - 1] + 1 if keep else int(bool(self._fixed))
        for by_block in (self._chain, self._ends):
            del by_block[blocks:]
        for by_message in (self._stops, self._spoken):
            del by_message[keep:]
        return blocks

    def _grow(self, messages: tuple[Message, ...], first: int) -> None:
        for number in range(first, len(messages)):
            message = messages[number]
            gone = self._strips and number < self._turn
            for part in message.parts:
                if not (gone and part.kind == "reasoning"):
                    self._add(part)
            self._stops.append(len(self._chain) - 1)
            self._spoken.append(message.role == "assistant")

    def _add(self, part: Part) -> None:
        """One more block; a medium inside a result is none of its own but makes that block another."""
        chain, ends = self._chain, self._ends
        tokens = part.tokens + (ends[-1] if ends else 0)
        first = len(chain) == bool(self._fixed)
        link = hash((self._seed if first else chain[-1], part.key, part.text))  # an edited part keeps its key
        if part.container_key and not first:
            chain[-1], ends[-1] = link, tokens
        else:
            chain.append(link)
            ends.append(tokens)


def _count_common(old: tuple[Message, ...], new: tuple[Message, ...]) -> int:
    """How many leading messages are the same objects, by bisection."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if all(map(_is, old[low:middle], new[low:middle])):
            low = middle
        else:
            high = middle - 1
    return low


def _is(one: Message, other: Message) -> bool:
    return one is other


def _turn(messages: tuple[Message, ...]) -> int:
    for number in range(len(messages) - 1, -1, -1):
        if messages[number].role == "user" and messages[number].origin == "user":
            return number
    return 0
