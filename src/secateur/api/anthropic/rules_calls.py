"""Rules for calls and results: their pairs, their ids, server tools, and the tools that a request offers."""

import re
from typing import Any

from secateur.api.anthropic.models import parse_version
from secateur.api.anthropic.walk import MessagesWalker
from secateur.api.rule import Found, rule
from secateur.api.walker import get_fields, get_items, get_text

_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
_TOOL = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_NAME = 200  # characters of a call's tool name
_TEXTUAL = frozenset({"text", "image", "browser_state"})


@rule("A1", "each `tool_use` has its `tool_result` in the next message", "reported: claude-code #8612, #8210")
def unanswered(history: MessagesWalker) -> Found:
    for around, at, block in history.rounds.calls.unanswered:
        yield (
            (*around, at),
            f"call {_call(block)} has no result in the next message: add one, or remove its round",
        )


@rule("A2", "each `tool_result` answers a `tool_use` of the previous message", "reported: claude-code #18947")
def orphans(history: MessagesWalker) -> Found:
    for around, at, id in history.rounds.calls.orphans:
        if not (history.partial and around[1] == 0):
            yield (
                (*around, at),
                f"result {id!r} has no call in the previous message: restore the call, or turn the result into text",
            )


@rule("A3", "results come before all other blocks of their message", "docs; reported: rivet #487")
def late(history: MessagesWalker) -> Found:
    for path in history.rounds.late:
        yield path, "a result follows another block of its message: move it to the front"


@rule("A4", "each call has one result", "general knowledge")
def doubles(history: MessagesWalker) -> Found:
    for around, at, id in history.rounds.calls.doubles:
        yield (*around, at), f"call {id!r} has a second result: keep the last and remove the others"


@rule("A4", "no two calls have the same id", "reported: litellm #23510, cua #524")
def repeated(history: MessagesWalker) -> Found:
    for path, id in history.rounds.repeated:
        yield path, f"call id {id!r} is already used: give this call and its result an id of their own"


@rule("A5", "ids are letters, digits, _ and -", "reported: bifrost #5097", blocks=("tool_use",))
def strange_id(block: Any, history: MessagesWalker) -> Found:
    id = block.get("id")
    if not isinstance(id, str) or (id.isascii() and id.isidentifier()) or _ID.match(id):  # most ids are identifiers
        return ()
    text = f"call id {id[:40]!r} has characters other than a-z A-Z 0-9 _ -: rename it here and in its result"
    return [(("id",), text)]


@rule(
    "A5",
    "the name of a called tool has at most 200 characters",
    "reported: bifrost #5097",
    blocks=("tool_use",),
    no_repair="the name must stay that of a tool of the request",
)
def long_name(block: Any, history: MessagesWalker) -> Found:
    name = block.get("name")
    if not isinstance(name, str) or len(name) <= _NAME:
        return ()
    text = f"tool name has {len(name):,} characters, the limit is {_NAME}: shorten it here and in `tools`"
    return [(("name",), text)]


