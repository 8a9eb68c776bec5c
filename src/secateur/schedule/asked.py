"""The requests of a session, told from its history and its plan: what each held, and what had been edited by then.

Rule: numbers only. Every answer of a model is one request, and the last is the one that is made now. A pause that the
cache does not outlive is told from the messages' times; where there are none, there was no pause, so that nothing
counts as saved that was not.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter

from secateur.bounds import index_of
from secateur.schedule.cached import Prefix, Prompt
from secateur.schedule.cuts import Cut, cuts
from secateur.schedule.ground import cold
from secateur.schedule.offer import Offer
from secateur.schedule.prefixes import Prefixes, pauses
from secateur.schedule.walked import Walked

_WRITTEN = ("harness", "synthetic")  # origins of what no model said


class Asked:
    """The requests of an offer's session."""

    def __init__(self, offer: Offer, prefixes: Prefixes, walked: Walked) -> None:
        messages, budget, index = offer.seen.messages, offer.budget, index_of(offer.seen)
        said = [n for n in index.assistants if n and messages[n].origin not in _WRITTEN]
        self.sent = [*said, len(messages)]  # by request: how many messages it held
        self.cuts = cuts(offer, self.sent, walked)
        self._tariff = tariff = budget.tariff
        self._turns = [_last(index.turns, n) for n in self.sent] if tariff.strips_reasoning else [0] * len(self.sent)
        self._added = {piece.request: piece.kept for piece in prefixes.pieces if piece.kept}
        self._spoke = index.turns[-1:]
        gone = set(pauses(offer, walked))
        self._cold = [not place or n in gone for place, n in enumerate(self.sent)]
        self._cold[-1] = self._cold[-1] or bool(cold(budget))
        self._blocks, self._thought, self._thoughts = walked.blocks, walked.thought, walked.thoughts
        self._ends = _uncut(walked.tokens, self.cuts)  # tokens before each message, nothing being cut
        self._fixed = max(0, budget.used - walked.tokens[-1])
        self._head: tuple[Prefix, ...] = ((0, self._fixed),) if self._fixed else ()
        spoken = [self._ends[n + 1] - self._ends[n] - self._thought[n + 1] + self._thought[n] for n in said]
        self.spoken = sum(spoken)  # tokens of all answers; of reasoning, what is paid for is not recorded everywhere
        self._standing = _Standing(self.cuts)

    def prompts(self, made: Sequence[Cut] = ()) -> Iterator[Prompt]:
        """All requests in order, with these cuts."""
        standing, place, coming = _Standing(), 0, made[0].request if made else -1
        simple = self._tariff.positions == "marks" and self._head and self._tariff.breakpoints > 1
        for request, (size, turn) in enumerate(zip(self.sent, self._turns, strict=True)):
            first = None
            if request == coming:
                first = made[place]
                while place < len(made) and made[place].request == request:
                    standing.add(made[place])
                    place += 1
                coming = made[place].request if place < len(made) else -1
            if simple and first is None and self._stripped(request) is None:  # most of them
                tokens, last = self._upto(size, turn) - standing.whole, self._block(size, turn)
                yield Prompt(tokens, last, last - self._tariff.look_back, None, 0, self._head, self._cold[request])
            else:
                yield self._prompt(request, standing, first)

    def now(self, cut: Cut) -> Prompt:
        """The request that is made now, with one cut more."""
        last = len(self.sent) - 1
        first = min([cut, *(one for one in self.cuts if one.request == last)], key=attrgetter("message", "before"))
        return self._prompt(last, self._standing.with_(cut), first)

    def _prompt(self, request: int, standing: "_Standing", first: Cut | None) -> Prompt:
        size, turn, tariff = self.sent[request], self._turns[request], self._tariff
        before = self.sent[request - 1] if request else 0
        last = self._block(size, turn)
        changed = first.message if first is not None and first.message < before else None
        inside = first.before if changed is not None and first is not None and tariff.anywhere else 0
        thought = self._stripped(request)
        if thought is not None and (changed is None or thought < changed):
            changed, inside = thought, 0
        added: list[int] = []
        if first is not None:
            at = min(first.message, before, self._turns[request - 1] if thought is not None else before)
            added = self._places(size, at, turn)
        marks = [(self._block(place, turn), self._upto(place, turn) - standing.before(place)) for place in added]
        marks += self._head if len(added) + 1 < tariff.breakpoints else ()
        answer = self._answer(request, standing) if tariff.positions == "answers" and changed is None else ()
        return Prompt(
            self._upto(size, turn) - standing.whole,
            last,
            self._since(size, turn, min(added, default=size)),
            None if changed is None else self._block(changed, turn) + 1,
            0 if changed is None else self._upto(changed, turn) - standing.before(changed) + inside,
            tuple(sorted(marks)),
            self._cold[request],
            answer,
        )

    def _places(self, size: int, at: int, turn: int) -> list[int]:
        """The messages before which an edited request leaves a prefix: where it changes, and what comes `ahead`."""
        wanted = [at] if self._block(at, turn) < self._block(size, turn) else []
        added = self._added.get(size) or (size, *(one + 1 for one in self._spoke if one >= at))
        places = [place for place in (*wanted, *added) if place and self._block(place, turn) >= 0]
        return places[: self._tariff.free]

    def _since(self, size: int, turn: int, marked: int) -> int:
        """The first block at which a prefix is found that is not marked there: from the first mark backwards, or as far
        as message ends are looked at."""
        tariff = self._tariff
        if tariff.positions == "messages" and tariff.look_back:
            return self._block(max(0, size - tariff.look_back + 1), turn)
        return self._block(marked, turn) - tariff.look_back if tariff.positions == "marks" else 0

    def _answer(self, request: int, standing: "_Standing") -> tuple[Prefix, ...]:
        """What the answer before left, where answers leave prefixes."""
        turn, size = self._turns[request], self.sent[request - 1] + 1
        return ((self._block(size, turn), self._upto(size, turn) - standing.before(size)),) if request else ()

    def _stripped(self, request: int) -> int | None:
        """The first message whose reasoning left the prompt with this request."""
        turn, before = self._turns[request], self._turns[request - 1] if request else 0
        if self._thoughts[turn] <= self._thoughts[before]:
            return None
        return bisect_right(self._thoughts, self._thoughts[before]) - 1

    def _block(self, size: int, turn: int) -> int:
        """The last block of so many messages; system prompt and tools are one, if there are any."""
        return bool(self._fixed) + self._blocks[size] - self._thoughts[min(size, turn)] - 1

    def _upto(self, size: int, turn: int) -> int:
        """Tokens of so many messages, with what stands before them all, nothing being cut."""
        return self._fixed + self._ends[size] - self._thought[size if size < turn else turn]


