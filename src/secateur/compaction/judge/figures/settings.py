"""Whether a summary gives to settings, branches, regions and limits the values that they have now.

Rule: what an edit wrote decides over what was said of it, and the user's last word over an earlier one. A value that
is marked as former stands. Names are found by what is beside them in the history: a branch that is never called
`main` is not `main`.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import CLAUSE, Claim, extract_words, is_negative
from secateur.compaction.judge.evidence import ClaimRule, Evidence

WRITTEN_CHARS = 200_000  # of what edits wrote, the newest, that is read for settings
MOST_FORMER = 200  # values of the user that a later one replaced
_CURRENT = ("accomplished", "files", "discoveries", "decisions", "resolved")


def _explain_written_value(claim: Claim, evidence: Evidence) -> str:
    """Name a setting that edits wrote with other values only."""
    if claim.is_past or claim.is_question or claim.is_quoted or _LATER.search(claim.text):
        return ""
    written = _read_settings(evidence.contents)
    for found in _STATED.finditer(claim.text):
        values = written.get(found["name"])
        value = found["value"].strip("`\"'").casefold()
        if not values or any(_is_equal(value, one) for one in values):
            continue
        seen = re.compile(rf"(?i)(?<![\w-]){re.escape(found['name'])}[\"'`]?\s*[:=]\s*[\"'`]?{re.escape(value)}\b")
        if not seen.search(evidence.looked_up):
            return f"{found['name']} was written as {values[-1]}, never as {value}"
    return ""


@lru_cache(maxsize=2)
def _read_settings(contents: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the numbers and the switches that edits gave to names."""
    found: dict[str, list[str]] = {}
    for one in _ASSIGNS.finditer("\n".join(contents)[-WRITTEN_CHARS:]):
        found.setdefault(one["name"], []).append(one["value"].casefold())
    return found


def _is_equal(value: str, other: str) -> bool:
    return value == other or value.replace("_", "") == other.replace("_", "") or _SWITCHES.get(value, value) == other


_LITERAL = r"-?\d[\d_]*(?:\.\d+)?|true|false|none|null|nil"
_ASSIGNS = re.compile(
    rf"(?i)(?<![\w.-])(?P<name>[a-z_][\w-]{{3,60}})[\"'`]?\s*(?::\s*[\w\[\]<>]{{1,30}}\s*=|:=|="
    rf"|:)\s*(?P<value>{_LITERAL})(?![\w.])(?!\s*[*/+])"
)
_STATED = re.compile(
    rf"(?i)(?<![\w./-])(?P<name>[a-z_][\w-]{{3,60}})[`\"']?\s*(?:[:=→]|->|\s(?:is|are|must\s+be|has\s+to\s+be"
    rf"|needs\s+to\s+be|should\s+be|set\s+to"
    rf"|to|at|ist|auf|muss|est|à|es|en|é|em|là|равно?)(?:\s+(?:now|set|at|to|jetzt|auf)){{0,2}}\s|は|を|が|为|是|設"
    rf"|设为)\s*[`\"']?(?P<value>{_LITERAL})[`\"']?(?!\s*(?:[*/+x×]|→|->|=>)|[\w]|\.\d)"
)
_SWITCHES = {"on": "true", "off": "false", "yes": "true", "no": "false"}
_LATER = re.compile(
    r"(?i)\b(?:idea|advice|would|wish\w*|depends|wanted|asked|proposed|suggested|will|then|later|next|plans?|todo|raise\s|lower\s|whether|if|unless|dann|später|sobald|luego|después"
    r"|ensuite|puis|depois|потом|sau)\b|次に|予定|下一步|接下来|다음"
)


def _explain_former_value(claim: Claim, evidence: Evidence) -> str:
    """Name a value that an edit or the user replaced, where a claim has it as the one that holds."""
    if claim.is_past or claim.is_quoted or claim.is_negative or claim.is_question:
        return ""
    for one in evidence.values:
        old, new = one.old.strip("\"'"), one.new.strip("\"'")
        stated = re.compile(rf"(?<![\w.]){re.escape(one.name)}\b.{{0,12}}?(?<![\w.]){re.escape(old)}(?![\w.]*\w)")
        if len(old) > 1 and not old.isdigit() and new not in claim.line and stated.search(claim.text):
            return f"{one.name} is {new} now, no longer {old}"
    for former in _list_former(evidence):
        if former.is_stated(claim):
            return f"the user replaced {former.old} by {former.new}"
    return ""


class _Former(Struct, frozen=True):
    """A value of the user that a later one replaced."""

    old: str
    new: str
    unit: str

    def is_stated(self, claim: Claim) -> bool:
        """Whether a claim has the old value, and neither its line nor another line of the summary tells the change."""
        if self.old not in claim.text:
            return False
        old = re.compile(rf"(?<![A-Za-z0-9_.,]){re.escape(self.old)}\s*{re.escape(self.unit)}(?![\w]*\d)")
        new = re.compile(rf"(?<![A-Za-z0-9_.,]){re.escape(self.new)}(?!\d)")
        if not old.search(claim.text) or new.search(claim.line):
            return False
        bare = re.compile(rf"(?<![A-Za-z0-9_.,]){re.escape(self.old)}(?!\d)")
        return not any(bare.search(line) and new.search(line) for line in claim.summary.split("\n"))


