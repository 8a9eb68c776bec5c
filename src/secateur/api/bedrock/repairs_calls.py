"""Calls and results of a Converse request: every call answered in the very next message, every answer asked for.

Rules B1, B2, B11. What a server's own tool gave stands in the message that called it, and stays there. A result that
stands too late moves behind its call; a call that has none gets an error result that says so; a result without a call
becomes a text that says whose result it was. Messages alternate already.
"""

import re
from typing import Any

from secateur.api.editable import Node
from secateur.api.fresh_ids import Names
from secateur.api.repair_run import NO_RESULT, Work, quoted
from secateur.api.replacement_texts import flat, heading
from secateur.pairing import Pairing

_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}\Z")  # rule B11
_MEDIA = frozenset({"image", "document", "video"})  # blocks that a user message may hold as they are


class _Round:
    """The calls of one assistant message, the message that answers, and the results that they have."""

    def __init__(self, asks: Node, answers: Node | None) -> None:
        self.asks, self.answers = asks, answers
        self.uses = _tools(asks, "toolUse")
        self.served = set(map(id, _served(asks)))
        self.calls: Pairing[Node, Node] = Pairing(unique=True)  # filled once all ids are settled
        self.moved: list[Node] = []


def kind_of(block: Node) -> str:
    """The one key that says what a block is; "" for what is no such union."""
    value = block.value
    return next(iter(value)) if isinstance(value, dict) and len(value) == 1 else ""


def mend_pairs(work: Work) -> None:
    """Put all calls and results in pairs."""
    spoken = [node for node in work.nodes if node.role in ("user", "assistant") and node.inner is not None]
    after: list[Node | None] = [*spoken[1:], None][: len(spoken)]
    rounds = [_Round(one, two) for one, two in zip(spoken, after, strict=True) if one.role == "assistant"]
    _mend_ids(work, rounds)
    holders = [node for node in work.nodes if node in spoken or (node.role == "system" and node.inner is not None)]
    strays = _collected(rounds, holders)
    for home, block in strays:
        _settle(work, rounds, home, block)
    for one in rounds:
        _complete(work, one)


def _tools(node: Node | None, kind: str) -> list[Node]:
    blocks = (node.inner or ()) if node is not None else ()
    return [block for block in blocks if kind_of(block) == kind and isinstance(block.get(kind), dict)]


def _served(node: Node) -> list[Node]:
    """The results that stand behind their calls in one message of the assistant, and these calls."""
    uses, results = (set(map(id, _tools(node, kind))) for kind in ("toolUse", "toolResult"))
    calls: Pairing[Node, Node] = Pairing()
    for block in node.inner or ():
        if id(block) in uses:
            calls.add_call(repr(_name(block)), block)
        elif id(block) in results:
            calls.add_result(repr(_name(block)), block)
    return [block for pair in calls.matched for block in pair]


def _name(block: Node) -> Any:
    return block.get(kind_of(block)).get("toolUseId")


def _mend_ids(work: Work, rounds: list[_Round]) -> None:
    """Ids that cannot be sent, or stand twice in one message; the n-th result of an id follows the n-th call."""
    names = Names(_name(call) for one in rounds for call in one.uses)
    for one in rounds:
        seen: set[str] = set()
        new_ids: Pairing[str, None] = Pairing()
        for call in one.uses:
            old = _name(call)
            new = old if isinstance(old, str) and _ID.match(old) and old not in seen else names.fresh(old)
            if new != old:
                call.put(("toolUse", "toolUseId"), new)
                why = "was taken" if old in seen else "cannot be sent"
                work.say("B11", call, f"the id {quoted(old)} {why}: this call and its result are now {new!r}")
            seen.add(new)
            new_ids.add_call(repr(old), new)
        here = [result for result in _tools(one.asks, "toolResult") if id(result) in one.served]
        for result in [*here, *_tools(one.answers, "toolResult")]:
            renamed = new_ids.take(repr(_name(result)))
            if renamed is not None and renamed != _name(result):
                result.put(("toolResult", "toolUseId"), renamed)


def _collected(rounds: list[_Round], holders: list[Node]) -> list[tuple[Node, Node]]:
    """Give each round the results in their place; the others, each with the message it stands in."""
    placed = {block for one in rounds for block in one.served}
    for one in rounds:
        for call in one.uses:
            if id(call) not in one.served:
                one.calls.add_call(_name(call), call)
        for result in _tools(one.answers, "toolResult"):
            name = _name(result)
            if isinstance(name, str) and one.calls.is_waiting(name):
                one.calls.add_result(name, result)
                placed.add(id(result))
    return [(node, block) for node in holders for block in _tools(node, "toolResult") if id(block) not in placed]


def _settle(work: Work, rounds: list[_Round], home: Node, block: Node) -> None:
    """A result that came late moves to its call; one that nobody asked for becomes text where it stands."""
    name = _name(block)
    at = next(number for number, one in enumerate(home.inner or ()) if one is block)
    order = {id(node): number for number, node in enumerate(work.nodes)}
    late = [one for one in rounds if order[id(one.asks)] < order[id(home)] and home.role == "user"]
    wants = [one for one in late if isinstance(name, str) and one.calls.is_waiting(name)]
    assert home.inner is not None
    if wants:
        home.inner = [one for one in home.inner if one is not block]
        wants[-1].calls.add_result(name, block)
        wants[-1].moved.append(block)
        work.say("B1", block, f"the result of call {quoted(name)} came late and moved behind its call")
        return
    home.inner = [*home.inner[:at], *_told(block, home.role == "user"), *home.inner[at + 1 :]]
    work.say("B2", block, f"the result of call {quoted(name)}, which is not there, became text")


def _told(block: Node, media_stay: bool) -> list[Node]:
    """The blocks that stand for an orphan result."""
    content = block.get("toolResult").get("content")
    blocks = content if isinstance(content, list) else [content]
    path = (*(block.path or ()), "toolResult", "content")
    media = [Node(one, (*path, at)) for at, one in enumerate(blocks) if media_stay and kind_of(Node(one)) in _MEDIA]
    kept = {id(one.value) for one in media}
    said = "\n".join(filter(None, (heading(_name(block)), flat([one for one in blocks if id(one) not in kept]))))
    return [Node({"text": said}), *media]


def _complete(work: Work, one: _Round) -> None:
    """Answer what has no answer, in the next message, behind the results that lead it."""
    added = list(one.moved)
    for call in one.calls.open_calls:
        said = {"toolUseId": _name(call), "content": [{"text": NO_RESULT}], "status": "error"}
        added.append(Node({"toolResult": said}))
        work.say("B1", call, f"call {quoted(_name(call))} had no result: it now has one that says so")
    at = next(number for number, node in enumerate(work.nodes) if node is one.asks)
    if one.answers is None:
        work.nodes[at + 1 : at + 1] = [Node({"role": "user"}, inner=added, size=-1)] if added else []
        return
    to = next(number for number, node in enumerate(work.nodes) if node is one.answers)
    has_calls = one.calls.matched or one.calls.open_calls
    if has_calls and any(node.role == "system" for node in work.nodes[at + 1 : to]):
        work.nodes = [node for node in work.nodes if node is not one.answers]
        work.nodes.insert(at + 1, one.answers)
        work.say("B1", one.answers, "the results moved before what stood between them and their calls")
    blocks = one.answers.inner or []
    lead = next((n for n, block in enumerate(blocks) if kind_of(block) != "toolResult"), len(blocks))
    one.answers.inner = [*blocks[:lead], *added, *blocks[lead:]]
