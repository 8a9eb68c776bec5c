"""Whether the figures and the names of a summary are those of the history.

Rule: a figure needs a source: the same number anywhere in the history, rounded, in another unit, or the sum or the
difference of two numbers of one line. Small whole numbers count things and need none, unless tools counted the same
things. What is planned, wished or asked is not judged.
"""

import re
from bisect import bisect_left
from functools import lru_cache

from secateur.compaction.judge.claims import DEMANDING, Claim, extract_words
from secateur.compaction.judge.evidence import ClaimRule, Evidence

SHORT_HASH = 7  # characters by which a commit is named
COUNTED = 12  # a whole number up to this counts things
_SCALES: tuple[tuple[re.Pattern[str], tuple[float, ...]], ...] = (
    (re.compile(r"(?i)b$|bytes?"), (1_000, 1_024, 1e6, 1_024**2, 1e9)),
    (re.compile(r"(?i)^(?:m?s|sec|min|hour|sekund|minut|stund|seg)|秒"), (1_000, 60, 3_600)),
    (re.compile(r"(?i)^(?:%|per\s?cent|prozent)"), (100, 0.01)),
)
MOST_DIGITS = 60  # of a number: a longer one is data
DERIVING_CHARS = 100_000  # of a history in which sums and differences are looked for


def _explain_figure(claim: Claim, evidence: Evidence) -> str:
    """Name a figure that has no source in the history."""
    if claim.is_wished or claim.is_quoted:
        return ""
    for found in _MEASURED.finditer(_NAMED.sub(" ", claim.text)):
        scales = next((scales for unit, scales in _SCALES if unit.search(found["unit"] or "")), ())
        counted = (
            _list_counts(found["unit"][:STEM].casefold(), evidence.texts) if _THING.match(found["unit"] or "") else ()
        )
        known = _read_numbers(evidence.texts, "%" not in (found["unit"] or "") and not counted)
        values = [value for value in read_number(found["number"]) if value not in counted]
        if values and not any(_has_source(value, known, scales) for value in read_number(found["number"])):
            return f"nothing in the history says {found.group().strip()}"
    return ""


def _explain_absent(claim: Claim, evidence: Evidence) -> str:
    """Name a number of two digits or more that the history has nowhere, nor as a sum in a line on the same thing."""
    is_open = claim.section == "next" or (claim.is_wished and claim.section not in (*DEMANDING, "goal"))
    if is_open or claim.is_quoted or claim.is_reported or claim.is_question:
        return ""
    known = _read_digits(evidence.texts)
    for found in _BARE.finditer(_NAMED.sub(" ", claim.text)):
        digits = re.sub(r"\D", "", found["number"])
        values = read_number(found["number"])
        if digits in known or max(values) <= COUNTED or _is_rounded(found, values, evidence):
            continue
        if not any(_is_derived(value, claim.words, evidence.texts) for value in values):
            return f"nothing in the history says {found['number']}"
    return ""


@lru_cache(maxsize=2)
def _read_digits(texts: tuple[str, ...]) -> frozenset[str]:
    """Return all runs of digits of the history, with and without what divides thousands."""
    runs = {one for text in texts for one in re.findall(r"\d+", text)}
    return frozenset(runs | {re.sub(r"\D", "", one) for text in texts for one in NUMBER.findall(text)})


def _is_rounded(found: re.Match[str], values: tuple[float, ...], evidence: Evidence) -> bool:
    """Whether a number may be another one rounded, or in another unit."""
    is_free = found["about"] or found["unit"] or min(values) >= ROUND
    scales = next((scales for unit, scales in _SCALES if unit.search(found["unit"] or "")), ())
    known = _read_numbers(evidence.texts, False)
    return bool(is_free) and any(_has_source(value, known, scales) for value in values)


def _is_derived(value: float, words: frozenset[str], texts: tuple[str, ...]) -> bool:
    """Whether a number is the sum or the difference of two in a line that shares a word with a claim."""
    for line, numbers in _read_lines(texts):
        if any(value in (a + b, a - b) for a in numbers for b in numbers):
            beginnings = {word[:BEGINNING] for word in extract_words(line)}
            if any(word[:BEGINNING] in beginnings for word in words):
                return True
    return False


BEGINNING = 4  # letters by which words are compared


