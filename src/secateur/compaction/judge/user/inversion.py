"""Whether a summary turns the user's prohibitions and demands around, drops them or restates what was taken back.

Rule: a line is false only where the user spoke of the same thing and said otherwise. A later word of the user that
allows it, or a line that is hedged, is enough to let it stand.
"""

import re

from secateur.compaction.judge.claims import DEMANDING, Claim, extract_words, is_denied, is_negative
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.lexicon import FORBIDS
from secateur.compaction.ledger.user.constraints import is_demand
from secateur.compaction.ledger.user.retractions import find_alternatives, is_retraction

LEAST_SHARED = 0.5  # of the words of what the user said
SHORT = 3  # words of a prohibition that its noun alone stands for
WHOLE_WORDS, WHOLE_SHARE = 3, 0.8  # of a prohibition, in a goal that turns it around


_PERMITS = re.compile(
    r"(?i)\b(?:may|must|always|allowed|permitted|can\s+(?:now\s+)?(?:be|use|add|change|edit|touch|run)|(?:is"
    r"|are)\s+(?:fine|ok(?:ay)?)|free\s+to"
    r"|darf|dürfen|immer|erlaubt|puede[ns]?|siempre|permitid[oa]s?|pode[m]?|sempre|permitid[oa]s?|peu[tvx]\w*"
    r"|toujours|autorisé\w*"
    r"|được\s+phép|luôn|можно|всегда|разрешен\w*)\b|可以|允许|必须|总是|してよい|必ず|해도|항상|반드시"
)
_GUARDED = re.compile(
    r"(?i)\b(?:nothing|none|off[\s-]limits|untouched|unchanged|intact|read-?only|forbid\w*|forbade|prohibit\w*"
    r"|banned|declined|refus\w*|refrain|except"
    r"|instead|rather|leave|leaves|keep|keeps|stays?|remains?|until|unless|ask|asks|only\s+(?:after|with|if)"
    r"|declines?|said\s+no"
    r"|bleib\w*|unberührt|unverändert|tabu|statt|außer|nur\s+(?:nach|mit|wenn)|untersagt|salvo|intact[oa]s?"
    r"|prohíbe\w*|interdit\w*|sauf|intacte?s?"
    r"|прежн\w*|кроме|нельзя|ngoại\s+trừ|giữ\s+nguyên)\b|除非|保持|除了|以外|そのまま|그대로|외에"
)
_MARKED = re.compile(
    r"(?i)\b(?:formerly|previous\w*|earlier|was|were|used\s+to|superseded|replaced|replaces|no\s+longer|instead"
    r"|rather|not|originally|at\s+first|then|now|later|but"
    r"|früher|zuvor|ersetzt|statt|anstatt|nicht|ursprünglich|zuerst|jetzt|später|antes|ya\s+no|en\s+vez"
    r"|en\s+lugar|ahora|em\s+vez|agora|avant"
    r"|au\s+lieu|désormais|maintenant|remplac\w*|trước|thay|giờ|раньше|вместо|теперь|больше)\b|以前|原先|改|不再|而不是"
    r"|现在|以前|代わり|なく|이전|대신|이제"
)
_BOTH = re.compile(
    r"(?i)\b(?P<new>[\w@./-]{2,30}),?\s+(?:not|never|instead\s+of|rather\s+than|over|statt|nie|jamais|nunca|anstatt|nicht|en\s+(?:vez"
    r"|lugar)\s+de|em\s+vez\s+de"
    r"|ao\s+invés\s+de|au\s+lieu\s+de|plutôt\s+que|thay\s+vì|а\s+не|вместо|而不是|不是)\s+(?:the\s+|on\s+|in\s+"
    r"|with\s+|use\s+)?(?P<old>[\w@./-]{2,30})"
)


def is_about(clause: str, line: str) -> bool:
    """Whether a line is about what the user's clause is about."""
    own = extract_words(clause)
    shared = own & extract_words(line)
    return bool(own) and len(shared) >= min(2, len(own)) and len(shared) >= LEAST_SHARED * len(own)


def _explain_lost_negation(claim: Claim, evidence: Evidence) -> str:
    """Quote what the user forbade and never allowed, where a claim orders or allows it."""
    said = " ".join(claim.text.split())
    if said in evidence.user or any(
        one.strip().casefold().startswith(said.casefold().rstrip(".!")) for one in evidence.clauses
    ):
        return ""  # verbatim
    if claim.is_negative or _is_guarded(claim.text) or claim.is_question or claim.is_quoted:
        return ""
    if claim.is_by_user and not _PERMITS.search(claim.text):
        return ""  # what the user did is no order
    against = next((one for one in evidence.clauses if _is_forbidding(one, claim)), None)
    if against is None:
        return ""
    allowed = (one for one in evidence.clauses if not is_negative(one))
    is_allowed = any(is_about(claim.text, one) or is_about(one, claim.text) for one in allowed)
    return "" if is_allowed else quote_demand(against)


