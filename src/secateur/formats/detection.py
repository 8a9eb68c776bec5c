"""Which format a document has, whether or not the caller names one, and which known records are rejected.

Rule: a format that the caller names is checked against the document. If the document shows another format, it is
rejected and the other format is named; if both formats read it in the same way, or it shows nothing, the caller's word
counts. A record that is not a conversation as a model had it (many chats in one, or only screen output) is rejected
with what to give instead. Nothing is parsed further than needed.
"""

from typing import Any

from secateur.errors import FormatError, UnknownFormat
from secateur.formats import (
    ARRAYS,
    FORMATS,
    Format,
    describe_closest,
    get_built_in,
    get_format,
    recognize_by_plugin,
)
from secateur.formats.evidence import BODIES, CHAT_ROLES, list_member_names, weigh_formats
from secateur.formats.logs import read_first_lines
from secateur.formats.native import find_array, sample
from secateur.formats.session_files import has
from secateur.jsontext import TOO_DEEP, Lines, Text, is_too_deep

NAMED = "named by the caller"
_LOOKED_AT = 4096  # bytes after the first line that show whether there is more
_PI = frozenset({"pi", "openclaw"})  # one grammar: OpenClaw's lines occur among Pi's
_CHAT_LISTS = frozenset({"mini_swe_agent", "openai_chat"})  # as a bare list both are messages of a chat
_SHOWN = 40  # characters of a role that is not known
Found = tuple[Text, Format, str]

_AIDER = b"# aider chat started at "
_EXPLAINED_BYTES = 65_536  # bytes of a text that are searched for Aider's headline

INSPECT = (
    "this is an Inspect eval log, which holds a conversation for each sample: take the messages of one out with "
    "`jq '.samples[0].messages' log.json` and bring their calls into the shape of Chat Completions, or prune at the "
    "provider"
)
AIDER = (
    "this is an Aider chat history, which holds many chats as text without calls and results: there is nothing in it "
    "to prune; give the request body of one call instead"
)
COPILOT = (
    "this is the screen output of Copilot CLI: give its session file instead, "
    "events.jsonl under ~/.copilot/session-state"
)


def detect_document(data: bytes, name: str | None = None, broken: bool = False) -> Found:
    """Return the document, its format and why. Raises UnknownFormat, or FormatError if it is not as stated.

    `broken`: no reader may be able to read it, since it is to be repaired; the caller's word then needs no support.
    """
    if name is None:
        text, found = _detect(data)
        if found is None:
            _hold_flat(data)
            raise UnknownFormat(_explain_unknown(data, text))
        return found
    format = get_format(name)
    text, found = _detect(data) if name in FORMATS and data.strip() else (None, None)
    if found is not None and found[1] is format:
        return found[0], format, NAMED
    if found is not None:
        _hold(name, found[1:], found[0], broken)
    if found is None:
        _hold_flat(data)
    native = Lines.of(data) if format.log else Text.of(data)
    if found is None and format.log and format.name in FORMATS:
        _hold_lines(native, format)
    return native, format, NAMED


def detect_object(request: Any, name: str | None = None, broken: bool = False) -> tuple[Format, str]:
    """Return the format of Python objects, and why. Raises as `detect_document` does."""
    if name is None and not isinstance(request, dict | list | tuple):
        raise UnknownFormat(f"no known format: a request is bytes, a dict or a list, not {type(request).__name__}")
    found = recognize(request, log=False) if isinstance(request, dict | list | tuple) else None
    if not found and name is None and request:
        found = recognize_by_plugin(request, log=False)
    if name is not None:
        format = get_format(name)
        if found is not None and found[0] is not format:
            _hold(name, found, request, broken)
        return format, NAMED
    if found:
        return found
    if not request:
        return get_format("openai_chat"), "an empty list"
    first = request if isinstance(request, dict) else next(iter(request), {})
    nearest = describe_closest(set(first) if isinstance(first, dict) else set())
    raise UnknownFormat(explain_refusal(request) or f"no known format: {nearest}")


def recognize(native: Any, log: bool) -> tuple[Format, str] | None:
    """The built-in format of this document, and why; None if it is of none.

    Requests are told apart by all that they hold. A format is not asked about an object without the members it needs.
    """
    is_object = not log and (isinstance(native, dict) or (isinstance(native, Text) and native.kind == "{"))
    members = list_member_names(native) if is_object else None
    for name, entry in FORMATS.items():
        if entry.log != log or name in BODIES or (members is not None and entry.needs.isdisjoint(members)):
            continue
        if members is not None and entry.inside and not _may_hold(native, entry.inside):
            continue
        format = get_built_in(name)
        if reason := format.recognize(native):
            return format, reason
    found = None if log else weigh_formats(native)
    return (get_built_in(found.name), found.reason) if found is not None else None


def _may_hold(native: Any, names: frozenset[str]) -> bool:
    """Whether one of a few messages has all these members; also where no message is an object."""
    found = find_array(native, "messages")
    items = [one for one in sample(found[1], 2) if isinstance(one, dict)] if found is not None else []
    return not items or any(names <= one.keys() for one in items)


