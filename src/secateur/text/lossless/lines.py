"""Exact compression of lines: what a terminal would show, search hits grouped by file, and runs of equal lines.

A terminal's text is the output without colors, with overwritten lines as they ended. Search hits have their path once:

    [secateur: 3 lines of a search, none left out: a path after @, then its lines]
    @ src/beds.py
    12:def prune(rose):
    19:    prune(rose)
    2 matches

Rule: `expand_hits(group_hits(text)) == text` and `expand_repeats(fold_repeats(text)) == text`, character by character.
Only hits that follow each other are grouped, and only lines that are equal to the last character are a run. Of what a
terminal shows, only drawing and color sequences and overwritten text are removed; the number of lines stays.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import eq

from secateur.memoizing import memoize_texts
from secateur.text.readback import WAY_BACK, describe_way_back

_NOTE = "\n[secateur: as a terminal shows it; as it came: {}]"
_NOTED = re.compile(re.escape(_NOTE).replace(r"\{\}", WAY_BACK) + r"\Z")
_SEQUENCES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])"
)

MOSTLY = 0.8  # of the lines are in groups: else the text is something else
_HEAD = "[secateur: {} lines of a search, none left out: a path after @, then its lines]"
_HEADED = re.compile(re.escape(_HEAD).replace(r"\{\}", r"(\d{1,12})") + r"\n")
_HIT = re.compile(r"([^\s:]{0,300}[/.][^\s:]{0,300}):\d{1,9}:")
_NUMBERED = re.compile(r"\d{1,9}([:-])")
_HELD = re.compile(r"@ |=|\d{1,9}[:-]")  # how a line begins that is marked by `=`, since it could be taken for another
_FIRST = 20  # lines: a search shows a hit among them

LEAST = 5  # lines of a run
_REPEAT_NOTE = re.compile(r"\[secateur: lines (\d{1,12})-(\d{1,12})(?: of \d{1,12})? repeat line (\d{1,12})\]")


def clean(text: str) -> str:
    """The text as a terminal would leave it."""
    text = strip_escapes(text)
    if "\r" in text:
        text = "\n".join([_overwrite(line) if "\r" in line else line for line in text.split("\n")])
    return text


def strip_escapes(text: str) -> str:
    """The text without the escape sequences by which a terminal is told colors and titles."""
    return _strip(text) if "\x1b" in text else text


@memoize_texts(4_096)  # of an output many ask for the plain text
def _strip(text: str) -> str:
    return _SEQUENCES.sub("", text)


def add_note(text: str, handle: str) -> str:
    """The cleaned text, with where to read it as received."""
    return text + _NOTE.format(describe_way_back(handle))


def strip_note(text: str) -> str:
    """The text without that note."""
    return _NOTED.sub("", text)


def _overwrite(line: str) -> str:
    """The final state of a line that was overwritten repeatedly; the line itself if its pieces differ in kind.

    A return at the end overwrites nothing.
    """
    body = line.removesuffix("\r")
    drawn = [one for one in body.split("\r") if one.strip()]
    if "\r" not in body or len(drawn) < _LEAST:
        return line
    forms = [_VARIES.sub("", one) for one in drawn]
    alike = sum(map(str.__eq__, forms, forms[1:]))
    return drawn[-1] + line[len(body) :] if alike >= _ALIKE * (len(forms) - 1) else line


_LEAST, _ALIKE = 3, 0.5  # drawings of one line, and how many of them are like the one before
_VARIES = re.compile(r"[0-9a-f]*\d[0-9a-f]*|[\d.,:/%#=>|<\s\u2500-\u25ff\u2800-\u28ff?-]+")


def group_hits(text: str) -> str:
    """The text with its hits grouped by file; the text itself where few lines are hits of one file after the other."""
    lines = text.split("\n")
    if _HEADED.match(text) or not any(_HIT.match(line) for line in lines[:_FIRST]):
        return text
    made, grouped = [_HEAD.format(len(lines))], 0
    runs = list(_divide_with_context(lines) if _BETWEEN in lines else _divide(lines))
    if sum([len(run) for path, run in runs if path and len(run) > 1]) < MOSTLY * len(lines):
        return text
    for path, run in runs:
        block = _cut_path(path, run) if path and len(run) > 1 else None
        if block is not None:
            made += (f"@ {path}", block)
            grouped += len(run)
        else:
            made += [f"={line}" if _HELD.match(line) else line for line in run]
    return "\n".join(made) if grouped >= MOSTLY * len(lines) else text


def expand_hits(text: str) -> str:
    """The text that `group_hits` made this of."""
    head = _HEADED.match(text)
    if head is None:
        return text
    path = ""
    made: list[str] = []
    for line in text[head.end() :].split("\n"):
        numbered = _NUMBERED.match(line) if path else None
        if line.startswith("@ "):
            path = line[2:]
        elif numbered is not None:
            made.append(f"{path}{numbered[1]}{line}")
        else:
            made.append(line.removeprefix("="))
    return "\n".join(made)


def is_grouped(text: str) -> bool:
    """Whether `group_hits` made this text: it has as many lines as it says."""
    head = _HEADED.match(text)
    return head is not None and expand_hits(text).count("\n") + 1 == int(head[1])


def _divide(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Lines that follow each other and begin alike up to a colon, with that beginning if it may be a path."""
    place, starts = 0, [line.partition(":")[0] for line in lines]
    if sum(map(eq, starts, starts[1:])) < MOSTLY * len(lines) / 2:  # at most twice as many are in groups
        yield "", list(lines)
        return
    for path, run in groupby(starts):
        size = len(list(run))
        yield path if size > 1 and _PATH.fullmatch(path) else "", list(lines[place : place + size])
        place += size


