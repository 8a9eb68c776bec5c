"""The requests of a session, told from its history and its plan: what each held, and what had been edited by then.

Rule: numbers only. Every answer of a model is one request, and the last is the one that is made now. A pause that the
cache does not outlive is told from the messages' times; where there are none, there was no pause, so that nothing
counts as saved that was not.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter

from secateur.bounds import get_index
from secateur.cachecost.applied_edits import AppliedEdit, AppliedEdits, find_applied_edits
from secateur.cachecost.cut_costs import explain_cold
from secateur.cachecost.prefixes import CachedPrefixes, find_pauses
from secateur.cachecost.prompt_cache import Prefix, PromptNumbers
from secateur.proposal import Proposal
from secateur.view_totals import ViewTotals

_WRITTEN = ("harness", "synthetic")  # origins of what no model said


class RequestLog:
    """The requests of a proposal's session, by number; `last` is the one that is made now."""

    def __init__(self, proposal: Proposal, prefixes: CachedPrefixes, totals: ViewTotals) -> None:
        budget = proposal.budget
        self._said, self._size = _said(proposal, totals), len(proposal.view.messages)
        self.last = len(self._said)
        self.cuts = find_applied_edits(proposal, [*self._said, self._size], totals)
        self.standing = AppliedEdits(self.cuts)
        self._tariff, self._turns = budget.pricing, get_index(proposal.view).user_turns
        self._added = {piece.request: piece.kept for piece in prefixes.pieces if piece.kept}
        self._gone, self._cold = find_pauses(proposal, totals), bool(explain_cold(budget))
        self._blocks, self._thought, self._thoughts = totals.blocks, totals.thought, totals.thoughts
        self._tokens = totals.tokens
        self.fixed = max(0, budget.estimated - totals.tokens[-1])
        self._head: tuple[Prefix, ...] = ((0, self.fixed),) if self.fixed else ()
        gains = sum([cut.gain for cut in self.cuts if _holds(self._said, cut.message)])
        # tokens of all answers, nothing being cut; of reasoning, what is paid for is not recorded everywhere
        self.spoken = _spoken(self._said, totals) + gains

    def held(self, request: int) -> int:
        """How many messages a request held."""
        return self._said[request] if request < self.last else self._size

    def now(self, cut: AppliedEdit | None = None) -> PromptNumbers:
        """The request that is made now, with one cut more."""
        first = [one for one in (cut, *self._others) if one is not None]
        standing = self.standing if cut is None else _More(self.standing, cut)
        return self.prompt(self.last, standing, min(first, key=attrgetter("message", "before"), default=None))

    @cached_property
    def _others(self) -> tuple[AppliedEdit, ...]:
        return tuple(one for one in self.cuts if one.request == self.last)

    def readable(self, cut: AppliedEdit) -> int | None:
        """What can be read at most of the request that is made now, with one cut more, in tokens; None: not known."""
        sent = self.held(self.last - 1) if self.last else 0
        return self.fixed + self._tokens[cut.message] + cut.before if cut.message < sent else None

    def stripped_next(self) -> Prefix | None:
        """Where the next turn of the user will change the prompt, if it strips what was thought in this one: the last
        block before that, and the last block that stands now. Later ones stand further behind."""
        turn, size = self._turn(self.last), self._size
        if not self._tariff.strips_reasoning or self._thoughts[size] <= self._thoughts[turn]:
            return None
        first = bisect_right(self._thoughts, self._thoughts[turn]) - 1
        return self._block(first, turn), self._block(size, size)

    def prompt(self, request: int, standing: "AppliedEdits | _More", first: AppliedEdit | None = None) -> PromptNumbers:
        """A request, with what had been cut by then, and the first cut that was made at it."""
        size, turn = self.held(request), self._turn(request)
        simple = self._tariff.positions == "marks" and self._head and self._tariff.breakpoints > 1
        if simple and first is None and self._stripped(request) is None:  # most of them
            tokens, last = self._upto(size, turn) - standing.whole, self._block(size, turn)
            return PromptNumbers(
                tokens, last, last - self._tariff.look_back, None, 0, self._head, self._paused(request)
            )
        return self._prompt(request, standing, first)

    def _turn(self, request: int) -> int:
        """Where the turn of a request began, if that strips what was thought before."""
        return _last(self._turns, self.held(request)) if self._tariff.strips_reasoning else 0

    def _paused(self, request: int) -> bool:
        """Whether nothing of the request before could be read any more."""
        gone = not request or _holds(self._gone, self.held(request))
        return gone or (request == self.last and self._cold)

    def _prompt(self, request: int, standing: "AppliedEdits | _More", first: AppliedEdit | None) -> PromptNumbers:
        size, turn, tariff = self.held(request), self._turn(request), self._tariff
        before = self.held(request - 1) if request else 0
        last = self._block(size, turn)
        changed = first.message if first is not None and first.message < before else None
        inside = first.before if changed is not None and first is not None and tariff.any_prefix else 0
        thought = self._stripped(request)
        if thought is not None and (changed is None or thought < changed):
            changed, inside = thought, 0
        added: list[int] = []
        if first is not None:
            at = min(first.message, before, self._turn(request - 1) if thought is not None else before)
            added = self._places(size, at, turn)
        marks = [(self._block(place, turn), self._upto(place, turn) - standing.before(place)) for place in added]
        marks += self._head if len(added) + 1 < tariff.breakpoints else ()
        answer = self._answer(request, standing) if tariff.positions == "answers" and changed is None else ()
        return PromptNumbers(
            self._upto(size, turn) - standing.whole,
            last,
            self._since(size, turn, min(added, default=size)),
            None if changed is None else self._block(changed, turn) + 1,
            0 if changed is None else self._upto(changed, turn) - standing.before(changed) + inside,
            tuple(sorted(marks)),
            self._paused(request),
            answer,
        )

    def _places(self, size: int, at: int, turn: int) -> list[int]:
        """The messages before which an edited request leaves a prefix: where it changes, and what comes `ahead`."""
        wanted = [at] if self._block(at, turn) < self._block(size, turn) else []
        spoke = self._turns[: bisect_left(self._turns, size)][-1:]
        added = self._added.get(size) or (size, *(one + 1 for one in spoke if one >= at))
        places = [place for place in (*wanted, *added) if place and self._block(place, turn) >= 0]
        return places[: self._tariff.free_breakpoints]

    def _since(self, size: int, turn: int, marked: int) -> int:
        """The first block at which a prefix is found that is not marked there: from the first mark backwards, or as far
        as message ends are looked at."""
        tariff = self._tariff
        if tariff.positions == "marks":
            return self._block(marked, turn) - tariff.look_back
        reached = tariff.positions == "messages" and tariff.look_back
        return max(bool(self.fixed), self._block(max(0, size - tariff.look_back + 1), turn) if reached else 0)

    def _answer(self, request: int, standing: "AppliedEdits | _More") -> tuple[Prefix, ...]:
        """What the answer before left, where answers leave prefixes."""
        if not request:
            return ()
        turn, size = self._turn(request), self.held(request - 1) + 1
        return ((self._block(size, turn), self._upto(size, turn) - standing.before(size)),)

    def _stripped(self, request: int) -> int | None:
        """The first message whose reasoning left the prompt with this request."""
        if not self._tariff.strips_reasoning:
            return None
        turn, before = self._turn(request), self._turn(request - 1) if request else 0
        if self._thoughts[turn] <= self._thoughts[before]:
            return None
        return bisect_right(self._thoughts, self._thoughts[before]) - 1

    def _block(self, size: int, turn: int) -> int:
        """The last block of so many messages; system prompt and tools are one, if there are any."""
        return bool(self.fixed) + self._blocks[size] - self._thoughts[min(size, turn)] - 1

    def _upto(self, size: int, turn: int) -> int:
        """Tokens of so many messages, with what stands before them all, nothing being cut."""
        tokens = self.fixed + self._tokens[size] + self.standing.before(size)
        return tokens - self._thought[size if size < turn else turn]


