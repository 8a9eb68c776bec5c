"""Commands and how they ended: the last status of tests, builds and linters above all.

Rule: one entry per command line, with its latest outcome. A check ended as its tool says, whatever
the shell made of its status. Commands that only look (cat, grep, git status) are left out.
"""

import re
from collections.abc import Iterable

from secateur.acts.runs import Ran
from secateur.acts.verdicts import CheckVerdict, read_verdict
from secateur.compaction.ledger.coverage import name_command
from secateur.compaction.ledger.entries import Command
from secateur.redact import redact

REFUSED = re.compile(
    r"(?i)the user doesn['’]t want to (?:proceed|take this action)|(?:rejected|denied|declined"
    r"|aborted) by (?:the )?user"
    r"|user rejected|^\s*command aborted\s*$|^\s*\[?request interrupted"
)


def list_commands(ran: Iterable[Ran]) -> tuple[Command, ...]:
    """Return each command line once, the most recently run last."""
    found: dict[str, Command] = {}
    for run in ran:
        if not run.text or run.looks or is_refused(run):
            continue
        name = name_command(run.text)
        found.pop(name, None)
        verdict = judge_run(run)
        found[name] = Command(run.text, verdict.ok, run.action.exit, run.check, redact(verdict.line), run.action.key)
    return tuple(found.values())


def is_refused(run: Ran) -> bool:
    """Whether the user refused the call, so that nothing ran."""
    return not run.action.ok and run.action.exit is None and REFUSED.search(run.action.said[:_HEAD]) is not None


_HEAD = 400  # characters of a result in which a host says that the call was refused


def judge_run(run: Ran) -> CheckVerdict:
    """Return how a run ended: a check as its tool says, any other command as its host does."""
    result = run.action.result
    if run.check is None or result is None:
        return CheckVerdict(run.action.ok)
    rest = run.text.strip().removeprefix(name_command(run.text))
    is_hidden = any(mark in rest for mark in "|;") and "pipefail" not in run.text
    return read_verdict(result.text, run.action.exit, result.is_error, is_hidden)
