"""Laws of request formats over all their vectors: lens, frame and sticky.

Lens and frame are laws of the formats alone: edits are carried out without anyone asking whether they pay or pass.
"""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from laws.natives import elements, ends
from secateur import fit
from secateur.errors import EditError
from secateur.formats import Format, get_format
from secateur.jsontext import Text
from secateur.model import Edit, Epoch, Part, Replace, Rewrite, Transcript
from secateur.patch import apply
from secateur.plan import Plan, decode, fold
from secateur.projection.messages import compile_ops
from vector_cases import Case, cases, titled

BODIES = ("anthropic_messages", "bedrock_converse", "gemini", "openai_chat", "openai_responses")
# Session files are held to the same laws by `FormatKit`, in tests/unit/formats/test_kit.py.
CASES = pytest.mark.parametrize("case", [one for one in cases() if one.format in BODIES], ids=titled)
NEW = st.text(min_size=1, max_size=30) | st.just('lone \ud83d "quoted"\\ \n')
ARGUMENTS = '{"a":1.0,"b":"\u00e9"}'  # as canonical JSON, which is how arguments read


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def free(transcript: Transcript) -> list[Part]:
    """The parts that may be rewritten; a medium inside a result is a piece of what the result says."""
    return [part for part in parts(transcript) if not part.pinned and not part.container_key]


def written(native: Any, format: Format, part: Part, text: str) -> Any:
    """The document in which the part reads `text`."""
    plan = Plan((Epoch(1, part.key, "law", (Rewrite(part.key, text),)),))
    messages = format.read(native).messages
    ops = [op for message in messages for op in compile_ops(message, fold(plan), format, stamp=False)]
    return apply(native, ops)


@CASES
@settings(max_examples=30)
@given(st.data())
def test_lens(case: Case, data: st.DataObject) -> None:
    """Writing a text and reading it back gives that text and changes no other part."""
    format, native = get_format(case.format), Text.of(case.request)
    before = format.read(native)
    part = data.draw(st.sampled_from(free(before)))
    text = ARGUMENTS if part.kind == "tool_call" else data.draw(NEW)
    after = parts(format.read(written(native, format, part, text)))
    kept = [one for one in parts(before) if one.container_key != part.key]
    assert [one.text for one in after] == [text if one is part else one.text for one in kept]
    others = [(new, old) for new, old in zip(after, kept, strict=True) if old is not part]
    assert [told(new) for new, _ in others] == [told(old) for _, old in others]
    assert [one.call_id for one in after] == [one.call_id for one in kept]


def told(part: Part) -> tuple[Any, ...]:
    return (part.kind, part.tool, part.is_error, part.fingerprint, part.pinned, part.prefix_bound)


@CASES
def test_frame(case: Case) -> None:
    """What no edit reaches is the same characters, and the same objects."""
    format, native, request = get_format(case.format), Text.of(case.request), json.loads(case.request)
    read = format.read(native)
    for part in free(read):
        text, place = ARGUMENTS if part.kind == "tool_call" else "new", native.at(part.path)
        assert place is not None
        if not any(one.container_key == part.key for one in parts(read)):  # media beside a response go with it
            data = written(native, format, part, text).data
            assert data.startswith(case.request[: place.start])
            assert data.endswith(case.request[place.end :])
        objects = written(request, format, part, text)
        first, number = part.path[0], part.path[1]
        assert [name for name in request if objects[name] is not request[name]] == [first]
        assert [n for n, one in enumerate(request[first]) if objects[first][n] is not one] == [number]


@CASES
def test_pinned_parts_are_refused(case: Case) -> None:
    format, native = get_format(case.format), Text.of(case.request)
    for part in parts(format.read(native)):
        if part.pinned:
            with pytest.raises(EditError):
                written(native, format, part, "new")


@CASES
def test_sticky(case: Case) -> None:
    """Under one plan a growing history shows what was shown, element by element, from where its epochs were opened."""
    request = json.loads(case.request)
    name = next(name for name in ("messages", "input", "contents") if name in request)
    grown = [dumped(request | {name: request[name][:end]}) for end in ends(request[name])]
    first, plan = opened_early(grown, decode(case.plan))
    shown = [elements(fit(one, policy="observe", plan=plan).request) for one in grown]
    assert shown[-1] == elements(case.projected)
    assert shown[:first] == [elements(one) for one in grown[:first]]  # what lies ahead of a history does not hold
    for earlier, later in pairwise(shown[first:]):
        assert later[: len(earlier)] == earlier


def opened_early(grown: list[bytes], plan: Plan) -> tuple[int, Plan]:
    """The plan as if it had been made for the first of these requests that holds all it edits, and which that is."""
    wanted = {key for epoch in plan.epochs for edit in epoch.edits for key in keys_of(edit)}
    for number, request in enumerate(grown):
        messages = fit(request, policy="observe").raw_transcript.messages
        if wanted <= {one.key for message in messages for one in (message, *message.parts)}:
            epochs = (replace(epoch, head_key=messages[-1].key) for epoch in plan.epochs)
            return number, Plan(tuple(epochs))
    raise AssertionError("the plan edits what the request does not hold")


def keys_of(edit: Edit) -> set[str]:
    return ({edit.after, edit.through} if isinstance(edit, Replace) else {edit.key}) - {""}


def dumped(request: Any) -> bytes:
    return json.dumps(request).encode()