class _More:
    """What had been cut, and one cut more."""

    def __init__(self, standing: AppliedEdits, cut: AppliedEdit) -> None:
        self._standing, self._cut = standing, cut
        self.whole = standing.whole + cut.gain

    def before(self, message: int) -> int:
        """Tokens that came free before that message."""
        return self._standing.before(message) + self._cut.gain * (self._cut.message < message)


def _said(proposal: Proposal, totals: ViewTotals) -> list[int]:
    """The answers of the model."""
    assistants, messages = get_index(proposal.view).assistant_messages, proposal.view.messages
    found, asked = totals.kept("said") or ([], 0)
    if asked < len(assistants):
        found = [*found, *(n for n in assistants[asked:] if n and messages[n].origin not in _WRITTEN)]
        totals.keep("said", (found, len(assistants)), assistants[-1] + 1, shape=True)
    return found


def _spoken(said: list[int], totals: ViewTotals) -> int:
    """Tokens of these answers as they read now, reasoning aside."""
    total, asked = totals.kept("spoken") or (0, 0)
    if asked < len(said):
        tokens, thought = totals.tokens, totals.thought
        total += sum([tokens[n + 1] - tokens[n] - thought[n + 1] + thought[n] for n in said[asked:]])
        totals.keep("spoken", (total, len(said)), said[-1] + 1)
    return total


def _holds(numbers: Sequence[int], number: int) -> bool:
    """Whether a number is one of these, which are in order."""
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _last(places: tuple[int, ...], size: int) -> int:
    """The last of these places before `size`; 0 for none."""
    place = bisect_left(places, size)
    return places[place - 1] if place else 0
