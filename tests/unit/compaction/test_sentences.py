"""Sentences of an agent's that hold: no points of what it proposes, and none that the user found not to be so."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.sentences import collect_sentences, list_sentences

POINTS = "\n- the shop requires a known price of each thing\n- I added the price to `shop.py`\n"


def test_the_points_of_a_proposal_are_no_findings_but_what_was_done_is() -> None:
    told = [*list_sentences(f"What holds:\n{POINTS}")]
    assert "the shop requires a known price of each thing" in told
    for opening in ("I’d make it strict.", "Yes. I would make it strict.", "Implementation plan", "Here's my plan:"):
        assert [*list_sentences(f"{opening}\n\nStrict means:\n{POINTS}")] == ["I added the price to `shop.py`"]


def collected(*replies: str) -> list[str]:
    cause = "The basket is empty because `shop.py` rejects prices without a unit."
    said = talk(user("Why is it empty?"), assistant(text=cause), *map(user, replies)).messages
    return [sentence for sentence, _, _ in collect_sentences(said)]


@pytest.mark.parametrize(
    "reply",
    [
        "hm, still the same",
        "it still isn't there",
        "es ist immer noch leer und nicht besser, immer noch kaputt",
        "toujours pas",
        "sigue igual",
        "всё равно не то",
        "vẫn không được",
        "还是不行",
        "まだ動かない",
        "아직 안 돼",
    ],
)
def test_what_the_agent_explained_is_none_where_the_user_soon_says_that_it_is_as_it_was(reply: str) -> None:
    assert not collected(reply)
    assert not collected("use units then", reply)
    assert collected("use units then", "and a list", reply)
    assert collected("thanks, what else is there?")


def test_a_list_of_what_could_be_tells_nothing_that_was_found() -> None:
    said = "The log helps diagnose issues such as:\n- The harbor refuses the call because `PORT` is taken"
    assert list(list_sentences(said)) == []
    told = said.replace("The log helps diagnose issues such as:", "What was wrong:")
    assert any("`PORT` is taken" in one for one in list_sentences(told))
