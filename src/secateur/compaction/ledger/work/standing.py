"""How the work stands, as the calls show it: what no call checked, what failed last, which patch is outdated, what of
the agent's last words is not so, which files of the plan in them no call changed yet, how the session ended.

Rule: each line follows from calls, their results and the order of both; what the agent says of them does not count.
Prose, pictures and scratch files are no code.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import FileEntry, Ledger, Standing, StandingKind
from secateur.compaction.ledger.files.added_logs import describe_added_logs
from secateur.compaction.ledger.files.paths import is_secret
from secateur.compaction.ledger.files.undone import STASHED
from secateur.compaction.ledger.runs.failed_acts import list_begun, list_undone_acts
from secateur.compaction.ledger.turns.announced import list_announced
from secateur.compaction.ledger.turns.announcements import is_announcing
from secateur.compaction.ledger.user.put_off import is_taken_up, list_put_off
from secateur.compaction.ledger.work.claims import list_refuted
from secateur.compaction.ledger.work.code_changes import (
    CHANGE_WORDS,
    FileChange,
    has_code_changed,
    is_code,
    list_changes,
)
from secateur.compaction.ledger.work.endings import describe_ending, find_diagnosis
from secateur.compaction.ledger.work.handed_out import list_handed_out
from secateur.compaction.ledger.work.patches import list_written_patches
from secateur.compaction.ledger.work.plans import find_later_reply, is_past_plan, list_later_commits
from secateur.compaction.ledger.work.unverified import describe_unchecked, is_closed, list_never_run
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.file_effects import list_command_lines, list_file_effects

STANDING: dict[StandingKind, str] = {
    "edits": "state of the changes",
    "unchecked": "not verified",
    "refuted": "not borne out",
    "outdated": "outdated",
    "failed": "failed, and not done since",
    "declined": "declined by the user",
    "begun": "begun, and no call ended it",
    "running": "handed out, no result seen",
    "planned": "the agent's plan is older than",
    "diagnosis": "the agent's newest view of the cause",
    "later": "put off by the user",
    "announced": "what these words are about, in the result before them",
    "untouched": "named in these words, and no edit since is known",
}
NOT_FIXED = "not fixed"
NOTHING_OPEN = "nothing is open"
NOTHING_CHANGED = "no call edited a file"
MOST_UNTOUCHED = 8  # files of a plan, by name
MOST_RESTORED = 2  # files that were taken back, by name
_SEARCHED = 4_000  # characters of a command or a message


def list_standing(
    messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand], ledger: Ledger
) -> tuple[Standing, ...]:
    """Return how the work stands at the end of these messages; `ledger` is what is known of them otherwise."""
    changes = list(list_changes(done, ledger.files))
    is_left = has_code_changed(ledger.files, changes) and not is_closed(messages, done, ran, changes)
    unchecked = describe_unchecked(done, ran, changes) if is_left else ""
    begun = list(list_begun(ran, done))
    failed, declined = list_undone_acts(messages, ran)
    found: tuple[tuple[StandingKind, Iterable[str]], ...] = (
        ("ended", [describe_ending(messages, done)]),
        ("edits", [_mark_unfixed(_describe_edits(done, ledger.files, changes), done, ledger)]),
        ("unchecked", [unchecked, *list_never_run(ran)] if unchecked else ()),
        ("refuted", list_refuted(messages, ran, ledger)),
        ("outdated", _list_outdated_patches(done, changes)),
        ("failed", [one for one in failed if not (begun and _MERGES.match(one))]),
        ("declined", declined),
        ("begun", begun),
        ("running", list_handed_out(messages, done, ran)),
        ("planned", _list_newer_than_plan(messages, done, ran, ledger)),
        ("diagnosis", [find_diagnosis(messages, ledger)]),
        ("announced", list_announced(messages, done, ledger.last_words)),
        ("untouched", [_describe_untouched(messages, done, ledger)]),
        ("later", (f"“{one}”" for one in list_put_off(ledger.requests))),
    )
    return tuple(Standing(kind, text) for kind, texts in found for text in texts if text)


def _list_newer_than_plan(
    messages: Sequence[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand], ledger: Ledger
) -> Iterator[str]:
    """Yield what came after the agent's plan was last told: replies to several requests, a commit, or a reply."""
    replied = list(find_later_reply(ledger.tasks, messages, ledger.requests))
    commits = [] if any(map(is_past_plan, replied)) else list(list_later_commits(ledger.tasks, done, ran))
    yield from commits or replied


