"""Figures, wishes, causes and deeds belong to what the history says them of, in whatever words."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.figures.bindings import read_bindings
from secateur.compaction.judge.truth import find_contradiction
from secateur.model import Message


def run(name: str, command: str, said: str, *, fails: bool = False) -> tuple[Message, Message]:
    given = json.dumps({"command": command})
    return assistant((name, "bash", given)), result(("Exit code 1\n" if fails else "") + said, call=name)


PATCH = "*** Begin Patch\n*** Update File: src/oven.py\n@@\n-HEAT = 180\n+HEAT = 220\n*** End Patch"
HISTORY: Evidence = collect_evidence(
    talk(
        user("The oven is too cold. Set it hotter, with a table and not with a formula. Keep the old recipes."),
        *run("a", "tools/bakecheck src", "kneaded 1409, burnt 3102\nloaves 64 of rye", fails=True),
        assistant(("b", "apply_patch", json.dumps({"input": PATCH}))),
        result("Success. Updated the following files:\nM src/oven.py", call="b"),
        *run("c", "tools/migrate --apply", "constraint violated", fails=True),
        *run("d", "tools/migrate --apply", "done"),
        assistant(
            text="The oven was too cold because the table had no row for rye. Should a row be interpolated, or copied?"
        ),
        user("Copied."),
        assistant(text="The old recipes are untouched. No page covers sourdough starters."),
    ).messages
)
REVIEW: Evidence = collect_evidence(
    talk(
        user("Review src/oven.py, change nothing."),
        assistant(("a", "read", json.dumps({"path": "src/oven.py"}))),
        result("HEAT = 180", call="a"),
        assistant(text="The hinge squeaks."),
    ).messages
)


def judge(section: str, *claims: str, evidence: Evidence = HISTORY) -> str:
    found = find_contradiction({section: tuple(f"- {claim}" for claim in claims)}, evidence)
    return found.reason if found else ""


@pytest.mark.parametrize(
    ("section", "claim", "reason"),
    [
        ("discoveries", "1409 burnt, 3102 kneaded", "unsupported"),
        ("discoveries", "There were 87 loaves", "unsupported"),
        ("accomplished", "HEAT went from 180 to 240", "unsupported"),
        ("instructions", "The user expects a leaflet for visiting neighbors", "approval"),
        ("discoveries", "The bakery failed on a broken fan", "unsupported"),
        ("discoveries", "The first attempt succeeded", "check"),
        ("accomplished", "The old recipes were deleted", "unfinished_work"),
    ],
)
def test_what_is_said_of_another_thing_is_contradicted(section: str, claim: str, reason: str) -> None:
    assert judge(section, claim) == reason


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("discoveries", "1409 kneaded, 3102 burnt"),
        ("discoveries", "There were 64 loaves of rye"),
        ("discoveries", "4511 in all, kneaded or burnt"),
        ("accomplished", "HEAT went from 180 to 220"),
        ("instructions", "The user expects the oven to be hotter"),
        ("discoveries", "The oven failed on a missing row of the table"),
        ("discoveries", "The first attempt failed, the second one succeeded"),
        ("discoveries", "bakecheck failed"),
        ("accomplished", "The old recipes were not touched"),
        ("discoveries", "No page covers sourdough starters"),
        ("decisions", "The user preferred copied rows to interpolated ones"),
    ],
)
def test_what_the_history_says_of_it_stands(section: str, claim: str) -> None:
    assert not judge(section, claim)


def test_nothing_was_changed_where_every_call_only_looked() -> None:
    assert judge("accomplished", "The door check was fixed", evidence=REVIEW) == "unchanged_file"
    assert not judge("accomplished", "The door check was not fixed", evidence=REVIEW)
    assert not judge("accomplished", "A missing check was found", evidence=REVIEW)


def test_figures_are_bound_to_the_words_on_their_side() -> None:
    assert read_bindings("accuracy 0.81 recall 0.62") == (
        ("0.81", frozenset({"accur"})),
        ("0.62", frozenset({"accur", "recal"})),
    )
    assert read_bindings("3 to add, 1 to change")[0] == ("3", frozenset({"add"}))


SHOP = collect_evidence(
    talk(
        user("The kettle of order 55 leaks. I was thinking of a new Seal."),
        assistant(("a", "create_refund", json.dumps({"order": 55}))),
        result("refunds need a supervisor", call="a", error=True),
        assistant(("b", "update_stock", json.dumps({"order": 55}))),
        result("locked", call="b", error=True),
        assistant(("c", "update_stock", json.dumps({"order": 55}))),
        result("ok", call="c"),
        assistant(text="The refund needs a supervisor. May I send a Kelvino instead?"),
        user("OK, a Kelvino it is. But I don't want insurance."),
    ).messages
)


def refute(section: str, claim: str) -> str | None:
    found = find_contradiction({section: (f"- {claim}",)}, SHOP)
    return found.rule if found else None


@pytest.mark.parametrize(
    ("section", "claim", "rule"),
    [
        ("accomplished", "The refund was created", "standing.failed_tool"),
        ("accomplished", "Created the refund for order 55", "standing.failed_tool"),
    ],
)
def test_what_a_tool_refused_was_not_done(section: str, claim: str, rule: str) -> None:
    assert refute(section, claim) == rule


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("accomplished", "Tried to create the refund, which failed"),
        ("accomplished", "The refund could not be created"),
        ("next", "Create the refund when the supervisor is asked"),
        ("accomplished", "The stock was updated"),
        ("decisions", "Seal: the user's own idea"),
        ("decisions", "Kelvino: proposed by the agent, accepted by the user"),
        ("decisions", "Insurance is not used for the parcel"),
    ],
)
def test_what_was_tried_denied_or_repeated_stands(section: str, claim: str) -> None:
    assert refute(section, claim) is None
