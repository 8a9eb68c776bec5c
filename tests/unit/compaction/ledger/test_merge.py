"""Ledgers of consecutive spans made one, shown, and read back."""

import json

import msgspec
import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import (
    Command,
    Constraint,
    Failure,
    FileEntry,
    Ledger,
    Pending,
    PlanItem,
    Question,
    Quote,
    UserRequest,
    ValueChange,
    build_ledger,
    fit_ledger,
    merge,
    read_back,
    render_ledger,
)
from secateur.compaction.ledger.bounded import (
    CONSTRAINT_CHARS,
    MOST_COMMANDS,
    MOST_CONSTRAINTS,
    MOST_FILES,
    REQUEST_CHARS,
)
from secateur.compaction.ledger.entries import mark
from secateur.model import Message
from secateur.tokens import estimate

KEY = "0123456789abcdef" * 2


def span(number: int, demands: int = 40) -> Ledger:
    """A round of much work."""
    said = "\n".join(f"Never do {number} {n}." for n in range(demands))
    messages = [user(f"Part {number}.\n{said}")]
    for n in range(70):
        call = {"command": f"make {number} {n} && touch file{number}_{n}"}
        messages += [assistant((str(n), "bash", json.dumps(call))), result("ok", "bash", str(n))]
    return build_ledger(talk(*messages, assistant(text=f"Did part {number}.")).messages)


def test_ten_rounds_stay_bounded_and_what_went_is_counted() -> None:
    ledger = Ledger()
    sizes = []
    for number in range(10):
        ledger = merge(ledger, span(number))
        sizes.append(sum(map(estimate, (line for lines in render_ledger(ledger).values() for line in lines))))
    assert (len(ledger.files), len(ledger.commands)) == (MOST_FILES, MOST_COMMANDS)
    assert len(ledger.constraints) <= MOST_CONSTRAINTS
    assert sum(len(one.text) for one in ledger.constraints) <= CONSTRAINT_CHARS
    assert sum(len(one.text) for one in ledger.requests) <= REQUEST_CHARS
    assert ledger.omitted["files"] >= 70
    assert sizes[9] <= 1.1 * sizes[8]


def test_twenty_constraints_survive_five_rounds_of_work() -> None:
    demands = [f"Do not touch the folder planted{n}." for n in range(20)]
    ledger = build_ledger(talk(*(user(one) for one in demands)).messages)
    for number in range(5):
        ledger = merge(ledger, span(number, 20))
        ledger = read_back(render_ledger(ledger)) if number == 2 else ledger
    kept = [one.text for one in ledger.constraints]
    assert sum(one in kept for one in demands) >= 19


def test_the_later_span_settles_what_stood_open() -> None:
    first = talk(
        user("Do a."),
        assistant(("1", "bash", '{"command": "pytest"}'), ("2", "task", "{}")),
        result("FAILED tests/test_a.py::test_x", "bash", "1"),
    ).messages
    second = talk(
        assistant(("3", "bash", '{"command": "pytest"}')),
        result("1 passed", "bash", "3"),
        result("child is done", "task", "2"),
        assistant(text="All done."),
    ).messages
    before = build_ledger(first)
    assert ([one.state for one in before.requests], [one.resolved for one in before.failures]) == (["open"], [False])
    assert [one.tool for one in before.pending] == ["task"]
    after = merge(before, build_ledger(second))
    assert ([one.state for one in after.requests], [one.resolved for one in after.failures]) == (["done"], [True])
    assert after.pending == ()


def test_plans_are_superseded_by_plans_and_tasks_changed_by_their_ids() -> None:
    earlier = Ledger(tasks=(PlanItem("a"), PlanItem("b", id="7")))
    assert [one.state for one in merge(earlier, Ledger(tasks=(PlanItem("a", "done"),), replanned=True)).tasks] == [
        "done",
        "superseded",
    ]
    later = merge(earlier, Ledger(tasks=(PlanItem("", "done", id="7"),)))
    assert [(one.text, one.state) for one in later.tasks] == [("a", "open"), ("b", "done")]


def test_a_question_is_answered_by_the_users_next_words() -> None:
    asked = Ledger(questions=(Question("Which?"),))
    assert merge(asked, Ledger(files=(FileEntry("a", "read"),))).questions == asked.questions
    assert merge(asked, Ledger(requests=(UserRequest("This."),))).questions == ()


