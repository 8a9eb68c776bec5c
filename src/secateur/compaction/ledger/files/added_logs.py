"""Whether all that the edits so far have added is output for the search of an error: calls that log or print.

Rule: counted line by line, on edits that state what they wrote; where one does not, or wrote a whole file of code,
nothing is told. A line that stood there before is not an added one.
"""

import re
from collections.abc import Collection, Sequence

from msgspec import Struct

from secateur.compaction.ledger.files.rewrites import EditedText, list_rewrites
from secateur.toolcalls.actions import Action

LEAST_SHARE = 0.6  # of the added lines that log, so that it is worth telling


class _Count(Struct, frozen=True):
    """The lines of one call's edits: those that they added, those of them that log, and those that they took out."""

    added: int
    logging: int
    removed: int


def describe_added_logs(done: Sequence[Action], numbers: Collection[int]) -> str:
    """Say that the edits with these numbers only, or mostly, add calls that log; "" where one is not known whole."""
    edits = {number: list(list_rewrites(done[number])) for number in sorted(numbers)}
    if not all(edits.values()) or any(one.whole for some in edits.values() for one in some):
        return ""
    is_old_unknown = any(not one.old for some in edits.values() for one in some)
    shown: set[str] = set()
    counts: list[_Count] = []
    for number, action in enumerate(done[: max(edits, default=-1) + 1]):
        if number in edits:
            counts.append(_count_lines(edits[number], shown))
        if is_old_unknown:
            shown |= _list_shown(action.said)
    return _describe(counts)


def _describe(counts: Sequence[_Count]) -> str:
    added, logging = sum(one.added for one in counts), sum(one.logging for one in counts)
    if not logging or logging < LEAST_SHARE * added:
        return ""
    if logging == added and not any(one.removed for one in counts):
        return "the edits so far only add calls that log or print"
    return f"{logging} of the {added} lines that the edits so far added log or print"


def _count_lines(places: Sequence[EditedText], shown: Collection[str]) -> _Count:
    added: list[str] = []
    removed = 0
    for one in places:
        old, new = _list_lines(one.old), _list_lines(one.new)
        known = {*old, *(() if one.old else shown)}
        added += [line for line in new if line not in known]
        removed += sum(line not in new for line in old)
    return _Count(len(added), sum(_LOGS.match(line) is not None for line in added), removed)


def _list_lines(text: str) -> list[str]:
    """Return the lines that say something: neither blank, nor a comment, nor brackets or a text alone."""
    return [said for line in text.split("\n") if (said := line.strip()) and not _NEUTRAL.fullmatch(said)]


def _list_shown(said: str) -> set[str]:
    """Return the lines that a result shows, without the numbers in front of them."""
    return {_NUMBER.sub("", line, count=1).strip() for line in said[:_SEARCHED].split("\n")}


_SEARCHED = 40_000  # characters of a result
_NUMBER = re.compile(r"^\s{0,8}\d{1,6}(?:[:|→]|\s)")
_NEUTRAL = re.compile(
    r"[^\w\s]*|(?:#|//|/\*|\*|--)(?!include\b|define\b).*|[rbf]{0,2}(?:\"[^\"]*\"|'[^']*')[,)]*|end_of_edit"
)
_LOGS = re.compile(
    r"(?:self\.|this\.|cls\.)?_?(?:logger|logging|log|LOG|LOGGER|slog|tracing|console|app\.logger)[.:]{1,2}\w+!?\s?\("
    r"|(?:print|println!?|eprintln!?|printf|fprintf|fmt\.F?[Pp]rint\w*|System\.(?:out|err)\.print\w*|dbg!|puts|pp?|var_dump"
    r"|error_log|debug|trace|warn|info)[ (]"
    r"|import (?:logging|sys|traceback|pprint)\b|from [\w.]{1,80} import (?:logging|pprint)\b"
    r"|(?:const |let |var )?_?(?:logger|log|LOG|LOGGER)\s?=|logging\.\w+"
)
