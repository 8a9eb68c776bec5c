"""Where the session stands, in one line: whose turn it is, and what is open, counted.

Rule: fixed phrases and counts of what the ledger has; quoted are only a question of the agent's and what a host wrote
at the end. Nothing is said of a session in which the agent did nothing. A count of what was cut says "at least". How
the last call ended is left to the failing checks where there are any. That nothing is open is said only where calls
show it.
"""

import re
from collections.abc import Iterator

from secateur.compaction.ledger.entries import Ledger, StandingKind, mark
from secateur.compaction.ledger.repository.ci import is_ci_failing
from secateur.compaction.ledger.repository.unpushed import UNSEEN, count_commits, is_tag
from secateur.compaction.ledger.runs.starts import has_checked_nothing
from secateur.compaction.ledger.turns.delegated import DELEGATED
from secateur.compaction.ledger.turns.progress import has_changed, list_told_steps
from secateur.compaction.ledger.turns.step_kinds import split_chain
from secateur.compaction.ledger.user.opposed_rules import PUSH, quote_opposed
from secateur.compaction.ledger.user.requests import is_task
from secateur.compaction.ledger.user.taken_back import is_bare_retraction
from secateur.compaction.ledger.work.endings import ENDINGS, SUBMITTED
from secateur.compaction.ledger.work.open_work import (
    MOST_CHECKS,
    count_boxes,
    find_open_request,
    has_boxes,
    has_uncommitted,
    is_blocked,
    list_failing,
)
from secateur.compaction.ledger.work.said_open import describe_told, is_said_undone
from secateur.compaction.ledger.work.standing import NOT_FIXED, NOTHING_CHANGED, NOTHING_OPEN
from secateur.text.host_texts import is_nudge
from secateur.toolcalls.actions import clip_text, collapse_whitespace
from secateur.toolcalls.commands import is_check

WHERE = "where it stands"
QUESTION_CHARS = 160
ENDED_TURN = "the agent ended its turn"
SPOKE_LAST, HOST_SPOKE = "the user spoke last", "the host told the agent to go on"
NOT_DONE = "the fix (no existing file was changed)"
OPPOSED_PUSH = "rules on pushing oppose each other"
NO_PULL_REQUEST = "a pull request (a rule speaks of them, and no call opened one)"
ENDED_SESSION = ", which ended the session"
TOOK_BACK = ", and took back what was asked before"
_OPEN = "open: "
_ASKS = re.compile(rf"(?:{ENDED_TURN} and asks|the agent asked) “(.*)”(?=$|; | and waits for the answer)")
_UNDONE: frozenset[StandingKind] = frozenset({"ended", "refuted", "outdated", "failed", "begun"})
_RELEASES = frozenset({"publish", "release", "deploy", "upload"})
_PUSHED_TAG = re.compile(r"\bgit push \S+ (?:refs/tags/)?(v?\d+\.\d+[\w.-]*) → ok")
_TRUNK = re.compile(r"main|master|trunk|develop|dev")
_PULL_REQUEST = re.compile(r"(?i)\b(?:pull|merge) requests?\b|\bPRs?\b")
_NAMES_PULL_REQUEST = re.compile(r"/pull/\d|\bPR #?\d|\bPR (?:is|was) \w+|\b(?:opened|created) (?:a |the )?(?:PR|pull)")


def render_verdict(ledger: Ledger) -> str:
    """Return the line that says where the session stands; "" where the agent did nothing."""
    if not _has_begun(ledger):
        return ""
    turn = _describe_turn(ledger)
    is_settled = not ledger.questions and turn.startswith((ENDED_TURN, SUBMITTED))
    left = ", ".join(_list_open(ledger)) or describe_told(ledger, is_settled)
    behind = f"{_OPEN}{left}" if left else _get_settled(ledger) if is_settled else ""
    return f"- {WHERE}: {'; '.join(filter(None, (turn, behind)))}"