@rule(
    "A5",
    "names in `tools` are 1 to 128 letters, digits, _ and -",
    "reported: claude-code #2673, #21492, #96152",
    no_repair="tools belong to the caller",
)
def strange_tool(history: MessagesWalker) -> Found:
    for at, tool in enumerate(history.tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(name, str) and not _TOOL.match(name):
            yield (
                ("tools", at, "name"),
                f"tool name {name[:40]!r} is not 1 to 128 characters of a-z A-Z 0-9 _ -: rename it",
            )


@rule("A6", "a call's `input` is a JSON object", "SDK types", blocks=("tool_use", "server_tool_use", "mcp_tool_use"))
def input_no_object(block: Any, history: MessagesWalker) -> Found:
    if isinstance(block.get("input"), dict):
        return ()
    return [(("input",), f"the input of call {_call(block)} is not an object: write it as one, or {{}} if it is empty")]


@rule(
    "A8",
    "the result of a toolset's call names the toolset and contains only text and images",
    "docs",
    no_repair="only the caller knows which toolset was called",
)
def toolset(history: MessagesWalker) -> Found:
    for path, call, result in history.rounds.of_toolsets:
        if call.get("toolset_name") != result.get("toolset_name"):
            yield path, f"the result of {_call(call)} names another toolset than its call: copy `toolset_name`"
        elif any(
            isinstance(b, dict) and get_text(b.get("type")) not in _TEXTUAL for b in get_items(result.get("content"))
        ):
            yield path, f"the result of {_call(call)} contains more than text and images: turn the rest into text"


@rule("A9", "a result with `is_error` contains only text", "reported: vellum #18387", blocks=("tool_result",))
def error_media(block: Any, history: MessagesWalker) -> Found:
    if block.get("is_error") is not True:
        return ()
    others = [at for at, inner in enumerate(get_items(block.get("content"))) if get_fields(inner).get("type") != "text"]
    return [
        (("content", at), "an error result contains a block that is not text: replace it with a text") for at in others
    ]


@rule("A10", "no system message comes between calls and their results", "docs")
def split(history: MessagesWalker) -> Found:
    for path in history.rounds.split:
        yield path, "a system message comes between calls and their results: move it behind the results"


def _call(block: Any) -> str:
    return f"{get_text(block.get('id'))[:60]!r} ({get_text(block.get('name'))[:60]})"


@rule("A40", "a server tool's result has its use before it in the turn", "reported: claude-code #64383, #66548")
def astray(history: MessagesWalker) -> Found:
    for path, kind, id in history.turns.astray:
        yield (
            path,
            f"a block of type {kind[:60]} has no use {id[:60]!r} before it in its turn: remove both, or keep both",
        )


@rule("A41", "only in the last turn may a server tool lack a result", "docs")
def left_open(history: MessagesWalker) -> Found:
    for path, id in history.turns.left_open:
        yield path, f"server tool use {id[:60]!r} has no result and its turn is over: remove it"


@rule(
    "A32",
    "each `tool_reference` names a tool of this request",
    "reported: headroom #2805, #2888, #3456",
    no_repair="only the caller knows which tools it offers",
)
def references(history: MessagesWalker) -> Found:
    known = _list_tool_names(history)
    for path, name in history.references:
        if history.given and known is not None and name not in known:
            yield path, f"a reference names {name[:60]!r}, which is not in `tools`: replace it with a text"


@rule("A33", "not all tools are deferred", "docs", no_repair="tools belong to the caller")
def deferred(history: MessagesWalker) -> Found:
    if history.tools and all(get_fields(tool).get("defer_loading") is True for tool in history.tools):
        yield ("tools",), "all tools have `defer_loading`: remove it from one"


@rule(
    "A33",
    "`tool_choice` names a tool of the request, in a way that its model accepts",
    "reported: inspect_ai #5176",
    no_repair="fields of the request belong to the caller",
)
def choice(history: MessagesWalker) -> Found:
    wanted, known = get_fields(history.request.get("tool_choice")), _list_tool_names(history)
    kind, name = wanted.get("type"), get_text(wanted.get("name"))
    family, made = parse_version(history.model)
    if kind in ("any", "tool") and family in ("fable", "mythos") and made >= (5, 1):
        yield ("tool_choice",), f"{history.model} accepts no `tool_choice` of type {kind}: use auto"
    elif kind == "tool" and known is not None and name not in known:
        yield ("tool_choice",), f"`tool_choice` names {name[:60]!r}, which is not in `tools`: name a tool that is"


@rule(
    "A34",
    "a paused turn of server tools is continued with its `tools`",
    "docs",
    whole=True,
    no_repair="tools belong to the caller",
)
def paused(history: MessagesWalker) -> Found:
    if history.given and not history.tools and not history.request.get("mcp_servers"):
        for path in history.turns.pending.values():
            yield (
                path,
                "a server tool waits for its result and the request has no `tools`: send the same as before",
            )


def _list_tool_names(history: MessagesWalker) -> set[str] | None:
    """Return the tool names, or None if some tools come from a server and are not listed."""
    names = {get_text(get_fields(tool).get("name")) for tool in history.tools}
    return None if "" in names else names
