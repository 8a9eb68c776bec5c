"""Repairs messages (lists of content, alternating roles, inputs that are objects), then pairs calls with results.

Rule: consecutive messages of one role are merged first, because a result must be in the very next message; blocks move
with the bytes that they have. System texts between two turns stay behind the turn that they followed, or behind the
results that this turn needs. A late result moves to its call, a call without a result gets an error result that says
so, and a result without a call becomes a text; results of the server's own tools are in the message of their call and
stay there. Names of tools and limits of media are not repaired.
"""

import re
from typing import Any

from secateur.api.editable import Node
from secateur.api.json_checks import replace_surrogates
from secateur.api.repair_run import NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import FreshIds, flatten_text, parse_object, write_heading
from secateur.formats.native import dump_canonical
from secateur.pairing import Pairing
from secateur.patch import apply

_SPEAKERS = ("user", "assistant")

_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")  # rule B11
_MEDIA = frozenset({"image", "document", "video"})  # blocks that a user message may hold as they are


@register_repair("B0")
def open_contents(repair: RepairRun) -> None:
    """Turn a content that is a string or missing into a list of blocks."""
    for node in repair.nodes:
        _open(repair, node)


def _open(repair: RepairRun, node: Node) -> None:
    content = node.get("content")
    if node.role not in (*_SPEAKERS, "system") or node.inner is not None:
        return
    if content is None or isinstance(content, str):
        node.inner, node.size = ([Node({"text": content})] if content else []), -1
        repair.record("B0", node, "content that was not a list became one")


@register_repair("B3")
def merge_neighbors(repair: RepairRun) -> None:
    """Merge consecutive messages of one role."""
    nodes: list[Node] = []
    last: Node | None = None  # the last message of user or assistant
    for node in repair.nodes:
        speaks = node.role in _SPEAKERS and node.inner is not None
        if speaks and last is not None and last.role == node.role:
            last.inner = [*(last.inner or ()), *(node.inner or ())]
            repair.record("B3", node, f"two {node.role} messages in a row were merged")
            continue
        last = node if speaks else last
        nodes.append(node)
    repair.nodes = nodes


@register_repair("B0", "B11")
def repair_inputs(repair: RepairRun) -> None:
    """Make the input of each call an object, and turn calls that the assistant did not make into text."""
    for node in repair.nodes:
        _repair_calls(repair, node)


def _repair_calls(repair: RepairRun, node: Node) -> None:
    for block in node.inner or ():
        call = block.get("toolUse") if get_kind(block) == "toolUse" else None
        if not isinstance(call, dict):
            continue
        if node.role != "assistant":
            block.put((), {"text": f"[call of {call.get('name')}: {dump_canonical(call.get('input'))}]"})
            repair.record("B0", block, f"a call in a {node.role} message became text")
        elif not isinstance(call.get("input"), dict):
            given = parse_object(call.get("input"))
            block.put(("toolUse", "input"), apply(given, list(replace_surrogates(given))))
            repair.record("B11", block, "the input of a call was not an object and became one")


class _Round:
    """The calls of one assistant message, the message that answers, and the results that they have."""

    def __init__(self, asks: Node, answers: Node | None) -> None:
        self.asks, self.answers = asks, answers
        self.uses = _list_tool_blocks(asks, "toolUse")
        self.served = set(map(id, _find_served(asks)))
        self.calls: Pairing[Node, Node] = Pairing(unique=True)  # filled once all ids are settled
        self.moved: list[Node] = []


def get_kind(block: Node) -> str:
    """The one key that says what a block is; "" if there is not exactly one."""
    value = block.value
    return next(iter(value)) if isinstance(value, dict) and len(value) == 1 else ""


@register_repair("B1", "B2", "B11")
def repair_pairs(repair: RepairRun) -> None:
    """Give each call a valid id and pair it with a result in the next message."""
    spoken = [node for node in repair.nodes if node.role in ("user", "assistant") and node.inner is not None]
    after: list[Node | None] = [*spoken[1:], None][: len(spoken)]
    rounds = [_Round(one, two) for one, two in zip(spoken, after, strict=True) if one.role == "assistant"]
    _repair_ids(repair, rounds)
    holders = [node for node in repair.nodes if node in spoken or (node.role == "system" and node.inner is not None)]
    strays = _collect_results(rounds, holders)
    for home, block in strays:
        _place_stray(repair, rounds, home, block)
    for one in rounds:
        _add_missing(repair, one)


def _list_tool_blocks(node: Node | None, kind: str) -> list[Node]:
    blocks = (node.inner or ()) if node is not None else ()
    return [block for block in blocks if get_kind(block) == kind and isinstance(block.get(kind), dict)]


def _find_served(node: Node) -> list[Node]:
    """The results that follow their calls in one assistant message, and these calls."""
    uses, results = (set(map(id, _list_tool_blocks(node, kind))) for kind in ("toolUse", "toolResult"))
    calls: Pairing[Node, Node] = Pairing()
    for block in node.inner or ():
        if id(block) in uses:
            calls.add_call(repr(_name(block)), block)
        elif id(block) in results:
            calls.add_result(repr(_name(block)), block)
    return [block for pair in calls.matched for block in pair]


