"""Whether a summary says truly who chose what, and what was chosen.

Rule: what a claim has the user choose, ask for, refuse or do has to be found in the user's words, or in a question that
the user answered in a word. What was chosen was not rejected, and what the user excluded is not wanted.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import CLAUSE, SENTENCE, Claim, extract_words, is_negative, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence
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


def _explain_open_question(claim: Claim, evidence: Evidence) -> str:
    """Quote the user who put off the answer to a question that a claim has as answered."""
    if claim.is_question or claim.is_quoted or _UNDECIDED.search(claim.text) or _WAITING.search(claim.text):
        return ""
    open_ = [one for one in evidence.replies if one.before and _UNDECIDED.search(one.text)]
    for reply in open_[-1:] if _DECIDES.search(claim.text) else ():
        own = extract_words(_DECIDES.sub(" ", _USER_WORD.sub(" ", claim.text)))
        asked = extract_words(reply.before) - extract_words(reply.text)
        if own and len(own & asked) >= LEAST_ASKED * len(own) and not own <= extract_words(_join_settled(evidence)):
            return quote("the user", reply.text)
    return ""


def _join_settled(evidence: Evidence) -> str:
    """Return what the user said without what was put off."""
    return "\n".join(one for one in SENTENCE.split(evidence.user) if not _UNDECIDED.search(one))


LEAST_ASKED = 0.5  # of the words of a decision, in the question and the answer that puts it off
_DECIDES = re.compile(
    r"(?i)\b(?:decided|chose|chosen|picked|wants?|wanted|agreed|approved|confirmed|answered|settled|prefers?"
    r"|entschied\w*|entschieden|gewählt|will|möchte|décidé|choisi|veut|decidi[óo]|eligi[óo]|quiere"
    r"|decidiu|escolheu|quer|решил\w*|выбрал\w*|хочет|quyết\s+định|chọn|muốn)\b|決め|決定|決まっ|選択し|選ん|决定|选择|同意|결정|선택"
)
_WAITING = re.compile(
    r"(?i)\b(?:not|no|open|pending|waits?|waiting|unanswered|ask|asks|asked|first|hear|once|until|when|if|after"
    r"|wenn|sobald|offen|noch|wartet|fragt|attend|pas|encore|espera|aún|pregunta|aguarda|ainda|ждёт|ждет|ещё|chờ"
    r"|chưa)\b|待|未|まだ|相談|等|아직"
)


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
_USER_WORD = re.compile(rf"(?i){_USER}|用户|使用者|ユーザー?|사용자")
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


def _explain_unseen_act(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never told of an act of their own that a claim has them do."""
    if claim.is_question or claim.is_quoted:
        return ""
    for found in _ACTED.finditer(claim.text):
        if _AHEAD.search(claim.text[: found.start()][-30:]) or is_negative(found.group()):
            continue
        stem = found["act"].casefold()[:STEM]
        told = [one for one in CLAUSE.split(evidence.user) if stem in one.casefold()]
        if told and not any(_is_told(one) for one in told):
            return quote("the user", told[-1])
    return ""


def _is_told(clause: str) -> bool:
    """Whether a clause may tell that something has happened."""
    return not (_AHEAD.search(clause) or clause.rstrip().endswith("?") or is_negative(clause))


STEM = 5  # letters by which an act is found in the user's words
_ACTED = re.compile(
    r"(?i)\b(?:the\s+)?user(?:\s+(?:has|had|already|now))*\s+(?P<act>(?:look|review|test|check|inspect|verif|deploy"
    r"|merg|releas|sign|answer|confirm|decid|publish|install|back)\w*ed|chose|chosen|seen|read)\b"
    r"(?!\s+(?:whether|if|that\s+they\s+will))"
)
_AHEAD = re.compile(
    r"(?i)\b(?:until|before|once|when|after|if|unless|will|comes?|on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|tomorrow|later|next|bis|bevor|wenn|sobald|am\s+\w+tag|morgen"
    r"|avant|quand|demain|antes|cuando|mañana|hasta|quando|amanhã|пока|когда|завтра)\b|前に|まで|之前|以前|明天|전에"
)


def _explain_rejected(claim: Claim, evidence: Evidence) -> str:
    """Quote the choice of what a claim calls rejected."""
    for item in claim.items:
        for name in _list_rejected(item.text):
            for sentence in SENTENCE.split(f"{evidence.user}\n{evidence.agent}"):
                taken = _CHOOSES.search(sentence)
                if taken and name in taken["what"].casefold() and not is_negative(taken.group()):
                    return f"it was chosen: {sentence.strip()[:80]!r}"
    return ""


def _list_rejected(text: str) -> Iterator[str]:
    """Yield the names that a text says to have been considered and not taken."""
    for sentence in re.split(r"[;:]\s", text):
        if found := _REJECTED.search(sentence):
            yield (found["name"] or found["name2"]).casefold()


