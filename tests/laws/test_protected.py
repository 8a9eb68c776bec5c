"""Law: what a caller protects by its tool's name is in every view, whole, however often the session is compacted."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactions import said
from every_format import Step, Turn, document
from every_format.drawn import TURNS
from law_examples import examples
from secateur import Engine
from secateur import documents as documents
from secateur.policy import PRESETS, load

BODIES = ("anthropic_messages", "bedrock_converse", "gemini", "openai_chat", "openai_responses")
COMPACTING = [name for name in PRESETS if load(name).compaction is not None]


def make_fact(number: int) -> str:
    """A text that nothing else in the conversation contains."""
    return f"rule {number}: the port of service {number} is {7000 + number}\n" * 3


def with_lookup(turn: Turn, number: int) -> Turn:
    """The turn with a short result of a protected tool in the middle of it."""
    looked = Step("Lookup_Rule", json.dumps({"rule": number}), make_fact(number), error=number % 3 == 2)
    half = len(turn.steps) // 2
    return turn._replace(steps=(*turn.steps[:half], looked, *turn.steps[half:]))


def list_texts(native: Any) -> str:
    """Every text of a view, as its format reads it."""
    read = documents.read(native).transcript
    return "\n".join(part.text for message in read.messages for part in message.parts)


@pytest.mark.parametrize("policy", COMPACTING)
@examples(6)
@given(st.sampled_from(BODIES), TURNS, st.booleans(), st.booleans())
def test_a_protected_result_is_in_every_view(policy: str, format: str, turns: Any, stored: bool, asks: bool) -> None:
    turns = [with_lookup(turn, number) for number, turn in enumerate(turns * 2)]
    engine = Engine(
        policy,
        "gpt-5",
        window=9_000,
        protect="lookup_*",
        store="memory://" if stored else None,
        summarizer=(lambda asked: said(discoveries="- it went on")) if asks else None,
        too_long="send",
    )
    for count in range(1, len(turns) + 1):
        view = engine.fit(document(format, turns[:count]), session="s", now_ms=count * 400_000)
        texts = list_texts(view.request)
        missing = [number for number in range(count) if make_fact(number) not in texts]
        assert missing == [], view.receipt


@pytest.mark.parametrize("format", BODIES)
def test_a_compaction_that_was_asked_for_keeps_it_too(format: str) -> None:
    spoken = Turn("go on", (Step("bash", "{}", "ok"),), "It is done. " * 900)
    turns = [with_lookup(spoken, number) for number in range(8)]
    engine = Engine("balance", "gpt-5", window=30_000, protect="lookup_*")
    view = engine.compact(document(format, turns), session="s")
    assert view.receipt.compaction is not None
    assert view.receipt.compaction.done
    texts = list_texts(view.request)
    assert [number for number in range(8) if make_fact(number) not in texts] == []
