"""Calls and responses of a generateContent request: each turn of calls answered in the next, every answer asked for.

Rules G1-G3. A response belongs to the call whose id it bears, else to one of its name, in order. One that stands too
late moves behind its call; a call that has none gets one that says so; a response without a call becomes a text that
says whose result it was. All responses to one turn stand in one content.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.gemini.orphan_parts import told
from secateur.api.gemini.repairs_contents import datum, turns
from secateur.api.gemini.walk import id_and_name
from secateur.api.repair_run import GO_ON, NO_RESULT, Work, quoted
from secateur.pairing import match_by_name

_SNAKE = {"functionCall": "functionResponse", "function_call": "function_response"}


class _Round:
    """The calls of one turn of the model, the turn that answers, and the responses that they have."""

    def __init__(self, asks: list[Node], answers: list[Node]) -> None:
        self.last, self.answers = asks[-1], answers
        self.calls = [part for _, part in _parts(asks, "functionCall")]
        self.found: dict[int, Node] = {}  # by the number of the call

    def missing(self) -> list[int]:
        """The numbers of the calls that nobody answered."""
        return [number for number in range(len(self.calls)) if number not in self.found]


def mend_pairs(work: Work) -> None:
    """Put all calls and responses in pairs."""
    spoken = list(turns(work.nodes))
    after: list[list[Node]] = [*(run for _, run in spoken[1:]), []]
    rounds = [_Round(run, then) for (role, run), then in zip(spoken, after, strict=False) if role == "model"]
    rounds = [one for one in rounds if one.calls]
    ids = {_id(call) for one in rounds for call in one.calls}
    placed: set[int] = set()
    for one in rounds:
        placed |= _match(work, one, ids)
    held = spoken[0][1] if work.partial and spoken and spoken[0][0] == "user" else []  # their calls are elsewhere
    standing = _parts(work.nodes, "functionResponse")
    strays = [(home, part) for home, part in standing if id(part) not in placed and home not in held]
    order = {id(node): number for number, node in enumerate(work.nodes)}
    for home, part in strays:
        earlier = [one for one in rounds if order[id(one.last)] < order[id(home)] and len(one.found) < len(one.calls)]
        _settle(work, earlier if home.get("role") != "model" else [], home, part)
    homes = {id(part): home for home, part in standing}
    for one in rounds:
        _complete(work, one, homes)
    _drop_emptied(work)


def _parts(nodes: list[Node], kind: str) -> list[tuple[Node, Node]]:
    return [(node, part) for node in nodes for part in node.inner or () if datum(part)[0] == kind]


def _value(part: Node) -> dict[str, Any]:
    found = part.get(datum(part)[1])
    return found if isinstance(found, dict) else {}


def _id_and_name(part: Node) -> tuple[str, str]:
    return id_and_name(_value(part))


def _id(part: Node) -> str:
    found = _value(part).get("id")
    return found if isinstance(found, str) else ""


def _match(work: Work, one: _Round, ids: set[str]) -> set[int]:
    """Give a round the responses that stand in its place; which they are, by identity."""
    here = [part for _, part in _parts(one.answers, "functionResponse")]
    found = match_by_name(list(map(_id_and_name, one.calls)), list(map(_id_and_name, here)))
    free = [part for part, call in zip(here, found, strict=True) if call is None]
    pairs = [(call, part) for part, call in zip(here, found, strict=True) if call is not None]
    left = sorted(set(range(len(one.calls))) - {call for call, _ in pairs})
    if len(left) == len(free) and not any(_id(part) in ids for part in free if _id(part)):
        pairs += zip(left, free, strict=True)  # as many as are missing: where they stand says whose they are
    for call, part in pairs:
        one.found[call] = part
        _named_like(work, one.calls[call], part)
    return {id(part) for part in one.found.values()}


def _named_like(work: Work, call: Node, part: Node) -> None:
    """Let a response bear the name of its call, and no other's id."""
    name, id_ = _value(call).get("name"), _id(call)
    at = datum(part)[1]
    if _value(part).get("name") != name:
        part.put((at, "name"), name)
        work.say("G3", part, f"a response that answers a call of {quoted(name)} bears its name now")
    if id_ and _id(part) and _id(part) != id_:
        part.put((at, "id"), id_)
        work.say("G3", part, f"a response that answers call {quoted(id_)} bears its id now")


def _settle(work: Work, rounds: list[_Round], home: Node, part: Node) -> None:
    """A response that came late moves to its call; one that nobody asked for becomes text where it stands."""
    for one in reversed(rounds):
        missing = one.missing()
        [call] = match_by_name([_id_and_name(one.calls[number]) for number in missing], [_id_and_name(part)])
        if call is not None:
            one.found[missing[call]] = part
            _named_like(work, one.calls[missing[call]], part)
            work.say("G3", part, f"the response of {quoted(_value(part).get('name'))} came late and moved to its call")
            return
    assert home.inner is not None
    at = next(number for number, one in enumerate(home.inner) if one is part)
    name = _value(part).get("name")
    home.inner[at : at + 1] = told(part, datum(part)[1])
    work.say("G2", part, f"the response of {quoted(name or '')}, whose call is not there, became text")


def _complete(work: Work, one: _Round, homes: dict[int, Node]) -> None:
    """Answer what has no answer, and bring all answers together in one content."""
    added: list[Node] = []
    for number in one.missing():
        call = one.calls[number]
        added.append(Node({_SNAKE[datum(call)[1]]: _no_result(_value(call))}))
        work.say("G3", call, f"call {quoted(_id(call) or _value(call).get('name'))} had no response: one says so now")
    home = _home(work, one)
    wanted = [part for _, part in sorted(one.found.items()) if homes[id(part)] is not home]
    for part in wanted:
        before = homes[id(part)]
        before.inner = [other for other in before.inner or () if other is not part]
        if before in one.answers:
            work.say("G3", part, "a response moved to the others of its turn")
    parts = home.inner or []
    lead = max((n for n, part in enumerate(parts, 1) if datum(part)[0] == "functionResponse"), default=0)
    home.inner = [*parts[:lead], *wanted, *added, *parts[lead:]]


def _home(work: Work, one: _Round) -> Node:
    """The content that holds the responses of a round: the first that holds some, else the first of its turn."""
    if not one.answers:  # nothing follows, so all that is in here is new
        home = Node({"role": "user"}, inner=[], name="parts", size=-1)
        at = next(number for number, node in enumerate(work.nodes) if node is one.last)
        work.nodes.insert(at + 1, home)
        return home
    found = {id(part) for part in one.found.values()}
    holds = (node for node in one.answers if any(id(part) in found for part in node.inner or ()))
    return next(holds, one.answers[0])


def _drop_emptied(work: Work) -> None:
    """A content whose responses all moved goes; a last one still gives the model its turn."""
    emptied = [node for node in work.nodes if node.inner == []]
    if emptied and emptied[-1] is work.nodes[-1]:
        last = emptied.pop()
        last.inner = [Node({"text": GO_ON})]
        work.say("G6", last, f"a last content whose responses moved says {GO_ON!r}")
    gone = {id(node) for node in emptied}
    work.nodes = [node for node in work.nodes if id(node) not in gone]


def _no_result(call: dict[str, Any]) -> dict[str, Any]:
    given = {"id": call["id"]} if call.get("id") else {}
    return {**given, "name": call.get("name"), "response": {"error": NO_RESULT}}
