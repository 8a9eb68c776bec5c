"""Whether a summary gives an idea, a finding, a decision or a wish to the one it came from.

Rule: whoever said a thing first is its origin. What the user is said to have found or proposed, and the agent or a tool
said before, came from them; what the agent is said to have done unasked, and the user ordered, did not. A third person
asked, wanted or did something only where the user or the agent says so of that person.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from secateur.compaction.judge.claims import SENTENCE, Claim, is_negative, quote
from secateur.compaction.judge.clauses import is_ahead, is_denied, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex, Speaker, get_claim_stems
from secateur.compaction.judge.ground.stems import get_stems

LEAST_ORDERED = 0.6  # of the stems of what the agent is said to have done unasked, in an order of the user
FEWEST_STEMS = 2
RARE = 40  # passages with a stem, at most, for it to tell who said it first


def _explain_others_idea(claim: Claim, evidence: Evidence) -> str:
    """Quote who said before the user what the user is said to have found or proposed."""
    found = _BY_USER.search(claim.text)
    if found is None or claim.is_quoted or is_denied(claim.text) or _OPEN.search(claim.text):
        return ""
    what = claim.text[found.end() :] if found["before"] else claim.text[: found.start()]
    clauses = split_clauses(what)
    stems = get_claim_stems(clauses[0]) if clauses else frozenset[str]()
    first = [one for stem in stems if (one := _find_first(stem, evidence.passages)) is not None]
    if not first or any(speaker == "user" for speaker, _ in first):
        return ""
    speaker, text = first[0]
    return quote(f"the {speaker}", text) if len(first) >= min(FEWEST_STEMS, len(stems)) else ""


_BY_USER = re.compile(
    r"(?i)(?P<before>\bthe\s+user\s+(?:had\s+|has\s+|also\s+|first\s+)*(?:noticed|found(?:\s+out)?|discovered|spotted|came\s+up\s+with|pointed\s+out|identified"
    r"|diagnosed|realized|observed|had\s+the\s+idea\s+(?:of|to)|thought\s+of|invented|proposed|suggested|recommended)\b"
    r"|\b(?:der\s+|die\s+)?(?:be)?nutzer(?:in)?\s+(?:hat(?:te)?\s+)?(?:bemerkte|entdeckte|fand\s+heraus|schlug|erkannte)\b"
    r"|\bl['’]utilisateur\s+a\s+(?:remarqué|découvert|trouvé|proposé|suggéré)\b"
    r"|\bel\s+usuario\s+(?:notó|descubrió|encontró|propuso|sugirió)\b|\bo\s+usuário\s+(?:notou|descobriu|encontrou|propôs|sugeriu)\b)"
    r"|\b(?:was|were)\s+(?:noticed|found|discovered|spotted|pointed\s+out|proposed|suggested)\s+by\s+the\s+user\b"
)


def _find_first(stem: str, index: PassageIndex) -> tuple[Speaker, str] | None:
    """Return who was the first to say a stem, and in which words; None for a common or an unknown one."""
    places = index.list_places(stem)
    if not places or len(places) > RARE or stem.isdigit():
        return None
    passage = index.passages[places[0]]
    return passage.speaker, passage.text


def _explain_ordered(claim: Claim, evidence: Evidence) -> str:
    """Quote the user's order for what the agent is said to have done unasked."""
    found = _UNASKED.search(claim.text)
    if found is None or is_denied(_UNASKED.sub(" ", claim.text)) or not _AGENT.search(claim.text):
        return ""
    stems = get_stems(_AGENT.sub(" ", _UNASKED.sub(" ", claim.text))) - _DECIDED
    for one in _list_orders(evidence.user) if stems else ():
        if len(stems & get_claim_stems(one)) >= LEAST_ORDERED * len(stems):
            return quote("the user", one)
    return ""


_UNASKED = re.compile(
    r"(?i)\b(?:by\s+itself|on\s+its\s+own(?:\s+(?:initiative|accord|authority))?|without\s+(?:asking|being\s+asked|an\s+order|consulting\s+\w+|the\s+user['’]s\s+\w+)|unasked|unprompted|unilaterally"
    r"|eigenmächtig|ungefragt|von\s+sich\s+aus|de\s+sa\s+propre\s+initiative|sans\s+demander|por\s+su\s+cuenta|sin\s+preguntar|por\s+conta\s+própria|sem\s+perguntar)\b"
)
_AGENT = re.compile(r"(?i)\b(?:the\s+|der\s+|l['’]|el\s+|o\s+)?(?:agente?|assistant)\b")
_DECIDED = get_stems("decided chose picked did")


