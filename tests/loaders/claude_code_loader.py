"""A second reader of Claude Code's session files: grows the set of lines on a branch until no more belong to it.

No walk gathers messages here: lines are taken in, whatever their place in the tree, because one that is in already
needs them; then they are put in order.
"""

from typing import Any

from loaders.shown import Shown, flat, objects, sorted_json

CLEARED = "[Old tool result content cleared]"


def load(data: bytes) -> list[Shown]:
    """What Claude Code would send, oldest first."""
    every = {at: line for at, line in enumerate(objects(data)) if isinstance(line, dict)}
    lines = {at: line for at, line in every.items() if line.get("uuid") and not line.get("isSidechain")}
    branch = climbed(lines)
    while (more := wanted(lines, branch)) is not None:
        branch.add(more)
    return told(lines, sorted(branch), sent_between(every, lines, branch))


def sent_between(every: dict[int, Any], lines: dict[int, Any], branch: set[int]) -> dict[int, str]:
    """Prompts that were taken off the queue while the branch was at work, by the line where they were taken."""
    prompts = [one["attachment"].get("prompt") for one in every.values() if one.get("type") == "attachment"]
    queue: list[str] = []
    sent: dict[int, str] = {}
    for at, line in every.items():
        match line.get("operation"):
            case "enqueue":
                queue = [*queue, line["content"]]
            case "popAll":
                queue = []
            case "dequeue":
                queue = queue[1:]
            case "remove" if queue:
                last = max(
                    (one for one in lines if one < at and lines[one]["type"] in ("user", "assistant")), default=-1
                )
                first = queue[0].split()[0] if queue[0].split() else "/"
                is_command = first.startswith("/") and first.count("/") == 1
                if last in branch and not is_command and queue[0][0] != "<" and queue[0] not in prompts:
                    sent[at] = queue[0]
                queue = queue[1:]
    return sent


def climbed(lines: dict[int, Any]) -> set[int]:
    """The newest line of a conversation and all above it, down to the newest compaction."""
    at = max((at for at, line in lines.items() if line["type"] in ("user", "assistant")), default=None)
    by_id = {line["uuid"]: at for at, line in lines.items()}
    branch: set[int] = set()
    while at is not None and lines[at].get("subtype") != "compact_boundary":
        branch.add(at)
        parent = lines[at]["parentUuid"]
        before = max((one for one in lines if one < at), default=None)
        at = None if parent is None else by_id.get(parent, before)
    return branch


def wanted(lines: dict[int, Any], branch: set[int]) -> int | None:
    """The first other line of a message on the branch, or of a result of one of its calls that hangs off it."""
    messages = {api_message(lines[one]) for one in branch if lines[one]["type"] == "assistant"}
    found = [block for one in branch for block in blocks(lines[one])]
    calls = {block["id"] for block in found if block["type"] == "tool_use"}
    waiting = calls - {block["tool_use_id"] for block in found if block["type"] == "tool_result"}
    for at, line in lines.items():
        if at in branch:
            continue
        if line["type"] == "assistant" and api_message(line) in messages:
            return at
        if line["type"] == "user" and any(
            block["type"] == "tool_result" and block["tool_use_id"] in waiting for block in blocks(line)
        ):
            return at
    return None


def api_message(line: Any) -> str:
    return str(line["message"]["id"])


def blocks(line: Any) -> list[Any]:
    if line["type"] not in ("user", "assistant"):
        return []
    content = line["message"]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def told(lines: dict[int, Any], branch: list[int], sent: dict[int, str]) -> list[Shown]:
    """The branch in order: an API message where its first line stands, its results and what was sent right behind."""
    assistants = [at for at in branch if lines[at]["type"] == "assistant"]
    of_call = {block["id"]: api_message(lines[at]) for at in assistants for block in blocks(lines[at]) if "id" in block}
    gone = cleared(lines, branch)
    shown: list[Shown] = []
    begun: set[str] = set()
    for at in branch:
        line = lines[at]
        if not any(block["type"] == "tool_result" for block in blocks(line)):
            shown += [Shown("user", "text", sent.pop(one)) for one in sorted(sent) if one < at]
        if line["type"] == "attachment":
            shown += attached(line["attachment"])
        elif line["type"] == "assistant" and api_message(line) not in begun:
            name = api_message(line)
            begun.add(name)
            mine = [one for one in assistants if api_message(lines[one]) == name and was_sent(lines[one])]
            answers = [one for one in branch if lines[one]["type"] == "user" and name in asked(lines[one], of_call)]
            for one in [*mine, *answers]:
                shown += of_line(lines[one], gone)
        elif line["type"] == "user" and not asked(line, of_call):
            shown += of_line(line, gone)
    return [*shown, *(Shown("user", "text", text) for text in sent.values())]


def asked(line: Any, of_call: dict[str, str]) -> set[str]:
    """The API messages whose calls a line answers."""
    return {of_call[block["tool_use_id"]] for block in blocks(line) if block.get("tool_use_id") in of_call}


def was_sent(line: Any) -> bool:
    return line["message"]["model"] != "<synthetic>" and not line.get("isApiErrorMessage")


def cleared(lines: dict[int, Any], branch: list[int]) -> set[str]:
    """Ids that a micro-compaction on the branch lists."""
    return {call for at in branch for call in lines[at].get("microcompactMetadata", {}).get("compactedToolIds", [])}


def of_line(line: Any, gone: set[str]) -> list[Shown]:
    found = blocks(line)
    role = "tool" if found and all(block["type"] == "tool_result" for block in found) else line["type"]
    shown: list[Shown] = []
    for block in found:
        kind = block["type"]
        if kind == "text":
            shown.append(Shown(role, "text", block["text"]))
        elif kind == "thinking":
            shown.append(Shown(role, "reasoning", block["thinking"]))
        elif kind == "tool_use":
            shown.append(Shown(role, "tool_call", sorted_json(block["input"]), block["id"]))
        elif kind == "tool_result":
            text = CLEARED if block["tool_use_id"] in gone else flat(block["content"])
            shown.append(Shown(role, "tool_result", text, block["tool_use_id"]))
        else:
            shown.append(Shown(role, "media" if kind in ("image", "document") else "other"))
    return shown


def attached(attachment: Any) -> list[Shown]:
    """A queued prompt, or the texts that the host makes a reminder of."""
    if attachment["type"] == "queued_command":
        return [Shown("user", "text", attachment["prompt"])]
    if attachment["type"] in ("hook_system_message", "command_permissions"):
        return []
    texts: list[str] = []
    for name in ("content", "snippet", "addedBlocks", "addedLines"):
        value = attachment.get(name)
        value = value["file"]["content"] if isinstance(value, dict) else value
        texts += [value] if isinstance(value, str) else [one for one in value or [] if isinstance(one, str)]
    text = "\n".join(one for one in texts if one)
    return [Shown("system", "other", text)] if text else []
