"""How the work stands, as the calls show it: what no call checked, what failed last, which patch is outdated, what of
the agent's last words is not so, how the session ended.

Rule: each line follows from calls, their results and the order of both; what the agent says of them does not count.
"Not checked" is told only where code was changed and nothing that could be a check ran behind the newest change of it:
a command or a tool that might be one keeps the line away. Prose, pictures and scratch files are no code.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger.entries import FileEntry, Ledger, Standing, StandingKind
from secateur.compaction.ledger.files.added_logs import describe_added_logs
from secateur.compaction.ledger.files.lines import TEMPORARY
from secateur.compaction.ledger.files.paths import is_secret
from secateur.compaction.ledger.files.rewrites import is_edit_refused
from secateur.compaction.ledger.files.undone import STASHED
from secateur.compaction.ledger.runs.checks import is_refused
from secateur.compaction.ledger.runs.failed_acts import LINE_CHARS, list_begun, list_failed_acts, quote_line
from secateur.compaction.ledger.runs.last_errors import find_missing, judge_action
from secateur.compaction.ledger.runs.starts import has_started
from secateur.compaction.ledger.work.claims import list_refuted
from secateur.compaction.ledger.work.endings import describe_ending, find_diagnosis, list_lines
from secateur.compaction.ledger.work.handed_out import list_handed_out
from secateur.compaction.ledger.work.patches import list_written_patches
from secateur.compaction.ledger.work.plans import list_later_commits
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand, is_check
from secateur.toolcalls.file_effects import list_command_lines, list_file_effects

STANDING: dict[StandingKind, str] = {
    "edits": "state of the changes",
    "unchecked": "not verified",
    "refuted": "not borne out",
    "outdated": "outdated",
    "failed": "failed, and not done since",
    "begun": "begun, and no call ended it",
    "running": "handed out, no result seen",
    "planned": "the agent's plan is older than",
    "diagnosis": "the agent's newest view of the cause",
}
NOT_FIXED = "not fixed"
NOTHING_OPEN = "nothing is open"
NOTHING_CHANGED = "no call edited a file"
MOST_SINCE = 2  # commands that ran since the newest change
_SEARCHED = 4_000  # characters of a command or a message


def list_standing(
    messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand], ledger: Ledger
) -> tuple[Standing, ...]:
    """Return how the work stands at the end of these messages; `ledger` is what is known of them otherwise."""
    changes = list(list_changes(done, ledger.files))
    unchecked = _describe_unchecked(done, ran, changes) if _has_code_changed(ledger.files, changes) else ""
    begun = list(list_begun(ran))
    found: tuple[tuple[StandingKind, Iterable[str]], ...] = (
        ("ended", [describe_ending(messages, done)]),
        ("edits", [_mark_unfixed(_describe_edits(done, ledger.files, changes), done, ledger)]),
        ("unchecked", [unchecked, *_list_never_run(ran)] if unchecked else ()),
        ("refuted", list_refuted(messages, ran, ledger)),
        ("outdated", _list_outdated_patches(done, changes)),
        ("failed", [one for one in list_failed_acts(messages, ran) if not (begun and _MERGES.match(one))]),
        ("begun", begun),
        ("running", list_handed_out(messages, done, ran)),
        ("planned", list_later_commits(ledger.tasks, done, ran)),
        ("diagnosis", [find_diagnosis(messages, ledger)]),
    )
    return tuple(Standing(kind, text) for kind, texts in found for text in texts if text)


def merge_standing(earlier: Ledger, later: Ledger) -> tuple[Standing, ...]:
    """Merge how the work stood with how it stands: a later span that called anything says it anew."""
    if not (later.standing or later.files or later.commands or later.last_calls or later.last_words):
        return tuple(one for one in earlier.standing if not (later.requests and one.kind == "ended"))
    is_known = not any(one.use in _CHANGES and not one.scratch for one in earlier.files)
    return tuple(one for one in later.standing if is_known or not (one.kind == "edits" or one.text == NOTHING_CHANGED))


class FileChange(Struct, frozen=True):
    """One change of a file of the project, by the number of its call."""

    number: int
    path: str
    use: str


def list_changes(done: Sequence[Action], files: Sequence[FileEntry]) -> Iterator[FileChange]:
    """Yield the changes of code, and what took them back."""
    left_out = {posixpath.basename(one.path) for one in files if one.scratch or one.use == "discarded"}
    left_out |= _list_trials(done)
    for number, action in enumerate(done):
        if action.kind not in ("run", "edit", "other") or not action.ok or is_edit_refused(action):
            continue
        for effect in list_file_effects(action):
            name = posixpath.basename(effect.path)
            if effect.use not in _CHANGES or name in left_out or is_secret(action, effect.path):
                continue
            if not effect.path or is_code(effect.path):
                yield FileChange(number, redact(effect.path), effect.use)


def _list_trials(done: Sequence[Action]) -> set[str]:
    """Return the names of the files that calls created and then ran: they are no part of the work."""
    created: set[str] = set()
    trials: set[str] = set()
    for action in done:
        created |= {
            posixpath.basename(one.path)
            for one in (list_file_effects(action) if action.kind in ("run", "edit", "other") else ())
            if one.use == "created"
        }
        for line in list_lines(action) if created else ():
            trials |= {name for word in _RUN_FILE.findall(line) if (name := posixpath.basename(word)) in created}
    return trials


def is_code(path: str) -> bool:
    """Whether a change of this file can break what checks look at: it is neither prose nor a picture nor temporary."""
    return _NO_CODE.search(path) is None and TEMPORARY.match(path) is None


def _has_code_changed(files: Iterable[FileEntry], changes: Iterable[FileChange]) -> bool:
    """Whether any code is not as it was at the last commit, or was changed and committed."""
    names = {posixpath.basename(one.path) for one in changes}
    return any(
        one.use in ("created", "changed", "deleted", "moved") and posixpath.basename(one.path) in names for one in files
    )


def _describe_unchecked(done: Sequence[Action], ran: Sequence[ExecutedCommand], changes: Sequence[FileChange]) -> str:
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
        return f"{lacking}; nothing that ran since {newest.path} was {_DONE[newest.use]} shows that it works"
    behind = "; run since then: " + " · ".join(list(since)[-MOST_SINCE:]) if since else ""
    return f"no call ran a test, a build or a linter since {newest.path} was {_DONE[newest.use]}{behind}"


def _list_never_run(ran: Sequence[ExecutedCommand]) -> Iterator[str]:
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


def _describe_edits(done: Sequence[Action], files: Sequence[FileEntry], changes: Sequence[FileChange]) -> str:
    """Say what all edits have in common: they were taken back, made only new files, or only write logs."""
    own = [one for one in files if not one.scratch]
    if any(one.use in ("changed", "deleted", "moved") for one in own):
        return describe_added_logs(done, {change.number for change in changes})
    restored = [redact(one.path) for one in own if one.use == "restored" and one.about != STASHED]
    created = any(one.use == "created" and is_code(one.path) for one in own)
    if restored and not created:
        return f"every change of existing files was taken back ({' · '.join(restored[-MOST_SINCE:])})"
    if (
        created
        and not restored
        and not any(action.kind == "run" and _REWRITES.search(action.call.text[:_SEARCHED]) for action in done)
    ):
        return ALL_NEW
    return ""


def _mark_unfixed(described: str, done: Sequence[Action], ledger: Ledger) -> str:
    """Say first that nothing was fixed, where the user wants a defect fixed and no existing file was changed.

    Where a call or a script writes files by its own code, it is told only of the calls that edit.
    """
    if described != ALL_NEW:
        return described
    acting = (one for one in done if one.kind in ("run", "edit", "other"))
    if any(_WRITES.search(one.call.text[:_WRITTEN_CHARS]) for one in acting):
        return "no call edited a file that was there before; the changed files are all new"
    is_fix = any(_DEFECT.search(one.text) for one in ledger.requests)
    return f"{NOT_FIXED}: {described}" if is_fix else described


def _list_outdated_patches(done: Sequence[Action], changes: Sequence[FileChange]) -> Iterator[str]:
    """Yield the patches that git wrote before one of their files was changed again or taken back."""
    written: dict[str, tuple[int, frozenset[str]]] = {}
    for number, action in enumerate(done):
        for line in list_command_lines(action) if action.kind == "run" and action.result else ():
            if "diff" in line or "format-patch" in line:
                found = list_written_patches(line)
                written |= {path: (number, names) for path, names in found if not is_secret(action, path)}
        for effect in list_file_effects(action) if written and action.kind == "run" else ():
            if effect.use in ("deleted", "moved"):
                written.pop(effect.path, None)
    for path, (number, names) in written.items():
        later = [
            one
            for one in changes
            if one.number > number and (not names or not one.path or posixpath.basename(one.path) in names)
        ]
        if later:
            what = f"{later[-1].path} was" if later[-1].path else "the changes were"
            yield f"{redact(path)} was written before {what} {_DONE[later[-1].use]}"


_MERGES = re.compile(r"git (?:merge|rebase|pull)\b")
_CHANGES = ("created", "changed", "deleted", "moved", "restored")
_DONE: Mapping[str, str] = {
    "created": "written",
    "changed": "changed",
    "deleted": "deleted",
    "moved": "moved",
    "restored": "taken back",
}
ALL_NEW = "no file that was there before was changed; the changed files are all new"
_WRITTEN_CHARS = 20_000  # of a call, in which code that writes files is looked for
_WRITES = re.compile(
    r"\.write(?:_text|_bytes|lines|File|FileSync)?\(|\bshutil\.|\bfileinput\b|\bopen\([^)\n]{0,200}[\"'][wa]\+?b?[\"']"
)
_DEFECT = re.compile(r"(?i)\b(?:solving|solve|fix|resolve)\b[^.\n]{0,80}\b(?:issue|bug|problem|defect|error|crash)\b")
_NO_CODE = re.compile(
    r"(?i)\.(?:md|mdx|markdown|rst|txt|adoc|org|log|patch|diff|rej|orig|bak|png|jpe?g|gif|svg|webp|ico|pdf|lock|csv|tsv"
    r"|jsonl?)$|(?:^|/)(?:license|notice|changelog|authors|copying|\.gitignore|package-lock\.json|go\.sum)$|/$"
    r"|(?:^|/)migrations/\d{4}_\w+\.py$"  # written by a command
    r"|(?:^|/)\.(?:claude|codex|beads|cursor|gemini|github|vscode|idea|opencode|pi)/"
)
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
_RUN_FILE = re.compile(
    r"(?:\b(?:python[\d.]*|node|ruby|bun|deno run|php|perl|bash|sh)(?: -\S+)* |(?<!\S)\./)([\w./+-]{1,300}\.\w{1,5})\b"
)
_RUNS_SCRIPT = re.compile(r"(?:python[\d.]*|node|ruby|bun|deno|php|perl|bash|sh|go run|\./)\s?\S")
_REWRITES = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|pip|uv|poetry|cargo|go|bundle|composer)\b[^\n]{0,40}\b(?:i|install|add|init|get|tidy|sync"
    r"|update|upgrade|fix|generate|format|fmt)\b|--(?:fix|write)\b|\b(?:gofmt|black|prettier|codemod|generate|format)\b"
    r"|\bsed -i"
)
