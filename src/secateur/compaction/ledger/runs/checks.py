"""Commands and how they ended: the last status of tests, builds and linters above all.

Rule: one entry per command line, with its latest outcome. A check ended as its tool says, whatever the shell made of
its status; one that could not start, or found nothing to check, is none. A total is read in the words of the tool that
prints it ("2 failed, 5 passed", "test result: ok", "Found 3 errors"), and a total that names a failure counts before
one that names none. Without a total the exit status decides, then lines that name a failure. What a tool logs on the
way is no verdict. The status of another program, behind a pipe or after a semicolon, says nothing about a command.
Commands that only look (cat, grep, git status, --help) are left out.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.ledger.coverage import name_command
from secateur.compaction.ledger.entries import Command
from secateur.compaction.ledger.runs.last_errors import (
    STARTER,
    clip_line,
    describe_failure,
    judge_call,
    read_last_error,
)
from secateur.memoizing import memoize_texts
from secateur.redact import redact
from secateur.text.lossless.lines import strip_escapes
from secateur.toolcalls.commands import ExecutedCommand, is_check
from secateur.toolcalls.effects import is_pathlike
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix

REFUSED = re.compile(
    r"(?i)the user doesn['’]t want to (?:proceed|take this action)|(?:rejected|denied|declined"
    r"|aborted) by (?:the )?user"
    r"|user rejected|^\s*command aborted\s*$|^\s*\[?request interrupted"
)


class CheckVerdict(Struct, frozen=True):
    """How a check ended. `line` is the tool's own total; "" where it printed none."""

    ok: bool | None  # None: nothing says so
    line: str = ""


MAX_CHARS = 200  # of a total
_SEARCHED, _LINES = 12_000, 160  # characters and lines at the end of an output


@lru_cache(maxsize=1_024)
def read_verdict(output: str, exit_: int | None, is_error: bool = False, is_hidden: bool = False) -> CheckVerdict:
    """Return the verdict of a check with this output and exit status (None: not stated).

    `is_hidden`: the status is that of another program, as behind a pipe, so that success says nothing.
    """
    lines = strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:]
    for ok, pattern in ((False, _FAILED_TOTAL), (True, _PASSED_TOTAL)):
        if totals := [line for line in lines if pattern.search(line)]:
            return CheckVerdict(ok, clip_line(totals[-1]))
    if (worded := _read_words(lines)) and not (exit_ or is_error):
        return worded
    failing = "" if exit_ == 0 and not is_hidden else _find_failing_line(lines) or read_last_error(output)[1]
    if exit_ or is_error or failing:
        return CheckVerdict(False, failing)
    return CheckVerdict(None if is_hidden or _STILL_RUNS.search(output[:400]) else True)


def _read_words(lines: list[str]) -> CheckVerdict | None:
    """Return the verdict that a script of its own puts into words at the end of its output."""
    ends = [said for line in lines[-_WORDED_LINES:] if 2 <= len(said := line.strip()) <= _WORDED_CHARS]
    for line in reversed(ends):
        if _SAYS_FAILED.search(line):
            return CheckVerdict(False, clip_line(line))
        if _SAYS_PASSED.search(line):
            return CheckVerdict(True, clip_line(line))
    return None


def _find_failing_line(lines: list[str]) -> str:
    return next((clip_line(line) for line in reversed(lines) if _FAILING.search(line)), "")


