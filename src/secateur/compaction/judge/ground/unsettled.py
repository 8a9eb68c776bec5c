"""Whether a summary has as done what the history only forbids, asks, plans or denies.

Rule: a word decides. Where a word of a claim stands in the history only in what the user forbade, in what the agent
denied or announced after its last call, or in a question that was not answered with a yes, nothing was done with it.
One call, one output, one order or one plain statement with the word is enough for the claim to stand.
"""

import re
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim, is_done, quote
from secateur.compaction.judge.clauses import is_ahead, is_denied, is_earlier, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply
from secateur.compaction.judge.ground.passages import Speaker, get_claim_stems
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import FORBIDS, REFUSES, USER, build_pattern

MOST_STEMS = 12  # of a clause: a longer one may tell of anything
_PAST = ("accomplished", "discoveries", "files", "resolved")
LEAST_SHARED = 2  # stems of a clause in one that settles nothing, or all of a short one


class _Clause(Struct, frozen=True):
    """One clause of the user or of the agent, with its stems, and those of its sentence."""

    text: str
    who: str
    stems: frozenset[str]
    around: frozenset[str]


def _explain_unsettled(claim: Claim, evidence: Evidence) -> str:
    """Quote what forbids, denies, asks or plans what a claim has as done."""
    if claim.is_reported or claim.is_quoted or claim.is_question or not claim.is_done:
        return ""
    for clause in split_clauses(claim.text):
        stems = get_claim_stems(clause) if is_done(clause) and _is_plain(clause) else frozenset[str]()
        for one in _list_unsettled(evidence) if 0 < len(stems) <= MOST_STEMS else ():
            shared = (stems & one.stems) - _LIGHT
            is_alike = one.stems <= stems or len(stems & one.around) >= min(LEAST_SHARED, len(stems))
            if is_alike and any(_is_nowhere_else(stem, evidence) for stem in shared):
                return quote(f"the {one.who}", one.text)
    return ""


def _explain_unwanted(claim: Claim, evidence: Evidence) -> str:
    """Quote what the user forbids, where a claim has the user want it and no other words of the user name it."""
    if claim.is_quoted or claim.is_question:
        return ""
    unsettled, settled = _read_user(evidence.replies)
    for clause in split_clauses(claim.text):
        wanted = _WANTED.search(clause)
        if (
            wanted is None
            or is_denied(clause)
            or REFUSES.search(clause)
            or FORBIDS.search(clause)
            or _OPEN.search(clause)
        ):
            continue
        stems = get_claim_stems(clause[wanted.end() :]) - _LIGHT - settled
        for one in unsettled:
            if any(stem[0] < "\u3040" and not stem.isdigit() for stem in stems & one.stems):
                return quote("the user", one.text)
    return ""


_WANTED = re.compile(
    r"(?i)\b(?:the\s+)?(?:user|customer|client|owner)\s+(?:has\s+|had\s+|also\s+|then\s+)*(?:wants?|wanted|asked(?:\s+for)?|asks(?:\s+for)?|requested|requests|ordered|demands?|demanded|chose|picked"
    r"|decided\s+(?:on|for)|prefers|preferred|agreed\s+to|approved)\b|\b(?:der\s+|die\s+)?(?:be)?nutzer(?:in)?\s+(?:will|wollte|möchte|wünscht|verlangt\w*)\b"
    r"|\bl['’]utilisateur\s+(?:veut|voulait|a\s+demandé|a\s+choisi)\b|\bel\s+usuario\s+(?:quiere|pidió|eligió)\b|\bo\s+usuário\s+(?:quer|pediu|escolheu)\b"
)


def _read_user(replies: tuple[UserReply, ...]) -> tuple[tuple[_Clause, ...], frozenset[str]]:
    """Return what the user forbids, and the stems of all else that they said or said yes to."""
    unsettled = tuple(one for one in _read(replies, "", "")[0] if one.who == "user")
    settled = _read(replies, "", "")[1]
    taken = (one.before for one in replies if not _is_refusal(one.text))
    banned = frozenset[str]().union(*(one.stems for one in unsettled))
    return unsettled, settled | (get_stems("\n".join(taken)) - banned)


def _is_plain(clause: str) -> bool:
    """Whether a clause tells plainly that something was done or is so."""
    is_open = is_denied(clause) or is_ahead(clause) or is_earlier(clause) or _OPEN.search(clause)
    return not is_open and not any(one.search(clause) for one in (FORBIDS, REFUSES, USER))


