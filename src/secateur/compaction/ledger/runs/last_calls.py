"""What the agent did after its last words: the calls that ended since, so that no plan is taken for what is left to do.

Rule: calls of the message with those words and of later ones, and after the user's newest words only; each with its
outcome and a line of its result, quoted; of many hits, or of a file that was shown, no line tells what was found. The
first call is kept, since it is what the words announce, and the newest. A call without a result is pending, and is not
listed here.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from secateur.compaction.ledger.entries import Command
from secateur.compaction.ledger.files.aims import describe_aim
from secateur.compaction.ledger.files.touched import describe_target
from secateur.compaction.ledger.repository.commits import has_git_failed
from secateur.compaction.ledger.runs.checks import judge_run
from secateur.compaction.ledger.runs.last_errors import judge_call
from secateur.compaction.ledger.runs.verdicts import read_verdict
from secateur.compaction.ledger.said import get_user_text
from secateur.model import Message
from secateur.redact import redact
from secateur.tool_kinds import ToolKind, detect_tool_kind
from secateur.toolcalls.actions import Action, clip_command, clip_text, collapse_whitespace
from secateur.toolcalls.commands import MAX_CHARS, ExecutedCommand, is_printing, iterate_runs, join_command_lines
from secateur.toolcalls.file_effects import list_command_lines

_T = TypeVar("_T")

MOST_LAST_CALLS = 3
MOST_HITS = 3  # lines of a listing of which the first one is quoted
NO_OUTPUT = "(no output)"
LINE_CHARS = 160  # of a result


def list_last_calls(messages: Sequence[Message], done: Sequence[Action], words_key: str) -> tuple[Command, ...]:
    """Return the calls that ended after the agent's last words, the message of `words_key`, and the user's."""
    start = next((at for at in reversed(range(len(messages))) if _is_start(messages[at], words_key)), 0)
    keys = {part.key for message in messages[start:] for part in message.parts if part.kind == "tool_call"}
    ended = (_read(action) for action in done if action.result and action.call.key in keys)
    return take_ends(keep_last_each(ended, lambda one: one.text))


def keep_last_each(entries: Iterable[_T], name: Callable[[_T], str]) -> tuple[_T, ...]:
    """Keep the last entry of each name, in its place."""
    found: dict[str, _T] = {}
    for one in entries:
        found.pop(name(one), None)
        found[name(one)] = one
    return tuple(found.values())


def take_ends(calls: Sequence[Command]) -> tuple[Command, ...]:
    """Return the first and the newest of these calls."""
    return (*calls[:1], *calls[1:][1 - MOST_LAST_CALLS :])


def get_call_kind(one: Command) -> ToolKind:
    """Return what a call does, by its tool or its command."""
    return detect_tool_kind(one.text.partition(" ")[0], one.text)


def _is_start(message: Message, words_key: str) -> bool:
    return message.key == words_key or bool(get_user_text(message))


def list_told_lines(action: Action) -> list[str]:
    """Return the command lines of a call; none of an editor's, whose verb is no command."""
    return [] if action.kind in ("read", "edit") else list_command_lines(action)


def describe_call(action: Action) -> str:
    """Return a call on one line: its command line, or the tool with what it was given."""
    lines = list_told_lines(action)
    text = join_command_lines(redact(lines[0])) if lines else describe_target(action)
    given = [value for value in action.given.values() if isinstance(value, str)]
    if not lines and len(given) == 1 and text.strip() == collapse_whitespace(action.call.tool):
        said = collapse_whitespace(redact(given[0]))
        text = said if said.startswith(text.strip()) else f"{text.strip()} {said}"
    return clip_command(text.replace(_SAID, " - said: "), MAX_CHARS).strip()


def _read(action: Action) -> Command:
    text = f"{describe_call(action)}{describe_aim(action)}"
    runs = list(iterate_runs([action]))
    if not action.said.strip():
        told = NO_OUTPUT if action.kind == "run" and action.ok else ""
        ok = True if action.ok and any(map(_is_silent, runs)) else None if action.ok else False
        return Command(text, ok, action.exit, told=told, key=action.call.key)
    looks = any(run.looks for run in runs)
    ok = action.ok if looks else _judge_runs(judge_call(action), runs)
    if ok is None and len(runs) == 1 and _OF_GIT.match(runs[0].line) and has_git_failed(action.said):
        ok = False
    is_untold = any(map(is_printing, runs)) or (ok is True and _is_one_of_many(action, runs))
    told = name_shown(action) or ("" if is_untold else quote_result(action))
    told = told or (NO_OUTPUT if looks and not any(_iterate_telling(action.said)) else "")
    return Command(text, ok, action.exit, told="" if _SAYS_NOTHING.fullmatch(told) else told, key=action.call.key)


