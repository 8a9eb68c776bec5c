"""What is left of all edits of a file: the lines that they added and took out, each with the function around it.

Rule: white space does not count, and neither do lines without a word. A line that one edit adds and a later one takes
out, or the reverse, was not changed. The function around a line is the nearest definition above it that is indented
less: in the text of the edit, else in what calls showed or wrote of the file before, else the one that the patch names
above its hunk.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from secateur.compaction.ledger.files.replaced import (
    cut_to_difference,
    find_common_change,
    find_small_change,
    pair_lines,
)
from secateur.compaction.ledger.files.rewrites import PROSE, SEARCHED_CHARS, EditedText, find_definition, strip_imports
from secateur.toolcalls.actions import collapse_whitespace

Line = tuple[str, str]  # a line without the white space at its ends and between its words, and what it is in
Chain = list[tuple[int, str]]  # definitions around a place with their indentation, the outermost first
MOST_TEXTS = 4  # of one file: a part that is shown later leads to less than the whole did
TEXT_CHARS = 60_000  # of one text
MOST_ABOVE = 2_000  # lines that are looked through
MOST_QUOTED = 2  # changed lines that are all shown
MOST_COMPARED = 200  # lines of an edit in which one may only have been moved
MOST_PAIRED = 40  # changed lines that are looked through for a change in common


class ShownTexts:
    """What calls showed or wrote of a file: the whole file or parts of it, the newest last."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbered: dict[int, str] = {}
        self._last_line = 0  # of the file, where a call says it

    @property
    def texts(self) -> tuple[str, ...]:
        """What is known of the file as it is now."""
        return tuple(self._texts)

    def note_shown(self, text: str) -> None:
        """Note what a call showed."""
        lines = text[:TEXT_CHARS].split("\n")
        counted = _COUNTED.match(text)
        self._last_line = int(counted[1]) if counted else 0
        hits = [_NUMBERED.match(line) for line in lines]
        if 2 * sum(hit is not None for hit in hits) > len(lines):
            numbered = {int(hit[1]): line[hit.end() :] for hit, line in zip(hits, lines, strict=True) if hit}
            if all(line[:1] in ("", " ") for line in numbered.values()):  # a blank behind each number
                numbered = {number: line[1:] for number, line in numbered.items()}
            self._numbered |= numbered
            lines = list(numbered.values())
        self._texts = [*self._texts[1 - MOST_TEXTS :], "\n".join(lines)]

    def note_edit(self, edit: EditedText) -> None:
        """Note what an edit made of the file."""
        if edit.whole:
            self._texts = [edit.new]
        elif edit.old:
            self._texts = [text.replace(edit.old, edit.new, 1) for text in self._texts]
        self._numbered = {}

    def complete_edit(self, edit: EditedText) -> EditedText:
        """Return an edit of counted lines with the old text of these lines.

        Where that was not shown, what the new text defines is taken to be there before: it was rewritten.
        """
        first, last = edit.lines
        last = min(last, self._last_line) if first <= self._last_line else last
        numbers = range(first, min(last, first + MOST_ABOVE) + 1)
        if first and all(number in self._numbered for number in numbers):
            lines, unknown = [self._numbered[number] for number in numbers], (0, 0)
        else:
            lines, unknown = [line for line in edit.new.split("\n") if find_definition(edit.path, line)], edit.lines
        return EditedText(edit.path, "\n".join(lines), edit.new, place=edit.place, lines=unknown)

    def find_chain(self, edit: EditedText) -> Chain:
        """Return the definitions around the beginning of an edit."""
        anchor = edit.old if edit.old.strip() else edit.new
        held = [text for text in self._texts if anchor.strip() and text.count(anchor) == 1]
        if held:
            text = max(held, key=len)
            return _find_above(edit.path, text, text.rfind("\n", 0, text.find(anchor) + 1) + 1)
        name = find_definition(edit.path, edit.place) if edit.place else ""
        return [(len(edit.place) - len(edit.place.lstrip()), name)] if name else []


