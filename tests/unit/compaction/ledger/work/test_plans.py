"""The agent's plan: which lines are its items, and which of them later calls did."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, fit_ledger, read_back, render_ledger
from secateur.compaction.ledger.merge import merge
from secateur.model import Message

Ran = tuple[Message, Message]


def ran(command: str, said: str = "", error: bool = False) -> Ran:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def planned(*items: str) -> Ran:
    todos = [{"content": text, "status": "pending"} for text in items]
    return assistant(("p", "TodoWrite", json.dumps({"todos": todos}))), result("ok", "TodoWrite", "p")


def read(*messages: Message) -> dict[str, str]:
    return {one.text: one.state for one in build_ledger(talk(user("Mend the ferry."), *messages).messages).tasks}


def test_of_a_plan_in_prose_only_its_boxes_are_items() -> None:
    def plan(text: str) -> dict[str, str]:
        return read(assistant(("x", "ExitPlanMode", json.dumps({"plan": text}))), result("ok", "ExitPlanMode", "x"))

    assert plan("# Plan\n\nThe ferry is late.\n- tides.py: the table\n- name: ferry") == {}
    assert plan("# Plan\n\n- [x] Read the tides\n- [ ] Mend the table\n  - see tides.py") == {
        "Read the tides": "done",
        "Mend the table": "open",
    }
    assert plan("1. Read the tides\n2. Mend the table\n") == {"Read the tides": "open", "Mend the table": "open"}


DONE = "[main 1a2b3c4] Mend the ferry\n 1 file changed"


@pytest.mark.parametrize(
    ("item", "rounds", "state"),
    [
        ("Commit the new timetable", ran("git commit -am x", DONE), "done"),
        ("Commit the new timetable", ran("git commit -am x", "fatal: no", True), "open"),
        ("Commit it and review the tides", ran("git commit -am x", DONE), "open"),
        ("Push the branch", ran("git push"), "done"),
        ("Open a PR", ran("gh pr create -f", "https://git.example/pull/7"), "done"),
        ("Summarize the tides, the table and remaining gaps", (), "done"),
        ("Summarize what changed and commit it", (), "open"),
        ("Draw the map", ran("git push"), "open"),
    ],
)
def test_an_item_that_a_later_call_did_is_done(item: str, rounds: tuple[Message, ...], state: str) -> None:
    assert read(*planned(item), *rounds, assistant(text="The ferry is mended."))[item] == state


def test_a_report_is_open_while_the_agent_works_or_other_items_are_open() -> None:
    tasks = read(*planned("Draw the map", "Summarize what changed"), assistant(text="The map is next."))
    assert set(tasks.values()) == {"open"}
    assert read(*planned("Summarize what changed"), *ran("make"))["Summarize what changed"] == "open"
    assert (
        read(*ran("git commit -am x", DONE), *planned("Commit the table"), assistant(text="x"))["Commit the table"]
        == "open"
    )


def test_a_plan_that_was_told_before_a_commit_is_marked_as_older() -> None:
    plan = planned("[ ] Write the rows.", "[ ] Write the columns.")
    committed = ran("git commit -am rows", "[main 1a2b3c4] Add the rows\n 1 file changed")
    label = "- the agent's plan is older than: commit [main 1a2b3c4] Add the rows"

    def list_next(*messages: Message) -> tuple[str, ...]:
        return render_ledger(build_ledger(talk(user("Write the table."), *messages).messages))["next"]

    lines = list_next(*plan, *committed)
    assert lines.index(label) < lines.index("- task, open: [ ] Write the rows.")
    assert "2 tasks of an older plan" in lines[0]
    assert label not in list_next(*committed, *plan)


def test_a_plan_is_past_once_the_agent_replied_to_several_requests_and_changed_files_for_others() -> None:
    def list_next(*messages: Message) -> str:
        ledger = build_ledger(talk(user("Write the table."), *planned("Write the rows."), *messages).messages)
        return "\n".join(render_ledger(fit_ledger(ledger, 4_000, len))["next"])

    def write(path: str) -> Ran:
        given = json.dumps({"file_path": path, "content": "x"})
        return assistant(("w", "Write", given)), result("ok", "Write", "w")

    told = (assistant(text="Here is what the table is for."), user("Draw the ferry."))
    drawn = (*write("ferry.txt"), assistant(text="It is drawn."), user("Draw the pier."), *write("pier.txt"))
    moored = (assistant(text="It is drawn, too."), user("Draw the sea."), *write("sea.txt"))
    assert "- task, open: Write the rows." in list_next(*told, *drawn)
    assert "Write the rows." not in list_next(*told, *drawn, *moored)
    assert "older" not in list_next(*told, *drawn, *moored)
    asked = [one for text in ("Why so?", "And why not?", "Since when?") for one in (assistant(text="So."), user(text))]
    assert "- task, open: Write the rows." in list_next(*asked, assistant(text="Since then."))


def test_the_item_that_the_agent_is_at_work_on_is_told_as_in_progress() -> None:
    def told(number: int, tool: str, **given: str) -> Ran:
        return assistant((str(number), tool, json.dumps(given))), result(f"Task #{number} created", tool, str(number))

    def render(*messages: Message) -> list[str]:
        lines = render_ledger(build_ledger(talk(user("Mend the ferry."), *messages).messages))
        assert render_ledger(read_back(lines))["next"] == lines["next"]
        return [line for part in lines.values() for line in part if line.startswith("- task")]

    made = (*told(1, "TaskCreate", subject="Draw the map"), *told(2, "TaskCreate", subject="Mend the table"))
    begun = told(3, "TaskUpdate", taskId="2", status="in_progress")
    assert render(*made, *begun) == ["- task, open: Draw the map", "- task, in progress: Mend the table"]
    renamed = told(4, "TaskUpdate", taskId="2", description="of the tides")
    assert render(*made, *begun, *renamed)[1] == "- task, in progress: Mend the table"
    ended = told(5, "TaskUpdate", taskId="2", status="completed")
    assert render(*made, *begun, *ended) == ["- task, done: Mend the table", "- task, open: Draw the map"]
    given = json.dumps({"todos": [{"content": "Draw the map", "status": "in-progress"}]})
    assert render(assistant(("p", "todowrite", given)), result("ok", "todowrite", "p")) == [
        "- task, in progress: Draw the map"
    ]
    drawn = json.dumps({"plan": "- [~] Draw the map\n- [ ] Mend the table\n- [-] Paint it"})
    assert render(assistant(("p", "ExitPlanMode", drawn)), result("ok", "ExitPlanMode", "p"))[0].startswith(
        "- task, in progress"
    )


def test_an_item_in_progress_is_no_longer_so_where_a_commit_or_a_newer_plan_ended_it() -> None:
    def plan(*items: str) -> Ran:
        todos = [{"content": text, "status": "in_progress"} for text in items]
        return assistant(("p", "TodoWrite", json.dumps({"todos": todos}))), result("ok", "TodoWrite", "p")

    made = build_ledger(talk(user("Mend it."), *plan("Commit the table"), *ran("git commit -am x", DONE)).messages)
    assert [(one.state, one.begun) for one in made.tasks] == [("done", False)]
    earlier = build_ledger(talk(user("Mend it."), *plan("Draw the map")).messages)
    later = build_ledger(talk(user("Go on."), *plan("Paint the map")).messages)
    ended = {one.text: (one.state, one.begun) for one in merge(earlier, later).tasks}
    assert ended == {"Draw the map": ("superseded", False), "Paint the map": ("open", True)}