def _is_guarded(text: str) -> bool:
    """Whether a text forbids without a denial."""
    return _GUARDED.search(text) is not None or FORBIDS.search(text) is not None


def _explain_moved(claim: Claim, evidence: Evidence) -> str:
    """Quote a demand for one place where a claim names another: staging, and not production."""
    named = set(_PLACE.findall(claim.text.casefold()))
    words = extract_words(_PLACE.sub(" ", claim.text))
    wanted = [one for one in evidence.clauses if not is_negative(one) and _PLACE.search(one)]
    about = [one for one in wanted if len(extract_words(_PLACE.sub(" ", one)) & words) >= 2]
    places = {place for one in about for place in _PLACE.findall(one.casefold())}
    if claim.is_negative or not named or not about or named & places:
        return ""
    return quote_demand(about[0])


def _is_forbidding(clause: str, claim: Claim) -> bool:
    """Whether a clause of the user forbids what a claim is about: a short one by the word behind its `no`."""
    if not is_negative(clause) or clause.rstrip().endswith(("?", "？")) or _CONDITION.search(clause):
        return False
    names = _NAMES.findall(clause)
    if names and not any(name in claim.text for name in names) and _NAMES.search(claim.text):
        return False  # another one with the same beginning
    own = extract_words(clause)
    places = set(_PLACE.findall(clause.casefold())) & set(_PLACE.findall(claim.text.casefold()))
    if places and claim.section in ("goal", "next", *DEMANDING) and len(own & claim.words) >= 2:
        return True
    short = _NO.search(clause) if len(own) <= SHORT and claim.section in DEMANDING else None
    return is_about(clause, claim.text) or (short is not None and bool(extract_words(short["what"]) & claim.words))


_CONDITION = re.compile(
    r"(?i)\b(?:only|just|nur|seulement|solo|sólo|só)\s+(?:when|where|if|wenn|falls|si|quand|cuando|se|quando)\b"
)
_NAMES = re.compile(r"\w+(?:[_/]\w+)+")
_NO = re.compile(r"(?i)\b(?:no|kein\w*|sans|sin|sem|без)\s+(?P<what>\w{3,})\b")


def _explain_forbidden_goal(claim: Claim, evidence: Evidence) -> str:
    """Quote a prohibition that makes up a goal, three of its words at least."""
    topics = (extract_words(one) for one in evidence.clauses if is_negative(one))
    is_whole = any(len(own & claim.words) >= max(WHOLE_WORDS, WHOLE_SHARE * len(own)) for own in topics)
    return _explain_lost_negation(claim, evidence) if is_whole else ""


def quote_demand(clause: str) -> str:
    return f"the user said {clause.strip()[:80]!r}, and the summary"


def _explain_dropped(claim: Claim, evidence: Evidence) -> str:
    """Say that the user took nothing back of a demand that no longer holds by a claim."""
    found = _DROPS.search(claim.text)
    if found is None or claim.is_question or is_denied(claim.text[: found.start()]):
        return ""
    about = [one for one in evidence.clauses if len(extract_words(one) & claim.words) >= 2]
    is_kept = about and not any(map(is_retraction, about)) and all(map(is_demand, about))
    return "the user never took this back" if is_kept else ""


def _explain_allowed(claim: Claim, evidence: Evidence) -> str:
    """Say that the user forbade to touch a path, and never allowed it, where a claim allows to change it."""
    if not _ALLOWS.search(claim.text) or claim.is_negative or claim.is_hedged or _is_guarded(claim.text):
        return ""
    for path in (word for word in claim.words if "/" in word):
        about = [one for one in evidence.clauses if path in extract_words(one)]
        if about and all(map(is_negative, about)) and not any(map(is_retraction, about)):
            return "the user forbade this"
    return ""


def _explain_other_place(claim: Claim, evidence: Evidence) -> str:
    """Quote a prohibition for one place where a claim names another: staging for production."""
    named = {one.casefold()[:4] for one in _PLACE.findall(claim.text)}
    if not claim.is_negative or not named:
        return ""
    forbidden = [one for one in evidence.clauses if is_negative(one) and _PLACE.search(one)]
    places = {one.casefold()[:4] for other in forbidden for one in _PLACE.findall(other)}
    words = extract_words(_PLACE.sub(" ", claim.text))
    for clause in forbidden if not named & places else ():
        if len(extract_words(_PLACE.sub(" ", clause)) & words) >= 2:
            return quote_demand(clause)
    return ""


