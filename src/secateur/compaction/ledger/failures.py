"""Errors, and whether they were resolved.

Rule: an error is the line of a failed result that says what went wrong, verbatim. It is resolved when the same thing
succeeds later: the same command, the same check without that line, the same tool on the same file. An error that only
went out of sight is open.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from secateur.acts.calls import Action
from secateur.acts.runs import Ran
from secateur.acts.words import clip_text, collapse_whitespace
from secateur.compaction.ledger.entries import Failure
from secateur.compaction.ledger.files import describe_target
from secateur.redact import redact

MAX_CHARS = 240  # of an error line
_LINES = 4  # of one failed check: each names a failing test
_SEARCHED = 20_000  # characters at either end of a result


def list_failures(done: Iterable[Action], ran: Iterable[Ran]) -> tuple[Failure, ...]:
    """Return every error in order, each once, with what became of it."""
    runs: dict[str, list[Ran]] = {}
    for run in ran:
        runs.setdefault(run.action.call.key, []).append(run)
    found: dict[tuple[str, str], Failure] = {}
    for action in done:
        if not action.result:
            continue
        for try_ in [_run(run) for run in runs.get(action.call.key, ())] or [_call(action)]:
            _resolve(found, try_, action.said)
            for line in [] if try_.ok else find_error_lines(action.said, _LINES if try_.check else 1):
                found.pop((try_.stem, line), None)
                found[try_.stem, line] = Failure(line, try_.during, False, action.key)
    return tuple(found.values())


class _Try(Struct, frozen=True):
    """One attempt at something."""

    during: str
    stem: str
    ok: bool
    check: bool = False


def _run(run: Ran) -> _Try:
    """A search that finds nothing ends with status 1, and is no error."""
    nothing = run.looks and not (run.action.result and run.action.result.is_error)
    return _Try(run.text, run.stem, run.ok or nothing, bool(run.check))


def _call(action: Action) -> _Try:
    return _Try(describe_target(action), describe_target(action), action.ok)


def find_error_lines(output: str, most: int) -> list[str]:
    """Return the lines that say what went wrong: failing tests, else exceptions, else other error words."""
    text = output if len(output) <= 2 * _SEARCHED else f"{output[:_SEARCHED]}\n{output[-_SEARCHED:]}"
    lines = [line for line in text.split("\n") if 3 <= len(line.strip()) <= 2_000 and not _FRAME.match(line.strip())]
    for shape in (_FAILING, _EXCEPTION, _ERROR):
        if hits := list(dict.fromkeys(line for line in lines if shape.search(line))):
            return list(_clean_lines(hits[-most:] if shape is _EXCEPTION else hits[:most]))
    return list(_clean_lines(lines[:1]))


_FAILING = re.compile(r"^\s*(?:--- FAIL: |FAILED [\w./]|✗ |✘ |× |not ok \d|FAIL:? [\w./])")
_EXCEPTION = re.compile(
    r"^\s*(?:[\w.]+(?:Error|Exception)|fatal|panic|error(?:\[E\d+\])?)\b: ?\S|error TS\d+|npm ERR! (?:code|error)"
)
_ERROR = re.compile(
    r"(?i)\b(?:errors?|fatal|failed|failure|panic|exception|not found|no such file|denied|cannot|can't|could not"
    r"|undefined|invalid|refused|timed? ?out|rejected|unknown|unexpected|must be)\b"
)
_FRAME = re.compile(  # words of the host around an output
    r"(?i)exit code:? -?\d+$|<|Chunk ID:|Wall time:|Process exited|Original token count|Output:$|Command(?: exited|:)"
    r"|[{}\[\]]|Traceback|\(Command"
)


def _clean_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if said := clip_text(redact(collapse_whitespace(line)), MAX_CHARS):
            yield said


def _resolve(found: dict[tuple[str, str], Failure], now: _Try, output: str) -> None:
    """Later success resolves; a later failure of the same check resolves the lines that it does not show again."""
    shown = ""
    for (stem, line), failure in found.items():
        if failure.resolved or not (stem == now.stem or failure.during == now.during):
            continue
        shown = shown or collapse_whitespace(output[-_SEARCHED:])
        if now.ok or (now.check and line not in shown):
            found[stem, line] = replace(failure, resolved=True)
