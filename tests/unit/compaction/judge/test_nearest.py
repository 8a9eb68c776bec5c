"""The nearest words of the history decide: what the user ruled, what was done, which of two things is more."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.truth import iterate_contradictions
from secateur.model import Message


def call(key: str, tool: str, given: str, said: str) -> tuple[Message, Message]:
    return assistant((key, tool, given)), result(said, call=key)


def collect(*messages: Message) -> Evidence:
    return collect_evidence(talk(*messages).messages)


ORCHARD = collect(
    user(
        "The pear trees wilt. Find out why. Use the drip line instead of the sprinkler."
        " No new pumps, and no change to row 2. Leave the compost heap alone. I prune the hedge myself."
    ),
    *call("a", "bash", '{"command": "soil --rows"}', "row north  moisture 31\nrow south  moisture 12"),
    *call("b", "bash", '{"command": "valve --time"}', "open by hand  8.5 s\nopen by timer  2.1 s"),
    assistant(text="The south row is dry, its hose leaks. The old nozzles drop more water than the new ones."),
    user("Good, mend the hose."),
    *call("c", "bash", '{"command": "hose --patch"}', "patched"),
    assistant(
        text="The hose is mended. I have not tested the timer yet. Labels for the trees are still to be printed."
    ),
)


def find(section: str, claim: str) -> list[str]:
    return [one.rule for one in iterate_contradictions({section: (f"- {claim}",)}, ORCHARD)]


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("constraints", "New pumps are welcome."),
        ("next", "Order two pumps."),
        ("constraints", "The compost heap may be moved."),
        ("next", "Prune the hedge."),
        ("constraints", "The sprinkler waters the trees."),
        ("discoveries", "The user wants new pumps."),
    ],
)
def test_what_goes_against_the_nearest_ruling_is_contradicted(section: str, claim: str) -> None:
    assert find(section, claim)


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("constraints", "No pumps are to be bought."),
        ("constraints", "The compost heap stays where it is."),
        ("constraints", "The drip line waters the trees."),
        ("next", "The hedge is pruned by the user."),
        ("discoveries", "The user wants the drip line."),
        ("next", "Test the timer."),
        ("next", "2."),
    ],
)
def test_who_restates_a_ruling_is_not(section: str, claim: str) -> None:
    assert not find(section, claim)


@pytest.mark.parametrize("claim", ["The timer was tested.", "The labels were printed."])
def test_what_the_agent_denied_or_announced_last_was_not_done(claim: str) -> None:
    assert find("accomplished", claim)


@pytest.mark.parametrize("claim", ["The hose was mended.", "The timer was not tested.", "The soil was measured."])
def test_what_something_else_settles_stands(claim: str) -> None:
    assert not find("accomplished", claim)
