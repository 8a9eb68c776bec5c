"""Commands that were to show how a program behaves, so that their failure is a finding and no failure of the work.

Rule: an experiment in a temporary folder that the command itself makes, a command that is to fail by its own words, and
one that is given an option that no program has. How it ended is told as what it said; it is no check.
"""

import re

from secateur.toolcalls.commands import ExecutedCommand


def is_probe(run: ExecutedCommand) -> bool:
    """Whether a command only tries how something behaves."""
    return _PROBE.search(run.line[:_SEARCHED]) is not None


_SEARCHED = 4_000  # characters of a command line
_PROBE = re.compile(
    r"\bmktemp -d\b|(?:^|[;&(\n]\s*)! \w"
    r"|\s--?(?:bogus|nope|no-?such|non-?existent|invalid|unknown|bad)(?:-(?:flag|option|arg\w*))?(?=\s|$|=)"
)
