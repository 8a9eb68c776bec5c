"""Whether a check started at all, and what a runner of tasks says that it starts.

Rule: a check whose tool was not found, was given words that it does not know, or found nothing to check, is none.
"""

import re

from msgspec import Struct

from secateur.compaction.ledger.runs.verdicts import is_total
from secateur.memoizing import memoize_texts
from secateur.redact import redact
from secateur.text.lossless.lines import strip_escapes
from secateur.toolcalls.actions import clip_command, collapse_whitespace
from secateur.toolcalls.commands import MAX_CHARS, ExecutedCommand, is_check
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix


def has_started(run: ExecutedCommand) -> bool:
    """Whether a command ran at all: of a check, whether its tool was found and checked anything."""
    if run.check is None:
        return True
    start = _read_start(run.action.said[-_SEARCHED:])
    if start.has_total:
        return True
    tools = {words[0] for words in run.does if is_check(" ".join(words))}
    return not start.is_empty and not any(name in tools or is_check(name) for name in start.missing)


def has_checked_nothing(line: str) -> bool:
    """Whether a line of a check's output says that there was nothing to check."""
    return _NOTHING_CHECKED.search(line) is not None


class _Start(Struct, frozen=True):
    """What an output says of whether its check started."""

    has_total: bool = False
    missing: frozenset[str] = frozenset()  # programs that the shell did not find
    is_empty: bool = False  # nothing was checked


@memoize_texts(16_384)
def _read_start(output: str) -> _Start:
    lines = dict.fromkeys([line.strip() for line in strip_escapes(output).split("\n")])
    is_lost = any(map(_NO_PACKAGE.search, lines))
    if any(is_total(one) and not _NOTHING_CHECKED.search(one) and not (is_lost and _SETUP in one) for one in lines):
        return _Start(has_total=True)
    missing = [found[1] or found[2] for line in lines if (found := _MISSING.match(line))]
    is_empty = is_lost or any(_NOT_STARTED.match(line) or _NOTHING_CHECKED.search(line) for line in lines)
    return _Start(missing=frozenset(name.rpartition("/")[2] for name in missing), is_empty=is_empty)


def list_started(output: str) -> tuple[str, ...]:
    """Return the checks that a runner of tasks says that it starts: `$ eslint .`, `> vitest run`.

    What npm names below the name of its task is started in any case.
    """
    found: dict[str, None] = {}
    for hit in _STARTS.finditer(strip_escapes(output[:_SEARCHED])) if "$ " in output or "> " in output else ():
        line = collapse_whitespace(redact(hit["line"]))
        programs = (strip_program_prefix(simple.words) for simple in parse_command_line(line).commands)
        if hit["task"] or any(is_check(" ".join(words[:12])) for words in programs if words):
            found[clip_command(line, MAX_CHARS)] = None
    return tuple(found)[:_MOST_STARTED]


_MISSING = re.compile(  # a shell about a program that it cannot find
    r"^(?:\S*sh: )?(?:line \d+: |\d+: )?(\S+): (?:command not found|not found|No such file or directory)$"
    r"|^zsh:(?:\d+:)? (?:command not found|no such file or directory): (\S+)$"
)
_NOT_STARTED = re.compile(
    r"^ImportError while loading conftest\b|^\S*python[\d.]*(?:\.exe)?: (?:No module named \S|can't open file )"
    r"|^(?:\S{1,80}: )?(?i:error): (?:unknown (?:option|flag|command|argument)|unrecognized arguments?"
    r"|unexpected argument|no such option|script not found)\b|^unknown (?:shorthand )?flag: "
    r"|^flag provided but not defined: "
    r"|^npm (?:ERR!|error) Missing script: |^g?make: \*\*\* No rule to make target [^\n,]{1,200}\.  Stop"
    r"|^mise ERROR no task "
    r"|^ERROR: (?:file or directory not found: |usage: )|^\w{1,40}Error: \S{1,200}: config option '"  # pytest
)
_NO_PACKAGE = re.compile(  # go, in a folder that has none
    r"^(?:package \S{1,200}: )?no Go files in |\bgo\.mod file not found in |\bdoes not contain main module\b"
    r"|^(?:stat \S{1,300}: )?directory not found$|\bmatched no packages$|\bno go files to analyze\b"
)
_SETUP = "[setup failed]"
_NOTHING_CHECKED = re.compile(
    r"\[no tests to run\]|\[no test files\]|^testing: warning: no tests to run"  # go test
    r"|^collected 0 items$|^=* ?no tests ran\b|^=* ?\d+ deselected(?:, \d+ warnings?)? in "  # pytest
    r"|^Ran 0 tests\b|^NO TESTS RAN\b"  # unittest
    r"|\bNo test(?:s| files| suites?)? found\b"  # jest, vitest, mocha, playwright
    r"|^test result: ok\. 0 passed; 0 failed"  # cargo test
)
_SEARCHED = 12_000  # characters at either end of an output
_MOST_STARTED = 4
_STARTS = re.compile(
    r"^(?P<task>> \S{1,80}@\d\S{0,40} \S{1,80}\n(?=> ))?"
    r"(?:\[[\w:.@/-]{1,60}\] |\S{1,80}:\S{1,40}: )?(?:\$|>|\S{1,40}: commands\[\d{1,3}\]>) (?!\S+@\d\S* \S+$)"
    r"(?P<line>\S[^\n]{1,300})$",
    re.M,
)
