"""What code can say for certain about a span of history: one Struct per kind of entry, and the Ledger that has them.

Rule: texts are verbatim (clipped at most), oldest first. `key` names the source message or part: the whole key in a
ledger made from messages, its mark in one read back from text. A mark is short and has only letters, so that no check
of a summary takes it for a hash, an id or a number of the conversation. Nothing here reads or decides.
"""

import re
from typing import Literal

from msgspec import Struct

from secateur.toolcalls.commands import Check
from secateur.toolcalls.effects import Use

Scope = Literal["standing", "request", "project"]
State = Literal["open", "done", "superseded"]
RequestState = Literal["open", "done", "superseded", "deferred"]
StandingKind = Literal[
    "ended", "edits", "unchecked", "refuted", "outdated", "failed", "begun", "running", "planned", "diagnosis",
    "settled", "later", "untouched", "declined", "announced",
]  # fmt: skip

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
_LENGTH = 6  # 16 million: two of the few hundred messages that a ledger names hardly share one

AS_OF_THEN = "(as of an earlier summary)"  # ends an open item that only a host's summary told


class FileEntry(Struct, frozen=True, omit_defaults=True):
    """A file that was worked with, as the calls name it."""

    path: str
    use: Use  # the strongest so far: a changed file stays changed when it is read again
    key: str = ""  # the part that shows its latest version: the call that wrote it, or the result that read it
    to: str = ""  # where it was moved
    scratch: bool = False  # made to try something, and no part of the work
    about: str = ""  # what it now has, quoted or derived from what was written
    named: bool = False  # a file that was read: someone spoke of it afterwards, or an edit used it
    current: bool = False  # one that was read for the newest request
    looks: int = 0  # how many calls read it, searched it, or tried to change it

    @property
    def is_changed(self) -> bool:
        """Whether the file is not as it was: calls did more than read it, and the change was not given up."""
        return self.use not in ("read", "discarded")


class Command(Struct, frozen=True, omit_defaults=True):
    """A command, and how it ended the last time it was run."""

    text: str
    ok: bool | None = True  # None: nothing says how it ended
    exit: int | None = None  # None: the result does not say
    check: Check | None = None  # what it checks, if it does
    told: str = ""  # the output's own line on how it ended
    key: str = ""
    scratch: bool = False  # it ran a scratch file
    edited_since: bool = False  # a check: a file of the project was changed after it, code if it did not fail
    started: tuple[str, ...] = ()  # the checks that it started, as its output says
    stopped: bool = False  # it was stopped before it ended, as its host says: `ok` is None


class Failure(Struct, frozen=True, omit_defaults=True):
    """An error line of a result."""

    line: str
    during: str = ""  # the command, or the tool and its target
    resolved: bool = False
    key: str = ""
    check: bool = False  # of a test, a build or a linter: open until it passes
    edit: bool = False  # of a call that edits or reads a file
    scratch: bool = False  # of a command that ran a scratch file
    edited_since: bool = False  # a file of the project was changed after it


class Constraint(Struct, frozen=True, omit_defaults=True):
    """A sentence by which the user forbids or demands something."""

    text: str
    scope: Scope = "request"  # standing: until the user says otherwise; project: a rule of its instruction files
    key: str = ""
    replaced_by: str = ""  # the later sentence of the user that takes it back
    source: str = ""  # of a rule of the project: the file or the command that prints it
    answers: str = ""  # the agent's question, where the sentence only answers one


class Progress(Struct, frozen=True, omit_defaults=True):
    """What followed a message of the user, up to the next one."""

    steps: tuple[str, ...] = ()  # what calls changed, ran and committed, in order
    reply: str = ""  # what the agent said at the end of it


class UserRequest(Struct, frozen=True, omit_defaults=True):
    """A user message."""

    text: str
    state: RequestState = "open"
    key: str = ""
    answers: str = ""  # the agent's question or offer, where the message only answers one
    progress: Progress | None = None
    passed_over: bool = False  # the user wrote on before the agent said or did anything
    summarized: bool = False  # such a one, and a host's summary stands behind it, which tells what became of it
    goal: bool = False  # of a ledger that is cut to what is relevant: it was a goal before that


class PlanItem(Struct, frozen=True, omit_defaults=True):
    """An item of the agent's own plan."""

    text: str  # "": the item was named in an earlier span, and is known here by its id only
    state: State = "open"
    key: str = ""
    id: str = ""  # where the tool gives items ids
    begun: bool = False  # the agent said that it is at work on it


