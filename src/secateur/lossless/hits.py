"""Hits of a search, grouped by file: the path once, then the number and text of each line.

    [secateur: 3 lines of a search, none left out: a path after @, then its lines]
    @ src/beds.py
    12:def prune(rose):
    19:    prune(rose)
    2 matches

Rule: `expand_hits(group_hits(text)) == text`, character by character. Only lines that follow each other are grouped, so
their order stays. Lines of context (`path-18-text`) belong to the file of the hits around them.
"""

import re
from collections.abc import Iterator, Sequence

MOSTLY = 0.8  # of the lines are in groups: else the text is something else
_HEAD = "[secateur: {} lines of a search, none left out: a path after @, then its lines]"
_HEADED = re.compile(re.escape(_HEAD).replace(r"\{\}", r"(\d{1,12})") + r"\n")
_HIT = re.compile(r"([^\s:]{0,300}[/.][^\s:]{0,300}):\d{1,9}:")
_NUMBERED = re.compile(r"\d{1,9}([:-])")
_HELD = re.compile(r"@ |=|\d{1,9}[:-]")  # how a line begins that is marked by `=`, since it could be taken for another
_FIRST = 20  # lines: a search shows a hit among them


def group_hits(text: str) -> str:
    """The text with its hits grouped by file; the text itself where few lines are hits of one file after the other."""
    lines = text.split("\n")
    if _HEADED.match(text) or not any(_HIT.match(line) for line in lines[:_FIRST]):
        return text
    made, grouped = [_HEAD.format(len(lines))], 0
    for path, run in _divide_runs(lines):
        if path and len(run) > 1:
            made += (f"@ {path}", *[line[len(path) + 1 :] for line in run])
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


def _divide_runs(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Lines that follow each other and show the same file, with its path; other lines with "" for it."""
    path, run = "", list[str]()
    for line in lines:
        hit = _HIT.match(line)
        found = hit[1] if hit is not None else path if path and _is_context(line, path) else ""
        if found != path and run:
            yield path, run
            run = []
        path = found
        run.append(line)
    yield path, run


def _is_context(line: str, path: str) -> bool:
    """Whether a line is one of context: `path-18-text`."""
    numbered = _NUMBERED.match(line, len(path) + 1) if line.startswith(f"{path}-") else None
    return numbered is not None and numbered[1] == "-"
