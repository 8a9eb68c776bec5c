"""Which requests stand as goals, and the line that says that none is open."""

import json

from msgspec.structs import replace

from conversation import assistant, result, summary, talk, user
from secateur.compaction.ledger import (
    Command,
    Ledger,
    Question,
    Quote,
    UserRequest,
    build_ledger,
    read_back,
    render_ledger,
)
from secateur.compaction.ledger.entries import PlanItem, Progress, Standing, TaskDocument
from secateur.compaction.ledger.user.goals import list_goals
from secateur.model import Message


def asked(text: str, *steps: str) -> UserRequest:
    return UserRequest(text, "done", text, progress=Progress(steps))


def test_an_old_task_is_no_goal_once_work_for_many_others_followed() -> None:
    first = asked("Write the header of the page.", "created header.ts")
    later = [asked(f"Write part {n} of the page.", f"created part{n}.ts") for n in range(4)]
    left = (PlanItem("Write the footer."),)
    assert list_goals(Ledger(requests=(first, *later[:3]), tasks=left)) == [later[2]]
    assert list_goals(Ledger(requests=(first, *later[:2]), tasks=left)) == [first, later[1]]
    plan = asked("Write the page as the plan says. " * 40, "created header.ts")
    assert list_goals(Ledger(requests=(plan, *later), tasks=left)) == [plan, later[3]]


def test_where_nothing_is_open_the_goal_says_so_with_the_newest_work() -> None:
    first = asked("Write the header of the page.", "created header.ts", "commit [main 1234abc] Header")
    edits = [asked(f"Write part {n} of the page.", f"changed part{n}.ts") for n in range(2)]
    newest = asked("Write the footer of it.", "changed footer.ts", "commit [main 5678def] Footer")
    asking = UserRequest("what did that change?", "done", "q")
    said = Quote("It adds a footer.", is_answered=True)
    settled = Standing("settled", "nothing is open")
    ledger = Ledger(requests=(first, *edits, newest, asking), last_words=said, standing=(settled,))
    lines = render_ledger(ledger)
    assert lines["goal"] == (
        "- every request was answered",
        "- [Write the footer of it., replied to] Write the footer of it.",
    )
    small = asked("that is the right thing, yes?", "changed footer.ts")
    other = render_ledger(replace(ledger, requests=(*ledger.requests, small)))
    assert other["goal"] == (
        "- every request was answered",
        f"- [{small.key}, replied to] {small.text}",
        "- before that, the user asked:",
        f"- [{newest.key}, replied to] {newest.text}",
    )
    for less in (
        replace(ledger, requests=(*ledger.requests, UserRequest("And the menu."))),
        replace(ledger, tasks=(PlanItem("Write the menu."),)),
        replace(ledger, questions=(Question("Shall I push it?"),)),
        replace(ledger, commands=(Command("pytest -q", False, 1, "test", "1 failed"),)),
        replace(ledger, standing=(settled, Standing("failed", "git push"))),
        replace(ledger, standing=(settled, Standing("running", "a worker"))),
        replace(ledger, last_words=Quote("The menu is not done yet.")),
        replace(ledger, last_words=None),
        replace(ledger, standing=()),  # no call shows it
        replace(ledger, document=TaskDocument("plan.md", "boxes as last seen: 1 of 2 done")),
    ):
        assert not any("every request was answered" in line for line in render_ledger(less)["goal"])


def test_the_newest_goal_stands_first_and_goals_are_read_back_in_the_order_of_their_requests() -> None:
    first = UserRequest("Write the header of the page.", "open", "bcdfgh")
    newest = UserRequest("Write the footer of it.", "open", "cdfghj")
    lines = render_ledger(Ledger(requests=(first, newest)))
    assert [line[3:9] for line in lines["goal"]] == ["cdfghj", "efore ", "bcdfgh"]
    assert [one.key for one in read_back(lines).requests] == ["bcdfgh", "cdfghj"]
    assert render_ledger(read_back(lines)) == lines


def test_a_task_stays_beside_the_one_that_only_says_to_begin() -> None:
    first = asked("Look at all the rows of the table.", "read rows.py")
    task = asked("I would add a flag for all rows.", "read table.py")
    begin = asked("ok, let's go, make a new branch", "changed table.py")
    assert list_goals(Ledger(requests=(first, task, begin))) == [task, begin]
    reply = UserRequest(
        "basically add it for all rows, and to the menu of hidden rows", "done", "r", answers="Which rows?"
    )
    assert list_goals(Ledger(requests=(first, task, reply, begin))) == [task, reply, begin]
    more = asked("Name the columns of the table.", "changed table.py")
    own = asked("ok, let's write the docs of the menu", "changed menu.md")
    assert list_goals(Ledger(requests=(first, task, more, own))) == [own]