class Question(Struct, frozen=True, omit_defaults=True):
    """What the agent asked the user and had no answer to."""

    text: str
    key: str = ""


class Pending(Struct, frozen=True, omit_defaults=True):
    """A call that has no result yet."""

    tool: str
    target: str = ""
    key: str = ""
    call: str = ""  # the id that its result will bear


class ValueChange(Struct, frozen=True, omit_defaults=True):
    """A constant that was given another value."""

    path: str
    name: str
    old: str  # "": the session itself added it
    new: str
    key: str = ""


class Attempt(Struct, frozen=True, omit_defaults=True):
    """A change that was taken back, with what was tried and why it failed."""

    text: str
    key: str = ""


class Ticket(Struct, frozen=True, omit_defaults=True):
    """A ticket or a pull request that calls of the session opened, took or closed."""

    id: str  # its id, or its address
    title: str = ""
    state: Literal["open", "done"] = "open"
    kind: Literal["ticket", "pull request"] = "ticket"
    key: str = ""
    draft: bool = False  # of a pull request


class Undelivered(Struct, frozen=True, omit_defaults=True):
    """Something that the user asked for by name and that no call did, such as a commit or a push."""

    kind: str
    text: str  # the user's sentence
    key: str = ""


class Quote(Struct, frozen=True, omit_defaults=True):
    """The agent's last words."""

    text: str
    key: str = ""
    is_answered: bool = False  # the user has spoken since


class Standing(Struct, frozen=True, omit_defaults=True):
    """How the work stands, in words derived from calls."""

    kind: StandingKind
    text: str


class TaskDocument(Struct, frozen=True, omit_defaults=True):
    """A document that a request names, and what it says is to be done."""

    name: str
    text: str
    key: str = ""


class Ledger(Struct, frozen=True, omit_defaults=True):
    """All that is certain about a span of history."""

    requests: tuple[UserRequest, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    files: tuple[FileEntry, ...] = ()
    commands: tuple[Command, ...] = ()
    failures: tuple[Failure, ...] = ()
    tasks: tuple[PlanItem, ...] = ()
    questions: tuple[Question, ...] = ()
    pending: tuple[Pending, ...] = ()
    commits: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()  # files changed since the last commit, or in a span that has none
    status: tuple[str, ...] = ()  # what the last `git status` showed
    strays: tuple[str, ...] = ()  # of these, files that no call changed
    dirty: tuple[str, ...] = ()  # what one showed before the session changed anything
    identifiers: tuple[str, ...] = ()
    branch: str = ""
    root: str = ""  # of the repository that the work is in
    folder: str = ""  # where commands were run of late, where no root is known
    elsewhere: tuple[str, ...] = ()  # other repositories in which the session committed, with their branches
    unpushed: tuple[str, ...] = ()  # commits and tags that no call pushed
    tickets: tuple[Ticket, ...] = ()
    shown_tickets: tuple[Ticket, ...] = ()  # states that were seen in this span, not shown
    ci: str = ""  # the checks of a pull request as they were last seen: the command, then its rows by outcome
    attempts: tuple[Attempt, ...] = ()
    values: tuple[ValueChange, ...] = ()
    document: TaskDocument | None = None  # that holds the task
    last_words: Quote | None = None
    thought: Quote | None = None  # the agent's reasoning in its newest message, where it said nothing in that one
    lead: Quote | None = None  # the agent's first words since it last changed a file in this turn, if others follow
    basis: Quote | None = None  # the agent's long text that the newest request takes up
    last_calls: tuple[Command, ...] = ()  # that ended after the agent's last words and the user's: the first, the last
    report: Quote | None = None  # the agent's words at the end of the newest turn that changed a file, if others follow
    reported: tuple[Quote, ...] = ()  # items of the newest report of work
    undelivered: tuple[Undelivered, ...] = ()
    standing: tuple[Standing, ...] = ()  # at the end of the span
    delivered: tuple[str, ...] = ()  # kinds of deliveries that calls of this span made, not shown
    progress: Progress | None = None  # of this span before its first request
    before: RequestState = "open"  # what became, in this span, of requests that stood open before it
    replanned: bool = False  # a whole plan was told in this span: open items of earlier plans are superseded
    arrived: tuple[str, ...] = ()  # ids of calls made before this span whose results came in it
    omitted: dict[str, int] = {}  # at least how many entries of a kind had no room, by the field's name


def mark(key: str) -> str:
    """The mark of a key; of a mark, itself."""
    return key[:_LENGTH].translate(_LETTERS) if re.fullmatch(r"[0-9a-f]{16,}", key) else key
