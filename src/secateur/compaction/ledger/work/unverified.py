"""Whether the newest change of code was checked, as far as calls show it.

Rule: "not checked" is told only where nothing that could be a check ran behind the newest change: a command or a tool
that might be one keeps the line away, and so does a push that the user's next words left behind.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.repository.commits import has_git_failed
from secateur.compaction.ledger.runs.checks import is_refused
from secateur.compaction.ledger.runs.failed_acts import LINE_CHARS, quote_line
from secateur.compaction.ledger.runs.last_errors import find_missing, judge_action
from secateur.compaction.ledger.runs.starts import has_started
from secateur.compaction.ledger.said import get_user_text
from secateur.compaction.ledger.work.code_changes import CHANGE_WORDS, FileChange
from secateur.compaction.ledger.work.endings import list_lines
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand, is_check

MOST_NAMED_SINCE = 2  # commands that ran since the newest change
_SEARCHED = 4_000  # characters of a command or a message


def is_closed(
    messages: Sequence[Message],
    done: Sequence[Action],
    ran: Sequence[ExecutedCommand],
    changes: Sequence[FileChange],
) -> bool:
    """Whether the newest change was pushed, and the user has gone on to something else since."""
    places = {part.key: at for at, message in enumerate(messages) for part in message.parts}
    asked = max((at for at, message in enumerate(messages) if get_user_text(message)), default=-1)
    changed = places.get(done[changes[-1].number].call.key, len(messages)) if changes else len(messages)
    pushes = [run for run in ran if run.ok and _PUSHES.search(run.line) and not has_git_failed(run.action.said)]
    return any(changed < places.get(run.action.call.key, -1) < asked for run in pushes)


def describe_unchecked(done: Sequence[Action], ran: Sequence[ExecutedCommand], changes: Sequence[FileChange]) -> str:
    """Say that nothing was checked since the newest change of code; "" where something was, or may have been."""
    newest = next((one for one in reversed(changes) if one.path), None)
    if newest is None:
        return ""
    runs: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        runs.setdefault(run.action.call.key, []).append(run)
    since: dict[str, None] = {}
    lacking = ""
    for number, action in enumerate(done[newest.number :], newest.number):
        mine = runs.get(action.call.key, ())
        is_check_run = any(run.check and has_started(run) and not is_refused(run) for run in mine)
        if is_check_run or _may_check(action, mine):
            missing = "" if action.ok and judge_action(action) else find_missing(action.said)
            if not missing or any(one.path and posixpath.basename(one.path) in missing for one in changes):
                return ""
            lacking = f"{quote_line(mine[-1].line if mine else list_lines(action)[0])} failed: {redact(missing)}"
        elif number > newest.number:
            since |= dict.fromkeys(_list_acting_lines(action, mine))
    if lacking:
        return f"{lacking}; nothing that ran since {newest.path} was {CHANGE_WORDS[newest.use]} shows that it works"
    behind = "; run since then: " + " · ".join(list(since)[-MOST_NAMED_SINCE:]) if since else ""
    return (
        f"no test, build or linter is known to have passed since {newest.path} was {CHANGE_WORDS[newest.use]}{behind}"
    )


def list_never_run(ran: Sequence[ExecutedCommand]) -> Iterator[str]:
    """Yield the kinds of checks of which every run failed to start, with the last command and what was missing."""
    tried: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        if run.check and run.action.result and not is_refused(run):
            tried.setdefault(run.check, []).append(run)
    for runs in tried.values():
        missing = find_missing(runs[-1].action.said)
        if missing and not any(map(has_started, runs)):
            yield f"{quote_line(runs[-1].text)} never started: {redact(missing)}"


def _may_check(action: Action, runs: Sequence[ExecutedCommand]) -> bool:
    """Whether a call may have checked something without being known as a check."""
    if action.kind in ("read", "search", "edit", "plan", "memory"):
        return False
    lines = list_lines(action)
    if not lines:
        return _CHECKING_TOOL.search(action.call.tool[:LINE_CHARS]) is not None
    if runs and all(run.looks or is_refused(run) or not has_started(run) for run in runs):
        return False
    heads = (line.partition("<<")[0][:_SEARCHED] for line in lines)
    words = [_QUOTED.sub(" ", head) for head in heads]
    return any(is_check(one) or _CHECKING.search(_HARMLESS.sub(" ", one)) for one in words)


def _list_acting_lines(action: Action, runs: Sequence[ExecutedCommand]) -> Iterator[str]:
    """Yield the command lines that did more than look at files, move them or ask git."""
    for run in runs:
        programs = {words[0] for words in run.does if words}
        if not run.looks and not programs <= _HANDLING and has_started(run):
            yield quote_line(run.line)
    if not runs and action.result and (lines := list_lines(action)) and _RUNS_SCRIPT.match(lines[0]):
        yield quote_line(lines[0])


_PUSHES = re.compile(r"\bgit (?:-[cC] \S+ ){0,3}push\b")
_CHECKING_TOOL = re.compile(
    r"(?i)test|build|lint|check|compile|valid|verif|run|exec|shell|agent|task|debug|diagnos|problem|code|browser|eval|mcp"
)
_CHECKING = re.compile(
    r"(?i)test|spec\b|check|lint|build|compil|valid|verif|\bci\b|tox|nox|tsc|mypy|\bvet\b|assert|bench|smoke|e2e|\bmake\b|mvn"
    r"|gradle|cargo|coverage|doctor"
)
_HARMLESS = re.compile(
    r"(?i)\bgit checkout\b|\bcheckout\b|/?\btestbed\b|[\w./-]*/?(?:test|spec)s?/(?=[\w./-]*\s*$)|^\s*cd \S+"
)
_QUOTED = re.compile(r"\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'")
_HANDLING = frozenset({
    "git", "gh", "rm", "cp", "mv", "mkdir", "rmdir", "touch", "chmod", "chown", "ln", "cd", "sed", "perl", "tee",
    "patch", "apply_patch", "kill", "pkill", "curl", "wget", "tar", "unzip", "bd", "tk", "true", "source", ".", "tmux",
    "read",
})  # fmt: skip
_RUNS_SCRIPT = re.compile(r"(?:python[\d.]*|node|ruby|bun|deno|php|perl|bash|sh|go run|\./)\s?\S")