class NetChanges:
    """The lines that a file has more and less than before, each with the number of times in every definition."""

    def __init__(self) -> None:
        self.added: dict[str, Counter[str]] = {}
        self.removed: dict[str, Counter[str]] = {}
        self.moved: dict[str, str] = {}  # lines that edits only put into another place, each with what it is in
        self.is_guessed = False  # what an edit replaced was not shown

    def copy(self) -> "NetChanges":
        """Return the same changes, to be continued apart."""
        made = NetChanges()
        made.added, made.removed = (
            {line: Counter(owners) for line, owners in lines.items()} for lines in (self.added, self.removed)
        )
        made.moved, made.is_guessed = dict(self.moved), self.is_guessed
        return made

    def note(self, edit: EditedText, chain: Chain) -> None:
        """Add one edit; of its lines first those that stand nowhere else in it."""
        self.is_guessed |= edit.lines[0] > 0
        before, after = (list(_list_lines(edit.path, text, chain)) for text in (edit.old, edit.new))
        self.moved = {line: owner for line, owner in (*self.moved.items(), *_list_moved(before, after))}
        old, new = Counter(before), Counter(after)
        for fewer, more, against, into in ((old, new, self.added, self.removed), (new, old, self.removed, self.added)):
            kept = {line for line, _ in more}
            for line, count in sorted((fewer - more).items(), key=lambda item: item[0][0] in kept):
                _settle(against, into, line, count)

    def list_owners(self) -> dict[str, None]:
        """Return what the changed lines are in, those touched first in front."""
        counted = (told for lines in (self.removed, self.added) for told in lines.values())
        return {owner: None for told in (*counted, self.moved.values()) for owner in told if owner}

    def is_undone(self, edit: EditedText) -> bool:
        """Whether later edits took back or replaced all that an edit changed."""
        old, new = ({line for line, _ in _list_lines(edit.path, text, [])} for text in (edit.old, edit.new))
        return bool(old ^ new) and not (new - old) & self.added.keys() and not (old - new) & self.removed.keys()

    def quote(self, is_outside: bool = False) -> str:
        """Return the only change of a line, else the first line that was added or taken out; "" without any.

        `is_outside`: of the lines that are in no definition, and only where one was changed.
        """
        removed, added = (
            [text for text, owners in lines.items() if not is_outside or "" in owners]
            for lines in (self.removed, self.added)
        )
        if is_outside and (len(added) > 1 or len(removed) > 1):
            return ""
        if len(removed) == len(added) == 1:
            return _quote_pair(removed[0], added[0])
        pairs = {new: old for old, new in self._pair_all()}
        for verb, lines in (("adds", added), ("drops", removed)):
            if lines:
                telling = (line for line in lines if not (_COMMENT.match(line) or _STRING.fullmatch(line)))
                first = next(telling, lines[0])
                told = _quote_pair(pairs[first], first) if first in pairs else f"{verb} `{_shorten(first)}`"
                return f"{told}{' …' * (len(lines) > 2)}"
        return ""

    def quote_all(self) -> str:
        """Return all changed lines, each with what it became, where they are few; "" where they are more.

        Comments count only where nothing else was changed.
        """
        removed, added = self._list_telling()
        if not (removed or added):
            removed, added = tuple(self.removed), tuple(self.added)
        if self.is_guessed or max(len(removed), len(added)) > MOST_QUOTED:
            return ""
        if self.moved and not (removed or added) and len(self.moved) <= MOST_QUOTED:
            return f"moves {' and '.join(f'`{_shorten(line)}`' for line in self.moved)}"
        pairs = [(removed[0], added[0])] if len(removed) == len(added) == 1 else pair_lines(removed, added)
        parts = [_quote_pair(old, new) for old, new in pairs]
        paired = {line for pair in pairs for line in pair}
        for verb, lines in (("adds", added), ("drops", removed)):
            if left := [f"`{_shorten(line)}`" for line in lines if line not in paired]:
                parts.append(f"{verb} {' and '.join(left)}")
        return ", ".join(parts)

    def quote_common(self) -> str:
        """Return the change that most of the changed lines have in common; "" where they have none."""
        found = find_common_change(self._pair_all(), max(len(self.removed), len(self.added)))
        return f"`{found[0]}` → `{found[1]}` in several lines" if found else ""

    def quote_example(self) -> str:
        """Return one line of which a few words were changed, with what it became; "" where there is none."""
        found = find_small_change(self._pair_all())
        return f"`{found[0]}` → `{found[1]}`" if found else ""

    def _pair_all(self) -> Sequence[Line]:
        """Return the changed lines that are no comments, each with what it became; none where they are too many."""
        removed, added = self._list_telling()
        is_known = not self.is_guessed and max(len(removed), len(added)) <= MOST_PAIRED
        return pair_lines(removed, added) if is_known else ()

    def _list_telling(self) -> tuple[tuple[str, ...], ...]:
        """Return the lines taken out and those added that are no comments."""
        both = (self.removed, self.added)
        return tuple(tuple(line for line in lines if not _COMMENT.match(line)) for lines in both)


