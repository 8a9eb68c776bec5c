"""What edits wrote: the old and the new text of each place, as the calls give them, and the names that these define.

Rule: only what a call states in full, by its arguments, in a patch or in a here-document; whether the call succeeded is
the caller's to know. A text of a whole file has no old text here. Long texts are cut.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from secateur.compaction.ledger.files.own_words import SENTENCE_END
from secateur.compaction.ledger.said import FENCED
from secateur.memoizing import memoize_by, memoize_texts
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name
from secateur.toolcalls.file_effects import find_shown_file, list_command_lines, list_paths, name_action
from secateur.toolcalls.shell import parse_command_line

SEARCHED_CHARS = 20_000  # of one edit
LEAD_CHARS = 160
PROSE = (".md", ".mdx", ".rst", ".txt")
IMPORTS_ONLY, LAYOUT_ONLY, TEXT = "imports only", "layout only", "text"


class EditedText(Struct, frozen=True, gc=False):
    """One place of a file, with the lines around it as far as the call gives them. `whole`: it was written anew."""

    path: str
    old: str
    new: str
    whole: bool = False
    place: str = ""  # the line that a patch names above its hunk
    lines: tuple[int, int] = (0, 0)  # the first and the last line that the new text replaces, where the call counts


@memoize_by(name_action, 4_096)
def list_rewrites(action: Action) -> tuple[EditedText, ...]:
    """Return what a call wrote, in order."""
    return tuple(_list_rewrites(action))


def _list_rewrites(action: Action) -> Iterator[EditedText]:
    if action.kind == "run":
        for line in list_command_lines(action):
            if "<<" in line or _PATCH_BEGINS in line:
                yield from _list_commanded(line)
        return
    yield from _list_replaced(action.given, list_paths(action))
    yield from _list_patched(action.call.text, action.given)
    typed_in = action.given.get("input", action.call.text)
    shown, typed = find_shown_file(action), _TYPED.match(str(typed_in)[:SEARCHED_CHARS])
    if shown and typed:
        yield EditedText(shown["path"], "", typed["text"], lines=(int(typed["first"]), int(typed["last"])))


def list_replaced(action: Action) -> Iterator[EditedText]:
    """Yield the places of an edit whose old and new text are both known."""
    yield from (one for one in list_rewrites(action) if not one.whole)


@memoize_texts(4_096)
def list_names_defined(path: str, text: str) -> Mapping[str, None]:
    """Return the functions, classes, tests and headings that a text defines, in order."""
    if path.endswith(PROSE):
        return dict.fromkeys(f"“{collapse_whitespace(hit[1])}”" for hit in _HEADING.finditer(FENCED.sub("\n", text)))
    names: dict[str, None] = {}
    for hit in _DEFINES.finditer(text):
        names[_get_name(hit)] = None
    return {name: None for name in names if name and name not in _NO_NAMES}


def find_definition(path: str, text: str, at: int = 0) -> str:
    """Return the function, class, test or heading that a line begins, which starts at this place; "" if it is none."""
    if path.endswith(PROSE):
        hit = _HEADING.match(text, at)
        return f"“{collapse_whitespace(hit[1])}”" if hit else ""
    hit = _DEFINES.match(text, at)
    name = _get_name(hit) if hit else ""
    return name if name not in _NO_NAMES else ""


def _get_name(hit: re.Match[str]) -> str:
    """Return the name that a line defines; "" for a function in a variable deep inside of another one."""
    line = hit[0].expandtabs(4)
    if hit["const"] and len(line) - len(line.lstrip()) > _DEEPEST_INDENT:
        return ""
    if title := hit["title"]:
        return f"“{collapse_whitespace(title)}”"
    return next(str(name) for name in hit.group("name", "const", "parted", "made", "method", "typed", "open") if name)


def find_lead(path: str, text: str) -> str:
    """Return what a new file says of itself: its first heading, docstring or comment."""
    hit = (_HEADING if path.endswith((".md", ".mdx")) else _LEAD).search(text[:2_000])
    said = collapse_whitespace(next(filter(None, hit.groups()), "")) if hit else ""
    first = next(iter(SENTENCE_END.split(said)), "")
    return clip_text(first, LEAD_CHARS) if len(first) > 3 and not _LEGAL.search(first) else ""


def classify_edit(old: str, new: str) -> str:
    """Return what kind of text an edit changed."""
    if "".join(old.split()) == "".join(new.split()):
        return LAYOUT_ONLY
    left, right = strip_imports(old), strip_imports(new)
    return IMPORTS_ONLY if "".join(left.split()) == "".join(right.split()) else TEXT


def is_renamed(one: EditedText, old: str, new: str) -> bool:
    """Whether the definition under the new name is the one under the old name, but for that."""
    lines = {line.strip() for line in one.new.split("\n")}
    swapped = [re.sub(rf"\b{re.escape(old)}\b", new, line).strip() for line in one.old.split("\n") if old in line]
    return bool(swapped) and swapped[0] in lines


def strip_imports(text: str) -> str:
    """Return a text without its imports."""
    return _IMPORT.sub("", f"{text}\n")


_WHOLE = ("content", "contents", "filetext", "filecontent")
_PATCH_BEGINS = "*** Begin Patch"
_TYPED = re.compile(r"edit (?P<first>\d{1,7}):(?P<last>\d{1,7})\n(?P<text>.*?)(?:\nend_of_edit|\Z)", re.S)


def _list_replaced(given: dict[str, Any], paths: list[str]) -> Iterator[EditedText]:
    """Yield old and new text of an edit tool's arguments, alone or in a list."""
    if not paths:
        return
    named = {normalize_name(name): value for name, value in given.items()}
    for value in (named, *(one for one in named.get("edits", ()) or () if isinstance(one, dict))):
        inner = {normalize_name(name): text for name, text in value.items() if isinstance(name, str)}
        old = next((inner[name] for name in ("oldstring", "oldstr", "oldtext") if name in inner), None)
        new = next((inner[name] for name in ("newstring", "newstr", "newtext") if name in inner), None)
        old = "" if old is None and "insertline" in inner else old
        whole = next((inner[name] for name in _WHOLE if isinstance(inner.get(name), str)), None)
        if isinstance(old, str) and isinstance(new, str):
            yield EditedText(paths[0], old[:SEARCHED_CHARS], new[:SEARCHED_CHARS])
        elif isinstance(whole, str) and old is None:
            yield EditedText(paths[0], "", whole[:SEARCHED_CHARS], whole=True)


