"""A provider's prompt cache over the requests of one session: what each request reads, and what that costs.

The cache holds prefixes, each known by its last block and its tokens. A request reads the longest prefix that it still
shares and that the provider looks for; the rest it writes. It leaves a prefix at its end and at its marks, and those
behind its first changed block are dropped. Only the prompt's numbers are known, never its content: where it changed is
said by `PromptShape.first`. Lookups that miss by chance, and entries that are lost before their time, are left out.

The simulator has a cache of its own that tells prefixes by content (`simulate.cache`). The law in
`tests/laws/test_regret.py` compares the bills of the two.
"""

from bisect import bisect_left, bisect_right

from msgspec import Struct

from secateur.pricing.tariffs import CachePricing

Prefix = tuple[int, int]  # its last block, from 0; its tokens


class PromptShape(Struct, frozen=True):
    """One request, by numbers."""

    tokens: int
    last: int  # its last block
    since: int  # a prefix that ends with this block or a later one is found without a mark at its end
    first: int | None = None  # the first block that is not what it was in the request before; None: it only grew
    before: int = 0  # tokens before that block
    marks: tuple[Prefix, ...] = ()  # where prefixes are left besides its end, shortest first
    is_cold: bool = False  # whatever was sent before is gone
    answer: tuple[Prefix, ...] = ()  # what the answer before left, where answers leave prefixes


class PromptCache:
    """The prefixes of one session that the provider holds."""

    def __init__(self, pricing: CachePricing) -> None:
        self._pricing = pricing
        self._blocks: list[int] = []  # their last blocks, shortest first
        self._tokens: list[int] = []
        self._sent = 0  # tokens of the last prompt

    def send(self, prompt: PromptShape) -> float:
        """Return the cost of a request, output aside; its prefixes are in the cache from then on."""
        if not prompt.is_cold:
            self._hold(prompt.answer)
        cost = self.price(prompt)
        self._leave(prompt)
        return cost

    def price(self, prompt: PromptShape) -> float:
        """Return what a request would cost, in tokens of plain input, without changing the cache."""
        pricing, size = self._pricing, len(self._blocks)
        read = self.count_read(prompt)
        del self._blocks[size:], self._tokens[size:]
        write = pricing.cache_write if prompt.tokens >= pricing.minimum_tokens else 1.0
        return pricing.cache_read * read + write * (prompt.tokens - read)

    def count_read(self, prompt: PromptShape) -> int:
        """Tokens that a request would find."""
        if prompt.is_cold:
            return 0
        self._hold(prompt.answer)
        found = self._count_common(prompt) if self._pricing.any_prefix else self._count_longest(prompt)
        return found - found % self._pricing.step_tokens if found >= self._pricing.minimum_tokens else 0

    def find_longest(self, block: int) -> Prefix | None:
        """The longest prefix that is held and ends with that block or before it."""
        top = bisect_right(self._blocks, block)
        return (self._blocks[top - 1], self._tokens[top - 1]) if top else None

    def _count_common(self, prompt: PromptShape) -> int:
        """For caches that find any common prefix: as far as the prompt equals the previous one."""
        return self._sent if prompt.first is None else min(self._sent, prompt.before)

    def _count_longest(self, prompt: PromptShape) -> int:
        """The longest prefix that is still part of the prompt, if it ends where the provider looks for one.

        Else the one at system prompt and tools, which every request marks.
        """
        blocks = self._blocks
        top = len(blocks) if prompt.first is None else bisect_left(blocks, prompt.first)
        if not top:
            return 0
        block = blocks[top - 1]
        if block >= prompt.since or any([block == mark for mark, _ in prompt.marks]):
            return self._tokens[top - 1]
        return self._tokens[0] if prompt.marks and prompt.marks[0][0] == blocks[0] else 0

    def _leave(self, prompt: PromptShape) -> None:
        top = len(self._blocks)
        if prompt.is_cold:
            top = 0
        elif prompt.first is not None:
            top = bisect_left(self._blocks, prompt.first)
        del self._blocks[top:], self._tokens[top:]
        self._hold((*prompt.marks, (prompt.last, prompt.tokens)))
        self._sent = prompt.tokens

    def _hold(self, prefixes: tuple[Prefix, ...]) -> None:
        blocks = self._blocks
        for block, tokens in prefixes:
            if tokens < self._pricing.minimum_tokens:
                continue
            if not blocks or block > blocks[-1]:
                blocks.append(block)
                self._tokens.append(tokens)
            elif (at := bisect_left(blocks, block)) == len(blocks) or blocks[at] != block:
                blocks.insert(at, block)
                self._tokens.insert(at, tokens)