class _Standing:
    """What had been cut by some request."""

    def __init__(self, made: Sequence[Cut] = ()) -> None:
        some = sorted((cut.message, cut.gain) for cut in made)
        self._messages = [message for message, _ in some]
        self._gains = [gain for _, gain in some]
        self.whole = sum(self._gains)  # tokens that came free

    def add(self, cut: Cut) -> None:
        place = bisect_right(self._messages, cut.message)
        self._messages.insert(place, cut.message)
        self._gains.insert(place, cut.gain)
        self.whole += cut.gain

    def with_(self, cut: Cut) -> "_Standing":
        """The same with one more."""
        found = _Standing()
        found._messages, found._gains, found.whole = [*self._messages], [*self._gains], self.whole
        found.add(cut)
        return found

    def before(self, message: int) -> int:
        """Tokens that came free before that message."""
        return sum(self._gains[: bisect_left(self._messages, message)])


def _uncut(tokens: list[int], made: Sequence[Cut]) -> list[int]:
    """Tokens before each message, with what was cut."""
    found: list[int] = []
    more = 0
    for cut in sorted(made, key=attrgetter("message")):
        found += [one + more for one in tokens[len(found) : cut.message + 1]]
        more += cut.gain
    return found + [one + more for one in tokens[len(found) :]]


def _last(places: tuple[int, ...], size: int) -> int:
    """The last of these places before `size`; 0 for none."""
    place = bisect_left(places, size)
    return places[place - 1] if place else 0
