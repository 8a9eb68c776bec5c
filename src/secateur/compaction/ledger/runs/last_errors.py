"""How a command ended of which the host states no exit status, and the line of an output that says why it failed.

Rule: an output that ends with an error is no success. A command that ends with a traceback, with an exception or with a
program that the shell cannot find has failed; of any other error nobody knows. What a host writes below an output does
not count, and neither do calls that read, search or edit, since they may show such lines.
"""

import re

from secateur.memoizing import memoize_texts
from secateur.text.lossless.lines import strip_escapes
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace

MAX_CHARS = 200  # of an error
_SEARCHED, _LINES = 12_000, 160  # characters and lines at the end of an output


@memoize_texts(16_384)
def read_last_error(output: str) -> tuple[bool | None, str]:
    """Return how a command ended by the end of its output, and the error that stands there; "" if none does."""
    lines = [line.rstrip() for line in strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:]]
    told = [line for line in lines if line.strip() and not _HOST_END.match(line)]
    if told and _is_raised(told):
        return False, clip_line(told[-1])
    if not told or not (_UNCAUGHT.match(told[-1]) or _ENDS_IN_ERROR.match(told[-1])):
        return True, ""
    has_failed = _UNCAUGHT.match(told[-1]) is not None or any(line.startswith(_TRACEBACK) for line in told)
    return False if has_failed else None, clip_line(told[-1])


def _is_raised(lines: list[str]) -> bool:
    """Whether an output ends with an exception of any name, right below the frames of its traceback."""
    is_below = len(lines) > 1 and lines[-2].startswith("  ") and _TRACEBACK in lines
    return is_below and _RAISED.match(lines[-1]) is not None


def judge_action(action: Action) -> bool | None:
    """Return how a call ended: as its host states, or else as the end of its output says."""
    if not action.ok or action.exit is not None or action.kind in ("read", "search", "edit"):
        return action.ok
    return read_last_error(action.said)[0]


def judge_call(action: Action) -> bool | None:
    """Return how a call ended; None where no exit status is stated and a line of its output names an error."""
    ok = judge_action(action)
    is_silent = action.exit is None and action.kind not in ("read", "search", "edit")
    return None if ok and is_silent and find_named_error(action.said) else ok


@memoize_texts(16_384)
def find_named_error(output: str) -> str:
    """Return the last line of an output that begins with the name of an error; "" if none does."""
    lines = output[-_SEARCHED:].split("\n")[-_LINES:]
    return next((clip_line(line) for line in reversed(lines) if _NAMES_ERROR.match(line)), "")


def find_stop(action: Action) -> str:
    """Return the line by which a host says that a command was stopped before it ended; "" if it does not."""
    if action.result is None or action.kind in ("read", "search", "edit"):
        return ""
    return _find_stop(action.said)


@memoize_texts(16_384)  # many parts of a ledger ask how the same command ended
def _find_stop(said: str) -> str:
    for text in (said[:_ENDS], said[-_ENDS:]):
        if hit := _STOPPED.search(text):
            time = _TIMED_OUT.search(hit["line"])
            return time[0] if time else clip_line(hit["line"])
    return ""


def describe_failure(output: str, total: str) -> str:
    """Return the line that tells why a check failed: the first error with its place, else the failed assertion.

    The tool's total stays beside it, unless it only says that something failed.
    """
    lines = [TASK_NAME.sub("", line).strip() for line in strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:]]
    lines = [line for line in lines if line and len(line) <= _TOLD_CHARS]
    telling = next((hit for shape in _TELLING if (hit := next(filter(shape.search, lines), ""))), "")
    if passed := _list_passed_packages(lines):
        return " · ".join(dict.fromkeys(filter(None, (clip_line(telling), total, passed))))
    if not telling or clip_line(telling) == total or total.startswith(telling):
        return total
    if not total or STARTER.match(total) or _PLACED.search(total) or _BARE_TOTAL.match(total):
        return clip_line(telling)
    return f"{clip_line(telling)} · {total}"


def _list_passed_packages(lines: list[str]) -> str:
    """Name the packages that passed beside others that failed, as `go test` tells them; "" where none did."""
    ends = [hit for line in lines if (hit := _PACKAGE.match(line))]
    passed = list(dict.fromkeys(hit["path"] for hit in ends if hit["end"] == "ok"))
    if not passed or all(hit["end"] == "ok" for hit in ends):
        return ""
    names = ["/".join(path.split("/")[-2:]) for path in passed]
    return f"ok: {', '.join(names) if len(names) <= _MOST_PASSED else f'{len(names)} other packages'}"


def find_missing(output: str) -> str:
    """Return the line of an output by which the machine lacks what a command needs; "" if none says so."""
    lines = (line.strip() for line in strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:])
    return clip_line(next((line for line in lines if len(line) <= _TOLD_CHARS and _LACKING.search(line)), ""))


def clip_line(line: str) -> str:
    """One line of an output, as a ledger shows it."""
    return clip_text(collapse_whitespace(line), MAX_CHARS)