def _detect(data: bytes) -> tuple[Text | None, Found | None]:
    """Return the document as one value, if it is one, and what was detected."""
    if _has_many_lines(data):
        lines = Lines.of(data)
        found = recognize(lines, log=True)
        if found:
            return None, (lines, *found)
    text = Text.of(data)
    text.open_around(*ARRAYS)  # most bodies: one pass for both levels
    whole: Text | None = text
    try:
        text.open()
    except FormatError:
        whole = None
    found = recognize(text, log=False) if whole else None
    if found:
        return text, (text, *found)
    lines = Lines.of(data)
    found = recognize(lines, log=True)
    if found:
        return whole, (lines, *found)
    return whole, _detect_by_plugins(lines, whole)


def _detect_by_plugins(lines: Text, whole: Text | None) -> Found | None:
    """Return what plugin formats detect in a document that no built-in one reads."""
    found = recognize_by_plugin(whole, log=False) if whole else None
    if whole and found:
        return whole, *found
    found = recognize_by_plugin(lines, log=True)
    return (lines, *found) if found else None


def _hold(name: str, found: tuple[Format, str], native: Any, broken: bool) -> None:
    """Raise if a document that should be of the format `name` was found to be of another."""
    if name not in FORMATS or _is_compatible(name, found[0].name, native, broken):
        return
    looks, reason = found[0].name, found[1]
    raise FormatError(
        f"this is not {name}: it looks like {looks} ({reason}). Name the format {looks}, or none, and it is detected"
    )


def _is_compatible(name: str, looks: str, native: Any, broken: bool) -> bool:
    """Return whether both formats read this document."""
    if name == looks or {name, looks} <= _PI:
        return True
    bare = isinstance(native, list | tuple) or (type(native) is Text and native.kind == "[")
    if bare and {name, looks} <= _CHAT_LISTS:
        return True
    found = weigh_formats(native) if looks in BODIES and name in BODIES else None
    return found is not None and (name in found.equals or (broken and not found.sure))


def _hold_lines(native: Any, format: Format) -> None:
    """Raise where no line of a file is one that this host writes."""
    objects = next((at for at in range(len(native)) if isinstance(native.line(at), dict)), None)
    if objects is not None and not format.read(native).messages:
        near = describe_closest(set(native.line(objects)))
        raise FormatError(f"this is not {format.name}: none of its lines was written by this host; {near}")


def _hold_flat(data: bytes) -> None:
    """Raise where a document nests too deeply to be read at all."""
    if is_too_deep(data):
        raise FormatError(TOO_DEEP)


def _has_many_lines(data: bytes) -> bool:
    """Return whether the first line is an object and more lines follow."""
    end = data.find(b"\n", len(data) - len(data.lstrip()))
    return end > 0 and data[:end].strip().endswith(b"}") and bool(data[end : end + _LOOKED_AT].strip())


def _explain_unknown(data: bytes, text: Text | None) -> str:
    """Explain in a sentence why no format takes it."""
    lines = Lines.of(data)
    known = explain_refusal(data) or explain_refusal(lines) or (explain_refusal(text) if text is not None else "")
    return known or f"no known format: {_describe_document(text, lines)}"


def _describe_document(text: Text | None, lines: Lines) -> str:
    small = text is not None and text.kind == "{" and text.end - text.start < 1_000_000
    value = text.value() if text is not None and small else lines.line(0)
    if isinstance(value, dict):
        return _describe_roles(value) or describe_closest(set(value))
    if text is not None and text.kind == "[":
        first = text.child(0)
        inner = first.value() if first is not None else None
        return describe_closest(set(inner)) if isinstance(inner, dict) else "it is a list, but not of messages"
    if value is not None or lines.data.strip() == b"null":
        return "it is JSON, but neither an object nor a list of messages"
    return "it is neither one JSON value nor lines of JSON"


def _describe_roles(value: dict[str, Any]) -> str:
    """Return a sentence on messages of which none has a role that a format knows; "" where one has, or none has any."""
    messages = value.get("messages")
    items = enumerate(messages if isinstance(messages, list) else ())
    roles = {at: one["role"] for at, one in items if isinstance(one, dict) and "role" in one}
    if not roles or any(role in CHAT_ROLES for role in roles.values()):
        return ""
    at, role = next(iter(roles.items()))
    return f"messages[{at}] has the role {repr(role)[:_SHOWN]}, and no message has one of {', '.join(CHAT_ROLES)}"


def explain_refusal(native: Any) -> str:
    """Return a sentence on a known, refused record; "" for any other. Takes bytes, lines or objects."""
    if isinstance(native, bytes):
        head = native[:_EXPLAINED_BYTES]
        return AIDER if head.lstrip().startswith(_AIDER) or b"\n" + _AIDER in head else ""
    if isinstance(native, Lines):
        entries = read_first_lines(native)
        return COPILOT if any(entry.get("ephemeral") is True and "data" in entry for entry in entries) else ""
    return INSPECT if has(native, "eval", "plan", "samples") else ""
