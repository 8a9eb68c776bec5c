"""Whether the figures of a summary are those of the history: numbers, values of constants, old and new values.

Rule: a figure needs a source: the same number anywhere in the history, rounded, in another unit, or the sum or the
difference of two numbers of one line. Small whole numbers count things and need none, unless they are given as the
value of a name. What is planned, wished or asked is not judged.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence

COUNTED = 12  # a whole number up to this counts things
ROUNDED = 0.05  # how far a figure may be from its source, as a share of it, where it is a round one
_SCALES: tuple[tuple[re.Pattern[str], tuple[float, ...]], ...] = (
    (re.compile(r"(?i)b$|bytes?"), (1_000, 1_024, 1e6, 1_024**2, 1e9)),
    (re.compile(r"(?i)^(?:m?s|sec|min|hour|sekund|minut|stund|seg)|秒"), (1_000, 60, 3_600)),
)
DERIVING_CHARS = 100_000  # of a history in which sums and differences are looked for


def _explain_figure(claim: Claim, evidence: Evidence) -> str:
    """Name a figure that has no source in the history."""
    if claim.is_wished or claim.is_quoted:
        return ""
    for found in _MEASURED.finditer(_NAMED.sub(" ", claim.text)):
        scales = next((scales for unit, scales in _SCALES if unit.search(found["unit"] or "")), ())
        known = _read_numbers(evidence.texts, "%" not in (found["unit"] or ""))
        if not any(_has_source(value, known, scales) for value in _read(found["number"])):
            return f"nothing in the history says {found.group().strip()}"
    return ""


@lru_cache(maxsize=2)
def _read_numbers(texts: tuple[str, ...], derives: bool) -> tuple[float, ...]:
    """Return the numbers of the history in order, and the sums and the differences of two that share a line."""
    found = set[float]()
    derives = derives and sum(map(len, texts)) < DERIVING_CHARS
    for text in texts:
        for number in set(_NUMBER.findall(text)):
            found.update(_read(number))
        for line in text.split("\n") if derives else ():
            here = [value for number in _NUMBER.findall(line)[:8] for value in _read(number)]
            found.update(value for a in here for b in here for value in (a + b, a - b))
        found.update(value for word, value in _WORDS.items() if word in text)
    return tuple(sorted(found))


def _has_source(value: float, known: tuple[float, ...], scales: tuple[float, ...]) -> bool:
    if value <= COUNTED and value == int(value):
        return True
    places = len(repr(value).rpartition(".")[2]) if value != int(value) else 0
    is_round = value == int(value) and value % 10 == 0
    reach = ROUNDED * value if is_round else 0.5 * 10**-places
    if _is_near(value, reach, known):
        return True
    return any(_is_near(one, 0.01 * one, known) for scale in scales for one in (value * scale, value / scale))


def _is_near(value: float, reach: float, known: tuple[float, ...]) -> bool:
    at = bisect_left(known, value - reach)
    return at < len(known) and known[at] <= value + reach


def _read(number: str) -> tuple[float, ...]:
    """Return the readings of a number: 1,860 and 1.860 are one thing in English and another in German."""
    plain = re.sub(r"[ \u00a0_’']", "", number)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        joined = float(re.sub(r"[.,]", "", plain))
        return (joined,) if plain.count(",") + plain.count(".") > 1 else (joined, float(plain.replace(",", ".")))
    if plain.count(",") > 1 or plain.count(".") > 1:
        return (float(re.sub(r"[.,]", "", plain)),)
    return (
        (float(plain.replace(",", ".")),) if "," not in plain or "." not in plain else (float(plain.replace(",", "")),)
    )


_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:[,.\u00a0]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)")
_WORDS = {
    word: float(value)
    for value, words in (
        (20, "twenty zwanzig vingt veinte"),
        (30, "thirty dreißig trente treinta"),
        (50, "fifty half fünfzig cinquante"),
        (100, "hundred hundert cent cien"),
        (1000, "thousand tausend mille mil"),
    )
    for word in words.split()
}
_UNIT = (
    r"%|percent\b|prozent\b|x\b|ms\b|s\b|sec\w*|seconds?\b|minutes?\b|min\b|hours?\b|[kKMGT]i?B\b|bytes?\b|rows?\b|lines?\b"
    r"|times\b|tests?\b|examples?\b|cases?\b|passed\b|failed\b|errors?\b|users?\b|requests?\b|tokens?\b|files?\b"
    r"|sekunden|minuten|stunden|zeilen|fehler|secondes|lignes|adresses|erreurs|comptes|utilisateurs|segundos|filas"
    r"|líneas|件|秒|毫秒|个|個|次|行|倍|건|개"
)
_MEASURED = re.compile(
    rf"(?<![\w.,/:#@+$-])(?P<number>\d{{1,3}}(?:[, \u00a0.]\d{{3}})+(?:[.,]\d+)?|\d+[.,]\d+|\d+)"
    rf"(?:\s?(?P<unit>{_UNIT})(?!\w)|(?<=\d\d\d)(?P<none>)(?![\w.,:/-]?\w))"
)
# What is no figure of its own: code, places in files, numbers of items, versions
_NAMED = re.compile(
    r"`[^`\n]*`|\blines?\s+\d[\d, –and-]*|\b(?:l\.|step|phase|task|item|pr|issue|v)\s*#?\d[\d–-]*"
    r"|#\d+|\bv?\d+(?:\.\d+){2,}"
)


def _explain_unknown_name(claim: Claim, evidence: Evidence) -> str:
    """Name a date, a version, a file or an identifier that the history does not hold, where a claim states a fact."""
    if claim.is_planned or claim.is_reported:
        return ""
    names = _NAME.finditer(claim.text) if claim.section == "accomplished" and _ADDED.search(claim.text) else ()
    for found in (*_EXACT.finditer(claim.text), *names):
        name = found.group().strip("`").rsplit("/", 1)[-1]
        if not any(name in text for text in evidence.texts):
            return f"nothing in the history says {found.group()}"
    return ""


_ADDED = re.compile(
    r"(?i)\b(?:added|adds|created|introduced|renamed|hinzugefügt|ajoutée?|añadid[oa]|adicionad[oa]|добавлен\w*)\b|增加了|添加了|新增|追加"
)
_EXACT = re.compile(
    r"(?<![\w./*-])(?:\d{4}-\d\d-\d\d(?!\d)|v?\d+\.\d+\.\d+(?![\w.*])|[\w.-]+(?:/[\w.-]+)+\.[a-z]{1,5}\b)"
)
_NAME = re.compile(r"(?<![\w./*<-])(?!test_)[a-z]{2,}(?:_[a-z0-9]{2,})+\b(?![*({./])")


def _explain_value(claim: Claim, evidence: Evidence) -> str:
    """Name a value of a constant that the history never gives to it."""
    if claim.is_planned:
        return ""
    for found in _ASSIGNED.finditer(claim.text):
        if found["name"].casefold() in _COUNTING:
            continue
        values = _list_values(found["name"], evidence.texts)
        value = found["value"].strip("\"'`")
        if values and not any(_is_same(value, one) for one in values):
            return f"the history has {found['name']} as {sorted(values)[0]}, never as {value}"
    return ""


@lru_cache(maxsize=256)
def _list_values(name: str, texts: tuple[str, ...]) -> frozenset[str]:
    """Return the values that follow a name; those only beside it count where one is assigned to it."""
    pattern = re.compile(
        rf"(?<![\w-]){re.escape(name)}\b[\"'`]?(?P<sign>\s*(?:[:=]|:=|is|to|of|auf)\s*|\s+)[\"'`]?(?P<value>\d[^\n\"'`]{{0,40}})"
    )
    found = [one for text in texts if name in text for one in pattern.finditer(text)]
    is_assigned = any(one["sign"].strip() in (":", "=", ":=") for one in found)
    return frozenset(one["value"].strip(" .,") for one in found) if is_assigned else frozenset()


def _is_same(value: str, other: str) -> bool:
    """Whether two values are the same: of numbers the first counts, of other texts all of it."""
    if _NUMBER.fullmatch(value):
        return bool(set(_read(value)) & {one for number in _NUMBER.findall(other)[:1] for one in _read(number)})
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
    r"(?<![\w./-])(?P<name>[A-Za-z][A-Za-z_]{3,60})[\"'`]?\s*[:=]?\s*(?P<value>\"\d[^\"\n]{0,40}\"|'\d[^'\n]{0,40}'|\d+(?:\.\d+)?)"
    r"(?=$|[\s,;.)，。；、](?!\d))"
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
    return [*(before.groups() if before else ()), *_NUMBER.findall(row)]


_LISTED = re.compile(
    r"(?:^|[,;:(]\s*|\band\s+)(?P<name>[A-Za-z]\w*)[:=]?\s+(?P<value>\d+(?:\.\d+)?)(?=\s*(?:[,;)]|and\b|$|\.\s|\())"
)


def _explain_turned_change(claim: Claim, evidence: Evidence) -> str:
    """Say that a value changed the other way around."""
    said = tuple(_read_changes(claim.text))
    known = {*evidence.changes, *_read_known_changes(evidence.user, evidence.agent)} if said else set()
    for old, new in said:
        if (new, old) in known and (old, new) not in known:
            return f"it changed from {new} to {old}"
    return ""


@lru_cache(maxsize=2)
def _read_known_changes(*texts: str) -> tuple[tuple[str, str], ...]:
    return tuple(one for text in texts for one in _read_changes(text))


def _read_changes(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a text says to have changed, as the old and the new value."""
    for pattern in _CHANGES:
        for found in pattern.finditer(text):
            old, new = found["old"].strip("`\"'.,"), found["new"].strip("`\"'.,")
            if old != new and any(map(str.isdigit, old)) and any(map(str.isdigit, new)):
                yield old, new