def _divide_with_context(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The same where lines of context are among them: they belong to the file of the hits around them."""
    path, run = "", list[str]()
    for line in lines:
        if path and line.startswith(f"{path}-") and _NUMBERED.match(line, len(path) + 1):
            run.append(line)
            continue
        hit = _HIT.match(line)
        found = hit[1] if hit is not None else ""
        if run and found != path:
            yield path, run
            run = []
        path = found
        run.append(line)
    yield path, run


def _cut_path(path: str, run: Sequence[str]) -> str | None:
    """These lines without their path; None where what is left would not say what followed it."""
    cut = [line[len(path) + 1 :] for line in run]
    block = "\n".join(cut)
    if _ALL_HITS.fullmatch(block):
        return block
    numbers = map(_NUMBERED.match, cut)
    same = all(one is not None and one[1] == line[len(path)] for one, line in zip(numbers, run, strict=True))
    return block if same else None


_BETWEEN = "--"  # what searches put between hits with context
_PATH = re.compile(r"[^\s:]{0,300}[/.][^\s:]{0,300}")
_ALL_HITS = re.compile(r"(?:\d{1,9}:[^\n]*(?:\n|\Z))+")


def fold_repeats(text: str) -> str:
    """The text with its runs of equal lines shortened."""
    lines = text.split("\n")
    if not any(map(eq, lines, lines[LEAST - 1 :])) or _REPEAT_NOTE.search(text):  # no run is so long
        return text
    total, number = f" of {len(lines)}", 0  # the first note says how many lines there were
    made: list[str] = []
    for line, run in groupby(lines):
        count = sum(1 for _ in run)
        note = _format_repeats(number, count, total) if count >= LEAST else ""
        if note and (count - 1) * (len(line) + 1) > len(note):
            made += (line, note)
            total = ""
        else:
            made += [line] * count
        number += count
    return "\n".join(made)


def _format_repeats(number: int, count: int, total: str) -> str:
    return f"[secateur: lines {number + 2}-{number + count}{total} repeat line {number + 1}]"


def expand_repeats(text: str) -> str:
    """The text that `fold_repeats` made this of."""
    made: list[str] = []
    for line in text.split("\n"):
        note = _REPEAT_NOTE.fullmatch(line)
        if note is not None and made and int(note[1]) == len(made) + 1 and int(note[3]) == len(made):
            made += [made[-1]] * (int(note[2]) - len(made))
        else:
            made.append(line)
    return "\n".join(made)
