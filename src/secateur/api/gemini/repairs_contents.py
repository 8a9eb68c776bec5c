"""Repairs contents: unknown roles, missing parts, empty texts, parts with several fields of data, and too much media.

Rule: an empty part is removed if another part remains; otherwise it is replaced with a text that says so, so that no
content moves. A text with a thought signature stays, even if it is empty (G11). From a body that is too large the
oldest media are removed first, each replaced with a text that says what it was; in a response, which has its media
beside its data, that text is added to the data.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.api.gemini.rules_contents import BODY
from secateur.api.gemini.walk import KINDS, find_data, is_blank, is_void
from secateur.api.json_checks import replace_surrogates
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, RepairRun, quote, register_repair
from secateur.api.replacements import describe_removed, parse_object, write_heading
from secateur.formats.native import dump_canonical
from secateur.patch import apply

_ROLES = ("user", "model", "function", None)
_USES = {"codeExecutionResult": "executableCode", "toolResponse": "toolCall"}  # a server's result -> its use


def get_datum(part: Node) -> tuple[str, str]:
    """The kind of the data of a part, and its name; both "" if it has none or several."""
    names = find_data(part.value) if isinstance(part.value, dict) else []
    return (KINDS[names[0]], names[0]) if len(names) == 1 else ("", "")


def is_model(node: Node) -> bool:
    """Whether a content is the model's; all others are the user's."""
    return bool(node.get("role") == "model")


def group_turns(nodes: list[Node]) -> Iterator[tuple[str, list[Node]]]:
    """Group consecutive contents of one role, skipping what is not a content."""
    contents = [node for node in nodes if isinstance(node.value, dict)]
    for role, run in groupby(contents, lambda node: "model" if is_model(node) else "user"):
        yield role, list(run)


@register_repair("G0", "G1", "G3", "G4", "G5", "G6", "G7", "G13")
def repair_contents(repair: RepairRun) -> None:
    """Repair roles, parts, calls and responses inside contents."""
    open_ = dict.fromkeys(_USES.values(), 0)  # how many uses of a server's tools wait for their result
    for node in repair.nodes:
        if isinstance(node.value, dict):
            _repair_role(repair, node)
            _open(repair, node)
            _split(repair, node)
            for part in node.inner or ():
                _repair_part(repair, node, part)
                _repair_server(repair, part, open_)
            _repair_nothing(repair, node)


def _repair_role(repair: RepairRun, node: Node) -> None:
    role = node.get("role")
    if role is None or (isinstance(role, str) and role in _ROLES):
        return
    node.put(("role",), "model" if role == "assistant" else "user")
    repair.record("G6", node, f"the unknown role {quote(role)} became {node.get('role')}")


def _open(repair: RepairRun, node: Node) -> None:
    """Make `parts` a list of parts."""
    parts = node.get("parts")
    if node.inner is None:
        one = isinstance(parts, dict)
        path = (*(node.path or ()), "parts")
        node.inner = [Node(parts, path)] if one else [Node({"text": parts})] if isinstance(parts, str) else []
        node.size = -1
        if parts is not None:
            repair.record("G5", node, "parts that were not a list became one")


def _split(repair: RepairRun, node: Node) -> None:
    """Split a part with several fields of data. Its signature and other fields stay with a call, or else with the first
    (G7).
    """
    parts: list[Node] = []
    for part in node.inner or ():
        names = find_data(part.value) if isinstance(part.value, dict) else []
        if len(names) < 2:
            parts.append(part)
            continue
        keeps = next((name for name in names if KINDS[name] == "functionCall"), names[0])
        parts += [part if name == keeps else Node({name: part.get(name)}) for name in names]
        for name in names:
            if name != keeps:
                part.drop(name)
        repair.record("G7", part, f"a part with {len(names)} fields of data was split into as many parts")
    if len(parts) > len(node.inner or ()):
        node.inner = parts


def _repair_part(repair: RepairRun, node: Node, part: Node) -> None:
    if isinstance(part.value, str):
        part.put((), {"text": part.value})
        repair.record("G0", part, "a part that was a string became a text part")
    kind, name = get_datum(part)
    value = part.get(name)
    if kind == "text" and not isinstance(value, str):
        part.put((name,), dump_canonical(value))
        repair.record("G0", part, "a text that was not a string became one")
    elif kind == "functionCall":
        _repair_call(repair, node, part, name)
    elif kind == "functionResponse" and not isinstance(value, dict):
        part.put((name,), {"response": {"output": value}})
        repair.record("G4", part, "a response that was not an object became one")
    elif kind == "functionResponse" and not isinstance(value.get("response"), dict):
        said = value.get("response")
        part.put((name, "response"), {"output": NO_OUTPUT if said is None else said})
        repair.record("G4", part, "a function's response was not an object and became one")


def _repair_call(repair: RepairRun, node: Node, part: Node, name: str) -> None:
    value = part.get(name)
    if not is_model(node) or not isinstance(value, dict):
        named, args = (value.get("name"), value.get("args")) if isinstance(value, dict) else ("", value)
        part.put((), {"text": f"[call of {named or 'a function'}: {dump_canonical({} if args is None else args)}]"})
        repair.record("G1", part, "a call outside a model content became text")
        return
    if not isinstance(value.get("args"), dict | None):
        given = parse_object(value.get("args"))
        part.put((name, "args"), apply(given, list(replace_surrogates(given))))
        repair.record("G0", part, "the arguments of a call were not an object and became one")
    if not (isinstance(value.get("name"), str) and value["name"]):
        part.put((name, "name"), "unknown")
        repair.record("G3", part, "a call without a name is now one of `unknown`")


def _repair_server(repair: RepairRun, part: Node, open_: dict[str, int]) -> None:
    """Turn the result of a server tool without a use into text (G13)."""
    kind, name = get_datum(part)
    if kind in open_:
        open_[kind] += 1
    elif kind in _USES and open_[_USES[kind]]:
        open_[_USES[kind]] -= 1
    elif kind in _USES:
        value: Any = part.get(name)
        call = value.get("id") if isinstance(value, dict) else None
        part.put((), {"text": f"{write_heading(call, 'server tool')}\n{dump_canonical(value)}"})
        repair.record("G13", part, "the result of a server tool has no use and became text")


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    """Remove parts without data if another remains; otherwise let one say so (G5, G7).

    On Vertex AI the same applies to empty texts; the Gemini API accepts them.
    """
    parts, strict = node.inner or [], repair.options.profile == "vertex"
    void = [part for part in parts if _is_void(part.value, strict)]
    spared = void[:1] if len(void) == len(parts) else []
    for part in void:
        rule, what = ("G5", "an empty text") if get_datum(part)[0] == "text" else ("G7", "a part without a datum")
        repair.record(rule, part, f"{what} now reads {NO_CONTENT}" if part in spared else f"{what} was removed")
    for part in spared:
        part.put((), {"text": NO_CONTENT})
    if not parts:
        node.inner = [Node({"text": NO_CONTENT})]
        repair.record("G5", node, f"a content without parts now reads {NO_CONTENT}")
    elif len(void) > len(spared):
        gone = {id(part) for part in void if part not in spared}
        node.inner = [part for part in parts if id(part) not in gone]


def _is_void(part: Any, strict: bool) -> bool:
    return isinstance(part, dict) and (is_void(part) or (strict and find_data(part) == ["text"] and is_blank(part)))


class _Medium(Struct, eq=False):
    """Inline data of a part, or of a part that a response contains."""

    part: Node
    value: dict[str, Any]
    at: str = ""  # the name of its response


@register_repair("G14")
def repair_media(repair: RepairRun) -> None:
    """Remove media until the body has no more bytes than the API accepts."""
    most = repair.options.limits.body_bytes or BODY
    found = [one for _, part in repair.iterate_blocks() for one in _find_media(part)]
    whole = repair.bytes or sum(len(_get_data(one.value)) for one in found)
    for one in found:
        if whole <= most:
            return
        whole -= len(_get_data(one.value))
        _clear(repair, one)


def _find_media(part: Node) -> list[_Medium]:
    kind, name = get_datum(part)
    value = part.get(name)
    if kind == "inlineData" and isinstance(value, dict):
        return [_Medium(part, value)]
    inner = value.get("parts") if kind == "functionResponse" and isinstance(value, dict) else None
    held = [_get_inline_data(one) for one in inner] if isinstance(inner, list) else []
    return [_Medium(part, one, name) for one in held if one]


def _get_inline_data(value: Any) -> dict[str, Any]:
    found = (value.get("inlineData") or value.get("inline_data")) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _get_data(value: dict[str, Any]) -> str:
    data = value.get("data")
    return data if isinstance(data, str) else ""


def _clear(repair: RepairRun, one: _Medium) -> None:
    mime = one.value.get("mimeType") or one.value.get("mime_type") or "media"
    text = describe_removed(mime, _get_data(one.value), "the request had too many bytes")
    if one.at:
        _clear_in_response(one, text)
    else:
        one.part.put((), {"text": text})
    repair.record("G14", one.part, text[1:-1])


def _clear_in_response(one: _Medium, text: str) -> None:
    """Remove a medium from a response."""
    held: dict[str, Any] = one.part.get(one.at)
    parts = [inner for inner in held["parts"] if _get_inline_data(inner) is not one.value]
    said = held.get("response")
    response: dict[str, Any] = said if isinstance(said, dict) else {}
    gone = (
        "\n".join(filter(None, (response.get("removed"), text)))
        if isinstance(response.get("removed"), str | None)
        else text
    )
    kept = {name: value for name, value in held.items() if name != "parts"} | ({"parts": parts} if parts else {})
    one.part.put((one.at,), kept | {"response": {**response, "removed": gone}})
