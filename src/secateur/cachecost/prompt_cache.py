"""A provider's prompt cache over the requests of one session: what each of them reads, and what that costs.

Rule: the cache is that of the simulator (`simulate.cache`), for a history that grows and is edited at known places. A
prompt is told by numbers: how many tokens and blocks it has, and where it first differs from the one before. What
lookups miss by chance, and what a cache may lose before its time, is left out.
"""

from bisect import bisect_left, bisect_right

from msgspec import Struct

from secateur.tariff import CachePricing

Prefix = tuple[int, int]  # its last block, from 0; its tokens


class PromptNumbers(Struct, frozen=True):
    """One request. `since` is where a prefix must end at least to be found without a mark at its very end."""

    tokens: int
    last: int  # its last block
    since: int
    first: int | None = None  # the first block that is not what it was in the request before; None: it only grew
    before: int = 0  # tokens that stand before that block
    marks: tuple[Prefix, ...] = ()  # where prefixes are left besides its end, shortest first
    cold: bool = False  # whatever was sent before is gone
    answer: tuple[Prefix, ...] = ()  # what the answer before left, where answers leave prefixes


class PromptCache:
    """The prefixes that are held, of one session."""

    def __init__(self, tariff: CachePricing) -> None:
        self._tariff = tariff
        self._blocks: list[int] = []  # their last blocks, shortest first
        self._tokens: list[int] = []
        self._sent = 0  # tokens of the prompt before

    def send(self, prompt: PromptNumbers) -> float:
        """What a request costs, output aside; what it leaves is held from then on."""
        if not prompt.cold:
            self._hold(prompt.answer)
        cost = self.cost(prompt)
        self._leave(prompt)
        return cost

    def cost(self, prompt: PromptNumbers) -> float:
        """What a request would cost, in tokens of plain input; nothing is left by it."""
        tariff, held = self._tariff, len(self._blocks)
        read = self.read(prompt)
        del self._blocks[held:], self._tokens[held:]
        w = tariff.cache_write if prompt.tokens >= tariff.minimum_tokens else 1.0
        return tariff.cache_read * read + w * (prompt.tokens - read)

    def read(self, prompt: PromptNumbers) -> int:
        """Tokens that a request would find."""
        if prompt.cold:
            return 0
        self._hold(prompt.answer)
        found = self._common(prompt) if self._tariff.any_prefix else self._longest(prompt)
        return found - found % self._tariff.step_tokens if found >= self._tariff.minimum_tokens else 0

    def longest(self, block: int) -> Prefix | None:
        """The longest prefix that is held and ends with that block or before it."""
        top = bisect_right(self._blocks, block)
        return (self._blocks[top - 1], self._tokens[top - 1]) if top else None

    def _common(self, prompt: PromptNumbers) -> int:
        """Where any common prefix counts: as far as the prompt is the one before."""
        return self._sent if prompt.first is None else min(self._sent, prompt.before)

    def _longest(self, prompt: PromptNumbers) -> int:
        """Of the prefixes that are still part of the prompt the longest, if it stands where one is looked for; else the
        one at system prompt and tools, which every request marks."""
        blocks = self._blocks
        top = len(blocks) if prompt.first is None else bisect_left(blocks, prompt.first)
        if not top:
            return 0
        block = blocks[top - 1]
        if block >= prompt.since or any([block == mark for mark, _ in prompt.marks]):
            return self._tokens[top - 1]
        return self._tokens[0] if prompt.marks and prompt.marks[0][0] == blocks[0] else 0

    def _leave(self, prompt: PromptNumbers) -> None:
        top = len(self._blocks)
        if prompt.cold:
            top = 0
        elif prompt.first is not None:
            top = bisect_left(self._blocks, prompt.first)
        del self._blocks[top:], self._tokens[top:]
        self._hold((*prompt.marks, (prompt.last, prompt.tokens)))
        self._sent = prompt.tokens

    def _hold(self, prefixes: tuple[Prefix, ...]) -> None:
        for block, tokens in prefixes:
            if tokens >= self._tariff.minimum_tokens and (not self._blocks or block > self._blocks[-1]):
                self._blocks.append(block)
                self._tokens.append(tokens)