TASK_NAME = re.compile(r"^\s{0,4}\[[a-z][\w:.@/-]{0,60}\] ")  # what a runner puts before the lines of a task
_TRACEBACK = "Traceback (most recent call last):"
_ENDS = 700  # characters at either end of a result in which a host says that it stopped the command
_STOPPED = re.compile(
    r"^(?:<\w{1,20}>)?\W{0,4}(?P<line>execution timed out\b[^\n]{0,80}"
    r"|(?:the (?:last )?)?command (?:was )?(?:timed out|aborted|interrupted|killed|cancell?ed)\b[^\n]{0,120}"
    r"|(?:the last )?command <command>[^\n]{1,400} timed out\b[^\n]{0,80}|aborted by user after \d[\d.]{0,8} ?s\b"
    r"|tool execution (?:was )?aborted|(?:bash )?tool terminated command after exceeding timeout[^\n]{0,40}"
    r"|\w{0,40}(?:TimeoutExpired|TimeoutError): command [^\n]{1,400} timed out\b[^\n]{0,40}"
    r"|(?:an error occurred while executing the command: |the call was stopped: )[^\n]{1,400}"
    r" timed out after \d[^\n]{0,40})",
    re.I | re.M,
)
_TIMED_OUT = re.compile(r"(?i)\btimed out after \d[\d.,]{0,11} ?[a-z]{1,12}\b")
_HOST_END = re.compile(r"\((?:Open file|Current directory): [^\n]{0,400}\)$|[\w.-]{0,40}[#$]$|</?\w{1,40}>$")
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?::(?!:)|$)")
_UNCAUGHT = re.compile(  # what an interpreter or a shell prints last before it gives up
    r"(?:[A-Za-z_]\w{0,80}\.){0,8}(?:[A-Z]\w{0,80}(?:Error|Exception)|KeyboardInterrupt)(?::(?!:)|$)"
    r"|(?:\S{0,80}sh: )?(?:line \d{1,6}: |\d{1,6}: )?\S{1,200}: (?:command not found|not found)$"
    r"|(?:/\S{0,80}/)?(?:ba|da|z)?sh: [^\n]{1,200}: (?:No such file or directory|Permission denied)$"
    r"|zsh:(?:\d{1,6}:)? command not found: \S{1,200}$|\S*python[\d.]*: (?:No module named \S|can't open file )"
    r"|[\s\x08]{0,200}(?:: )?exit status [1-9]\d{0,2}$"
)
_NAMES_ERROR = re.compile(r"(?:[Ee]rror|ERROR|fatal|FATAL): \S")
_ENDS_IN_ERROR = re.compile(r"(?:error|fatal|panic)\b(?!s\b)[^:\n]{0,80}: ?\S|npm (?:ERR!|error) ", re.I)
STARTER = re.compile(
    r"^g?make(?:\[\d+\])?: |^npm (?:ERR!|error) |^\s*ELIFECYCLE\b|^error: script |^##\[error\]|^FAIL$|^OK$"
    r"|^error: test failed, to rerun"
)
_TOLD_CHARS = 2_000
_PLACED = re.compile(  # an error with file and line, as compilers and linters write it
    r"^\S{1,300}\.\w{1,5}(?::\d{1,6}){1,2}:? .{0,20}\b(?:error|Error)\b|^\S{1,300}\(\d{1,6},\d{1,6}\): error |: error: "
    r"|^\S{1,300}\.\w{1,5}:\d{1,6}:\d{1,6}: \S.{0,300}\([\w-]{2,40}\)$"  # golangci-lint
)
_ASSERTED = re.compile(r"^(?:FAILED \S{1,300} - \S|E {2,}(?:\w+\.)*\w*(?:Error|Exception)\b|AssertionError: \S)")
_LACKING = re.compile(
    r"(?:^|: )(?:command )?not found$|: command not found\b|^(?:\S{0,80}sh: )?[^\n]{0,40}\bcd: "
    r"|: No such file or directory$"
    r"|^(?:ModuleNotFoundError|ImportError): No module named |: No module named \S+$"
    r"|\bCannot find module '[^'./]"
    r"|\bcan't open file |: Permission denied$|\bCould not resolve host\b|\bENOENT\b"
)
_PANICKED = re.compile(r"^panic: \S")
_NAMED_TEST = re.compile(r"^--- FAIL: \S")  # go test, of which the total is bare
_TELLING = (_PLACED, _ASSERTED, _LACKING, _PANICKED, _NAMED_TEST)
_MOST_PASSED = 3  # packages by name
_PACKAGE = re.compile(r"(?P<end>ok|FAIL)\s+(?P<path>\S*[a-z]\S*)\s+(?:[\d.]+s|\(cached\)|\[(?:build|setup) failed\])")
_BARE_TOTAL = re.compile(
    r"(?i)^(?:FAIL(?:ED)?|Found \d+ errors?\b.*|error: script .*|(?:\[[\w:-]+\] )?ERROR task failed"
    r"|\S+ exited with .*)$"
)
