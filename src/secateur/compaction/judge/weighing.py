"""What contradictions cost a summary: the whole of it, some of its lines, or some of its sentences.

Rule: what was called or what the user said is certain and rejects a summary of any length. All other rules take a true
sentence for a false one now and then: of the summaries in which one of them finds one thing, most are true. So one
finding costs the line, or the sentence where words were compared, and a second one of its kind rejects the summary; a
long summary may have more.
"""

import re
from collections import Counter
from collections.abc import Sequence

from secateur.compaction.judge.claims import Contradiction
from secateur.compaction.summary import Sections

FEWEST_CLAIMS = 5  # of a summary that loses one false line and stands
FEW_CLAIMS = 30  # of a summary that more than one false line rejects
MOST_FALSE = 0.06  # of the claims beyond these: fewer cost the summary their lines only
CLAIMS_PER_DOUBT = 15  # a longer summary may have one doubtful sentence for so many claims
FEWEST_LEFT = 3  # words of a line that a sentence was dropped of
_WORDS = re.compile(r"[^\W\d_]{2,}")
GRADES = {"certain": 0, "plain": 1, "doubt": 2}


def is_refuted(found: Sequence[Contradiction], claims: int) -> bool:
    """Whether contradictions reject a summary of so many claims: a certain one does, and too many others."""
    counts = Counter(one.strength for one in found)
    is_doubtful = counts["doubt"] > max(_count_spared(claims), claims // CLAIMS_PER_DOUBT)
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
    """Drop the lines that are false, and the sentences of lines that are doubtful; return what was dropped as well."""
    lines = {one.line for one in false if one.strength != "doubt" or one.sentence not in one.line}
    doubts = [one for one in false if one.line not in lines]
    cut = {one.line: _cut(one.line, [it.sentence for it in doubts if it.line == one.line]) for one in doubts}
    kept = {
        id: tuple(left for line in some if line not in lines and (left := cut.get(line, line)))
        for id, some in sections.items()
    }
    whole = (line for line, left in cut.items() if not left)
    return kept, (*sorted(lines), *whole, *(one.sentence for one in doubts if cut[one.line]))


def _cut(line: str, sentences: Sequence[str]) -> str:
    """Return a line without some of its sentences; "" if little is left."""
    for sentence in sentences:
        line = line.replace(sentence, "", 1)
    return line.rstrip() if len(_WORDS.findall(line)) >= FEWEST_LEFT else ""
