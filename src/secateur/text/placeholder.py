"""The text that replaces a removed part.

Rule: one text for one part, the same on every machine; a placeholder is distinguishable from an output, so that none is
made of another. It states only what the call and the output showed. Fixed texts are templates, data of a policy;
without one `describe_removed` describes what was removed. Which part is replaced, and whether the placeholder may be
longer, is not decided here.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from secateur.errors import ConfigError
from secateur.model import Part
from secateur.text.readback import MAX_PATH_CHARS, WAY_BACK, describe_way_back, is_file

MARK = "[secateur: "  # how ours begin
MOST_CHARS = 200  # of an informative placeholder, the path of a file aside
LEAST_CHARS = 60  # it is never shorter than this

INSTEAD: dict[str, str] = {
    "same": "the same result came again below",
    "shown": "shown again below",
    "written": "the file was changed since",
    "run": "asked again below",
    "resolved": "it went well later",
}

FIELDS: dict[str, str] = {
    "tool": "the tool's name, `tool` if it has none",
    "call": "the id of the call, as the provider gave it",
    "chars": "characters of the output, plain digits",
    "chars_grouped": "the same with a comma between thousands",
    "tokens": "tokens of the output, as counted for reports",
    "lines": "lines of the output",
    "error": "the word `error` and a space for an error's output, else nothing: `{error}output`",
}


def fill_template(template: str, part: Part) -> str:
    """Fill in a template's fields for a part; `{{` and `}}` are braces. ConfigError for an unknown field.

    What is put in is text: braces in a tool's name stay braces.
    """
    return _FIELD.sub(lambda match: _fill_field(match, part), template)


def validate_template(template: str) -> str:
    """Return the template if all its fields exist and it has other text; else ConfigError."""
    fill_template(template, Part("tool_result", ()))
    if not _FIELD.sub("", template).strip():
        raise ConfigError(f"the placeholder {template!r} has no words of its own, so it could be any output: add some")
    return template


def describe_removed(
    part: Part, call: Part | None = None, handle: str = "", instead: str = "", within: int | None = None
) -> str:
    """One line of at most 200 characters: tool, main argument, size, outcome, and how to see it again.

    `[secateur: Bash "npm test" gave 8120 chars, 96 lines, exit code 1: 1 failed; removed, call again if needed]`
    With a handle, 64 characters at most, it ends in `recall HANDLE`, with a file in `read PATH`: given only where it
    can be read back. `instead` (of `INSTEAD`) says in place of `removed` where it stands now. "" if already tool and
    size take `within` characters.
    """
    tool = _shorten_name(part.tool or (call.tool if call else ""))
    size = f"gave {len(part.text)} chars, {_count_lines(part.text)} lines"
    back = describe_way_back(handle) if handle else "" if instead else "call again if needed"
    end = f"; {', '.join(filter(None, (instead or 'removed', back)))}]"
    taken = len(f"{MARK}{tool} {size}{end}")
    if within is not None and taken >= within:
        return ""
    room = MOST_CHARS - taken + (len(handle) if is_file(handle) else 0)
    outcome = shorten_line(_find_outcome(part), min(70, room - 2))
    room -= len(outcome) + 2 if outcome else 0
    about = _shorten_argument(find_main_argument(call.text), min(80, room - 3)) if call else ""
    quoted = f' "{about}"' if about else ""
    return f"{MARK}{tool}{quoted} {size}{', ' if outcome else ''}{outcome}{end}"


def describe_outcome(part: Part) -> str:
    """The outcome of an output: its exit status, if stated, and the line that explains a failure."""
    return _find_outcome(part)


def is_placeholder(text: str) -> bool:
    """Whether `describe_removed` made this text."""
    if not text.startswith(MARK) or len(text) > MOST_CHARS + MAX_PATH_CHARS:
        return False
    return (len(text) <= MOST_CHARS or " read " in text) and _OURS.fullmatch(text) is not None


def shorten_string(said: str, head: int) -> str:
    """The first characters of a string and a note of how many more there were."""
    return f"{said[:head]}... [{len(said) - head:,} more characters]"


def count_kept(said: str) -> int | None:
    """The number of characters that `shorten_string` kept of a string; None if it did not shorten this one."""
    note = _MORE.search(said) if said.endswith(_MORE_ENDS) else None
    return note.start() if note else None


def has_shortened(arguments: str) -> bool:
    """Whether a string in these JSON arguments was shortened."""
    return f'{_MORE_ENDS}"' in arguments and _MORE_INSIDE.search(arguments) is not None


def is_any_placeholder(text: str, *templates: str) -> bool:
    """Whether a text is a placeholder: a default one, or one filled from one of these templates."""
    if is_placeholder(text):
        return True
    if len(text) > _LONGEST or not any(templates):
        return False
    return any([_compile_template(one).fullmatch(text) for one in templates if one])


def find_main_argument(arguments: str) -> str:
    """The main argument of a call: its command, pattern, path or address, else its first text. Unshortened."""
    given = _read(arguments)
    found = _join_words(_pick_main_argument(given)) if isinstance(given, dict) else given
    patched = _PATCHED.search(found[:2_000]) if "*** " in found else None
    return patched[1] if patched else found


def shorten_line(text: str, most: int) -> str:
    """Shorten to one printable line of at most `most` characters, with an ellipsis; "" if there is no room."""
    start = text[: 4 * most]
    if len(start) <= most and start.isprintable() and "  " not in start and start == start.strip():
        return start
    line = " ".join(start.split())
    if not line.isprintable():  # more than line breaks and tabs
        line = " ".join("".join([c if c.isprintable() else " " for c in line]).split())
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rstrip()}…" if most > 8 else ""


@lru_cache(maxsize=256)
def _shorten_name(tool: str) -> str:
    return shorten_line(tool, 40) or "tool"


def _shorten_argument(argument: str, most: int) -> str:
    """Shorten an argument: a long path keeps its end, anything else its beginning."""
    path = "/" in argument and " " not in argument and len(argument) < 4 * MOST_CHARS
    return shorten_line(argument[::-1], most)[::-1] if path else shorten_line(argument, most)


_LONGEST = 4_000  # characters of a filled template: ids of 1,500 are seen
_MORE_ENDS = " more characters]"
_MORE = re.compile(r"\.\.\. \[[\d,]{1,15} more characters\]\Z")
_MORE_INSIDE = re.compile(r"\.\.\. \[[\d,]{1,15} more characters\]\"")
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_NUMBERS = ("chars", "chars_grouped", "tokens", "lines")
_OURS = re.compile(
    rf"\[secateur: .+ gave \d+ chars, \d+ lines.*; (?:removed, (?:{WAY_BACK}|call again if needed)"
    rf"|(?:{'|'.join(INSTEAD.values())})(?:, {WAY_BACK})?)\]"
)


def _fill_field(match: re.Match[str], part: Part) -> str:
    name = match[1]
    if name is None:
        return match[0][0]
    if name not in FIELDS:
        raise ConfigError(
            f"a placeholder has no field {{{name}}}: it has {', '.join(FIELDS)}; a brace is written twice"
        )
    return _FACTS[name](part)


_FACTS: dict[str, Callable[[Part], str]] = {
    "tool": lambda part: part.tool or "tool",
    "call": lambda part: part.call_id,
    "chars": lambda part: str(len(part.text)),
    "chars_grouped": lambda part: f"{len(part.text):,}",
    "tokens": lambda part: str(part.tokens),
    "lines": lambda part: str(_count_lines(part.text)),
    "error": lambda part: "error " if part.is_error else "",
}


@lru_cache(maxsize=64)
def _compile_template(template: str) -> re.Pattern[str]:
    """Compile a pattern that matches whatever `fill_template` can make of a template."""
    made, at = "", 0
    for match in _FIELD.finditer(template):
        made += re.escape(template[at : match.start()])
        made += re.escape(match[0][0]) if match[1] is None else r"[\d,]+" if match[1] in _NUMBERS else r".*?"
        at = match.end()
    return re.compile(made + re.escape(template[at:]), re.DOTALL)


def _count_lines(text: str) -> int:
    if "\n" not in text:  # missed much sooner than none are counted
        return 1 if text else 0
    return text.count("\n") + (not text.endswith("\n"))


_SEEN = 1_000  # characters at either end of an output in which its outcome is looked for
_STATUS = re.compile(r"(?i)\b(?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|return ?code)\b\W{0,3}(-?\d{1,10})\b")
_STEMS = tuple(  # whatever `_STATUS` finds contains one of these; a stem in one case is found much faster than in any
    (stem, re.compile(f"{stem}(?i:{more})"))
    for stems, more in ((("xit", "XIT"), "(?:ed)?(?: with)?[ _]?(?:code|status)"), (("eturn", "ETURN"), " ?code"))
    for stem in stems
)
_RAISED = re.compile(r"^[\w.]{0,80}(?:Error|Exception)\b.*", re.MULTILINE)
_FAILED = re.compile(
    r"^.*\b(?:error|fatal|panic|failed|failure|denied|not found|no such)\b.*", re.MULTILINE | re.IGNORECASE
)


def _find_outcome(part: Part) -> str:
    """The exit status, if stated, and the line that explains a failure."""
    text = part.text if len(part.text) <= 2 * _SEEN else f"{part.text[:_SEEN]}\n{part.text[-_SEEN:]}"
    status = _find_status(text)
    code = status[1] if status else ""
    said = f"exit code {code}" if code else ""
    if not part.is_error and code in ("", "0"):
        return said
    return f"{said or 'error'}: {_find_error_line(text)}".removesuffix(": ")


def _find_status(text: str) -> re.Match[str] | None:
    """The first exit status stated; only searched where one of its words occurs."""
    for stem, word in _STEMS:
        if stem[0] not in text or stem not in text:  # one letter is found much sooner than a word is missed
            continue
        for place in word.finditer(text):
            if found := _STATUS.match(text, max(0, place.start() - 1)):
                return found
    return None


def _find_error_line(text: str) -> str:
    """The exception that ended it, else the first line that looks like an error, else the first line."""
    raised = _RAISED.findall(text)
    if raised:
        return str(raised[-1])
    failed = _FAILED.search(text)
    lines = (line for line in text.splitlines() if line.strip() and not _STATUS.search(line))
    return failed[0] if failed else next(lines, "")


# Arguments by name, lower case and without separators, the more telling ones first.
_TOLD = (
    "command", "cmd", "commands", "script", "keystrokes", "patchtext", "pattern", "patterns", "query", "queries",
    "regex", "filepath", "path", "filename", "file", "absolutepath", "targetfile", "notebookpath", "paths", "files",
    "glob", "url", "uri", "skill", "description", "prompt", "question", "message", "name", "id",
)  # fmt: skip
_RANKS = {name: rank for rank, name in enumerate(_TOLD)}
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.+)")


def _pick_main_argument(given: dict[str, Any]) -> Any:
    known = _rank_names(tuple(given))
    if "command" in known and "path" in known:
        verb, path = given[known["command"]], given[known["path"]]
        if isinstance(verb, str) and isinstance(path, str) and verb.replace("_", "").isalpha():
            return f"{verb} {path}"  # editors whose command is a verb
    for name in known.values():
        if given[name]:
            return given[name]
    return next((value for value in given.values() if isinstance(value, str) and value), "")


@lru_cache(maxsize=1024)
def _rank_names(names: tuple[str, ...]) -> dict[str, str]:
    """The known argument names among these by their normalized form, the most informative first."""
    plain = {_normalize_name(name): name for name in names}
    return {one: plain[one] for one in sorted(plain.keys() & _RANKS.keys(), key=_RANKS.__getitem__)}


def _normalize_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _join_words(value: Any) -> str:
    """A text as it is, a list of words as a line; of `bash -lc COMMAND` only the command."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        wrapped = len(value) == 3 and value[1].startswith("-") and value[1].endswith("c")
        return value[2] if wrapped else " ".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_decode = msgspec.json.Decoder().decode


def _read(arguments: str) -> Any:
    """The arguments by name, or the text that they are."""
    try:
        given = _decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments
    return given if isinstance(given, dict) else arguments