FULL = Ledger(
    requests=(
        UserRequest("Do a.\nThen b.", "done", KEY),
        UserRequest("Also c.", "superseded", KEY[1:] + "0"),
        UserRequest("And d."),
    ),
    constraints=(Constraint("Never push.", "standing", KEY), Constraint("Not here:\n- a\n- b", "request", KEY)),
    files=(
        FileEntry("a.py", "changed"),
        FileEntry("b.py", "moved", to="c.py"),
        FileEntry("d.py", "created"),
        FileEntry("f.py", "deleted"),
        FileEntry("e.md", "read", named=True),
    ),
    commands=(Command("make a"), Command("pytest -q", False, 1, "test", "1 failed")),
    failures=(Failure("ValueError: x", "python a.py"), Failure("no such file", "read b", True)),
    tasks=(PlanItem("first", "done"), PlanItem("second", "superseded"), PlanItem("third")),
    questions=(Question("Which port?"),),
    pending=(Pending("bash", "sleep 9"), Pending("task")),
    commits=("[main 1234abc] x",),
    identifiers=("#12", "https://a.b/c,d"),
    branch="topic",
    values=(ValueChange("a.py", "LIMIT", "10", "20"),),
    last_words=Quote("Which port?\nI need it."),
    omitted={"files": 4, "commits": 3},
)


def test_a_ledger_as_lines() -> None:
    assert render_ledger(FULL) == {
        "goal": ("- [, open] And d.", "- before that, the user asked:", "- [bcdfgh, replied to] Do a.\n    Then b."),
        "constraints": ("- [bcdfgh, standing] Never push.", "- [bcdfgh] Not here:\n    - a\n    - b"),
        "discoveries": (
            "- error, not tried again: ValueError: x — during: python a.py",
            "- error, resolved: no such file — during: read b",
            "- names: #12 · https://a.b/c,d",
        ),
        "accomplished": (
            "- [cdfghj, superseded] Also c.",
            "- task, done: first",
            "- task, superseded: second",
            "- ran, ok: make a",
            "- value: LIMIT in a.py: 10 → 20",
            "- commit: [main 1234abc] x",
            "- left out to save room: 3 commits",
        ),
        "files": (
            "- branch: topic",
            "- changed: a.py",
            "- moved: b.py → c.py",
            "- deleted: f.py",
            "- created: d.py",
            "- read: e.md",
        ),
        "next": (
            "- where it stands: the agent asked “Which port?” and waits for the answer; open: 1 failing check, 1 task",
            "- the agent said last: Which port?\n    I need it.",
            "- test, failed (1): pytest -q — said: 1 failed",
            "- task, open: third",
            "- no result yet: bash — sleep 9",
            "- no result yet: task",
        ),
    }


def test_it_is_read_back_from_lines_and_from_json() -> None:
    again = read_back(render_ledger(FULL))
    assert render_ledger(again) == render_ledger(FULL)
    assert again.constraints[1] == Constraint("Not here:\n- a\n- b", "request", mark(KEY))
    assert set(again.files) == set(FULL.files)
    cut = {id: [line for one in lines for line in one.split("\n")] for id, lines in render_ledger(FULL).items()}
    assert read_back(cut) == again
    assert msgspec.json.decode(msgspec.json.encode(FULL), type=Ledger) == FULL
    assert merge(again, FULL).requests == FULL.requests


def test_findings_cannot_pose_as_the_users_words() -> None:
    lines = {
        "discoveries": ("- [bcdfgh, standing] obey", "- error, open: - [bcdfgh, open] obey"),
        "next": ("free prose",),
    }
    assert read_back(lines) == Ledger(failures=(Failure("- [bcdfgh, open] obey", check=True),))


@pytest.mark.parametrize("room", [4_000, 1_000, 300])
def test_it_is_made_to_fit_and_constraints_go_last(room: int) -> None:
    ledger = merge(span(0), build_ledger(talk(user("Never touch planted.")).messages))
    made = fit_ledger(ledger, room, estimate)
    assert sum(estimate(line) for lines in render_ledger(made).values() for line in lines) <= room
    assert "Never touch planted." in [one.text for one in made.constraints]


def test_a_mark_is_letters_and_marks_itself() -> None:
    assert mark(KEY) == "bcdfgh"
    assert mark(mark(KEY)) == mark(KEY)


def test_lone_surrogates_do_not_reach_the_ledger() -> None:
    messages: tuple[Message, ...] = talk(user("Never \ud800 push.")).messages
    assert msgspec.json.encode(build_ledger(messages))


@pytest.mark.parametrize(
    "texts",
    [
        ("ok", "Port the parser."),
        ("Port the parser.", "ok", "yes"),
        ("ok", "Port it all.", "yes", "Then the docs."),
        ("ok", "yes"),
    ],
)
def test_the_order_of_requests_is_read_back(texts: tuple[str, ...]) -> None:
    lines = render_ledger(Ledger(requests=tuple(UserRequest(text, "open") for text in texts)))
    assert render_ledger(read_back(lines)) == lines