_WORDED_LINES, _WORDED_CHARS = 8, 160  # at the end of an output, and of one line
_SAYS_FAILED = re.compile(
    r"(?i)\bbug (?:is )?(?:confirmed|reproduced|still (?:there|exists|present))\b"
    r"|\bstill (?:broken|fails|failing|wrong|incorrect|not (?:working|fixed|right))\b"
    r"|\b(?:does|did|do) ?(?:n['’]t| not) work\b|\bnot (?:working|fixed) (?:yet|correctly)\b"
    r"|^\W*(?:\w+ ){0,4}(?:test|check|verification|assertion|case)s? (?:has |have )?failed\b"
    r"|^\W*(?:fail(?:ed|ure)?|broken|not ok)\W*$|^(?:\W{0,3}\s)?(?:FAIL|FAILED|FAILURE|BROKEN)\b\s*[:!–—-]|^\s*[❌✗✘]"
)
_SAYS_PASSED = re.compile(
    r"(?i)^\W*(?:everything(?: is|['’]s)?|all(?: is|['’]s)?|looks) (?:good|fine|ok|okay|well|correct)\W*$"
    r"|^\W*all (?:of )?(?:the )?(?:\w+ ){0,3}(?:tests?|checks?|cases?|assertions?)"
    r" (?:have |has |were |are )?(?:passed|pass|passing|succeeded|successful|ok|green)\b"
    r"|^\W*(?:the )?(?:\w+ ){0,2}(?:test|check|verification)s? (?:has |have )?(?:passed|succeeded)\W*$"
    r"|^\W*(?:it |fix |now |everything )?works(?: (?:now|correctly|as expected|fine))?\W*$"
    r"|^\W*(?:success(?:ful(?:ly)?)?|pass(?:ed)?|ok|okay)\W*$|^\W*(?:the )?bug (?:is |was )?(?:now )?fixed\W*$"
    r"|^\s*[✅✓✔] .*\b(?:passed|passes|works|ok|fixed|success\w*|correct\w*)\b"
)
_STILL_RUNS = re.compile(r"running in (?:the )?background|Process running with session ID|still running")
_FAILED_TOTAL = re.compile(
    r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+.*=+$"  # pytest
    r"|^[1-9]\d* (?:failed|errors?)\b.* in [\d.]+m?s"  # pytest -q
    r"|^[1-9]\d* failed(?:, \d+ \w+)*(?: \(\d+\))?$"
    r"|^FAILED \((?:failures|errors|unexpected successes)=.*\)$"  # unittest
    r"|^FAIL(?:\s+\S+(?:\s+[\d.]+s|\s+\[(?:build|setup) failed\]).*)?$|^--- FAIL: "  # go test
    r"|^DONE \d+ tests.* [1-9]\d* failures?"  # gotestsum
    r"|^test result: FAILED\."  # cargo test
    r"|^\s*Summary \[.*\] .*\b[1-9]\d* failed"  # nextest
    r"|^error: could not compile |^error: test failed, to rerun"  # cargo
    r"|^\s*(?:Tests|Test Suites|Test Files|Suites):?\s+(?:\d+ \w+ ?[,|] ?)*[1-9]\d* failed\b"  # jest, vitest
    r"|^\s*[1-9]\d* failing\b|^\s*[1-9]\d* fail$|^# fail [1-9]"  # mocha, bun, node
    r"|^\s*[1-9]\d* (?:failed|flaky)$"  # playwright
    r"|^Found [1-9]\d* errors?\b"  # tsc, mypy, ruff, biome
    r"|^\s*[✖✗×] [1-9]\d* problems? \([1-9]\d* errors?\b"  # eslint
    r"|^Tests run: .*(?:Failures|Errors): [1-9]|^BUILD FAILED\b|^\[INFO\] BUILD FAILURE"
    r"|^\d+ examples?, [1-9]\d* failures?"
    r"|^\d+ tests? completed, [1-9]\d* failed|^Failed!\s+-|^Tests: \d+, .*Failures: [1-9]"
    r"|^g?make(?:\[\d+\])?: \*\*\* .*(?:Error \d+|Stop\.)|^ninja: build stopped"
    r"|^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Lifecycle script)|^\s*ELIFECYCLE\b"
    r"|^error: script \".*\" exited"
    r"|##\[error\]Process completed with exit code [1-9]|^X \S.* (?:failed|in \S+)$"  # CI logs
    r"|\berror TS\d+: |^The process '.*' failed with exit code [1-9]|^ERROR: Job failed|^=+ FAILURES =+$|^=+ ERRORS =+$"
)
_PASSED_TOTAL = re.compile(
    r"^=+ .*\b\d+ passed\b.* in [\d.:]+.*=+$|^\d+ passed\b.* in [\d.]+m?s|^\d+ passed(?:, \d+ \w+)*$"
    r"|^OK(?: \(.*\))?$"  # unittest, phpunit
    r"|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^PASS$|^DONE \d+ tests"  # go test
    r"|^test result: ok\.|^\s*Summary \[.*\] .*\b\d+ passed|^\s*Finished (?:`?\w+`?|dev|release)\b.* (?:target"
    r"|in [\d.]+)"
    r"|^\s*(?:Tests|Test Suites|Test Files|Suites):?\s+\d+ passed\b"
    r"|^\s*[1-9]\d* passing\b|^\s*\d+ pass$|^# pass [1-9]|^\s*[1-9]\d* passed \("
    r"|^All checks passed!?$|^Success: no issues found|^Found 0 errors?\b|^\d+ files? (?:already formatted"
    r"|left unchanged)"
    r"|^BUILD SUCCESS(?:FUL)?\b|^\[INFO\] BUILD SUCCESS|^\d+ examples?, 0 failures|^Passed!\s+-"
    r"|^Tests run: .*Failures: 0"
    r"|^[✓✔] \S.* (?:passed|in \S+)$|^Job succeeded$|^0 issues\.$|^Checked \d+ files? in .*No fixes (?:applied|needed)"
)
_FAILING = re.compile(
    r"^\s*(?:FAILED [\w./]|FAIL\b|✗ |✘ |not ok \d|npm ERR! |error(?:\[E\d+\]|:)|BUILD FAILED)"
    r"|: error: |^\S+:\d+(?::\d+)?: (?:error|[EFW]\d{3,4}) |\b[1-9]\d* (?:failed|failing|failures?)\b"
    r"|\b(?:failures|errors)[=:] ?[1-9]|\b[1-9]\d* errors? (?:generated|found)|^ERROR\b"
)