def _list_patched(text: str, given: dict[str, Any]) -> Iterator[EditedText]:
    """Yield the hunks of the first patch among the arguments."""
    bodies = [value for value in (*given.values(), text) if isinstance(value, str) and _PATCH_BEGINS in value]
    for body in bodies[:1]:
        yield from _parse_patch(body)


def _parse_patch(body: str) -> Iterator[EditedText]:
    """Yield old and new lines of each hunk of a patch, and the files that it adds."""
    for piece in re.split(r"^\*\*\* (?=(?:Update|Add) File: )", body[:SEARCHED_CHARS], flags=re.M)[1:]:
        head, _, rest = piece.partition("\n")
        rest = re.split(r"^\*\*\* (?:End|Delete)", rest, maxsplit=1, flags=re.M)[0]
        if head.startswith("Add File: "):
            yield EditedText(head.removeprefix("Add File: ").strip(), "", _take_lines(rest, "+"), whole=True)
            continue
        first, *hunks = re.split(r"^@@(.*)$", rest, flags=re.M)
        for place, hunk in (("", first), *zip(hunks[::2], hunks[1::2], strict=True)):
            old, new = _take_lines(hunk, "- "), _take_lines(hunk, "+ ")
            if old != new:
                path = head.removeprefix("Update File: ").strip()
                yield EditedText(path, old, new, place=re.sub(r"^[^\n@]{0,60}@@", "", place).strip())


def is_own_diff(call: str) -> bool:
    """Whether a call shows what is not committed yet, and no other commits: `git diff`, `cat patch.txt`."""
    return _OWN_DIFF.search(call) is not None


def list_diffs(text: str) -> Iterator[EditedText]:
    """Yield the hunks of the diffs that git printed into this text."""
    for piece in re.split(r"^diff --git ", text, flags=re.M)[1:]:
        if (named := _DIFFED.search(piece)) is None:
            continue
        for hunk in _HUNK.finditer(piece):
            body = hunk["body"].partition("\n\\ No newline")[0]
            yield EditedText(
                named["path"], _take_lines(body, "- "), _take_lines(body, "+ "), place=hunk["place"][1:].rstrip()
            )


def _take_lines(hunk: str, signs: str) -> str:
    return "\n".join(line[1:] for line in hunk.split("\n") if line[:1] in signs and line)


def _list_commanded(line: str) -> Iterator[EditedText]:
    """Yield what the here-documents of a command line write."""
    if _PATCH_BEGINS in line:
        yield from _parse_patch(line)
        return
    taken = parse_command_line(line)
    writers = [one for one in taken.commands if one.words[:1] in (("cat",), ("tee",)) and (one.writes or one.appends)]
    if len(writers) == len(taken.bodies):
        for simple, body in zip(writers, taken.bodies, strict=True):
            for path in simple.writes[:1]:
                yield EditedText(path, "", body[:SEARCHED_CHARS], whole=True)
            for path in simple.appends[:1]:
                yield EditedText(path, "", body[:SEARCHED_CHARS])


