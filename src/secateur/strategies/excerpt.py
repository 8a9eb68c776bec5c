"""At birth: a result too long to be worth its place becomes an exact excerpt before it is ever cached.

Rule: the excerpt depends on the result and on what is before it, never on its age or on what follows, so that a
history read for the first time and one that grew message by message come to the same view. Tails and turns therefore do
not protect here; tools, roles, pins, errors, media and the head do, and what the model read back comes whole. Lines
that name what the task is about stay too: what the user named, and the calls just before. What shows files comes whole.
"""

from collections.abc import Iterator

from msgspec import Struct

from secateur.budget import Budget
from secateur.memoizing import memoize_texts
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.pricing.arithmetic import (
    compute_excerpt_threshold,
    compute_fetch_cost,
    compute_fold_threshold,
    compute_kappa,
)
from secateur.protect import Count, Share
from secateur.strategies.new_results import NewResult, find_new_results
from secateur.strategy import Strategy
from secateur.text.dedupe_lines import fold
from secateur.text.excerpt import LEAST_CHARS, excerpt
from secateur.toolcalls.completed_calls import is_file_access, is_successful_command

# The share of results of which a later call needs what an excerpt left out, in recorded sessions
# (benchmarks/strategies.py). Of commands that succeeded, cut to a part of them: 6 of 46, which leaves up to a quarter
# possible. Of results that show files it is half.
CHANCE = 0.25
FOLDED = 0.15  # where only repetitions were left out, of all that does not show files: 11 of 96
_PATIENT = 0.5  # of kappa: the requests for which the balance schedule waits where as much is behind as goes
_MOST_KAPPA = 100.0
_WINDOW = 200_000  # tokens; longer ones are seldom filled, and half of it is the prompt that a re-fetch meets


class Excerpt(Strategy, frozen=True, kw_only=True, tag="excerpt"):
    """Results longer than `max_chars` characters become head, tail, error lines and exit status of that size."""

    is_partial = True
    leaves = "an exact excerpt remains"

    max_chars: Count = 16_000  # about 4,000 tokens
    by_price: bool = False  # instead: over the size at which an excerpt of half of it is cheaper, re-fetching counted
    all_tools: bool = True  # False: only commands that succeeded; what was looked up, and failures, are worked on next
    max_window_share: Share = 1.0  # of the window: what is longer becomes an excerpt of half of that in any case
    dedupe_lines: bool = False  # repeated lines are removed first, except from results that show files

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        prices = _make_prices(budget)
        for new in find_new_results(transcript, budget, LEAST_CHARS + 1):
            text = self._make_text(_Result(new, prices))
            if len(text) < len(new.part.text):
                yield Rewrite(new.part.key, text, strategy="excerpt")

    def _make_text(self, result: "_Result") -> str:
        """The replacement of the result: itself, itself without repetitions, or an excerpt."""
        folded = self._fold_text(result) if self.dedupe_lines else result.part.text
        room = self._compute_room(result, len(folded))
        return result.cut(room) if 0 < room < len(folded) else folded

    def _fold_text(self, result: "_Result") -> str:
        """The result without its repetitions; unchanged if that is not worth it."""
        whole, tokens = result.part.text, result.tokens
        least = result.prices.compute_least_spared(tokens) if self.by_price else 0.0
        if tokens <= least or (not self.by_price and len(whole) <= self.max_chars):
            return whole
        folded = result.fold_repetitions()
        return folded if tokens * (1 - len(folded) / len(whole)) > least else whole

    def _compute_room(self, result: "_Result", chars: int) -> int:
        """Characters allowed for a result of this length; 0 if it may stay unchanged."""
        if not self.by_price:
            return self.max_chars if chars > self.max_chars and self._is_eligible(result) else 0
        tokens = result.tokens * chars / max(1, len(result.part.text))
        window = result.budget.window
        most = self.max_window_share * window if window > 0 else tokens
        if tokens > most:
            return int(most / 2 * chars / tokens)
        worth = result.prices.worth_cutting
        return int(worth / 2 * chars / tokens) if tokens > worth and self._is_eligible(result) else 0

    def _is_eligible(self, result: "_Result") -> bool:
        return self.all_tools or (result.call is not None and _ran_well(result.call, result.part))


class _Prices(Struct, frozen=True):
    """The cost of fetching a result again besides the result itself, and for how many requests a token is read."""

    w: float
    r: float
    call: float
    stays: float

    @property
    def worth_cutting(self) -> float:
        """Tokens from which on half of a result is cheaper than the whole."""
        return compute_excerpt_threshold(self.w, self.r, chance=CHANCE, call=self.call, stays=self.stays)

    def compute_least_spared(self, tokens: float) -> float:
        """Tokens that folding repetitions must save of a result."""
        return compute_fold_threshold(
            self.w, self.r, chance=FOLDED, again=self.call + self.w * tokens, stays=self.stays
        )


class _Result(Struct, frozen=True):
    """One result, and what its tokens cost."""

    new: NewResult
    prices: _Prices

    @property
    def part(self) -> Part:
        return self.new.part

    @property
    def budget(self) -> Budget:
        return self.new.budget

    @property
    def tokens(self) -> int:
        return self.new.tokens

    @property
    def call(self) -> Part | None:
        return self.new.call

    @property
    def shows_files(self) -> bool:
        call = self.call
        return call is not None and _shows_files(call, self.part)

    def cut(self, room: int) -> str:
        return excerpt(self.part.text, room, self.new.handle, self.new.find_names())

    def fold_repetitions(self) -> str:
        """Without its repetitions."""
        return self.new.remember("folded", self._fold)

    def _fold(self) -> str:
        return self.part.text if self.shows_files else fold(self.part.text, self.new.handle, self._iterate_names())

    def _iterate_names(self) -> Iterator[str]:
        """Names are only collected once the first of them is asked for."""
        yield from self.new.find_names()


def _make_prices(budget: Budget) -> _Prices:
    tariff = budget.pricing
    stays = max(budget.protect.last_results, budget.protect.last_rounds) + _PATIENT * min(
        compute_kappa(tariff.cache_write, tariff.cache_read), _MOST_KAPPA
    )
    prompt = min(max(0, budget.window), _WINDOW) / 2
    return _Prices(
        tariff.cache_write,
        tariff.cache_read,
        compute_fetch_cost(tariff.cache_write, tariff.cache_read, tariff.output, tokens=0, prompt=prompt),
        stays,
    )


_ran_well = memoize_texts(4_096)(is_successful_command)
_shows_files = memoize_texts(4_096)(is_file_access)
