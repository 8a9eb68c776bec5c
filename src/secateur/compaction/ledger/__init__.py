"""The ledger: what code can say for certain about a history, so that no model has to remember it.

Rule: deterministic, and by origin: only what a user said can become a constraint or a request, whatever tools return.
It is read from messages, merged span by span, kept as JSON, shown as Markdown lines under stable section ids, and read
back from either. Prose is not written here.
"""

from collections.abc import Iterable

from secateur.acts.calls import Action, actions, arrived
from secateur.acts.files import lines
from secateur.acts.runs import MAX_CHARS, runs
from secateur.acts.words import clipped, one_line
from secateur.compaction.ledger.bounded import bounded, encodable
from secateur.compaction.ledger.checks import commands
from secateur.compaction.ledger.constraints import constraints
from secateur.compaction.ledger.entries import (
    Command,
    Constraint,
    Failure,
    FileEntry,
    Ledger,
    Pending,
    PlanItem,
    Question,
    UserRequest,
)
from secateur.compaction.ledger.failures import failures
from secateur.compaction.ledger.files import files, target
from secateur.compaction.ledger.merge import merge
from secateur.compaction.ledger.names import names
from secateur.compaction.ledger.plans import plans
from secateur.compaction.ledger.read_back import read_back
from secateur.compaction.ledger.render import bullet, fitting, rendered
from secateur.compaction.ledger.requests import asked, requests
from secateur.compaction.ledger.state import branch, commits
from secateur.model import Message
from secateur.redact import redact

__all__ = [
    "Command",
    "Constraint",
    "Failure",
    "FileEntry",
    "Ledger",
    "Pending",
    "Question",
    "UserRequest",
    "PlanItem",
    "bullet",
    "fitting",
    "ledger_of",
    "merge",
    "read_back",
    "rendered",
]


def ledger_of(messages: Iterable[Message]) -> Ledger:
    """The ledger of these messages: a transcript's, or any range of them that splits no round. Never raises."""
    said = tuple(messages)
    done = actions(said)
    ran = tuple(runs(done))
    told = requests(said)
    tasks, replanned = plans(done)
    waiting = [action for action in done if not action.result]
    put = [Question(text, action.call.key) for action in waiting if (text := asked(action))]
    return bounded(
        encodable(
            Ledger(
                requests=told.requests,
                constraints=constraints(said),
                files=files(done),
                commands=commands(ran),
                failures=failures(done, ran),
                tasks=tasks,
                questions=(*told.questions, *put),
                pending=tuple(_pending(action) for action in waiting),
                commits=tuple(dict.fromkeys(commits(ran))),
                identifiers=names(said),
                branch=branch(ran),
                before=told.before,
                replanned=replanned,
                arrived=arrived(said, done),
            )
        )
    )


def _pending(action: Action) -> Pending:
    about = lines(action) or [target(action).removeprefix(one_line(action.call.tool)).strip()]
    return Pending(
        one_line(action.call.tool), clipped(one_line(redact(about[0])), MAX_CHARS), action.call.key, action.call.call_id
    )