_DIFFED = re.compile(r"^\+\+\+ b/(?P<path>[^\t\n]{1,400})", re.M)
_HUNK = re.compile(r"^@@ [^\n@]{1,60} @@(?P<place>[^\n]*)\n(?P<body>(?:[-+ \\][^\n]*\n?|\n)*)", re.M)
_DEEPEST_INDENT = 4  # columns: a member, or a helper in the body of a component
_NO_NAMES = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "constructor", "main", "default", "else", "with", "elif"}
)
_DEFINES = re.compile(
    r"^[ \t]*(?:(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final"
    r"|override|inline|virtual|unsafe|extern|declare)\s+){0,5}"
    r"(?:(?:def|func?|fn|function\*?|class|interface|struct|enum|trait|module|protocol|record|object|sub"
    r"|type(?=\s+[A-Za-z_$][\w$]*(?![\w$])[ \t]*[^\s,};]))\s+"  # in a list of imports a type ends there
    r"(?:\([^)\n]{0,80}\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?:const|let|var)\s+(?P<const>[A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,80})?=\s*(?:async\s*)?"
    r"(?:function\b|(?:\([^)\n]{0,200}\)|[\w$]+)\s*(?::[^=\n]{1,60})?=>)"
    r"|(?:const|let|var)\s+(?P<parted>[A-Za-z_$][\w$]*)\s*(?::[^=\n]{1,80})?=\s*(?:async\s*)?\(\{[^)\n]{0,200}$"
    r"|(?:const|let|var)\s+(?P<made>[A-Za-z_$][\w$]*)\s*=\s*(?:React\.)?(?:use(?:Callback|Memo|Reducer)|memo|forwardRef"
    r"|defineComponent|defineStore)(?:<[^\n]{1,60}>)?\("
    r"|(?P<method>[A-Za-z_$][\w$]*)\((?![^;\n]{0,160}(?:\bfunc(?:tion)?\b|=>[ \t]*\{[ \t]*$))"
    r"[^;\n]{0,160}\)\s*(?::\s*[^;{}\n]{1,60})?\{[ \t]*$"  # and no call that is given a function
    r"|(?!(?:return|new|else|throw|await|yield|case|go|defer|for|if|while|switch|match|const|let|var|in|catch|with|do)\b)"
    r"(?:[A-Za-z_][\w<>\[\],.?*&:]{0,60}\s{1,4}[*&]?){1,3}(?P<typed>[A-Za-z_]\w*)\([^;{}()]{0,200}\)\s{0,4}"
    r"(?:const\s{0,4})?"
    r"(?:throws [\w, .]{1,80})?\{[ \t]*$)"
    r"|(?:(?:export|public|private|protected|static|async|override|readonly)\s+){1,5}"
    r"(?P<open>[A-Za-z_$][\w$]*)\([ \t]*$"
    r"|(?:it|test|describe)(?:\.\w+)?\(\s*(?P<quote>['\"`])(?P<title>[^\n]{3,80}?)(?P=quote))",
    re.M,
)
_HEADING = re.compile(r"^#{1,4} +([^\n]{2,80}?)[ #]*$", re.M)
_LEAD = re.compile(
    r"\A(?:#![^\n]*\n)?\s*(?:[\"']{3}\s*(.{8,300}?)(?:[\"']{3}|\n\n)|/\*\*?\s*\*?\s*(.{8,300}?)(?:\*/|\n\s*\*?\s*\n)"
    r"|(?://|#|--)\s*([^\n]{8,200}))",
    re.S,
)
_LEGAL = re.compile(r"(?i)copyright|licen[sc]e|eslint|@ts-|coding[:=]|generated|prettier|noqa|use strict|^\+?\w+:\w")
_IMPORT = re.compile(
    r"^[ \t]*(?:import\b[^;'\"\n]*(?:\{[^}]*\})?[^;\n]*;?|(?:from\s+\S+\s+import\s+(?:\([^)]*\)|[^\n]*))"
    r"|export\s+(?:\*|\{[^}]*\})\s+from[^\n]*|use\s+[\w:{}, *\n]+;|#include[^\n]*"
    r"|(?:const|let|var)\s+[^=\n]+=\s*require\([^\n]*)[ \t]*$",
    re.M,
)
_OTHER_TREE = r"-|\S*\.\.|HEAD[~^@]|main\b|master\b|origin/|[0-9a-f]{7,40}\b"
_OWN_DIFF = re.compile(
    rf"\bgit (?:-C \S+ |--no-pager )*diff(?: --)?(?: (?!{_OTHER_TREE})[^\s;&|>\"]+)* *(?=$|[\"\\;&|\n])"
    r"|\bcat \S{0,100}\b(?:patch|diff)\b"
)
