"""Whether a summary gives to names the values that the history gives them.

Rule: a value is false only where the history has the same name with other values alone. Names that count or number
things have no value.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.figures.support import NUMBER, read_number


def _explain_value(claim: Claim, evidence: Evidence) -> str:
    """Name a value of a constant that the history never gives to it."""
    if claim.is_planned:
        return ""
    for found in _ASSIGNED.finditer(claim.text):
        if found["name"].casefold() in _COUNTING:
            continue
        values = _list_values(found["name"], evidence.texts)
        value = found["value"].strip("\"'`")
        if any(re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", new) for _, new in evidence.edits):
            continue  # an edit may have put it there
        if values and not any(_is_same(value, one) for one in values):
            return f"the history has {found['name']} as {sorted(values)[0]}, never as {value}"
    return ""


@lru_cache(maxsize=8)
def _list_values(name: str, texts: tuple[str, ...]) -> frozenset[str]:
    """Return the values that follow a name; those only beside it count where one is assigned to it."""
    pattern = re.compile(
        rf"(?<![\w-]){re.escape(name)}\b[\"'`]?(?P<sign>\s*(?:[:=]|:=|is|to|of|auf)\s*"
        rf"|\s+)[\"'`]?(?P<value>\d[^\n\"'`]{{0,40}})"
    )
    found = [one for text in texts if name in text for one in pattern.finditer(text)]
    is_assigned = any(one["sign"].strip() in (":", "=", ":=") for one in found)
    return frozenset(one["value"].strip(" .,") for one in found) if is_assigned else frozenset()


def _is_same(value: str, other: str) -> bool:
    """Whether two values are the same: of numbers the first counts, of other texts all of it."""
    if NUMBER.fullmatch(value):
        return bool(
            set(read_number(value)) & {one for number in NUMBER.findall(other)[:1] for one in read_number(number)}
        )
    return value == other


_COUNTING = frozenset(
    [
        "plan",
        "line",
        "lines",
        "step",
        "steps",
        "phase",
        "task",
        "tasks",
        "item",
        "items",
        "version",
        "test",
        "tests",
        "error",
        "errors",
        "file",
        "files",
        "exit",
        "code",
        "port",
        "failures",
        "failed",
        "passed",
        "examples",
        "issue",
        "round",
        "part",
        "page",
        "case",
        "cases",
        "about",
        "with",
        "from",
        "than",
        "only",
        "over",
        "under",
    ]
)
_ASSIGNED = re.compile(
    r"(?<![\w./-])(?P<name>[A-Za-z][A-Za-z_]{3,60})[\"'`]?\s*[:=]?\s*(?P<value>\"\d[^\"\n]{0,40}\""
    r"|'\d[^'\n]{0,40}'|\d+(?:\.\d+)?)"
    r"(?!\s*[*×/+])(?=$|[\s,;.)，。；、](?!\d))"
)


def _explain_pair(claim: Claim, evidence: Evidence) -> str:
    """Name one of several names with a figure whose lines in the history give it others only."""
    pairs = [(one["name"], one["value"]) for one in _LISTED.finditer(claim.text)]
    if len(pairs) < 2 or claim.is_planned:
        return ""
    for name, value in pairs:
        lines = [
            line for text in evidence.texts for line in text.split("\n") if re.search(rf"\b{re.escape(name)}\b", line)
        ]
        near = [_list_near(name, line) for line in lines]
        if any(near) and not any(_is_same(value, one) for numbers in near for one in numbers):
            return f"the history never gives {value} for {name}"
    return ""


def _list_near(name: str, line: str) -> list[str]:
    """Return the numbers of a row behind a name, and the one before it: `north 4.0 3.71`, `4.0 (north)`."""
    at = re.search(rf"\b{re.escape(name)}\b", line)
    if at is None:
        return []
    before = re.search(r"(\d+(?:\.\d+)?)\s*\($", line[: at.start()])
    row = re.split(r"[A-Za-z);]|,\s", line[at.end() : at.end() + 60])[0]
    return [*(before.groups() if before else ()), *NUMBER.findall(row)]


_LISTED = re.compile(
    r"(?:^|[,;:(]\s*|\band\s+"
    r"|[a-z]\s(?=[A-Z]{2}))(?P<name>[A-Za-z]\w*)[:=]?\s+(?P<value>\d+(?:\.\d+)?)(?=\s*(?:[,;)]|and\b|$|\.\s|\())"
)


RULES = (
    ClaimRule("unsupported", _explain_value, ("accomplished", "files", "discoveries", "decisions")),
    ClaimRule("unsupported", _explain_pair),
)
