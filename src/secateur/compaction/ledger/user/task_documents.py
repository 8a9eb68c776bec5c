"""The document that holds the user's task, where a request names it and the agent read it.

Rule: a request names a document by its file name, or by a numbered part of the work ("phase 1") that its file name has;
and the document lists what is to be done. It is told under its own name, never as the user's words: by its boxes as
they were last seen, with the edits that tick them, those that were ticked since the first reading (by whom is not
told), and the tasks that are open; one without boxes by its decisive lines. The newest that was read counts, by a tool
or by a command that shows it whole.
What it forbids or commands in capitals is a rule under its name.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, TaskDocument, UserRequest
from secateur.compaction.ledger.files.rewrites import list_rewrites
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.constraints import extract_rules
from secateur.compaction.ledger.user.rules import name_rules, strip_numbers
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, get_output, normalize_name
from secateur.toolcalls.file_effects import list_command_lines, list_paths

DETAIL_CHARS, TASK_CHARS = 600, 160  # of what is said of the next open task, and of each one after it
MAX_CHARS, LEAST_CHARS = 1_400, 300  # of a quoted document, where there is room and where there is little
SEARCHED_CHARS = 24_000
TICKED = "ticked since it was first read"
_MOST_NEW = 4  # tasks that were ticked, by name


def find_task_document(done: Iterable[Action], requests: Sequence[UserRequest]) -> TaskDocument | None:
    """Return the newest document that a request names and that lists what is to be done; None if there is none."""
    done = tuple(done)
    first, read = _find_readings(done, requests)
    if read is None:
        return None
    tasks = _list_tasks(read.text)
    before = frozenset(one.text for one in _list_tasks(first.text) if one.is_done) if first else frozenset()
    told = _tell_tasks(_apply_edits(tasks, read, done), before) if len(tasks) >= _FEWEST_TASKS else ""
    told = told or _BOX.sub(r"\1", _FRAME.sub("", read.text)).strip()
    name = read.name if ":" in read.path else read.path
    return TaskDocument(name, condense_request(redact(told), MAX_CHARS), read.key)


class _Task(Struct, frozen=True):
    """A task of a document, with the lines that say more of it."""

    text: str
    is_done: bool
    details: tuple[str, ...] = ()


def _list_tasks(text: str) -> list[_Task]:
    """Return the tasks that have a box and stand in no other task; what is to hold at the end is no task."""
    found: list[_Task] = []
    text = "".join(_split_criteria(text)) or text
    least = min((len(box[1]) for box in _TICKED.finditer(text)), default=0)
    is_within = False  # a task's lines
    for line in text.split("\n"):
        box = _TICKED.match(line)
        if box and len(box[1]) == least:
            found.append(_Task(collapse_whitespace(box[3]).rstrip(" :"), box[2] in "xX"))
            is_within = True
        elif line.strip():
            is_within = is_within and len(line) - len(line.lstrip()) > least
            if is_within:
                found[-1] = replace(found[-1], details=(*found[-1].details, _TICKS.sub(r"\1", line.rstrip())))
    return found


def _split_criteria(text: str) -> list[str]:
    """Return the sections of a document without those on when it counts as done; none if no box would be left."""
    sections = _SECTION.split(text)
    kept = [one for one in sections if not _CRITERIA.match(one)]
    return kept if any(map(_TICKED.search, kept)) else []


def _apply_edits(tasks: list[_Task], read: "_Read", done: Sequence[Action]) -> list[_Task]:
    """Return the tasks with their boxes as later edits left them, and as later pieces of the document show them."""
    at = next((number for number, action in enumerate(done) if action.key == read.key), len(done))
    for action in done[at + 1 :]:
        for text in _list_later_texts(action, read) if action.ok else ():
            tasks = _mark_ticked(tasks, _list_tasks(text))
        lines = list_command_lines(action) if action.ok and action.kind == "run" else []
        named = [hit["text"].strip() for line in lines if read.name in line for hit in _COMMANDED.finditer(line)]
        tasks = [replace(one, is_done=one.is_done or any(text in one.text for text in named)) for one in tasks]
    return tasks


def _mark_ticked(tasks: list[_Task], later: Sequence[_Task]) -> list[_Task]:
    """Return the tasks with the boxes of these, which stand at the one place where they follow each other alike.

    Without such a place each counts whose text no other task has.
    """
    names, size = [one.text for one in tasks], len(later)
    sought = [one.text for one in later]
    places = [at for at in range(len(names) - size + 1) if names[at : at + size] == sought] if later else []
    if len(places) == 1:
        done = {places[0] + at: one.is_done for at, one in enumerate(later)}
    else:
        ticked = {one.text: one.is_done for one in later}
        done = {at: ticked[one] for at, one in enumerate(names) if one in ticked and names.count(one) == 1}
    return [replace(one, is_done=done.get(at, one.is_done)) for at, one in enumerate(tasks)]


def _list_later_texts(action: Action, read: "_Read") -> Iterator[str]:
    """Yield what a later call wrote into the document or showed of it."""
    if action.result:
        yield from (text for path, text in _list_shown(action) if _is_same(path, read.path))
    if action.kind != "read":
        yield from (edit.new for edit in list_rewrites(action) if _is_same(edit.path, read.path))


def _is_same(path: str, other: str) -> bool:
    """Whether two paths name one file, of which one may be told from a folder within."""
    longer, shorter = sorted((path, other), key=len, reverse=True)
    return longer == shorter or longer.endswith(f"/{shorter.removeprefix('./')}")


def _tell_tasks(tasks: Sequence[_Task], before: Collection[str]) -> str:
    """Tell how many tasks are ticked and which of them since the first reading, the first open one, and those after it.

    `before`: those that were ticked then. Where none is ticked, nobody may have kept the boxes: all are told alike.
    """
    left = [one for one in tasks if not one.is_done]
    lines = [f"boxes as last seen: {len(tasks) - len(left)} of {len(tasks)} done"]
    if len(left) == len(tasks):
        return "\n".join((*lines, *(f"task: {clip_text(one.text, TASK_CHARS)}" for one in tasks)))
    new = [one.text for one in tasks if one.is_done and one.text not in before]
    lines += [f"{TICKED}: {clip_text(text, TASK_CHARS)}" for text in new[-_MOST_NEW:]]
    if left:
        lines.append(f"next open: {left[0].text}")
        sizes = accumulate(len(line) for line in left[0].details)
        lines += [line for line, size in zip(left[0].details, sizes, strict=True) if size <= DETAIL_CHARS]
    return "\n".join((*lines, *(f"then: {clip_text(one.text, TASK_CHARS)}" for one in left[1:])))


def list_document_rules(done: Iterable[Action], requests: Sequence[UserRequest]) -> Iterator[Constraint]:
    """Yield what that document, and others that a request orders to be read, forbid or command in capitals.

    Its tasks are no rules.
    """
    done = tuple(done)
    _, task = _find_readings(done, requests)
    others = (one for one in _find_ordered(done, requests) if task is None or one.name != task.name)
    for read in (*([task] if task else ()), *others):
        text = _TASK_LINE.sub("", read.text)
        yield from (one for one in extract_rules(text, read.key, read.name) if _CAPITALS.search(one.text))


class _Read(Struct, frozen=True):
    """A document as it was read."""

    name: str
    path: str
    text: str
    key: str


def _find_readings(done: Iterable[Action], requests: Sequence[UserRequest]) -> tuple[_Read, _Read] | tuple[None, None]:
    """Return the first and the newest reading of the newest task document; a short piece does not stand for a whole."""
    asked = [text for one in requests if _GIVES_WORK.search(text := one.text)]
    first: dict[str, _Read] = {}
    newest: _Read | None = None
    for action in done if asked else ():
        for path, text in _list_shown(action) if action.ok and action.result and not _is_from_middle(action) else ():
            name = posixpath.basename(path)
            is_piece = newest is not None and newest.name == name and len(text) < _PIECE_SHARE * len(newest.text)
            if is_piece or not _WRITTEN.search(name) or name_rules(name):
                continue
            if _LISTS.search(text) and _is_named(name, asked):
                newest = _Read(name, path, text, action.key)
                first.setdefault(name, newest)
    return (first[newest.name], newest) if newest else (None, None)


def _find_ordered(done: Iterable[Action], requests: Sequence[UserRequest]) -> list[_Read]:
    """Return the newest reading of each document that a request orders to be read or followed, by its name."""
    names = {found[1] for one in requests for found in _TO_READ.finditer(one.text)}
    found = {
        name: _Read(name, path, text, action.key)
        for action in (done if names else ())
        if action.ok and action.result and not _is_from_middle(action)
        for path, text in _list_shown(action)
        if (name := posixpath.basename(path)) in names and not name_rules(name)
    }
    return list(found.values())


def _list_shown(action: Action) -> Iterator[tuple[str, str]]:
    """Yield the files that a call shows, each with what it shows."""
    if action.kind == "read":
        yield from ((path, strip_numbers(action.said[:SEARCHED_CHARS])) for path in list_paths(action))
    elif action.kind == "run" and len(lines := list_command_lines(action)) == 1:
        shown = _SHOWS.fullmatch(lines[0].strip())
        path = (shown[1] or shown[2] or shown[3].replace("\\ ", " ")) if shown else ""
        yield from ((one, get_output(action)[:SEARCHED_CHARS]) for one in (path,) if one)


def _is_from_middle(action: Action) -> bool:
    """Whether a call shows a file from a later line on than its first."""
    given = {normalize_name(name): value for name, value in action.given.items()}
    starts = [value[0] if isinstance(value, list) and value else value for value in map(given.get, _STARTS)]
    return any(isinstance(one, int | str) and re.fullmatch(r"\d{1,7}", str(one)) and int(one) > 1 for one in starts)


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


_STARTS = ("offset", "startline", "start", "linestart", "viewrange", "from")  # arguments, normalized
_WRITTEN = re.compile(r"(?i)\.(?:md|mdx|markdown|txt|rst|adoc|org)$")
_GIVES_WORK = re.compile(
    r"(?i)\b(?:start|begin|do|implement|complete|execute|follow|carry\s+out|work\s+(?:on|through)|continue|finish|build|develop\w*"
    r"|tasks?|read|process|check\s+off|go\s+through|tackle)\b|实现|执行|完成|开始|实施|実装|始め|구현|시작"
)
_TO_READ = re.compile(
    r"(?i)\b(?:read|follow|adhere\s+to|stick\s+to)\s+(?:the\s+|our\s+)?[`@\"']?(?:[\w.-]+/)*([\w-]+\.(?:md|mdx|markdown|txt|rst|adoc))\b"
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
_SHOWS = re.compile(
    r"(?:cd [^\n;&|]{1,300} && )?(?:cat|sed -n [\"']?1,\d{2,5}p[\"']?) "
    r"(?:\"([^\"\n]+)\"|'([^'\n]+)'|((?:\\.|[^\s\\])+))"
)
_COMMANDED = re.compile(  # `sed` that ticks a box: "s/- \[ \] Build it/- [x] Build it/"
    r"\bs(?P<by>[/|#,@])[^/|#,@\[]{0,20}\\\[ \\\] ?(?P<text>[^/|#,@]{4,200})"
    r"(?P=by)[^/|#,@\[]{0,20}\[[xX]\\?\] ?(?P=text)"
)
_SECTION = re.compile(r"(?m)^(?=#{1,6} )")
_CRITERIA = re.compile(
    r"(?i)#{1,6} [^\n]*\b(?:acceptance|criteria|definition of done|done when|verification|validation|checklist"
    r"|success|exit|quality gates?)\b"
)
_FEWEST_TASKS = 2  # with boxes
_TICKED = re.compile(r"(?m)^([ \t]*)[-*] \[([ xX])\] +([^\n]*\S)")
_TICKS = re.compile(r"^([ \t]*[-*] )\[[ xX~-]\] ")
_BOX = re.compile(r"(?m)^([ \t]*[-*] )\[[ xX~-]\] ")
_FRAME = re.compile(r"(?m)^\((?:End of file|File has more lines)[^\n]*\)$")
