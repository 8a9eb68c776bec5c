"""At birth: a result too long to be worth its place becomes an exact excerpt before it is ever cached.

Rule: the excerpt depends on the result alone, never on its age or on what surrounds it, so that a history read for the
first time and one that grew message by message come to the same view. Tails and turns therefore do not protect here;
tools, roles, pins, errors, media and the head do, and what the model read back itself comes whole.
"""

from collections.abc import Iterator

from msgspec import Struct

from secateur.bounds import boundary, eligible, index_of
from secateur.budget import Budget, handle_for
from secateur.excerpt import excerpt
from secateur.model import Edit, Rewrite, Transcript
from secateur.protect import Count
from secateur.recalling import is_recalled


class Excerpt(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="excerpt", tag_field="do"
):
    """Results longer than `max_chars` characters become head, tail, error lines and exit status of that size."""

    max_chars: Count = 16_000  # about 4,000 tokens

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        first = max(index_of(transcript).spent, boundary(transcript, budget.protect).start)
        for number in range(first, len(transcript.messages)):
            for part in transcript.messages[number].parts:
                if len(part.text) <= self.max_chars or part.key in budget.edited or is_recalled(part):
                    continue
                if eligible(transcript, number, part, budget.protect):
                    text = excerpt(part.text, self.max_chars, handle_for(budget, part))
                    if len(text) < len(part.text):
                        yield Rewrite(part.key, text, by="excerpt")
