"""What a schedule is, what it is asked, and what it answers.

Rule: what other rooms need to know of a schedule, it declares; nobody asks for its class. An offer is what the
strategies propose for one request and what is known of it; a choice is the part of it that is made now, with the
reason, or the reason why nothing is.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set

from msgspec import Struct

from secateur.bounds import explain_protection
from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.plan import Plan
from secateur.view_totals import Walked
from secateur.tariff import CachePricing

NOTHING = "nothing that may be edited is left: what stands there is protected by the policy, or too short"


class Offer(Struct, frozen=True, kw_only=True):
    """The proposals for one request, oldest part first within each strategy."""

    seen: Transcript  # the view, with what is edited at this request whatever the schedule says
    budget: Budget
    edits: Mapping[str, Edit]  # key -> what is proposed
    count: Callable[[str], int]  # tokens as reports count them
    marked: int = 0  # tokens of the parts to be edited, by the policy's counter
    freed: int = 0  # of these, what goes
    since: Mapping[str, int] = {}  # key -> the message that made it stale, where a later one did
    by_age: bool = True  # some strategy would have let these go, too, once their place allowed it
    plan: Plan = Plan()  # the session's, as it was before this request
    forced: Set[str] = frozenset()  # keys of what is edited at this request anyway: the cache ends there
    holds: Callable[[Collection[str]], Sequence[int]] | None = None  # the messages of the view that hold these parts
    known: Walked | None = None  # what was found in the session's views so far; it only saves work

    def holding(self, keys: Collection[str]) -> Sequence[int]:
        """The messages of the view that hold these parts, in order."""
        if self.holds is not None:
            return self.holds(keys)
        messages = enumerate(self.seen.messages)
        return [number for number, message in messages if any([part.key in keys for part in message.parts])]

    def walked(self) -> Walked:
        """What walking over the view finds."""
        return (Walked() if self.known is None else self.known).take(self.seen.messages)


class Choice(Struct, frozen=True):
    """What is made of an offer."""

    edits: Mapping[str, Edit] = {}
    gate: str = ""  # why nothing is made
    why: str = ""  # why these edits are made now; "": the policy's own sentence


class Schedule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """When edits are made. It decides twice: about the request alone, then about what would be edited in it.

    Its fields are its configuration, its tag is its name in policy files. A subclass repeats `frozen=True,
    kw_only=True` and adds `tag="its_name"`. What it declares are attributes; one that depends on its fields is a
    property.
    """

    @property
    def needs_usage(self) -> bool:
        """Whether it reads how many tokens the view has (`budget.used`)."""
        return False

    @property
    def needs_clock(self) -> bool:
        """Whether it reads how much time has passed: the same request may then be decided otherwise a minute later."""
        return False

    @property
    def uses_prices(self) -> bool:
        """Whether it weighs prices and the prompt cache: then what the cache holds is not shortened on arrival, cache
        breakpoints are added, and prices that were assumed are a warning."""
        return False

    def closed_before(self, transcript: Transcript, budget: Budget) -> str:
        """Why nothing is edited, in one sentence that names the numbers; "" to ask the strategies."""
        return explain_protection(transcript, budget.protect)

    def chosen(self, offer: Offer) -> Choice:
        """Which of the proposed edits are made, or the reason why none is."""
        raise NotImplementedError

    def admits(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """Whether a result may be shortened on arrival that frees so many tokens of a prompt of which `left` stay."""
        return True
