"""Exact cuts of a long text: its ends, and from the middle the lines that say how it ended.

Rule: what is shown is the text's own characters in their order; what is left out is named by position, so that a reader
can ask for it. No cut falls inside a character (a surrogate pair counts as one). The same text gives the same excerpt,
in time linear in its length. Whether a text should be cut is not decided here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from secateur.text.gist import find_stems, find_unique_lines, find_versions, is_telling, limit_per_shape
from secateur.text.readback import describe_way_back

LEAST_CHARS = 400  # room that `excerpt` needs for its ends and a note
TRIM_NOTE = "[Tool result trimmed: kept first {head} chars and last {tail} chars of {chars} chars.]"  # OpenClaw's


def excerpt(text: str, max_chars: int, handle: str = "", about: Sequence[str] = ()) -> str:
    """At most `max_chars` characters (400 if that is less) of a text, never more than the text has.

    Head and tail, on line ends where one is near; between them a note with the positions of what is left out, and lines
    of it with their numbers: up to a quarter of the room for such as tell of an error or an exit status, a quarter for
    such as hold one of the names `about`, and a quarter for versions and for what a log says only once.
    """
    limit = max(max_chars, LEAST_CHARS)
    if len(text) <= limit:
        return text
    frame = len(_note(text, _Gap(len(text), len(text)), handle, told=True)) + len(_END) + 3
    ends = (limit - (3 if about else 2) * (limit // 4) - frame) // 2
    gap = _Gap(ends, len(text) - ends, pairs="\r" in text or (not text.isascii() and _HALVES.search(text) is not None))
    found = dict(_find_naming_lines(text, gap, about, limit // 4))
    found |= dict(_find_unique_lines(text, gap, limit // 4)) | dict(_find_telling_lines(text, gap, limit // 4))
    told = sorted(found.items())
    ends = (limit - sum(len(line) + 1 for _, line in told) - frame) // 2
    gap = _find_gap(text, ends)
    lines = [line for at, line in told if gap.start <= at < gap.end]
    between = [_note(text, gap, handle, told=bool(lines)), *lines, *([_END] if lines else [])]
    head = text[: gap.start]
    made = head + ("" if head.endswith("\n") else "\n") + "\n".join(between) + "\n" + text[gap.end :]
    return made if len(made) < len(text) else text


def trim_text(text: str, head: int, tail: int, note: str = TRIM_NOTE) -> str:
    """First `head` and last `tail` characters as OpenClaw shows them: HEAD, `...`, TAIL, an empty line, the note.

    The text itself if they cover it; else it may become longer (SEEDS S.6). In the note, {head}, {tail} and {chars}
    stand for what was kept and what there was, in characters.
    """
    first, last = split_head_tail(text, head, tail)
    if len(first) == len(text):
        return text
    for field, size in (("{head}", len(first)), ("{tail}", len(last)), ("{chars}", len(text))):
        note = note.replace(field, str(size))
    return f"{first}\n...\n{last}\n\n{note}"


def split_head_tail(text: str, head: int, tail: int) -> tuple[str, str]:
    """Return the first and last characters without splitting surrogate pairs; (text, "") if they cover it."""
    if head + tail >= len(text):
        return text, ""
    start, end = max(head, 0), len(text) - max(tail, 0)
    return text[: start - _count_split_chars(text, start)], text[end + _count_split_chars(text, end) :]


Spots = list[tuple[int, int]]  # where lines, or pieces of long ones, begin and end


class _Gap(Struct, frozen=True):
    """What is left out: text[start:end]."""

    start: int
    end: int
    pairs: bool = True  # whether characters may belong together, which no cut parts


_HALVES = re.compile("[\ud800-\udfff]")
_END = "[secateur: end of these lines]"
_LINE_CHARS = 200  # of a line in the middle
_SCANNED = 1_000_000  # characters: as much of the middle's beginning and of its end is looked through
_EACH = 3  # lines for each name
_HITS = 500  # places looked at for each stem, from either end


def _find_gap(text: str, ends: int) -> _Gap:
    """Return the gap between `ends` characters, cut at lines if up to a third fewer are kept, else at characters."""
    start, end = ends, len(text) - ends
    start = text.rfind("\n", ends - ends // 3, start) + 1 or start - _count_split_chars(text, start, "\r\n")
    at = text.find("\n", end, end + ends // 3)
    return _Gap(start, at + 1 if at >= 0 else end + _count_split_chars(text, end, "\r\n"))


def _count_split_chars(text: str, at: int, other: str = "") -> int:
    """Return 1 if a cut here would split a surrogate pair or the `other` pair, else 0."""
    before, after = text[at - 1 : at], text[at : at + 1]
    return int((before == "\r" and after == "\n") or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"))


def _note(text: str, gap: _Gap, handle: str, told: bool) -> str:
    place = f"characters {gap.start + 1}-{gap.end} of {len(text)}"
    total = text.count("\n") + (not text.endswith("\n"))
    if total > 1:
        first = text.count("\n", 0, gap.start) + 1
        place += f", lines {first}-{first + text.count(chr(10), gap.start, gap.end - 1)} of {total}"
    recall = f", {describe_way_back(handle)}" if handle else ""
    return f"[secateur: {place} left out{recall}{'; among them, by line number:' if told else ''}]"


def _find_telling_lines(text: str, gap: _Gap, room: int) -> list[tuple[int, str]]:
    """Return lines of the gap that report an outcome, with positions: the first and last ones that fit.

    Only as many are judged as are needed to say which those are.
    """
    groups = _group_hits(text, gap, find_stems(text))
    lines = _Lines(text)
    seen: set[str] = set()
    first: list[tuple[int, str]] = []
    last: list[tuple[int, str]] | None = None
    left = room
    for place, group in enumerate(groups):
        some = list(_format_spots(lines, group, seen))
        first += some
        left -= sum(len(line) + 1 for _, line in some)
        if last is None and left < room // 2:  # the first ones are known; the last ones are looked for from the end
            last = _find_last_spots(lines, groups[place + 1 :], seen, room)
            if last is not None:
                return _fit_both_ends([*first, *last], room)
            left = room * len(text)  # what is said twice may be covered the first time: all are judged
    return _fit_both_ends(first, room)


def _group_hits(text: str, gap: _Gap, stems: Sequence[str]) -> list[Spots]:
    """Return spots of the gap that hold one of the stems, grouping those that overlap."""
    lines = text[gap.start : gap.end].split("\n")
    if gap.pairs or len(lines) > _HITS or max(map(len, lines)) > _LINE_CHARS // 2:
        return list(_group_spots(sorted({spot for stem in stems for spot in _find_spots(text, stem, gap)})))
    starts = list(accumulate((len(line) + 1 for line in lines), initial=gap.start))
    held = sorted({place for stem in stems for place, line in enumerate(lines) if stem in line})
    spots = {place: [(starts[place], starts[place + 1] - 1)] for place in held}
    for place in {0, len(lines) - 1}.intersection(spots):
        found = (starts[place] + lines[place].find(stem) for stem in stems if stem in lines[place])
        spots[place] = sorted({_get_line_around(text, at, gap) for at in found})
    return list(spots.values())


def _group_spots(spots: Spots) -> Iterator[Spots]:
    """Yield spots in order, grouping those that overlap."""
    group: Spots = []
    covered = 0
    for start, end in spots:
        if group and start >= covered:
            yield group
            group = []
        group.append((start, end))
        covered = max(covered, end)
    if group:
        yield group


class _Lines:
    """A text, and which line a place in it belongs to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def format_line(self, start: int, end: int, said: str) -> tuple[int, str]:
        return start, f"{bisect_right(self.starts, start)}: {_mark_continuation(self.text, start, end, said)}"


