"""The checks of a pull request, as a call last saw them.

Rule: by the words of `gh`; what was pushed since may have other outcomes, and is told beside them.
"""

import re
from collections.abc import Iterable

from secateur.redact import redact
from secateur.toolcalls.actions import collapse_whitespace
from secateur.toolcalls.commands import ExecutedCommand

MOST_CHECKS = 4  # of one outcome that are named
PUSHED_SINCE = " (pushed since)"


def find_ci(ran: Iterable[ExecutedCommand]) -> str:
    """Return how the checks of a pull request were when a call last looked at them; "" where none did."""
    found = ""
    for run in ran:
        for words in run.does:
            if words[:3] == ("gh", "pr", "checks"):
                told = _describe_checks(run.action.said[:_SEARCHED_TEXT])
                found = f"{redact(' '.join(words[:4]))} → {told}" if told else found
            elif run.ok and words[0] == "git" and "push" in words[:4]:
                found = mark_pushed(found)
    return found


def is_ci_passing(run: ExecutedCommand) -> bool:
    """Whether a call looked at the checks of a pull request, and none of them failed or was still running."""
    said = run.action.said[:_SEARCHED_TEXT]
    if any(words[:3] == ("gh", "pr", "checks") for words in run.does):
        outcomes = {outcome for _, outcome in _CHECKED.findall(said)}
    elif "statusCheckRollup" in run.line:
        outcomes = {"pass" if hit[1] in _FINE else "fail" for hit in _CONCLUDED.finditer(said)}
    else:
        outcomes = set()
    return outcomes == {"pass"}


def _describe_checks(said: str) -> str:
    """Return the checks by outcome: the names of those that did not pass, the number of the others."""
    rows: dict[str, list[str]] = {}
    for name, outcome in _CHECKED.findall(said):
        rows.setdefault(outcome, []).append(collapse_whitespace(redact(name)))
    told = [f"{one} {', '.join(rows[one][:MOST_CHECKS])}" for one in _OUTCOMES if one in rows]
    return "; ".join([*told, *([f"{len(rows['pass'])} pass"] if "pass" in rows else [])])


def mark_pushed(ci: str) -> str:
    """Return what was seen of checks, with the mark that something was pushed since."""
    return f"{ci}{PUSHED_SINCE}" if ci and not ci.endswith(PUSHED_SINCE) else ci


def is_ci_failing(ci: str) -> bool:
    """Whether checks failed when a call last looked at them."""
    return f"→ {_OUTCOMES[0]} " in ci


_SEARCHED_TEXT = 20_000  # characters of an output
_CHECKED = re.compile(r"^([^\t\n]{1,120})\t(fail|pending|pass|cancel)\t", re.M)
_OUTCOMES = ("fail", "cancel", "pending")  # that are named
_CONCLUDED = re.compile(r'"conclusion": ?"([A-Z_]{1,20})"')
_FINE = ("SUCCESS", "NEUTRAL", "SKIPPED")