_REJECTED = re.compile(
    r"(?i)(?:\b(?:an?|the|der|die|das|un|une|una|o|a|el|la)\s+)?(?P<name>[\w.-]{4,40})\s+(?:was|were|wurde|est"
    r"|a\s+été|fue|foi)\s+(?:only\s+|also\s+|nur\s+)?(?:considered\s+(?:and|but)\s+(?:then\s+)?(?:not\s+(?:used"
    r"|taken|chosen)|rejected|discarded|dropped)"
    r"|rejected|discarded|turned\s+down|ruled\s+out|verworfen|abgelehnt|écartée?|rejetée?|descartad[oa]"
    r"|rechazad[oa]|rejeitad[oa])\b"
    r"|\b(?:rejected|discarded|decided\s+against|ruled\s+out|turned\s+down)\s+(?:an?\s+|the\s+)?(?P<name2>[\w.-]{4,40})"
)
_CHOOSES = re.compile(
    r"(?i)\b(?:I|we)\s+(?:choose|chose|use|pick|take|went\s+with|go\s+with|prefer|decided\s+(?:for"
    r"|on))\s+(?P<what>[^.,;]{2,60})"
)


def _explain_turned_choice(claim: Claim, evidence: Evidence) -> str:
    """Quote the user where they chose what a claim has as passed over, and not what it has as chosen."""
    if claim.is_quoted or claim.is_question or claim.is_negative or not _CHOICE.search(claim.text):
        return ""
    for found in _AGAINST.finditer(claim.text):
        taken, passed = extract_words(_CHOICE.sub(" ", found["taken"])), extract_words(found["passed"])
        own, others = taken - passed, passed - taken
        is_choice = found["by"] != "to" or "prefer" in claim.text  # `lowered to 82` passes nothing over
        for reply in evidence.replies if own and others and is_choice else ():
            told = extract_words(" ".join(one for one in CLAUSE.split(reply.text) if not is_negative(one)))
            asked = extract_words(reply.before)
            if others & told and not own & extract_words(evidence.user) and own & asked:
                return quote("the user", reply.text)
    return ""


_CHOICE = re.compile(
    r"(?i)\b(?:user|customer|owner|benutzer\w*|nutzer\w*|utilisateur\w*|usuari[oa]|usuário)(?:['’]s)?\s+(?:(?:has|had|hat|a|ha)\s+)?(?:sich\s+)?"
    r"(?:choice|decision|chose|chosen|preferred|prefers|picked|selected|decided|opted|went|wanted|wants|entschied\w*|für|choisi|préféré"
    r"|eligi[óo]|prefiri[óo]|escolheu|preferiu)\b"
)
_AGAINST = re.compile(
    r"(?i)(?P<taken>[^.;]{3,120}?)\s+(?P<by>over|rather\s+than|instead\s+of|and\s+not|and\s+against|against|to|statt|und\s+gegen|plutôt\s+que"
    r"|en\s+(?:vez|lugar)\s+de|em\s+vez\s+de)\s+(?P<passed>[^.,;()]{3,60})"
)


def _explain_excluded(claim: Claim, evidence: Evidence) -> str:
    """Quote the user where something was excluded that a claim has as preferred to another thing."""
    for found in _OVER.finditer(claim.text):
        wanted = found["wanted"].casefold().strip("`.,")
        for clause in evidence.clauses:
            excluded = _EXCLUDES.search(clause)
            if excluded and excluded["what"].casefold().strip("`.,") == wanted:
                return quote("the user", clause)
    return ""


_OVER = re.compile(
    r"(?i)\b(?P<wanted>[\w@./-]{2,30}),?\s+(?:rather\s+than|instead\s+of|and\s+not|statt|anstelle\s+von"
    r"|au\s+lieu\s+de|plutôt\s+que|en\s+(?:vez|lugar)\s+de|em\s+vez\s+de|ao\s+invés\s+de|вместо|thay\s+vì)\s"
)
_EXCLUDES = re.compile(
    r"(?i)^\W*(?:(?:do\s+not|don['’]t|never)\s+use|no|not|never|without|kein\w*|ohne|nicht|sans|pas\s+(?:de|d['’])"
    r"|sin|sem|без|không(?:\s+dùng)?)\s+(?:use\s+|using\s+)?(?P<what>[\w@./-]{2,30})\W*$"
)

RULES = (
    ClaimRule("approval", _explain_unsaid),
    ClaimRule("approval", _explain_open_question),
    ClaimRule("approval", _explain_unseen_act),
    ClaimRule("inverted", _explain_rejected),
    ClaimRule("inverted", _explain_excluded),
    ClaimRule("inverted", _explain_turned_choice),
)
