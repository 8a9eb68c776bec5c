"""How the checks of a session ended, told by other means than the ledger's, and how many of them the ledger has right.

Rule: a check is a command line that names a test runner, a compiler or a linter; lines are matched by their words. How
it ended is read from the result alone: the exit status where nothing is between the check and the shell, else the
counts in its output. Where neither says so it is not judged. Each check counts once, as it ended last.
"""

import json
import re
from collections.abc import Iterable, Iterator

from secateur.compaction.ledger import Ledger
from secateur.compaction.ledger.bounded import MOST_COMMANDS
from secateur.model import Message, Part

_SHELLS = ("bash", "shell", "exec_command", "execute_bash", "terminal", "run_shell_command")
_CHECKS = re.compile(
    r"(?:^|[\s;&|(/])(?:pytest|tox|jest|vitest|mocha|ctest|tsc|eslint|ruff check|mypy|pyright|flake8"
    r"|go (?:test|vet|build)|cargo (?:test|check|clippy|build)|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|lint|typecheck))"
    r"(?=\s|$)"
)
_LOOKS = re.compile(r"^\s*(?:which|cat|grep|rg|ls|man|head|find|sed|echo|pip|git)\b")
_STATUS = re.compile(r"(?i)(?:exited with code|exit[_ ]code\"?:?|<returncode>)\s*(-?\d+)")
_COUNTS_FAILED = re.compile(
    r"(?m)\b[1-9]\d* (?:failed|failing|failures?)\b|^FAIL(?:ED)?\b|^--- FAIL|test result: FAILED|error TS\d+"
    r"|Found [1-9]\d* errors?|\b[1-9]\d* errors?\b|✖ [1-9]\d* problems?|could not compile"
)
_COUNTS_PASSED = re.compile(
    r"(?m)\b\d+ (?:passed|passing)\b|^ok\s+\S+\s+[\d(]|test result: ok|All checks passed|Success: no issues|^PASS\b"
)
_MOST_CHARS = 230  # of a line that is compared


def list_outcomes(messages: Iterable[Message]) -> dict[str, bool]:
    """How each check ended the last time, by its words; those of which nothing tells are left out."""
    found: dict[str, bool] = {}
    for call, result in _list_runs(messages):
        line = _read_line(call)
        if not _CHECKS.search(line) or _LOOKS.match(line) or "\n" in line.strip() or "<<" in line:
            continue
        passed, name = _has_passed(line, result), name_check(line)
        found.pop(name, None)
        found |= {name: passed} if passed is not None and name else {}
    return dict(list(found.items())[-MOST_COMMANDS:])


def count_right(ledger: Ledger, true: dict[str, bool]) -> tuple[int, int, int]:
    """How many checks of the ledger ended as they should, of how many that are known, and how many there are."""
    mine = {name_check(one.text): one.ok for one in ledger.commands}
    known = {name: ok for name, ok in mine.items() if name in true and ok is not None}
    return sum(true[name] == ok for name, ok in known.items()), len(known), len(true)


def name_check(line: str) -> str:
    """A command line without spaces and without what only shows less of its output."""
    line = re.split(r"2>&1|\|(?!\|)|>\s*/dev/null", " ".join(line.split()), maxsplit=1)[0]
    return line.strip()[:_MOST_CHARS]


def _list_runs(messages: Iterable[Message]) -> Iterator[tuple[Part, Part]]:
    calls: dict[str, Part] = {}
    for message in messages:
        for part in message.parts:
            if part.kind == "tool_call" and part.tool.lower() in _SHELLS:
                calls[part.call_id] = part
            elif part.kind == "tool_result" and part.call_id in calls:
                yield calls.pop(part.call_id), part


def _read_line(call: Part) -> str:
    try:
        given = json.loads(call.text)
    except ValueError:
        return ""
    line = (given.get("command") or given.get("cmd") or "") if isinstance(given, dict) else ""
    return str(line[-1]) if isinstance(line, list) and line else str(line)


def _has_passed(line: str, result: Part) -> bool | None:
    """By the exit status of the check itself, else by the counts that it printed; None where nothing says so."""
    edges = result.text[:400] + result.text[-400:]
    said = _STATUS.search(edges)
    is_plain = not re.search(r"\|(?!\|)|;|\|\|", line)
    failed, passed = (bool(one.search(result.text[-4_000:])) for one in (_COUNTS_FAILED, _COUNTS_PASSED))
    if said and is_plain:
        return int(said[1]) == 0
    if failed != passed:
        return passed
    return False if failed and result.is_error else None
