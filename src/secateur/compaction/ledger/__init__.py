"""The ledger: what code can say for certain about a history, so that no model has to remember it.

Rule: deterministic, and by origin: only what a user said can become a constraint or a request, whatever tools return.
It is read from messages, merged span by span, kept as JSON, shown as Markdown lines under stable section ids, and read
back from either. Prose is not written here.
"""

from collections.abc import Iterable

from secateur.compaction.ledger.calls import actions
from secateur.compaction.ledger.entries import (
    Command,
    Constraint,
    Failure,
    File,
    Ledger,
    Pending,
    Question,
    Request,
    Task,
)
from secateur.compaction.ledger.files import files
from secateur.model import Message

__all__ = [
    "Command",
    "Constraint",
    "Failure",
    "File",
    "Ledger",
    "Pending",
    "Question",
    "Request",
    "Task",
    "ledger_of",
]


def ledger_of(messages: Iterable[Message]) -> Ledger:
    """The ledger of these messages: a transcript's, or any range of them that splits no round."""
    said = tuple(messages)
    done = actions(said)
    return Ledger(files=files(done))
