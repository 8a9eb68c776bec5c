"""The steps of a turn: which files calls changed, which commands ran and how they ended, what was committed.

Rule: steps stand in the order of the calls, so that a reader sees what came after what. Runs of one command are one
step at the place of the last run, which says whether an earlier one failed; a program that the same line wrote first is
named as if it had been there. A call that failed is told only if no later call of the turn did the same, and looking
for something that is not there is no step. Of commands that succeeded those are told that check something or change
more than files. Files that were made only to try something have no step.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from secateur.compaction.ledger.entries import Command
from secateur.compaction.ledger.files.paths import clean_path
from secateur.compaction.ledger.repository.commits import find_commits
from secateur.compaction.ledger.runs.checks import REFUSED, list_commands
from secateur.compaction.ledger.runs.failed_acts import has_run_failed, list_failed_programs
from secateur.compaction.ledger.runs.last_calls import describe_call, quote_output, quote_result
from secateur.compaction.ledger.runs.last_errors import find_stop, judge_call
from secateur.compaction.ledger.runs.probes import is_probe
from secateur.compaction.ledger.runs.starts import has_started
from secateur.compaction.ledger.turns.delegated import DELEGATED, list_reports
from secateur.compaction.ledger.turns.hiccups import find_mended
from secateur.compaction.ledger.turns.outcomes import CHANGES, READ_ONLY, TurnStep, render_step
from secateur.compaction.ledger.turns.step_kinds import (
    COMMAND_CHARS,
    LOOKS,
    is_bulk_edit,
    is_lasting,
    is_outward,
    name_line,
    shorten_arguments,
)
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_command, clip_text, collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand, is_check
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_file_effects, list_paths

TOLD_CHARS = 120


def list_steps(
    done: Sequence[Action],
    runs: dict[str, list[ExecutedCommand]],
    scratch: frozenset[str],
    known: set[str],
    settled: Mapping[str, Sequence[Effect]],
) -> Iterator[str]:
    """Return what these calls changed, ran and committed, in order.

    `runs`: their commands by the key of the call; `scratch`: paths of files that were made only to try something;
    `known`: paths that were read or changed before, to which those of these calls are added; `settled`: what calls did
    to files where their words alone tell something else.
    """
    steps = _Steps(scratch, known)
    handed: dict[str, str] = {}  # to other agents, by their ids
    for action in done:
        mine = runs.get(action.key, [])
        effects = settled.get(action.call.key, list_file_effects(action)) if action.ok or mine else ()
        if action.ok or mine:
            steps.note_effects(action, effects)
        elif action.result and action.kind not in ("read", "search") and "session_id" not in action.given:
            steps.note_failure(action)
        if action.ok and (reports := [*list_reports(action, handed)]):
            steps.note_reports(reports)
        elif action.kind == "other" and action.result and not mine:
            steps.note_script(action, describe_call(action))
        for run in mine:
            steps.note_run(run, names_files=any(one.use in CHANGES for one in effects))
    return steps.render()


class _Steps:
    """The steps of a turn so far, by a name that later steps of the same kind share."""

    def __init__(self, scratch: frozenset[str], known: set[str]) -> None:
        self._scratch = scratch
        self._known = known
        self._found: dict[str, TurnStep] = {}
        self._failing: dict[str, TurnStep] = {}  # those of them that are commands of which no run went well
        self._has_looked = False
        self._missed: dict[str, str] = {}  # paths of edits that failed, with the step that tells it
        self._changes = 0
        self._has_changed = False

    def note_effects(self, action: Action, effects: Iterable[Effect]) -> None:
        """Note the files that a call changed, or read; an error of its tool that named no file is mended."""
        if action.kind != "run":
            self._found.pop(f"failed {collapse_whitespace(action.call.tool)}", None)
        for effect in effects:
            path = clean_path(collapse_whitespace(redact(effect.path)))
            name = posixpath.basename(path.rstrip("/")) or path
            if effect.use == "read":
                self._has_looked = True
                self._known.add(path)
            elif name and effect.use in CHANGES and not path.startswith("/dev/"):
                self._drop_missed(path, name)
                use = "changed" if effect.use == "created" and self._is_known(path) else effect.use
                (self._known.discard if use == "deleted" else self._known.add)(path)
                if path not in self._scratch:
                    self._has_changed |= use == "changed"
                    self._note_change(
                        use, f"{name} to {posixpath.basename(effect.to) or effect.to}" if effect.to else name
                    )

    def _drop_missed(self, path: str, name: str) -> None:
        """Drop the failed edits of this file, under this path or another one."""
        for missed in [one for one in self._missed if one == path or posixpath.basename(one) == name]:
            self._found.pop(self._missed.pop(missed), None)

    def _is_known(self, path: str) -> bool:
        """Whether a file was there before, under this path or a longer one."""
        return path in self._known or any(f"/{one}".endswith(f"/{path}") for one in self._known)

    def _note_change(self, use: str, name: str) -> None:
        """Note a change of a file; one that the turn itself created and deleted is none."""
        for step in self._found.values() if use == "restored" else ():
            step.names = [one for one in step.names if step.kind != "deleted" or one != name]
        made = next((one for one in self._found.values() if one.kind == "created" and name in one.names), None)
        if made is not None and use in ("changed", "deleted"):
            made.names = [one for one in made.names if use == "changed" or one != name]
            return
        key, last = next(reversed(self._found.items()), ("", None))
        if last is None or last.kind != use:
            self._changes += 1
            key, last = f"{self._changes} {use}", TurnStep(use, [])
            self._found[key] = last
        if name not in last.names:
            last.names.append(name)

    def note_failure(self, action: Action) -> None:
        """Note a call that failed and is no command."""
        if _SCRIPT.match(describe_call(action)):
            return
        patched = _PATCHED.findall(action.call.text[:_SEARCHED].replace("\\n", "\n"))
        paths = [collapse_whitespace(redact(path)) for path in (list_paths(action) or patched)]
        tool = collapse_whitespace(action.call.tool)
        about = posixpath.basename(paths[0]) if paths else ""
        key = f"failed {paths[0]}" if paths else f"failed {tool}"
        self._missed |= dict.fromkeys(paths, key)
        step = self._found.pop(key, TurnStep("call", [f"{tool} {about}".strip()]))
        said = REFUSAL if REFUSED.search(action.said[:1_000]) else redact(_TAG.sub("", action.said[:1_000]))
        step.note(clip_text(collapse_whitespace(said), TOLD_CHARS), False)
        self._found[key] = step

    def note_run(self, run: ExecutedCommand, names_files: bool = False) -> None:
        """Note a command with how it ended; a commit by the line that git printed.

        `names_files`: whether the files that the call changed are known, and have a step.
        """
        for commit in find_commits((run,)):
            for key in [key for key, one in self._found.items() if one.has_failed and _COMMITS.match(key)]:
                self._drop(key)
            self._found[commit] = TurnStep("commit", [commit])
        command = next(iter(list_commands((run,))), None)
        if command is None and run.check and not has_started(run) and (told := quote_result(run.action, True)):
            ended = False if has_run_failed(run) else None  # None: it found nothing to check
            self._note_outcome(name_line(_WRITTEN.sub("", run.text).strip()), ended, told)
        if command is None or (run.looks and not command.check):
            return
        text = _WRITTEN.sub("", command.text).strip()
        ok = False if not command.check and not command.stopped and has_run_failed(run) else command.ok
        if ok is False and not command.check and (rest := list_failed_programs(run)) != run.does:
            text = " && ".join(" ".join(words) for words in rest) or text  # what stands before it was done
        line = name_line(text if command.check else shorten_arguments(text))
        if not command.check and _SCRIPT.match(line):
            self.note_script(run.action, line)
            return
        is_bulk = not names_files and is_bulk_edit(command.text)
        is_plumbing = not is_bulk and bool(run.does) and all(_is_preparing(words) for words in run.does if words)
        is_looking = not command.check and (is_plumbing or (not is_bulk and LOOKS.match(line) is not None))
        is_untold = not is_bulk and _is_untold(run, command)
        is_told = command.check or command.stopped or (ok is not None and not (ok and is_untold))
        if line and not is_looking and is_told:
            told = command.told or (quote_result(run.action, True) if ok is False else "")
            self._note_outcome(line, None if is_probe(run) else ok, told, command.stopped)

    def note_reports(self, reports: Iterable[tuple[str, str]]) -> None:
        """Note what other agents say that they did."""
        for what, report in reports:
            name = f"{DELEGATED}: {what}"
            self._found[name] = TurnStep("run", [name], report)

    def note_script(self, action: Action, line: str) -> None:
        """Note a program that was run to try something, with what it printed."""
        line = _WRITTEN.sub("", line).strip()
        if _SCRIPT.match(line) and shorten_arguments(line):
            if stop := find_stop(action):
                self._note_outcome(line, None, stop, True)
                return
            told = quote_output(action)
            is_known = action.exit is not None and not _ERROR.match(told)  # behind a pipe the status is another's
            is_pass = is_known and (self._has_changed or not told)  # before a change it shows how things were
            ok = None if action.ok and not is_pass else action.ok
            self._note_outcome(line, ok if judge_call(action) else False, told)

    def _note_outcome(self, line: str, ok: bool | None, told: str, is_stopped: bool = False) -> None:
        text = clip_command(line, COMMAND_CHARS)
        if ok:
            failed = [(key, one.told) for key, one in self._failing.items()]
            for mended in [*find_mended(text, is_check(text), failed)] if failed else ():
                self._drop(_NUMBER.sub("…", mended))
                self._drop(mended)
        shape = _KNOB.sub(r"\1…", _NUMBER.sub("…", text) if is_outward(text) else text)
        step = self._drop(shape) or TurnStep("run", [text])
        if step.names != [text]:
            step.names, step.others = [shape], step.others + 1
        step.note("" if ok and _SAYS_NOTHING.match(told) else clip_text(told, TOLD_CHARS), ok, is_stopped)
        self._found[shape] = step
        if step.kind == "run" and step.is_failing:
            self._failing[shape] = step

    def _drop(self, key: str) -> TurnStep | None:
        """Drop a step and return it, if there is one."""
        self._failing.pop(key, None)
        return self._found.pop(key, None)

    def render(self) -> Iterator[str]:
        """Yield the steps in order; neighbors that changed files in the same way are one."""
        if self._has_looked and not any(one.names for one in self._found.values()):
            return iter((READ_ONLY,))
        joined: list[TurnStep] = []
        for one in self._found.values():
            if one.kind in CHANGES and not one.names:
                continue
            if joined and one.kind in CHANGES and joined[-1].kind == one.kind:
                joined[-1].names = list(dict.fromkeys((*joined[-1].names, *one.names)))
            else:
                joined.append(one)
        return (render_step(one) for one in joined)


def _is_untold(run: ExecutedCommand, command: Command) -> bool:
    """Whether a command that succeeded only wrote files, which have a step, or committed."""
    if command.check:
        return False
    if not is_lasting(command.text) and not is_outward(command.text):
        return True
    return any(True for _ in find_commits((run,))) or all(_is_preparing(words) for words in run.does if words)


def _is_preparing(words: Sequence[str]) -> bool:
    is_branch_made = words[:2] == ("git", "branch") and words[2:3] != () and not words[2].startswith("-")
    return words[0] in _PREPARES or (words[0] == "git" and words[1:2] in _GIT_LOOKS and not is_branch_made)


_COMMITS = re.compile(r"git (?:-\S+ \S+ )?commit\b")
REFUSAL = "refused by the user"
_SEARCHED = 20_000  # characters of a call
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$", re.M)
_WRITTEN = re.compile(  # a file that a command line writes from a here-document
    r"(?:^|(?<=[;&\n] ))(?:cat|tee)\s+(?:>{1,2}\s*)?[^\s;&|<>]+\s*<<-?\s*\\?[\"']?\w+[\"']?(?:\s*>{1,2}\s*[^\s;&|<>]+)?"
    r"(?:\s*>\s*/dev/null)?\s*…\s*(?:&&|;)?"
)
_SAYS_NOTHING = re.compile(r"ok\s|<\w+: \d+ completed")  # beside that it went well
_SCRIPT = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|deno run|bun|tsx|npx tsx|bash|sh|\./)[ \w./-]")
_ERROR = re.compile(r"(?:[\w.]*(?:Error|Exception|ImproperlyConfigured)\b|(?i:fatal|error|panic)\b)[^\n]{0,120}?:\s?\S")
_NUMBER = re.compile(r"(?<![\w.-])(?:\d{4,}|[0-9a-f]{7,40})(?![\w.-])")  # of what a command is for one of many
_KNOB = re.compile(r"(\s--?(?:timeout|limit|tail|lines|retries|max-\w+|depth)[ =])\d+s?\b")  # how long, how much
_TAG = re.compile(r"</?[a-z_]{1,40}>")
_PREPARES = frozenset(
    {"mkdir", "touch", "chmod", "cp", "mv", "rm", "echo", "cat", "printf", "tee", "sed", "ls", "head"}
)
_GIT_LOOKS = (
    ("merge-base",),
    ("ls-files",),
    ("ls-remote",),
    ("blame",),
    ("describe",),
    ("add",),
    ("status",),
    ("diff",),
    ("log",),
    ("show",),
    ("branch",),
    ("fetch",),
    ("rev-parse",),
)
