"""Commands and how they ended: the last status of tests, builds and linters above all.

Rule: one entry per command line, with its latest outcome. Commands that only look (cat, grep, git status) are left
out: they leave nothing that later work could need.
"""

import re
from collections.abc import Iterable

from secateur.acts.runs import Ran
from secateur.acts.words import clip_text, collapse_whitespace
from secateur.compaction.ledger.entries import Command
from secateur.redact import redact

TOLD_CHARS = 200  # of an output's line


def list_commands(ran: Iterable[Ran]) -> tuple[Command, ...]:
    """Return each command line once, the most recently run last."""
    found: dict[str, Command] = {}
    for run in ran:
        if not run.text or run.looks:
            continue
        name = _SHOWN_AS.split(run.text, maxsplit=1)[0]
        found.pop(name, None)
        told = _find_outcome_line(run.action.said) if run.check else ""
        found[name] = Command(run.text, run.ok, run.action.exit, run.check, told, run.action.key)
    return tuple(found.values())


_SHOWN_AS = re.compile(r"\s*(?:2>&1|\|(?!\|)|>\s*/dev/null)")  # what of the output was to be shown is not what was run
_SEARCHED = 8_000  # characters at the end of an output
_TELLS = re.compile(
    r"\b\d+ (?:passed|failed|failing|passing|errors?|skipped|tests?|problems?|warnings?)\b|error TS"
    r"|^(?:ok|FAIL|PASS|OK|FAILED|BUILD)\b|^test result:|^Tests?:|^Found \d+|^All checks passed|^make: \*\*\*",
    re.M,
)


def _find_outcome_line(output: str) -> str:
    """Return the last line that reports the outcome."""
    said = [line for line in output[-_SEARCHED:].split("\n")[-80:] if _TELLS.search(line)]
    return clip_text(collapse_whitespace(redact(said[-1])), TOLD_CHARS) if said else ""
