"""Work that calls handed to other agents, and what shows its end."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, read_back, render_ledger
from secateur.model import Message

ASK = user("Have the menu read by someone else.")
ID, OTHER = "0aa1b2-77c3", "0bb4d5-88e6"


def call(tool: str, said: str, is_error: bool = False, **given: str) -> tuple[Message, Message]:
    return assistant(("1", tool, json.dumps(given))), result(said, tool, "1", is_error)


def spawn(id: str, message: str) -> tuple[Message, Message]:
    return call("spawn_agent", json.dumps({"agent_id": id, "nickname": "Cook"}), message=message)


def left(*messages: Message) -> list[str]:
    lines = render_ledger(build_ledger(talk(ASK, *messages).messages))
    assert render_ledger(read_back(lines)) == lines
    label = "- handed out, no result seen: "
    found = [line.removeprefix(label) for line in lines["next"] if line.startswith(label)]
    jobs = f"{len(found)} job{'s that were' if len(found) > 1 else ' that was'} handed out"
    assert (jobs in lines["next"][0]) == bool(found)
    return found


READ = spawn(ID, "Read the menu. Say what is wrong with it.")
WAITED = call("wait_agent", json.dumps({"status": {}, "timed_out": True}), targets=ID)
CAME = call("wait_agent", json.dumps({"status": {ID: {"completed": "Nothing is wrong."}}}), targets=ID)


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        (READ, ["“Read the menu.”"]),
        ((*READ, *WAITED), ["“Read the menu.”"]),
        ((*READ, *CAME), []),
        ((*READ, *CAME, *call("send_input", "{}", target=ID, message="Read it again.")), ["“Read it again.”"]),
        ((*READ, *spawn(OTHER, "Count the rows."), *CAME), ["“Count the rows.”"]),
        ((*READ, user(f'<notice>{{"path":"{ID}","status":{{"completed":"Fine."}}}}</notice>', "harness")), []),
        ((*READ, *call("close_agent", "{}", id=ID)), []),
        (call("spawn_agent", "no room for another agent", True, message="Read the menu."), []),
    ],
)
def test_an_agent_is_at_work_until_something_shows_its_end(messages: tuple[Message, ...], found: list[str]) -> None:
    assert left(*messages) == found


def test_an_agent_and_a_command_in_the_background_end_by_the_notice_of_the_host() -> None:
    agent = call("Task", "Async agent launched successfully.\nagentId: a1b2c3d4e5 (internal)", description="Read it")
    server = call("Bash", "Command running in background with ID: b7c8d9", command="make serve")
    assert left(*agent, *server) == ["“Read it”", "`make serve`"]
    notice = "<task-notification>\n<task-id>{}</task-id>\n<status>completed</status>\n</task-notification>"
    assert left(*agent, *server, user(notice.format("a1b2c3d4e5"), "harness")) == ["`make serve`"]
    assert left(*agent, *server, *call("KillShell", "killed", shell_id="b7c8d9")) == ["“Read it”"]


def test_a_worker_that_a_command_starts_is_named_until_a_table_or_a_command_ends_it() -> None:
    started = call("bash", "Exit code: 0\nmade", command="workmux add feat/menu --name menu -b -P menu.md")
    assert left(*started) == ["menu (workmux)"]
    table = "Exit code: 0\nNAME  STATE\nmenu  {}  4s"
    shown = "workmux status menu"
    assert left(*started, *call("bash", table.format("working"), command=shown)) == ["menu (workmux)"]
    assert left(*started, *call("bash", table.format("done"), command=shown)) == []
    assert left(*started, *call("bash", "Exit code: 0\n", command="workmux remove menu")) == []
    assert left(*call("bash", "Exit code: 0\nUsage", command="workmux add --help")) == []


@pytest.mark.parametrize(
    ("said", "is_left"),
    [
        ("menu: merged (4s)", False),
        ("menu closed.", False),
        ("menu: finished", False),
        ("menu\tfeat/menu\tdone", False),
        ("menu: not merged yet", True),
        ("Timeout waiting for: menu", True),
        ("feat/menu-card.md: merged by hand", True),
        ("docs/menu.md is done", True),
        ("side-menu: merged", True),
        ("menu: working\nside: merged", True),
    ],
)
def test_a_worker_has_ended_where_an_output_says_so_of_its_whole_name(said: str, is_left: bool) -> None:
    started = call("bash", "Exit code: 0\nmade", command="workmux add feat/menu --name menu -b -P menu.md")
    waited = call("write_stdin", f"Process exited with code 0\nOutput:\n{said}\n", session_id="7")
    assert left(*started, *waited) == ["menu (workmux)"] * is_left


def test_every_agent_whose_wait_timed_out_is_counted() -> None:
    started = [spawn(f"0aa1b2-77c{at}", f"Read page {at}.") for at in range(5)]
    messages = [one for pair in started for one in (*pair, *WAITED)]
    assert left(*messages) == [f"“Read page {at}.”" for at in range(5)]


def test_a_command_whose_session_runs_on_has_no_outcome_until_its_end_was_read() -> None:
    said = "Process running with session ID 60210\nOutput:\nok  \tmenu/rows\t(cached)"
    begun = call("exec_command", said, cmd="go test ./...")
    assert left(*begun) == ["`go test ./...` (session 60210)"]
    assert [one.ok for one in build_ledger(talk(ASK, *begun).messages).commands] == [None]
    assert left(*begun, *call("exec_command", said.replace("60210", "71"), cmd="go test ./...")) == [
        "`go test ./...` (session 71)"
    ]
    more = call("write_stdin", "Process running with session ID 60210\nOutput:\n", session_id="60210")
    ended = call("write_stdin", "Process exited with code 0\nOutput:\nok  \tmenu/cook\t2s", session_id="60210")
    assert left(*begun, *more) == ["`go test ./...` (session 60210)"]
    assert left(*begun, *more, *ended) == []
    assert [one.ok for one in build_ledger(talk(ASK, *begun, *more, *ended).messages).commands] == [True]


def test_a_look_and_a_local_step_of_git_are_no_work_that_was_handed_out() -> None:
    said = "Process running with session ID 60210\nOutput:\n"
    for line in ("rg -n menu docs", "git commit -m 'Add the menu'", "git add -A && git commit -m 'Add the menu'"):
        assert left(*call("exec_command", said, cmd=line)) == []
    assert left(*call("exec_command", said, cmd="git push origin menu"))


def test_a_check_that_ran_on_two_messages_of_the_user_ago_is_no_open_work() -> None:
    begun = call("exec_command", "Process running with session ID 60210\nOutput:\n", cmd="go test ./...")
    served = call("exec_command", "Process running with session ID 71\nOutput:\n", cmd="npm run dev")
    more = (user("Now the bill."), assistant(text="It is made."))
    assert len(left(*begun, *served, *more)) == 2
    assert left(*begun, *served, *more, user("And the wine."), assistant(text="It is there.")) == [
        "`npm run dev` (session 71)"
    ]


def test_a_check_that_failed_while_its_session_runs_on_is_no_work_that_was_handed_out() -> None:
    said = "Process running with session ID 60210\nOutput:\n--- FAIL: TestRows (0.00s)\nFAIL\tmenu/rows\t2s\n"
    assert left(*call("exec_command", said, cmd="go test ./...")) == []
