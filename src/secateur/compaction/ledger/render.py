"""A ledger as Markdown lines under section ids, and the ledger that such lines say.

Rule: one entry, one bullet; what goes on over several lines is indented by four blanks, so that no text can open a
section or another bullet. Words before the colon are fixed and say what kind of entry it is; texts are verbatim. Keys
are shown as marks. Lines read back give the same lines again. Read only what was rendered here: in a model's own
prose nobody can tell the user's words from others'.
"""

from collections.abc import Callable, Iterator

from secateur.acts.words import clipped, one_line
from secateur.compaction.ledger.bounded import bounded
from secateur.compaction.ledger.entries import Command, Ledger, UserRequest
from secateur.compaction.ledger.marks import mark
from secateur.compaction.template import SECTIONS

_SHARES = (1.0, 0.6, 0.4, 0.25, 0.15, 0.08, 0.04, 0.02, 0.01, 0.004, 0.002, 0.001)
_READ_PER_LINE = 12
_LATEST_CHARS = 300


def rendered(ledger: Ledger) -> dict[str, tuple[str, ...]]:
    """The lines of each section that has some, by section id."""
    lines: dict[str, list[str]] = {id: [] for id in SECTIONS}
    for id, made in (
        ("goal", _goal(ledger)),
        ("instructions", _instructions(ledger)),
        ("constraints", _constraints(ledger)),
        ("discoveries", _discoveries(ledger)),
        ("accomplished", _accomplished(ledger)),
        ("files", _files(ledger)),
        ("questions", _questions(ledger)),
        ("next", _next(ledger)),
    ):
        lines[id] += made
    return {id: tuple(found) for id, found in lines.items() if found}


def fitting(ledger: Ledger, max_tokens: int, count: Callable[[str], int]) -> Ledger:
    """The ledger with as many entries as so many tokens hold when it is rendered; constraints go last.

    Where not even one entry of each kind has room, an empty one.
    """
    for share in _SHARES:
        made = bounded(ledger, share)
        if sum(count(line) + 1 for lines in rendered(made).values() for line in lines) <= max_tokens:
            return made
    return Ledger()


def bullet(text: str) -> str:
    """One entry as a bullet, further lines indented."""
    return "- " + "\n    ".join(line.rstrip() for line in text.splitlines())


def _goal(ledger: Ledger) -> Iterator[str]:
    """The first request and the last one."""
    for one in dict.fromkeys((*ledger.requests[:1], *ledger.requests[-1:])):
        yield _request(one)


def _instructions(ledger: Ledger) -> Iterator[str]:
    for one in ledger.requests[1:-1]:
        yield _request(one)


def _request(one: UserRequest) -> str:
    return bullet(f"[{mark(one.key)}, {one.state}] {one.text}")


def _constraints(ledger: Ledger) -> Iterator[str]:
    for one in ledger.constraints:
        yield bullet(f"[{mark(one.key)}, {one.scope}] {one.text}")


def _discoveries(ledger: Ledger) -> Iterator[str]:
    if ledger.branch:
        yield f"- branch: {ledger.branch}"
    for run in ledger.commands:
        if run.check:
            yield _command(run)
    for one in ledger.failures:
        during = f" — during: {one.during}" if one.during else ""
        yield f"- error, {'resolved' if one.resolved else 'open'}: {one.line}{during}"
    if ledger.identifiers:
        yield f"- names: {' · '.join(ledger.identifiers)}"
    if ledger.omitted:
        counts = ", ".join(f"{name} {min(count, 99)}" for name, count in ledger.omitted.items())
        yield f"- not listed, for room: {counts}"  # two digits: more would read as a number of the conversation


def _command(one: Command) -> str:
    status = "" if one.exit is None else f" ({one.exit})"
    told = f" — said: {one.told}" if one.told else ""
    return f"- {one.check or 'ran'}, {'ok' if one.ok else 'failed'}{status}: {one.text}{told}"


def _accomplished(ledger: Ledger) -> Iterator[str]:
    for task in ledger.tasks:
        if task.state != "open" and task.text:
            yield f"- task, {task.state}: {task.text}"
    for run in ledger.commands:
        if not run.check:
            yield _command(run)
    for commit in ledger.commits:
        yield f"- commit: {commit}"


def _files(ledger: Ledger) -> Iterator[str]:
    for one in ledger.files:
        if one.use != "read":
            yield f"- {one.use}: {one.path}" + (f" → {one.to}" if one.to else "")
    read = [one.path for one in ledger.files if one.use == "read"]
    for at in range(0, len(read), _READ_PER_LINE):
        yield f"- read: {' · '.join(read[at : at + _READ_PER_LINE])}"


def _questions(ledger: Ledger) -> Iterator[str]:
    for one in ledger.questions:
        yield f"- asked the user: {one.text}"


def _next(ledger: Ledger) -> Iterator[str]:
    """What is open; the latest open request at the top."""
    latest = next((one.text for one in reversed(ledger.requests) if one.state == "open"), "")
    if latest := clipped(one_line(latest), _LATEST_CHARS):
        yield f"- the user waits for: {latest}"
    for task in ledger.tasks:
        if task.state == "open" and task.text:
            yield f"- task, open: {task.text}"
    for one in ledger.pending:
        yield f"- no result yet: {one.tool}" + (f" — {one.target}" if one.target else "")
