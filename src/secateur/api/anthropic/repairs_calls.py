"""Gives each call a unique id of accepted characters, moves system messages, and pairs calls with results.

Rule: nothing that a message says is lost. The first call keeps its id; another call with that id gets `ID_2`, and so
does its result. Results belong to the calls of the message before them: the n-th result with an id to the n-th call
with it. A system message moves behind the next user message and never into the system prompt, which would invalidate
every cache and all signed reasoning. A late result moves to its call, a call without a result gets an error result that
says so, and a result without a call becomes a text of the user. Server tools are left to the provider.
"""

import re
from typing import Any

from secateur.api.editable import Node
from secateur.api.repair_run import BEGINNING, GO_ON, NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import FreshIds, convert_orphan
from secateur.pairing import Pairing

_ODD = re.compile(r"[^a-zA-Z0-9_-]")  # rule A5


@register_repair("A4", "A5")
def repair_ids(repair: RepairRun) -> None:
    """Give each call an id of its own, and its result the same id."""
    fresh_ids = FreshIds(block.get(name) for _, block in repair.iterate_blocks() for name in ("id", "tool_use_id"))
    seen: set[str] = set()
    calls: list[Node] = []
    for role, run in repair.iterate_runs():
        blocks = [block for node in run for block in node.inner or ()]
        if role == "assistant":
            calls = [block for block in blocks if block.role == "tool_use"]
            server = (block.get("id") for block in blocks if block.role.endswith("_tool_use"))
            seen |= {name for name in server if isinstance(name, str)}
            renamed = _rename(repair, calls, seen, fresh_ids)
        elif role == "user" and calls:
            _follow([block for block in blocks if block.role == "tool_result"], renamed)
            calls = []


def _rename(repair: RepairRun, calls: list[Node], seen: set[str], fresh_ids: FreshIds) -> Pairing[str, None]:
    """Give new ids where needed. Returns the id that each result is to have, under the one that it has now."""
    new_ids: Pairing[str, None] = Pairing()
    for call in calls:
        old = call.get("id")
        new = old
        if not isinstance(old, str) or not old or _ODD.search(old) or old in seen:
            new = fresh_ids.make(old)
            rule, why = ("A4", "is already used") if isinstance(old, str) and old in seen else ("A5", "cannot be sent")
            call.put(("id",), new)
            repair.record(rule, call, f"the id {quote(old)} {why}: this call and its result are now {quote(new)}")
        seen.add(new)
        new_ids.add_call(_make_key(old), new)
    return new_ids


def _follow(results: list[Node], new_ids: Pairing[str, None]) -> None:
    for result in results:
        new = new_ids.take(_make_key(result.get("tool_use_id")))
        if new is not None and new != result.get("tool_use_id"):
            result.put(("tool_use_id",), new)


def _make_key(name: Any) -> str:
    return name if isinstance(name, str) else repr(name)


@register_repair("A10", "A31")
def repair_systems(repair: RepairRun) -> None:
    """Move system messages to where they are accepted."""
    nodes: list[Node] = []
    held: list[Node] = []
    for number, node in enumerate(repair.nodes):
        if node.role == "system":
            (nodes if not held and _may_stay(repair.nodes, number) else held).append(node)
            continue
        if held and node.role != "user" and nodes and nodes[-1].role == "user":
            nodes += _release(repair, held)
        nodes.append(node)
    if held and (not nodes or nodes[-1].role != "user"):
        nodes.append(Node({"role": "user", "content": GO_ON if nodes else BEGINNING}))
    repair.nodes = nodes + _release(repair, held)


def _release(repair: RepairRun, held: list[Node]) -> list[Node]:
    for node in held:
        repair.record("A31", node, "a system message moved behind a user message")
    moved = list(held)
    held.clear()
    return moved


def _may_stay(nodes: list[Node], number: int) -> bool:
    """Whether a system message may stay, given the messages around it that are not system messages."""
    before = next((one for one in reversed(nodes[:number]) if one.role != "system"), None)
    after = next((one for one in nodes[number + 1 :] if one.role != "system"), None)
    if before is None or (after is not None and after.role == "user"):
        return False
    ended = before.inner[-1].role if before.inner else ""
    return before.role == "user" or (ended != "tool_result" and ended.endswith("_tool_result"))


@register_repair("A1", "A2", "A3", "A4")
def repair_pairs(repair: RepairRun) -> None:
    """Pair each call with a result in the next message, with results first."""
    if repair.partial:
        return  # what is missing here may be at the provider
    answers = _Answers(repair)
    answers.collect()
    answers.convert_orphans()
    answers.complete()


def _list_calls(node: Node) -> list[Node]:
    return [block for block in node.inner or () if block.role == "tool_use"] if node.role == "assistant" else []


class _Round:
    """The calls of one assistant run, and the results that they have."""

    def __init__(self, run: list[Node]) -> None:
        self.last = run[-1]
        self.calls: Pairing[Node, Node] = Pairing(unique=True)
        for call in (call for node in run for call in _list_calls(node)):
            self.calls.add_call(call.get("id"), call)
        self.here: set[int] = set()  # results in the messages that follow, by their identity
        self.after: list[Node] = []  # these messages


