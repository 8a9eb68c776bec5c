"""What a conversation weighs, and which parts are done with."""

from msgspec.structs import replace

from conversation import assistant, part, result, summary, talk, user
from secateur.budget import Budget, get_original, weigh_transcript
from secateur.model import Message, Part
from secateur.protect import Protection
from secateur.strategy import is_final


def test_weight_counts_what_openclaw_counts() -> None:
    system = Message("system", (), (Part("text", (), "You are a gardener."),))
    thinking = Message("assistant", (), (Part("reasoning", (), "hmm"), Part("text", (), "ok")))
    talked = talk(system, user("12345"), thinking, assistant(("c", "a_long_tool_name", '{"a":1}')), summary("long"))
    assert weigh_transcript(talked) == 256 + 5 + 3 + 2 + 7 + 256


def test_an_image_weighs_8000_characters() -> None:
    assert weigh_transcript(talk(result("12", image="cat"))) == 8_002


def test_an_excerpt_is_not_final_and_has_its_original() -> None:
    talked = talk(result("short"))
    shown = part(talked, 0)
    raw = replace(shown, text="long" * 100)
    budget = Budget(
        window=1,
        tokens_used=0,
        count=len,
        protect=Protection(),
        edited_by={shown.key: "excerpt"},
        originals={shown.key: raw},
    )
    assert not is_final(budget, shown)
    assert get_original(budget, shown) is raw
    cleared = replace(budget, edited_by={shown.key: "hard_clear"}, originals={})
    assert is_final(cleared, shown)
    assert get_original(cleared, shown) is shown
    assert not is_final(replace(budget, edited_by={}), shown)
