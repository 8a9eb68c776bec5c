"""Whether the history backs what a clause affirms; where it does so little, the sentence is in doubt.

Rule: no sign is telling alone, so several are weighed against each other: words that stand nowhere, neighbors that
stand nowhere together, and a clause of the user or the agent that is like this one and denies, forbids or refuses it,
or tells of the other outcome, while none like it agrees. Clauses that deny or forbid, and texts in another language
than the history, are not judged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim, quote
from secateur.compaction.judge.clauses import is_denied, read_outcome, split_clauses, strip_harmless
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex
from secateur.compaction.judge.ground.stems import get_stems, list_stems
from secateur.compaction.judge.lexicon import FORBIDS, REFUSES
from secateur.compaction.judge.user.choices import is_same_language
from secateur.compaction.marks import UNSAID

FEWEST_STEMS = 2  # of a clause that is judged
CLAUSE_CHARS = 600  # that are read of a sentence
MOST_LIKE = 400  # clauses of the history that are compared with one
LIKE = 0.25  # likeness of a clause of the history that is told beside a mark
# A logistic regression on the claims of the open halves of benchmarks/judging.py, rounded; `LEAST` is where one line in
# twelve of the true summaries there has a clause in doubt
WEIGHTS = {"unknown": 1.1, "apart": 0.8, "denied": 1.2, "ruled": 1.4, "turned": 2.2, "verdict": 0.2}
LEAST = 1.3


class Signs(Struct, frozen=True):
    """How little the history backs a clause, each from 0 to 1, and the clause that speaks most against it."""

    unknown: float = 0.0  # weight of its stems that stand nowhere
    apart: float = 0.0  # share of neighbors that stand in no passage together
    denied: float = 0.0  # how much more it is like a clause that denies than like one that does not
    ruled: float = 0.0  # how like it is to what the user denies, forbids or refuses
    turned: float = 0.0  # how much more it is like a clause with the other outcome than like one with its own
    verdict: float = 0.0  # 1 if it tells how a check or a step ended
    against: str = ""


class _Told(Struct, frozen=True):
    """A clause of the user or the agent."""

    text: str
    stems: frozenset[str]
    who: str
    is_against: bool  # it denies, forbids or refuses
    outcome: bool | None


def _explain_unbacked(claim: Claim, evidence: Evidence) -> str:
    """Quote what speaks against a clause that the history backs little, or say that nothing speaks for it."""
    if claim.is_question or not is_same_language(claim.summary, evidence.agent + evidence.user):
        return ""
    for clause in split_clauses(claim.text[:CLAUSE_CHARS]):
        signs = measure_signs(clause, evidence)
        if signs is not None and weigh_signs(signs) >= LEAST:
            return signs.against or UNSAID
    return ""


def weigh_signs(signs: Signs) -> float:
    """Return the sum of the weighed signs."""
    return sum(weight * float(getattr(signs, name)) for name, weight in WEIGHTS.items())


def measure_signs(clause: str, evidence: Evidence) -> Signs | None:
    """Measure how little the history backs a clause; None where it is not judged."""
    stems = get_stems(clause)
    if len(stems) < FEWEST_STEMS or _is_against(clause):
        return None
    index, outcome = evidence.passages, read_outcome(clause)
    like: defaultdict[str, tuple[float, str]] = defaultdict(lambda: (0.0, ""))
    for one in _build_index(evidence.user, evidence.agent).find(stems, index):
        share = index.measure_likeness(stems, one.stems)
        for kind in _list_kinds(one, outcome):
            like[kind] = max(like[kind], (share, quote(one.who, one.text)))
    against = max((like[kind] for kind in ("against", "ruled", "other")), default=(0.0, ""))
    return Signs(
        *_measure_words(clause, stems, index),
        max(0.0, like["against"][0] - like["with"][0]),
        like["ruled"][0],
        max(0.0, like["other"][0] - like["same"][0]),
        float(outcome is not None),
        against[1] if against[0] >= LIKE else "",
    )


def _measure_words(clause: str, stems: frozenset[str], index: PassageIndex) -> tuple[float, float]:
    """Return the weight of what stands nowhere, and the share of neighbors that stand nowhere together."""
    total = sum(map(index.weigh, stems)) or 1.0
    unknown = sum(index.weigh(one) for one in stems if not index.has(one))
    pairs = [(one, other) for one, other in pairwise(filter(index.has, list_stems(clause))) if one != other]
    apart = sum(not index.has_together(one, other) for one, other in pairs)
    return unknown / total, apart / len(pairs) if pairs else 0.0


def _list_kinds(one: _Told, outcome: bool | None) -> Iterator[str]:
    """Yield how a clause of the history stands to one with this outcome that affirms."""
    yield "against" if one.is_against else "with"
    if one.is_against and one.who == "the user":
        yield "ruled"
    if outcome is not None and one.outcome is not None:
        yield "same" if one.outcome == outcome else "other"


def _is_against(clause: str) -> bool:
    plain = strip_harmless(clause)
    return is_denied(plain) or FORBIDS.search(plain) is not None or REFUSES.search(plain) is not None


class _ClauseIndex:
    """The clauses of the user and the agent by their stems."""

    def __init__(self, told: Iterable[_Told]) -> None:
        self._places: defaultdict[str, list[_Told]] = defaultdict(list)
        for one in told:
            for stem in one.stems:
                self._places[stem].append(one)

    def find(self, stems: Iterable[str], index: PassageIndex) -> list[_Told]:
        """Find the clauses that share stems with these, by the rarest stems first."""
        found: dict[int, _Told] = {}
        for stem in sorted(stems, key=lambda one: (-index.weigh(one), one)):
            found |= {id(one): one for one in self._places.get(stem, ())[-MOST_LIKE:]}
            if len(found) >= MOST_LIKE:
                break
        return list(found.values())


@lru_cache(maxsize=2)
def _build_index(user: str, agent: str) -> _ClauseIndex:
    return _ClauseIndex((*_read_told(user, "the user"), *_read_told(agent, "the agent")))


def _read_told(text: str, who: str) -> Iterator[_Told]:
    for sentence in SENTENCE.split(text):
        for clause in split_clauses(sentence[:CLAUSE_CHARS]):
            if stems := get_stems(clause):
                yield _Told(clause, stems, who, _is_against(clause), read_outcome(clause))


RULES = (ClaimRule("unsupported", _explain_unbacked, strength="unbacked"),)