def is_over(ledger: Ledger) -> bool:
    """Whether every request was replied to, and nothing is left for the agent but to check, to commit or to push."""
    is_waiting = not ledger.requests or any(one.state == "open" for one in ledger.requests)
    left = (ledger.pending, ledger.undelivered, list_failing(ledger), is_ci_failing(ledger.ci))
    kinds = {one.kind for one in ledger.standing}
    is_planned = any(one.state == "open" and one.text for one in ledger.tasks)
    return not (is_waiting or is_planned or any(left) or not kinds.isdisjoint(_UNDONE))


def is_done(ledger: Ledger) -> bool:
    """Whether nothing is left of any request: no other agent is at work, and this one tells of nothing left."""
    is_waiting = bool(ledger.questions) or any(one.kind == "running" for one in ledger.standing)
    is_told = ledger.last_words is not None and not is_said_undone(ledger.last_words)
    is_listed = ledger.document is not None and not has_boxes(ledger.document)  # nobody knows what is left
    return is_over(ledger) and is_told and not (is_waiting or is_listed) and bool(_get_settled(ledger))


def _get_settled(ledger: Ledger) -> str:
    """Return what calls show of nothing being left; "" where something is, or nobody knows."""
    is_left = any(_list_open(ledger)) or describe_told(ledger, True)
    return "" if is_left else next((one.text for one in ledger.standing if one.kind == "settled"), "")


def is_verdict(line: str) -> bool:
    """Whether a line of a summary says where the session stands."""
    return line.startswith(f"- {WHERE}: ")


def find_ending(text: str) -> str:
    """Return what a line on where the session stands says of how it ended; "" if it says whose turn it is."""
    text = text.replace(ENDED_SESSION, "", 1)
    text = text.removesuffix(f"; {find_settled(text)}")
    ended, _, left = text.rpartition(f"; {_OPEN}")
    ended = ended if ended and not {*"”`"} & {*left} else text
    return ended if ended.startswith(ENDINGS) else ""


def find_settled(text: str) -> str:
    """Return what a line on where the session stands says of nothing being left; "" if it does not."""
    return next((one for one in (NOTHING_OPEN, NOTHING_CHANGED) if text.endswith(f"; {one}")), "")


def find_question(text: str) -> str:
    """Return the whole question that a line on where the session stands says that the agent asks; "" without one."""
    asked = _ASKS.match(text)
    return asked[1] if asked and len(asked[1]) <= QUESTION_CHARS and not asked[1].endswith("…") else ""


def _has_begun(ledger: Ledger) -> bool:
    """Whether it is known whose turn it is, and the agent did anything."""
    acted = bool(ledger.last_words or ledger.pending or (ledger.last_calls and ledger.requests))
    standing = [one for one in ledger.standing if one.kind != "settled"]
    behind = (standing, ledger.files, ledger.commands, any(one.progress for one in ledger.requests))
    return acted or (bool(ledger.requests) and any(behind))


def _get_ending(ledger: Ledger) -> str:
    return next((one.text for one in ledger.standing if one.kind == "ended"), "")


def _describe_turn(ledger: Ledger) -> str:
    """Say whose turn it is."""
    if ended := _get_ending(ledger):
        return ended + ENDED_SESSION * ended.startswith(SUBMITTED)
    is_done = bool(ledger.requests) and ledger.requests[-1].state == "done"
    if ledger.questions:
        asked = clip_text(collapse_whitespace(ledger.questions[-1].text), QUESTION_CHARS)
        return f"{ENDED_TURN} and asks “{asked}”" if is_done else f"the agent asked “{asked}” and waits for the answer"
    is_at_work = bool(ledger.last_calls or ledger.pending)
    if is_done or not (ledger.requests or is_at_work):
        return f"{ENDED_TURN}; the user is next"
    waited = find_open_request(ledger)
    named = f"[{mark(waited.key)}]" if waited and waited.key else ""
    if not is_at_work and not (ledger.requests and ledger.requests[-1].progress) and _is_answered(ledger):
        is_told = is_nudge(ledger.requests[-1].text)
        if is_bare_retraction(ledger.requests[-1].text):
            return f"{SPOKE_LAST}{TOOK_BACK}"
        return HOST_SPOKE if is_told else f"{SPOKE_LAST} and waits for {named}" if named else SPOKE_LAST
    named = f" on {named}{_name_interrupted(ledger)}" * bool(named)
    return f"the agent is in the middle of its work{named}{_describe_last_call(ledger)}{_describe_beginning(ledger)}"


