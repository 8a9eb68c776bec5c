"""Whether a summary says truly what became what: values, versions, names of files, commits, measured figures.

Rule: a text is read into pairs of an old and a new value by the words between them, in whatever order they are (`from
A to B`, `B now (was A)`, `A before and B since`, a row `before` over a row `after`). The same pairs are read from
edits, renames, the user's and the agent's words. A pair is false where the history has only its reverse.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.figures.support import NUMBER
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.lexicon import build_pattern

FEWEST_CHARS = 3  # of values whose order in the history says which one is older
SEARCHED = 100_000  # characters of the newest of a history in which pairs are looked for


class Succession(Struct, frozen=True):
    """What was, and what it became."""

    old: str
    new: str


_PATH = r"[\w@-][\w@./-]*\.[A-Za-z]{1,6}"
_VALUE = (
    rf"[`\"'“]?(?:{_PATH}|v?[-+]?\d[\w.,%]*(?:\s?(?:ms|s|MB|GB|MiB|GiB|Mi|Gi|%|mm|px|MB/s)\b)?"
    r"|[0-9a-f]{7,40})[`\"'”]?"
)
_WAS = (
    r"(?:(?:it\s+)?(?:was|were|had\s+been|previously|formerly|earlier|originally|before(?:\s+it\s+was|\s+that)?|used\s+to\s+be|down\s+from|up\s+from|instead\s+of"
    r"|rather\s+than|raised\s+from|lowered\s+from|reduced\s+from|replaces|replacing|vorher|zuvor|früher|davor|ehemals|bisher|statt|anstelle\s+von|(?:es\s+)?war(?:en)?"
    r"|auparavant|avant|précédemment|était|au\s+lieu\s+de|contre|antes|anteriormente|era|en\s+(?:vez|lugar)\s+de|em\s+vez\s+de"
    r"|раньше|ранее|было?|вместо|trước(?:\s+đây)?|thay\s+vì)|(?:原来|原先|原本|原为|原|之前|此前|以前|元)(?:は|是|为|為)?)"
)
_INTO = (
    r"(?:->|→|=>|➜|⇒|(?:to|into|auf|in|zu|à|en|a|para|на|до|в|thành|lên|xuống|became|becomes|turned\s+into|(?:was\s+|is\s+|been\s+)*replaced\s+(?:by|with)"
    r"|renamed\s+(?:to|as|into)|(?:has\s+been\s+|was\s+|is\s+)(?:now\s+)?(?:called|renamed)(?:\s+to)?|moved\s+to|wurde\s+(?:zu|in)|umbenannt\s+in|(?:a\s+été\s+)?renommée?\s+en"
    r"|devient|renombrad[oa]\s+(?:a|como)|renomead[oa]\s+para|remplacée?\s+par|ersetzt\s+durch|reemplazad[oa]\s+por)(?![^\W_]))"
)
_GAP = r"[\s,;:()\[\]（），、;\"'`]{0,4}"
_PATTERNS = tuple(
    re.compile("(?i)" + pattern.replace("OLD", f"(?P<old>{_VALUE})").replace("NEW", f"(?P<new>{_VALUE})"))
    for pattern in (
        rf"(?<![\w./-])OLD(?:\s+\w{{1,12}})?\s*{_INTO}\s*NEW",
        r"(?<![\w./-])OLD(?:\s*[^\d\s]{0,4}?)(?:改名为|改为|改成|改為|变为|变成|升(?:级)?到|增加到|降(?:低)?到|提高到|から|到|至|에서)\s*(?:[^\d\n]{0,3}?)NEW",
        rf"(?<![\w./-])NEW(?:\s+(?:now|jetzt|nun|maintenant|ahora|agora))?{_GAP}(?:\w+{_GAP})?{_WAS}[\s:(（\"'`]{{0,3}}OLD",
        r"(?<![\w./-])OLD\s+(?:before|previously|earlier|vorher|zuvor|avant|antes)\W+(?:\w+\W+){0,2}?NEW\s*(?:since|now|after\w*|afterwards|seitdem|jetzt|danach|depuis|après|maintenant|desde|ahora|después)",
        r"(?:was|war|était|era)\s+OLD\W+(?:\w+\W+){0,3}?(?:now|jetzt|maintenant|ahora|agora)\W+(?:\w+\W+){0,2}?NEW",
        r"(?:before|vorher|avant|antes|之前|以前は?|変更前)\s*[:：]?\s*OLD\W+(?:\w+\W+){0,2}?(?:after\w*|now|nachher|jetzt|après|después|之后|现在|現在|変更後)\s*(?:is)?\s*[:：]?\s*NEW",
    )
)


def read_turns(text: str) -> tuple[Succession, ...]:
    """Return what a text says to have become what."""
    found = dict.fromkeys(_iterate_turns(text) if _CAN_HOLD.search(text) else ())
    return tuple(one for one in found if Succession(one.new, one.old) not in found)


# Two numbers, or two names of files
_CAN_HOLD = re.compile(r"\d\D.*\d|\.\w.*\.\w", re.S)


def _iterate_turns(text: str) -> Iterator[Succession]:
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            old, new = _strip(found["old"]), _strip(found["new"])
            if (
                old != new
                and _is_alike(old, new)
                and not _NO_CHANGE.search(text[max(0, found.start() - 24) : found.start()])
            ):
                yield Succession(old, new)


_NO_CHANGE = re.compile(
    r"(?i)(?:lines?|pages?|zeilen|lignes|port|ports|between|zwischen|entre|returns?|expected|got|range|rows?)\s*$"
)


def _strip(value: str) -> str:
    return re.sub(r"\s+", "", value.strip("`\"'“”.,;:)"))


def _is_alike(old: str, new: str) -> bool:
    """Whether two values are of one kind: both files, both hashes, or numbers of the same unit."""
    kinds = [_tell_kind(one) for one in (old, new)]
    if kinds[0] != kinds[1]:
        return False
    units = [re.sub(r"[\d.,+-]+", "", one) for one in (old, new)]
    return kinds[0] != "number" or units[0] == units[1] or not all(units)


def _tell_kind(value: str) -> str:
    if re.fullmatch(r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}", value):
        return "hash"
    return "file" if re.fullmatch(rf"{_PATH}", value) and not re.fullmatch(r"v?[\d.]+", value) else "number"


def _explain_turned(claim: Claim, evidence: Evidence) -> str:
    """Say that what a claim has as old is the new value, and the other way around."""
    if claim.is_question or claim.is_quoted or claim.section == "next":
        return ""
    known = _list_known(evidence)
    for turn in (*read_turns(claim.line), *_read_rows(claim)):
        near = next((one for one in SENTENCE.split(claim.line) if turn.old in one and turn.new in one), claim.line)
        if not _CHANGES.search(near) and _COMPARES.search(near):
            continue
        back = Succession(turn.new, turn.old)
        forms = {form for one in known for form in _list_forms(one)}
        if turn in forms or (_is_short(turn) and not _is_constant(back, near, evidence)):
            continue
        # A wish is often told before the value that it replaces is seen
        is_wished = _find_places(turn.new, evidence.user) and not _find_places(turn.old, evidence.user)
        if any(form in forms for form in _list_forms(back)) or (
            not is_wished and _is_older(turn.new, turn.old, evidence.story)
        ):
            return f"it was {turn.new} before it was {turn.old}"
    return ""


# What is compared, expected or searched through does not become another thing
_COMPARES = build_pattern(
    r"instead\s+of|rather\s+than|statt|anstelle\s+von|au\s+lieu\s+de|en\s+(?:vez|lugar)\s+de|em\s+vez\s+de|вместо|thay\s+vì|expected|got|"
    r"wants?|wanted|bisect\w*|between|range|span\w*|search\w*|compar\w+|erwartet\w*|zwischen|attendu\w*|entre|esperad\w+|esperaba|esperava|"
    r"ожида\w+|между",
    "而不是|代わり|期待|预期|之间|の間|대신|기대",
)
_CHANGES = build_pattern(
    r"now|chang\w+|set|rais\w+|lower\w*|reduc\w+|increas\w+|decreas\w+|replac\w+|becam\w+|becomes?|turned|renam\w+|mov(?:e|ed|es)|upgrad\w+|bump\w*|"
    r"updat\w+|down|up|faster|slower|jetzt|geändert|gesetzt|erhöht|gesenkt|ersetzt|maintenant|passée?s?|changée?s?|remplacée?s?|ahora|cambi\w+|subi\w+|baj\w+|"
    r"reemplaz\w+|agora|mud\w+|alterad\w+|passou|substitu\w+|теперь|измен\w+|стал\w*|bây\s+giờ|đổi",
    "现在|改|变|升|降|今は|変更|上げ|下げ|이제|변경|바뀌",
)


def _is_short(turn: Succession) -> bool:
    """Whether two values are bare numbers that may count anything."""
    return max(len(turn.old), len(turn.new)) < FEWEST_CHARS and (turn.old + turn.new).isdigit()


def _is_constant(turn: Succession, near: str, evidence: Evidence) -> bool:
    """Whether an edit, in a constant or in a line like a sentence, or the user put the new value for the old one."""
    pair = (_get_number(turn.old), _get_number(turn.new))
    if any((_get_number(one.old), _get_number(one.new)) == pair for one in evidence.values):
        return True
    stems = get_claim_stems(near) - set(pair)
    is_edited = any(
        (one.old, one.new) == pair and stems & get_stems(line) for line, one in _list_edited_lines(evidence.edits)
    )
    return is_edited or any(turn in read_turns(line) for line in evidence.user.split("\n"))


@lru_cache(maxsize=2)
def _list_edited_lines(edits: tuple[tuple[str, str], ...]) -> tuple[tuple[str, Succession], ...]:
    """Return the lines in which an edit put one number in place of another."""
    return tuple(
        (after, one)
        for old, new in edits
        for before, after in zip(old.split("\n"), new.split("\n"), strict=False)
        for one in _compare(before, after)
    )


def _list_forms(turn: Succession) -> tuple[Succession, ...]:
    """Return a turn, and that of the bare names of files or of the numbers alone."""
    names = Succession(turn.old.rsplit("/", 1)[-1], turn.new.rsplit("/", 1)[-1])
    numbers = Succession(_get_number(turn.old), _get_number(turn.new))
    return turn, names, numbers


def _get_number(value: str) -> str:
    found = re.match(r"[-+]?\d+(?:[.,]\d+)*", value)
    return found.group() if found else value


def _list_known(evidence: Evidence) -> frozenset[Succession]:
    return _collect(evidence.edits, evidence.changes, evidence.acts, evidence.user, evidence.agent)


@lru_cache(maxsize=2)
def _collect(
    edits: tuple[tuple[str, str], ...], changes: tuple[tuple[str, str], ...], acts: str, user: str, agent: str
) -> frozenset[Succession]:
    """Return what became what by edits, by renames, and by what was said."""
    found = {Succession(_strip(old), _strip(new)) for old, new in changes}
    for old, new in edits:
        found |= set(_compare(old, new))
    for move in _MOVE.finditer(acts[-SEARCHED:]):
        found.add(Succession(move["old"].strip("'\"\\"), move["new"].strip("'\"\\")))
    for text in (user, agent):
        for line in text[-SEARCHED:].split("\n"):
            found |= set(read_turns(line))
    return frozenset(found)


_MOVE = re.compile(r"\bmv\s+(?:-\w+\s+)*(?P<old>[^\s;&|\"-][^\s;&|\"]*)\s+(?P<new>[^\s;&|\"]+)")


def _compare(old: str, new: str) -> Iterator[Succession]:
    """Yield the one number that an edit put in place of another, line by line."""
    for before, after in zip(old.split("\n"), new.split("\n"), strict=False):
        was, now = (re.findall(r"(?<![A-Za-z_])-?\d[\w.]*", line) for line in (before, after))
        gone, come = [one for one in was if one not in now], [one for one in now if one not in was]
        if len(gone) == 1 == len(come):
            yield Succession(_strip(gone[0]), _strip(come[0]))


def _is_older(value: str, other: str, story: str) -> bool:
    """Whether the history has one telling value before another, the first time and the last."""
    if min(len(re.sub(r"\W", "", one)) for one in (value, other)) < FEWEST_CHARS or _tell_kind(value) == "file":
        return False
    places = [_find_places(one, story) for one in (value, other)]
    return all(places) and places[0][0] < places[1][0] and places[0][-1] < places[1][-1]


def _find_places(value: str, story: str) -> list[int]:
    found = re.compile(
        rf"(?i)(?<![\w.,]){re.escape(_get_number(value) if _tell_kind(value) == 'number' else value)}(?!\d|[.,]\d)"
    )
    return [one.start() for one in found.finditer(story)]


def _read_rows(claim: Claim) -> Iterator[Succession]:
    """Yield the turns of a row or a line `before` over the next one `after`."""
    lines = [line.strip(" -*|•\t") for line in claim.summary.split("\n")]
    for line, below in pairwise(lines):
        if not (_BEFORE.match(line) and _AFTER.match(below)) or not _BEFORE.match(claim.text):
            continue
        was, now = ([one.group() for one in NUMBER.finditer(row)] for row in (line, below))
        for old, new in zip(was, now, strict=False) if len(was) == len(now) else ():
            if old != new:
                yield Succession(old, new)


_BEFORE = re.compile(
    r"(?i)(?:before|vorher|zuvor|avant|antes|old|alt|previously|之前|以前|変更前|修改前|до)\b|之前|変更前|修改前"
)
_AFTER = re.compile(
    r"(?i)(?:after|nachher|danach|jetzt|après|después|depois|now|new|neu|после)\b|之后|変更後|修改后|现在"
)

RULES = (ClaimRule("unsupported", _explain_turned),)