class _Answers:
    def __init__(self, repair: RepairRun) -> None:
        self.repair = repair
        self.rounds: list[_Round] = []
        self.homes: dict[int, Node] = {}  # the message of each result, by its identity
        self.strays: list[Node] = []

    def collect(self) -> None:
        """Collect the rounds with the results in their place, then the results that came late."""
        # A round is one run of assistant messages with the run of user messages behind it. A result in that run goes to
        # its call. Any other result goes to the latest earlier round that still waits for its id; if none does, it is
        # a stray and becomes text. Only then are missing results added, since a late one may have filled the gap.
        open_: _Round | None = None
        for role, run in self.repair.iterate_runs():
            if role == "assistant":
                open_ = _Round(run)
                self.rounds.append(open_)
            for node in run:
                for block in node.inner or ():
                    if block.role == "tool_result":
                        self._take(open_ if role == "user" else None, node, block)
            if role == "user" and open_ is not None:
                open_.after = run
                open_ = None
            elif role != "assistant":
                open_ = None

    def _take(self, open_: _Round | None, node: Node, block: Node) -> None:
        self.homes[id(block)] = node
        name = block.get("tool_use_id")
        if open_ is not None and _is_waiting(open_, name):
            open_.calls.add_result(name, block)
            open_.here.add(id(block))
            return
        late = (
            next((one for one in reversed(self.rounds) if _is_waiting(one, name)), None)
            if node.role == "user"
            else None
        )
        if late is None or (open_ is late):
            self.strays.append(block)
        else:
            late.calls.add_result(name, block)
            self.repair.record("A1", block, f"the result of call {quote(name)} was late and moved behind its call")

    def convert_orphans(self) -> None:
        """Turn results without a call into text."""
        for block in self.strays:
            home = self.homes[id(block)]
            assert home.inner is not None
            at = next(number for number, one in enumerate(home.inner) if one is block)
            home.inner[at : at + 1] = convert_orphan(block, home.role == "user")
            name = quote(block.get("tool_use_id"))
            self.repair.record("A2", block, f"the result of call {name} has no call and became text")

    def complete(self) -> None:
        """Add the results that are missing, and move results to the front (A3)."""
        for one in self.rounds:
            for call in one.calls.open_calls:
                name = call.get("id")
                one.calls.add_result(name, Node(_make_result(call)))
                self.repair.record("A1", call, f"call {quote(name)} had no result: it now has one that says so")
            if one.calls.matched:
                self._place(one)
        self._drop_empty()  # at the end: what is empty meanwhile may be the seat of a later round's results

    def _place(self, one: _Round) -> None:
        blocks = [(node, block) for node in one.after for block in _get_blocks(node)]
        lead = next((at for at, (_, block) in enumerate(blocks) if id(block) not in one.here), len(blocks))
        trailing = [block for _, block in blocks[lead:] if id(block) in one.here]
        for block in trailing:
            self.repair.record("A3", block, "a result moved before the other blocks of its message")
        added = [block for _, block in one.calls.matched if id(block) not in one.here]
        if not trailing and not added:
            return
        self._remove_blocks([*trailing, *added])
        if not one.after:
            at = next(number for number, node in enumerate(self.repair.nodes) if node is one.last)
            self.repair.nodes.insert(at + 1, Node({"role": "user"}, inner=added, size=-1))
            return
        node, at = _find_seat(one.after, blocks[:lead])
        node.open_blocks()[at:at] = [*trailing, *added]

    def _remove_blocks(self, blocks: list[Node]) -> None:
        """Remove blocks from their messages."""
        for block in blocks:
            home = self.homes.get(id(block))
            if home is not None and home.inner is not None:
                home.inner = [one for one in home.inner if one is not block]

    def _drop_empty(self) -> None:
        gone = {id(home) for home in self.homes.values() if home.inner == [] and home.role == "user"}
        self.repair.nodes = [node for node in self.repair.nodes if id(node) not in gone]


def _get_blocks(node: Node) -> list[Node]:
    """The blocks of a message; a string counts as one."""
    if node.inner is None:
        return [Node({"type": "text"})] if str(node.get("content") or "").strip() else []
    return node.inner


def _find_seat(after: list[Node], leading: list[tuple[Node, Node]]) -> tuple[Node, int]:
    """Where new results are inserted: behind the results that come first."""
    if not leading:
        return after[0], 0
    node, block = leading[-1]
    return node, 1 + next(number for number, one in enumerate(node.inner or ()) if one is block)


def _is_waiting(one: _Round, name: Any) -> bool:
    return isinstance(name, str) and one.calls.is_waiting(name)


def _make_result(call: Node) -> dict[str, Any]:
    named = {"toolset_name": call.get("toolset_name")} if call.get("toolset_name") else {}
    return {"type": "tool_result", "tool_use_id": call.get("id"), "is_error": True, "content": NO_RESULT, **named}
