"""What a schedule is, what it is given for one request and what it decides; and the running sums over a view.

A proposal is what the strategies propose for one request, with what is known about the request. A decision is the part
of it that is made now and the reason, or the reason why nothing is. A schedule declares what other modules need to know
about it: nothing checks its class.

Rule: the sums of a view (`ViewTotals`) follow from its messages, so dropping them changes no answer. A message that is
the same object is not visited again; one with the same key, role and time differs at most by an edit.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from itertools import accumulate, compress
from operator import is_not
from typing import Any, ClassVar

from msgspec import Struct

from secateur.bounds import explain_protection
from secateur.budget import Budget
from secateur.model import Edit, Message, Replace, Transcript
from secateur.plan import Plan
from secateur.pricing.tariffs import CachePricing

Messages = tuple[Message, ...]
_Own = tuple[int, int, int, int, int]  # of one message, summed up below

NOTHING = "nothing that may be edited is left: what stands there is protected by the policy, or too short"


class ViewTotals:
    """Of one view that grows. The lists of sums have one entry more than there are messages: the first is 0."""

    def __init__(self) -> None:
        self.messages: Messages = ()
        self.tokens: list[int] = [0]  # before each message
        self.thought: list[int] = [0]  # of these, in reasoning
        self.bound: list[int] = [0]  # of these, in what is bound to its prefix
        self.thoughts: list[int] = [0]  # parts of reasoning before each message
        self.blocks: list[int] = [0]  # all parts, but media inside results: blocks as a prompt cache counts them
        self.results: list[int] = []  # the message of each result, in order
        self.order: dict[str, int] = {}  # key of a result -> its place among them
        self.at: dict[str, int] = {}  # key of a message -> its number
        self._own: list[_Own] = []
        self._kept: dict[Any, tuple[Any, int, bool]] = {}

    def take(self, messages: Messages) -> "ViewTotals":
        """Continue with these messages; those that are the same objects are not visited again."""
        known = self.messages
        if messages is known:
            return self
        size = min(len(known), len(messages))
        changed = list(compress(range(size), map(is_not, known, messages)))
        other = next((number for number in changed if _is_other(known[number], messages[number])), size)
        self.messages = messages
        if other < len(known):
            self._cut(other)
        for number in changed:
            if number < other:
                self._own[number] = _count_own(messages[number])
        self._learn(len(self._own))
        self._sum(changed[0] if changed else size)
        first = changed[0] if changed else size
        self._kept = {name: one for name, one in self._kept.items() if one[1] <= (other if one[2] else first)}
        return self

    def keep(self, name: Any, value: Any, size: int, shape: bool = False) -> Any:
        """Keep what follows from the first `size` messages; with `shape` from their keys, roles and times alone."""
        self._kept[name] = value, size, shape
        return value

    def recall(self, name: Any) -> Any:
        """Return the value stored under a name if it is still valid, else None."""
        found = self._kept.get(name)
        return None if found is None else found[0]

    def _cut(self, size: int) -> None:
        """Forget the messages from this one on."""
        del self._own[size:]
        self.results = [number for number in self.results if number < size]
        self.order = {key: place for key, place in self.order.items() if place < len(self.results)}
        self.at = {key: number for key, number in self.at.items() if number < size}

    def _learn(self, first: int) -> None:
        """Take the messages from this one on."""
        for number in range(first, len(self.messages)):
            message = self.messages[number]
            self._own.append(_count_own(message))
            self.at[message.key] = number
            for part in message.parts:
                if part.kind == "tool_result":
                    self.order[part.key] = len(self.results)
                    self.results.append(number)

    def _sum(self, first: int) -> None:
        """Sum up from this message on."""
        sums = (self.tokens, self.thought, self.bound, self.thoughts, self.blocks)
        for some, own in zip(sums, zip(*self._own[first:], strict=True), strict=False):
            some[first:] = accumulate(own, initial=some[first])
        for some in sums:
            del some[len(self.messages) + 1 :]


def _count_own(message: Message) -> _Own:
    tokens = thought = bound = thoughts = blocks = 0
    for part in message.parts:
        tokens += part.tokens
        blocks += not part.container_key
        if part.kind == "reasoning":
            thought += part.tokens
            thoughts += 1
        if part.prefix_bound:
            bound += part.tokens
    return tokens, thought, bound, thoughts, blocks


def _is_other(one: Message, other: Message) -> bool:
    """Whether these are two messages, not one that was edited."""
    return one.key != other.key or one.role != other.role or one.recorded_ms != other.recorded_ms or not one.key


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
    freed: int = 0  # of these, the tokens freed
    stale_since: Mapping[str, int] = {}  # key -> the message that made the part stale, where a later one did
    by_age: bool = True  # some strategy would also have proposed these once their place allowed it
    fixed_tokens: int | None = None  # of system prompt and tools; None: what the budget counts in addition to the view
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

    # Whether it uses prices and the prompt cache. Then nothing that the cache holds is shortened on arrival, cache
    # breakpoints are added, and prices that were assumed are a warning.
    uses_prices: ClassVar[bool] = False

    @property
    def needs_usage(self) -> bool:
        """Whether it reads how many tokens the view has (`budget.tokens_used`)."""
        return False

    @property
    def needs_clock(self) -> bool:
        """Whether it reads how much time has passed: the same request may be decided otherwise a minute later."""
        return False

    def compute_threshold(self, window: int) -> float | None:
        """The tokens of a view from which on it edits; None if it has no such limit."""
        return None

    def precheck(self, transcript: Transcript, budget: Budget) -> str:
        """Explain in one sentence with its numbers why nothing is edited; "" to ask the strategies."""
        return explain_protection(transcript, budget.protect)

    def decide(self, proposal: Proposal) -> Decision:
        """The proposed edits that are made, or the reason why none is."""
        raise NotImplementedError

    def can_admit(self, freed: int, left: int, tariff: CachePricing) -> bool:
        """Whether a result may be shortened on arrival that frees so many tokens of a prompt of which `left` stay."""
        return True
