"""What each changed file now has, in words of the record: names that edits added and removed, and the agent's own
sentence about the file.

Rule: names come from the texts that edits wrote and from what is around them, sentences from the agent's newest words
behind the last edit of the file; a sentence is quoted, never composed, and stands with one file only. What a later edit
took back is not told, and neither is what git took back. A change of one line is shown. Edits of nothing but imports or
layout say that. A file that a command rewrote is told by the diff that git printed of it, else by the command's own
expression. Whether a file changed at all is not decided here.
"""

import copy
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.net_changes import NetChanges, ShownTexts
from secateur.compaction.ledger.own_words import SENTENCE_CHARS, find_deed, find_intent, find_mentions
from secateur.compaction.ledger.rewrites import (
    IMPORTS_ONLY,
    LAYOUT_ONLY,
    TEXT,
    EditedText,
    classify_edit,
    find_lead,
    is_edit_refused,
    list_diffs,
    list_names_defined,
    list_rewrites,
)
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_command_lines, list_file_effects
from secateur.toolcalls.shell import parse_command_line

NOTE_CHARS = 220  # of one file
MOST_INTENTS = 2
_SHARED = ("", IMPORTS_ONLY, LAYOUT_ONLY)  # notes that files have in common take no room of their own
_CAPS = (180, 150, 120, 90, 60, 40)  # characters of one note, where not all have room
MOST_NAMES = 6
LONGEST_NAME = 80
DIFF_CHARS = 60_000  # of an output with diffs
DIFF = "diff"  # the kind of a change that only a printed diff shows


def describe_changes(
    files: Sequence[FileEntry], messages: Sequence[Message], done: Iterable[Action]
) -> tuple[FileEntry, ...]:
    """Return the files, those that were created or changed with a note on what they now have."""
    noted = [one.path for one in files if one.use in ("created", "changed", "moved") and not one.scratch]
    if not noted:
        return tuple(files)
    history = _trace_changes(noted, messages, done)
    said = find_mentions(messages, {path: one.number for path, one in history.items()})
    notes = {
        path: _describe(one, said.alone.get(path, ""), said.together.get(path, "")) for path, one in history.items()
    }
    return tuple(replace(one, about=notes[one.path]) if notes.get(one.path) else one for one in files)


def limit_notes(files: Sequence[FileEntry], max_chars: int) -> tuple[FileEntry, ...]:
    """Return the files with notes of at most so many characters together: shorter ones, then those of newer files."""
    lengths = [len(one.about) for one in files if one.about not in _SHARED]
    if sum(lengths) <= max_chars:
        return tuple(files)
    each = next((cap for cap in _CAPS if sum(min(cap, length) for length in lengths) <= max_chars), _CAPS[-1])
    left, kept = max_chars, list[FileEntry]()
    for one in reversed(files):
        if one.about in _SHARED:
            kept.append(one)
            continue
        about = _clip(one.about, each)
        about = about if len(about) <= left else ""
        left -= len(about)
        kept.append(replace(one, about=about))
    return tuple(reversed(kept))


class _Changes(Struct):
    """What became of one file so far."""

    number: int = -1  # the message with the newest edit
    added: dict[str, None] = {}
    removed: dict[str, None] = {}
    lead: str = ""  # what the file says of itself
    renamed: dict[str, str] = {}
    twice: dict[str, None] = {}  # functions that two edits defined in the same words
    lines: set[str] = set()  # the lines with which functions begin, as they are now
    kinds: set[str] = set()
    net: NetChanges = field(default_factory=NetChanges)
    intents: dict[str, int] = {}  # what the agent said where it made edits, with the numbers of those messages
    expression: str = ""  # of the command that rewrote it


def _trace_changes(paths: Sequence[str], messages: Sequence[Message], done: Iterable[Action]) -> dict[str, _Changes]:
    numbers = {part.key: number for number, message in enumerate(messages) for part in message.parts}
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(posixpath.basename(path), []).append(path)
    work = _Work(by_name)
    for action in done:
        if action.result and action.ok and not is_edit_refused(action):
            work.note(action, numbers.get(action.call.key, -1), messages)
    _drop_shared_intents(work.found)
    return work.found


