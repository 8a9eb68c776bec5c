"""FM-24: a text cut inside an emoji is half a character, and no provider takes it."""

import json

import pytest

from native import user
from secateur.api.repair import repair

EMOJI = "ab😀cd"


@pytest.mark.parametrize("units", range(1, 7))
def test_a_cut_at_every_code_unit_goes_out_well_formed(units: int) -> None:
    cut = EMOJI.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "surrogatepass")
    body = json.dumps([user(cut), user("é")]).encode()
    done = repair(body, "openai_chat")
    text = json.loads(done.document)[0]["content"]
    assert text == (cut if units != 3 else "ab�")
    assert text.encode()