@lru_cache(maxsize=2)
def _read_lines(texts: tuple[str, ...]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return the lines of the history with two numbers or more."""
    if sum(map(len, texts)) > DERIVING_CHARS:
        return ()
    lines = ((line, NUMBER.findall(line)[:8]) for text in texts for line in text.split("\n"))
    return tuple((line, tuple(read_number(one)[0] for one in found)) for line, found in lines if len(found) > 1)


ROUND = 100  # numbers from here on are often rounded
_BARE = re.compile(
    r"(?i)(?P<about>\b(?:about|around|roughly|nearly|almost|over|under|some|ca|circa|etwa|rund|fast|knapp|environ|unos|casi|cerca"
    r"|около|почти)\.?\s+|[~≈約约])?(?<![\w.,/:#@+$-])(?P<number>\d{1,3}(?:,\d{3})+|\d{2,})(?![\w/:-]|[.,]\d)"
    r"(?=\s?(?P<unit>ms|s|min|[kmgt]i?b|bytes?|seconds?|minutes?|hours?|sekunden|minuten|stunden|%|percent|prozent|x)\b)?"
)
STEM = 5  # letters by which the words for what is counted are compared
_THING = re.compile(r"[^\W\d_]{4,}")  # a word for what is counted, and no unit of measurement


def has_figure(number: str, texts: tuple[str, ...], scales: tuple[float, ...] = ()) -> bool:
    """Whether a history holds a number, be it less rounded or in a unit that is so many times larger or smaller."""
    return any(_has_source(value, _read_numbers(texts, False), scales) for value in read_number(number))


def has_measure(number: str, unit: str, texts: tuple[str, ...]) -> bool:
    """Whether a history holds a large number, or one in another unit than the one behind it, be it less rounded."""
    values = read_number(number)
    scales = next((scales for one, scales in _SCALES if unit and one.search(unit)), ())
    others = (str(int(value * scale)) for value in values for scale in scales)
    return (min(values) > COUNTED and has_figure(number, texts)) or any(has_figure(one, texts) for one in others)


@lru_cache(maxsize=2)
def _read_numbers(texts: tuple[str, ...], derives: bool) -> tuple[float, ...]:
    """Return the numbers of the history in order, and the sums and the differences of two that share a line."""
    found = set[float]()
    derives = derives and sum(map(len, texts)) < DERIVING_CHARS
    for text in texts:
        for number in set(NUMBER.findall(text)):
            found.update(read_number(number))
        for line in text.split("\n") if derives else ():
            here = [value for number in NUMBER.findall(line)[:8] for value in read_number(number)]
            found.update(value for a in here for b in here for value in (a + b, a - b))
        found.update(value for word, value in _WORDS.items() if word in text)
    return tuple(sorted(found))


def _has_source(value: float, known: tuple[float, ...], scales: tuple[float, ...]) -> bool:
    if value <= COUNTED and value == int(value):
        return True
    places = len(repr(value).rpartition(".")[2]) if value != int(value) else 0
    digits = str(int(value))
    zeros = len(digits) - len(digits.rstrip("0")) if value == int(value) else -places
    reach = 0.5 * 10**zeros
    if _is_near(value, reach, known):
        return True
    return any(_is_near(one, 0.01 * one, known) for scale in scales for one in (value * scale, value / scale))


def _is_near(value: float, reach: float, known: tuple[float, ...]) -> bool:
    at = bisect_left(known, value - reach)
    return at < len(known) and known[at] <= value + reach


def read_number(number: str) -> tuple[float, ...]:
    """Return the readings of a number: 1,860 and 1.860 are one thing in English and another in German."""
    plain = re.sub(r"[ \u00a0_’']", "", number[:MOST_DIGITS])
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", plain):
        joined = float(re.sub(r"[.,]", "", plain))
        return (joined,) if plain.count(",") + plain.count(".") > 1 else (joined, float(plain.replace(",", ".")))
    if plain.count(",") > 1 or plain.count(".") > 1:
        return (float(re.sub(r"[.,]", "", plain)),)
    return (
        (float(plain.replace(",", ".")),) if "," not in plain or "." not in plain else (float(plain.replace(",", "")),)
    )


NUMBER = re.compile(r"(?:(?<![\w.])|(?<=\bv))(?:\d{1,3}(?:[,.\u00a0]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)")
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
    r"%|percent\b|prozent\b|x\b|ms\b|s\b|sec\w*|seconds?\b|minutes?\b|min\b|hours?\b|[kKMGT]i?B\b|[KMG]i\b"
    r"|bytes?\b|rows?\b|lines?\b"
    r"|times\b|tests?\b|examples?\b|cases?\b|passed\b|failed\b|errors?\b|users?\b|requests?\b|tokens?\b|files?\b"
    r"|sekunden|minuten|stunden|zeilen|fehler|secondes|lignes|adresses|erreurs|comptes|utilisateurs|segundos|filas"
    r"|líneas|pages?\b|seiten\b|páginas\b|columns?\b|entries\b|items\b|modules\b|packages\b|services\b|endpoints?\b|records\b|messages\b|commits\b"
    r"|days?\b|tage\b|jours\b|días\b|weeks?\b|offen[sc]es?\b|ofensas\b|complaints?\b|findings?\b|issues?\b|warnings?\b|calls?\b|pods?\b|restarts?\b"
    r"|replicas?\b|classes\b|functions?\b|tables?\b|images?\b|customers\b|orders\b|jobs?\b|workers?\b|threads?\b|retries\b|attempts?\b|commands?\b"
    r"|dateien\b|fichiers\b|archivos\b|pruebas\b|ejemplos\b|页|ページ|件|秒|毫秒|个|個|次|行|倍|건|개"
)
_MEASURED = re.compile(
    rf"(?<![\w.,/:#@+$-])(?P<number>\d{{1,3}}(?:[, \u00a0.]\d{{3}})+(?:[.,]\d+)?|\d+[.,]\d+|\d+)"
    rf"(?:\s?(?P<unit>{_UNIT})(?!\w)|(?:(?<=\d\d\d)|(?<=\d\.\d)|(?<=\d\.\d\d))(?P<none>)(?![\w.,:/-]?\w))"
)
# What is no figure of its own: code, places in files, numbers of items, versions
_NAMED = re.compile(
    r"`[^`\n]*`|\blines?\s+\d[\d, –and-]*|\b(?:l\.|step|phase|task|item|pr|issue|v)\s*#?\d[\d–-]*"
    r"|#\d+|\bv?\d+(?:\.\d+){2,}"
)


def _explain_count(claim: Claim, evidence: Evidence) -> str:
    """Say that the history counts the same things with other numbers: `4 errors` where it has 1 and 2."""
    if claim.is_wished or claim.is_negative:
        return ""
    for found in _COUNT.finditer(_NAMED.sub(" ", claim.text)):
        if found["what"].casefold().startswith(("test", "example")) and not _ENDED.search(claim.text):
            continue
        counts = _list_counts(found["what"].casefold()[:5], evidence.outputs)
        if counts and float(found["number"]) not in counts:
            return f"the history has no {found['number']} {found['what']}"
    return ""


@lru_cache(maxsize=8)
def _list_counts(stem: str, texts: tuple[str, ...]) -> frozenset[float]:
    """Return the numbers of lines that count such things, and the sums and the differences of two in a line."""
    counts = re.compile(rf"(?i)\d\s+(?:to\s+)?{re.escape(stem)}|\d\s+(?:passed|failed)")
    lines = [line for text in texts for line in text.split("\n") if counts.search(line)]
    found = [[value for number in NUMBER.findall(line)[:8] for value in read_number(number)] for line in lines]
    return frozenset(one for here in found for a in here for b in (0.0, *here) for one in (a + b, a - b))


_ENDED = re.compile(r"(?i)\b(?:pass|fail|green|ran\b|run\b|bestand|laufen|grün|succe)")
_COUNT = re.compile(
    r"(?i)(?<![\w.,/:#-])(?P<number>\d{1,3})\s+(?:to\s+)?(?P<what>errors?|warnings?|failures?|failed|passed"
    r"|pending|examples?|files?\s+changed"
    r"|insertions?|deletions?|add|change|destroy|skipped|tests?|problems?|vulnerabilit\w+)\b"
)


def _explain_unknown_hash(claim: Claim, evidence: Evidence) -> str:
    """Name a commit that the history does not hold."""
    for found in _HASH.finditer(claim.text):
        if not any(found.group()[:SHORT_HASH] in text for text in evidence.texts):
            return f"nothing in the history says {found.group()}"
    return ""


_HASH = re.compile(r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")


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
    r"(?i)\b(?:added|adds|created|introduced|renamed|hinzugefügt|ajoutée?|añadid[oa]|adicionad[oa]|добавлен\w*)\b"
    r"|增加了|添加了|新增|追加"
)
_EXACT = re.compile(
    r"(?<![\w./*-])(?:\d{4}-\d\d-\d\d(?!\d)|v?\d+\.\d+\.\d+(?![\w.*])|[\w.-]+(?:/[\w.-]+)+\.[a-z]{1,5}\b)"
)
_NAME = re.compile(r"(?<![\w./*<-])(?!test_)[a-z]{2,}(?:_[a-z0-9]{2,})+\b(?![*({./])")


RULES = (
    ClaimRule("unsupported", _explain_unknown_hash, strength="doubt"),
    ClaimRule("unsupported", _explain_figure, strength="doubt"),
    ClaimRule("unsupported", _explain_absent, strength="doubt"),
    ClaimRule(
        "unsupported", _explain_count, ("accomplished", "discoveries", "questions", "resolved"), strength="doubt"
    ),
    ClaimRule(
        "unsupported", _explain_unknown_name, ("accomplished", "discoveries", "questions", "resolved"), strength="doubt"
    ),
)