def _is_one_of_many(action: Action, runs: Sequence[ExecutedCommand]) -> bool:
    """Whether a call lists hits, or shows a file, in so many lines that the first of them tells nothing."""
    is_listing = action.kind == "search" or (bool(runs) and all(_LISTS.match(run.line) for run in runs))
    return is_listing and sum(1 for _ in _iterate_telling(action.said)) > MOST_HITS


def _judge_runs(ok: bool | None, runs: Sequence[ExecutedCommand]) -> bool | None:
    """Return how a call ended by its host, unless what its commands printed says otherwise."""
    ends = [judge_run(one).ok for one in runs]
    if not ok or all(ends):
        return ok
    if False in ends:
        return False
    is_hidden = any(one.check and end is None for one, end in zip(runs, ends, strict=True))  # by a pipe
    if is_hidden and _UNTESTED.search(runs[0].action.said) and not _LEFT.search(runs[0].action.said):
        return ok  # its tool says that there was nothing to test, and so that it ended
    return None if is_hidden or any(_has_error(one.action.said) for one in runs) else ok


def _has_error(said: str) -> bool:
    return any(_ERROR.match(line) for line in _iterate_telling(said))


def _is_silent(run: ExecutedCommand) -> bool:
    """Whether all that a command does is done in silence, and fails aloud."""
    return bool(run.does) and all(_SILENT.match(" ".join(words[:4])) for words in run.does)


def name_shown(action: Action) -> str:
    """Name the files of a diff that git printed; "" for any other output.

    One that its host or a pipe clipped may have held more than are counted.
    """
    names = list(dict.fromkeys(hit["path"] for hit in _DIFF.finditer(action.said)))
    is_clipped = bool(names) and (_CLIPPED.search(action.said) or any(map(_CLIPS.search, list_command_lines(action))))
    least = "at least " * bool(is_clipped)
    more = f" and {least}{len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"diff of {', '.join(names[:MOST_SHOWN])}{more}" if names else ""


def quote_result(action: Action, is_end: bool = False) -> str:
    """Return the total of a check, else an error, else the first telling line, or with `is_end` the last.

    Of several errors the newest, of git's the first, which names the cause; of a failed call any line that says so.
    """
    if action.kind in ("read", "edit", "plan") and action.ok:
        return ""  # a line of a file tells nothing, and neither does what a tool says of what it wrote
    said = action.said[-_SEARCHED:] if is_end else action.said
    own = {collapse_whitespace(line) for given in list_command_lines(action) for line in given.split("\n")}
    lines = [line for line in _iterate_telling(said) if collapse_whitespace(line) not in own]  # shells that echo
    errors = [line for line in lines if _ERROR.match(line)] if action.kind not in ("read", "search") else []
    if action.kind == "run" and judge_call(action) is False:
        errors = errors or [line for line in lines if _FAILS.search(line)]
    is_of_git = _OF_GIT.search(action.call.text[:_SEARCHED]) is not None
    verdict = read_verdict(action.said, action.exit, not action.ok).line
    if (
        is_of_git
        and action.ok
        and not has_git_failed(action.said)
        and (counted := _COUNTED.search(action.said) or _STATE.search(action.said))
    ):
        return counted[0].strip()
    is_bare = (is_of_git and bool(errors)) or _BARE.search(verdict) is not None
    told = (*(() if is_bare else (verdict,)), *(errors[:1] if is_of_git else errors[-1:]))
    line = next(filter(None, (*told, *(lines[-1:] if is_end else lines))), "")
    if len(line) > LINE_CHARS and _RECORD.match(line):
        return ""  # the beginning of a record tells nothing
    return clip_text(collapse_whitespace(redact(line)).replace(_SAID, " - said: "), LINE_CHARS)


def quote_output(action: Action) -> str:
    """Return what a program printed last; of one that printed data beside a bare total, those data."""
    told = quote_result(action, True)
    if not _BARE_TOTAL.fullmatch(told):
        return told
    lines = map(str.strip, _HOST_END.sub("", action.said[-_SEARCHED:].replace("\b", "")).split("\n"))
    data = [line for line in lines if line and not _HOST_LINE.match(line) and not _NO_DATA.fullmatch(line)]
    return collapse_whitespace(redact(" ".join(data[-MOST_DATA:]))) or told


