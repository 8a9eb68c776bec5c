"""Whether a summary orders the opposite of what the user ordered: enabled for disabled, keep for remove.

Rule: only words that exclude each other, about the same thing, with nothing negated on either side. Where the user
said both at different times, nothing is judged here. What the user called out is not chosen.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import CLAUSE, DEMANDING, Claim, extract_plain_words, is_negative, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence

LEAST_SHARED = 0.6  # of the words of the shorter one


def _explain_opposite(claim: Claim, evidence: Evidence) -> str:
    """Quote the user where a claim orders the opposite."""
    if claim.is_negative or claim.is_quoted or claim.is_question or claim.is_past:
        return ""
    for one, other in (*_PAIRS, *((second, first) for first, second in _PAIRS)):
        if not one.search(claim.text) or other.search(claim.text):
            continue
        words = extract_plain_words(one.sub(" ", claim.text))
        orders = (clause for clause in CLAUSE.split(evidence.user) if one.search(clause) or other.search(clause))
        about = [clause for clause in orders if not is_negative(clause) and _is_about(clause, words, one, other)]
        if about and not any(map(one.search, about)):
            return quote("the user", about[-1])
    return ""


def _is_about(clause: str, words: frozenset[str], one: re.Pattern[str], other: re.Pattern[str]) -> bool:
    own = extract_plain_words(other.sub(" ", one.sub(" ", clause)))
    return bool(own and words) and len(own & words) >= max(1, LEAST_SHARED * min(len(own), len(words)))


def _make_pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)\b(?:{words})\b")


_PAIRS = tuple(
    (_make_pattern(one), _make_pattern(other))
    for one, other in (
        (r"enabl\w*|aktivier\w*|activ[ée]\w*|habilit\w*", r"disabl\w*|deaktivier\w*|désactiv\w*|deshabilit\w*"),
        (
            r"keeps?|kept|retain\w*|stays?|preserv\w*|bleib\w*|behalt\w*|gard\w*|conserv\w*|mant[ée]\w*",
            r"replac\w*|ersetz\w*|remplac\w*|reemplaz\w*|abandon\w*|remov\w*|delet\w*|drop(?:s|ped)?|discard\w*|entfern\w*|lösch\w*|gelöscht|supprim\w*|elimin\w*|borr\w*",
        ),
        (r"reload\w*|neu\s+laden", r"restart\w*|neu\s*start\w*"),
        (r"includ\w*|einschließ\w*", r"exclud\w*|ausschließ\w*|leave\s+out"),
        (
            r"increas\w*|rais\w*|erhöh\w*|augment\w*|aument\w*",
            r"decreas\w*|lower\w*|reduc\w*|verringer\w*|senk\w*|rédui\w*",
        ),
        (r"allow\w*|permit\w*|erlaub\w*", r"forbid\w*|prohibit\w*|disallow\w*|verbiet\w*|verboten"),
        (r"public", r"private"),
        (r"synchronous(?:ly)?|sync", r"asynchronous(?:ly)?|async"),
        (r"ascending|aufsteigend", r"descending|absteigend"),
        (r"required|mandatory|verpflichtend|obligator\w*", r"optional\w*|facultati\w*|opcional\w*"),
    )
)  # fmt: skip


def _explain_chosen_out(claim: Claim, evidence: Evidence) -> str:
    """Quote the user on what is out, where a claim has it as chosen."""
    text = claim.text.casefold()
    for found in _list_out(evidence.user):
        if found["what"].casefold() not in text:
            continue
        name = re.escape(found["what"])
        chosen = re.compile(
            rf"(?i)\b(?:chose|chosen|picked|selected|opted\s+for|went\s+with|decided\s+(?:for|on)|wählte|gewählt|choisi)\s+"
            rf"(?:an?\s+|the\s+)?{name}\b|(?<!\bnot )\b{name},?\s+(?:rather\s+than|instead\s+of"
            rf"|statt|plutôt\s+que|en\s+vez\s+de)\b"
        )
        if chosen.search(claim.text) and not is_negative(claim.text):
            return f"the user said {found.group().strip()[:80]!r}"
    return ""


@lru_cache(maxsize=2)
def _list_out(user: str) -> tuple[re.Match[str], ...]:
    """Return what the user calls out of the question, each with its words."""
    return tuple(_OUT.finditer(user))


_OUT = re.compile(
    r"(?i)\b(?P<what>[A-Za-z][\w.-]{1,30})\s+(?:(?:is|are)\s+(?:out|off\s+the\s+table|excluded|ruled\s+out|no\s+option)"
    r"|(?:scheidet|fällt)\s+(?:aus|weg)|ist\s+raus|est\s+exclue?|queda\s+(?:fuera|descartad[oa]))\b"
)


def _explain_unwanted(claim: Claim, evidence: Evidence) -> str:
    """Quote the user on a thing that they do not want, where a claim says that it is in use or wants it."""
    if claim.is_reported or claim.is_quoted or claim.is_question or claim.is_past:
        return ""
    for name, clause in _list_unwanted(evidence.clauses):
        beside = re.compile(rf"(?i)(?<!\w){re.escape(name)}(?!\w)")
        for item in claim.items:
            has_it = beside.search(item.text) and _IN_USE.search(item.text) and not is_negative(item.text)
            if has_it and not any(beside.search(one) and not is_negative(one) for one in evidence.clauses):
                return quote("the user", clause)
    return ""


@lru_cache(maxsize=2)
def _list_unwanted(clauses: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return what the user does not want, each with the clause that says so."""
    return tuple((found["what"], one) for one in clauses if (found := _NOT_WANTED.search(one)))


_NOT_WANTED = re.compile(
    r"(?i)\b(?:(?:do\s+not|don['’]t)\s+want\s+(?:any\s+|the\s+)?|will\s+(?:keine?n?)\s+|möchte\s+keine?n?\s+"
    r"|ne\s+veux\s+pas\s+(?:de\s+|d['’])|no\s+quiero\s+|não\s+quero\s+|не\s+хочу\s+|không\s+muốn\s+)(?P<what>[\w-]{3,40}(?:\.\w{1,20})?)\W*$"
)
_IN_USE = re.compile(
    r"(?i)\b(?:enabled?|active|activated|in\s+use|used?|uses|using|is\s+the\s+plan|chosen|wanted|aktiv\w*|benutzt|verwendet|activée?s?|utilisée?s?"
    r"|activad[oa]s?|usad[oa]s?|ativad[oa]s?|включ\w+|использ\w+)\b|启用|使用|有効|사용"
)

RULES = (
    ClaimRule("inverted", _explain_opposite, ("goal", *DEMANDING, "next", "decisions")),
    ClaimRule("inverted", _explain_chosen_out),
    ClaimRule("inverted", _explain_unwanted),
)
