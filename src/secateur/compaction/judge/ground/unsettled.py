"""Whether a summary has as done what the history only forbids, asks, plans or denies.

Rule: the nearest words decide. The history is read into statements: what the user ruled, what the agent said, what was
called and what came out. A claim of something done is false where the statement that is the most like it settles
nothing (a ban, a denial or an announcement after the last call, a question), and nothing else is nearly as like it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim, is_done, quote
from secateur.compaction.judge.clauses import is_ahead, is_denied, is_earlier, split_clauses, strip_harmless
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply
from secateur.compaction.judge.ground.passages import PassageIndex
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import FAILS, FORBIDS, REFUSES, USER, build_pattern
from secateur.compaction.judge.user.rulings import is_altering, read_rulings
from secateur.compaction.judge.work.states import FRAME, OUTSTANDING, is_denial

LEAST_LIKE = 0.35  # of a claim and of what settles nothing
LEAST_GAIN = 0.1  # by which that is more like the claim than all that settles something
FEWEST_ASKED = 3  # stems of a question that a claim can be about
_PAST = ("accomplished", "discoveries", "files", "resolved", "decisions")


class _Statement(Struct, frozen=True):
    """What the history tells in one clause, call or line, and who said it; "" if it settles the matter."""

    text: str
    stems: frozenset[str]
    who: str = ""
    is_kept: bool = False  # it only forbids to change a thing
    things: frozenset[str] = frozenset()  # of which it says that there are none


def _explain_unsettled(claim: Claim, evidence: Evidence) -> str:
    """Quote what forbids, denies, asks or plans what a claim has as done."""
    if claim.is_reported or claim.is_quoted or claim.is_question or claim.is_earlier:
        return ""
    for clause in split_clauses(claim.text):
        if is_done(clause) and _is_plain(clause) and (found := _find_open(clause, evidence)):
            return quote(f"the {found.who}", found.text)
    return ""


def _is_plain(clause: str) -> bool:
    """Whether a clause tells plainly that something was done or is so."""
    is_open = is_denial(clause) or is_ahead(clause) or is_earlier(clause) or _OPEN.search(clause)
    return not is_open and not any(one.search(clause) for one in (FORBIDS, REFUSES, USER, FAILS))


def _find_open(clause: str, evidence: Evidence) -> _Statement | None:
    """Return the statement that settles nothing, if it is the most like a clause."""
    stems = get_stems(_FRAME.sub(" ", clause))
    unsettled, settled = _read_statements(evidence.replies, evidence.agent, evidence.standing, evidence.passages)
    best, most = None, LEAST_LIKE
    for one in unsettled:
        like = evidence.passages.measure_likeness(stems, one.stems)
        is_about = one.things & stems if one.things else not one.is_kept or is_altering(clause, one.text)
        if like > most and is_about:
            best, most = one, like
    if best is None or any(evidence.passages.measure_likeness(stems, one) > most - LEAST_GAIN for one in settled):
        return None
    return best


@lru_cache(maxsize=2)
def _read_statements(
    replies: tuple[UserReply, ...], agent: str, standing: str, passages: PassageIndex
) -> tuple[tuple[_Statement, ...], tuple[frozenset[str], ...]]:
    """Return the statements that settle nothing, and the stems of all others."""
    told = (*_iterate_rulings(replies), *_iterate_agent(agent, standing))
    shown = (get_stems(one.text) for one in passages.passages if one.speaker in ("call", "output", "host"))
    settled = dict.fromkeys((*(one.stems for one in told if not one.who), *shown))
    return tuple(one for one in told if one.who), tuple(settled)


def _iterate_rulings(replies: tuple[UserReply, ...]) -> Iterator[_Statement]:
    for one in read_rulings(replies):
        is_open = one.kind in ("banned", "kept", "own")
        things = get_stems(" ".join(_THING.findall(one.text)))
        yield _Statement(one.text, one.stems, "user" if is_open else "", one.kind == "kept", things)


def _iterate_agent(agent: str, standing: str) -> Iterator[_Statement]:
    """Yield the agent's clauses; what it denied or announced before its last call may be overtaken."""
    for sentence in SENTENCE.split(agent):
        asks = sentence.rstrip().endswith(("?", "？"))
        clauses = split_clauses(sentence)
        for at, clause in enumerate(clauses, start=1):
            is_asked = asks and at == len(clauses)
            is_open = is_asked or is_denied(strip_harmless(clause)) or _ANNOUNCES.search(clause) is not None
            stems = get_stems(_FRAME.sub(" ", clause))
            is_over = is_open and not is_asked and sentence not in standing
            if stems and not is_over and not (is_asked and len(stems) < FEWEST_ASKED):
                things = get_stems(" ".join(_THING.findall(clause)))
                yield _Statement(clause, stems, "agent" if is_open else "", things=things)


_ANNOUNCES = build_pattern(
    r"I['’]ll|I\s+will|I\s+would|I['’]d|next|to\s+be\s+done|still\s+to|ich\s+werde|als\s+nächstes|je\s+vais|ensuite|voy\s+a|a\s+continuación|vou|em\s+seguida|"
    rf"дальше\s+я|tiếp\s+theo|{OUTSTANDING.pattern.removeprefix('(?i)')}|un(?:done|tested|touched|finished|changed|committed|pushed|merged|fixed|used)"
)
# The one thing that `no` denies, whatever stands beside it
_THING = re.compile(r"(?i)\b(?:no|kein\w*|aucune?|ning[úu]n\w*|nenhum\w*)\s+((?:\w+\s+){0,1}?\w+)")
_FRAME = re.compile("|".join(f"(?:{one.pattern.removeprefix('(?i)')})" for one in (FRAME, _ANNOUNCES)), re.I)
_OPEN = build_pattern(
    r"missing|lack\w*|open|outstanding|absent|undecided|unanswered|instead|rather|than|over|against|question\w*|ideas?|options?|alternatives?|considered"
    r"|suggest\w*|recommend\w*|offer\w*|unclear|unknown|as\s+(?:it|they)\s+(?:was|were|is|are)|left\s+in\s+peace|statt|anstatt|gegen|frage\w*|fehlt|fehlen|vorschlag|au\s+lieu|contre|manque\w*|en\s+(?:vez|lugar)"
    r"|contra|pergunta|pregunta|em\s+vez|вместо|thay\s+vì",
    r"而不是|代わり|대신|缺|问题|質問|尚未|未",
)

RULES = (ClaimRule("not_run", _explain_unsettled, _PAST, strength="doubt"),)
