"""What a schedule is, what it is given for one request, and what it decides.

A proposal is what the strategies propose for one request, with what is known about the request. A decision is the part
of it that is made now and the reason, or the reason why nothing is. What other rooms need to know about a schedule, the
schedule declares: nothing checks its class.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set

from msgspec import Struct

from secateur.bounds import explain_protection
from secateur.budget import Budget
from secateur.model import Edit, Replace, Transcript
from secateur.plan import Plan
from secateur.tariff import CachePricing
from secateur.view_totals import ViewTotals

NOTHING = "nothing that may be edited is left: what stands there is protected by the policy, or too short"


class RawHistory(Struct, frozen=True, kw_only=True):
    """The history behind a view in which ranges of messages are replaced, in the numbers of the raw history."""

    transcript: Transcript  # each message as the model reads it; in a replaced range, as it read before
    totals: ViewTotals  # kept from request to request
    ranges: tuple[tuple[int, int, Replace], ...]  # [i, j) that are replaced, in order
    holding: Callable[[Collection[str]], Sequence[int]]  # the messages that hold these parts


class Proposal(Struct, frozen=True, kw_only=True):
    """The proposed edits of one request, oldest part first within each strategy."""

    view: Transcript  # with the edits that are made at this request whatever the schedule decides
    budget: Budget
    edits: Mapping[str, Edit]  # key -> the proposed edit
    count: Callable[[str], int]  # tokens as reports count them
    marked: int = 0  # tokens of the parts to be edited, by the policy's counter
    freed: int = 0  # of these, the tokens that come free
    stale_since: Mapping[str, int] = {}  # key -> the message that made the part stale, where a later one did
    by_age: bool = True  # some strategy would also have proposed these once their place allowed it
    fixed_tokens: int | None = None  # of system prompt and tools; None: what the budget has beside the view
    plan: Plan = Plan()  # the session's, as it was before this request
    forced_keys: Set[str] = frozenset()  # parts that are edited at this request anyway: the cache ends there
    holds: Callable[[Collection[str]], Sequence[int]] | None = None  # the messages of the view that hold these parts
    history: RawHistory | None = None  # behind the view; None: no range of it is replaced
    known: ViewTotals | None = None  # the totals of the session's views so far; a cache, it changes no decision

    def find_holding(self, keys: Collection[str]) -> Sequence[int]:
        """The messages of the view that hold these parts, in order."""
        if self.holds is not None:
            return self.holds(keys)
        messages = enumerate(self.view.messages)
        return [number for number, message in messages if any([part.key in keys for part in message.parts])]

    def take_totals(self) -> ViewTotals:
        """The totals of the view."""
        return (ViewTotals() if self.known is None else self.known).take(self.view.messages)


class Decision(Struct, frozen=True):
    """The part of a proposal that is made."""

    edits: Mapping[str, Edit] = {}
    skipped_reason: str = ""  # why nothing is made
    reason: str = ""  # why these edits are made now; "": the policy's own sentence


class Schedule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """When edits are made. It decides twice: about the request alone, then about what would be edited in it.

    Its fields are its configuration, its tag is its name in policy files. A subclass repeats `frozen=True,
    kw_only=True` and adds `tag="its_name"`. What it declares are attributes; one that depends on its fields is a
    property.
    """

    @property
    def needs_usage(self) -> bool:
        """Whether it reads how many tokens the view has (`budget.tokens_used`)."""
        return False

    @property
    def needs_clock(self) -> bool:
        """Whether it reads how much time has passed: the same request may be decided otherwise a minute later."""
        return False

    @property
    def uses_prices(self) -> bool:
        """Whether it uses prices and the prompt cache.

        Then nothing that the cache holds is shortened on arrival, cache breakpoints are added, and prices that were
        assumed are a warning.
        """
        return False

    def precheck(self, transcript: Transcript, budget: Budget) -> str:
        """Why nothing is edited, in one sentence that names the numbers; "" to ask the strategies."""
        return explain_protection(transcript, budget.protect)

    def decide(self, proposal: Proposal) -> Decision:
        """The proposed edits that are made, or the reason why none is."""
        raise NotImplementedError

    def can_admit(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """Whether a result may be shortened on arrival that frees so many tokens of a prompt of which `left` stay."""
        return True
