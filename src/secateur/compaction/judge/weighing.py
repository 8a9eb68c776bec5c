"""What contradictions cost a summary: the whole of it, some of its lines, or a mark on some of its sentences.

Rule: what was called or what the user said is certain and rejects a summary of any length. All other rules take a true
sentence for a false one now and then. So a plain one costs the line, and a second one of its kind rejects the summary;
a long summary may have more. Where words were compared there is a doubt: the sentence stays, with a mark that tells the
agent to check it. So does one that little bears out. A summary that is for the most part in doubt is rejected.
"""

from collections import Counter
from collections.abc import Sequence

from secateur.compaction.judge.claims import Contradiction
from secateur.compaction.marks import add_mark
from secateur.compaction.summary import Sections

FEWEST_CLAIMS = 5  # of a summary that loses one false line and stands
FEW_CLAIMS = 30  # of a summary that more than one false line rejects
MOST_FALSE = 0.06  # of the claims beyond these: fewer cost the summary their lines only
FEW_DOUBTS, MOST_DOUBTFUL = 2, 0.3  # doubts that every summary may have, and the share of its claims
GRADES = {"certain": 0, "plain": 1, "doubt": 2, "unbacked": 3}
MARKED = ("doubt", "unbacked")


def is_refuted(found: Sequence[Contradiction], claims: int) -> bool:
    """Whether contradictions reject a summary of so many claims: a certain one does, and too many others."""
    counts = Counter(one.strength for one in found)
    is_doubtful = counts["doubt"] > max(FEW_DOUBTS, MOST_DOUBTFUL * claims)
    return counts["certain"] > 0 or counts["plain"] > count_most_false(claims) or is_doubtful


def count_most_false(claims: int) -> int:
    """Return how many claims of a summary the history may contradict without a doubt before it is rejected."""
    return max(_count_spared(claims), int(MOST_FALSE * (claims - FEW_CLAIMS)))


def _count_spared(claims: int) -> int:
    """Return how many false claims a summary may have, be it ever so short: its other lines stand without them."""
    return 1 if claims >= FEWEST_CLAIMS else 0


def sort_by_strength(found: Sequence[Contradiction]) -> list[Contradiction]:
    """Return contradictions with those first that leave the least doubt."""
    return sorted(found, key=lambda one: GRADES[one.strength])


def drop_false(sections: Sections, false: Sequence[Contradiction]) -> tuple[Sections, tuple[str, ...]]:
    """Drop the lines that are false; return what was dropped as well."""
    lines = {one.line for one in false if one.strength not in MARKED}
    kept = {id: tuple(line for line in some if line not in lines) for id, some in sections.items()}
    return kept, tuple(sorted(lines))


def mark_doubtful(sections: Sections, found: Sequence[Contradiction]) -> tuple[Sections, tuple[str, ...]]:
    """Mark the sentences that are doubtful, in the lines that are left; return these sentences as well."""
    doubts = [one for one in found if one.strength in MARKED]
    marked: dict[str, str] = {}
    for one in doubts:
        marked[one.line] = add_mark(marked.get(one.line, one.line), one.sentence, one.why)
    kept = {id: tuple(marked.get(line, line) for line in some) for id, some in sections.items()}
    left = {line for some in sections.values() for line in some}
    return kept, tuple(one.sentence or one.line for one in doubts if one.line in left)