# A number that a function returns is no value that changed: `f(x) returns 2 instead of 1` is a bug.
_ONE = r"[`\"']?[\w.%-]{1,30}[`\"']?"
_CHANGES = tuple(
    re.compile(pattern.replace("OLD", f"(?P<old>{_ONE})").replace("NEW", f"(?P<new>{_ONE})"))
    for pattern in (
        r"(?i)\b(?:from|von|de|desde|da|с|từ)\s+OLD\s+(?:to|auf|zu|à|a|para|на|thành)\s+NEW",
        r"OLD\s*(?:->|→|=>)\s*NEW",
        r"(?i)\bOLD\s+(?:became|wurde\s+zu|replaced\s+by)\s+NEW",
        r"(?i)(?<!return )(?<!returns )\bNEW\s+(?:instead\s+of|rather\s+than|statt|anstatt|au\s+lieu\s+de"
        r"|en\s+lugar\s+de|em\s+vez\s+de|вместо|thay\s+vì)\s+OLD",
        r"(?i)\bNEW,?\s+\(?(?:was|before\s+it\s+was|formerly|previously|vorher|zuvor|avant)\s+OLD",
        r"[由从從]\s*(?P<old>\d[\w.]*)\s*\S{0,3}?(?:改[为成為]|变[为成]|到)\s*(?P<new>\d[\w.]*)",
        r"(?P<old>\d[\w.]*)\s*\S{0,2}?から\s*(?P<new>\d[\w.]*)",
    )
)

RULES = (
    ClaimRule("unsupported", _explain_turned_change),
    ClaimRule("unsupported", _explain_value, ("accomplished", "files", "discoveries", "decisions")),
    ClaimRule("unsupported", _explain_pair),
    ClaimRule("unsupported", _explain_figure),
    ClaimRule("unsupported", _explain_unknown_name, ("accomplished", "discoveries", "questions", "resolved")),
)
