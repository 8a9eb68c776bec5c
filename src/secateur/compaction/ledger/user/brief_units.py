"""A text in units: sentences, lines and blocks of code, each with a rank by what it says alone.

Rule: no unit is cut. Logs, tags, long code and addresses alone have no rank, and of a trace only the error at its end
has one; what gives the task has the highest, and orders with force have little, since they are listed as constraints.
What of them is kept is decided in `briefs`.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from secateur.compaction.ledger.said import CODE, FENCED, STOP
from secateur.compaction.ledger.user.brief_words import (
    ASIDE,
    FINISHES,
    GIVES_TASK,
    MUSES,
    RECIPE,
    REPORTED,
    REPORTS,
    REPRODUCES,
    TASK,
    TELLS,
)
from secateur.compaction.ledger.user.demands import DATA, has_demand
from secateur.compaction.ledger.user.force_words import is_forced
from secateur.memoizing import memoize_texts

GAP = "[…]"  # where something is left out
MOST_CODE_CHARS, REPRODUCING_CHARS = 300, 900  # of a block of code that is kept, and of one that reproduces something


class BriefUnit(Struct, frozen=True):
    """A sentence, a line or a block of code, and the number of the line that it is on."""

    text: str
    line: int
    rank: float


def split_units(text: str) -> Iterator[BriefUnit]:
    at = line = 0
    rank, before, heading = 0.0, "", ""  # of the unit before, and the heading above
    for found in (*FENCED.finditer(text), None):
        for unit in _split_lines(text[at : found.start() if found else len(text)], line):
            line, rank, before = unit.line, unit.rank, unit.text
            heading = before if before.startswith(("#", "**")) else heading
            yield unit
        if found:
            code = found.group().strip("\n")
            most = REPRODUCING_CHARS if REPRODUCES.search(f"{heading} {before}") else MOST_CODE_CHARS
            is_kept = rank >= 1 and len(code) <= most and not _is_table(code)
            if not is_kept and (said := quote_reported(found, before)):
                yield BriefUnit(said, line + 1, _ERROR_RANK)
            else:
                yield BriefUnit(code, line + 1, CODE_RANK if is_kept else 0)
            at, line = found.end(), line + 2


def quote_reported(found: re.Match[str], before: str) -> str:
    """Return the line of a block of code that tells of an error which the line before it announces; "" if none."""
    lines = found.group().split("\n")[1:] if before.rstrip().endswith((":", "：")) and REPORTS.search(before) else []
    return next((one.strip() for one in lines if REPORTED.search(one) and len(one) <= _REPORTED_CHARS), "")


def _split_lines(text: str, number: int) -> Iterator[BriefUnit]:
    is_log = is_code = is_trace = False  # behind a line of a log; behind a place in a trace; in a trace
    lines = _CONSOLE.sub(_join_console, text).split("\n")
    for at, line in enumerate(lines):
        if not line.strip():
            is_log = False
            continue
        is_place = _PLACE.match(line) is not None
        if is_trace and not (is_place or is_code) and _ERROR.match(line):
            is_chained = any(map(_CHAINED.match, lines[at + 1 : at + 3]))
            number, is_trace = number + 1, is_chained
            yield BriefUnit(line.strip(), number, 0 if is_chained else _ERROR_RANK)
            continue
        was_code, is_trace, is_code = is_code, is_trace or is_place, is_place
        number += 1
        if line.startswith(CODE):
            yield BriefUnit(line.removeprefix(CODE).replace(CODE, "\n"), number, CODE_RANK)
            continue
        is_log = (
            is_log_line(line)
            or was_code
            or _CHAINED.match(line) is not None
            or (is_log and line.startswith((" ", "\t")))
        )
        if is_log or _EMPTY.fullmatch(line):
            yield BriefUnit(line.rstrip(), number, 0)
            continue
        opening = NUMBER.match(line)
        start = opening.end() if opening else 0
        for sentence in _split_line(line[start:].rstrip()):
            yield BriefUnit(f"{line[:start]}{sentence}".strip(), number, _rank(sentence))
            start = 0


def _split_line(line: str) -> list[str]:
    """Split a line into sentences; what stands in parentheses behind one belongs to it."""
    made: list[str] = []
    for sentence in filter(None, STOP.split(line)):
        if made and sentence.startswith("("):
            made[-1] = f"{made[-1]} {sentence}"
        else:
            made.append(sentence)
    return made


def _join_console(found: re.Match[str]) -> str:
    """Join what was typed into a console with what it printed: one is nothing without the other."""
    said = found[0].rstrip("\n")
    return f"{CODE}{said.replace(chr(10), CODE)}\n" if len(said) <= REPRODUCING_CHARS else found[0]


def _is_table(code: str) -> bool:
    """Whether a block of code is many lines of figures."""
    lines = code.split("\n")[1:-1]
    return len(lines) > _MOST_FIGURES and sum(_FIGURES.match(line) is not None for line in lines) > len(lines) / 2


def is_log_line(line: str) -> bool:
    """Whether a line is of a log or of code: by how it begins, or by how many signs it has."""
    return _LOG.match(line) is not None or (len(line) > 60 and len(_SIGNS.findall(line)) > len(line) * _MOST_SIGNS)


@memoize_texts(4_096)  # a request is condensed to several lengths
def _rank(sentence: str) -> float:
    if MUSES.match(sentence):
        return 0
    if ASIDE.match(sentence):
        return 0.2
    if is_heading(sentence):
        return 1.8
    is_end = FINISHES.search(sentence) is not None
    if not is_end and has_demand(sentence) and is_forced(sentence):
        return 0.6
    if is_end or TASK.search(sentence):
        return _TASK_RANK
    return 2 if TELLS.search(sentence) else 1


def is_heading(text: str) -> bool:
    return _HEADS.search(text) is not None and len(text.split()) <= _HEADING_WORDS and not GIVES_TASK.search(text)


def drop_code(text: str) -> str:
    """Return a text without its blocks of code, but with the error that one quotes, in a line."""
    return FENCED.sub(lambda found: f"\n{_quote_at_end(found) or GAP}\n", text)


def _quote_at_end(found: re.Match[str]) -> str:
    lines = found.string[: found.start()].rstrip().rpartition("\n")
    return quote_reported(found, lines[2])


def rank_recipes(units: list[BriefUnit]) -> list[BriefUnit]:
    """Rank the numbered steps that show a defect below what tells of it."""
    made: list[BriefUnit] = []
    is_recipe = False
    for unit in units:
        is_step = NUMBER.match(unit.text) is not None
        is_recipe = is_recipe if is_step else is_opening(unit.text) and RECIPE.search(unit.text) is not None
        made.append(BriefUnit(unit.text, unit.line, min(unit.rank, _RECIPE_RANK)) if is_recipe else unit)
    return made


def rank_repeated(units: Iterable[BriefUnit]) -> Iterator[BriefUnit]:
    """Leave out what was said before in the same words, as where a form quotes a report whose title it repeats."""
    seen: set[str] = set()
    for unit in units:
        yield BriefUnit(unit.text, unit.line, 0) if unit.text in seen else unit
        seen.add(unit.text)


def is_opening(text: str) -> bool:
    """Whether a unit is a heading, a line that leads to others, or a tag."""
    return is_heading(text) or (text.endswith((":", "：")) and "\n" not in text) or _TAG.fullmatch(text) is not None


_CONSOLE = re.compile(r"^[ \t]*>>> [^\n]*(?:\n[ \t]*\S[^\n]*)*\n?", re.M)
_MOST_FIGURES = 6  # lines of them that are kept
_FIGURES = re.compile(r"\s*[\d.,:+-]+\s[^a-z]{0,40}[\w.]{0,12}\s*$")
_HEADING_WORDS = 5
CODE_RANK = 2.2
_TASK_RANK = 3
_RECIPE_RANK = 0.9
_TAG = re.compile(r"\s*</?[\w-]{1,40}>\s*")
_ERROR_RANK = 2.5  # of the error that a trace ends with
_REPORTED_CHARS = 200  # of such a line
_PLACE = re.compile(r"\s*File \"[^\"\n]+\", line \d")
_ERROR = re.compile(r"\s*[A-Za-z_][\w.]{2,120}(?:: \S|\s*$)")
_CHAINED = re.compile(r"(?:During handling of|The above exception was)\b")
_MOST_SIGNS = 0.09  # of the characters of a line that is text
_SIGNS = re.compile(r"[_=;{}<>\\|$]|\w[./:]\w")
NUMBER = re.compile(r"\s*(?:#{1,6}\s+)?[*_]{0,2}\d{1,2}[.)]\s+")
_LOG = re.compile(
    r"(?!#+\s)(?:"
    + DATA.pattern
    + r")|\s*(?:File \"|Traceback \(most recent|\$ |[\w.-]+[#$] )|\(Open file:|\(Current directory:|\s*[\w-]+\$\s*$"
)
_EMPTY = re.compile(
    r"\W*|\s*</?[\w-]+>\s*|\s*(?:[-*]\s*)?\W{0,3}(?:https?://|www\.|/)\S+\s*|\s*!\[[^\]]*\]\([^)]*\)\s*"
)
_HEADS = re.compile(r"^#{1,6}\s|^\*\*[^*]+\*\*:?$|^[^.!?]{1,60}[:：]$")
