"""Pairs calls with responses, repairs the beginning of the history, and marks lost signatures.

Rule: a response answers the call with its id, or else, in order, one with its name. A late response moves to its call,
a call without a response gets one that says so, and a response without a call becomes a text. All responses to one turn
are in one content. Names keep their spelling, camelCase or snake_case, and a thought signature stays on its part. With
`cachedContent` a history may begin in the middle, because its beginning is at the provider.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.gemini.repairs_contents import get_datum, group_turns, is_model
from secateur.api.gemini.rules_contents import needs_signatures
from secateur.api.gemini.walk import get_id_and_name
from secateur.api.repair_run import BEGINNING, GO_ON, NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import write_heading
from secateur.formats.gemini import get_response_text
from secateur.pairing import match_by_name

_SNAKE = {"functionCall": "functionResponse", "function_call": "function_response"}


class _Round:
    """The calls of one turn of the model, the turn that answers, and the responses that they have."""

    def __init__(self, asks: list[Node], answers: list[Node]) -> None:
        self.last, self.answers = asks[-1], answers
        self.calls = [part for _, part in _list_parts(asks, "functionCall")]
        self.found: dict[int, Node] = {}  # by the number of the call

    def list_missing(self) -> list[int]:
        """Return the numbers of the calls without a response."""
        return [number for number in range(len(self.calls)) if number not in self.found]


@register_repair("G2", "G3", "G6")
def repair_pairs(repair: RepairRun) -> None:
    """Pair each call with a response in the next turn, all responses in one content."""
    spoken = list(group_turns(repair.nodes))
    after: list[list[Node]] = [*(run for _, run in spoken[1:]), []]
    rounds = [_Round(run, then) for (role, run), then in zip(spoken, after, strict=False) if role == "model"]
    rounds = [one for one in rounds if one.calls]
    ids = {_get_id(call) for one in rounds for call in one.calls}
    placed: set[int] = set()
    for one in rounds:
        placed |= _match(repair, one, ids)
    held = spoken[0][1] if repair.partial and spoken and spoken[0][0] == "user" else []  # their calls are elsewhere
    standing = _list_parts(repair.nodes, "functionResponse")
    strays = [(home, part) for home, part in standing if id(part) not in placed and home not in held]
    order = {id(node): number for number, node in enumerate(repair.nodes)}
    for home, part in strays:
        earlier = [one for one in rounds if order[id(one.last)] < order[id(home)] and len(one.found) < len(one.calls)]
        _place_stray(repair, earlier if home.get("role") != "model" else [], home, part)
    homes = {id(part): home for home, part in standing}
    for one in rounds:
        _add_missing(repair, one, homes)
    _remove_emptied(repair)


def _list_parts(nodes: list[Node], kind: str) -> list[tuple[Node, Node]]:
    return [(node, part) for node in nodes for part in node.inner or () if get_datum(part)[0] == kind]


def _get_value(part: Node) -> dict[str, Any]:
    found = part.get(get_datum(part)[1])
    return found if isinstance(found, dict) else {}


def _get_id_and_name(part: Node) -> tuple[str, str]:
    return get_id_and_name(_get_value(part))


def _get_id(part: Node) -> str:
    found = _get_value(part).get("id")
    return found if isinstance(found, str) else ""


def _match(repair: RepairRun, one: _Round, ids: set[str]) -> set[int]:
    """Give a round the responses that are in their place. Returns their identities."""
    here = [part for _, part in _list_parts(one.answers, "functionResponse")]
    found = match_by_name(list(map(_get_id_and_name, one.calls)), list(map(_get_id_and_name, here)))
    free = [part for part, call in zip(here, found, strict=True) if call is None]
    pairs = [(call, part) for part, call in zip(here, found, strict=True) if call is not None]
    left = sorted(set(range(len(one.calls))) - {call for call, _ in pairs})
    if len(left) == len(free) and not any(_get_id(part) in ids for part in free if _get_id(part)):
        pairs += zip(left, free, strict=True)  # as many as are missing: their order says whose they are
    for call, part in pairs:
        one.found[call] = part
        _copy_name(repair, one.calls[call], part)
    return {id(part) for part in one.found.values()}


def _copy_name(repair: RepairRun, call: Node, part: Node) -> None:
    """Give a response the name of its call, and its id if it has another."""
    name, id_ = _get_value(call).get("name"), _get_id(call)
    at = get_datum(part)[1]
    if _get_value(part).get("name") != name:
        part.put((at, "name"), name)
        repair.record("G3", part, f"a response that answers a call of {quote(name)} now has its name")
    if id_ and _get_id(part) and _get_id(part) != id_:
        part.put((at, "id"), id_)
        repair.record("G3", part, f"a response that answers call {quote(id_)} now has its id")


def _place_stray(repair: RepairRun, rounds: list[_Round], home: Node, part: Node) -> None:
    """Move a late response to its call, or turn a response without a call into text."""
    for one in reversed(rounds):
        missing = one.list_missing()
        [call] = match_by_name([_get_id_and_name(one.calls[number]) for number in missing], [_get_id_and_name(part)])
        if call is not None:
            one.found[missing[call]] = part
            _copy_name(repair, one.calls[missing[call]], part)
            repair.record(
                "G3", part, f"the response of {quote(_get_value(part).get('name'))} was late and moved to its call"
            )
            return
    assert home.inner is not None
    at = next(number for number, one in enumerate(home.inner) if one is part)
    name = _get_value(part).get("name")
    home.inner[at : at + 1] = convert_orphan_part(part, get_datum(part)[1])
    repair.record("G2", part, f"the response of {quote(name or '')} has no call and became text")


def _add_missing(repair: RepairRun, one: _Round, homes: dict[int, Node]) -> None:
    """Add the responses that are missing, and bring all responses together in one content."""
    added: list[Node] = []
    for number in one.list_missing():
        call = one.calls[number]
        added.append(Node({_SNAKE[get_datum(call)[1]]: _make_missing_response(_get_value(call))}))
        repair.record(
            "G3",
            call,
            f"call {quote(_get_id(call) or _get_value(call).get('name'))} had no response: it now has one that says so",
        )
    home = _find_response_content(repair, one)
    wanted = [part for _, part in sorted(one.found.items()) if homes[id(part)] is not home]
    for part in wanted:
        before = homes[id(part)]
        before.inner = [other for other in before.inner or () if other is not part]
        if before in one.answers:
            repair.record("G3", part, "a response moved to the others of its turn")
    parts = home.inner or []
    lead = max((n for n, part in enumerate(parts, 1) if get_datum(part)[0] == "functionResponse"), default=0)
    home.inner = [*parts[:lead], *wanted, *added, *parts[lead:]]


def _find_response_content(repair: RepairRun, one: _Round) -> Node:
    """Return the content for a round's responses: the first with some, else the first of the turn."""
    if not one.answers:  # nothing follows, so all that is in here is new
        home = Node({"role": "user"}, inner=[], name="parts", size=-1)
        at = next(number for number, node in enumerate(repair.nodes) if node is one.last)
        repair.nodes.insert(at + 1, home)
        return home
    found = {id(part) for part in one.found.values()}
    holds = (node for node in one.answers if any(id(part) in found for part in node.inner or ()))
    return next(holds, one.answers[0])


