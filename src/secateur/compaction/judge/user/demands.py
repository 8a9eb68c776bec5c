"""Whether a summary weakens what the user demands, changes its numbers, or orders what the user withdrew.

Rule: `never` is not `preferably`, and the last word of the user on a thing counts. A condition that the user set, and a
claim that says what was withdrawn, are no contradiction.
"""

import re

from secateur.compaction.judge.claims import CLAUSE, DEMANDING, Claim, extract_words, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.lexicon import DENIES
from secateur.compaction.judge.user.inversion import is_about, quote_demand

LEAST_SHARED = 0.5  # of the words of a demand
STEM = 4  # letters by which the words of a withdrawn order are compared


def _explain_weakened(claim: Claim, evidence: Evidence) -> str:
    """Quote a demand without exception that a claim makes a preference or a permission."""
    found = _WEAK.search(claim.text)
    if found is None or DENIES.search(claim.text[: found.start()]) or _ONLY.search(claim.text[: found.start()]):
        return ""
    about = [one for one in evidence.clauses if _is_demanding(one, claim)]
    if not about or any(map(_WEAK.search, about)):
        return ""
    return next((quote("the user", one) for one in about if _ABSOLUTE.search(one)), "")


_ONLY = re.compile(r"(?i)\b(?:only|nur|seule?ment|sólo|solo|apenas|somente|только|chỉ)\b")


def _is_demanding(clause: str, claim: Claim) -> bool:
    own = extract_words(_ABSOLUTE.sub(" ", clause))
    shared = own & claim.words
    return len(shared) >= max(1, LEAST_SHARED * len(own))


_ABSOLUTE = re.compile(
    r"(?i)\b(?:never|always|no|not|nothing|none|only|must|don['’]?t|without|kein\w*|nie|niemals|nichts|immer|nur|muss"
    r"|jamais|toujours|aucune?|ne|nunca|siempre|jamás|sempre|никогда|всегда|không|đừng|luôn)\b|绝对|不要|不得|必须|总是|必ず"
    r"|絶対|ないで|항상|절대"
)
_WEAK = re.compile(
    r"(?i)\b(?:prefer(?:ably|red)?|ideally|where\s+(?:practical|possible|needed|necessary|it\s+helps)"
    r"|(?:if|when|unless|where)\s+(?:at\s+all\s+)?(?:possible|needed|necessary|convenient|required|practical)"
    r"|if\s+(?:a|the|some)\s+\w+\s+(?:needs?|requires?)|as\s+(?:little|few|much)\s+as\s+possible"
    r"|try\s+(?:not\s+)?to|at\s+any\s+time"
    r"|möglichst|nach\s+möglichkeit|wo\s+(?:nötig|möglich)|wenn\s+(?:nötig|möglich)|bevorzugt"
    r"|de\s+préférence|si\s+(?:possible|nécessaire|besoin)|autant\s+que\s+possible|si\s+es\s+(?:posible|necesario)"
    r"|de\s+preferencia|preferiblemente|se\s+(?:possível|necessário)|по\s+возможности|желательно|nếu\s+(?:cần"
    r"|có\s+thể))\b"
    r"|(?<!nothing )\bmay\s+(?:now\s+)?be\b|尽量|必要时|最好|如有需要|なるべく|できるだけ|必要なら|てよい|가능하면"
)


def _explain_withdrawn(claim: Claim, evidence: Evidence) -> str:
    """Quote the user's last words on a thing that a claim orders, where they withdraw it."""
    is_free = claim.is_negative or claim.is_quoted or claim.is_reported or _PAST.search(claim.text)
    if is_free or (claim.section == "next" and re.match(r"(?i)(?:\d+\.\s*)?\[(?:cancel|done|x)", claim.text)):
        return ""
    words = _split_stems(claim.text)
    clauses = CLAUSE.split(evidence.user)
    for at, clause in enumerate(clauses):
        found = next(filter(None, (pattern.search(clause) for pattern in _WITHDRAWS)), None)
        topic = _split_stems(found["what"]) if found else frozenset()
        if not topic or not topic <= words or any(topic <= _split_stems(one) for one in clauses[at + 1 :]):
            continue
        is_ordered = any(topic <= _split_stems(one) for one in clauses[:at])
        if found and is_ordered and not (found.re is _WITHDRAWS[0] and _REMOVES.search(claim.text)):
            return quote("the user", clause)
    return ""