def _drop_shared_intents(found: Mapping[str, _Changes]) -> None:
    """Drop what was said with edits of several files at once, unless it names the file."""
    counts = Counter(number for one in found.values() for number in set(one.intents.values()))
    for path, one in found.items():
        name = posixpath.basename(path)
        one.intents = {said: number for said, number in one.intents.items() if counts[number] == 1 or name in said}


class _Work:
    """What became of the listed files so far, what was shown of them, and how they were at the last commit."""

    def __init__(self, by_name: Mapping[str, Sequence[str]]) -> None:
        self.by_name = by_name
        self.found: dict[str, _Changes] = {}
        self.shown: dict[str, ShownTexts] = {}
        self._committed: dict[str, _Changes] = {}
        self._last: dict[str, EditedText] = {}  # the newest edit of each file

    def note(self, action: Action, number: int, messages: Sequence[Message]) -> None:
        """Note what one call did to the listed files, or showed of them."""
        effects = list(list_file_effects(action)) if action.kind in (*_ACTING, "read") else []
        if action.kind in _ACTING:
            for one in list_rewrites(action):
                if path := _find_path(self.by_name, one.path):
                    self._note_rewrite(path, one, number)
            if action.kind == "run":
                _note_expressions(self.found, self.by_name, action, number)
                self._note_diffs(action, number)
            self._take_back(action, effects)
            self._note_intents(effects, number, messages)
        self._note_shown(action, effects)

    def _note_rewrite(self, path: str, one: EditedText, number: int) -> None:
        changes, shown = self.found.setdefault(path, _Changes()), self.shown.setdefault(path, ShownTexts())
        one = shown.complete_edit(one) if one.lines[0] else one
        _note_rewrite(changes, one, number)
        if one.whole:
            changes.net = NetChanges()
        elif classify_edit(one.old, one.new) == TEXT:
            changes.net.note(one, shown.find_chain(one))
        shown.note_edit(one)
        self._last[path] = one

    def _note_diffs(self, action: Action, number: int) -> None:
        """Note what a printed diff says of files of which no edit is known."""
        if "diff --git " not in action.said or _SHOWS_DIFF.search(action.call.text[:DIFF_CHARS]) is None:
            return
        hunks: dict[str, list[EditedText]] = {}
        for one in list_diffs(action.said[:DIFF_CHARS]):
            if path := _find_path(self.by_name, one.path):
                hunks.setdefault(path, []).append(one)
        for path, edits in hunks.items():
            changes = self.found.get(path, _Changes())
            if changes.kinds - {DIFF}:
                continue
            self.found[path] = changes = _Changes(number=changes.number, intents=changes.intents, kinds={DIFF})
            for one in edits:
                self._note_rewrite(path, one, changes.number)
            changes.kinds = {DIFF}

    def _take_back(self, action: Action, effects: Sequence[Effect]) -> None:
        """Forget what edits did to files that a call took back, and what they defined in files that it moved."""
        for one in effects:
            if action.given.get("command") == "undo_edit" and (last := self._last.pop(one.path, None)):
                self._note_rewrite(one.path, EditedText(last.path, last.new, last.old), -1)
                self._last.pop(one.path)
            elif one.use == "committed":
                self._committed = copy.deepcopy(self.found)
            elif one.use in _TAKING_BACK:
                for path in [_find_path(self.by_name, one.path)] if one.path else list(self.found):
                    if path in self.found and one.use in ("restored", "stashed"):
                        self.found[path] = copy.deepcopy(self._committed.get(path, _Changes()))
                    elif path in self.found:
                        self.found[path].lines, self.found[path].twice = set(), {}

    def _note_intents(self, effects: Sequence[Effect], number: int, messages: Sequence[Message]) -> None:
        for path in {_find_path(self.by_name, one.path) for one in effects if one.use in _CHANGING} - {""}:
            changes = self.found.setdefault(path, _Changes())
            changes.number = max(changes.number, number)
            if number >= 0 and (said := find_deed(messages, number) or find_intent(messages[number])):
                changes.intents.pop(said, None)
                changes.intents[said] = number

    def _note_shown(self, action: Action, effects: Sequence[Effect]) -> None:
        named = {_find_path(self.by_name, one.path) for one in effects}
        is_read = any(one.use == "read" for one in effects) or action.said.startswith("[File: ")
        if is_read and len(named) == 1 and (path := named.pop()):
            self.shown.setdefault(path, ShownTexts()).note_shown(action.said)


