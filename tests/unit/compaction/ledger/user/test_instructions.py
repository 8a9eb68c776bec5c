"""Orders of a project's file that have no words of force, and what such a file only tells."""

import pytest

from secateur.compaction.ledger.bounded import limit_ledger
from secateur.compaction.ledger.entries import Constraint, Ledger
from secateur.compaction.ledger.user.constraints import extract_rules
from secateur.compaction.ledger.user.instructions import is_gate, is_instruction
from secateur.compaction.ledger.user.project_rules import limit_rules, list_rules


@pytest.mark.parametrize(
    "text",
    [
        "- No emojis in commits",
        "- No `Any` types unless there is no other way",
        "- After edits: `make check` (all of its output)",
        "- If the push fails, resolve it and retry",
        "- **Workflow**: Open a ticket BEFORE writing any code",
        "- Stage paths one by one",
        "- Keep answers short",
        "- Use `uv` for scripts and packages",
        "- Start every task with a look at the board",
        "- Schreibe Tests für jede Änderung: `make test`",
        "- A trip around the harbor blocks before a boat is ready for review.",
    ],
)
def test_an_order_that_bears_on_every_change_is_one(text: str) -> None:
    assert is_instruction(text)


@pytest.mark.parametrize(
    "text",
    [
        "## Commit convention",
        "Commit subject: `boat: name`",
        "- Use `row(fast=True)` when you want to be there early",
        "- `make check` - looks at all boats",
        "- Print with `fmt.Print` or `err.Println`",
        "- No boat is needed here",
        "- Test boats are kept in the shed",
        "- Added by a hook (which can be removed before committing)",
        "Create a boat:",
    ],
)
def test_what_a_file_tells_of_its_project_is_none(text: str) -> None:
    assert not is_instruction(text)


def test_a_heading_of_what_comes_before_a_commit_is_no_gate() -> None:
    assert not is_gate("3. **Before committing**")
    assert is_gate("Look at the whole list once more before committing.")


def test_orders_of_a_list_for_some_case_are_none() -> None:
    def list_texts(text: str) -> list[str]:
        return [one.text for one in extract_rules(text, "k", "AGENTS.md")]

    assert list_texts("When closing tickets:\n- Add `fixes` to the commit\n\n## Style\n- No emojis in commits") == [
        "- No emojis in commits"
    ]


def test_orders_come_behind_what_commands_in_words_of_force() -> None:
    text = "- Run `make lint` after each edit\n- NEVER paint at night\n- No emojis in commits"
    rules = list_rules(extract_rules(text, "k", "AGENTS.md"))
    assert [one.text for one in rules][0] == "- NEVER paint at night"
    assert len(rules) == 3


def test_a_case_of_what_is_left_to_do_has_room_as_every_case_has() -> None:
    lines = (*(f"- When it rains, never paint boat {n}." for n in range(5)), "- When on main, never commit boats.")
    rules = list_rules(extract_rules("\n".join(lines), "k", "AGENTS.md"), acts=("commit",))
    assert rules[0].text == lines[-1]
    assert len(limit_rules(rules, 9, acts=("commit",))) == 3


def test_of_many_rules_those_that_are_never_shown_go_first() -> None:
    told = [Constraint(f"- Boats of kind {n} should float.", "project", "k", source="AGENTS.md") for n in range(400)]
    rule = Constraint("- NEVER paint at night.", "project", "k", source="AGENTS.md")
    kept = limit_ledger(Ledger(constraints=(*told, rule))).constraints
    assert rule in kept
    assert len(kept) < len(told)
