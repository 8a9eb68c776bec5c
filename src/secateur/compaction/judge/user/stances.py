"""Whether a summary says truly what the user wants, accepts, refuses and permits.

Rule: the user's words are read into stances: a topic, and whether the user is for it or against it. A short yes or no
is a stance on the question before it. A claim is read in the same way. It is false where all that the user said on its
topic is against it, or where it gives the user a value that only others named. What the user did not speak of stands.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import DEMANDING, Claim, extract_plain_words, is_negative, quote
from secateur.compaction.judge.clauses import is_denied, is_earlier, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply
from secateur.compaction.judge.lexicon import ACCEPTS, FORBIDS, INSTEAD, PERMITS, REFUSES, USER, build_pattern

LEAST_SHARED = 0.5  # of the words of the shorter of two topics
SHORT_QUESTION = 6  # words of a question that needs the sentence before it: `Shall I run it?`
WANTS = build_pattern(
    r"wants?|wanted|asked\s+for|asks\s+for|requires?|required|demand(?:s|ed)?|ordered|requested|prefers?|preferred|chose|chosen|picked|"
    r"selected|decided|settled|opted|insist\w*|went\s+with|favou?r(?:s|ed)|will|möchte|verlangt|wünscht|wählte|gewählt|entschied\w*|bevorzugt|"
    r"veut|voulait|demande|demandé|choisi|préfère|décidé|quiere|pidi[óo]|eligi[óo]|prefiere|decidi[óo]|quer|pediu|escolheu|хочет|выбрал\w*|решил\w*",
    r"要的是|想要|要求|选择|希望|望ん|求め|選ん|希望|決め|원",
)
_YES = re.compile(
    r"(?i)\W*(?:yes|yep|yeah|ok(?:ay)?|sure|fine|go\s+ahead|do\s+(?:it|that)|please\s+do|agreed|of\s+course|ja|gerne|klar|oui|d['’]accord|bien\s+sûr|sí|vale"
    r"|claro|sim|да|конечно|được|vâng)\b|\W*(?:好|可以|行|是的|はい|お願い|네|좋)"
)
_NOT_YET = re.compile(r"(?i)\W*(?:todavía\s+no|aún\s+no|noch\s+nicht|pas\s+encore|ainda\s+não|not\s+yet)\b")
_NO = re.compile(
    r"(?i)\W*(?:no|nope|nein|non|não|нет|không|not\s+(?:yet|now))\b(?!\s+(?:problem|worries))|\W*(?:不|别|いいえ|不要|아니)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_REASON = re.compile(r"(?i)\W*(?:too|because|since|as|weil|da|zu|parce|car|porque|demasiado|trop)\b")
_PART = re.compile(r"[,;，；]\s*|\s+(?:but|aber|mais|pero|mas|но)\s+")
_OTHERWISE = build_pattern(
    r"rather|instead|only|unless|except|if|once|until|before|after|when|whether|statt|nur|wenn|ob|sauf|si|salvo|plutôt|cuando|proposed|suggested|proposal|"
    r"leans?|tends?|inclined|neigt|or|oder|ou",
    r"如果|除非|なら|まで|提议|建议|提案|还是",
)


_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|「[^」\n]*」")


class _Stance(Struct, frozen=True):
    """What the user said on a topic, and whether it is for it."""

    words: frozenset[str]
    is_for: bool
    text: str


@lru_cache(maxsize=2)
def _read_stances(replies: tuple[UserReply, ...]) -> tuple[_Stance, ...]:
    return tuple(stance for reply in replies for stance in _iterate_stances(reply))


def _iterate_stances(reply: UserReply) -> Iterator[_Stance]:
    questions = [one for one in _SENTENCE.split(reply.before) if one.rstrip().endswith(("?", "？"))]
    for sentence in _SENTENCE.split(reply.text):
        for part in _PART.split(sentence) if not sentence.rstrip().endswith(("?", "？")) else ():
            words = extract_plain_words(part)
            if words and not (_REASON.match(part) or FORBIDS.search(part)):
                yield _Stance(words, not (is_negative(part) or REFUSES.search(part)), part)
    if questions and (answer := _YES.match(reply.text) or _NO.match(reply.text) or _NOT_YET.match(reply.text)):
        asked = reply.before.partition(questions[-1])[0] if len(questions[-1].split()) <= SHORT_QUESTION else ""
        about = " ".join((*_SENTENCE.split(asked.strip())[-1:], questions[-1]))
        yield _Stance(extract_plain_words(about), answer.re is _YES, reply.text)


def _explain_stance(claim: Claim, evidence: Evidence) -> str:
    """Quote the user on what they are said to have accepted or refused."""
    if claim.is_question or claim.is_quoted or claim.is_reported or not evidence.replies:
        return ""
    before = frozenset[str]()
    for clause in _join_labels(split_clauses(_QUOTED.sub(" ", claim.text))):
        clause = INSTEAD.split(clause)[0]
        told = _read_stance(clause, claim)
        topic = extract_plain_words(_VERB.sub(" ", USER.sub(" ", clause))) - _FILLING or before
        before = topic
        if told is None or is_earlier(clause):
            continue
        about = _find_nearest(topic, evidence)
        if about and all(one.is_for != told for one in about):
            return quote("the user", about[-1].text)
    return ""


_FILLING = frozenset(
    [
        "hat",
        "has",
        "had",
        "was",
        "were",
        "been",
        "are",
        "ist",
        "war",
        "den",
        "dem",
        "est",
        "ont",
        "han",
        "dado",
        "para",
        "offer",
        "idea",
    ]
)


def _join_labels(clauses: tuple[str, ...]) -> list[str]:
    """Return the clauses, those of one word or two with the one before: `apply` and `granted`."""
    joined: list[str] = []
    for clause in clauses:
        is_verdict = len(clause.split()) <= 3 and (ACCEPTS.search(clause) or REFUSES.search(clause))
        if joined and is_verdict and not (ACCEPTS.search(joined[-1]) or REFUSES.search(joined[-1])):
            joined[-1] = f"{joined[-1]} {clause}"
        else:
            joined.append(clause)
    return joined


def _read_stance(clause: str, claim: Claim) -> bool | None:
    """Whether a clause has the user for something (True), against it (False), or neither."""
    accepts, refuses = ACCEPTS.search(clause), REFUSES.search(clause)
    is_wanted = USER.search(clause) and WANTS.search(clause)
    permits = PERMITS if claim.section in DEMANDING else _ALLOWS
    is_permitted = permits.search(clause) and not FORBIDS.search(clause) and not _LIMITS.search(clause)
    if is_denied(clause) or (accepts and refuses) or (_OTHERWISE.search(clause) and not is_permitted):
        return None
    is_users = USER.search(clause) is not None or claim.section in _USERS
    if refuses:
        return False if is_users else None
    return True if (accepts and is_users) or is_wanted or is_permitted else None


_USERS = ("decisions", "discoveries", *DEMANDING)  # sections in which a refusal is the user's, though it names none


# What permits in any section: `can` says in most that something works
_ALLOWS = build_pattern(
    r"allowed|permitted|acceptable|erlaubt|gestattet|zulässig|autorisée?s?|permis|permitid[oa]s?|разреш\w*",
    r"允许|可以|てよい|てもよい|許可|허용",
)
_LIMITS = build_pattern(
    r"only|unless|until|after|before|once|ask\w*|nur|erst|bevor|sauf|avant|solo|antes|hasta", r"除非|まで|之前|だけ"
)


_VERB = re.compile(
    "|".join(f"(?:{one.pattern.removeprefix('(?i)')})" for one in (ACCEPTS, REFUSES, WANTS, PERMITS)), re.I
)


def _find_nearest(topic: frozenset[str], evidence: Evidence) -> list[_Stance]:
    """Return the user's stances whose topics are the most like one, by the words that both have of all."""
    stances = _read_stances(evidence.replies)
    shares = [
        len(topic & one.words) / len(topic | one.words) if _is_about(topic, one.words) else 0.0 for one in stances
    ]
    most = max(shares, default=0.0)
    return [one for one, share in zip(stances, shares, strict=True) if most and share == most]


