"""At birth: a result too long to be worth its place becomes an exact excerpt before it is ever cached.

Rule: the excerpt depends on the result and on what stands before it, never on its age or on what follows, so that a
history read for the first time and one that grew message by message come to the same view. Tails and turns therefore do
not protect here; tools, roles, pins, errors, media and the head do, and what the model read back comes whole. Lines
that name what the task is about stay too: what the user named, and the calls just before.
"""

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.acts.about import named
from secateur.acts.history import ran_well
from secateur.bounds import boundary, call_of, eligible, index_of
from secateur.budget import Budget, handle_for
from secateur.excerpt import excerpt
from secateur.model import Edit, Part, Rewrite, Transcript
from secateur.pricing.arithmetic import fetching, kappa, worth_excerpting
from secateur.protect import Count, Share
from secateur.recalling import is_recalled

# Of results of commands that went well, over 1,000 tokens, the share of which a later call quotes what an excerpt left
# out: one or two of twenty in recorded sessions (benchmarks/strategies.py), which leaves up to a quarter possible. Of
# results that show files it is more than half.
CHANCE = 0.25
_PATIENT = 0.5  # of kappa: the requests for which the balance schedule waits where as much stands behind as goes
_MOST_KAPPA = 100.0
_WINDOW = 200_000  # tokens; longer ones are seldom filled, and half of it is the prompt that a re-fetch meets


class Excerpt(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="excerpt", tag_field="do"
):
    """Results longer than `max_chars` characters become head, tail, error lines and exit status of that size."""

    max_chars: Count = 16_000  # about 4,000 tokens
    by_price: bool = False  # instead: over the size at which an excerpt of half of it is cheaper, re-fetching counted
    all_tools: bool = True  # False: only commands that went well; what was looked up, and failures, are worked on next
    most_share: Share = 1.0  # of the window: what is longer becomes an excerpt of half of that in any case

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        first = max(index_of(transcript).spent, boundary(transcript, budget.protect).start)
        worth = self._worth(budget) if self.by_price else 0.0
        for number in range(first, len(transcript.messages)):
            for part in transcript.messages[number].parts:
                if part.kind != "tool_result" or part.key in budget.edited:
                    continue
                room = self._room(transcript, number, part, budget, worth)
                if not 0 < room < len(part.text) or is_recalled(part):
                    continue
                if eligible(transcript, number, part, budget.protect):
                    text = excerpt(part.text, room, handle_for(budget, part), named(transcript.messages, number, part))
                    if len(text) < len(part.text):
                        yield Rewrite(part.key, text, by="excerpt")

    def _room(self, transcript: Transcript, number: int, part: Part, budget: Budget, worth: float) -> int:
        """Characters that it may have; 0 if it may stay as it is."""
        if not self.by_price:
            over = len(part.text) > self.max_chars
            return self.max_chars if over and self._meant(transcript, number, part) else 0
        tokens = part.tokens or budget.count(part.text)
        most = self.most_share * budget.window if budget.window > 0 else tokens
        if tokens > most:
            return int(most / 2 * len(part.text) / tokens)
        if tokens > worth and self._meant(transcript, number, part):
            return int(worth / 2 * len(part.text) / tokens)
        return 0

    def _meant(self, transcript: Transcript, number: int, part: Part) -> bool:
        if self.all_tools:
            return True
        call = call_of(transcript, number, part)
        return call is not None and _ran_well(call, part)

    def _worth(self, budget: Budget) -> float:
        """The size in tokens from which an excerpt pays."""
        tariff = budget.tariff
        stays = max(budget.protect.results, budget.protect.rounds) + _PATIENT * min(
            kappa(tariff.w, tariff.r), _MOST_KAPPA
        )
        call = fetching(tariff.w, tariff.r, tariff.o, tokens=0, prompt=min(max(0, budget.window), _WINDOW) / 2)
        return worth_excerpting(tariff.w, tariff.r, chance=CHANCE, call=call, stays=stays)


_ran_well = lru_cache(maxsize=4_096)(ran_well)
