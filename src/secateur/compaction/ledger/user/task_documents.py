"""The document that holds the user's task, where a request names it and the agent read it.

Rule: a request names a document by its file name, or by a numbered part of the work ("phase 1") that its file name has;
and the document lists what is to be done. It is quoted by its decisive lines under its own name, never as the user's
words, and without its boxes: whether they are ticked may have changed since. The newest that was read counts. What it
forbids or commands in capitals is a rule under its name.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, TaskDocument, UserRequest
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.constraints import extract_rules
from secateur.compaction.ledger.user.rules import name_rules, strip_numbers
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_paths

MAX_CHARS, LEAST_CHARS = 1_400, 300  # of a quoted document, where there is room and where there is little
SEARCHED_CHARS = 24_000


def find_task_document(done: Iterable[Action], requests: Sequence[UserRequest]) -> TaskDocument | None:
    """Return the newest document that a request names and that lists what is to be done; None if there is none."""
    read = _find_newest(done, requests)
    if read is None:
        return None
    told = condense_request(redact(_BOX.sub(r"\1", _FRAME.sub("", read.text))).strip(), MAX_CHARS)
    return TaskDocument(read.name, told, read.key)


def list_document_rules(done: Iterable[Action], requests: Sequence[UserRequest]) -> Iterator[Constraint]:
    """Yield what that document forbids or commands in capitals; its tasks are no rules."""
    read = _find_newest(done, requests)
    if read is not None:
        text = _TASK_LINE.sub("", read.text)
        yield from (one for one in extract_rules(text, read.key, read.name) if _CAPITALS.search(one.text))


class _Read(Struct, frozen=True):
    """A document as it was read."""

    name: str
    text: str
    key: str


def _find_newest(done: Iterable[Action], requests: Sequence[UserRequest]) -> _Read | None:
    """Return the newest reading of a task document; a short piece does not stand for the whole that was read before."""
    asked = [text for one in requests if _GIVES_WORK.search(text := one.text)]
    found: _Read | None = None
    for action in done if asked else ():
        if action.kind != "read" or not action.ok or not action.result:
            continue
        for path in list_paths(action):
            name = posixpath.basename(path)
            text = strip_numbers(action.said[:SEARCHED_CHARS])
            is_piece = found is not None and found.name == name and len(text) < _PIECE_SHARE * len(found.text)
            if is_piece or not _WRITTEN.search(name) or name_rules(name):
                continue
            if _LISTS.search(text) and _is_named(name, asked):
                found = _Read(name, text, action.key)
    return found


def shorten_document(document: TaskDocument | None, share: float) -> TaskDocument | None:
    """Shorten the quoted text to a share of its room."""
    room = max(LEAST_CHARS, int(MAX_CHARS * min(1.0, share)))
    if document is None or len(document.text) <= room:
        return document
    return replace(document, text=condense_request(document.text, room))


def _is_named(name: str, asked: Iterable[str]) -> bool:
    numbers = {number.lstrip("0") for number in re.findall(r"(?<![\d.])\d{1,3}(?![\d.]*\d)", name.rpartition(".")[0])}
    for text in asked:
        if name in text:
            return True
        if numbers & {found[1].lstrip("0") for found in _PART.finditer(text)}:
            return True
    return False


_WRITTEN = re.compile(r"(?i)\.(?:md|mdx|markdown|txt|rst|adoc|org)$")
_GIVES_WORK = re.compile(
    r"(?i)\b(?:start|begin|do|implement|complete|execute|follow|carry\s+out|work\s+(?:on|through)|continue|finish|build|develop\w*"
    r"|tasks?|read|process|check\s+off|go\s+through|tackle)\b|实现|执行|完成|开始|实施|実装|始め|구현|시작"
)
_PIECE_SHARE = 0.5  # of the length of an earlier reading
_TASK_LINE = re.compile(r"(?m)^[ \t]*[-*] \[[ xX~-]\] [^\n]*$")
_CAPITALS = re.compile(r"\b(?:NEVER|MUST|DO NOT|DON'T|ALWAYS|ONLY|FORBIDDEN|NICHT|NIE|NUNCA|JAMAIS)\b")
_PART = re.compile(
    r"(?i)\b(?:phase|step|part|task|plan|milestone|stage|sprint|chapter|ticket|story|wave)\s*[#-]?\s*(\d{1,3})\b"
)
_LISTS = re.compile(
    r"(?im)^[ \t]*[-*] \[[ x]\] |^#{1,4} .*\b(?:tasks?|goals?|acceptance|requirements?|objectives?|scope|steps?)\b"
)
_BOX = re.compile(r"(?m)^([ \t]*[-*] )\[[ xX~-]\] ")
_FRAME = re.compile(r"(?m)^\((?:End of file|File has more lines)[^\n]*\)$")
