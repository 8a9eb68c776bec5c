"""The command lines that a call ran: what each of them checks, if anything, and whether it succeeded.

Rule: a check has failed if its exit status or its own output says so, because `| tail` hides the status. Whether a run
makes earlier runs stale is not decided here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from secateur.memoizing import memoize_texts
from secateur.model import Part
from secateur.redact import redact
from secateur.toolcalls.actions import Action, build_action, clip_command, collapse_whitespace
from secateur.toolcalls.effects import is_pathlike
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix

Check = Literal["test", "build", "lint"]
COMMIT_LINE = r"^\[[\w./ -]{1,200}(?:\(root-commit\) )?"  # how git tells of a commit, up to its hash
MAX_CHARS = 240  # of a command line


class ExecutedCommand(Struct, frozen=True, gc=False):
    """One run of one command line."""

    action: Action
    line: str  # as it was given, "…" in place of the bodies of its here-documents
    stem: str  # program and verb, as far as two runs of "the same thing" share them
    looks: bool  # it only looks
    check: Check | None
    ok: bool
    does: tuple[tuple[str, ...], ...] = ()  # its programs with their words, those that only look left out if others act
    goes_to: str = ""  # the folder that it changes to before all else

    @property
    def text(self) -> str:
        """The command line on one line, without secrets."""
        return clip_command(join_command_lines(redact(self.line)), MAX_CHARS)


def join_command_lines(text: str) -> str:
    """Return the lines of a shell on one line, with a semicolon where a command ends with its line."""
    if "\n" not in text.strip() or "<<" in text:
        return collapse_whitespace(text)
    made, quote = "", ""
    for line in text.strip().split("\n"):
        if not quote and not line.strip():
            continue
        is_end = made and not quote and not _GOES_ON.search(made) and not line.lstrip().startswith("#")
        made = f"{made}; {line.strip()}" if is_end else f"{made.removesuffix(chr(92))} {line}"
        quote = _find_open_quote(line, quote)
    return collapse_whitespace(made)


def _find_open_quote(line: str, quote: str) -> str:
    """Return the quote that is open at the end of a line, where this one was open at its beginning."""
    for sign in _QUOTES.findall(line):
        quote = sign if not quote else "" if sign == quote else quote
    return quote


_QUOTES = re.compile(r"(?<!\\)[\"']")
_GOES_ON = re.compile(r"(?:[\\;&|({]|\b(?:do|then|else)|#[^\n]*)\s*$")  # ends what goes on in the next line


def iterate_runs(done: Iterable[Action]) -> Iterator[ExecutedCommand]:
    """Yield every command that was run and finished."""
    actions = tuple(done)
    for number, action in enumerate(actions):
        if _has_run(action):
            yield from list_own_runs(_follow_session(actions, number))


def list_own_runs(action: Action) -> tuple[ExecutedCommand, ...]:
    """Return every command of one call that was run and finished, whatever later calls read of its session."""
    return tuple([_build_run(action, line) for line in list_command_lines(action)]) if _has_run(action) else ()


def _has_run(action: Action) -> bool:
    if action.kind != "run" or action.result is None:
        return False
    return action.ok or action.exit is not None or bool(action.said)


def _follow_session(actions: Sequence[Action], number: int) -> Action:
    """Return a command that continued in a session with what later calls read of it, and how it ended."""
    action = actions[number]
    session = find_session(action)
    if not session or action.result is None:
        return action
    said = [_SESSION.sub("", action.said, count=1)]
    for poll in islice(actions, number + 1, None):
        if str(poll.given.get("session_id", "")) == session:
            said.append(_SESSION.sub("", poll.said, count=1))
            if poll.exit is not None:
                result = replace(action.result, text="\n".join(said), is_error=poll.exit != 0)
                return replace(action, result=result, exit=poll.exit, ok=poll.exit == 0)
    return action


def find_session(action: Action) -> str:
    """Find the id of the session in which a command continues; "" if it does not."""
    found = _SESSION.search(action.said[:_ENDS])
    return found["id"] if found else ""


_ENDS = 600  # characters of a result in which a host says that a command continues
_SESSION = re.compile(r"Process running with session ID (?P<id>\d{1,12})\b\n?")


def is_printing(ran: ExecutedCommand) -> bool:
    """Return whether a command only looks and prints text of files, whether or not their names are known."""
    return ran.looks and any(_count_operands(words) >= _PRINTS.get(words[0], 99) for words in ran.does)


def is_check(words: str) -> bool:
    """Whether a program with these words is a test, a build or a linter."""
    return any(pattern.match(words) for _, pattern in _CHECKS)


def find_check_kind(words: str) -> Check | None:
    """Return the kind of check that a program with these words is; None if it is none."""
    return next((kind for kind, pattern in _CHECKS if pattern.match(words)), None)


def list_check_kinds(ran: ExecutedCommand) -> tuple[Check, ...]:
    """Return which kinds of checks a command runs: `make lint && make test` runs two."""
    lines = [" ".join(words[:12]) for words in ran.does]
    return tuple(kind for kind, pattern in _CHECKS if any(map(pattern.match, lines)))


@memoize_texts(4_096)
def is_search(call: Part) -> bool:
    """Whether a call searches: its output may be hits."""
    action = build_action(call, None)
    if action.kind != "run":
        return action.kind == "search"
    return any(_SEARCHES.search(line) for line in list_command_lines(action))


@memoize_texts(16_384)  # each ledger asks it of the whole history
def has_failed(output: str) -> bool:
    """Return whether a check's own output reports a failure."""
    return bool(_FAILED.search(output[-_SEARCHED:]))