def _find_path(by_name: Mapping[str, Sequence[str]], path: str) -> str:
    """Return the one listed file that this path names; "" where none or several do."""
    path = re.sub(r"^(?:\./)+", "", path.strip().removeprefix("file://"))
    listed = by_name.get(posixpath.basename(path), ())
    same = [one for one in listed if one == path or one.endswith(f"/{path}") or path.endswith(f"/{one}")]
    if path in same:
        return path
    return max(same, key=len, default="") if path.startswith("/") or len(same) == 1 else ""


def _note_rewrite(changes: _Changes, one: EditedText, number: int) -> None:
    """Add what one place of an edit added and removed."""
    old, new = list_names_defined(one.path, one.old), list_names_defined(one.path, one.new)
    if one.whole:
        changes.lead = find_lead(one.path, one.new)
        changes.added, changes.removed = {}, {}
    for name in [name for name in old if name not in new]:
        if name in changes.added:
            del changes.added[name]
        else:
            changes.removed[name] = None
    for name in [name for name in new if name not in old]:
        if name in changes.removed:
            del changes.removed[name]
        else:
            changes.added[name] = None
    gone, new_ones = [name for name in old if name not in new], [name for name in new if name not in old]
    if len(gone) == len(new_ones) == 1 and _is_renamed(one, gone[0], new_ones[0]):
        changes.renamed[gone[0]] = new_ones[0]
    _note_definitions(changes, one)
    changes.kinds.add("whole" if one.whole else classify_edit(one.old, one.new))
    changes.number = max(changes.number, number)


def _is_renamed(one: EditedText, old: str, new: str) -> bool:
    """Whether the definition under the new name is the one under the old name, but for that."""
    lines = {line.strip() for line in one.new.split("\n")}
    swapped = [re.sub(rf"\b{re.escape(old)}\b", new, line).strip() for line in one.old.split("\n") if old in line]
    return bool(swapped) and swapped[0] in lines


def _note_definitions(changes: _Changes, one: EditedText) -> None:
    """Note the functions that an edit defines in the very words in which an earlier one did."""
    if one.whole:
        changes.lines, changes.twice = set(), {}
    old = {hit[0]: hit["name"] for hit in _FUNCTION.finditer(one.old)}
    new = {hit[0]: hit["name"] for hit in _FUNCTION.finditer(one.new)}
    for line, name in old.items():
        if line not in new:
            changes.twice.pop(name, None)
            changes.lines.discard(line)
    for line, name in new.items():
        if line not in old and line in changes.lines:
            changes.twice[name] = None
    changes.lines |= new.keys()


def _note_expressions(
    found: dict[str, _Changes], by_name: Mapping[str, Sequence[str]], action: Action, number: int
) -> None:
    """Note the substitutions by which sed and perl changed files in place."""
    for line in list_command_lines(action):
        if "-i" not in line:
            continue
        for simple in parse_command_line(line).commands:
            if simple.words[:1] in (("sed",), ("perl",)):
                said = next((word for word in simple.words[1:] if _SUBSTITUTES.match(word)), "")
                for path in filter(None, (_find_path(by_name, word) for word in simple.words[1:])):
                    changes = found.setdefault(path, _Changes())
                    changes.kinds.add(IMPORTS_ONLY if _OF_IMPORTS.search(said) else TEXT)
                    changes.expression = clip_text(collapse_whitespace(said), SENTENCE_CHARS)
                    changes.number = max(changes.number, number)


def _describe(changes: _Changes, sentence: str, together: str) -> str:
    """Compose the note of one file from its parts; what is said of several files stands where little else is known."""
    parts = list(_describe_names(changes))
    if sentence and not _is_said(sentence, " ".join(parts)):
        parts.append(f"“{sentence}”")
    if not parts and changes.kinds and changes.kinds <= {IMPORTS_ONLY, LAYOUT_ONLY}:
        return IMPORTS_ONLY if IMPORTS_ONLY in changes.kinds else LAYOUT_ONLY
    if not parts:
        told = "" if "whole" in changes.kinds else changes.net.quote()
        parts += [f"“{together}”"] if together else [told] if told else []
    if not sentence:
        said = list(changes.intents)[-MOST_INTENTS:] or (
            [changes.expression] if changes.expression and not parts else []
        )
        parts += [f"“{one}”" for one in reversed(said) if not _is_said(one, " ".join(parts))]
    return _clip(collapse_whitespace(redact("; ".join(parts))).replace(" — ", " – "))