def _name(block: Node) -> Any:
    return block.get(get_kind(block)).get("toolUseId")


def _repair_ids(repair: RepairRun, rounds: list[_Round]) -> None:
    """Rename ids that cannot be sent or are used twice in a message; the n-th result follows the n-th call."""
    fresh_ids = FreshIds(_name(call) for one in rounds for call in one.uses)
    for one in rounds:
        seen: set[str] = set()
        new_ids: Pairing[str, None] = Pairing()
        for call in one.uses:
            old = _name(call)
            new = old if isinstance(old, str) and _ID.match(old) and old not in seen else fresh_ids.make(old)
            if new != old:
                call.put(("toolUse", "toolUseId"), new)
                why = "is already used" if isinstance(old, str) and old in seen else "cannot be sent"
                repair.record("B11", call, f"the id {quote(old)} {why}: this call and its result are now {new!r}")
            seen.add(new)
            new_ids.add_call(repr(old), new)
        here = [result for result in _list_tool_blocks(one.asks, "toolResult") if id(result) in one.served]
        for result in [*here, *_list_tool_blocks(one.answers, "toolResult")]:
            renamed = new_ids.take(repr(_name(result)))
            if renamed is not None and renamed != _name(result):
                result.put(("toolResult", "toolUseId"), renamed)


def _collect_results(rounds: list[_Round], holders: list[Node]) -> list[tuple[Node, Node]]:
    """Give each round the results in their place. Returns the others, each with its message."""
    placed = {block for one in rounds for block in one.served}
    for one in rounds:
        for call in one.uses:
            if id(call) not in one.served:
                one.calls.add_call(_name(call), call)
        for result in _list_tool_blocks(one.answers, "toolResult"):
            name = _name(result)
            if isinstance(name, str) and one.calls.is_waiting(name):
                one.calls.add_result(name, result)
                placed.add(id(result))
    return [
        (node, block) for node in holders for block in _list_tool_blocks(node, "toolResult") if id(block) not in placed
    ]


def _place_stray(repair: RepairRun, rounds: list[_Round], home: Node, block: Node) -> None:
    """Move a late result to its call, or turn a result without a call into text."""
    name = _name(block)
    at = next(number for number, one in enumerate(home.inner or ()) if one is block)
    order = {id(node): number for number, node in enumerate(repair.nodes)}
    late = [one for one in rounds if order[id(one.asks)] < order[id(home)] and home.role == "user"]
    wants = [one for one in late if isinstance(name, str) and one.calls.is_waiting(name)]
    assert home.inner is not None
    if wants:
        home.inner = [one for one in home.inner if one is not block]
        wants[-1].calls.add_result(name, block)
        wants[-1].moved.append(block)
        repair.record("B1", block, f"the result of call {quote(name)} was late and moved behind its call")
        return
    home.inner = [*home.inner[:at], *_convert_orphan(block, home.role == "user"), *home.inner[at + 1 :]]
    repair.record("B2", block, f"the result of call {quote(name)} has no call and became text")


def _convert_orphan(block: Node, media_stay: bool) -> list[Node]:
    """The blocks that replace a result without a call."""
    content = block.get("toolResult").get("content")
    blocks = content if isinstance(content, list) else [content]
    path = (*(block.path or ()), "toolResult", "content")
    media = [Node(one, (*path, at)) for at, one in enumerate(blocks) if media_stay and get_kind(Node(one)) in _MEDIA]
    kept = {id(one.value) for one in media}
    said = "\n".join(
        filter(None, (write_heading(_name(block)), flatten_text([one for one in blocks if id(one) not in kept])))
    )
    return [Node({"text": said}), *media]


def _add_missing(repair: RepairRun, one: _Round) -> None:
    """Add the results that are missing to the next message, behind the results that come first."""
    added = list(one.moved)
    for call in one.calls.open_calls:
        said = {"toolUseId": _name(call), "content": [{"text": NO_RESULT}], "status": "error"}
        added.append(Node({"toolResult": said}))
        repair.record("B1", call, f"call {quote(_name(call))} had no result: it now has one that says so")
    at = next(number for number, node in enumerate(repair.nodes) if node is one.asks)
    if one.answers is None:
        repair.nodes[at + 1 : at + 1] = [Node({"role": "user"}, inner=added, size=-1)] if added else []
        return
    to = next(number for number, node in enumerate(repair.nodes) if node is one.answers)
    has_calls = one.calls.matched or one.calls.open_calls
    if has_calls and any(node.role == "system" for node in repair.nodes[at + 1 : to]):
        repair.nodes = [node for node in repair.nodes if node is not one.answers]
        repair.nodes.insert(at + 1, one.answers)
        repair.record("B1", one.answers, "the results moved directly behind their calls")
    blocks = one.answers.inner or []
    lead = next((n for n, block in enumerate(blocks) if get_kind(block) != "toolResult"), len(blocks))
    one.answers.inner = [*blocks[:lead], *added, *blocks[lead:]]
