"""Rules of the project: those that speak of what is left to do come first, and one that keeps work off its branch."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, fit_ledger, read_back, render_ledger
from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.project_rules import BLOCK_CHARS, find_protection, list_rules
from secateur.model import Message
from secateur.tokens import estimate

RULES = "\n".join((
    *(f"- NEVER paint the boat in color {n}." for n in range(8)),
    "- Never commit directly to main: always open a pull request.",
    "- Commit messages always begin with the name of the boat.",
))  # fmt: skip


def call(tool: str, said: str, **given: str) -> tuple[Message, Message]:
    return assistant(("1", tool, json.dumps(given))), result(said, tool, "1")


READ = call("read", RULES, path="/p/AGENTS.md")
STATUS = call("bash", "On branch main\nnothing to commit, working tree clean", command="git status")
EDIT = call("edit", "ok", path="/p/boat.py", old_string="a = 1", new_string="a = 2")


def read(*messages: Message) -> tuple[Ledger, dict[str, tuple[str, ...]]]:
    ledger = build_ledger(talk(user("Paint the boat."), *messages).messages)
    return ledger, render_ledger(fit_ledger(ledger, 4_000, estimate))


def test_rules_on_what_is_left_to_do_come_first() -> None:
    rules = [Constraint(line, "project", "k", source="AGENTS.md") for line in RULES.split("\n")]
    assert "boat" in list_rules(rules)[-1].text
    assert [one.text for one in list_rules(rules, acts=("commit",))[:2]] == [one.text for one in rules[-2:]]
    _, lines = read(*READ, *STATUS, *EDIT, assistant(text="It is painted."))
    assert any("open a pull request" in line for line in lines["constraints"])


def test_of_rules_that_say_nearly_the_same_the_one_that_says_more_stays() -> None:
    less = "- Do NOT use PaintPot, BrushBox, or plain buckets for painting boats"
    more = "- Use `brush` for ALL painting of boats — do NOT use PaintPot, BrushBox, or plain buckets"
    for pair in ((less, more), (more, less)):
        rules = [Constraint(one, "project", "k", source="AGENTS.md") for one in pair]
        assert [one.text for one in list_rules(rules)] == [more]


def test_the_tool_for_all_of_something_is_told_once() -> None:
    more = "- Use `brush` for ALL painting of boats — do NOT use PaintPot"
    rules = [
        Constraint(one, "project", "k", source="AGENTS.md") for one in (more, "- Use brushes for all painting of it")
    ]
    assert [one.text for one in list_rules(rules)] == [more]


def test_tools_that_a_rule_forbids_need_not_have_been_used_for_it_to_hold() -> None:
    ban, other = "- Do NOT use PaintPot or BrushBox", "- Use PaintPot NEVER after BrushBox was called"
    rules = [Constraint(one, "project", "k", source="AGENTS.md") for one in (other, "- NEVER row at night", ban)]
    assert [one.text for one in list_rules(rules, work="row.py")] == ["- NEVER row at night", ban, other]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- `make paint` MUST pass before merge", "- `make paint` MUST pass before merge"),
        (
            "Before declaring a boat complete or opening a PR, row it around the whole harbor with two aboard and "
            "write down what leaked and where, with a photo of each leak, large or small. "
            "The trip must come before the review, since nobody reviews a boat that sinks. "
            + "The harbor is open all day. "
            * 8,
            "Before declaring a boat complete or opening a PR, row it around the whole harbor with two aboard and "
            "write down what leaked and where, with a photo of each leak, large or small.",
        ),
        ("A boat is not done until it floats.", "A boat is not done until it floats."),
    ],
)
def test_a_rule_on_what_comes_before_a_commit_or_the_end_is_told_first_and_from_there(text: str, told: str) -> None:
    rules = [Constraint(one, "project", "k", source="AGENTS.md") for one in (*RULES.split("\n")[:8], text)]
    assert list_rules(rules)[0].text == told


def test_a_rule_that_only_refers_to_another_place_and_a_demand_to_push_come_not_first() -> None:
    texts = "**Before committing:** follow the list above.", "NEVER stop before pushing: you must push."
    rules = [Constraint(one, "project", "k", source="AGENTS.md") for one in (RULES.split("\n")[0], *texts)]
    assert [one.text for one in list_rules(rules)] == [rules[0].text, texts[1]]


def test_a_change_on_a_branch_that_a_rule_protects_is_told_with_the_rule() -> None:
    told = (
        "- a rule keeps this work off the branch that it is on, main: “- Never commit directly to main: always open a"
    )
    ledger, lines = read(*READ, *STATUS, *EDIT, assistant(text="It is painted."))
    assert any(line.startswith(told) for line in lines["next"])
    assert render_ledger(read_back(render_ledger(ledger))) == render_ledger(ledger)
    _, lines = read(*READ, *STATUS, assistant(text="I looked at it."))  # nothing was changed
    assert not any("keeps this work off" in line for line in lines.get("next", ()))


def test_a_rule_protects_only_the_branch_that_it_names() -> None:
    def is_protected(text: str, branch: str) -> bool:
        return find_protection([Constraint(text, "project", source="AGENTS.md")], branch) is not None

    assert is_protected("Never push to `main`.", "main")
    assert is_protected("Every merge to `main` requires a pull request.", "main")
    assert not is_protected("Never push to `main`.", "boat")
    assert not is_protected("Never push to `main`.", "master")
    assert not is_protected("Never push to main without tests.", "main")
    assert not is_protected("The main boat is not to be painted.", "main")


def list_texts(*texts: str) -> list[str]:
    return [one.text for one in list_rules([Constraint(one, "project", source="AGENTS.md") for one in texts])]


def test_what_tells_how_a_program_works_is_no_rule() -> None:
    told = (
        "Rows are sold by the piece (small ones only).",
        "- Sorting: Always added when rows are written",
        "The reader always opens the first file.",
        "- Tables have names of their own, so readers do not collide",
        "- Take back is allowed if the row is only here; otherwise read-only",
        "- Follow the list of checks that is given above - you must",
    )
    assert list_texts(*told) == []
    rules = ("- Only sort by name.", "Always open the first file.", "Messages always begin with a name.")
    assert sorted(list_texts(*rules)) == sorted(rules)


def test_a_rule_that_says_nearly_the_same_as_one_before_it_is_told_once() -> None:
    first = "- NEVER open, list, copy or rename files of the red store or the blue store."
    again = "- **NEVER** open, copy, list or print what is in files of the red store."
    other = "- Always open, list, copy and rename files of the red store by hand."
    elsewhere = "- NEVER open, list, copy or rename files of the red store or of store2."
    assert list_texts(first, again, other, elsewhere) == [first, elsewhere, other]


def test_a_long_list_is_clipped_with_its_head() -> None:
    items = [f"- the box with number {n} in the second room" for n in range(20)]
    (told,) = list_texts("\n".join(("Never open:", *items)))
    head, *kept, gap = told.split("\n")
    assert (head, gap) == ("Never open:", "[…]")
    assert kept == items[: len(kept)]
    assert len(told) <= BLOCK_CHARS + len(gap) + len(kept) + 1


def test_a_push_that_several_sources_want_is_told_once_and_not_by_the_host() -> None:
    wants = [
        Constraint("Push to the fork.", "project", source="Maestro"),
        Constraint("- You MUST push at the end.", "project", source="AGENTS.md"),
        Constraint("- Always push when you stop.", "project", source="prime"),
    ]
    assert [one.text for one in list_rules(wants)] == ["- You MUST push at the end."]
    ban = Constraint("- NEVER push.", "project", source="CLAUDE.md")
    assert {one.source for one in list_rules([*wants, ban])} == {"Maestro", "AGENTS.md", "prime", "CLAUDE.md"}
