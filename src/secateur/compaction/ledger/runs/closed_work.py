"""Checks that failed for a request that was answered, on a branch that is not the one of the work any more.

Rule: such a check says nothing of the present work, so that it is not open; what followed its request still tells it.
It stays where a branch was created or merged since, because the work may have gone with it.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from secateur.compaction.ledger.entries import UserRequest
from secateur.compaction.ledger.repository.branches import iterate_branches
from secateur.compaction.ledger.user.requests import is_substantial
from secateur.model import Message
from secateur.toolcalls.commands import ExecutedCommand


def list_closed_keys(
    messages: Sequence[Message], ran: Sequence[ExecutedCommand], requests: Sequence[UserRequest]
) -> Iterator[str]:
    """Yield the keys of the calls whose failed checks belong to such a request."""
    branches = list(iterate_branches(ran))
    now = branches[-1] if branches else ""
    newest = next((one.key for one in reversed(requests) if is_substantial(one.text)), "")
    answered = _list_before(messages, newest) if now and any(one.state == "done" for one in requests[:-1]) else set()
    carried = max((at for at, run in enumerate(ran) if _CARRIES.search(run.line)), default=-1) if answered else -1
    for at, run in enumerate(ran) if answered else ():
        is_elsewhere = at > carried and branches[at] not in ("", now)
        if is_elsewhere and run.check and not run.action.ok and run.action.key in answered:
            yield run.action.key


def _list_before(messages: Sequence[Message], key: str) -> Collection[str]:
    """Return the keys of all parts before the message with this key; none without it."""
    at = next((number for number, one in enumerate(messages) if one.key == key), 0)
    return {part.key for one in messages[:at] for part in one.parts}


_CARRIES = re.compile(
    r"\bgit (?:-C \S+ )?(?:checkout (?:-\S+ )*-[bB]\b|switch (?:-\S+ )*(?:-[cC]\b|--create)|branch [^-\s]|branch -[mM]"
    r"|merge(?![\w-])|rebase\b|cherry-pick\b|worktree add|stash pop|stash apply|pull\b)|\bgh pr merge\b"
)
