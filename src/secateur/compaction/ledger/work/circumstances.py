"""What else is true of files, commands and errors: which were made only to try something, and what is older than the
newest change.

Rule: a file is scratch if it lies in a folder for temporary files, or if the session created it beside its commands,
gave it the name of a trial, ran it or fed it to a program, and neither the user named it nor `git add` took it, or if
the work was handed in as a patch that git wrote of other files; tests are as well where the user wants none changed. A
failed check or an error has been edited since if a call behind it changed a file of the project, any other check if it
changed code; how the check ends then, nobody knows before it runs again. A change in one repository leaves the checks
of another as they are, where the calls name the folders of both and git ran in them.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.lines import TEMPORARY
from secateur.compaction.ledger.files.paths import find_roots, list_roots
from secateur.compaction.ledger.files.reads import mark_reads
from secateur.compaction.ledger.files.touched import limit_uncommitted
from secateur.compaction.ledger.runs.closed_work import list_closed_keys
from secateur.compaction.ledger.runs.failures import is_overtaken
from secateur.compaction.ledger.said import get_user_text
from secateur.compaction.ledger.work.code_changes import list_changes
from secateur.compaction.ledger.work.endings import describe_ending
from secateur.compaction.ledger.work.patches import find_patched_names
from secateur.model import Message
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_command_lines, list_file_effects
from secateur.toolcalls.shell import parse_command_line


def mark_circumstances(
    ledger: Ledger, messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand]
) -> Ledger:
    """Mark runs of scratch files, and checks and errors behind which a file was changed."""
    files = mark_reads(ledger, messages, done)
    scratch = tuple(posixpath.basename(one.path) for one in files if one.scratch)
    kept = {one.path for one in files if not one.scratch}
    places = {key: number for number, action in enumerate(done) for key in (action.key, action.call.key)}
    repositories = _list_repositories(ran)
    newest = _find_newest_changes(_list_all_changes(done, scratch), done, repositories)
    code = ((one.number, one.path) for one in list_changes(done, files))
    closed = frozenset(list_closed_keys(messages, ran, ledger.requests))
    newest_code = _find_newest_changes(code, done, repositories)

    def is_older(key: str, than: Mapping[str, int] = newest) -> bool:
        place = places.get(key, len(done))
        own = _find_repository(_find_folder(done[place]), repositories) if place < len(done) else ""
        return any(place < number for root, number in than.items() if not (root and own) or root == own)

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
            if one.key not in closed or one.ok is not False
        ),
        failures=tuple(
            replace(
                one,
                scratch=_has_name(one.during, scratch),
                edited_since=not one.resolved and is_older(one.key),
            )
            for one in ledger.failures
            if one.resolved or not (one.key in closed or is_overtaken(one, list_later(one.key)))
        ),
    )


def is_project_change(one: FileEntry) -> bool:
    """Whether a file of the project is not as it was."""
    return not one.scratch and one.is_changed


def mark_scratch_files(
    files: Sequence[FileEntry], messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand]
) -> tuple[FileEntry, ...]:
    """Mark the files that were made only to try something."""
    if not any(one.use == "created" for one in files):
        return tuple(files)
    roots = {"", ".", *list_roots(done)}
    asked = "\n".join(filter(None, map(get_user_text, messages)))
    called = [line for action in done if not action.result for line in list_command_lines(action)]
    operands = (*(word for run in ran for word in _list_operands(run)), *" ".join(called).split())
    used = {posixpath.basename(word) for word in operands}
    added = [word for run in ran for words in run.does if words[:2] == ("git", "add") for word in words[2:]]
    takes_all = not {"-A", "--all", "."}.isdisjoint(added)
    handed_in = set(_NAMES.findall(describe_ending(messages, done)))
    kept = {posixpath.basename(word) for word in added} | handed_in
    patched = find_patched_names(done) if handed_in else frozenset[str]()
    has_test_ban = _TEST_BAN.search(asked) is not None

    def is_scratch(one: FileEntry) -> bool:
        folder, name = posixpath.split(one.path)
        if one.use != "created" or name in handed_in:
            return False
        is_banned = has_test_ban and _TESTS.search(one.path) is not None and not takes_all and name not in kept
        if is_banned or name in asked:
            return is_banned and "/".join(one.path.split("/")[-2:]) not in asked
        if TEMPORARY.match(one.path) or _BACKUP.search(name) or (patched and name not in patched):
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


def _list_all_changes(done: Sequence[Action], scratch: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each call that changed a file of the project, with the file's path."""
    for number, action in enumerate(done):
        for effect in list_file_effects(action) if action.kind in ("run", "edit", "other") else ():
            name = posixpath.basename(effect.path)
            is_kept = name not in scratch and not (TEMPORARY.match(effect.path) or _NO_WORK.search(name))
            if effect.use in _CHANGES and is_kept:
                yield number, effect.path


def _find_newest_changes(
    changes: Iterable[tuple[int, str]], done: Sequence[Action], repositories: Sequence[str]
) -> dict[str, int]:
    """Return the number of the newest change in each repository; "" is one that is not known."""
    return {
        _find_repository(posixpath.join(_find_folder(done[number]), path), repositories): number
        for number, path in changes
    }


def _list_repositories(ran: Iterable[ExecutedCommand]) -> tuple[str, ...]:
    """Return the folders in which git ran, the shortest first: a longer one may be a folder of the same repository."""
    found = {_find_folder(run.action) for run in ran if any(words[0] == "git" for words in run.does)}
    return tuple(sorted(found - {""}, key=len))


def _find_folder(action: Action) -> str:
    """Return the folder in which a call ran; "" if it names none or several."""
    roots = set(find_roots(action))
    return roots.pop() if len(roots) == 1 else ""


def _find_repository(path: str, repositories: Sequence[str]) -> str:
    return next((root for root in repositories if f"{path}/".startswith(f"{root}/")), "")


def _has_name(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) for name in names if name in text)


_NAMES = re.compile(r"[\w.-]{3,100}")
_CHANGES = ("created", "changed", "deleted", "moved", "restored")
_PATCH = re.compile(r"\.(?:patch|diff|rej)$")
_NO_WORK = re.compile(r"(?i)\.(?:patch|diff|rej|orig|bak|backup|log)$|^(?:patch|diff)\.txt$")  # beside the files
_BACKUP = re.compile(r"(?i)\.(?:bak|backup|orig|original|save)[._-]?\d{0,3}$|~$")
_TRIAL = re.compile(
    r"(?i)(?:^|[_.-])(?:test|debug|dbg|te?mp|scratch|repro(?:duce)?|try|check|trace|show|simple|minimal|verify|validate"
    r"|patch|fix|edit|apply|demo|example|sample|issue|experiment|inspect|analy[sz]e|explore|final|quick|dump|find|run)"
    r"(?=[_.\d-]|s?\.)|(?:_test|_tests|_debug|_repro|_check)\."
)
_WITHIN = r"(?:(?!\b(?:but|and|only|except|until|before|unless)\b)[^.,;:!?\n])"  # of the same clause
_TEST_BAN = re.compile(
    r"(?i)\b(?:do(?:n['’]?t| not)|never|no need to|without|(?:must|should)(?:n['’]?t| not))"
    rf"(?! (?:forget|hesitate|stop|skip|just|only)\b){_WITHIN}{{0,30}}\b(?:modify|chang|edit|touch|add|writ|creat)\w*\b"
    rf"{_WITHIN}{{0,40}}\btests?\b"
)
_TESTS = re.compile(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_[^/]+$|[._]test\.\w+$|\.spec\.\w+$")