def _remove_emptied(repair: RepairRun) -> None:
    """Remove contents whose responses all moved; a last one still gives the model its turn."""
    emptied = [node for node in repair.nodes if node.inner == []]
    if emptied and emptied[-1] is repair.nodes[-1]:
        last = emptied.pop()
        last.inner = [Node({"text": GO_ON})]
        repair.record("G6", last, f"a last content whose responses moved now says {GO_ON!r}")
    gone = {id(node) for node in emptied}
    repair.nodes = [node for node in repair.nodes if id(node) not in gone]


def _make_missing_response(call: dict[str, Any]) -> dict[str, Any]:
    given = {"id": call["id"]} if call.get("id") else {}
    return {**given, "name": call.get("name"), "response": {"error": NO_RESULT}}


_MEDIA = frozenset({"inlineData", "inline_data", "fileData", "file_data"})


def convert_orphan_part(part: Node, at: str) -> list[Node]:
    """The parts that replace a response, which is in its part under the name `at`."""
    value: Any = part.get(at)
    call, name = value.get("id"), value.get("name")
    inner = value.get("parts") if isinstance(value.get("parts"), list) else []
    stays = part.path is not None and not any(op.path in ((), (at,)) for op in part.ops)
    path = (*(part.path or ()), at, "parts")
    media = [
        Node(one, (*path, number) if stays else None)
        for number, one in enumerate(inner)
        if isinstance(one, dict) and _MEDIA & one.keys()
    ]
    kept = {id(one.value) for one in media}
    others = [get_response_text(one) for one in inner if id(one) not in kept]
    texts = [
        write_heading(call, name if isinstance(name, str) else ""),
        get_response_text(value.get("response")),
        *others,
    ]
    return [Node({"text": "\n".join(filter(None, texts))}), *media]


UNSIGNED = "skip_thought_signature_validator"  # rule G10: what the API accepts in the place of a lost signature (docs)


@register_repair("G1", "G6")
def repair_beginning(repair: RepairRun) -> None:
    """Put a user content before a model content that comes first."""
    first = next((node for node in repair.nodes if isinstance(node.value, dict)), None)
    if first is None or repair.partial or not is_model(first):
        return
    at = next(number for number, node in enumerate(repair.nodes) if node is first)
    repair.nodes.insert(at, Node({"role": "user", "parts": [{"text": BEGINNING}]}))
    calls = any(get_datum(part)[0] == "functionCall" for part in first.inner or ())
    repair.record("G1" if calls else "G6", first, "a user content was put before the first content")


@register_repair("G10")
def repair_signatures(repair: RepairRun) -> None:
    """Mark calls of the current turn that have lost their signature, from Gemini 3 on."""
    if not needs_signatures(repair.options.model):
        return
    steps: list[Node] = []  # the first call of each
    for role, run in group_turns(repair.nodes):
        parts = [(part, get_datum(part)) for node in run for part in node.inner or ()]
        calls = [part for part, (kind, _) in parts if kind == "functionCall"]
        if role == "model":
            steps += calls[:1]
        elif any(kind not in ("", "functionCall", "functionResponse") for _, (kind, _) in parts):
            steps = []
    for call in steps:
        if not (call.get("thoughtSignature") or call.get("thought_signature")):
            name = "thought_signature" if get_datum(call)[1] == "function_call" else "thoughtSignature"
            call.put((name,), UNSIGNED)
            repair.record("G10", call, "a call that lost its thought signature says that it has none")
