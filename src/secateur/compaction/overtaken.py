"""Whether later work has overtaken what the agent said: what it spoke of is not as it was.

Rule: decided on edits and checks, and on words only where the agent says that something is resolved. A deed is
overtaken where its file was edited again, where what it names was taken out, or where the code that it says was removed
was written again; a problem where its file or the lines that name it were edited, in the same message or later; another
description where those lines or their file were edited later; what counts lines, tells how checks ended or what comes
next, or says how things still are and names no file, by any later edit. What the agent says in the middle of work of
how things are now, and names no file, is about the file that it edited last. Where so much of an analysis is overtaken,
the rest of it goes too. What a later message says is resolved is overtaken as well. A finding that names nothing that
was edited holds, and so does what tools or providers require.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger.files.rewrites import (
    EditedText,
    list_names_defined,
    list_replaced,
    list_rewrites,
)
from secateur.model import Message
from secateur.toolcalls.actions import Action, list_actions
from secateur.toolcalls.file_effects import list_file_effects, list_paths

ANALYSIS_SHARE = 0.3  # of what one message says, overtaken, so that the rest of it is as well


class LaterEdit(Struct, frozen=True, gc=False):
    """One edit, by the number of its message: the identifiers of the lines that it took out, and of those it put in.

    The lines themselves are there where the edit states both.
    """

    number: int
    out: frozenset[str]
    into: frozenset[str]
    out_text: str = ""
    into_text: str = ""


class LaterWork(Struct, frozen=True, gc=False):
    """What was edited, and when: numbers are those of messages, -1 for none."""

    newest: int = -1
    files: Mapping[str, int] = {}  # the newest edit of each file, by its name
    edits: tuple[LaterEdit, ...] = ()
    wholes: Mapping[str, int] = {}  # when each file was last written as a whole, by its name
    order: tuple[tuple[int, str], ...] = ()  # every edited file by its name, in order of the edits


def trace_work(messages: Sequence[Message]) -> LaterWork:
    """Trace the edits of these messages."""
    numbers = {part.key: number for number, message in enumerate(messages) for part in message.parts}
    files: dict[str, int] = {}
    edits: list[LaterEdit] = []
    wholes: dict[str, int] = {}
    order: list[tuple[int, str]] = []
    for action in list_actions(messages):
        if action.ok and action.result:
            number = numbers[action.call.key]
            for path in _list_edited(action):
                files[posixpath.basename(path)] = number
                order.append((number, posixpath.basename(path)))
            wholes |= {posixpath.basename(one.path): number for one in list_rewrites(action) if one.whole}
            edits += [_find_defined(number, one) for one in list_rewrites(action) if one.whole]
            edits += [_compare(number, one.old, one.new) for one in list_replaced(action)]
    return LaterWork(max(files.values(), default=-1), files, tuple(edits), wholes, tuple(order))


class Statement(Struct, frozen=True, gc=False):
    """A sentence of the agent. `is_deed`: it tells of something that was done; `is_midway`: calls followed it."""

    text: str
    number: int
    is_deed: bool
    is_midway: bool = False


def list_overtaken(statements: Sequence[Statement], work: LaterWork) -> frozenset[int]:
    """Return the places of the statements that later work overtook."""
    gone = {at for at, one in enumerate(statements) if _is_overtaken(one, work)}
    analyses: dict[int, list[int]] = {}
    for at, one in enumerate(statements):
        if not one.is_deed:
            analyses.setdefault(one.number, []).append(at)
    gone |= _list_contradicted(statements) | _list_resolved(statements)
    for places in analyses.values():
        if len(gone.intersection(places)) >= max(2, ANALYSIS_SHARE * len(places)):
            gone |= {at for at in places if not _LASTS.search(statements[at].text)}
    return frozenset(gone)


def _list_contradicted(statements: Sequence[Statement]) -> set[int]:
    """Return the places of statements that tie a problem to something to which a later one says that it is not tied."""
    gone: set[int] = set()
    for one in statements:
        for hit in _NOT_TIED.finditer(one.text):
            named = re.compile(rf"{_TIED}{re.escape(hit['what'])}\b", re.I)
            gone |= {
                at for at, other in enumerate(statements) if other.number < one.number and named.search(other.text)
            }
    return gone


def _list_resolved(statements: Sequence[Statement]) -> set[int]:
    """Return the places of statements about names in code of which a later message says that it is resolved."""
    gone: set[int] = set()
    for one in statements:
        names = _list_identifiers(one.text) if _RESOLVES.search(one.text) else frozenset()
        gone |= {
            at
            for at, other in enumerate(statements)
            if names and other.number < one.number and not other.is_deed and names & _list_identifiers(other.text)
        }
    return gone


def _is_overtaken(one: Statement, work: LaterWork) -> bool:
    is_problem = not one.is_deed and _PROBLEM.search(one.text) is not None
    since = one.number if is_problem else one.number + 1
    if work.newest < since:
        return False
    if _COUNTS.search(one.text) or (not one.is_deed and (_VERDICT.search(one.text) or _is_diagnosis(one.text))):
        return True
    if not (one.is_deed or is_problem) and _LASTS.search(one.text):
        return False
    if not one.is_deed and (_is_of_then(one, work) or (is_problem and _is_bare_problem(one.text))):
        return True
    if any(at >= since and _has_name(one.text, name) for name, at in work.files.items()):
        return True
    later = [edit for edit in work.edits if edit.number >= since]
    return _is_rewritten(one, later) or (one.is_deed and _is_reversed(one, later))


def _is_diagnosis(text: str) -> bool:
    """Whether a statement says what was wrong with the code that is worked on."""
    return _DIAGNOSIS.search(text) is not None and _OUTSIDE.search(text) is None


def _is_bare_problem(text: str) -> bool:
    """Whether a problem is told without its cause and without a file, and is one of the code that is worked on."""
    return _HOLDS.search(text) is None and _FILE.search(text) is None


def _is_of_then(one: Statement, work: LaterWork) -> bool:
    """Whether a statement that edits followed says what was so just then, or what was to come next."""
    if _NEXT.search(one.text):
        return True
    if _FILE.search(one.text):
        return False
    if _THEN.search(one.text) if one.is_midway else (_STILL.search(one.text) and not _LASTS.search(one.text)):
        return True
    about = next((name for number, name in reversed(work.order) if number <= one.number), "")
    return one.is_midway and _NOW.search(one.text) is not None and work.files.get(about, -1) > one.number


def _is_reversed(one: Statement, edits: Sequence[LaterEdit]) -> bool:
    """Whether the code that a deed says was removed was written again, or what it says was added was taken out."""
    told = _DEED_ON_CODE.search(one.text)
    if told is None:
        return False
    state = ""
    for edit in edits:
        is_out, is_in = told["code"] in edit.out_text, told["code"] in edit.into_text
        if is_out != is_in:
            state = "in" if is_in else "out"
    return state == ("in" if told["removed"] else "out")


def _is_rewritten(one: Statement, edits: Sequence[LaterEdit]) -> bool:
    """Whether edits took out what a statement names: for a deed for good, for others at least its lines."""
    mine = _list_identifiers(one.text)
    there: set[str] = set()
    touched: set[str] = set()
    for edit in edits:
        touched |= mine & edit.out
        there = (there - edit.out) | (mine & edit.into)
    gone = touched - there if one.is_deed else touched
    return bool(mine) and 2 * len(gone) >= len(mine)


def _list_edited(action: Action) -> list[str]:
    """Return the files that a call edited or took back, or that git says it changed by bringing commits."""
    if action.kind == "edit":
        return list_paths(action) or [one.path for one in list_file_effects(action)]
    if action.kind not in ("run", "other"):
        return []
    if _BRINGS.search(action.call.text):
        return _CHANGED.findall(action.said)
    return [one.path for one in list_file_effects(action) if one.use in _EDITING and one.path]


def _compare(number: int, old: str, new: str) -> LaterEdit:
    before, after = old.split("\n"), new.split("\n")
    out = "\n".join(line for line in before if line not in after)
    into = "\n".join(line for line in after if line not in before)
    return LaterEdit(number, _list_identifiers(out), _list_identifiers(into), out, into)


def _find_defined(number: int, one: EditedText) -> LaterEdit:
    """Return what a file written as a whole defines: descriptions of that from before are of other code."""
    names = _list_identifiers(" ".join(list_names_defined(one.path, one.new)))
    return LaterEdit(number, names, names)


def _list_identifiers(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text))


def _has_name(text: str, name: str) -> bool:
    return (
        "." in name and name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])(?!\.\w)", text) is not None
    )


_BRINGS = re.compile(  # what others changed
    r"\bgit (?:-C \S+ )?(?:pull|merge|rebase|cherry-pick|revert)\b|\bgh pr (?:checkout|merge)\b"
)
_CHANGED = re.compile(r"^ (\S[^|\n]{0,300}?) +\| +(?:\d+ [+-]|Bin )", re.M)
_EDITING = ("created", "changed", "moved", "deleted", "restored")
_IDENTIFIER = re.compile(r"\b(?:[A-Za-z]\w*_\w+|_\w{3,}|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)\b")
_PROBLEM = re.compile(
    r"(?i)\b(?:there (?:is|are|['’]s)|found no|ha(?:s|ve) (?:no|an? old)|unused|missing|still"
    r"|fail(?:s|ing|ed)|broken|bug|issue|problem|error|warning"
    r"|wrong|incorrect|inconsisten\w+|duplicat\w+|redundant|twice|doesn['’]t|does not|isn['’]t|is not|aren['’]t|not yet"
    r"|never|only (?:checks?|handles?|uses?)|currently|lacks?|cannot|can['’]t)\b"
)
_NOT_TIED = re.compile(
    r"(?i)\b(?:not|n['’]t) (?:specific|limited|restricted|unique) to (?:the |an? )?[`'\"]?(?P<what>\w{3,})"
)
_TIED = r"\b(?:without|specific to|limited to|unique to|only (?:in|with|for)|restricted to) (?:the |an? |any )?[`'\"]?"
_RESOLVES = re.compile(
    r"(?i)(?<!not )(?<!n['’]t )(?<!never )(?<!be )(?<!been )\b(?:(?:is|are|was|were|both|all)\s+(?:now\s+|all\s+)?"
    r"(?:addressed|resolved|fixed|handled|corrected)|now\s+(?:handles?|honou?rs?|respects?|passes|works?|returns?"
    r"|checks?|rejects?|accepts?)|(?:does|do|is|are)\s+no\s+longer)\b"
)
_FILE = re.compile(r"\w\.[a-z]{1,5}\b")
_THEN = re.compile(  # how things are while the agent looks at them
    r"(?i)\b(?:still|currently|the current)\b|\bis too \w+|\bnow (?:fails?|breaks?|shows?|gives?|returns?|prints?)\b"
    r"|\b(?:has|have|gets?|shows?) an? (?:extra|missing|wrong|duplicate|stray)\b"
    r"|\b(?:has|have|gets?|shows?|(?:is|it['’]s) \w+ing)\b.{0,160}\binstead of\b"
)
_STILL = re.compile(  # how things were when a turn ended
    r"(?i)\b(?:still|currently|for now|at the moment|right now|not yet"
    r"|(?:the|my|our) (?:last|latest|newest|most recent) (?:commit|change|edit|run|fix))\b"
)
_NEXT = re.compile(r"(?i)\bnext (?:[\w-]+ ){0,2}(?:steps?|tasks?|thing|move|milestone|piece|slice|improvement)\b")
_NOW = re.compile(
    r"(?i)\b(?:we|it|this|that|which) now\b|\b(?:is|are|has|have) now\b|\bnow (?:explicitly|correctly|properly)\b"
)
_DEED_ON_CODE = re.compile(
    r"(?i)\b(?:(?P<removed>removed|deleted|dropped|stripped|took out)|added|introduced|inserted)\b"
    r"[^`\n]{0,80}`(?P<code>[^`\n]{2,200})`"
)
_HOLDS = re.compile(  # a problem that is told with its cause, or is one of something else
    r"(?i)\b(?:because|since|due to|caused? by|root cause|turns? out|turned out|only (?:happens?|fails?|occurs?)"
    r"|known (?:issue|bug)|requires?|must|cannot|can['’]t|instead of using|separately|apis?|git|servers?|remote"
    r"|providers?|upstream|terminals?|browsers?|kernel|os)\b"
)
_DIAGNOSIS = re.compile(
    r"(?i)^\W*(?:so )?the (?:(?:real|actual|root|main|core|underlying|only|first|second|remaining) )?"
    r"(?:issue|problem|bug|cause|reason|failure|error|culprit|mismatch) (?:here |now )?(?:is|was|lies|comes)\b"
    r"|\bbecause\b[^.]{0,80}(?:\b(?:is|was|are|does) not|n['’]t) (?:properly|correctly)\b"
)
_OUTSIDE = re.compile(
    r"(?i)\b(?:known (?:issue|bug)|apis?|servers?|remote|providers?|upstream|terminals?|browsers?|kernel|os)\b"
)
_LASTS = re.compile(r"(?i)\b(?:requires?|must|because|since|decided|rejected|not allowed|only works)\b")
_COUNTS = re.compile(r"(?i)\blines? ~?\d+|\b\d+ lines\b|:\d+-\d+\b")
_VERDICT = re.compile(
    r"(?i)\b(?:tests?|checks?|build|suite|lint|types?)\b[^.]{0,40}"
    r"\b(?:pass(?:es|ed|ing)?"
    r"|fail(?:s|ed|ing)?|green|clean)\b|\b(?:all|everything)(?: is| was|['’]s)? committed\b|\bbut it passes\b"
)
