"""What else is true of files, commands and errors: which were made only to try something, and what is older than the
newest change.

Rule: a file is scratch if it lies in a folder for temporary files, or if the session created it beside its commands,
gave it the name of a trial, ran it or fed it to a program, and neither the user named it nor `git add` took it. A
failed check or an error has been edited since if a call behind it changed a file of the project, any other check if it
changed code; how the check ends then, nobody knows before it runs again.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.failures import is_overtaken
from secateur.compaction.ledger.files import limit_uncommitted
from secateur.compaction.ledger.known_paths import list_roots
from secateur.compaction.ledger.said import get_user_text
from secateur.compaction.ledger.standing import list_changes
from secateur.model import Message
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_file_effects
from secateur.toolcalls.shell import parse_command_line


def mark_circumstances(
    ledger: Ledger, messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand]
) -> Ledger:
    """Mark scratch files and their runs, and checks and errors behind which a file was changed."""
    files = _mark_scratch_files(ledger.files, messages, done, ran)
    scratch = tuple(posixpath.basename(one.path) for one in files if one.scratch)
    kept = {one.path for one in files if not one.scratch}
    places = {key: number for number, action in enumerate(done) for key in (action.key, action.call.key)}
    newest = _find_newest_change(done, scratch)
    newest_code = max((one.number for one in list_changes(done, files)), default=-1)

    def is_older(key: str, than: int = newest) -> bool:
        return places.get(key, than) < than

    def list_later(key: str) -> Iterator[Effect]:
        for action in done[places.get(key, len(done)) + 1 :]:
            yield from list_file_effects(action) if action.kind in ("run", "edit", "other") and action.ok else ()

    return replace(
        ledger,
        files=files,
        uncommitted=limit_uncommitted([path for path in ledger.uncommitted if path in kept]),
        commands=tuple(
            replace(
                one,
                scratch=_has_name(one.text, scratch),
                edited_since=one.check is not None and is_older(one.key, newest if one.ok is False else newest_code),
            )
            for one in ledger.commands
        ),
        failures=tuple(
            replace(
                one,
                scratch=_has_name(one.during, scratch),
                edited_since=not one.resolved and is_older(one.key),
            )
            for one in ledger.failures
            if one.resolved or not is_overtaken(one, list_later(one.key))
        ),
    )


def is_project_change(one: FileEntry) -> bool:
    """Whether a file of the project is not as it was."""
    return not one.scratch and one.use not in ("read", "discarded")


def _mark_scratch_files(
    files: Sequence[FileEntry], messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand]
) -> tuple[FileEntry, ...]:
    if not any(one.use == "created" for one in files):
        return tuple(files)
    roots = {"", ".", *list_roots(done)}
    asked = "\n".join(filter(None, map(get_user_text, messages)))
    used = {posixpath.basename(word) for run in ran for word in _list_operands(run)}
    added = [word for run in ran for words in run.does if words[:2] == ("git", "add") for word in words[2:]]
    takes_all = not {"-A", "--all", "."}.isdisjoint(added)
    kept = {posixpath.basename(word) for word in added}

    def is_scratch(one: FileEntry) -> bool:
        folder, name = posixpath.split(one.path)
        if one.use != "created" or name in asked:
            return False
        if _TEMPORARY.match(one.path) or _BACKUP.search(name):
            return True
        if folder not in roots or takes_all or name in kept:
            return False
        return _PATCH.search(name) is not None or (_TRIAL.search(name) is not None and name in used)

    return tuple(replace(one, scratch=True) if is_scratch(one) else one for one in files)


def _list_operands(run: ExecutedCommand) -> Iterator[str]:
    for words in run.does:
        yield from words[1:]
    for simple in parse_command_line(run.line).commands:
        yield from simple.reads


def _find_newest_change(done: Sequence[Action], scratch: Sequence[str]) -> int:
    """Return the number of the newest call that changed a file of the project; -1 if none did."""
    for number in range(len(done) - 1, -1, -1):
        action = done[number]
        if action.kind in ("run", "edit", "other") and any(
            effect.use in _CHANGES
            and posixpath.basename(effect.path) not in scratch
            and not _TEMPORARY.match(effect.path)
            for effect in list_file_effects(action)
        ):
            return number
    return -1


def _has_name(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) for name in names if name in text)


_CHANGES = ("created", "changed", "deleted", "moved", "restored")
_TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/tmp|var/folders)/|[A-Za-z]:\\.*\\Temp\\")
_PATCH = re.compile(r"\.(?:patch|diff|rej)$")
_BACKUP = re.compile(r"\.(?:bak|backup|orig)$|~$")
_TRIAL = re.compile(
    r"(?i)(?:^|[_.-])(?:test|debug|dbg|te?mp|scratch|repro(?:duce)?|try|check|trace|show|simple|minimal|verify|validate"
    r"|patch|fix|edit|apply|demo|example|sample|issue|experiment|inspect|analy[sz]e|explore|final|quick|dump|find|run)"
    r"(?=[_.\d-]|s?\.)|(?:_test|_tests|_debug|_repro|_check)\."
)