def _describe_names(changes: _Changes) -> Iterator[str]:
    """Yield what a file says of itself, and the names that edits added, renamed, changed and removed."""
    is_new = "whole" in changes.kinds
    if changes.lead and is_new:
        yield f"“{changes.lead}”"
    renamed = {old: new for old, new in changes.renamed.items() if old in changes.removed and new in changes.added}
    known = {f"“{changes.lead}”", *renamed.values()}
    if added := [name for name in changes.added if name not in known]:
        yield f"{'has' if is_new else 'adds'} {_join(added)}"
    if renamed:
        yield f"renames {_join(f'{old} to {new}' for old, new in renamed.items())}"
    if not is_new:
        yield from _describe_changed(changes)
    if removed := [name for name in changes.removed if name not in renamed]:
        yield f"drops {_join(removed)}"
    yield from (f"two definitions of {name}" for name in changes.twice)


def _describe_changed(changes: _Changes) -> Iterator[str]:
    """Yield the functions and the like that edits changed, and the line where it is one."""
    owners = [name for name in changes.net.list_owners() if name not in changes.added and name not in changes.removed]
    told = changes.net.quote() if changes.net.is_small and not (changes.added or changes.removed) else ""
    if owners:
        yield f"changes {_join(owners)}{': ' if told else ''}{told}"
    elif told:
        yield told


def _is_said(sentence: str, said: str) -> bool:
    """Whether the other parts of a note have nearly all words of a sentence."""
    words = set(_WORD.findall(sentence.casefold()))
    return len(words & set(_WORD.findall(said.casefold()))) >= 0.6 * len(words)


def _clip(note: str, max_chars: int = NOTE_CHARS) -> str:
    """Cut a note behind one of its parts, or else between two names."""
    if len(note) <= max_chars:
        return note
    least = {"; ": 1, "” ": max_chars // 3, ", ": max_chars // 3}
    ends = [note.rfind(mark, 0, max_chars) for mark in least]
    end = next((at for at, few in zip(ends, least.values(), strict=True) if at >= few), 0)
    if not end and not note.startswith("“"):  # the first name stays whole
        end = next((at for at in (note.find(", "), note.find("; ")) if 0 < at <= LONGEST_NAME), 0)
    said = note[:end] if end else clip_text(note, max_chars - 3)
    if said.count("`") % 2 and "“" not in said:  # a line of code stands whole or not at all
        said = _BEFORE_CODE.sub("", said[: said.rindex("`")])
        return said or _clip(f"“{note}", max_chars).removeprefix("“")
    if note.startswith("; ", end) and end:
        return said
    quoted = " …”" if said.count("“") > said.count("”") else " …"
    return f"{said}{quoted}" if " " in said else ""


def _join(names: Iterable[str]) -> str:
    listed = list(names)[::-1]  # the newest first
    more = f" and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else ""
    return ", ".join(listed[:MOST_NAMES]) + more


_FUNCTION = re.compile(r"^[ \t]*(?:async )?(?:def|func|fn|function) (?P<name>(?!__)\w+)\([^\n]*$", re.M)
_SHOWS_DIFF = re.compile(r"diff|patch")
_BEFORE_CODE = re.compile(r"(?:(?:^|[:;]) *)?(?:(?:adds|drops) |`[^`]*` → )?$")
_ACTING = ("edit", "run", "other")
_TAKING_BACK = ("restored", "stashed", "deleted", "moved")
_CHANGING = ("created", "changed", "moved")
_WORD = re.compile(r"\w{4,}")
_OF_IMPORTS = re.compile(r"\b(?:from|import|require|include|use)\b|\.\.?\\?/")
_SUBSTITUTES = re.compile(r"(?:\d+,?\d*)?[sy]([|/#,@!]).+\1|\d+(?:,\d+)?[acid]")
