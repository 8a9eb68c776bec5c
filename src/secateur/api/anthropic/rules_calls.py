"""Calls and results: each pair whole, in neighbouring messages, results first, under sound ids."""

import re
from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule

_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
_TOOL = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_NAME = 200  # characters of a call's tool name
_TEXTUAL = frozenset({"text", "image", "browser_state"})


@rule("A1", "each `tool_use` has its `tool_result` in the next message", "reported: claude-code #8612, #8210")
def unanswered(history: Messages) -> Found:
    for around, at, block in history.rounds.calls.unanswered:
        yield (
            (*around, at),
            f"call {_call(block)} has no result in the next message: give it one, or take its round out",
        )


@rule("A2", "each `tool_result` answers a `tool_use` of the previous message", "reported: claude-code #18947")
def orphans(history: Messages) -> Found:
    for around, at, id in history.rounds.calls.orphans:
        if not (history.partial and around[1] == 0):
            yield (
                (*around, at),
                f"result {id!r} has no call in the previous message: bring its call back, or make it a text",
            )


@rule("A3", "results stand before all other blocks of their message", "docs; reported: rivet #487")
def late(history: Messages) -> Found:
    for path in history.rounds.late:
        yield path, "a result stands behind another block of its message: move it to the front"


@rule("A4", "each call has one result", "general knowledge")
def doubles(history: Messages) -> Found:
    for around, at, id in history.rounds.calls.doubles:
        yield (*around, at), f"call {id!r} has a second result: keep the last and take the others out"


@rule("A4", "no two calls have the same id", "reported: litellm #23510, cua #524")
def repeated(history: Messages) -> Found:
    for path, id in history.rounds.repeated:
        yield path, f"call id {id!r} was used before: give this call and its result an id of their own"


@rule("A5", "ids are letters, digits, _ and -", "reported: bifrost #5097", blocks=("tool_use",))
def strange_id(block: Any, history: Messages) -> Found:
    id, name = block.get("id"), block.get("name")
    if isinstance(id, str) and not (id.isascii() and id.isidentifier()) and not _ID.match(id):  # the usual ones fast
        return [
            (("id",), f"call id {id[:40]!r} has other signs than a-z A-Z 0-9 _ -: change it here and in its result")
        ]
    if isinstance(name, str) and len(name) > _NAME:
        return [(("name",), f"a tool name has {len(name):,} characters: cut it to {_NAME} here and in `tools`")]
    return ()


@rule("A5", "names in `tools` are 1 to 128 letters, digits, _ and -", "reported: claude-code #2673, #21492, #96152")
def strange_tool(history: Messages) -> Found:
    for at, tool in enumerate(history.tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(name, str) and not _TOOL.match(name):
            yield ("tools", at, "name"), f"tool name {name[:40]!r} is not 1 to 128 of a-z A-Z 0-9 _ -: change it"


@rule("A6", "a call's `input` is a JSON object", "SDK types", blocks=("tool_use", "server_tool_use", "mcp_tool_use"))
def input_no_object(block: Any, history: Messages) -> Found:
    if isinstance(block.get("input"), dict):
        return ()
    return [(("input",), f"the input of call {_call(block)} is no object: write it as one, {{}} if it has none")]


@rule("A8", "the result of a toolset's call names the toolset and holds text and pictures only", "docs")
def toolset(history: Messages) -> Found:
    for path, call, result in history.rounds.of_toolsets:
        if call.get("toolset_name") != result.get("toolset_name"):
            yield path, f"the result of {_call(call)} names another toolset than its call: copy `toolset_name`"
        elif any(isinstance(b, dict) and word(b.get("type")) not in _TEXTUAL for b in items(result.get("content"))):
            yield path, f"the result of {_call(call)} holds more than text and pictures: make the rest a text"


@rule("A9", "a result with `is_error` holds text only", "reported: vellum #18387", blocks=("tool_result",))
def error_media(block: Any, history: Messages) -> Found:
    if block.get("is_error") is not True:
        return ()
    others = [at for at, inner in enumerate(items(block.get("content"))) if fields(inner).get("type") != "text"]
    return [
        (("content", at), "an error result holds a block that is no text: put a text in its place") for at in others
    ]


@rule("A10", "no system message stands between calls and their results", "docs")
def split(history: Messages) -> Found:
    for path in history.rounds.split:
        yield path, "a system message stands between calls and their results: move it behind the results"


def _call(block: Any) -> str:
    return f"{word(block.get('id'))[:60]!r} ({word(block.get('name'))[:60]})"