def _split_stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, names taken apart."""
    return frozenset(
        word.casefold()[:STEM] for word in re.findall(r"[^\W_]{3,}", text) if word.casefold() not in _FILLING
    )


_FILLING = frozenset(
    [
        "the",
        "that",
        "this",
        "and",
        "for",
        "with",
        "from",
        "again",
        "file",
        "flag",
        "job",
        "old",
        "new",
        "der",
        "die",
        "das",
        "les",
        "des",
    ]
)
_WHAT = r"(?P<what>[`\w./-]+(?:\s+[\w./-]+){0,2}?)"
_WITHDRAWS = (
    re.compile(rf"(?i)\b(?:take|nimm|retire|enlève|quita)\s+{_WHAT}\s+(?:out|heraus|wieder\s+raus)\b"),
    re.compile(
        rf"(?i)\b(?:forget|never\s?mind|vergiss|oublie|olvida|esquece|забудь)\s+(?:about\s+)?(?:the\s+|das\s+"
        rf"|die\s+|den\s+)?{_WHAT}\s*$"
    ),
    re.compile(rf"(?i)\b(?:leave|lass|laisse|deja)\s+(?:the\s+)?{_WHAT}\s+(?:in|alone|as\s+it\s+is|drin|in\s+ruhe)\b"),
)
_REMOVES = re.compile(r"(?i)\b(?:remov\w*|delet\w*|out|drop\w*|entfern\w*|supprim\w*|elimin\w*)\b")
_PAST = re.compile(
    r"(?i)\b(?:was|were|first|instead|replaced|until|earlier|stays?|kept|keep|leave|left|remains?|taken\s+back"
    r"|withdrawn|cancel\w*|no\s+longer"
    r"|bleib\w*|zuerst|statt|war|reste|était)\b|保留|不再"
)


def _explain_other_number(claim: Claim, evidence: Evidence) -> str:
    """Quote a demand whose number a claim changes to one that the history does not hold."""
    numbers = set(_NUMBER.findall(claim.text)) - set(_NUMBER.findall(f"{evidence.user}\n{evidence.kept}"))
    numbers -= {str(int(hour) + 12) for hour in _AFTERNOON.findall(evidence.user)}
    if not numbers or claim.is_quoted:
        return ""
    theirs_near = _list_near_numbers(evidence.user)
    for name, number, unit in _list_near_numbers(claim.text):
        same = {one for noun, one, measure in theirs_near if (noun, measure) == (name, unit)}
        if same and number not in same:
            return f"the user said {name} {same.pop()}"
    for found in _NAME_NUMBER.finditer(claim.text):
        theirs = re.findall(rf"\b{re.escape(found['name'])}\s+(\d+(?:\.\d+)?)", evidence.user)
        if theirs and found["number"] not in theirs:
            return f"the user said {found['name']} {theirs[-1]}"
    for clause in evidence.clauses:
        own = _NUMBER.findall(clause)
        topic = _NUMBER.sub(" ", clause)
        if own and len(extract_words(topic)) >= FEWEST_TOPIC and is_about(topic, claim.text):
            return quote_demand(clause)
    return ""


_AFTERNOON = re.compile(r"(?i)(?<!\d)(\d{1,2})\s*p\.?m\b")
FEWEST_TOPIC = 2  # words that tell what a number of the user's is of


def _list_near_numbers(text: str) -> list[tuple[str, str, str]]:
    """Return the numbers with a unit, and the word before each: `timeout of 2 seconds`."""
    return [(noun.casefold()[:5], number, unit.casefold()[:3]) for noun, number, unit in _NEAR.findall(text)]


_NEAR = re.compile(r"\b([^\W\d_]{4,})(?:\W+\w{1,5}){0,2}?\W+(\d+(?:\.\d+)?)\s*(%|[A-Za-z]{1,8})")
_NAME_NUMBER = re.compile(r"\b(?P<name>[A-Z][A-Za-z]{2,})\s+(?P<number>\d+(?:\.\d+)?)\b")
_NUMBER = re.compile(r"(?<![\w.:])\d+(?:\.\d+)?")


RULES = (
    ClaimRule("inverted", _explain_weakened, DEMANDING),
    ClaimRule("inverted", _explain_other_number, DEMANDING),
    ClaimRule("inverted", _explain_withdrawn, ("goal", *DEMANDING, "next")),
)
