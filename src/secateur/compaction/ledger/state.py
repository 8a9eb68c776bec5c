"""Where the repository stands: its branch and the commits that were made.

Rule: what git itself printed counts, not what it was asked. Nothing else of its output is taken.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.acts.runs import Ran
from secateur.acts.words import clip_text
from secateur.redact import redact

COMMIT_CHARS = 160


def branch(ran: Iterable[Ran]) -> str:
    """The current branch; "" while git has not named it."""
    found = ""
    for run in ran:
        if run.action.ok and "git" in run.text:
            named = _NAMED.findall(run.action.said[:_SEARCHED])
            if named:
                found = next(filter(None, reversed(named[-1])))
            elif _ASKED.search(run.text) and _ALONE.fullmatch(said := run.action.said.strip()):
                found = said
    return redact(found)


def find_commits(ran: Iterable[Ran]) -> Iterator[str]:
    """Yield the line that git printed for each commit: branch, hash, subject."""
    for run in ran:
        if "git" in run.text and "commit" in run.text:
            for line in _COMMIT.findall(run.action.said[:_SEARCHED]):
                yield clip_text(redact(line), COMMIT_CHARS)


_SEARCHED = 20_000  # characters of an output
_NAMED = re.compile(
    r"^(?:Switched to (?:a new )?branch '([^'\s]{1,200})'|On branch (\S{1,200})$"
    r"|\* ([\w./-]{1,200})(?: +[0-9a-f]{7,}.*)?$"
    r"|\[([\w./-]{1,200})(?: \(root-commit\))? [0-9a-f]{7,40}\] )",
    re.M,
)
_ASKED = re.compile(r"git (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$")
_ALONE = re.compile(r"[\w./-]{1,200}")
_COMMIT = re.compile(r"^\[[\w./ -]{1,200}(?:\(root-commit\) )?[0-9a-f]{7,40}\] [^\n]{1,400}", re.M)
