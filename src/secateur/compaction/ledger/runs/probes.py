"""Commands that were to show how a program behaves, so that their failure is a finding and no failure of the work.

Rule: an experiment in a temporary folder that the command itself makes, a command that is to fail by its own words, one
that is given an option that no program has, and one that puts the changes away first, to see how things were without
them. How it ended is told as what it said; it is no check.
"""

import re

from secateur.toolcalls.commands import ExecutedCommand


def is_probe(run: ExecutedCommand) -> bool:
    """Whether a command only tries how something behaves."""
    return _PROBE.search(run.line[:_SEARCHED]) is not None


_SEARCHED = 4_000  # characters of a command line
_PROBE = re.compile(
    r"\bmktemp -d\b|(?:^|[;&(\n]\s*)! \w|\bgit stash\b(?! (?:pop|apply|drop|list|show))[^;|&\n]{0,80}(?:&&|;|\n)"
    r"|\s--?(?:bogus|nope|no-?such|non-?existent|invalid|unknown|bad)(?:-(?:flag|option|arg\w*))?(?=\s|$|=)"
)