@lru_cache(maxsize=2)
def _list_orders(user: str) -> tuple[str, ...]:
    """Return the clauses of the user that forbid nothing and ask nothing."""
    sentences = (one for one in SENTENCE.split(user) if not one.rstrip().endswith(("?", "？")))
    return tuple(one for sentence in sentences for one in split_clauses(sentence) if not is_negative(one))


def _explain_third_person(claim: Claim, evidence: Evidence) -> str:
    """Say that nobody has a person say, want or do what a claim has that person say, want or do."""
    if claim.is_quoted or claim.is_question or claim.section == "next":
        return ""
    for clause in split_clauses(claim.text):
        found = None if is_denied(clause) or _OPEN.search(clause) else _THIRD.match(clause)
        if found is None or found["who"] in evidence.kept or not _is_person(found["who"], evidence):
            continue
        told = list(_list_told(found["who"], evidence))
        verb = get_stems(found["verb"])
        is_said = any(_is_told(found["who"], verb, bool(_SAYS.fullmatch(found["verb"])), one) for one in told)
        if told and not is_said:
            return f"nobody says of {found['who']} that they {found['verb'].casefold()}"
    return ""


def _is_person(who: str, evidence: Evidence) -> bool:
    """Whether a word is a name within a sentence of the user or the agent, or one for somebody by their work."""
    if _ROLE.fullmatch(who):
        return True
    named = re.compile(
        rf"(?<=[a-zäöüß,;:] ){re.escape(who)}(?![\w./])|(?<![\w/]){re.escape(who)}(?=\s+(?:from|at|of)\s+the\b)"
    )
    texts = (evidence.user, evidence.agent)
    return who[0].isupper() and who.casefold() not in _NOBODY and any(named.search(text) for text in texts)


_ROLE = re.compile(
    r"(?i)neighbou?rs?|supervisors?|managers?|boss|designers?|colleagues?|sales|marketing|compliance|legal|reviewers?|maintainers?|architects?|lawyers?|director|ceo|cto"
)


def _list_told(who: str, evidence: Evidence) -> Iterator[str]:
    """Yield the clauses of the user and of the agent that name somebody."""
    name = re.compile(rf"(?i)(?<!\w){re.escape(who)}(?!\w)")
    for text in (evidence.user, evidence.agent):
        for sentence in SENTENCE.split(text) if name.search(text) else ():
            yield from (one for one in split_clauses(sentence) if name.search(one))


def _is_told(who: str, verb: frozenset[str], is_saying: bool, clause: str) -> bool:
    """Whether a clause has somebody say or want something, or do what a verb says."""
    if is_saying:
        says = re.compile(rf"(?i)(?<!\w){re.escape(who)}(?:['’]s)?(?:\s+\w+){{0,3}}?\s+(?:{_SAYS.pattern})(?!\w)")
        return says.search(clause) is not None or _HEARD.search(clause) is not None
    return bool(verb & get_claim_stems(clause)) and not (is_denied(clause) or is_ahead(clause))


_SAYS = re.compile(
    r"(?i:asks?|asked|wants?|wanted|insist(?:s|ed)|demand(?:s|ed)|requests?|requested|decided|decides|says?|said|told|prefers?|preferred"
    r"|refuse[sd]|reject(?:s|ed)|allow(?:s|ed)|agree[sd]|approve[sd]|wish(?:es|ed)|expects?|expected|complain(?:s|ed)|promised|warned|chose|wrote|thinks?|reports?|reported)"
)
_DOES = (
    r"(?i:measured|reviewed|confirmed|checked|tested|verified|fixed|deployed|signed|replied|answered|responded|tried"
    r"|looked)"
)
_THIRD = re.compile(
    rf"(?:[Tt]he\s+)?(?P<who>[A-ZÄÖÜ]?[a-zäöüß]{{3,20}})\s+(?:has\s+|have\s+|had\s+)?(?:already\s+|also\s+)?"
    rf"(?P<verb>{_SAYS.pattern}|{_DOES})\b"
)
_HEARD = re.compile(r"(?i)\b(?:according\s+to|on\s+behalf\s+of|by\s+order\s+of|at\s+the\s+request\s+of|per|from)\b")
_OPEN = re.compile(
    r"(?i)\b(?:if|whether|until|once|when|before|after|will|should|must|may|might|would|has\s+to|have\s+to"
    r"|needs\s+to\s+be)\b|\?"
)
_NOBODY = frozenset(
    word
    for words in (
        "user users agent assistant it they he she we you i this that these those there nobody nothing everything test",
        "tests suite build lint linter check checks job jobs server code file files script command customer client",
        "which who what and but then also",
    )
    for word in words.split()
)

RULES = (
    ClaimRule("approval", _explain_others_idea),
    ClaimRule("approval", _explain_ordered),
    ClaimRule("approval", _explain_third_person),
)
