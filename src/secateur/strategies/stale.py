"""What strategies that know of later results share: who may go for one, and the line that is left.

Rule: a strategy says which results were replaced, how and since when; here the policy's protection is asked and the
line is written, which names the call, its size and where the like stands now. A line is never longer than the result.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial

from secateur.acts.fates import Fate
from secateur.bounds import call_of, replaceable
from secateur.budget import Budget, handle_for, original, saves, settled
from secateur.model import Edit, Rewrite, Transcript
from secateur.placeholder import INSTEAD, informative


def replaced(fates: Mapping[str, Fate], transcript: Transcript, budget: Budget, by: str) -> Iterator[Edit]:
    """The results of these keys that may go, oldest first."""
    if not fates:
        return
    for number, part in replaceable(transcript, budget, partial(settled, budget), fates.keys()):
        raw = original(budget, part)
        call = call_of(transcript, number, part)
        text = _line(raw, call, handle_for(budget, raw), INSTEAD[fates[part.key].why])
        if saves(budget, text, part):
            yield Rewrite(part.key, text, by=by)


_line = lru_cache(maxsize=4_096)(informative)