def list_commands(ran: Iterable[ExecutedCommand]) -> tuple[Command, ...]:
    """Return each command line once, the most recently run last."""
    found: dict[str, Command] = {}
    for run in ran:
        if not run.text or run.looks or is_refused(run) or not has_started(run) or _is_inquiry(run):
            continue
        name = name_command(run.text)
        found.pop(name, None)
        verdict = judge_run(run)
        exit_ = None if verdict.ok is None else run.action.exit
        told = (
            verdict.line
            if verdict.ok is not False or not run.check
            else describe_failure(run.action.said, verdict.line)
        )
        found[name] = Command(run.text, verdict.ok, exit_, run.check, redact(told), run.action.key)
    return tuple(found.values())


def is_refused(run: ExecutedCommand) -> bool:
    """Whether the user refused or stopped the call, so that nothing ran to its end."""
    said = run.action.said[:_HEAD]
    if _CANCELED.match(said):
        return True
    return not run.action.ok and run.action.exit is None and REFUSED.search(said) is not None


_CANCELED = re.compile(r"(?i)\s*\[?(?:operation|tool call|command) cancell?ed\b")  # hosts that mark it as no error
_HEAD = 400  # characters of a result in which a host says that the call was refused


def judge_run(run: ExecutedCommand) -> CheckVerdict:
    """Return how a run ended: a check as its tool says, any other command as its host does."""
    result = run.action.result
    if run.check is None or result is None:
        if _has_foreign_status(run):
            return CheckVerdict(None)
        if result is not None and run.action.exit is None and (line := _find_format_error(run)):
            return CheckVerdict(False, line)
        return CheckVerdict(run.action.ok if run.looks else judge_call(run.action))
    if not has_started(run):
        return CheckVerdict(None)
    rest = run.text.strip().removeprefix(name_command(run.text))
    is_hidden = any(mark in rest for mark in "|;") and "pipefail" not in run.text
    return read_verdict(result.text, run.action.exit, result.is_error, is_hidden)


def _find_format_error(run: ExecutedCommand) -> str:
    """Return the line in which a formatter says that errors are left; "" where it is none, or says nothing of them."""
    if not any(_FORMATS.search(" ".join(words)) for words in run.does):
        return ""
    lines = strip_escapes(run.action.said[-_SEARCHED:]).split("\n")[-_LINES:]
    return next((clip_line(line) for line in lines if _FORMAT_ERRORS.search(line)), "")


_FORMATS = re.compile(r"(?:\A|[\s:/])(?:format|fmt|biome|prettier|lint:fix)(?:\Z|[\s:])")
_FORMAT_ERRORS = re.compile(r"^Found [1-9]\d* errors?\b(?![^\n]*\b0 remaining)|^\W{0,6}Some errors were emitted while ")


def has_started(run: ExecutedCommand) -> bool:
    """Whether a command ran at all: of a check, whether its tool was found and checked anything."""
    if run.check is None:
        return True
    start = _read_start(run.action.said[-_SEARCHED:])
    if start.has_total:
        return True
    tools = {words[0] for words in run.does if is_check(" ".join(words))}
    return not start.is_empty and not any(name in tools or is_check(name) for name in start.missing)


class _Start(Struct, frozen=True):
    """What an output says of whether its check started."""

    has_total: bool = False
    missing: frozenset[str] = frozenset()  # programs that the shell did not find
    is_empty: bool = False  # nothing was checked


