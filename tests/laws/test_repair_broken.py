"""Sound sessions broken by what goes wrong in the field: things lost, doubled, out of order. Mended, no rule refuses
them, mending again changes nothing, and the provider's own package takes them.

Rule: what no repair can bring back (a word, signed reasoning) is listed here by its rule, for each format.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from laws.shapes import SHAPES, Shape, style
from laws.stories import story
from replay.oracle import installed, refusal
from secateur.api import check
from secateur.api.repair import repair

CASES = 60
GONE = {"openai_chat": {"O9"}, "openai_responses": {"R15"}, "anthropic_messages": {"A52"}}
BLOCKS = {"anthropic_messages": "content", "bedrock_converse": "content", "gemini": "parts"}
SHAPE = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)


def bodies(shape: Shape) -> Iterator[tuple[Random, dict[str, Any]]]:
    for seed in range(CASES):
        one = story(seed)
        yield Random(seed), json.loads(json.dumps(shape.body(one, len(one.said), style(shape, seed))))


def broken(shape: Shape, body: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The body with messages, or blocks of one, lost, doubled or moved."""
    messages = deepcopy(body[shape.array])
    for _ in range(rng.choice((1, 1, 2, 4))):
        name = BLOCKS.get(shape.format, "")
        inner = [message[name] for message in messages if isinstance(message.get(name), list) and message[name]]
        array = rng.choice(inner) if inner and rng.random() < 0.5 else messages
        if array:
            bend(array, rng)
    return body | {shape.array: messages}


def bend(array: list[Any], rng: Random) -> None:
    i, j = rng.randrange(len(array)), rng.randrange(len(array))
    match rng.randrange(3):
        case 0:
            del array[i]
        case 1:
            array.insert(j, deepcopy(array[i]))
        case _:
            array.insert(j, array.pop(i))


@SHAPE
def test_what_was_broken_is_sound_again(shape: Shape) -> None:
    mended = 0
    for rng, body in bodies(shape):
        done = repair(json.dumps(broken(shape, body, rng)).encode(), shape.format)
        mended += bool(done.repairs)
        assert [one for one in done.remaining if one.rule not in GONE.get(shape.format, ())] == []
        again = repair(done.document, shape.format)
        assert again.repairs == ()
        assert again.document == done.document
    assert mended > CASES / 2


@SHAPE
def test_the_providers_own_package_takes_it(shape: Shape) -> None:
    if not installed(shape.format):
        pytest.skip("the provider's package is not installed")
    for rng, body in bodies(shape):
        if not refusal(shape.format, body):
            done = repair(broken(shape, body, rng), shape.format)
            assert refusal(shape.format, done.document) == ""


@SHAPE
def test_what_was_sound_is_the_very_same(shape: Shape) -> None:
    sound = [body for _, body in bodies(shape) if not check(shape.family, body[shape.array], body)]
    for body in sound:
        assert repair(body, shape.format).document is body
    assert sound