_PLACE = re.compile(
    r"(?i)\b(?:production|prod|staging|development|testing|frontend|backend|client|server|main|master|develop)\b"
)


_ALLOWS = re.compile(
    r"(?i)\b(?:may\s+(?:now\s+)?be|(?:is|are)\s+(?:now\s+)?(?:ok|okay|fine|allowed|permitted|free)|you\s+may"
    r"|can\s+now\s+be)\b"
)


_DROPS = re.compile(
    r"(?i)\b(?:may|can)\s+be\s+(?:dropped|ignored|skipped|relaxed|disregarded|waived)|\bno\s+longer\s+(?:needs?"
    r"|has|have|required|applies|necessary|holds)"
    r"|\b(?:is|are)\s+no\s+longer\s+(?:required|needed|necessary|in\s+force)|\b(?:restriction|rule|ban"
    r"|requirement|limit)\s+(?:was|has\s+been|is)\s+(?:lifted|dropped|waived)"
    r"|\bgilt\s+nicht\s+mehr|\bya\s+no\s+(?:hace\s+falta|aplica)|\bne\s+s['’]applique\s+plus"
    r"|больше\s+не\s+(?:нужн|действ)\w*|不再需要|不再适用"
)


def _explain_added_negation(claim: Claim, evidence: Evidence) -> str:
    """Quote what the user demands where a claim forbids it, in nearly all of its words."""
    if not claim.is_negative or _is_guarded(claim.text) or _BOUND.search(claim.text) or claim.text in evidence.user:
        return ""
    if any(is_about(one, claim.text) for one in evidence.clauses if is_negative(one)):
        return ""
    for clause in evidence.clauses:
        own = extract_words(clause)
        if _FIRST.search(clause) or _KEEPS.search(clause):
            continue  # what the user does is not for the agent to do
        if not is_negative(clause) and len(own) >= 2 and len(own & claim.words) >= WHOLE_SHARE * len(own):
            return quote_demand(clause)
    return ""


_KEEPS = re.compile(
    r"(?i)\b(?:stay|keep|remain|leave|bleib\w*|behalt\w*|beibehalten|lass\w*|reste\w*|garde\w*|mant\w+|deja|deixa"
    r"|остав\w+|giữ)\b"
)
_FIRST = re.compile(r"(?i)\bI(?:['’]ll|['’]m|\s+will|\s+am)\b|\bje\b|\bich\b|\byo\b|\beu\b|я\b|私が|我(?:来|自己)|제가")
_BOUND = re.compile(
    r"(?i)\b(?:before|without|unless|until|after|when|while|if|vor|bevor|ohne|wenn|antes|sin|sem|avant|sans"
    r"|trước|без|если|что)\b|[,;:]|之前|前に|전에"
)


def _explain_restated(claim: Claim, evidence: Evidence) -> str:
    """Say that the user took back what a claim states as current."""
    for constraint in evidence.constraints:
        if constraint.replaced_by:
            old = find_alternatives(constraint.text)
            new = find_alternatives(constraint.replaced_by) - old
            named = find_alternatives(claim.text)
            is_old = new and old & named and not new & named
            if is_old and not _MARKED.search(claim.text) and not claim.is_negative:
                return "the user took this back"
    return ""


def _explain_exchanged(claim: Claim, evidence: Evidence) -> str:
    """Say that the user said `X, not Y` where a claim says `Y, not X`."""
    pairs = set(map(_get_pair, _BOTH.finditer(evidence.user)))
    named = map(_get_pair, _BOTH.finditer(claim.text))
    is_exchanged = any(pair[::-1] in pairs and pair not in pairs for pair in named)
    return "the user said it the other way around" if is_exchanged else ""


def _get_pair(found: re.Match[str]) -> tuple[str, str]:
    """Return what is wanted, and what is not."""
    return found["new"].casefold().strip("./-"), found["old"].casefold().strip("./-")


RULES = (
    *(
        ClaimRule("inverted", explain, DEMANDING)
        for explain in (
            _explain_lost_negation,
            _explain_added_negation,
            _explain_restated,
            _explain_exchanged,
        )
    ),
    ClaimRule("inverted", _explain_dropped),
    ClaimRule("inverted", _explain_other_place, DEMANDING),
    ClaimRule("inverted", _explain_allowed),
    ClaimRule("inverted", _explain_forbidden_goal, ("goal",)),
    ClaimRule("inverted", _explain_moved, ("goal", *DEMANDING)),
)