def _quote_pair(old: str, new: str) -> str:
    """Quote a line and what it became, of long ones what differs."""
    old, new = cut_to_difference(old, new)
    return f"`{_shorten(old, new)}` → `{_shorten(new, old)}`"


def _list_moved(before: Sequence[Line], after: Sequence[Line]) -> Sequence[Line]:
    """Return the lines that stand elsewhere among the same lines; of two that changed places the longer one."""
    if before == after or Counter(before) != Counter(after) or len(before) > MOST_COMPARED:
        return ()
    ways = [_list_unmatched(before, after), _list_unmatched(before[::-1], after[::-1])]
    return max(ways, key=lambda lines: sum(len(line) for line, _ in lines))


def _list_unmatched(before: Sequence[Line], after: Sequence[Line]) -> Sequence[Line]:
    same = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = {at for one in same for at in range(one.a, one.a + one.size)}
    return [line for at, line in enumerate(before) if at not in kept]


def _settle(against: dict[str, Counter[str]], into: dict[str, Counter[str]], line: Line, count: int) -> None:
    """Count a line, less what it takes back; where one of the two places is not known, they are the same."""
    text, owner = line
    back = against.get(text, Counter())
    for place in (owner, "") if owner else tuple(back):
        taken = min(count, back.get(place, 0))
        count -= taken
        back[place] -= taken
    left = +back
    if left:
        against[text] = left
    else:
        against.pop(text, None)
    if count:
        into.setdefault(text, Counter())[owner] += count


def _list_lines(path: str, text: str, chain: Chain) -> Iterator[Line]:
    """Yield the lines that have a word, each with the innermost definition that it is in."""
    around, is_fenced = list(chain), False
    is_prose = path.endswith(PROSE)
    text = text[:SEARCHED_CHARS] if is_prose else strip_imports(text[:SEARCHED_CHARS])
    at = 0
    for line in text.split("\n"):
        said = line.strip()
        is_fenced ^= is_prose and said.startswith("```")
        indent = len(line) - len(line.lstrip()) if not is_prose else 0 if is_fenced else _count_level(said)
        if said and not said.startswith(_CLOSERS):
            while around and indent <= around[-1][0] and not (is_prose and not indent):
                around.pop()
        if _WORD.match(said) is not None:
            if not is_fenced and (name := find_definition(path, text, at)):
                around.append((indent, name))
            said = said.rstrip(",") if path.endswith(_JSON) else said  # the last entry has none
            yield collapse_whitespace(said), around[-1][1] if around else ""
        at += len(line) + 1


def _find_above(path: str, text: str, start: int) -> Chain:
    """Return the definitions around the line that begins here, looking upward."""
    if path.endswith(PROSE):
        headings = [name for line, name in _list_lines(path, text[:start], []) if name and line]
        return [(1, headings[-1])] if headings else []
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    least = len(line) - len(line.lstrip())
    found: Chain = []
    for _ in range(MOST_ABOVE):
        if start <= 0 or least <= 0:
            break
        end, start = start - 1, text.rfind("\n", 0, start - 1) + 1
        said = text[start:end].strip()
        indent = end - start - len(text[start:end].lstrip())
        if not said or indent >= least or said.startswith("#"):
            continue
        if name := find_definition(path, text, start):
            found.append((indent, name))
        least = indent + 1 if said.startswith(_CLOSERS) else indent
    return found[::-1]


def _count_level(said: str) -> int:
    return len(said) - len(said.lstrip("#"))


def _shorten(line: str, other: str = "") -> str:
    """Return the beginning of a line; of a long one, the part in which it differs from another."""
    if len(line) <= QUOTED_CHARS:
        return line
    same = next((at for at, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    start = max(0, line.rfind(" ", 0, max(1, same - 10)) + 1) if same > QUOTED_CHARS // 2 else 0
    part = line[start : start + QUOTED_CHARS]
    return (
        f"{'…' if start else ''}{part.rpartition(' ')[0] or part}…" if start + QUOTED_CHARS < len(line) else f"…{part}"
    )


QUOTED_CHARS = 90
_NUMBERED = re.compile(r" {0,6}(\d{1,6})(?:→|\t|\||:)")
_COUNTED = re.compile(r"\[File: [^\n]{1,400}\((\d{1,7}) lines total\)\]")
_WORD = re.compile(r"(?=.{4}).*?\w")
_COMMENT = re.compile(r"//|#(?![\w!\[])|/?\*|--|<!--|\W+$")
_STRING = re.compile(r"(?:\w{1,40} )?\"[^\"\s]{1,200}\"")  # what Go imports
_CLOSERS = (")", "]", "{")
_JSON = (".json", ".jsonc", ".json5")