def _format_spots(lines: _Lines, spots: Spots, seen: set[str]) -> Iterator[tuple[int, str]]:
    """Yield spots that report something new and do not overlap an earlier one."""
    covered = 0
    for start, end in spots:
        said = lines.text[start:end].strip() if start >= covered else ""
        if said and said not in seen and is_telling(said):
            covered = end
            seen.add(said)
            yield lines.format_line(start, end, said)


def _find_last_spots(lines: _Lines, groups: list[Spots], seen: set[str], room: int) -> list[tuple[int, str]] | None:
    """The last ones of these groups that tell something, more than fit the room; None where that cannot be told from
    the end.
    """
    firsts: dict[str, int] = {}
    for place, group in enumerate(groups):
        for start, end in group:
            firsts.setdefault(lines.text[start:end].strip(), place)
    found: list[tuple[int, str]] = []
    for place in range(len(groups) - 1, -1, -1):
        said = {lines.text[start:end].strip() for start, end in groups[place]}
        before = {one for one in said if firsts[one] < place}
        if any(len(groups[firsts[one]]) > 1 for one in before):
            return None
        some = list(_format_spots(lines, groups[place], seen | before))
        found += reversed(some)
        room -= sum(len(line) + 1 for _, line in some)
        if room < 0:
            break
    return found[::-1]


