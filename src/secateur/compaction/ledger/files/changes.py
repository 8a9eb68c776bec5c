"""What calls made of each changed file, in the order of the calls.

Rule: only calls that went through. An edit is what its texts say, and what is around them in the file as far as a call
showed or wrote it. A printed diff of what is not committed tells of a file that a call changed without saying how; any
other diff is of someone else's work. What git, an editor or a copy took back never was, and neither was an edit whose
old text a later reading shows in place of its new one.
Nothing is put into words here.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from secateur.compaction.ledger.files.file_changes import FileChanges, copy_changes, is_reverse, list_lost, note_rewrite
from secateur.compaction.ledger.files.net_changes import NetChanges, ShownTexts
from secateur.compaction.ledger.files.own_words import (
    SENTENCE_CHARS,
    find_deed,
    find_file_meant,
    is_about_other_file,
)
from secateur.compaction.ledger.files.paths import ListedFiles
from secateur.compaction.ledger.files.rewrites import (
    IMPORTS_ONLY,
    TEXT,
    EditedText,
    classify_edit,
    is_own_diff,
    list_diffs,
    list_names_defined,
    list_rewrites,
)
from secateur.compaction.ledger.files.undone import is_shown_undone
from secateur.model import Message
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import find_shown_file, list_command_lines, list_file_effects, list_paths
from secateur.toolcalls.shell import parse_command_line

DIFF_CHARS = 60_000  # of an output with diffs
MOST_EDITS = 60  # of one file, whose fate is known
DIFF = "diff"  # the kind of a change that only a printed diff shows


def trace_changes(
    paths: Sequence[str],
    messages: Sequence[Message],
    done: Iterable[Action],
    settled: Mapping[str, Sequence[Effect]],
) -> dict[str, FileChanges]:
    """Trace what calls made of these files; `settled`: their effects where their words alone tell others."""
    numbers = {part.key: number for number, message in enumerate(messages) for part in message.parts}
    done = tuple(done)
    work = _Work(ListedFiles(paths, done))
    for action in done:
        if action.result and action.ok:
            effects = settled.get(action.call.key, list_file_effects(action))
            work.note(action, effects, numbers.get(action.call.key, -1), messages)
    for path, net in work.before.items():
        if path in work.found:
            work.found[path].is_reverted = is_reverse(work.found[path].net, net)
    _drop_left_names(work)
    _drop_shared_deeds(work.found)
    _drop_undone_deeds(work.found)
    return work.found


def _drop_shared_deeds(found: Mapping[str, FileChanges]) -> None:
    """Drop what was said with edits of several files at once, unless it names the file."""
    counts = Counter(number for one in found.values() for number in set(one.deeds.values()))
    for path, one in found.items():
        name = posixpath.basename(path)
        one.deeds = {said: number for said, number in one.deeds.items() if counts[number] == 1 or name in said}


def _drop_undone_deeds(found: Mapping[str, FileChanges]) -> None:
    """Drop what was said with edits that later ones took back or replaced."""
    for one in found.values():
        told = {*one.deeds.values(), *one.meant.values()}
        edits = [(number, edit) for number, edit in one.edits if number in told]
        known = {number for number, _ in edits}
        left = {number for number, edit in edits if edit.whole or not one.net.is_undone(edit)}
        one.deeds, one.meant = (
            {said: number for said, number in some.items() if number in left or number not in known}
            for some in (one.deeds, one.meant)
        )


def _drop_left_names(work: "_Work") -> None:
    """Drop names from those that edits took out where the file, as far as it was shown, still defines them."""
    for path, one in work.found.items():
        texts = work.shown[path].texts if one.removed and path in work.shown else ()
        left = {name for text in texts for name in list_names_defined(path, text)}
        one.removed = {name: None for name in one.removed if name not in left}


class _Work:
    """What became of the listed files so far, what was shown of them, and how they were at the last commit."""

    def __init__(self, files: ListedFiles) -> None:
        self.files = files
        self.found: dict[str, FileChanges] = {}
        self.shown: dict[str, ShownTexts] = {}
        self.before: dict[str, NetChanges] = {}  # what git showed to be changed before calls did
        self._committed: dict[str, FileChanges] = {}
        self._last: dict[str, EditedText] = {}  # the newest edit of each file
        self._stashed: dict[str, FileChanges] = {}
        self._touched: dict[str, None] = {}  # files edited or taken back since the last commit

    def note(self, action: Action, effects: Sequence[Effect], number: int, messages: Sequence[Message]) -> None:
        """Note what one call did to the listed files, or showed of them."""
        effects = effects if action.kind in (*_ACTING, "read") else ()
        if action.kind in _ACTING:
            for one in list_rewrites(action):
                if path := self.files.find(one.path):
                    self._note_rewrite(path, one, number)
            if action.kind == "run":
                _note_expressions(self.found, self.files, action, number)
            self._take_back(action, effects)
            self._note_deeds(action, effects, number, messages)
            if action.kind == "run":
                self._note_diffs(action)
        self._note_shown(action, effects)

    def _note_rewrite(self, path: str, one: EditedText, number: int) -> None:
        changes, shown = self.found.setdefault(path, FileChanges()), self.shown.setdefault(path, ShownTexts())
        one = shown.complete_edit(one) if one.lines[0] else one
        lost = list_lost(one, shown, changes) if one.whole else ()
        note_rewrite(changes, one, number)
        changes.removed |= dict.fromkeys(lost)
        if one.whole:
            changes.net, changes.edits, changes.deeds, changes.meant = NetChanges(), [], {}, {}
            changes.is_unknown = False
        elif classify_edit(one.old, one.new) == TEXT:
            changes.net.note(one, shown.find_chain(one))
        changes.edits = [*changes.edits[-MOST_EDITS:], (number, one)]
        shown.note_edit(one)
        self._last[path] = one
        self._touched[path] = None

    def _note_diffs(self, action: Action) -> None:
        """Note what a printed diff of uncommitted changes says of files that a call changed without saying how."""
        if "diff --git " not in action.said or not is_own_diff(action.call.text[:DIFF_CHARS]):
            return
        hunks: dict[str, list[EditedText]] = {}
        for one in list_diffs(action.said[:DIFF_CHARS]):
            if path := self.files.find(one.path):
                hunks.setdefault(path, []).append(one)
        for path, edits in hunks.items():
            changes = self.found.get(path, FileChanges())
            self._note_before(path, changes, edits)
            if not (changes.is_unknown or changes.kinds == {DIFF}) or (changes.kinds - {DIFF} and changes.edits):
                continue
            self.found[path] = changes = FileChanges(number=changes.number, deeds=changes.deeds, kinds={DIFF})
            for one in edits:
                self._note_rewrite(path, one, changes.number)
            changes.kinds = {DIFF}

    def _note_before(self, path: str, changes: FileChanges, hunks: Iterable[EditedText]) -> None:
        """Note what git showed of a file that no call had changed."""
        if path not in self._touched and not changes.edits:
            self.before[path] = NetChanges()
            for one in hunks:
                self.before[path].note(one, [])

    def _take_back(self, action: Action, effects: Sequence[Effect]) -> None:
        """Forget what edits did to files that a call took back, and what they defined in files that it moved."""
        for one in effects:
            if action.given.get("command") == "undo_edit" and (last := self._last.pop(one.path, None)):
                self._note_rewrite(one.path, EditedText(last.path, last.new, last.old), -1)
                self._last.pop(one.path)
            elif one.use == "committed":
                self._committed |= {path: copy_changes(self.found[path]) for path in self._touched}
                self._touched.clear()
            elif one.use == "reapplied":
                self.found |= self._stashed
                self._stashed = {}
            elif one.use in ("restored", "stashed"):
                self._restore([self.files.find(one.path)] if one.path else list(self.found), one.use)
            elif one.use in _TAKING_BACK and (path := self.files.find(one.path)) in self.found:
                self.found[path].lines, self.found[path].twice = set(), {}

    def _restore(self, paths: Iterable[str], use: str) -> None:
        """Take files back to the last commit; those that the session created are not in it, and stay."""
        for path in paths:
            changes = self.found.get(path)
            if changes and ("whole" not in changes.kinds or path in self._committed):
                self.found[path] = copy_changes(self._committed.get(path, FileChanges()))
                self._touched[path] = None
                if use == "stashed":
                    self._stashed[path] = changes

    def _note_deeds(self, action: Action, effects: Sequence[Effect], number: int, messages: Sequence[Message]) -> None:
        """Note what the agent says of an edit, and for which file it meant one whose call names none."""
        told = {self.files.find(one.path) for one in list_rewrites(action)}
        is_undo, is_blind = action.given.get("command") == "undo_edit", not list_paths(action) and action.kind != "run"
        for path in {self.files.find(one.path) for one in effects if one.use in _CHANGING} - {""}:
            changes = self.found.setdefault(path, FileChanges())
            changes.meant = {} if any(one.whole for one in effects) else changes.meant  # nothing of those edits is left
            self._touched[path] = None
            changes.number = max(changes.number, number)
            if number >= 0 and (said := find_deed(messages, number)) and not is_about_other_file(said, path):
                changes.deeds.pop(said, None)
                changes.deeds[said] = number
            changes.is_unknown |= path not in told and not is_undo
            if number >= 0 and is_blind and (meant := find_file_meant(messages[number], path, self.files.by_name)):
                changes.meant[meant] = number

    def _note_shown(self, action: Action, effects: Sequence[Effect]) -> None:
        named = {self.files.find(one.path) for one in effects}
        window = find_shown_file(action)
        is_read = any(one.use == "read" for one in effects) or window is not None
        if is_read and len(named) == 1 and (path := named.pop()):
            said = action.said[window.start() :] if window else action.said
            shown = self.shown.setdefault(path, ShownTexts())
            shown.note_shown(said)
            if all(one.use == "read" for one in effects):
                self._take_back_shown(path, shown.texts[-1])

    def _take_back_shown(self, path: str, text: str) -> None:
        """Take back the edits of a file that shows the text from before them: someone undid them outside of calls."""
        changes = self.found.get(path)
        for number, one in reversed(changes.edits if changes else ()):
            if changes and is_shown_undone(one, text) and not changes.net.is_undone(one):
                self._note_rewrite(path, EditedText(one.path, one.new, one.old, place=one.place), -1)
                changes.deeds = {said: at for said, at in changes.deeds.items() if at != number}


def _note_expressions(found: dict[str, FileChanges], files: ListedFiles, action: Action, number: int) -> None:
    """Note the substitutions by which sed and perl changed files in place."""
    for line in list_command_lines(action):
        if "-i" not in line:
            continue
        for simple in parse_command_line(line).commands:
            if simple.words[:1] in (("sed",), ("perl",)):
                said = next((word for word in simple.words[1:] if _SUBSTITUTES.match(word)), "")
                for path in filter(None, (files.find(word) for word in simple.words[1:])):
                    changes = found.setdefault(path, FileChanges())
                    changes.kinds.add(IMPORTS_ONLY if _OF_IMPORTS.search(said) else TEXT)
                    changes.expression = clip_text(collapse_whitespace(said), SENTENCE_CHARS)
                    changes.number = max(changes.number, number)


_ACTING = ("edit", "run", "other")
_TAKING_BACK = ("deleted", "moved")
_CHANGING = ("created", "changed", "moved")
_OF_IMPORTS = re.compile(r"\b(?:from|import|require|include|use)\b|\.\.?\\?/")
_SUBSTITUTES = re.compile(r"(?:\d+,?\d*)?[sy]([|/#,@!]).+\1|\d+(?:,\d+)?[acid]")