_OPEN = build_pattern(
    r"missing|lack\w*|open|outstanding|absent|undecided|unanswered|instead|rather|than|over|against|question\w*|ideas?|options?|alternatives?|considered"
    r"|suggest\w*|recommend\w*|offer\w*|unclear|unknown|statt|anstatt|gegen|frage\w*|fehlt|fehlen|vorschlag|au\s+lieu|contre|manque\w*|en\s+(?:vez|lugar)"
    r"|contra|pergunta|pregunta|em\s+vez|вместо|thay\s+vì",
    r"而不是|代わり|대신|缺|问题|質問",
)


def _is_nowhere_else(stem: str, evidence: Evidence) -> bool:
    """Whether a stem stands nowhere in the history but in clauses that settle nothing."""
    settled = _read(evidence.replies, evidence.agent, evidence.standing)[1]
    return (
        stem[0] < "\u3040"
        and not stem.isdigit()
        and stem not in settled
        and evidence.passages.list_speakers(stem) <= _SPEAKING
    )


_SPEAKING = frozenset[Speaker]({"user", "agent"})


def _list_unsettled(evidence: Evidence) -> tuple[_Clause, ...]:
    return _read(evidence.replies, evidence.agent, evidence.standing)[0]


@lru_cache(maxsize=2)
def _read(replies: tuple[UserReply, ...], agent: str, standing: str) -> tuple[tuple[_Clause, ...], frozenset[str]]:
    """Return the clauses that settle nothing, and the stems of all others."""
    refused = [one for reply in replies if _is_refusal(reply.text) for one in _list_questions(reply.before)]
    asked = _list_questions(standing)
    found: list[_Clause] = []
    settled: set[str] = set()
    spoken = [("user", one) for reply in replies for one in SENTENCE.split(reply.text)]
    for who, sentence in (*spoken, *(("agent", one) for one in SENTENCE.split(agent))):
        is_open = sentence in refused or sentence in asked
        around = get_stems(sentence)
        for clause in split_clauses(sentence):
            if is_open or (sentence in standing if who == "agent" else True) and _is_unsettled(clause, who):
                stems = get_stems(_THING.sub(" ", clause))
                thing = get_stems(" ".join(_THING.findall(clause)))
                found.append(_Clause(clause, who, thing or stems, around))
                settled |= stems if thing else frozenset()
            else:
                settled |= get_stems(clause)
    return tuple(found), frozenset(settled)


def _is_unsettled(clause: str, who: str) -> bool:
    """Whether a clause of the user forbids without a condition, or one of the agent denies or announces."""
    if who == "agent":
        return is_denied(clause) or _ANNOUNCES.search(clause) is not None
    return (is_denied(clause) or _HANDS_OFF.search(clause) is not None) and not _BOUND.search(clause)


# The one thing that `no` denies, whatever stands beside it
_THING = re.compile(r"(?i)\b(?:no|kein\w*|aucune?|ning[úu]n\w*|nenhum\w*)\s+((?:\w+\s+){0,1}?\w+)")
_ANNOUNCES = build_pattern(
    r"I['’]ll|I\s+will|I\s+would|I['’]d|next|to\s+be\s+done|still\s+to|ich\s+werde|als\s+nächstes|je\s+vais|ensuite|voy\s+a|a\s+continuación|vou|em\s+seguida|"
    r"дальше\s+я|tiếp\s+theo"
)
_BOUND = build_pattern(
    r"without|unless|until|only|when|if|before|ohne|bevor|wenn|nur|sans|avant|seulement|sin|antes|sólo|solo|sem|só|без|пока|если|до"
)
# Stems that go with anything
_LIGHT = frozenset(
    stem
    for stems in (
        "run take make give go say see show tell keep look use test work",
        "done last first next time don doesn didn",
    )
    for stem in stems.split()
)
_HANDS_OFF = re.compile(r"(?i)\b(?:hands\s+off|off[\s-]limits|finger\s+weg|forbidden|taboo|verboten|interdit)\b")


def _is_refusal(text: str) -> bool:
    """Whether an answer begins with a refusal."""
    first = SENTENCE.split(text.strip())[0]
    return is_denied(split_clauses(first)[0]) if split_clauses(first) else False


def _list_questions(text: str) -> list[str]:
    return [one for one in SENTENCE.split(text) if one.rstrip().endswith(("?", "？"))]


RULES = (ClaimRule("not_run", _explain_unsettled, _PAST), ClaimRule("inverted", _explain_unwanted))
