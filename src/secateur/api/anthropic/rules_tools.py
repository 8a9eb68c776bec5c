"""Tools that a request offers, against those that its history and its choice name."""

from secateur.api.accessors import fields, word
from secateur.api.anthropic.models import version
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule


@rule("A32", "each `tool_reference` names a tool of this request", "reported: headroom #2805, #2888, #3456")
def references(history: Messages) -> Found:
    known = _names(history)
    for path, name in history.references:
        if history.given and known is not None and name not in known:
            yield path, f"a reference names {name[:60]!r}, which is not in `tools`: put a text in its place"


@rule("A33", "not all tools are deferred", "docs")
def deferred(history: Messages) -> Found:
    if history.tools and all(fields(tool).get("defer_loading") is True for tool in history.tools):
        yield ("tools",), "all tools have `defer_loading`: leave one without it"


@rule("A33", "`tool_choice` names a tool of the request, in a way its model takes", "reported: inspect_ai #5176")
def choice(history: Messages) -> Found:
    wanted, known = fields(history.request.get("tool_choice")), _names(history)
    kind, name = wanted.get("type"), word(wanted.get("name"))
    family, made = version(history.model)
    if kind in ("any", "tool") and family in ("fable", "mythos") and made >= (5, 1):
        yield ("tool_choice",), f"{history.model} takes no `tool_choice` of type {kind}: use auto"
    elif kind == "tool" and known is not None and name not in known:
        yield ("tool_choice",), f"`tool_choice` names {name[:60]!r}, which is not in `tools`: name one that is"


@rule("A34", "a paused turn of server tools goes on with its `tools`", "docs", whole=True)
def paused(history: Messages) -> Found:
    if history.given and not history.tools and not history.request.get("mcp_servers"):
        for path in history.turns.pending.values():
            yield path, "a server tool waits for its result and the request has no `tools`: send the same as before"


def _names(history: Messages) -> set[str] | None:
    """Names of the tools; None where some come from a server and have none here."""
    names = {word(fields(tool).get("name")) for tool in history.tools}
    return None if "" in names else names