def merge_standing(earlier: Ledger, later: Ledger) -> tuple[Standing, ...]:
    """Merge how the work stood with how it stands: a later span that called anything says it anew."""
    if not (later.standing or later.files or later.commands or later.last_calls or later.last_words):
        return tuple(one for one in earlier.standing if not (later.requests and one.kind == "ended"))
    put_off = [one for one in earlier.standing if one.kind == "later" and not is_taken_up(one.text, later.requests)]
    is_known = not any(one.use in CHANGE_WORDS and not one.scratch for one in earlier.files)
    new = (one for one in later.standing if is_known or not (one.kind == "edits" or one.text == NOTHING_CHANGED))
    return tuple(dict.fromkeys((*put_off, *new)))


def _describe_edits(done: Sequence[Action], files: Sequence[FileEntry], changes: Sequence[FileChange]) -> str:
    """Say what all edits have in common: they were taken back, made only new files, or only write logs."""
    own = [one for one in files if not one.scratch]
    if any(one.use in ("changed", "deleted", "moved") for one in own):
        return describe_added_logs(done, {change.number for change in changes})
    restored = [redact(one.path) for one in own if one.use == "restored" and one.about != STASHED]
    created = any(one.use == "created" and is_code(one.path) for one in own)
    if restored and not created:
        return f"every change of existing files was taken back ({' · '.join(restored[-MOST_RESTORED:])})"
    if (
        created
        and not restored
        and not any(action.kind == "run" and _REWRITES.search(action.call.text[:_SEARCHED]) for action in done)
        and not any(action.kind == "run" and _TAKES_MORE.search(action.said) for action in done)
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


def _describe_untouched(messages: Sequence[Message], done: Sequence[Action], ledger: Ledger) -> str:
    """Name the files of the plan in the agent's last words that no call has changed since; "" where they hold none."""
    words = ledger.last_words
    if words is None or words.is_answered or not is_announcing(words.text):
        return ""
    start = next((at for at, message in enumerate(messages) if message.key == words.key), len(messages))
    keys = {part.key for message in messages[start:] for part in message.parts if part.kind == "tool_call"}
    changed = {
        effect.path
        for action in done
        if action.ok and action.result and action.call.key in keys
        for effect in list_file_effects(action)
        if effect.use in CHANGE_WORDS
    }
    named = list(dict.fromkeys(_FILE.findall(words.text[:_SEARCHED])))
    left = [name for name in named if not any(_is_named(name, path) for path in changed)]
    is_plan = len(left) < len(named) and len(left) <= MOST_UNTOUCHED
    return redact(" · ".join(left)) if is_plan else ""


def _is_named(name: str, path: str) -> bool:
    return f"/{path}".endswith(f"/{name.removeprefix('./')}")


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
            yield f"{redact(path)} was written before {what} {CHANGE_WORDS[later[-1].use]}"


_FILE = re.compile(r"`((?:[\w@.+-]{1,80}/){0,12}[\w@+-][\w@.+-]{0,80}\.[A-Za-z]\w{0,7})`")
_TAKES_MORE = re.compile(r"^ (?:delete mode|rename) \S", re.M)  # of a commit: it took other changes as well
_MERGES = re.compile(r"git (?:merge|rebase|pull)\b")
ALL_NEW = "no file that was there before was changed; the changed files are all new"
_WRITTEN_CHARS = 20_000  # of a call, in which code that writes files is looked for
_WRITES = re.compile(
    r"\.write(?:_text|_bytes|lines|File|FileSync)?\(|\bshutil\.|\bfileinput\b|\bopen\([^)\n]{0,200}[\"'][wa]\+?b?[\"']"
)
_DEFECT = re.compile(r"(?i)\b(?:solving|solve|fix|resolve)\b[^.\n]{0,80}\b(?:issue|bug|problem|defect|error|crash)\b")
_REWRITES = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|pip|uv|poetry|cargo|go|bundle|composer)\b[^\n]{0,40}\b(?:i|install|add|init|get|tidy|sync"
    r"|update|upgrade|fix|generate|format|fmt)\b|--(?:fix|write)\b|\b(?:gofmt|black|prettier|codemod|generate|format)\b"
    r"|\bsed -i"
)