def _name_interrupted(ledger: Ledger) -> str:
    """Name the request before the newest one if something was changed for it, and the user wrote on before its end.

    Work whose last change was committed before the user wrote on is not left half done.
    """
    before = ledger.requests[-2] if len(ledger.requests) > 1 else None
    is_left = before is not None and before.state == "open" and has_changed(before.progress, since_commit=True)
    is_left = is_left and before is not find_open_request(ledger)  # which the newest words only urge on or answer
    return f", with [{mark(before.key)}] open before it" if before and is_left and before.key else ""


def _is_answered(ledger: Ledger) -> bool:
    return ledger.last_words is None or ledger.last_words.is_answered


def _describe_last_call(ledger: Ledger) -> str:
    if ledger.pending or list_failing(ledger) or not ledger.last_calls:
        return ""
    outcome = {True: "ended ok", False: "failed", None: "ended, outcome unknown"}
    last = ledger.last_calls[-1]
    if last.ok and any(map(is_check, split_chain(last.text))) and not has_checked_nothing(last.told):
        return " (its last call, a check, passed)"
    return f" (its last call {outcome[last.ok]})"


def _describe_beginning(ledger: Ledger) -> str:
    """Say that nothing was changed yet for a request that asks for a change."""
    changed = [one for one in ledger.files if one.is_changed]
    is_delegated = any(step.startswith(f"{DELEGATED}: ") for step in list_told_steps(ledger.requests[-1:]))
    if is_delegated or not all(one.scratch for one in changed) or not _is_change_asked(ledger):
        return ""
    return ", and only scratch files were changed yet" if changed else ", and no call edited a file yet"


def _is_change_asked(ledger: Ledger) -> bool:
    """Whether the newest request gives work that changes something."""
    newest = ledger.requests[-1].text if ledger.requests else ""
    return is_task(newest) and _CHANGES.search(newest) is not None


def _list_open(ledger: Ledger) -> Iterator[str]:
    """Yield what is left to do, to answer or to wait for, each kind with its number."""
    checks = list_failing(ledger)
    stopped, blocked = sum(one.stopped for one in checks), sum(map(is_blocked, checks))
    is_least = len(checks) == MOST_CHECKS
    yield from _count(len(checks) - stopped - blocked, "failing check", is_least=is_least)
    yield from _count(blocked, "check that the machine did not allow", "checks that the machine did not allow")
    yield from _count(stopped, "check that did not finish", "checks that did not finish", is_least=is_least)
    kinds = [one.kind for one in ledger.standing]
    yield from [NOT_DONE] * any(one.kind == "edits" and one.text.startswith(NOT_FIXED) for one in ledger.standing)
    changes = ["unverified"] * ("unchecked" in kinds) + ["uncommitted"] * (
        has_uncommitted(ledger) and _is_commit_expected(ledger)
    )
    yield from [f"{' and '.join(changes)} changes"] * bool(changes)
    yield from _list_failed(ledger)
    yield from ["a merge or rebase that has begun"] * ("begun" in kinds)
    yield from _count(kinds.count("running"), "job that was handed out", "jobs that were handed out")
    yield from _count(kinds.count("outdated"), "outdated patch", "outdated patches")
    yield from (f"a {one.kind} that the user asked for" for one in ledger.undelivered)
    tasks = sum(one.state == "open" and bool(one.text) for one in ledger.tasks)
    of_plan = " of an older plan" if "planned" in kinds else ""
    yield from _count(tasks, f"task{of_plan}", f"tasks{of_plan}", is_least="tasks" in ledger.omitted)
    boxes, mine = count_boxes(ledger)
    of_all = f" (of {boxes}: a rule leaves the others to others)" if mine < boxes else ""
    yield from _count(mine, f"box of the task document{of_all}", "boxes of the task document")
    for kind in ("ticket", "pull request"):
        yield from _count(sum((one.kind, one.state) == (kind, "open") for one in ledger.tickets), kind)
    if not ledger.questions:
        yield from _count(len(ledger.pending), "call without a result", "calls without a result")
    if is_ci_failing(ledger.ci):
        yield "checks of a pull request that failed when last seen"
    yield from _list_unpushed(ledger)
    yield from [NO_PULL_REQUEST] * _is_pull_request_missing(ledger)


