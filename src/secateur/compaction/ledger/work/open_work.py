"""What is left open at the end of a ledger: requests, failing checks, work that was not committed or pushed.

Rule: a request is open while the agent has not ended its turn with an answer. How it is worded is decided elsewhere.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.compaction.ledger.entries import Command, Ledger, TaskDocument, UserRequest
from secateur.compaction.ledger.files.lines import find_base, find_place, find_tops, join_folders, shorten_path
from secateur.compaction.ledger.files.touched import OTHERS
from secateur.compaction.ledger.user.answers import is_choice
from secateur.compaction.ledger.user.demand_units import clip_sentences
from secateur.compaction.ledger.user.project_rules import find_protection
from secateur.compaction.ledger.user.requests import is_substantial
from secateur.compaction.ledger.user.taken_back import is_bare_retraction
from secateur.compaction.ledger.user.task_documents import TICKED
from secateur.compaction.ledger.work.endings import SUBMITTED
from secateur.text.host_texts import is_nudge
from secateur.toolcalls.actions import collapse_whitespace

UNCOMMITTED = "changed since the last commit"
ALL_LISTED = "all changed files above"
MOST_NAMED = 1  # files changed since the last commit, where nothing was committed
UNPUSHED = "committed, not pushed"
CI = "CI as last seen"
PUSHED, ALL_COMMITS = "pushed", "all commits above"
NEVER_COMMITTED = "not committed"
NOT_TO_COMMIT = "changed (the task forbids commits)"
PROTECTED = "a rule keeps this work off the branch that it is on,"
RULE_CHARS = 160  # of that rule
DEMANDED = "not done yet"
LEFT_OUT = "; the agent says that it left it out"
MOST_CHECKS = 3  # failing ones among what comes next


def has_committed(ledger: Ledger) -> bool:
    """Whether a call made a commit, as far as it is known."""
    return bool(ledger.commits or ledger.omitted.get("commits")) or "commit" in ledger.delivered


def is_versioned(ledger: Ledger) -> bool:
    """Whether the work is in a repository, or someone asks for commits."""
    git = (ledger.branch, ledger.root, ledger.status, ledger.strays, ledger.dirty, ledger.unpushed, ledger.tickets)
    asks = any(one.kind == "commit" for one in ledger.undelivered)
    return (
        any(git)
        or has_committed(ledger)
        or asks
        or any(_NAMES["commit"].search(one.text) for one in ledger.constraints)
    )


def has_uncommitted(ledger: Ledger) -> bool:
    """Whether changes are left to commit: no words of the user forbid it."""
    return bool(_get_uncommitted(ledger)) and not _is_commit_forbidden(ledger)


def list_open_acts(ledger: Ledger) -> tuple[str, ...]:
    """Return what is left to do with the work at hand: to test it, to commit it, to push it, to close its ticket."""
    is_changed = has_uncommitted(ledger)
    left = {
        "test": any(one.kind == "unchecked" for one in ledger.standing) or bool(list_failing(ledger)),
        "commit": is_changed,
        "push": is_changed or bool(ledger.unpushed),
        "ticket": any(one.state == "open" for one in ledger.tickets),
    }
    return tuple(act for act, is_left in left.items() if is_left)


def list_failing(ledger: Ledger) -> list[Command]:
    """Return the checks that failed last or were stopped; of those that ended with the same line, the last."""
    failed = {
        (run.text if run.stopped else run.told or run.text): run
        for run in ledger.commands
        if run.check and (run.ok is False or run.stopped)
    }
    return list(failed.values())[-MOST_CHECKS:]


def is_blocked(check: Command) -> bool:
    """Whether a check failed by what the machine forbids or lacks, such as the network in a sandbox."""
    return check.ok is False and _BLOCKED.search(check.told) is not None


def count_boxes(ledger: Ledger) -> tuple[int, int]:
    """Count the boxes of the task document that are open, and those of them that no rule leaves to somebody else."""
    boxes = _BOXES.search(ledger.document.text) if ledger.document else None
    if ledger.document is None or boxes is None:
        return 0, 0
    is_single = any(_SINGLE_TASK.search(one.text) for one in ledger.constraints if not one.replaced_by)
    left = int(boxes[2]) - int(boxes[1])
    return left, min(left, 0 if f"{TICKED}: " in ledger.document.text else 1) if is_single else left


def has_boxes(document: TaskDocument) -> bool:
    """Whether a task document tells what is left by its boxes."""
    return _BOXES.search(document.text) is not None


def find_submission(ledger: Ledger) -> str:
    """Return by what the work was handed in at the end of the session; "" if it was not."""
    return next((one.text for one in ledger.standing if one.kind == "ended" and one.text.startswith(SUBMITTED)), "")


def find_open_request(ledger: Ledger) -> UserRequest | None:
    """Return what the user waits for: the newest request, be it a choice of the agent's points, or the one it urges on.

    None while the agent asks, once it has handed its work in, where only a host told it to go on, and where the user
    took back what was asked.
    """
    if ledger.questions or find_submission(ledger) or not ledger.requests or ledger.requests[-1].state != "open":
        return None
    if is_bare_retraction(ledger.requests[-1].text) and not ledger.requests[-1].answers:
        return None
    open_ = [one for one in ledger.requests if one.state == "open" and not is_nudge(one.text)]
    telling = [one for one in open_ if is_substantial(one.text) or is_choice(one)]
    return next(reversed(telling or open_), None)


def render_undelivered_work(ledger: Ledger) -> Iterator[str]:
    """Render the files that no call committed and the commits that no call pushed."""
    if _get_uncommitted(ledger):
        label = UNCOMMITTED if has_committed(ledger) else NEVER_COMMITTED
        label = NOT_TO_COMMIT if label == NEVER_COMMITTED and _is_commit_forbidden(ledger) else label
        yield f"- {label}: {join_folders(list(_list_uncommitted(ledger)))}"
    if ledger.unpushed:
        yield f"- {UNPUSHED}: {' · '.join(ledger.unpushed)}"
    if (
        not ledger.unpushed
        and ledger.commits
        and "push" in ledger.delivered
        and not _has_failed("push", _list_failed(ledger))
    ):
        yield f"- {PUSHED}: {ALL_COMMITS}"
    if ledger.ci:
        yield f"- {CI}: {ledger.ci}"
    is_left = has_uncommitted(ledger) or bool(ledger.unpushed)
    if is_left and (rule := find_protection(ledger.constraints, ledger.branch)):
        quoted = clip_sentences(collapse_whitespace(rule.text), RULE_CHARS)
        yield f"- {PROTECTED} {ledger.branch}: “{quoted}” ({rule.source or 'the user'})"
    yield from _render_demanded(ledger)


def _get_uncommitted(ledger: Ledger) -> tuple[str, ...]:
    """Return the files that are left to commit; none where nobody commits, or the work was handed in without one."""
    is_done = find_submission(ledger) and (_is_commit_forbidden(ledger) or not has_committed(ledger))
    return () if is_done or not is_versioned(ledger) else ledger.uncommitted


def _is_commit_forbidden(ledger: Ledger) -> bool:
    """Whether words of the user in force forbid every commit."""
    own = (one.text for one in ledger.constraints if not one.replaced_by and one.scope != "project")
    return any(_FORBIDS_COMMITS.search(text) for text in own)


def _render_demanded(ledger: Ledger) -> Iterator[str]:
    """Render what a rule in force wants done before the work counts as done, no other forbids, and no call did."""
    changed = _get_uncommitted(ledger)
    left = {
        "commit": bool(changed),
        "push": bool(changed or ledger.unpushed),
        "tests": any(one.kind == "unchecked" for one in ledger.standing),
        "close": any(one.kind == "ticket" and one.state == "open" for one in ledger.tickets),
    }
    bans = [hit[1].lower() for one in ledger.constraints if not one.replaced_by for hit in _BANS.finditer(one.text)]
    failed = _list_failed(ledger)  # told there
    left = {kind: is_left and kind not in bans and not _has_failed(kind, failed) for kind, is_left in left.items()}
    found: dict[str, list[str]] = {}
    for one in ledger.constraints:
        if not one.replaced_by and _CLOSES.search(one.text) and not _FORBIDS.search(one.text):
            for kind in (kind for kind, is_left in left.items() if is_left and _NAMES[kind].search(one.text)):
                found.setdefault(kind, []).append(one.source or "the user")
    if found:
        sources = " · ".join(dict.fromkeys(source for some in found.values() for source in some))
        named = ", ".join("close the ticket" if kind == "close" else kind for kind in found)
        left_out = LEFT_OUT if _is_left_out(ledger) else ""
        yield f"- {DEMANDED}: {named} — demanded by {sources}{left_out}"


def _is_left_out(ledger: Ledger) -> bool:
    """Whether the agent says that it did not commit or push."""
    return any(_NOT_SENT.search(one.text) for one in (ledger.last_words, ledger.report) if one)


def _list_failed(ledger: Ledger) -> list[str]:
    """Return the pushes, commits and other acts that failed, and that no later call did."""
    return [one.text for one in ledger.standing if one.kind == "failed"]


def _has_failed(kind: str, failed: Iterable[str]) -> bool:
    return any(re.search(rf"\bgit {kind}\b", text.partition(" — said: ")[0]) for text in failed)


def _list_uncommitted(ledger: Ledger) -> Iterator[str]:
    """Yield the files that were changed since the last commit; without a commit, these are all that changed."""
    changed = {one.path for one in ledger.files if one.is_changed}
    left = {*ledger.uncommitted}
    is_all = not has_committed(ledger) and len(left) > MOST_NAMED and (OTHERS in left or changed <= left)
    if is_all and left - {OTHERS} <= {one.path for one in ledger.files}:
        yield ALL_LISTED  # what git status shows beside them has a line of its own
        return
    root = find_base(ledger)
    tops = find_tops(ledger.files, root)
    places = {one.path: find_place(one) for one in ledger.files if one.use == "moved" and one.to}
    yield from (shorten_path(places.get(path, path), root, tops) for path in ledger.uncommitted)


_BOXES = re.compile(r"(\d{1,4}) of (\d{1,4}) done")
_SINGLE_TASK = re.compile(
    r"(?i)\bonly (?:work on |do |process )?(?:this|one|a|the) (?:single|one) task\b"
    r"|\b(?:do not|don['’]t|never) (?:proceed|continue|go on|move on)"
    r" to (?:additional|other|further|another|the next) tasks?\b"
)
_BLOCKED = re.compile(
    r"(?i)\b(?:bind|listen|connect|socket)\b[^\n]{0,80}: operation not permitted|\bread-only file system\b"
    r"|\bnetwork is unreachable\b|\bcould not resolve host\b|\b(?:denied|blocked|forbidden) by (?:the )?sandbox\b"
    r"|\bsandbox(?:-exec)?: .{0,80}\b(?:deny|denied|not permitted)\b|\bno such host\b"
)
_NAMES = {
    "commit": re.compile(r"(?i)\bcommit(?:t?ed)?\b"),
    "push": re.compile(r"(?i)\bpush(?:ed)?\b"),
    "tests": re.compile(r"(?i)\b(?:run|pass)\b[^.;\n]{0,60}\b(?:tests?|linters?|checks)\b|\b(?:tests?|checks) pass\b"),
    "close": re.compile(r"(?i)\bclose\b[^.;\n]{0,40}\b(?:tickets?|issues?|beads?)\b|\bbd close\b"),
}
_NOT_SENT = re.compile(r"(?i)\b(?:did not|didn['’]t|have not|haven['’]t|not) (?:yet |create a |been )?(?:commit|push)")
_CLOSES = re.compile(
    r"(?i)\bbefore (?:you )?(?:say|claim|report|finish|end|stop|clos)\w*|\b(?:never|not) (?:stop|finish|end) before\b"
    r"|\b(?:at|when|before) (?:the )?(?:session|work)?\s?(?:end(?:s|ing)?|clos\w+|finish\w*|complet\w+)\b"
    r"|\bnot (?:done|complete|finished) until\b|\bsession (?:close|completion|end)\b|\b(?:is|are) mandatory\b"
    r"|\byou must (?:commit|push)\b"
)
_FORBIDS = re.compile(
    r"(?i)\b(?:never|not|n['’]t|without)\b[^.;:]{0,20}\b(?:commit|push)\w*\b(?! until)|\bonly (?:commit|push)\b"
)
_BANS = re.compile(
    r"(?i)\b(?:never|do not|don['’]t|must not|may not|forbidden to)\s+(commit|push)\b(?! (?:until|before|without))"
)
_FORBIDS_COMMITS = re.compile(
    r"(?i)\b(?:never|do not|don['’]t|must not|may not|forbidden to|without)\s+(?:ever\s+)?commit(?:ting)?"
    r"(?:\s+(?:or push|(?:your|the|any)(?: \w+)? changes|anything))*\s*(?:[.;:!)\n]|$)"
)
