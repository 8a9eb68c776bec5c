"""What tools really gave outlives every repair: nothing of it is lost, and no made-up result is beside it."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.prefixes import blocks, paired
from laws.shapes import SHAPES, Shape, style
from laws.stories import story
from laws.test_repair_broken import broken
from secateur.api.repair import repair
from secateur.api.repair_run import NO_RESULT

SHAPE = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)


def strings(value: Any) -> Iterator[str]:
    """All strings inside a value, names aside."""
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from strings(one)


def asked(messages: list[Any]) -> list[tuple[str, str]]:
    """The calls ("call"), the results of tools ("real") and those that say there is none ("none"), in order, by id."""
    found = []
    for _, block in blocks([one for one in messages if isinstance(one, dict)]):
        pair = paired(block) if isinstance(block, dict) else None
        kind = pair[0].lower() if pair else ""
        if pair and ("result" in kind or kind.endswith(("output", "response"))):
            found.append((pair[1], "none" if NO_RESULT in json.dumps(block) else "real"))
        elif pair:
            found.append((pair[1], "call"))
    return found


def answered(pairs: list[tuple[str, str]]) -> set[str]:
    """Ids under which one call stands, and behind it one result. Calls without an id are paired by their place."""
    kinds: dict[str, list[str]] = {}
    for id, kind in pairs:
        kinds.setdefault(id, []).append(kind)
    return {id for id, found in kinds.items() if found == ["call", "real"] and not id.startswith("(None")}


def marked(messages: list[Any]) -> list[Any]:
    """The messages, with a text of its own in every result."""
    count = 0

    def inside(value: Any, within: bool) -> Any:
        nonlocal count
        if isinstance(value, list):
            return [inside(one, within) for one in value]
        if not isinstance(value, dict):
            return value
        made = {}
        for name, one in value.items():
            ours = within or name in ("toolResult", "functionResponse", "function_response")
            ours = ours or value.get("type") == "tool_result" or value.get("role") == "tool"
            ours = ours or str(value.get("type")).endswith("_call_output")
            if ours and name in ("text", "output", "content", "error", "result") and isinstance(one, str) and one:
                count += 1
                made[name] = f"gave {count}."
            else:
                made[name] = inside(one, ours)
        return made

    return [inside(message, False) for message in messages]


@SHAPE
@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**9))
def test_every_real_result_is_still_there_and_nothing_contradicts_it(shape: Shape, seed: int) -> None:
    one = story(seed)
    body = json.loads(json.dumps(shape.body(one, len(one.said), style(shape, seed))))
    came = broken(shape, body | {shape.array: marked(body[shape.array])}, Random(seed))[shape.array]
    after = repair({shape.array: came} | {k: v for k, v in body.items() if k != shape.array}, shape.format).document
    said = "\n".join(strings(after[shape.array]))
    assert [text for text in strings(came) if text.startswith("gave ") and text not in said] == []
    assert answered(asked(came)) <= answered(asked(after[shape.array]))
