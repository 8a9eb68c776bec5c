"""Errors, and whether they were resolved.

Rule: an error is the line of a failed result that says what went wrong, verbatim; what a program prints to standard
error on its way is none, and neither is a search without a hit or a call that the user refused. It is resolved when the
same thing succeeds later: the same command, a check of at least as much, an edit of the same file. An error of a check
is open until then; what no one tried again is told as that. An error about a path is overtaken where the session
created what was missing, or moved or deleted the path.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.coverage import is_covering, name_command
from secateur.compaction.ledger.entries import Failure
from secateur.compaction.ledger.files.touched import describe_target
from secateur.compaction.ledger.runs.checks import REFUSED, judge_run
from secateur.compaction.ledger.runs.last_errors import STARTER
from secateur.compaction.ledger.runs.starts import has_started, list_started
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_file_effects, list_paths

MAX_CHARS = 240  # of an error line
_LINES = 4  # of one failed check: each names a failing test
_SEARCHED = 20_000  # characters at either end of a result


def list_failures(done: Iterable[Action], ran: Iterable[ExecutedCommand]) -> tuple[Failure, ...]:
    """Return every error in order, each once, with what became of it."""
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.call.key, []).append(run)
    found: dict[tuple[str, str], tuple[_Try, Failure]] = {}
    opened: set[str] = set()  # names of files that calls read or changed so far
    for action in done:
        opened |= {posixpath.basename(effect.path) for effect in list_file_effects(action)}
        if not action.result or REFUSED.search(action.said[:400]):
            continue
        for try_ in [_run(run) for run in runs.get(action.call.key, ())] or [_call(action)]:
            _resolve(found, try_, action.said)
            for line in find_error_lines(action.said, try_, opened) if try_.ok is False else ():
                found.pop((try_.during, line), None)
                one = Failure(line, try_.during, False, action.key, try_.check, edit=not try_.is_run)
                found[try_.during, line] = try_, one
    return tuple(failure for _, failure in found.values())


def is_overtaken(failure: Failure, effects: Iterable[Effect]) -> bool:
    """Whether later work on files leaves nothing of an error about a path, unless it is one of a check."""
    if failure.check:
        return False
    named = [_get_stem(hit) for hit in _PATH.findall(failure.line)]
    is_missing = _MISSING.search(failure.line) is not None
    uses = ("created", "moved", "deleted", "discarded") if is_missing else ("moved", "deleted", "discarded")
    places = [_get_stem(path) for one in effects if named and one.use in uses for path in (one.path, one.to) if path]
    return any(_is_same_place(name, place) for name in named for place in places)


def _is_same_place(name: str, place: str) -> bool:
    is_end = place.endswith(f"/{name}") or (name.startswith("/") and name.endswith(f"/{place}"))
    return name == place or is_end


def _get_stem(path: str) -> str:
    """Return a path without leading dots, and without the ending under which its language imports it."""
    return _SCRIPT_END.sub("", re.sub(r"^(?:\.{1,2}/)+", "", path))


class _Try(Struct, frozen=True):
    """One attempt at something. `ok` is None where nothing says how it ended."""

    during: str
    ok: bool | None
    names: frozenset[str] = frozenset()  # what a later success must share with it to resolve it
    check: bool = False
    is_run: bool = False
    is_open: bool = False  # it ran, and its status is that of another program
    started: tuple[str, ...] = ()  # the checks that it started, as its output says


def _run(run: ExecutedCommand) -> _Try:
    """What only looks has no error that matters later, and what did not start says nothing."""
    if run.looks or not has_started(run):
        return _Try(run.text, None, is_run=True)
    ok = judge_run(run).ok
    started = list_started(run.action.said) if run.check else ()
    return _Try(run.text, ok, frozenset(_name_run(run)), bool(run.check), True, ok is None and not run.check, started)


def _name_run(run: ExecutedCommand) -> Iterator[str]:
    yield name_command(run.text)
    words = run.does[0] if run.does else ()
    if len(words) > 1 and not run.check and words[0] in _VERBS:
        yield " ".join(words[:2])


def _call(action: Action) -> _Try:
    during = describe_target(action)
    files = [*list_paths(action), *map(str.strip, _PATCHED.findall(action.call.text.replace("\\n", "\n")))]
    return _Try(during, action.ok, frozenset(f"{action.kind} {path}" for path in files) or frozenset({during}))


def find_error_lines(output: str, try_: _Try, opened: Collection[str] = ()) -> list[str]:
    """Return the lines that say what went wrong: failing tests, else exceptions, else other error words.

    Where a check shows more of them than have room, those come first that are about files in `opened`.
    """
    text = output if len(output) <= 2 * _SEARCHED else f"{output[:_SEARCHED]}\n{output[-_SEARCHED:]}"
    text = _TAGS.sub("", text)
    lines = [line for line in text.split("\n") if 3 <= len(line.strip()) <= 2_000 and not _FRAME.match(line.strip())]
    for shape in (_FAILING, _EXCEPTION, _ERROR):
        if hits := list(dict.fromkeys(line for line in lines if shape.search(line) and not _FINE.search(line))):
            hits = [line for line in hits if not STARTER.match(line.strip())] or hits
            most = _LINES if try_.check else 1
            if try_.check and len(hits) > most:
                hits = [line for line in hits if _is_about(line, opened)] or hits
            return list(_clean_lines(hits[-most:] if shape is _EXCEPTION else hits[:most]))
    return [] if try_.is_run else list(_clean_lines(lines[:1]))


def _is_about(line: str, files: Collection[str]) -> bool:
    return any(posixpath.basename(path) in files for path in _PATH.findall(line))


_VERBS = frozenset(
    {"git", "npm", "pnpm", "yarn", "bun", "pip", "uv", "poetry", "cargo", "docker", "gh", "brew", "apt-get"}
)
_PATH = re.compile(r"(?<![\w./@~:-])(?:\.{0,2}/)?(?:[\w@.+-]{1,100}/){0,20}[\w@+-][\w@.+-]{0,100}\.\w{1,8}(?![\w/])")
_SCRIPT_END = re.compile(r"\.[cm]?[jt]sx?$")
_MISSING = re.compile(
    r"(?i)\b(?:cannot find|no such file|not found|does not exist|doesn['’]t exist|ENOENT|could not find)\b"
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)
_TAGS = re.compile(r"</?tool_use_error>")
_FAILING = re.compile(r"^\s*(?:--- FAIL: |FAILED [\w./]|✗ |✘ |× |not ok \d|FAIL:? [\w./])")
_EXCEPTION = re.compile(
    r"^\s*(?:[\w.]+(?:Error|Exception)|fatal|panic|error(?:\[E\d+\])?)\b: ?\S|error TS\d+|npm ERR! (?:code|error)"
)
_ERROR = re.compile(
    r"(?i)\b(?:errors?|fatal|failed|failure|panic|exception|not found|no such file|denied|cannot|can't|could not"
    r"|undefined|invalid|refused|timed? ?out|rejected|unknown|unexpected|must be)\b"
)
_FINE = re.compile(  # words of success, and what git says to standard error whether or not it succeeds
    r"(?i)^\s*(?:[✓✔√]|ok\b|PASS\b|--- PASS|# )|\b(?:0|no) (?:errors?|failed|failures?|failing|problems?)\b"
    r"|^\s*(?:Switched to|Already on|Already up to date|Your branch|From |To |remote:|branch '|HEAD is now"
    r"|hint:|warning: )"
)
_FRAME = re.compile(  # words of the host around an output
    r"(?i)exit code:? -?\d+$|<|Chunk ID:|Wall time:|Process exited|Original token count|Output:$|Command(?: exited|:)"
    r"|[{}\[\]]|Traceback|\(Command|\(no output\)$"
)


def _clean_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if said := clip_text(redact(collapse_whitespace(line)), MAX_CHARS):
            yield said


def _resolve(found: dict[tuple[str, str], tuple[_Try, Failure]], now: _Try, output: str) -> None:
    """Later success resolves; a later run that is no clear success resolves the lines that it does not show again.

    Of a check a failure says so, of any other command a run of which no one knows how it ended.
    """
    shown = ""
    for place, (tried, failure) in found.items():
        if failure.resolved or (now.ok is None and not now.is_open) or not _is_retry(now, tried, failure.line):
            continue
        shown = shown or collapse_whitespace(output[-_SEARCHED:])
        if now.ok or ((now.check or now.is_open) and failure.line not in shown):
            found[place] = tried, replace(failure, resolved=True)


def _is_retry(now: _Try, tried: _Try, line: str) -> bool:
    if now.during == tried.during or now.names & tried.names:
        return True
    if not (now.check and tried.check):
        return False
    olds = (tried.during, *tried.started[-1:])
    return any(is_covering(now.during, old, line, now.started) for old in olds)
