"""Whether placeholders can name handles: only if the reader has a way to read back what was removed.

Rule: a placeholder never makes a model look for something out of reach. "auto" examines the request: one of its tools
reads back (`secateur mcp` provides them), or, if the document has no list of tools, the model called one before. "on"
is for agents that read back in another way, such as the command line. "file" is for agents with a shell on the machine
of the store: placeholders name files that the store writes. Receipts have the handles anyway.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

from secateur.documents import Document
from secateur.errors import ConfigError, SecateurError
from secateur.jsontext import Lines, Text, dumps, loads
from secateur.stores.protocol import Store
from secateur.text.readback import MAX_PATH_CHARS, NAME, is_reader

Handles = Literal["auto", "on", "file", "off"]
MAX_FOLDER_CHARS = MAX_PATH_CHARS - 40  # tenant's folder, handle and ending follow
_PLACES = (("tools",), ("toolConfig", "tools"), ("config", "tools"))  # where requests list their tools


def parse_setting(said: str) -> Handles:
    """Parse the setting of this name. Raises ConfigError."""
    for one in get_args(Handles):
        if one == said:
            known: Handles = one
            return known
    raise ConfigError(f"recall_handles cannot be {said!r}: give auto, on, file or off")


def find_recall_folder(setting: Handles, store: Store | None) -> str:
    """The folder whose files texts name; "" if they name none. Raises ConfigError for a store that writes no files."""
    if setting != "file":
        return ""
    folder = getattr(store, "files_folder", "")
    if not folder:
        raise ConfigError("recall_handles='file' needs a store in a file on the agent's machine: sqlite:///~/agents.db")
    if "]" in folder or not folder.isprintable() or len(folder) > MAX_FOLDER_CHARS:
        why = f"a path of at most {MAX_FOLDER_CHARS} printable characters, without ]"
        raise ConfigError(f"recall_handles='file' cannot name files in {folder!r}: keep the store in {why}")
    return str(folder)


def can_name_files(store: Store) -> bool:
    """Whether texts can name files of this store: it writes some, in a place that a text can name."""
    try:
        find_recall_folder("file", store)
    except ConfigError:
        return False
    return True


def can_recall(setting: Handles, document: Document) -> bool:
    """Whether the model that reads this document can recall the content of a handle."""
    if setting != "auto":
        return setting in ("on", "file")
    tools = _get_tools(document.native)
    if tools is not None:
        return NAME.encode() in tools and _has_recall_tool(tools)
    calls = (part.tool for one in document.transcript.messages for part in one.parts if part.kind == "tool_call")
    return any(is_reader(tool) and NAME in tool.lower() for tool in calls)


def has_listed_recall_tool(tools: Any) -> bool:
    """Whether tools, as a request lists them, include one that reads back."""
    return _has_recall_tool(_encode_tools(tools))


def _get_tools(native: Any) -> bytes | None:
    """The tools listed by a request, as JSON; None if the document has no place for them."""
    if isinstance(native, Lines) or not isinstance(native, Text | dict):
        return None
    if isinstance(native, Text) and native.kind != "{":
        return None
    for path in _PLACES:
        found = native.at(path) if isinstance(native, Text) else _get_at_path(native, path)
        if found is not None:
            return found.raw if isinstance(found, Text) else _encode_tools(found)
    return b""


def _get_at_path(native: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        native = native.get(step) if isinstance(native, dict) else None
    return native


def _encode_tools(tools: Any) -> bytes:
    try:
        return dumps(tools)
    except (TypeError, ValueError, msgspec.MsgspecError):  # objects of some package that cannot be listed
        return b""


@lru_cache(maxsize=16)
def _has_recall_tool(tools: bytes) -> bool:
    """Whether a recall tool of ours is listed by name or description, or all tools of our server are."""
    try:
        return any(_is_recall_tool(one) for one in _iterate_definitions(loads(tools)))
    except (SecateurError, ValueError):
        return False


def _iterate_definitions(value: Any) -> Iterator[dict[str, Any]]:
    """Every named item in a list of tools, however deeply providers nest it."""
    if isinstance(value, dict):
        if "name" in value or "server_label" in value:
            yield value
            value = value.get("tools")  # of a namespace: Codex groups the tools of a server
        else:
            value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from _iterate_definitions(one)


def _is_recall_tool(tool: dict[str, Any]) -> bool:
    if str(tool.get("server_label", "")).lower() == NAME:
        return True
    name = str(tool.get("name", ""))
    return is_reader(name) and NAME in f"{name} {tool.get('description', '')}".lower()