def _iterate_telling(said: str) -> Iterator[str]:
    """Yield the first lines of a result that hold words, without those that a host writes above an output.

    Of an output without words, such as a number alone, its short lines.
    """
    lines = _HOST_END.sub("", said[:_SEARCHED].replace("\b", "")).split("\n")
    lines = [line for line in lines if not _HOST_LINE.match(line)]
    telling = [line for line in lines if _TELLS.search(line)]
    yield from telling or (line for line in lines if 0 < len(line.strip()) <= SHORT_CHARS and _SIGNS.search(line))


_SEARCHED = 4_000  # characters at the beginning of a result
_SILENT = re.compile(
    r"git (?:-C \S+ )?(?:add|rm|mv|restore|config|tag)\b|(?:mkdir|cp|mv|rm|touch|chmod|ln|cd)\b|sed -i"
)
_LISTS = re.compile(  # commands that find lines or files, or show them
    r"(?:cd \S+ && )?(?:(?:rg|grep|egrep|find|fd|ls|tree|cat|head|tail|nl|sed -n|awk)\b"
    r"|git (?:-C \S+ )?(?:grep|show|ls-files)\b)"
)
_SAID = " — said: "
_ERROR = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception)\b|(?i:fatal|error|panic)\b)[^\n]{0,200}?:\s?\S|^bash: |^\S*sh: \d+: "
)
_FAILS = re.compile(
    r"(?i)\b(?:fail(?:s|ed|ure)?|errors?|fatal|denied|refused|rejected|timed out|malformed|could not|cannot|can['’]t)\b"
)
_UNTESTED = re.compile(r"^ok\s+\S+\s[^\n]{0,40}\[no tests to run\]$|^\?\s+\S+\s+\[no test files\]$", re.M)  # go test
_LEFT = re.compile(r"^(?:FAIL|panic:|exit status)\b", re.M)
_SAYS_NOTHING = re.compile(r"(?i)(?:ok|done|success|finished)[.!]?")
_BARE_TOTAL = re.compile(r"(?i:ok|pass(?:ed)?|script completed successfully[^\n]{0,20})")
_NO_DATA = re.compile(  # what a test runner prints besides, and how hosts say that a script ended
    rf"[.EFsx]{{1,200}}|[-=]{{3,}}|Ran \d+ tests?\b[^\n]{{0,40}}|{_BARE_TOTAL.pattern}"
)
MOST_DATA = 8  # lines
_RECORD = re.compile(r"\s*(?:\{\s*\"|\[\s*[{\"])")
_BARE = re.compile(r"\bexit status \d+$|^ERROR:$")
_OF_GIT = re.compile(r"\b(?:git|gh) (?:-C \S{1,200} )?[a-z]")
_DIFF = re.compile(r"^diff --git a/\S{1,400} b/(?P<path>\S{1,400})$", re.M)
_CLIPS = re.compile(r"\|\s*(?:head|tail|sed -n)\b")
_CLIPPED = re.compile(  # what hosts write where they left out some of an output
    r"(?:…|\.{3})\s?\[?\d[\d,]* (?:more )?(?:token|char(?:acter)?|line|byte)s? (?:truncated|omitted|clipped)"
    r"|^\W{0,3}(?:output|result|response)\b[^\n]{0,20}\b(?:truncated|too (?:long|large))\b|^<persisted-output>",
    re.I | re.M,
)
MOST_SHOWN = 6  # files of a diff that are named
SHORT_CHARS = 60  # of a line without words
_SIGNS = re.compile(r"\w")
_STATE = re.compile(
    r"^(?:nothing to commit, working tree clean|Changes (?:not staged|to be committed)[^\n]{0,40})$", re.M
)
_COUNTED = re.compile(r"^ \d{1,6} files? changed\b[^\n]{0,80}", re.M)
_TELLS = re.compile(r"[^\W\d_]{2,}")
_HOST_LINE = re.compile(
    r"(?:Command|Chunk ID|Wall time|Original token count): "
    r"|(?:(?:Process|Command) exited with code|Exit code:) -?\d+\s*$"
    r"|(?:Output|ERROR):\s*$"
    r"|</?\w{1,20}>[\s\d-]{0,12}(?:</\w{1,20}>)?\s*$"
    r"|\[(?:Python Interpreter|Command finished|Current working directory|The command completed)\b"
    r"|[\w@.:~/()-]{0,120} ?[$#]\s*$|\((?:Current directory|Open file): "  # a prompt
)
_HOST_END = re.compile(r"\[(?:Python Interpreter|Command finished|Current working directory): [^\n]*")
