"""Which API a request is written for, by all of its content: blocks, roles, fields around the messages, the model.

Rule: every message counts, wherever it is, and unknown content counts for nothing. Blocks and roles of one API outweigh
fields, and fields outweigh hints; if nothing decides, a list of messages is Chat Completions. Formats whose documents
are equally plain are named as well: the caller can state any of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from secateur.formats.native import find_array, read_member, sample
from secateur.jsontext import Text

PI, GEMINI, BEDROCK = "pi_messages", "gemini", "bedrock_converse"
ANTHROPIC, RESPONSES, CHAT = "anthropic_messages", "openai_responses", "openai_chat"

_PI_ROLES = frozenset({"toolResult", "bashExecution", "branchSummary", "compactionSummary"})
_PI_CUSTOM = frozenset({"custom", "hookMessage"})  # words anyone might use: Pi's have a `customType`
_GEMINI_ROLES = ("user", "model", "function", None)
_BLOCKS = {
    kind: name
    for name, kinds in (
        (PI, "toolCall"),
        (ANTHROPIC, "tool_use tool_result server_tool_use mcp_tool_use container_upload search_result"),
        (CHAT, "image_url refusal"),
        (RESPONSES, "input_text output_text input_image input_file"),
    )
    for kind in kinds.split()
}
_BEDROCK_KEYS = (
    "text toolUse toolResult image document video audio reasoningContent citationsContent guardContent searchResult "
    "toolAddition toolRemoval cachePoint"
)
_KEYED = frozenset(_BEDROCK_KEYS.split())
_THINKING = ("thinking", "redacted_thinking")
_ITEM = re.compile(r"(?:reasoning|compaction|item_reference)\Z|[a-z_]+_call(?:_output)?\Z|mcp_")
_FIELDS = {
    field: name
    for name, fields in (
        (ANTHROPIC, "anthropic_version container context_management mcp_servers stop_sequences thread"),
        (BEDROCK, "additionalModelRequestFields guardrailConfig inferenceConfig modelId toolConfig"),
        (CHAT, "frequency_penalty functions logit_bias max_completion_tokens parallel_tool_calls presence_penalty"),
        (CHAT, "response_format stream_options"),
    )
    for field in fields.split()
}

Vote = tuple[str, str]  # a format, and why

BODIES = (CHAT, ANTHROPIC, BEDROCK, PI, RESPONSES, GEMINI)  # the formats told apart here; of equals, the first wins

_ARRAYS = {"messages": (CHAT, ANTHROPIC, BEDROCK, PI), "contents": (GEMINI,), "input": (RESPONSES,)}
_PLAIN = {CHAT, ANTHROPIC, PI, RESPONSES}  # formats in which a message may be a role and a string
CHAT_ROLES = ("user", "assistant", "system", "developer", "tool", "function")
_CALLS_OF_PI = (b'"toolCall"', b'"toolResult"')


class Weighed(NamedTuple):
    """The format of a request, why, and the formats that would read it just as well.

    `sure`: some message is of no other format.
    """

    name: str
    reason: str
    equals: frozenset[str] = frozenset()
    sure: bool = False


class _Votes:
    """How many votes each format has, and the first reason: `own` by blocks and roles, `fields`, `hints`."""

    def __init__(self, among: tuple[str, ...]) -> None:
        self.among = among
        self.own, self.fields, self.hints = Counter[str](), Counter[str](), Counter[str]()
        self.reasons: dict[str, str] = {}
        self.plain = self.odd = 0  # messages with a role of a chat, and all others

    def add(self, votes: Iterable[Vote], kind: Counter[str]) -> None:
        for name, reason in votes:
            if name in self.among:
                kind[name] += 1
                self.reasons.setdefault(name, reason)

    def add_messages(self, items: Iterable[Any]) -> None:
        for item in items:
            known = isinstance(item, dict)
            self.add(find_own_votes(item) if known else (), self.own)
            self.add(find_hints(item) if known else (), self.hints)
            plain = known and isinstance(item.get("role"), str) and item["role"] in CHAT_ROLES
            self.plain, self.odd = self.plain + plain, self.odd + (not plain)

    def find_best(self) -> str:
        """Return the format with the most evidence; OpenAI's messages may occur among Pi's."""
        own = self.own + Counter({PI: self.own[CHAT]}) if self.own[PI] else self.own
        return max(self.among, key=lambda name: (own[name], self.fields[name], self.hints[name]))

    def find_equals(self, best: str) -> frozenset[str]:
        """Return formats with as much evidence, or that a plain document without evidence may also be."""
        if self.own[best]:
            return frozenset(name for name in self.among if name != best and 2 * self.own[name] >= self.own[best])
        able = set(self.among) if not self.plain + self.odd else _PLAIN & set(self.among)
        return frozenset(name for name in able - {best} if self.fields[name] >= self.fields[best])


def weigh_formats(native: Any) -> Weighed | None:
    """Return the format of a request body or message list, or None if it holds no known message."""
    found: list[tuple[int, Weighed]] = []
    for name, among in _ARRAYS.items():
        at = find_array(native, name)
        if at is not None and not at[0]:
            return _judge_array(native, "", at[1], BODIES)[1]
        one = _judge_array(native, name, at[1], among) if at is not None else (0, _weigh_text_input(native, name))
        found += [(one[0], one[1])] if one[1] is not None else []
    return max(found, key=lambda one: one[0])[1] if found else None


def explain_claim(native: Any, name: str) -> str:
    """Return why a request has this format; "" if it has another or none."""
    found = weigh_formats(native)
    return found.reason if found is not None and found.name == name else ""


def _judge_array(native: Any, array: str, items: Any, among: tuple[str, ...]) -> tuple[int, Weighed | None]:
    """Return how much evidence supports the best format, and which format it is."""
    votes = _count_votes(items, among)
    if array == "messages":
        votes.add(find_field_votes(native), votes.fields)
        votes.add(find_field_hints(native), votes.hints)
    best = votes.find_best()
    if not votes.own[best] and not _is_plain(votes, array, items):
        return 0, None
    reason = _describe_shape(best, array) if best == GEMINI else votes.reasons.get(best) or _describe_shape(best, array)
    return votes.own[best], Weighed(best, reason, votes.find_equals(best), votes.own[best] > 0)


def _count_votes(items: Any, among: tuple[str, ...]) -> _Votes:
    """Count votes of messages at both ends if they agree; else, and for Python objects, of all of them."""
    votes = _Votes(among)
    if isinstance(items, Text):
        votes.add_messages(sample(items))
        told = [name for name in among if votes.own[name]]
        may_be_pi = told == [CHAT] and PI in among
        may_be_pi = may_be_pi and any(items.data.find(mark, items.start, items.end) >= 0 for mark in _CALLS_OF_PI)
        if len(told) == 1 and not may_be_pi:
            return votes
        votes = _Votes(among)
    votes.add_messages(items.values() if isinstance(items, Text) else items)
    return votes


def _is_plain(votes: _Votes, array: str, items: Any) -> bool:
    """Whether messages without evidence are messages of a chat at all."""
    if array == "messages":
        return votes.plain > 0 or not len(items)
    if array == "input":
        values = items.values() if isinstance(items, Text) else items
        return not len(items) or any(isinstance(one, dict) and ("type" in one or "role" in one) for one in values)
    return array == "" and 0 < votes.plain >= votes.odd


def _describe_shape(name: str, array: str) -> str:
    if name == GEMINI:
        return "`contents` with `parts`" if array else "a list of contents with `parts`"
    if name == RESPONSES:
        return "`input` is a list of items" if array else "a list of items"
    return f"`{array}` with chat roles" if array else "a list of messages with chat roles"


def _weigh_text_input(native: Any, array: str) -> Weighed | None:
    """Return evidence for an `input` that is a single text."""
    if array != "input" or not isinstance(native, dict | Text):
        return None
    child = native.get(array) if isinstance(native, dict) else native.child(array) if native.kind == "{" else None
    text = child.kind == '"' if isinstance(child, Text) else isinstance(child, str)
    return Weighed(RESPONSES, "`input` is a text") if text else None


# What one message or field tells by itself: `own` and `fields` name what one format has and the others have not,
# `hints` what one has more often.


def find_own_votes(item: dict[str, Any]) -> Iterator[Vote]:
    """Yield evidence that only one format has in a message."""
    role, kind = item.get("role"), item.get("type")
    if isinstance(role, str):
        yield from _find_role_votes(item, role)
    if isinstance(kind, str) and _ITEM.match(kind):
        yield RESPONSES, f"an item has the type {kind}"
    parts = item.get("parts")
    is_spoken = role is None or (isinstance(role, str) and role in _GEMINI_ROLES)
    if isinstance(parts, list) and is_spoken and (not parts or any(map(_is_untyped, parts))):
        yield GEMINI, "contents with `parts`"
    content = item.get("content")
    yield from (vote for block in content if (vote := _block(block))) if isinstance(content, list) else ()


def _is_untyped(part: Any) -> bool:
    return isinstance(part, dict) and "type" not in part


def _find_role_votes(item: dict[str, Any], role: str) -> Iterator[Vote]:
    calls = item.get("tool_calls")
    if role in _PI_ROLES or (role in _PI_CUSTOM and "customType" in item):
        yield PI, f"a message has the role {role}"
    elif role in ("tool", "function") and "content" in item:
        yield CHAT, f"a message has the role {role}"
    elif role == "assistant" and isinstance(calls, list) and any(isinstance(call, dict) for call in calls):
        yield CHAT, "a message has `tool_calls`"
    elif role == "assistant" and isinstance(item.get("function_call"), dict):
        yield CHAT, "a message has a `function_call`"
    elif isinstance(item.get("api"), str) and isinstance(item.get("stopReason"), str):
        yield PI, "a message has `api` and `stopReason`"


def _block(block: Any) -> Vote | None:
    """Of which format a block of `content` can only be."""
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind is None:
        keyed = len(block) == 1 and next(iter(block)) in _KEYED
        return (BEDROCK, "blocks of `content` are keyed by their kind") if keyed else None
    if not isinstance(kind, str):
        return None
    name = _BLOCKS.get(kind, ANTHROPIC if kind.endswith("_tool_result") else "")
    if kind in ("image", "document") and isinstance(block.get("source"), dict):
        name = ANTHROPIC
    elif kind == "thinking" and "thinkingSignature" in block:
        name = PI
    elif kind == "file" and isinstance(block.get("file"), dict):
        name = CHAT
    return (name, f"`content` holds a block of type {kind}") if name else None


def find_hints(item: dict[str, Any]) -> Iterator[Vote]:
    """Yield evidence that one format has more often than others."""
    role, content = item.get("role"), item.get("content")
    if isinstance(role, str) and role in ("developer", "system"):
        yield CHAT, f"a message has the role {role}"
    if item.get("type") == "message":
        yield RESPONSES, "an item has the type message"
    kinds = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    for block in kinds:
        if block.get("type") in _THINKING:
            yield ANTHROPIC, f"`content` holds a block of type {block['type']}"
        elif block.get("type") == "image" and "mimeType" in block:
            yield PI, "`content` holds an image with a `mimeType`"


def find_field_votes(native: Any) -> Iterator[Vote]:
    """Yield evidence from the fields next to `messages`."""
    names = list_member_names(native)
    if "system" in names:
        keyed = [one for one in _get_first(native, "system") if isinstance(one, dict) and "type" not in one]
        also = "`system` and `max_tokens`" if "max_tokens" in names else "`system`"
        yield (BEDROCK, "`system` is keyed by kind") if keyed else (ANTHROPIC, f"`messages` stands beside {also}")
    for tool in _get_first(native, "tools"):
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            yield CHAT, "`tools` are functions"
        elif isinstance(tool, dict) and "name" in tool and tool.get("type") != "function" and "custom" not in tool:
            yield ANTHROPIC, "`messages` stands beside tools of its own"
    yield from ((name, f"`messages` stands beside `{field}`") for field, name in _FIELDS.items() if field in names)


def find_field_hints(native: Any) -> Iterator[Vote]:
    """Yield evidence from the model's name and widely copied settings, for the Messages API if possible."""
    names = list_member_names(native)
    if "max_tokens" not in names:
        return
    model = read_member(native, "model") if "model" in names else None
    if isinstance(model, str) and model.lower().startswith("claude-"):
        yield ANTHROPIC, "`messages` stands beside `max_tokens` and a model of Anthropic's"
    if "thinking" in names:
        yield ANTHROPIC, "`messages` stands beside `max_tokens` and `thinking`"


def list_member_names(native: Any) -> Iterable[str]:
    """Return the names of an object's members."""
    return (native.open().names or {}) if isinstance(native, Text) else native


def _get_first(native: Any, name: str) -> list[Any]:
    """Return the first element of the array under a name."""
    found = native.child(name) if isinstance(native, Text) else native.get(name)
    shut = isinstance(found, Text) and found.kind == "["
    return sample(found, 1)[:1] if shut or isinstance(found, list) else []
