"""Contents and parts that generateContent refuses for what they hold: odd roles, no parts, empty texts, two data.

Rules G0, G4-G7, G13. An empty part goes where another remains; else it says that there is nothing, in its place, so
that no content moves. A text that carries a thought signature stays, empty or not (G11).
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from secateur.api.call_arguments import object_of
from secateur.api.editable import Node
from secateur.api.gemini.walk import KINDS, data_of, is_blank, is_void
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, Work, quoted
from secateur.api.replacement_texts import heading
from secateur.api.surrogates import halves
from secateur.formats.native import canonical
from secateur.patch import apply

_ROLES = ("user", "model", "function", None)
_USES = {"codeExecutionResult": "executableCode", "toolResponse": "toolCall"}  # a server's result -> its use


def datum(part: Node) -> tuple[str, str]:
    """What kind of datum a part holds, and the name it came under; nothing for what holds none, or several."""
    names = data_of(part.value) if isinstance(part.value, dict) else []
    return (KINDS[names[0]], names[0]) if len(names) == 1 else ("", "")


def is_model(node: Node) -> bool:
    """Whether the model speaks; all else is the user's."""
    return bool(node.get("role") == "model")


def turns(nodes: list[Node]) -> Iterator[tuple[str, list[Node]]]:
    """Contents of one role in a row; what is no content belongs to none."""
    contents = [node for node in nodes if isinstance(node.value, dict)]
    for role, run in groupby(contents, lambda node: "model" if is_model(node) else "user"):
        yield role, list(run)


def mend_contents(work: Work) -> None:
    """Mend what stands inside contents."""
    open_ = dict.fromkeys(_USES.values(), 0)  # how many uses of a server's tools wait for their result
    for node in work.nodes:
        if isinstance(node.value, dict):
            _mend_role(work, node)
            _open(work, node)
            _split(work, node)
            for part in node.inner or ():
                _mend_part(work, node, part)
                _mend_server(work, part, open_)
            _mend_nothing(work, node)


def _mend_role(work: Work, node: Node) -> None:
    role = node.get("role")
    if role is None or (isinstance(role, str) and role in _ROLES):
        return
    node.put(("role",), "model" if role == "assistant" else "user")
    work.say("G6", node, f"the role {quoted(role)}, which there is not, became {node.get('role')}")


def _open(work: Work, node: Node) -> None:
    """Let `parts` be a list: one part becomes a list of it, a string a text, nothing a list without parts."""
    parts = node.get("parts")
    if node.inner is None:
        one = isinstance(parts, dict)
        path = (*(node.path or ()), "parts")
        node.inner = [Node(parts, path)] if one else [Node({"text": parts})] if isinstance(parts, str) else []
        node.size = -1
        if parts is not None:
            work.say("G5", node, "parts that were no list became one")


def _split(work: Work, node: Node) -> None:
    """A part of several data becomes as many parts; the signature and what else stood beside stay with a call, else
    with the first (G7)."""
    parts: list[Node] = []
    for part in node.inner or ():
        names = data_of(part.value) if isinstance(part.value, dict) else []
        if len(names) < 2:
            parts.append(part)
            continue
        keeps = next((name for name in names if KINDS[name] == "functionCall"), names[0])
        parts += [part if name == keeps else Node({name: part.get(name)}) for name in names]
        for name in names:
            if name != keeps:
                part.drop(name)
        work.say("G7", part, f"a part of {len(names)} data became as many parts")
    if len(parts) > len(node.inner or ()):
        node.inner = parts


def _mend_part(work: Work, node: Node, part: Node) -> None:
    if isinstance(part.value, str):
        part.put((), {"text": part.value})
        work.say("G0", part, "a part that was a string became a text")
    kind, name = datum(part)
    value = part.get(name)
    if kind == "text" and not isinstance(value, str):
        part.put((name,), canonical(value))
        work.say("G0", part, "a text that was no string became one")
    elif kind == "functionCall":
        _mend_call(work, node, part, name)
    elif kind == "functionResponse" and not isinstance(value, dict):
        part.put((name,), {"response": {"output": value}})
        work.say("G4", part, "a response that was no object became one")
    elif kind == "functionResponse" and not isinstance(value.get("response"), dict):
        said = value.get("response")
        part.put((name, "response"), {"output": NO_OUTPUT if said is None else said})
        work.say("G4", part, "a function's response was no object and became one")


def _mend_call(work: Work, node: Node, part: Node, name: str) -> None:
    value = part.get(name)
    if not is_model(node) or not isinstance(value, dict):
        named, args = (value.get("name"), value.get("args")) if isinstance(value, dict) else ("", value)
        part.put((), {"text": f"[call of {named or 'a function'}: {canonical({} if args is None else args)}]"})
        work.say("G1", part, "a call that the model did not make became text")
        return
    if not isinstance(value.get("args"), dict | None):
        given = object_of(value.get("args"))
        part.put((name, "args"), apply(given, list(halves(given))))
        work.say("G0", part, "the arguments of a call were no object and became one")
    if not (isinstance(value.get("name"), str) and value["name"]):
        part.put((name, "name"), "unknown")
        work.say("G3", part, "a call without a name is now one of `unknown`")


def _mend_server(work: Work, part: Node, open_: dict[str, int]) -> None:
    """A result of a server's tool that no use precedes becomes text (G13)."""
    kind, name = datum(part)
    if kind in open_:
        open_[kind] += 1
    elif kind in _USES and open_[_USES[kind]]:
        open_[_USES[kind]] -= 1
    elif kind in _USES:
        value: Any = part.get(name)
        call = value.get("id") if isinstance(value, dict) else None
        part.put((), {"text": f"{heading(call, 'server tool')}\n{canonical(value)}"})
        work.say("G13", part, "the result of a server tool, whose use is not there, became text")


def _mend_nothing(work: Work, node: Node) -> None:
    """Parts without a datum go where another remains, else one says that there is nothing (G5, G7).

    So do empty texts on Vertex AI; elsewhere they were taken, and stay.
    """
    parts, strict = node.inner or [], work.settings.profile == "vertex"
    void = [part for part in parts if _is_void(part.value, strict)]
    spared = void[:1] if len(void) == len(parts) else []
    for part in void:
        rule, what = ("G5", "an empty text") if datum(part)[0] == "text" else ("G7", "a part without a datum")
        work.say(rule, part, f"{what} now reads {NO_CONTENT}" if part in spared else f"{what} was taken out")
    for part in spared:
        part.put((), {"text": NO_CONTENT})
    if not parts:
        node.inner = [Node({"text": NO_CONTENT})]
        work.say("G5", node, f"a content without parts now reads {NO_CONTENT}")
    elif len(void) > len(spared):
        gone = {id(part) for part in void if part not in spared}
        node.inner = [part for part in parts if id(part) not in gone]


def _is_void(part: Any, strict: bool) -> bool:
    return isinstance(part, dict) and (is_void(part) or (strict and data_of(part) == ["text"] and is_blank(part)))