_SEARCHED = 8_000  # characters at the end of an output
_SEARCHES = re.compile(r"(?:^|[\s;&|(/])(?:[efz]?grep|rg|ag|ack|ugrep)\s")
_LOOK = frozenset({
    "cat", "head", "tail", "less", "nl", "ls", "pwd", "echo", "printf", "cd", "grep", "egrep", "rg", "ag", "find", "fd",
    "wc", "which", "type", "sleep", "true", "sort", "uniq", "cut", "tr", "jq", "tree", "stat", "file", "date", "whoami",
    "env", "export", "set", "test", "[", "awk", "diff", "du", "df", "ps", "xxd", "od", "bat", "column", "command", "id",
})  # fmt: skip
_GIT_LOOKS = frozenset({"status", "diff", "log", "show", "blame", "remote", "rev-parse", "ls-files", "grep", "reflog"})
_SETTINGS = frozenset(
    {"go env", "go list", "go version", "go doc", "npm ls", "npm view", "npm root", "pip show", "pip list"}
)
_PRINTS = {"cat": 1, "bat": 1, "head": 1, "tail": 1, "less": 1, "nl": 1, "sed": 2}  # programs, and words before a file
_RUNNER = (
    r"(?:python[\d.]* -m |(?:uv|poetry|pipenv|hatch|pdm) run |npx (?:-\S+ )*|bunx |pnpm exec |yarn |bundle exec )?"
)
_SCRIPTS = (
    r"(?:npm|pnpm|yarn|bun|deno|mix|swift|dotnet|bazel(?:isk)?|gradlew?|mvn|sbt|make|mise|just|task|rake|rails|nx|turbo"
    r"|lerna|hatch|flutter|dart|lein|php artisan)(?: run(?:-many -t)?| exec| workspace \S+| -\S+(?: [^\s-]\S*)??)*"
)
_CHECKS: tuple[tuple[Check, re.Pattern[str]], ...] = (
    (
        "test",
        re.compile(
            rf"{_RUNNER}(?:pytest|py\.test|unittest|nosetests|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|gotestsum"
            rf"|playwright test|go test|cargo (?:\+\S+ )?(?:nextest|test)|{_SCRIPTS} [\w:.-]*tests?\b"
            r"|python[\d.]* \S*(?:runtests|manage|test_\w+|\w+_test)\.py|runtests\.\w+|\S*test\S*\.sh)"
        ),
    ),
    (
        "build",
        re.compile(
            rf"{_RUNNER}(?:go (?:build|install)|cargo (?:build|check)|tsc|tsgo|cmake --build|docker build|ninja|webpack"
            rf"|vite build|make$|{_SCRIPTS} [\w:.-]*(?:build|compile|package|typecheck|check)\b)"
        ),
    ),
    (
        "lint",
        re.compile(
            rf"{_RUNNER}(?:ruff|mypy|pyright|flake8|pylint|eslint|biome|golangci-lint|go vet|cargo clippy|shellcheck"
            rf"|{_SCRIPTS} [\w:.-]*lint\b)"
        ),
    ),
)
_FAILED = re.compile(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|ERRORS?\b:?|BUILD FAILED|npm ERR!|make(?:\[\d+\])?: \*\*\*|error(?:\[E\d+\])?: )"
    r"|\b[1-9]\d* (?:failed|failing|failures?)\b|\b(?:failures|errors)[=:] ?[1-9]|error TS\d+|^Found [1-9]\d* errors?",
    re.M,
)


class _Line(Struct, frozen=True, gc=False):
    """What a command line states by itself, whatever its result."""

    line: str
    stem: str
    looks: bool
    check: Check | None
    does: tuple[tuple[str, ...], ...]
    goes_to: str


def _build_run(action: Action, line: str) -> ExecutedCommand:
    said = _kept(line) if len(line) <= _SHORT else _parse_line(line)
    ok = action.ok and not (said.check and has_failed(action.said))
    return ExecutedCommand(action, said.line, said.stem, said.looks, said.check, ok, said.does, said.goes_to)


def _parse_line(line: str) -> _Line:
    taken = parse_command_line(line)
    programs = [words for simple in taken.commands if (words := strip_program_prefix(simple.words))]
    does = [" ".join(words[:12]) for words in programs if words[0] not in _LOOK]
    check = next((kind for kind, pattern in _CHECKS if any(map(pattern.match, does))), None)
    acting = [words for words in programs if not _is_read_only(words)]
    stem = " ".join(acting[0][:2]) if acting else " ".join(programs[0][:2]) if programs else ""
    writes = any(is_pathlike(path) for simple in taken.commands for path in (*simple.writes, *simple.appends))
    looks = not acting and not writes
    return _Line(taken.line, stem, looks, check, tuple(acting or programs), _get_directory(programs))


_SHORT = 2_000  # characters of a command line that is kept: it is asked about for what it ran, and how that went
_kept = lru_cache(maxsize=4_096)(_parse_line)


def _is_read_only(words: tuple[str, ...]) -> bool:
    if words[0] == "git":
        verb = next((word for word in words[1:] if not word.startswith(("-", "/", "."))), "")
        return verb in _GIT_LOOKS
    if words[0] == "find":
        runs = [words[at + 1 :] for at, word in enumerate(words[:-1]) if word in ("-exec", "-execdir", "-ok")]
        return "-delete" not in words and all(map(_is_read_only, runs))
    return (
        words[0] in _LOOK
        or " ".join(words[:2]) in _SETTINGS
        or (words[0] == "sed" and not any(word.startswith("-i") for word in words))
    )


def _count_operands(words: tuple[str, ...]) -> int:
    """Return how many words are neither options nor numbers."""
    return sum(not word.startswith("-") and not word.isdigit() for word in words[1:])


def _get_directory(programs: list[tuple[str, ...]]) -> str:
    return programs[0][1] if programs and programs[0][0] == "cd" and len(programs[0]) > 1 else ""