def _find_naming_lines(text: str, gap: _Gap, names: Sequence[str], room: int) -> list[tuple[int, str]]:
    """Return lines of the gap that hold these names, the first of each name, as many as fit."""
    found: dict[str, tuple[int, str]] = {}
    for name in names:
        for place, (start, end) in enumerate(_find_spots(text, name, gap)):
            said = text[start:end].strip()
            if place == _EACH:
                break
            if said not in found and (room := room - len(said) - 10) >= 0:
                number = text.count("\n", 0, start) + 1
                found[said] = (start, f"{number}: {_mark_continuation(text, start, end, said)}")
    return sorted(found.values())


def _find_unique_lines(text: str, gap: _Gap, room: int) -> list[tuple[int, str]]:
    """Return whole lines of the gap that name a version, or are unlike the others where most are alike."""
    start = text.rfind("\n", 0, gap.start) + 1
    lines = text[start : min(gap.end, gap.start + _SCANNED)].split("\n")[:-1]
    first = text.count("\n", 0, start)
    places = set(limit_per_shape(lines, find_versions("\n".join(lines), lines)))
    places |= {place for place, once in enumerate(find_unique_lines(lines)) if once}
    starts = list(accumulate((len(line) + 1 for line in lines), initial=start)) if places else []
    found: list[tuple[int, str]] = []
    for place in sorted(places):
        line, at = lines[place], starts[place]
        if at >= gap.start and at + len(line) < gap.end and len(line) <= _LINE_CHARS:
            found.append((at, f"{first + place + 1}: {line.strip()}"))
    return _fit_both_ends(found, room)


def _find_spots(text: str, stem: str, gap: _Gap) -> Iterator[tuple[int, int]]:
    """Yield lines, or pieces of long ones, that hold the stem: (start, end), from both ends of the gap."""
    at, end = gap.start, min(gap.end, gap.start + _SCANNED)
    for _ in range(_HITS):
        at = text.find(stem, at, end)
        if at < 0 and end == gap.end:
            return
        if at < 0:
            break
        spot = _get_line_around(text, at, gap)
        yield spot
        at = max(spot[1], at + 1)
    start, at = max(gap.start, gap.end - _SCANNED), gap.end
    for _ in range(_HITS):
        at = text.rfind(stem, start, at)
        if at < 0:
            return
        spot = _get_line_around(text, at, gap)
        yield spot
        at = min(spot[0] + len(stem) - 1, at)


def _get_line_around(text: str, at: int, gap: _Gap) -> tuple[int, int]:
    """Return the line around a place as far as it fits; of a long line, what begins shortly before it."""
    near = text.rfind("\n", max(at - _LINE_CHARS // 2, gap.start), at)
    start = near + 1 if near >= 0 else max(at - _LINE_CHARS // 4, gap.start)
    stop = text.find("\n", at, start + _LINE_CHARS)
    end = stop if stop >= 0 else min(start + _LINE_CHARS, gap.end)
    if not gap.pairs:
        return start, end
    return start + _count_split_chars(text, start), end + _count_split_chars(text, end)


def _mark_continuation(text: str, start: int, end: int, said: str) -> str:
    """Add ellipses where the line continues."""
    before = "" if start == 0 or text[start - 1] == "\n" else "…"
    return before + said + ("" if text[end : end + 1] in ("", "\n", "\r") else "…")


def _fit_both_ends(found: list[tuple[int, str]], room: int) -> list[tuple[int, str]]:
    """Give half the room to the first ones, the rest to the last ones."""
    first = 0
    left = room
    while first < len(found) and left - len(found[first][1]) > room // 2:
        left -= len(found[first][1]) + 1
        first += 1
    last = len(found)
    while last > first and left > len(found[last - 1][1]):
        last -= 1
        left -= len(found[last][1]) + 1
    return found[:first] + found[last:]