def _is_about(topic: frozenset[str], words: frozenset[str]) -> bool:
    return len(topic & words) >= max(1, LEAST_SHARED * min(len(topic), len(words)))


def _explain_value(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never named the number that a claim has them want."""
    for clause in split_clauses(claim.text) if not (claim.is_quoted or claim.is_question) else ():
        if (
            not (USER.search(clause) and WANTS.search(clause))
            or is_denied(clause)
            or REFUSES.search(clause)
            or _OTHERWISE.search(clause)
        ):
            continue
        for number in _NUMBER.findall(clause):
            beside = re.compile(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)")
            if beside.search(evidence.story) and not beside.search(
                f"{_join_spoken(evidence.replies)}\n{evidence.kept}"
            ):
                return f"the user never said {number}"
    return ""


_NUMBER = re.compile(r"(?<![\w.,/:#-])\d+(?:\.\d+)?(?![\w/:]*\d)")


@lru_cache(maxsize=2)
def _join_spoken(replies: tuple[UserReply, ...]) -> str:
    """Return what the user said, and the questions that a short answer takes up."""
    return "\n".join(
        f"{one.text}\n{one.before if _YES.match(one.text) and not _NUMBER.search(one.text) else ''}" for one in replies
    )


RULES = (
    ClaimRule("approval", _explain_stance, strength="doubt"),
    ClaimRule("approval", _explain_value, strength="doubt"),
)
