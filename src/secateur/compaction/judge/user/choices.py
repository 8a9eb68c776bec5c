"""Whether the user spoke of what a summary has the user choose, ask for or refuse.

Rule: what a claim has the user choose, ask for or refuse has to be found in the user's words, or in a question that
the user answered in a word. So has a number that the user is said to want, if the history has it at all.
"""

import re
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim, extract_words, is_negative, quote
from secateur.compaction.judge.clauses import is_denied, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence, UserReply
from secateur.compaction.judge.lexicon import REFUSES, USER, WANTS, build_pattern
from secateur.compaction.language import detect_language

LEAST_SAID = 0.34  # of the words of what the user is said to have wanted
SHORT_ANSWER = 8  # words of an answer that takes up the words of its question
LEAST_OTHERS = 0.5  # of the words of a wish, that the agent said and the user did not
FEWEST_UNHEARD = 3  # words of a wish of which the user has to have said one
FEWEST_WANTED = 2  # words of a wish that are looked for


def _explain_unsaid(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never spoke of what a claim has the user choose, want or refuse."""
    if claim.is_quoted or claim.is_question or _UNDECIDED.search(claim.text):
        return ""
    for found in _CHOSE.finditer(claim.text):
        own = extract_words(_FRAME.sub(" ", found["what"]))
        if not own or _IF.search(claim.text[: found.start()]) or _is_in(found["what"], evidence.kept):
            continue
        if why := _compare_spoken(found, own, claim, evidence) or _compare_mood(found, own, evidence):
            return why
    return ""


def _compare_spoken(found: re.Match[str], own: frozenset[str], claim: Claim, evidence: Evidence) -> str:
    """Say that the words or the names of a wish are nobody's, or the agent's alone."""
    spoken = _read_spoken(evidence)
    named = {one.casefold() for one in _NAME.findall(found["what"])}
    if len(own) >= FEWEST_UNHEARD and not named and _is_unheard(own, claim.summary, evidence):
        return "the user never spoke of this"
    if any(one in spoken.text for one in named):
        return ""
    is_few = len(own) < FEWEST_WANTED and not (named or found["choice"] or found["choice2"])
    others = extract_words(evidence.agent) if not own & spoken.words else frozenset[str]()
    is_others = bool(others) and len(own & others) >= LEAST_OTHERS * len(own)
    is_name_others = any(one in evidence.agent.casefold() for one in named)
    return "the agent said this, and not the user" if (is_others and not is_few) or is_name_others else ""


def _is_unheard(own: frozenset[str], summary: str, evidence: Evidence) -> bool:
    """Whether none of some words, nor one that begins like them, is the user's or an answered question's."""
    spoken = _read_spoken(evidence)
    if not is_same_language(summary, evidence.user):
        return False
    heard = {word[:BEGINNING] for word in spoken.words | extract_words(_join_questions(evidence))}
    return not any(word[:BEGINNING] in heard for word in own)


def _join_questions(evidence: Evidence) -> str:
    return "\n".join(one for reply in evidence.replies for one in SENTENCE.split(reply.before))


@lru_cache(maxsize=8)
def is_same_language(text: str, other: str) -> bool:
    """Whether two texts may be in one language: words of different ones cannot be compared."""
    languages = detect_language(text), detect_language(other)
    return None in languages or languages[0] == languages[1]


BEGINNING = 4  # letters by which words are compared


def _compare_mood(found: re.Match[str], own: frozenset[str], evidence: Evidence) -> str:
    """Quote the user where they refused what they are said to have chosen or proposed."""
    verb = found["choice"] or found["choice2"] or ""
    about = [one for one in evidence.clauses if len(own & extract_words(one)) >= max(1, LEAST_SAID * len(own))]
    if verb and about and not _REFUSES.search(verb) and all(map(is_negative, about)):
        return quote("the user", about[-1])
    return ""


_REFUSES = re.compile(r"(?i)reject|refus|turned|ruled|veto|against|gegen|lehnte|rechaz|rejeit|отклон|拒")


class _Spoken(Struct, frozen=True):
    """The words of the user."""

    text: str
    words: frozenset[str]


def _read_spoken(evidence: Evidence) -> _Spoken:
    return _join_spoken(tuple((one.text, one.before) for one in evidence.replies))


@lru_cache(maxsize=2)
def _join_spoken(replies: tuple[tuple[str, str], ...]) -> _Spoken:
    """Return what the user said, with the questions that a short answer or a yes takes up."""
    said: list[str] = []
    for text, before in replies:
        is_taken = len(text.split()) <= SHORT_ANSWER or _YES.match(text)
        said += [text, before] if is_taken and not _UNDECIDED.search(text) else [text]
    return _Spoken("\n".join(said).casefold(), extract_words("\n".join(said)))


def _is_in(text: str, kept: str) -> bool:
    return bool(kept) and text.casefold().strip(" .") in kept.casefold()


_USER = (
    r"(?:the\s+(?:user|customer|owner|client)|der\s+benutzer|die\s+nutzerin|der\s+nutzer|l['’]utilisateur"
    r"|el\s+usuario|o\s+usuário|пользователь|người\s+dùng)"
)
_CHOSE = re.compile(
    rf"(?i)(?:\b{_USER}\s+(?:has\s+|had\s+|hat\s+(?:sich\s+)?|a\s+|ha\s+|đã\s+)?(?:then\s+|also\s+|explicitly\s+"
    rf"|later\s+)?"
    r"(?:(?P<choice>chose|picked|selected|decided\s+(?:for|on|against)|prefers|preferred|rejected|refused"
    r"|turned\s+down|ruled\s+out|vetoed|insisted\s+on|proposed|suggested"
    r"|(?:für|gegen)\s+(?=\w)|wählte|lehnte|bevorzugt|choisi|refusé|préfère|proposé|eligi[óo]|elegido|rechaz[óo]"
    r"|prefiere|propuso|escolheu|rejeitou|prefere|propôs|выбрал|отклонил|предложил|chọn)"
    r"|(?:asked\s+(?:for|to)|wants?(?:\s+to)?|expects?|expected|would\s+like|wishes|wished|hopes\s+for|needs|wanted|demanded|requested|required|requires|wünscht|verlangt\w*|will"
    r"|veut|demande|demandé|quiere|pidi[óo]|quer|pediu|хочет|просил|muốn|yêu\s+cầu))"
    r"\s+|(?:用户|使用者|ユーザーは?|사용자(?:는|가)?)\s*(?P<choice2>选择了?|拒绝了?|決定し|選び|選択し|拒否し)?)(?P<what>(?:[^.,;。；，、\n]"
    r"|\.(?=\w)){2,160})"
)
_IF = re.compile(
    r"(?i)\b(?:which|that|what|as|than|was|were|den|die|das|que|qu[ei]|если|if|unless|until|in\s+case|sauf\s+si"
    r"|wenn|falls|si|se|если)\s*$"
)
_FRAME = re.compile(
    r"(?i)\b(?:rejected|refused|chose|instead|rather|agent|wanted|asked|because|den|die|das|ab|entschieden|gewählt)\b"
)
_NAME = re.compile(r"\b(?:[A-Za-z]+[._][\w.]*\w|[A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+)\b")
_UNDECIDED = re.compile(
    r"(?i)\b(?:whether|undecided|not\s+(?:yet\s+)?(?:decided|chosen|answered|said)|no\s+answer|let\s+me"
    r"|i['’]ll\s+(?:ask|think|check|decide)|we['’]ll\s+(?:see|discuss)|tomorrow|later"
    r"|not\s+sure|don['’]t\s+know|überlege|frage\s+ich|kläre|entscheide\s+ich|später|je\s+verrai|je\s+demande"
    r"|lo\s+consulto|ya\s+veré|vou\s+ver|спрошу|подумаю)\b|相談|検討|考えます|再说|考虑|상의"
)
_YES = re.compile(
    r"(?i)\W*(?:yes|ok(?:ay)?|sure|fine|good|great|go|do|ja|gerne|gut|passt|oui|d['’]accord|bien|sí|vale|claro|sim"
    r"|certo|да|хорошо|được|vâng)\b|\W*(?:好|可以|はい|うん|네|좋)"
)


def _explain_number(claim: Claim, evidence: Evidence) -> str:
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
                f"{_join_answered(evidence.replies)}\n{evidence.kept}"
            ):
                return f"the user never said {number}"
    return ""


_NUMBER = re.compile(r"(?<![\w.,/:#-])\d+(?:\.\d+)?(?![\w/:]*\d)")


@lru_cache(maxsize=2)
def _join_answered(replies: tuple[UserReply, ...]) -> str:
    """Return what the user said, and the questions that a short answer takes up."""
    return "\n".join(
        f"{one.text}\n{one.before if _YES.match(one.text) and not _NUMBER.search(one.text) else ''}" for one in replies
    )


_OTHERWISE = build_pattern(
    r"rather|instead|only|unless|except|if|once|until|before|after|when|whether|statt|nur|wenn|ob|sauf|si|salvo|plutôt|cuando|proposed|suggested|proposal|"
    r"leans?|tends?|inclined|neigt|or|oder|ou",
    r"如果|除非|なら|まで|提议|建议|提案|还是",
)

RULES = (
    ClaimRule("approval", _explain_unsaid, strength="doubt"),
    ClaimRule("approval", _explain_number, strength="doubt"),
)