def test_messages_before_a_summary_of_the_host_are_told_as_such_and_are_no_goals() -> None:
    old = (user("Write the whole header of the page."), user("And name the columns of the table."), summary("Made it."))
    ledger = build_ledger(
        talk(*old, assistant(text="Ok."), user("Write the footer."), assistant(text="Done.")).messages
    )
    lines = render_ledger(ledger)
    assert lines["goal"][-1].endswith("] Write the footer.")
    assert not any("header" in line for line in lines["goal"])
    assert any(line.startswith("- the user also wrote before an earlier summary:") for line in lines["accomplished"])
    assert render_ledger(read_back(lines)) == lines


def test_a_message_that_was_sent_again_as_a_whole_is_told_once() -> None:
    whole = "In the harbor the crane says: load the cement first"
    said = build_ledger(talk(user("In the harbor the crane"), user(whole), assistant(text="It loads it.")).messages)
    assert [one.text for one in said.requests] == [whole]
    parts = build_ledger(talk(user("In the harbor the crane"), user("The ship waits."), assistant(text="Ok.")).messages)
    assert len(parts.requests) == 2


def test_a_file_that_the_request_names_as_a_module_is_listed_beside_changed_ones() -> None:
    def read(path: str) -> tuple[Message, Message]:
        return assistant(("r", "Read", json.dumps({"file_path": path}))), result("a = 1", "Read", "r")

    edit = {"file_path": "docs/rows.md", "old_string": "a", "new_string": "b"}
    edited = assistant(("e", "Edit", json.dumps(edit))), result("ok", "Edit", "e")
    ledger = build_ledger(talk(user("Mend harbor.iam.count."), *read("harbor/iam.py"), *read("b.py"), *edited).messages)
    assert [one.path for one in ledger.files if one.named] == ["harbor/iam.py"]


def test_a_request_that_only_corrects_what_was_meant_stands_beside_the_one_before_it() -> None:
    asked = user("how do i load the cement with the second crane")
    told = assistant(text="With the hook of the first crane.")
    ledger = build_ledger(talk(asked, told, user("no, i meant the crane in the north yard of the harbor")).messages)
    assert [one.text[:20] for one in list_goals(ledger)] == ["how do i load the ce", "no, i meant the cran"]


def test_a_goal_that_says_nothing_alone_is_told_with_the_task_that_it_belongs_to() -> None:
    first = asked("Look at all the rows of the table.", "read rows.py")
    task = asked("Spread the rows over three workers, and let each write a file of its own.", "created spread.py")
    why = UserRequest("what does the second one write?", "done", "w")
    last = UserRequest("and is it through with it, can we go on?", "open", "l")
    assert list_goals(Ledger(requests=(first, task, why, last)))[-3:] == [task, why, last]
    other = asked("Write the footer of the page in the same color as the header has it.", "changed footer.ts")
    named = UserRequest("are the workers through, can we go on?", "open", "n")
    assert task in list_goals(Ledger(requests=(first, task, other, named)))


def test_a_screen_that_the_user_shows_has_the_work_before_it_and_the_task_that_began_it() -> None:
    shown = UserRequest("this is what i see:\n────────\n0 sold\n────────", "open", "shown")
    talk = asked("ok")
    first = asked("Draw the till as a small table.", "created till.ts")
    between = asked("Put the sum below it.", "changed till.ts")
    newest = asked("wait, i can see nothing at all", "changed till.ts", "commit [main 1234abc] Draw the till")
    assert list_goals(Ledger(requests=(talk, first, between, newest, shown))) == [first, newest, shown]
    assert list_goals(Ledger(requests=(first, newest, talk, shown))) == [first, newest, shown]
    assert list_goals(Ledger(requests=(first, newest, *[talk] * 8, shown))) == [first, shown]


def test_a_command_of_the_host_that_was_carried_out_is_no_goal() -> None:
    task = asked("Write the header of the page.", "created header.ts", "commit [main 1234abc] Header")
    said = Quote("It is simpler.", "k")
    for text, is_goal in (("/simplify the header", False), ("can you make the footer simpler?", True)):
        newest = asked(text, "changed footer.ts", "commit [main 5678def] Footer")
        ledger = Ledger(requests=(task, newest), last_words=said, commits=("[main 5678def] Footer",))
        assert (newest in list_goals(ledger)) is is_goal
