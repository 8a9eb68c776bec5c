"""What of the work is out: the branch, other repositories, commits and tags that no call pushed, tickets.

Rule: what git and a tracker themselves printed counts, not what they were asked; a push that git does not call failed
is taken to push what was committed before it, and tags only where it names them. What happened outside of the session's
calls nobody knows here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Ticket
from secateur.compaction.ledger.repository.branches import find_branch
from secateur.compaction.ledger.repository.places import Place, find_run_folder
from secateur.compaction.ledger.repository.ticket_states import TICKET_ID, mark_shown, merge_shown
from secateur.model import Message, Part
from secateur.redact import redact
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, build_action, clip_text, collapse_whitespace
from secateur.toolcalls.commands import COMMIT_LINE, ExecutedCommand

TITLE_CHARS = 120
MOST_TICKETS = 20
MOST_ELSEWHERE = 3
OF_BRANCH = " · branch: "


def list_elsewhere(ran: Iterable[ExecutedCommand], place: Place) -> tuple[str, ...]:
    """Return the other repositories that the session committed to or pushed, each with its branch."""
    found: dict[str, list[ExecutedCommand]] = {}
    for run in ran:
        root = place.find_repository(find_run_folder(run))
        if root and root != place.root:
            found.setdefault(root, []).append(run)
    told = [
        f"{root}{OF_BRANCH}{branch}" if (branch := find_branch(runs)) else root
        for root, runs in found.items()
        if any(run.ok and _WRITES.search(run.line) for run in runs)
    ]
    return tuple(told)[-MOST_ELSEWHERE:]


def merge_elsewhere(earlier: Iterable[str], later: Iterable[str]) -> tuple[str, ...]:
    """Return the other repositories of both spans, as the later one has them."""
    found = {one.partition(OF_BRANCH)[0]: one for one in (*earlier, *later)}
    return tuple(found.values())[-MOST_ELSEWHERE:]


def merge_tickets(tickets: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """Return one entry for each ticket, as it was left; a ticket keeps its title."""
    found: dict[str, Ticket] = {}
    for one in tickets:
        newest = [id for id, other in found.items() if other.kind == one.kind] if not one.id else []
        name = next((id for id in found if id == one.id or id.endswith(f"/{one.id}")), one.id or "".join(newest[-1:]))
        if not name:
            continue
        before = found.pop(name, None)
        found[name] = Ticket(
            name, one.title or (before.title if before else ""), one.state, one.kind, one.key, one.draft
        )
    return tuple(found.values())[-MOST_TICKETS:]


def list_tickets(
    ran: Iterable[ExecutedCommand], messages: Iterable[Message], shown: Iterable[Ticket]
) -> tuple[Ticket, ...]:
    """Return the tickets and pull requests that calls opened, took or closed, as they were seen last."""
    made = [one for run in ran if run.ok for words in run.does for one in _read_tracker(words, run)]
    if not made:
        return ()
    places = {part.key: at for at, part in enumerate(part for one in messages for part in one.parts)}
    seen = ((places.get(one.key, -1), True, one) for one in merge_shown(shown))
    found: tuple[Ticket, ...] = ()
    for _, is_shown, one in sorted([*((places.get(one.key, -1), False, one) for one in made), *seen], key=_get_place):
        found = mark_shown(found, [one]) if is_shown else merge_tickets([*found, one])
    return found


def _get_place(event: tuple[int, bool, Ticket]) -> int:
    return event[0]


def _read_tracker(words: tuple[str, ...], run: ExecutedCommand) -> Iterator[Ticket]:
    """Yield the tickets that one command of a tracker opened or closed."""
    said, key = run.action.said[:_SEARCHED_TEXT], run.action.call.key
    program, verb = words[0], " ".join(words[1:3]) if words[0] in ("gh", "glab") else "".join(words[1:2])
    if program in ("bd", "tk") and verb in _LOCAL:
        for hit in _LOCAL_TOLD.finditer(said):
            if hit["verb"].lower() in _LOCAL[verb][1]:
                said_title = hit["title"] if _LOCAL[verb][0] == "open" else ""  # with a close it is the reason
                title = clip_text(collapse_whitespace(redact(said_title or "")), TITLE_CHARS)
                yield Ticket(redact(hit["id"]), title, _LOCAL[verb][0], "ticket", key)
    elif program in ("gh", "glab") and verb in _REMOTE:
        state, kind = _REMOTE[verb]
        titles = [word for before, word in zip(words, words[1:], strict=False) if before in ("--title", "-t")]
        title = clip_text(collapse_whitespace(redact(titles[0])), TITLE_CHARS) if titles else ""
        numbers = [word.lstrip("#") for word in words[3:4] if not word.startswith("-")]
        named = _URL.findall(said)[-1:] if verb.endswith("create") else numbers or [""] * (verb == "pr ready")
        is_draft = not _DRAFT.isdisjoint(words)
        yield from (
            Ticket(redact(id), title, state, kind, key, is_draft) for id in named if _ID.fullmatch(id) or not id
        )


def add_unpaired_commits(done: Sequence[Action], messages: Iterable[Message]) -> tuple[Action, ...]:
    """Return the actions with the commits that results tell of whose calls are not in the messages, in their places."""
    answered = {action.result.key for action in done if action.result}
    results = [part for message in messages for part in message.parts if part.kind == "tool_result"]
    found = [
        build_action(_make_commit_call(one), one) for one in results if one.key not in answered and _has_commit(one)
    ]
    if not found:
        return tuple(done)
    places = {part.key: at for at, part in enumerate(part for one in messages for part in one.parts)}
    return tuple(sorted((*done, *found), key=lambda action: places.get(action.call.key, -1)))


def _has_commit(result: Part) -> bool:
    """Whether a shell printed what git prints at the end of a commit."""
    said = result.text[:_SEARCHED_TEXT]
    return (
        " changed" in said and _COMMITTED_FILES.search(said) is not None and detect_tool_kind(result.tool, "") == "run"
    )


def _make_commit_call(result: Part) -> Part:
    return replace(result, kind="tool_call", text=_COMMIT_CALL)


_WRITES = re.compile(r"\bgit\b[^\n;&|]{0,200}?\s(?:commit|push|merge|cherry-pick)\b")
_COMMIT_CALL = '{"command": "git commit"}'
_SEARCHED_TEXT = 20_000  # characters of an output
_COMMITTED = COMMIT_LINE + r"(?<= )"
_COMMITTED_FILES = re.compile(
    _COMMITTED
    + r"[0-9a-f]{7,40}\] [^\n]{1,400}\n(?: Author: [^\n]{1,200}\n| Date: [^\n]{1,80}\n){0,2} \d+ files? changed",
    re.M,
)
_DRAFT = frozenset({"--draft", "-d", "--undo"})
_URL = re.compile(r"https?://[^\s'\"<>]{1,160}/(?:issues|pull|merge_requests)/\d+")
_ID = re.compile(r"\S{1,200}")
_LOCAL: dict[str, tuple[Literal["open", "done"], tuple[str, ...]]] = {
    "create": ("open", ("created",)),
    "update": ("open", ("updated",)),
    "claim": ("open", ("claimed", "updated")),
    "start": ("open", ("started", "updated")),
    "reopen": ("open", ("reopened", "updated")),
    "close": ("done", ("closed",)),
}
_LOCAL_TOLD = re.compile(
    r"^\W{0,4}(?P<verb>Created|Updated|Claimed|Started|Reopened|Closed)(?: issue| ticket)?:? "
    rf"(?P<id>{TICKET_ID})"
    r"(?:(?: [—–-] |: )(?P<title>[^\n]{1,200}))?",
    re.M | re.I,
)
_REMOTE: dict[str, tuple[Literal["open", "done"], Literal["ticket", "pull request"]]] = {
    "issue create": ("open", "ticket"),
    "issue close": ("done", "ticket"),
    "pr create": ("open", "pull request"),
    "pr ready": ("open", "pull request"),
    "pr merge": ("done", "pull request"),
    "pr close": ("done", "pull request"),
    "mr create": ("open", "pull request"),
    "mr merge": ("done", "pull request"),
}
