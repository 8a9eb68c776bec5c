"""Gives each call an id that is unique in the request and consists of accepted characters.

Rule: the first call keeps its id; another call with that id gets `ID_2`, and so does its result. Results belong to the
calls of the message before them: the n-th result with an id to the n-th call with it.
"""

import re
from typing import Any

from secateur.api.editable import Node
from secateur.api.fresh_ids import FreshIds
from secateur.api.repair_run import RepairRun, quote, register_repair
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
