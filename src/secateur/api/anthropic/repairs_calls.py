"""Calls and results of the Messages API: every call answered in the next message, every answer asked for.

Rules A1-A4 and A8. A result that stands too late moves to where its call wants it; a call that has none gets an
error result that says so; a result without a call becomes a text of the user that says whose result it was. Nothing is
lost. Server-side tools are the provider's own and stay as they are.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.repair_run import NO_RESULT, Work, quoted
from secateur.api.replacement_texts import orphaned
from secateur.pairing import Pairing


def mend_pairs(work: Work) -> None:
    """Put all calls and results in pairs, in the order that the API wants."""
    answers = _Answers(work)
    answers.collect()
    answers.tell_orphans()
    answers.complete()


def _calls(node: Node) -> list[Node]:
    return [block for block in node.inner or () if block.role == "tool_use"] if node.role == "assistant" else []


class _Round:
    """The calls of one assistant run, and the results that they have."""

    def __init__(self, run: list[Node]) -> None:
        self.last = run[-1]
        self.calls: Pairing[Node, Node] = Pairing(unique=True)
        for call in (call for node in run for call in _calls(node)):
            self.calls.add_call(call.get("id"), call)
        self.here: set[int] = set()  # results that stand in the messages that follow, by identity
        self.after: list[Node] = []  # these messages


class _Answers:
    def __init__(self, work: Work) -> None:
        self.work = work
        self.rounds: list[_Round] = []
        self.homes: dict[int, Node] = {}  # the message of each result, by identity
        self.strays: list[Node] = []

    def collect(self) -> None:
        """Rounds with the results in their place; then results that came late."""
        open_: _Round | None = None
        for role, run in self.work.runs():
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
        if open_ is not None and _waits(open_, name):
            open_.calls.add_result(name, block)
            open_.here.add(id(block))
            return
        late = next((one for one in reversed(self.rounds) if _waits(one, name)), None) if node.role == "user" else None
        if late is None or (open_ is late):
            self.strays.append(block)
        else:
            late.calls.add_result(name, block)
            self.work.say("A1", block, f"the result of call {quoted(name)} came late and moved behind its call")

    def tell_orphans(self) -> None:
        """Results that nobody asked for become text where they stand."""
        for block in self.strays:
            home = self.homes[id(block)]
            assert home.inner is not None
            at = next(number for number, one in enumerate(home.inner) if one is block)
            home.inner[at : at + 1] = orphaned(block, home.role == "user")
            name = quoted(block.get("tool_use_id"))
            self.work.say("A2", block, f"the result of call {name}, which is not there, became text")

    def complete(self) -> None:
        """Answer what has no answer, and put results first (A3)."""
        for one in self.rounds:
            for call in one.calls.open_calls:
                name = call.get("id")
                one.calls.add_result(name, Node(_no_result(call)))
                self.work.say("A1", call, f"call {quoted(name)} had no result: it now has one that says so")
            if one.calls.matched:
                self._place(one)
        self._drop_empty()  # at the end: what is empty meanwhile may be the seat of a later round's results

    def _place(self, one: _Round) -> None:
        blocks = [(node, block) for node in one.after for block in _peek(node)]
        lead = next((at for at, (_, block) in enumerate(blocks) if id(block) not in one.here), len(blocks))
        trailing = [block for _, block in blocks[lead:] if id(block) in one.here]
        for block in trailing:
            self.work.say("A3", block, "a result behind other blocks of its message moved before them")
        added = [block for _, block in one.calls.matched if id(block) not in one.here]
        if not trailing and not added:
            return
        self._lift([*trailing, *added])
        if not one.after:
            at = next(number for number, node in enumerate(self.work.nodes) if node is one.last)
            self.work.nodes.insert(at + 1, Node({"role": "user"}, inner=added, size=-1))
            return
        node, at = _seat(one.after, blocks[:lead])
        node.opened()[at:at] = [*trailing, *added]

    def _lift(self, blocks: list[Node]) -> None:
        """Take blocks out of the messages they stand in."""
        for block in blocks:
            home = self.homes.get(id(block))
            if home is not None and home.inner is not None:
                home.inner = [one for one in home.inner if one is not block]

    def _drop_empty(self) -> None:
        gone = {id(home) for home in self.homes.values() if home.inner == [] and home.role == "user"}
        self.work.nodes = [node for node in self.work.nodes if id(node) not in gone]


def _peek(node: Node) -> list[Node]:
    """The blocks of a message; a string counts as one."""
    if node.inner is None:
        return [Node({"type": "text"})] if str(node.get("content") or "").strip() else []
    return node.inner


def _seat(after: list[Node], leading: list[tuple[Node, Node]]) -> tuple[Node, int]:
    """Where results go in: behind those that lead already."""
    if not leading:
        return after[0], 0
    node, block = leading[-1]
    return node, 1 + next(number for number, one in enumerate(node.inner or ()) if one is block)


def _waits(one: _Round, name: Any) -> bool:
    return isinstance(name, str) and one.calls.is_waiting(name)


def _no_result(call: Node) -> dict[str, Any]:
    named = {"toolset_name": call.get("toolset_name")} if call.get("toolset_name") else {}
    return {"type": "tool_result", "tool_use_id": call.get("id"), "is_error": True, "content": NO_RESULT, **named}