@lru_cache(maxsize=2)
def _list_former_of(replies: tuple[str, ...]) -> tuple[_Former, ...]:
    found: list[_Former] = []
    known: list[tuple[frozenset[str], str, str]] = []
    for text in replies:
        here = list(_read_user_values(text))
        for one in _INSTEAD.finditer(text):
            unit = one["unit"] or one["unit2"] or ""
            if unit or not one["old"].isdigit():
                found.append(_Former(one["old"], one["new"], unit))
        for words, value, unit in here:
            for before, old, old_unit in known if _CHANGES.search(text) else ():
                if old != value and old_unit == unit and words & before and _is_alike(old, value):
                    found.append(_Former(old, value, unit))
        current = {value for _, value, _ in here}
        found = [one for one in found if one.old not in current or one.new in current]
        known += here
    return tuple(found[-MOST_FORMER:])


def _list_former(evidence: Evidence) -> tuple[_Former, ...]:
    return _list_former_of(tuple(one.text for one in evidence.replies))


def _is_alike(old: str, new: str) -> bool:
    """Whether two values are of one kind: numbers, or names of the same build (`eu-west-1`, `eu-central-1`)."""
    return old.isdigit() == new.isdigit() and (old.isdigit() or re.sub(r"\w+", "w", old) == re.sub(r"\w+", "w", new))


def _read_user_values(text: str) -> Iterator[tuple[frozenset[str], str, str]]:
    """Yield numbers with a unit, and names with digits, with the words of their clause."""
    for clause in CLAUSE.split(text):
        words = extract_words(_VALUE.sub(" ", clause))
        for one in _VALUE.finditer(clause) if words and not is_negative(clause) else ():
            yield words, one["number"] or one["name"], (one["unit"] or "").strip()


_UNIT = r"[A-Za-z%°µ]{1,8}\b|[秒分時件個个天次회초분]"
_VALUE = re.compile(
    rf"(?<![A-Za-z0-9_.,/-])(?:(?P<number>\d+(?:[.,]\d+)?)\s?(?P<unit>{_UNIT})"
    rf"|(?P<name>[A-Za-z]+(?:-[A-Za-z]+)*-\d+)\b)"
)
_INSTEAD = re.compile(
    rf"(?i)(?P<new>\d+(?:[.,]\d+)?)\s?(?P<unit>{_UNIT})?\s*(?:instead\s+of|rather\s+than|,?\s*not|statt|anstatt"
    rf"|au\s+lieu\s+de|en\s+(?:vez|lugar)\s+de|em\s+vez\s+de|вместо|thay\s+vì)"
    rf"\s+(?P<old>\d+(?:[.,]\d+)?)(?:\s?(?P<unit2>{_UNIT}))?"
)
_CHANGES = re.compile(
    r"(?i)\b(?:now|instead|change[ds]?|make|raise|lower|set|switch|rather|actually|better|increase|reduce|jetzt"
    r"|doch|stattdessen|ändere|setze|lieber|besser"
    r"|maintenant|plutôt|passe|mets|change[rz]?|ahora|mejor|cambia|sube|baja|agora|melhor|muda|теперь|лучше|измени"
    r"|bây\s+giờ|đổi)\b|改|变更|変更|现在|今は|이제|바꿔|변경"
)


def _explain_other_name(claim: Claim, evidence: Evidence) -> str:
    """Say that the history never gives a name to the branch, the region or the workspace that a claim gives it."""
    if claim.is_past or claim.is_quoted or claim.is_question or claim.is_negative:
        return ""
    for noun, name in _list_slots(claim.text):
        theirs = _read_slot(noun, evidence.story)
        if theirs and name not in theirs:
            return f"the history never has {name} as {noun}: {sorted(theirs)[0]}"
    return ""


def _list_slots(text: str) -> Iterator[tuple[str, str]]:
    for found in _SLOT.finditer(text):
        yield (found["noun"] or found["noun2"]).casefold(), (found["name"] or found["name2"]).strip("`\"'.").casefold()


@lru_cache(maxsize=64)
def _read_slot(noun: str, story: str) -> frozenset[str]:
    """Return all names that are beside a noun."""
    beside = re.compile(rf"(?i)(?<![A-Za-z]){re.escape(noun)}(?![A-Za-z])")
    found: set[str] = set()
    for one in beside.finditer(story):
        around = story[max(0, one.start() - 30) : one.end() + 30].casefold()
        found |= set(_NAME.findall(around))
    return frozenset(found)


_NOUN = (
    r"(?:branch|workspace|region|namespace|environment|cluster|zone|bucket|profile|port|zweig|arbeitsbereich|rama"
    r"|entorno|branche|environnement"
    r"|espace|ramo|ветк\w+|регион\w*|окружени\w+)"
)
_NAMED = (
    r"[`\"']?(?:[a-z][\w.]*(?:[-/][\w.-]+)+|production|prod|staging|development|main|master|develop|\d{3,5})[`\"']?"
)
_SLOT = re.compile(
    rf"(?i)(?<![\w/.-])(?:(?P<name>{_NAMED})\s+(?P<noun>{_NOUN})|(?P<noun2>{_NOUN})(?:\s+is|:"
    rf"|\s+=)?\s+(?P<name2>{_NAMED}))(?![\w/-])"
)
_NAME = re.compile(
    r"[a-z][\w.]*(?:[-/][\w.-]*\w)+|production|prod\b|staging|development|\bmain\b|\bmaster\b|\bdevelop\b|\b\d{3,5}\b"
)


def _explain_item(explain: Callable[[Claim, Evidence], str]) -> Callable[[Claim, Evidence], str]:
    """Return a rule that judges the parts of a sentence one by one: what is former in one is not in another."""
    return lambda claim, evidence: next(filter(None, (explain(item, evidence) for item in claim.items)), "")


RULES = (
    ClaimRule("unsupported", _explain_item(_explain_written_value), _CURRENT),
    ClaimRule("inverted", _explain_item(_explain_former_value)),
    ClaimRule("unsupported", _explain_item(_explain_other_name)),
)