def _is_commit_expected(ledger: Ledger) -> bool:
    """Whether the session has committed, or the user speaks of commits."""
    own = [one.text for one in ledger.constraints if one.scope != "project" and not one.replaced_by]
    said = (*(one.text for one in ledger.requests), *own)
    is_tracked = bool(ledger.commits or ledger.tickets) or "commit" in ledger.delivered
    return is_tracked or any(map(_COMMITS.search, said))


def _list_failed(ledger: Ledger) -> Iterator[str]:
    """Yield what was to leave the machine and did not, with what is out already and cannot be taken back."""
    opposed = f" ({OPPOSED_PUSH})" if quote_opposed(ledger.constraints, PUSH) else ""
    for one in ledger.standing:
        if one.kind == "failed":
            named = dict.fromkeys(_ACT.findall(one.text.partition(" — said: ")[0]))
            tags = _list_pushed_tags(ledger) if named.keys() & _RELEASES else []
            out = f" (tag {' · '.join(tags)} is pushed already)" if tags else opposed if "push" in named else ""
            yield f"a failed {' or '.join(named) or 'command'}{out}"


def _list_pushed_tags(ledger: Ledger) -> list[str]:
    """Return the tags that a step of the newest request pushed by name."""
    steps = list_told_steps(ledger.requests[-1:])
    return list(dict.fromkeys(hit[1] for step in steps if (hit := _PUSHED_TAG.search(step))))


def _is_pull_request_missing(ledger: Ledger) -> bool:
    """Whether a branch was pushed, a rule in force speaks of pull requests, and no call or word tells of one."""
    is_out = bool(ledger.commits) and "push" in ledger.delivered and not ledger.unpushed
    if not is_out or ledger.ci or not ledger.branch or _TRUNK.fullmatch(ledger.branch):
        return False
    told = (*(one.text for one in ledger.requests), *(one.text for one in (ledger.last_words, ledger.report) if one))
    if any(one.kind == "pull request" for one in ledger.tickets) or any(map(_NAMES_PULL_REQUEST.search, told)):
        return False
    rules = (one.text for one in ledger.constraints if not one.replaced_by)
    return any(_PULL_REQUEST.search(text) for text in rules)


def _list_unpushed(ledger: Ledger) -> Iterator[str]:
    has_failed = any(one.kind == "failed" for one in ledger.standing)
    opposed = f" ({OPPOSED_PUSH})" if not has_failed and quote_opposed(ledger.constraints, PUSH) else ""
    commits = _count(count_commits(ledger.unpushed), "unpushed commit", is_least=UNSEEN in ledger.unpushed)
    yield from (one + opposed for one in commits)
    yield from _count(sum(map(is_tag, ledger.unpushed)), "unpushed tag")


def _count(number: int, name: str, names: str = "", is_least: bool = False) -> Iterator[str]:
    if number:
        yield f"{'at least ' * is_least}{number} {name if number == 1 else names or f'{name}s'}"


_CHANGES = re.compile(
    r"(?i)\b(?:add|fix|implement|change|update|remove|delete|rename|refactor|create|write|replace|move|migrate"
    r"|rewrite|extend|mend|convert|split|build)\b"
)
_COMMITS = re.compile(r"(?i)\bcommit(?:t?ed|ting|s)?\b(?! (?:messages?|hash))")
_ACT = re.compile(r"(?<![\w-])(push|commit|pull|merge|rebase|cherry-pick|publish|release|deploy|upload|apply)\b")
