"""Commands and how they ended: the last status of tests, builds and linters above all.

Rule: one entry per command line, with its latest outcome. A check ended as its tool says, whatever the shell made of
its status; one that could not start, or found nothing to check, is none (`starts`), and one that its host stopped did
not end. The status of another program, behind a pipe or after a semicolon, says nothing about a command. Commands that
only look (cat, grep, git status, --help) are left out.
"""

import re
from collections.abc import Iterable

from secateur.compaction.ledger.coverage import name_command
from secateur.compaction.ledger.entries import Command
from secateur.compaction.ledger.repository.ci import is_ci_passing
from secateur.compaction.ledger.runs.kinds import name_kind
from secateur.compaction.ledger.runs.last_errors import (
    clip_line,
    describe_failure,
    find_named_error,
    find_stop,
    judge_call,
)
from secateur.compaction.ledger.runs.starts import has_started, list_started
from secateur.compaction.ledger.runs.verdicts import CheckVerdict, has_failed_total, read_verdict
from secateur.redact import redact
from secateur.text.lossless.lines import strip_escapes
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.effects import is_pathlike
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix

REFUSED = re.compile(
    r"(?i)the user doesn['’]t want to (?:proceed|take this action)|(?:rejected|denied|declined"
    r"|aborted) by (?:the )?user"
    r"|user rejected|^\s*command aborted\s*$|^\s*\[?request interrupted"
)


def list_commands(ran: Iterable[ExecutedCommand]) -> tuple[Command, ...]:
    """Return each command line once, the most recently run last.

    Checks that failed before a push behind which those of a pull request passed are left out.
    """
    found: dict[str, Command] = {}
    pushed: list[str] = []  # checks that failed before the newest push
    for run in ran:
        if run.ok and _PUSHES.search(run.line):
            pushed = [name for name, one in found.items() if one.check and (one.ok is False or one.stopped)]
        elif pushed and is_ci_passing(run):
            found = {name: one for name, one in found.items() if name not in pushed}
        if not run.text or run.looks or is_refused(run) or not has_started(run) or _is_inquiry(run):
            continue
        name = name_command(run.text)
        found.pop(name, None)
        verdict = judge_run(run)
        exit_ = None if verdict.ok is None or _has_foreign_status(run) else run.action.exit
        is_failed = verdict.ok is False and bool(run.check)
        told = describe_failure(run.action.said, verdict.line) if is_failed else verdict.line
        found[name] = Command(
            run.text,
            verdict.ok,
            exit_,
            name_kind(run, told if is_failed else ""),
            redact(told),
            run.action.key,
            started=list_started(run.action.said) if run.check else (),
            stopped=verdict.is_stopped,
        )
    return tuple(found.values())


_PUSHES = re.compile(r"\bgit (?:-[cC] \S+ ){0,3}push\b|\bgh pr create\b")


def is_refused(run: ExecutedCommand) -> bool:
    """Whether the user refused or stopped the call, so that nothing ran to its end."""
    said = run.action.said[:_HEAD]
    if _CANCELED.match(said):
        return True
    return not run.action.ok and run.action.exit is None and REFUSED.search(said) is not None


_CANCELED = re.compile(r"(?i)\s*\[?(?:operation|tool call|command) cancell?ed\b")  # hosts that mark it as no error
_HEAD = 400  # characters of a result in which a host says that the call was refused


def judge_run(run: ExecutedCommand) -> CheckVerdict:
    """Return how a run ended: a check as its tool says, any other command as its host does.

    A script that ended well and printed an error besides may have caught it or have failed at its aim: nobody knows.
    """
    verdict = _judge_run(run)
    is_script = verdict.ok and not verdict.line and any(_SCRIPT.match(" ".join(words[:2])) for words in run.does)
    error = find_named_error(run.action.said) if is_script else ""
    return CheckVerdict(None, error) if error else verdict


_SCRIPT = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|bun|tsx) (?!-m\b|run\b|test\b|install\b|x\b|add\b|build\b)\S")


def _judge_run(run: ExecutedCommand) -> CheckVerdict:
    result = run.action.result
    stop = find_stop(run.action)
    if stop and not (run.check and has_failed_total(run.action.said)):
        return CheckVerdict(None, stop, is_stopped=True)
    is_foreign = _has_foreign_status(run)
    if run.check is None or result is None:
        if is_foreign:
            return CheckVerdict(None)
        if result is not None and run.action.exit is None and (line := _find_format_error(run)):
            return CheckVerdict(False, line)
        return CheckVerdict(run.action.ok if run.looks else judge_call(run.action))
    if not has_started(run):
        return CheckVerdict(None)
    exit_, is_error = (None, False) if is_foreign else (run.action.exit, result.is_error)
    is_silent = _SIFTED.search(run.line) is not None or all(_SILENT.match(" ".join(words[:4])) for words in run.does)
    return read_verdict(result.text, exit_, is_error, is_foreign, is_silent)


_SILENT = re.compile(  # they print nothing unless they find something
    r"go (?:build|vet|install)\b|(?:npx |bunx |pnpm exec |yarn )?(?:tsc|tsgo|eslint)\b|gofmt -l\b"
)


_SIFTED = re.compile(  # only lines with errors are let through, whatever they are about
    r"(?i)\|\s*(?:e?grep|rg)\s+(?:-[Einw]+\s+)*(?P<quote>[\"']?)\(?\^?(?:errors?|fail(?:ed|ures?|ing)?|fatal|warnings?|warn)\b:?"
    r"(?:\\?\|(?:errors?|fail(?:ed|ures?|ing)?|fatal|warnings?|warn|panic|exception|success|pass(?:ed)?)\b:?)*\)?(?P=quote)"
    r"\s*(?:$|\|\s*(?:head|tail)\b[^|;&]*$)"
)


def _find_format_error(run: ExecutedCommand) -> str:
    """Return the line in which a formatter says that errors are left; "" where it is none, or says nothing of them."""
    if not any(_FORMATS.search(" ".join(words)) for words in run.does):
        return ""
    lines = strip_escapes(run.action.said[-_SEARCHED:]).split("\n")[-_LINES:]
    return next((clip_line(line) for line in lines if _FORMAT_ERRORS.match(line)), "")


_SEARCHED, _LINES = 12_000, 160  # characters and lines at the end of an output
_FORMATS = re.compile(r"(?:\A|[\s:/])(?:format|fmt|biome|prettier|lint:fix)(?:\Z|[\s:])")
_FORMAT_ERRORS = re.compile(r"^Found [1-9]\d* errors?\b(?![^\n]*\b0 remaining)|^\W{0,6}Some errors were emitted while ")


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
