"""What each changed file now has, in words of the record: names that edits added and removed, and the agent's own
sentence about the file.

Rule: names come from the texts that edits wrote and from what is around them, sentences from the agent's newest words
behind the last edit of the file; a sentence is quoted, never composed, and stands with one file only. What a later edit
took back is not told, and neither is what git took back. A change of one line is shown, unless the sentence tells it
or the file is a test. A document is told by its title. Edits of nothing but imports or
layout say that, and so does a file of which a tool shows that most is gone. A file that a command rewrote is told by
the diff that git printed of it, else by the command's own expression. A file whose edits were all taken back by later
ones is as it was.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.changes import DIFF, trace_changes
from secateur.compaction.ledger.files.file_changes import FileChanges
from secateur.compaction.ledger.files.own_words import find_mentions
from secateur.compaction.ledger.files.paths import ListedFiles
from secateur.compaction.ledger.files.rewrites import (
    IMPORTS_ONLY,
    LAYOUT_ONLY,
    PROSE,
    TEXT,
)
from secateur.compaction.ledger.files.values import TESTED
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.effects import Effect

FEWEST_LINES = 100  # of a file of which it is told that most is gone,
LEFT_SHARE = 1 / 3  # where no more than this share of its lines is left
NOTE_CHARS = 220  # of one file
LINES_CHARS = 320  # of one file whose changed lines are all shown
MOST_DEEDS = 2
AS_COMMITTED = "as in the last commit"
MOST_NAMES, MOST_NAMES_BEFORE = 4, 3  # of one verb; before a line that shows what was changed
LONGEST_NAME = 80
LEAST_QUOTED = 40  # characters of a sentence that is cut
PART_SHARE = 0.6  # of the room that whole parts must fill; else the next part is cut between its names


def describe_changes(
    files: Sequence[FileEntry],
    messages: Sequence[Message],
    done: Iterable[Action],
    settled: Mapping[str, Sequence[Effect]],
) -> tuple[FileEntry, ...]:
    """Return the files, those that were created or changed with a note on what they now have.

    `settled`: what calls did to files where their words alone tell something else.
    """
    noted = [one.path for one in files if one.use in ("created", "changed", "moved") and not one.scratch]
    if not noted:
        return tuple(files)
    done = tuple(done)
    history = trace_changes(noted, messages, done, settled)
    losses = _describe_losses(ListedFiles(noted, done), done)
    said = find_mentions(messages, {path: one.number for path, one in history.items()})
    created = {one.path for one in files if one.use == "created"}
    notes = {
        path: _describe(path, one, said.alone.get(path, ""), said.together.get(path, ""), path in created)
        for path, one in history.items()
    }
    notes |= {path: "; ".join(filter(None, (losses[path], notes.get(path)))) for path in losses}
    undone = {path for path, one in history.items() if _is_undone(one)}
    return tuple(
        replace(one, use="restored", about=AS_COMMITTED if history[one.path].is_reverted else one.about)
        if one.path in undone and one.use == "changed"
        else replace(one, about="; ".join(filter(None, (one.about, notes[one.path]))))
        if notes.get(one.path)
        else one
        for one in files
    )


def _describe_losses(files: ListedFiles, done: Iterable[Action]) -> dict[str, str]:
    """Describe by path how few lines are left of files that had many."""
    counts: dict[str, tuple[int, int]] = {}
    for action in done:
        for shown in _COUNTED.finditer(action.said) if " lines total)]" in action.said else ():
            if path := files.find(shown["path"]):
                lines = int(shown["lines"])
                counts[path] = counts.get(path, (lines, lines))[0], lines
    return {
        path: f"most of it is gone: {first:,} lines before, {last:,} now"
        for path, (first, last) in counts.items()
        if first >= FEWEST_LINES and last <= first * LEFT_SHARE
    }


def _is_undone(changes: FileChanges) -> bool:
    """Whether all that the edits of a file changed was taken back, or they took back what was changed before them."""
    if changes.is_reverted:
        return True
    is_told = changes.kinds == {TEXT} and not (changes.is_unknown or changes.expression or changes.net.is_guessed)
    return is_told and bool(changes.edits) and all(changes.net.is_undone(edit) for _, edit in changes.edits)


def drop_undone(uncommitted: Iterable[str], files: Iterable[FileEntry], has_commits: bool) -> tuple[str, ...]:
    """Return the files that are left to commit, without those of these that are as they were.

    `has_commits`: what edits took back may have been committed before, so that it is left to commit.
    """
    undone = {one.path for one in files if one.use == "restored" and (one.about == AS_COMMITTED or not has_commits)}
    return tuple(path for path in uncommitted if path not in undone)


def _describe(path: str, changes: FileChanges, sentence: str, together: str, is_new: bool) -> str:
    """Compose the note of one file from its parts; what is said of several files stands where little else is known."""
    named = " ".join((*changes.net.list_owners(), *changes.added, *changes.removed))
    deeds = [] if sentence or _ONE_LINE.fullmatch(changes.net.quote_all()) else list(changes.deeds)[-MOST_DEEDS:]
    deeds = [one for one in deeds if not _is_said(one, named)]
    parts = list(_describe_names(path, changes, sentence or " ".join(deeds), is_new))
    if sentence and not _is_said(sentence, " ".join(parts)):
        parts.append(f"“{sentence}”")
    if not parts and changes.kinds and changes.kinds <= {IMPORTS_ONLY, LAYOUT_ONLY}:
        return IMPORTS_ONLY if IMPORTS_ONLY in changes.kinds else LAYOUT_ONLY
    if not parts:
        told = "" if "whole" in changes.kinds else changes.net.quote()
        parts += [f"“{together}”"] if together else [told] if told else []
    if not deeds and changes.expression and not (sentence or parts or changes.net.quote_all()):
        deeds = [changes.expression]
    parts += [f"“{one}”" for one in reversed(deeds) if not _is_said(one, " ".join(parts))]
    parts += [f"an edit meant for {name} landed here" for name in changes.meant]
    most = LINES_CHARS if any("`" in part for part in parts) and changes.net.quote_all() else NOTE_CHARS
    return clip_note(collapse_whitespace(redact("; ".join(parts))).replace(" — ", " – "), most)


def _describe_names(path: str, changes: FileChanges, sentence: str, is_new: bool) -> Iterator[str]:
    """Yield what a file says of itself, and the names that edits added, renamed, changed and removed.

    `is_new`: the session created the file, so that whatever edits changed in it is what it has.
    """
    is_written = "whole" in changes.kinds
    is_filled = is_new and not is_written and DIFF not in changes.kinds  # git shows how it was before
    is_new = is_written or is_filled
    if changes.lead and is_written:
        yield f"“{changes.lead}”"
        if path.endswith(PROSE):
            return
    left = {} if is_filled else changes.renamed  # what a new file has under its last name
    renamed = {old: new for old, new in left.items() if old in changes.removed and new in changes.added}
    known = {f"“{changes.lead}”", *renamed.values()}
    removed = [one for one in changes.removed if one not in renamed and not is_filled]
    drops = f"drops {_join(removed)}" if removed else ""
    if drops and is_new:
        yield drops
    held = [one for one in changes.net.list_owners() if one not in changes.removed] if is_filled else []
    if added := [name for name in dict.fromkeys((*changes.added, *held)) if name not in known]:
        yield f"has {_join(added[::-1])}" if is_new else f"adds {_join(added)}"
    if renamed:
        yield f"renames {_join(f'{old} to {new}' for old, new in renamed.items())}"
    if not is_new:
        yield from _describe_changed(path, changes, sentence)
    if drops and not is_new:
        yield drops
    yield from (f"two definitions of {name}" for name in changes.twice)


def _describe_changed(path: str, changes: FileChanges, sentence: str) -> Iterator[str]:
    """Yield the functions and the like that edits changed, and the line where it is one.

    Of a test, and of a file of which the agent's own words tell, no line is shown that is one of several or that these
    words have.
    """
    known = {*changes.added, *changes.removed, *changes.retitled} - {*changes.retitled.values()}
    owners = [name for name in changes.net.list_owners() if name not in known]
    is_brief = bool(sentence) or (bool(owners) and TESTED.search(path) is not None)
    told = "" if changes.added or changes.removed else changes.net.quote_all()
    if is_brief and (not _ONE_LINE.fullmatch(told) or ("→" not in told and _is_said(told.partition("`")[2], sentence))):
        told = ""
    common = "" if told else changes.net.quote_common()
    if common:
        yield common
    if owners:
        is_shown = not (told or common or is_brief or changes.added or changes.removed)
        example = changes.net.quote_example() if is_shown else ""
        names = _join(owners, MOST_NAMES if not example else MOST_NAMES_BEFORE)
        yield f"changes {names}{f', such as {example}' if example else f': {told}' if told else ''}"
        told = "" if told or common or example or is_brief else changes.net.quote(is_outside=True)
    if told:
        yield told


def _is_said(sentence: str, said: str) -> bool:
    """Whether the other parts of a note have nearly all words of a sentence."""
    words = set(_WORD.findall(sentence.casefold()))
    return bool(words) and len(words & set(_WORD.findall(said.casefold()))) >= 0.6 * len(words)


def clip_note(note: str, max_chars: int) -> str:
    """Cut a note behind one of its parts, or else between two names; a line of code stands whole or not at all."""
    if len(note) <= max_chars:
        return note
    part, name, quoted = (note.rfind(mark, 0, max_chars) for mark in ("; ", ", ", "” "))
    end = part
    if part < PART_SHARE * max_chars:
        end = max(part, *(at if at >= max_chars // 3 else 0 for at in (name, quoted)))
    if end <= 0 and not note.startswith("“"):  # the first name stays whole
        end = next((at for at in (note.find(", "), note.find("; ")) if 0 < at <= LONGEST_NAME), 0)
    said = note[:end] if end > 0 else clip_text(note, max_chars - 3)
    if said.count("“") > said.count("”") and part > 0 and len(said) - said.rfind("“") < LEAST_QUOTED:
        return note[:part]
    if said.count("`") % 2 and (before := _BEFORE_CODE.sub("", said[: said.rindex("`")])):
        return before
    if end > 0 and note.startswith("; ", end):
        return said
    closing = "`" if said.count("`") % 2 else "”" if said.count("“") > said.count("”") else ""
    return f"{said} …{closing}" if " " in said else ""


def _join(names: Iterable[str], most: int = MOST_NAMES) -> str:
    listed = sorted(list(names)[::-1], key=_rank_name)  # of equal ones the newest first
    return ", ".join(listed[:most]) + " …" * (len(listed) > most)


def _rank_name(name: str) -> int:
    """Return the place of a name by what it tells: tests, headings, types and public names first, helpers last."""
    if _COMMON_NAME.fullmatch(name):
        return 2
    return 0 if _TELLING.match(name) else 1


_ONE_LINE = re.compile(r"(?:(?:adds|drops) )?`[^`]*`(?: → `[^`]*`)?")
_COUNTED = re.compile(r"\[File: (?P<path>[^\n]{1,400}?) \((?P<lines>\d{1,9}) lines total\)\]")
_TELLING = re.compile(r"“|[Tt]est|[A-Z]")
ANY_NAME = (
    r"(?i:close|read|write|string|error|unwrap|len|less|swap|get|set|init|run|call|next|reset|dispose|render|refresh"
    r"|done|main|set_?up|tear_?down|to_?string|to_?json|meta|helper|mock|stub|noop|wrapper|callback|handler)"
)
_COMMON_NAME = re.compile(rf"_\w+|{ANY_NAME}")
_BEFORE_CODE = re.compile(r"(?:(?:^|[:;]|, such as) *)?(?:(?:adds|drops) |`[^`]*` → )?$")
_WORD = re.compile(r"\w{4,}")
