"""What the user put off stands under what is next until it is taken up."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.ledger import build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.entries import UserRequest
from secateur.compaction.ledger.user.put_off import list_put_off


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Write the first test, we can add more backends later.", ["we can add more backends later."]),
        ("Once this lands, we should rename the boats.", ["Once this lands, we should rename the boats."]),
        ("When we start the review, use two reviewers.", ["When we start the review, use two reviewers."]),
        (
            "We should look at the word boat when we start the review",
            ["We should look at the word boat when we start the review"],
        ),
        ("We should look at the boats when it rains.", []),
        ("Let's clean the boats up in a follow-up PR.", ["Let's clean the boats up in a follow-up PR."]),
        ("Die Boote benennen wir später um.", ["Die Boote benennen wir später um."]),
        ("船的名字我们以后再改。", ["船的名字我们以后再改。"]),
        ("Can we add more backends later?", []),
        ("I like the later more.", []),
        ("We'll look at it later.", []),  # it does not say what
        ("The boats eventually sink.", []),
    ],
)
def test_what_is_put_off_is_quoted(said: str, told: list[str]) -> None:
    assert list_put_off((UserRequest(said),)) == told


def test_it_stands_until_a_request_takes_it_up() -> None:
    first = (user("Write the first test, we can add more backends later."), assistant(text="Written."))
    line = "- put off by the user: “we can add more backends later.”"
    ledger = build_ledger(talk(*first).messages)
    lines = render_ledger(ledger)
    assert lines["next"][-1] == line
    assert render_ledger(read_back(lines)) == lines
    other = (user("Paint the boat."), assistant(text="It is painted."))
    taken = (user("Now add the other backends."), assistant(text="Added."))
    assert line in render_ledger(build_ledger(talk(*first, *other).messages))["next"]
    assert line not in render_ledger(build_ledger(talk(*first, *taken).messages))["next"]
    assert line in render_ledger(merge(ledger, build_ledger(talk(*other).messages)))["next"]
    assert line not in render_ledger(merge(ledger, build_ledger(talk(*taken).messages)))["next"]