@memoize_texts(maxsize=1_024)
def _read_start(output: str) -> _Start:
    lines = dict.fromkeys([line.strip() for line in strip_escapes(output).split("\n")])
    if any(_is_total(line) for line in lines):
        return _Start(has_total=True)
    missing = [found[1] or found[2] for line in lines if (found := _MISSING.search(line))]
    is_empty = any(_NOT_STARTED.search(line) or _NOTHING_CHECKED.search(line) for line in lines)
    return _Start(missing=frozenset(name.rpartition("/")[2] for name in missing), is_empty=is_empty)


def _is_total(line: str) -> bool:
    """Whether a line is the total of a tool that ran, and not that of a program that started the tool."""
    if _NOTHING_CHECKED.search(line) or STARTER.search(line):
        return False
    return _FAILED_TOTAL.search(line) is not None or (_PASSED_TOTAL.search(line) is not None and line != "PASS")


_MISSING = re.compile(  # a shell about a program that it cannot find
    r"^(?:\S*sh: )?(?:line \d+: |\d+: )?(\S+): (?:command not found|not found|No such file or directory)$"
    r"|^zsh:(?:\d+:)? (?:command not found|no such file or directory): (\S+)$"
)
_NOT_STARTED = re.compile(r"^\S*python[\d.]*(?:\.exe)?: (?:No module named \S|can't open file )")
_NOTHING_CHECKED = re.compile(
    r"\[no tests to run\]|\[no test files\]|^testing: warning: no tests to run"  # go test
    r"|^collected 0 items$|^=* ?no tests ran\b|^=* ?\d+ deselected(?:, \d+ warnings?)? in "  # pytest
    r"|^Ran 0 tests\b|^NO TESTS RAN\b"  # unittest
    r"|\bNo test(?:s| files| suites?)? found\b"  # jest, vitest, mocha, playwright
    r"|^test result: ok\. 0 passed; 0 failed"  # cargo test
)


def _has_foreign_status(run: ExecutedCommand) -> bool:
    """Whether the status of a command line is that of a program that only shows or follows what the command did."""
    programs = [
        (strip_program_prefix(simple.words), simple.then)
        for simple in parse_command_line(run.line).commands
        if simple.words and simple.words != ("…",)
    ]
    acting = [number for number, (words, _) in enumerate(programs) if words in run.does]
    if not acting:
        return False
    piped = "pipefail" not in run.line and any(
        then.startswith("|") and then != "||" for words, then in programs[:-1] if words in run.does
    )
    follows = any(then not in ("|", "|&", "&&") for _, then in programs[acting[-1] : -1])
    last = programs[-1][0][:1]
    return (piped or follows) and (run.action.ok or (run.action.exit == 1 and last[:1] in _ANSWERING))


_ANSWERING = tuple((name,) for name in ("grep", "egrep", "rg", "ag", "diff", "cmp", "test", "[", "which", "pgrep"))


def _is_inquiry(run: ExecutedCommand) -> bool:
    """Whether all that a command does is to ask programs about themselves, or about what there is."""
    commands = parse_command_line(run.line).commands
    is_writing = any(is_pathlike(path) for simple in commands for path in (*simple.writes, *simple.appends))
    return run.check is None and bool(run.does) and not is_writing and all(map(_is_asking, run.does))


def _is_asking(words: tuple[str, ...]) -> bool:
    if words[0] in _PRINTING or any(word in _INFORMING for word in words[1:]):
        return True
    verbs = [word for word in words[1:] if not word.startswith("-")]
    if words[0] in _MAKING or not verbs:
        return False
    return verbs[0] in _ASKING or (verbs[0] in _KINDS and len(verbs) > 1 and verbs[1] in _ASKING)


_PRINTING = frozenset({"printenv", "uname", "hostname", "lsof", "nproc", "free", "uptime"})
_INFORMING = frozenset({"--help", "--version"})
_ASKING = frozenset({"help", "status", "doctor", "list", "show", "version", "ls", "view"})
_MAKING = frozenset({"touch", "mkdir", "rm", "cp", "mv", "ln", "chmod", "source", ".", "bash", "sh", "tee", "kill"})
_KINDS = frozenset({
    "pr", "issue", "repo", "release", "workflow", "compose", "image", "container", "volume", "network", "stash",
    "worktree", "submodule", "cluster",
})  # fmt: skip
