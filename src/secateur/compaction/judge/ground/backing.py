"""Whether the history backs what a clause affirms; where it does so little, the sentence is in doubt.

Rule: a sentence is marked with what the user or the agent said against it: a clause that is like it and denies, forbids
or refuses it, leaves it open, tells of the other outcome or of another number. None of these is telling alone, so that
they are added up with how much of the sentence is said nowhere, or nowhere together, each sign from 0 to 1 and none
with a weight of its own. Clauses that deny or forbid, plans, lists of files, and texts in another language than the
history are not judged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from secateur.compaction.judge.claims import CONDITION, DEMANDING, SENTENCE, Claim, is_done, quote
from secateur.compaction.judge.clauses import is_ahead, is_denied, read_outcome, split_clauses, strip_harmless
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex
from secateur.compaction.judge.ground.stems import get_stems, list_stems
from secateur.compaction.judge.lexicon import FORBIDS, REFUSES
from secateur.compaction.judge.user.choices import is_same_language

FEWEST_STEMS = 2  # of a clause that is judged
CLAUSE_CHARS = 600  # that are read of a sentence
MOST_LIKE = 400  # clauses of the history that are compared with one
LIKE = 0.25  # likeness of a clause of the history that speaks against one
LEAST = 0.85  # sum of the signs that marks a sentence
_SECTIONS = ("goal", *DEMANDING, "discoveries", "accomplished", "decisions", "resolved")


class Signs(Struct, frozen=True):
    """How little the history backs a clause, each from 0 to 1, and the clause that speaks most against it."""

    unknown: float = 0.0  # weight of its stems that stand nowhere
    apart: float = 0.0  # share of neighbors that stand in no passage together
    denied: float = 0.0  # how much more it is like a clause that denies, forbids or refuses than like one that does not
    ruled: float = 0.0  # how like it is to what the user denies, forbids or refuses
    turned: float = 0.0  # how much more it is like a clause with the other outcome than like one with its own
    undone: float = 0.0  # how much more what was done is like a plan or a question than like anything else
    recounted: float = 0.0  # how much more it is like a clause with other numbers than like one with its own
    against: str = ""

    @property
    def total(self) -> float:
        """The sum of all signs."""
        return self.unknown + self.apart + self.denied + self.ruled + self.turned + self.undone + self.recounted


class _Clause(Struct, frozen=True):
    """A clause as it is compared, and who says it in the history."""

    text: str
    stems: frozenset[str]
    who: str
    is_against: bool  # it denies, forbids or refuses
    is_open: bool  # it plans or asks
    outcome: bool | None

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers among its stems."""
        return frozenset(one for one in self.stems if one[0].isdigit())


def _explain_unbacked(claim: Claim, evidence: Evidence) -> str:
    """Quote what speaks against a clause that the history backs little."""
    if claim.is_question or not is_same_language(claim.summary, evidence.agent + evidence.user):
        return ""
    for clause in split_clauses(claim.text[:CLAUSE_CHARS]):
        signs = measure_signs(clause, evidence)
        if signs is not None and signs.against and signs.total >= LEAST:
            return signs.against
    return ""


def measure_signs(text: str, evidence: Evidence) -> Signs | None:
    """Measure how little the history backs a clause; None where it is not judged."""
    clause, index = _read_clause(text), evidence.passages
    if len(clause.stems) < FEWEST_STEMS or clause.is_against:
        return None
    like: defaultdict[str, tuple[float, str]] = defaultdict(lambda: (0.0, ""))
    for told in _build_index(evidence.user, evidence.agent).find(clause.stems, index):
        share = index.measure_likeness(clause.stems, told.stems)
        for kind in _list_kinds(told, clause):
            like[kind] = max(like[kind], (share, quote(told.who, told.text)))
    gains = {kind: max(0.0, like[kind][0] - like[rival][0]) for kind, rival in _RIVALS.items()}
    spoken = [
        like["against"],
        like["other"],
        *(like[kind] for kind in ("open", "recounted") if gains[kind] >= LIKE),
    ]
    against = max(spoken)
    return Signs(
        *_measure_words(clause.text, clause.stems, index),
        gains["against"],
        like["ruled"][0],
        gains["other"],
        gains["open"],
        gains["recounted"],
        against[1] if against[0] >= LIKE else "",
    )


_RIVALS = {
    "against": "with",
    "other": "same",
    "open": "settled",
    "recounted": "counted",
}  # what speaks against a clause, and what for it


def _list_kinds(told: _Clause, clause: _Clause) -> Iterator[str]:
    """Yield how a clause of the history stands to one that affirms."""
    yield "against" if told.is_against else "with"
    if told.is_against and told.who == "the user":
        yield "ruled"
    if clause.outcome is not None and told.outcome is not None:
        yield "same" if told.outcome == clause.outcome else "other"
    if clause.is_open:
        return
    if is_done(clause.text):
        yield "open" if told.is_open else "settled"
    if clause.numbers and told.numbers:
        yield "counted" if clause.numbers & told.numbers else "recounted"


def _measure_words(clause: str, stems: frozenset[str], index: PassageIndex) -> tuple[float, float]:
    """Return the weight of what stands nowhere, and the share of neighbors that stand nowhere together."""
    total = sum(map(index.weigh, stems)) or 1.0
    unknown = sum(index.weigh(one) for one in stems if not index.has(one))
    pairs = [(one, other) for one, other in pairwise(filter(index.has, list_stems(clause))) if one != other]
    apart = sum(not index.has_together(one, other) for one, other in pairs)
    return unknown / total, apart / len(pairs) if pairs else 0.0


class _ClauseIndex:
    """The clauses of the user and the agent by their stems."""

    def __init__(self, told: Iterable[_Clause]) -> None:
        self._places: defaultdict[str, list[_Clause]] = defaultdict(list)
        for one in told:
            for stem in one.stems:
                self._places[stem].append(one)

    def find(self, stems: Iterable[str], index: PassageIndex) -> list[_Clause]:
        """Find the clauses that share stems with these, by the rarest stems first."""
        found: dict[int, _Clause] = {}
        for stem in sorted(stems, key=lambda one: (-index.weigh(one), one)):
            found |= {id(one): one for one in self._places.get(stem, ())[-MOST_LIKE:]}
            if len(found) >= MOST_LIKE:
                break
        return list(found.values())


@lru_cache(maxsize=2)
def _build_index(user: str, agent: str) -> _ClauseIndex:
    return _ClauseIndex((*_read_told(user, "the user"), *_read_told(agent, "the agent")))


def _read_told(text: str, who: str) -> Iterator[_Clause]:
    for sentence in SENTENCE.split(text):
        clauses = split_clauses(sentence[:CLAUSE_CHARS])
        asks = sentence.rstrip().endswith(("?", "？"))
        for at, clause in enumerate(clauses, start=1):
            if (read := _read_clause(clause, who, is_asked=asks and at == len(clauses))).stems:
                yield read


def _read_clause(text: str, who: str = "", *, is_asked: bool = False) -> _Clause:
    plain = strip_harmless(text)
    is_against = is_denied(plain) or FORBIDS.search(plain) is not None or REFUSES.search(plain) is not None
    is_open = is_asked or is_ahead(CONDITION.split(text)[0])
    return _Clause(text, get_stems(text), who, is_against, is_open, read_outcome(text))


RULES = (ClaimRule("unsupported", _explain_unbacked, _SECTIONS, strength="unbacked"),)
