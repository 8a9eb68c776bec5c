"""The document that holds the task: named by a request, read by the agent, quoted under its own name."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.model import Message
from secateur.tokens import estimate

PLAN = "# Import\n\nThis phase makes the importer fast.\n\n## Tasks\n\n- [ ] Build the reader\n- [x] Write its tests\n"


def opened(path: str, said: str = PLAN) -> tuple[Message, Message]:
    return assistant(("1", "read", json.dumps({"path": path}))), result(said, "read", "1")


def goal(*messages: Message, room: int = 4_000) -> tuple[str, ...]:
    lines = render_ledger(fit_ledger(build_ledger(talk(*messages).messages), room, estimate))
    assert render_ledger(read_back(lines)) == lines
    return tuple(line for line in lines["goal"] if line.startswith("- task document"))


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("Start the development of phase 01, complete all tasks.", "plans/IMPORT-01.md"),
        ("Implement step 3.", "docs/2026-01-07-step-3.md"),
        ("Please implement @docs/import.md and commit.", "docs/import.md"),
        ("Process tasks from this document:\n\n/p/plans/IMPORT-01.md", "/p/plans/IMPORT-01.md"),
    ],
)
def test_a_document_that_a_request_names_is_told_by_its_boxes(asked: str, path: str) -> None:
    [line] = goal(user(asked), *opened(path))
    assert line == f"- task document {path}: boxes as last seen: 1 of 2 done\n    next open: Build the reader"


TASKS = (
    "# Import\n\n- [x] Plan it:\n  - Ask three people\n- [ ] Build the reader\n  - [ ] Read the header\n"
    "- [ ] Write its tests\n- [ ] Tell the others\n"
)


def edited(old: str, new: str, path: str = "plans/IMPORT-01.md", said: str = "ok") -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return assistant(("e", "Edit", json.dumps(given))), result(said, "Edit", "e", said != "ok")


def test_boxes_are_those_that_the_edits_after_the_reading_left() -> None:
    ticked = edited("- [ ] Build the reader", "- [x] Build the reader")
    failed = edited("- [ ] Write its tests", "- [x] Write its tests", said="error: not found")
    other = edited("- [ ] Write its tests", "- [x] Write its tests", "plans/OTHER-01.md")
    read = opened("plans/IMPORT-01.md", TASKS)
    head = "- task document plans/IMPORT-01.md: boxes as last seen: "
    assert goal(user("Start phase 1."), *read) == (
        f"{head}1 of 4 done\n    next open: Build the reader\n      - Read the header\n    then: Write its tests\n"
        "    then: Tell the others",
    )
    ticked_now = "ticked since it was first read: Build the reader"
    after = (f"{head}2 of 4 done\n    {ticked_now}\n    next open: Write its tests\n    then: Tell the others",)
    assert goal(user("Start phase 1."), *read, *failed, *ticked, *other) == after
    assert goal(user("Start phase 1."), *read, *opened("plans/IMPORT-01.md", "- [x] Build the reader\n")) == after


@pytest.mark.parametrize(
    ("ticked", "left"),
    [
        (("Run the tests",), ["Cut reed", "Run the tests", "Weave", "Run the tests"]),  # one of two: nobody knows which
        (("Weave", "Run the tests"), ["Cut reed", "Run the tests"]),
        (("Cut reed", "Run the tests"), ["Weave", "Run the tests"]),
        (("Weave",), ["Cut reed", "Run the tests", "Run the tests"]),
    ],
)
def test_a_box_whose_text_another_one_has_is_known_by_those_beside_it(ticked: tuple[str, ...], left: list[str]) -> None:
    names = ["Cut reed", "Run the tests", "Weave", "Run the tests"]
    plan = "".join(f"- [ ] {name}\n" for name in names)
    old, new = ("\n".join(f"- [{sign}] {name}" for name in ticked) for sign in " x")
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", plan), *edited(old, new, "PLAN-01.md"))
    told = [one.partition(": ")[2] for one in line.split("\n") if one.strip().startswith(("task", "next open", "then"))]
    assert told == left


@pytest.mark.parametrize(("start", "is_told"), [(1, True), ("1", True), (40, False), ([40, 80], False)])
def test_a_piece_from_the_middle_of_a_document_does_not_stand_for_it(start: object, is_told: bool) -> None:
    call = assistant(("1", "read", json.dumps({"path": "PLAN-01.md", "offset": start})))
    assert bool(goal(user("Start phase 1."), call, result(PLAN, "read", "1"))) is is_told


def test_where_no_box_is_ticked_none_is_next() -> None:
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", PLAN.replace("[x]", "[ ]")))
    assert line.endswith(": boxes as last seen: 0 of 2 done\n    task: Build the reader\n    task: Write its tests")


def test_a_document_without_boxes_is_quoted() -> None:
    text = "# Import\n\nIt makes the importer fast.\n\n## Tasks\n\n- Build the reader\n- Write its tests"
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", text))
    assert [one.strip() for one in line.splitlines()] == f"- task document PLAN-01.md: {text}".splitlines()


@pytest.mark.parametrize(
    ("asked", "path", "said"),
    [
        ("Start phase 2.", "plans/IMPORT-01.md", PLAN),
        ("Start phase 1.", "plans/IMPORT-12.md", PLAN),
        ("Start phase 1.", "src/import_1.py", PLAN),
        ("Start phase 1.", "plans/IMPORT-01.md", "# Notes\n\nIt was made in spring.\n"),
        ("Why is phase 1 so slow?", "plans/IMPORT-01.md", PLAN),
        ("Implement the importer.", "plans/import.md", PLAN),
        ("Start phase 1.", "AGENTS.md", PLAN),
    ],
)
def test_what_no_request_names_or_what_lists_no_work_is_not_quoted(asked: str, path: str, said: str) -> None:
    assert goal(user(asked), *opened(path, said)) == ()


def test_the_numbers_and_tags_that_a_tool_shows_are_no_text_of_the_document() -> None:
    shown = "<path>/p/PLAN-01.md</path>\n<type>file</type>\n<content>\n" + "".join(
        f"{n}: {line}\n" for n, line in enumerate(PLAN.split("\n"), 1)
    )
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", f"{shown}</content>"))
    assert line.startswith("- task document PLAN-01.md: boxes as last seen: 1 of 2 done\n")
    assert "1:" not in line
    assert "<" not in line


def test_a_long_document_is_quoted_by_its_tasks_and_shrinks_with_the_room() -> None:
    filler = "It was said in spring that nothing of this is certain, and nobody knows why that is. " * 3
    text = "# Import\n\n## Tasks\n\n" + "\n\n".join(f"- [ ] Build part {n} of it:\n  {filler}" for n in range(12))
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", text))
    assert len(line) < 1_800
    assert sum(f"task: Build part {n} of it" in line for n in range(12)) == 12
    [small] = goal(user("Start phase 1."), *opened("PLAN-01.md", text), room=160)
    assert len(small) < 0.8 * len(line)


def test_it_outlives_a_span_that_does_not_name_it() -> None:
    first = build_ledger(talk(user("Start phase 1."), *opened("PLAN-01.md")).messages)
    later = build_ledger(talk(user("Go on.")).messages)
    assert merge(first, later).document == first.document
    assert merge(first, Ledger()).document == first.document


def test_a_piece_that_is_read_again_does_not_stand_for_the_whole() -> None:
    text = f"{PLAN}{'It says more about the reader of dates. ' * 20}\n"
    [line] = goal(
        user("Start phase 1."), *opened("PLAN-01.md", text), *opened("PLAN-01.md", "- [ ] Build the reader\n")
    )
    assert "1 of 2 done" in line


def test_what_another_document_that_is_to_be_read_forbids_in_capitals_is_a_rule() -> None:
    read = opened("/p/docs/HARBOR.md", "# Harbor\n\nAll boats MUST have the same flag.\nBoats must float.\n")
    for asked, is_rule in (("read HARBOR.md that tells it all", True), ("why is HARBOR.md so long?", False)):
        rules = [one for one in build_ledger(talk(user(asked), *read).messages).constraints if one.scope == "project"]
        told = [("All boats MUST have the same flag.", "HARBOR.md")] if is_rule else []
        assert [(one.text, one.source) for one in rules] == told


def test_what_it_forbids_in_capitals_is_listed_first_of_the_rules() -> None:
    text = f"- NEVER push the code\n- You should be fast\n- [ ] ALWAYS build it twice\n{PLAN}"
    rules = "".join(f"- NEVER commit part {n}\n" for n in range(5))
    messages = [user("Start phase 1."), *opened("AGENTS.md", rules), *opened("plans/PLAN-01.md", text)]
    lines = render_ledger(fit_ledger(build_ledger(talk(*messages).messages), 4_000, estimate))["constraints"]
    assert lines[0].endswith(", project: PLAN-01.md] - NEVER push the code")
    assert sum("PLAN-01.md" in line for line in lines) == 1
    unnamed = talk(user("Start it."), *opened("plans/PLAN-01.md", text)).messages
    assert build_ledger(unnamed).constraints == ()


def ran(command: str, said: str) -> tuple[Message, Message]:
    return assistant(("r", "bash", json.dumps({"command": command}))), result(said, "bash", "r")


@pytest.mark.parametrize(
    ("command", "is_shown"),
    [
        ('cat "plans/a b/PLAN-01.md"', True),
        ("cd plans && cat PLAN-01.md", True),
        ("sed -n '1,200p' plans/PLAN-01.md", True),
        ("cat plans/a\\ b/PLAN-01.md", True),
        ("sed -n '40,80p' plans/PLAN-01.md", False),
        ("cat plans/PLAN-01.md | grep x", False),
        ("cat NOTES.md plans/PLAN-01.md", False),
    ],
)
def test_a_document_that_a_command_shows_whole_is_read(command: str, is_shown: bool) -> None:
    shown = goal(user("Start phase 1."), *ran(command, PLAN))
    assert bool(shown) is is_shown
    assert all("1 of 2 done\n    next open: Build the reader" in line for line in shown)


def test_what_was_ticked_since_the_first_reading_is_named() -> None:
    ticked = PLAN.replace("[ ]", "[x]")
    [line] = goal(user("Start phase 1."), *ran("cat PLAN-01.md", PLAN), *ran("cat PLAN-01.md", ticked))
    assert line.endswith("boxes as last seen: 2 of 2 done\n    ticked since it was first read: Build the reader")


def test_what_is_to_hold_at_the_end_is_no_task() -> None:
    text = f"{PLAN}\n## Acceptance criteria\n\n- [ ] It is fast\n- [ ] It is small\n"
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", text))
    assert line.endswith("1 of 2 done\n    next open: Build the reader")
    alone = "# Import\n\n## Acceptance criteria\n\n- [x] It is fast\n- [ ] It is small\n"
    [line] = goal(user("Start phase 1."), *opened("PLAN-01.md", alone))
    assert line.endswith("1 of 2 done\n    next open: It is small")


@pytest.mark.parametrize(
    ("rule", "ticked", "told"),
    [
        ("You must only work on this single task.", True, ""),
        ("You must only work on this single task.", False, "1 box of the task document"),
        ("You must be fast.", True, "1 box of the task document"),
        ("You must only work on this single task.", None, "1 box of the task document (of 2: a rule leaves the others"),
    ],
)
def test_boxes_that_a_rule_leaves_to_others_are_not_open(rule: str, ticked: bool | None, told: str) -> None:
    text = PLAN.replace("- [x] Write", "- [ ] Mend it\n- [x] Write")
    edit = edited("- [ ] Mend it", "- [x] Mend it", "PLAN-01.md") if ticked else ()
    read = opened("PLAN-01.md", PLAN if ticked is False else text)
    made = build_ledger(talk(user(f"Start phase 1. {rule}"), *read, *edit, assistant(text="It is mended.")).messages)
    stands = render_ledger(made)["next"][0]
    assert ("task document" in stands) is bool(told)
    assert told in stands


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (r"sed -i '' 's/- \[ \] Build the reader/- [x] Build the reader/' plans/PLAN-01.md", "2 of 2 done"),
        (r"sed -i 's|\[ \] Build the|[x] Build the|' plans/PLAN-01.md", "2 of 2 done"),
        (r"sed -i 's/- \[ \] Build the reader/- [x] Build the reader/' plans/OTHER.md", "1 of 2 done"),
        (r"sed -i 's/- \[ \] Mend the reader/- [x] Mend the reader/' plans/PLAN-01.md", "1 of 2 done"),
    ],
)
def test_a_command_that_ticks_a_box_is_known(command: str, told: str) -> None:
    [line] = goal(user("Start phase 1."), *opened("plans/PLAN-01.md"), *ran(command, ""))
    assert f"boxes as last seen: {told}" in line
