"""Whether a summary weakens what the user demands, changes its numbers, or exchanges what is wanted and what is not.

Rule: `never` is not `preferably`. What the user demands is looked for by its words; that it became the opposite is
found by the rules on rulings.
"""

import re

from secateur.compaction.judge.claims import DEMANDING, Claim, extract_words, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.lexicon import DENIES

LEAST_SHARED = 0.5  # of the words of a demand


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
        if own and len(extract_words(topic)) >= FEWEST_TOPIC and _is_about(topic, claim.text):
            return quote("the user", clause)
    return ""


def _is_about(clause: str, line: str) -> bool:
    """Whether a line is about what the user's clause is about."""
    own = extract_words(clause)
    shared = own & extract_words(line)
    return bool(own) and len(shared) >= min(2, len(own)) and len(shared) >= LEAST_SHARED * len(own)


_AFTERNOON = re.compile(r"(?i)(?<!\d)(\d{1,2})\s*p\.?m\b")
FEWEST_TOPIC = 2  # words that tell what a number of the user's is of


def _list_near_numbers(text: str) -> list[tuple[str, str, str]]:
    """Return the numbers with a unit, and the word before each: `timeout of 2 seconds`."""
    return [(noun.casefold()[:5], number, unit.casefold()[:3]) for noun, number, unit in _NEAR.findall(text)]


_NEAR = re.compile(r"\b([^\W\d_]{4,})(?:\W+\w{1,5}){0,2}?\W+(\d+(?:\.\d+)?)\s*(%|[A-Za-z]{1,8})")
_NAME_NUMBER = re.compile(r"\b(?P<name>[A-Z][A-Za-z]{2,})\s+(?P<number>\d+(?:\.\d+)?)\b")
_NUMBER = re.compile(r"(?<![\w.:])\d+(?:\.\d+)?")


def _explain_exchanged(claim: Claim, evidence: Evidence) -> str:
    """Say that the user said `X, not Y` where a claim says `Y, not X`."""
    pairs = set(map(_get_pair, _BOTH.finditer(evidence.user)))
    named = map(_get_pair, _BOTH.finditer(claim.text))
    is_exchanged = any(pair[::-1] in pairs and pair not in pairs for pair in named)
    return "the user said it the other way around" if is_exchanged else ""


def _get_pair(found: re.Match[str]) -> tuple[str, str]:
    """Return what is wanted, and what is not."""
    return found["new"].casefold().strip("./-"), found["old"].casefold().strip("./-")


_BOTH = re.compile(
    r"(?i)\b(?P<new>[\w@./-]{2,30}),?\s+(?:not|never|instead\s+of|rather\s+than|over|statt|nie|jamais|nunca|anstatt|nicht|en\s+(?:vez"
    r"|lugar)\s+de|em\s+vez\s+de"
    r"|ao\s+invés\s+de|au\s+lieu\s+de|plutôt\s+que|thay\s+vì|а\s+не|вместо|而不是|不是)\s+(?:the\s+|on\s+|in\s+"
    r"|with\s+|use\s+)?(?P<old>[\w@./-]{2,30})"
)


RULES = (
    ClaimRule("inverted", _explain_exchanged, DEMANDING, strength="certain"),
    ClaimRule("inverted", _explain_weakened, DEMANDING, strength="certain"),
    ClaimRule("inverted", _explain_other_number, DEMANDING, strength="certain"),
)
