"""Demands of the user that a summary restates although they stand in it word for word.

Rule: a restated demand can only lose: a word less, and a ban has become an order. So a line of prose under the headings
of the user's demands gives way where all that it is about is in the user's own words beside it. A line that is about
anything else stays. The words by which demands are compared are the judge's, so that this file is loaded only where a
summary has such prose; of the judge it needs the words alone, and not the rules, which take longer to load than all
else here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from secateur.compaction.judge.clauses import split_clauses
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import ALTERS, FORBIDS, build_pattern
from secateur.compaction.ledger.course import MARK
from secateur.compaction.template import DEMANDING, FORMERLY

WORDED = ("constraints", "goal")  # the sections of a ledger's lines that have the user's own words
_OF_PROJECT = re.compile(r"- \[[^\]\n]*\bproject\b[^\]\n]*\]")  # rules of its files, which the user did not word
MOST = 0.5  # of what a clause is about, or of what the user's is about: then both are about the same
SOME = 0.25  # of a clause, where the user's words are about little


def without_restated(
    sections: Mapping[str, Sequence[str]], facts: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the sections without lines that restate what the ledger's lines quote."""
    worded = [MARK.sub(" ", line) for id in WORDED for line in facts.get(id, ()) if not _OF_PROJECT.match(line)]
    subjects = [one for line in worded for one in _list_subjects(line)]
    return {
        id: tuple(line for line in lines if id not in DEMANDING or not _is_restated(line, subjects))
        for id, lines in sections.items()
    }


def _is_restated(line: str, quoted: Sequence[frozenset[str]]) -> bool:
    """Whether all clauses of a line are about something, and about what the user's own words are about."""
    subjects = _list_subjects(line.removeprefix(FORMERLY))
    return bool(subjects) and all(_is_quoted(one, quoted) for one in subjects)


def _is_quoted(subject: frozenset[str], quoted: Iterable[frozenset[str]]) -> bool:
    """Whether one of the user's clauses is about the same."""
    for one in quoted:
        shared, own = len(subject & one), len(subject)
        if shared >= MOST * own or (shared >= MOST * len(one) and shared >= SOME * own):
            return True
    return False


def _list_subjects(line: str) -> list[frozenset[str]]:
    """Return the stems of what each clause is about: those of verbs that every demand may have are left out."""
    stems = (get_stems(_ACTS.sub(" ", FORBIDS.sub(" ", ALTERS.sub(" ", one)))) for one in split_clauses(line))
    return [one for one in stems if one]


_ACTS = build_pattern(
    r"touch\w*|any\w*|every\w*|noth\w*|always|never|us(?:e|es|ed|ing)|please|make|sure|immer|nie\w*|nur|verwend\w*|bitte"
    r"|toujours|jamais|siempre|nunca|sempre|всегда|никогда",
    "必ず|常に|不要|务必",
)
