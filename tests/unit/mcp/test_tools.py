"""What the tools answer, for whom, and what they say where they cannot."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine
from secateur.errors import ConfigError, SecateurError
from secateur.lineage import handle_of
from secateur.mcp.scope import Scope
from secateur.mcp.server import make_server
from secateur.mcp.tools import Tools

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 1},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}


def output(name: str, number: int) -> str:
    return "".join(f"{name} {number} line {line}\n" for line in range(1, 301))


def body(name: str, rounds: int = 2) -> bytes:
    found: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"run {name} {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output(name, number)}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    found += [{"role": "assistant", "content": "so far"}, {"role": "user", "content": "more"}]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": found}).encode()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with two sessions of one tenant, and one of another's."""
    url = f"sqlite:///{tmp_path}/s.db"
    for tenant, session in (("", "ours"), ("", "second"), ("acme", "theirs")):
        Engine(CLEAR, store=url, tenant=tenant, recall_handles="on").fit(body(session), session=session, now_ms=1)
    return url


def test_what_left_is_listed_read_in_pages_and_found(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    handle = handle_of(output("ours", 1))
    listed = tools.removed()
    assert listed.startswith("[secateur removed: 2 parts of session ours, page 1 of 1]\n")
    assert f"{handle} Bash, message 4, " in listed
    assert '"run ours 1" gave' in listed
    first, rest = tools.recall(handle).split("]\n", 1)
    assert first == f"[secateur recall: {handle}, lines 1-200 of 300, page 1 of 2; page=2 goes on"
    assert rest + tools.recall(handle, 2).split("]\n", 1)[1] == output("ours", 1)
    part = tools.recall(f"recall {handle}", lines="7-8")
    assert part == f"[secateur recall: {handle}, lines 7-8 of 300, page 1 of 1]\nours 1 line 7\nours 1 line 8\n"
    found = tools.search("line 29[89]$")
    assert found.startswith("[secateur search: 'line 29[89]$' in 2 texts, 4 lines, page 1 of 1]\n")
    assert f"{handle}:299: ours 1 line 299" in found
    assert len(tools.search("line", handle, 6).splitlines()) == 51


def test_a_server_for_one_session_tells_nothing_of_another(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    other = handle_of(output("second", 0))
    assert "second" not in tools.removed() + tools.search("line") + tools.status()
    for ask in (lambda: tools.recall(other), lambda: tools.search("line", other), lambda: tools.pin(other)):
        with pytest.raises(SecateurError, match="nothing is kept under"):
            ask()


def test_without_a_session_a_handle_that_was_seen_tells_whose_it_is(url: str) -> None:
    tools = Tools(Scope(url))
    with pytest.raises(
        SecateurError, match="2 sessions are kept here, and it is not known which is yours: give `seen`"
    ):
        tools.removed()
    with pytest.raises(SecateurError, match="is too short to tell a session by: give all 12 digits"):
        tools.removed(seen=handle_of(output("ours", 0))[:6])
    assert "session second" in tools.removed(seen=handle_of(output("second", 0)))
    assert "session second" in tools.status()
    assert "session ours" in tools.status(handle_of(output("ours", 0)))
    many = Tools(Scope(url, remember=False))
    many.recall(handle_of(output("ours", 0)))
    with pytest.raises(SecateurError, match="give `seen`"):
        many.removed()


def test_a_tenant_sees_nothing_of_another(url: str) -> None:
    theirs = Tools(Scope(url, "acme"))
    assert "session theirs" in theirs.removed()
    with pytest.raises(SecateurError, match="nothing is kept under"):
        theirs.recall(handle_of(output("ours", 0)))
    with pytest.raises(SecateurError, match="no session 'ours' is kept here"):
        Tools(Scope(url, "acme", "ours")).status()


def test_what_is_pinned_comes_back_with_the_next_request(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    handle = handle_of(output("ours", 0))
    assert f"pins now: handle {handle}]" in tools.pin(handle)
    view = Engine(CLEAR, store=url, recall_handles="on").fit(body("ours"), session="ours", now_ms=2)
    assert json.loads(view.request)["messages"][2]["content"][0]["content"] == output("ours", 0)
    assert "pins: handle" in tools.status()
    assert "pins now: none]" in tools.unpin(handle)
    with pytest.raises(SecateurError, match="cannot pin by 'color'"):
        tools.pin("red", "color")


def test_the_status_says_how_full_it_is_and_whether_the_record_holds(url: str) -> None:
    said = Tools(Scope(url, session="ours")).status().splitlines()
    assert said[0] == "[secateur status: session ours]"
    assert "% of the window of 200,000; without removals" in said[1]
    assert "edits in force: 2 parts, 0 summaries" in said
    assert "record: holds, 1 receipts" in said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"handle": "zzzz"}, "is not a handle|too short|nothing is kept"),
        (
            {"handle": "0" * 12},
            "nothing is kept under '000000000000' for this session: copy it as it stands",
        ),
        ({"handle": "", "page": 9}, "no page 9 in .*: it has 2"),
        ({"handle": "", "lines": "9-2"}, "is not a range of lines in this text, which has 300; write 10-40"),
        ({"handle": "", "lines": "400"}, "is not a range of lines in this text"),
        ({"handle": "", "json_path": "$.a"}, "not JSON"),
    ],
)
def test_a_question_that_cannot_be_answered_says_what_to_ask(url: str, asked: dict[str, Any], said: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    with pytest.raises(SecateurError, match=said):
        tools.recall(**asked | {"handle": asked["handle"] or handle_of(output("ours", 0))})


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {"id": "1a2b3c4d5e6f"}, "recall needs `handle`; it takes handle, page, lines, json_path"),
        ("recall", {"handle": None}, "recall needs `handle`"),
        ("recall", ["1a2b3c4d5e6f"], "recall needs its arguments by name; it takes handle, page"),
        ("recall", {"handle": "1a2b3c4d5e6f", "page": "two"}, "`page` is a whole number, and 'two' is none"),
        ("recall", {"handle": "1a2b3c4d5e6f", "page": 1.5}, "`page` is a whole number, and 1.5 is none"),
        ("recall", {"handle": "1a2b3c4d5e6f", "page": True}, "`page` is a whole number, and True is none"),
        ("recall", {"handle": "1a2b3c4d5e6f", "lines": [2, 4]}, r"`lines` is a string, and \[2, 4\] is none"),
        ("search", {}, "search needs `pattern`; it takes pattern, handle, page, seen"),
    ],
)
def test_arguments_that_no_tool_takes_are_refused_with_those_that_it_takes(
    url: str, tool: str, given: Any, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        Tools(Scope(url, session="ours")).answer(tool, given)


def test_a_call_that_says_what_it_wants_in_another_way_is_answered_as_well(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    handle = handle_of(output("ours", 0))
    whole = tools.recall(handle)
    assert tools.answer("recall", {"handle": handle, "page": None, "lines": None, "why": "to see it"}) == whole
    assert tools.answer("recall", {"handle": handle, "page": "2"}) == tools.recall(handle, 2)
    assert tools.answer("recall", {"handle": handle, "lines": 7}) == tools.recall(handle, lines="7")


def test_a_list_of_one_tool_counts_its_own_and_says_which_tools_there_are(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    assert tools.removed(tool="bash").startswith("[secateur removed: 2 parts of 'bash' of session ours, page 1 of 1]\n")
    none = tools.removed(tool="Grep")
    assert none == (
        "[secateur removed: 0 parts of 'Grep' of session ours, page 1 of 1]\n"
        "Nothing of it; outputs of these tools are out: Bash."
    )


def test_where_no_session_is_kept_no_handle_is_asked_for(url: str) -> None:
    with pytest.raises(SecateurError, match="nothing is kept here yet"):
        Tools(Scope(url, "nobody")).removed()


def test_an_answer_never_repeats_a_long_question(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    assert len(tools.search("nowhere " * 10_000)) < 500
    for handle in ("1a2b3c4d5e6f" * 10_000, "x" * 100_000):
        with pytest.raises(SecateurError) as told:
            tools.recall(handle)
        assert len(str(told.value)) < 500


def test_a_pattern_that_cannot_be_says_so(url: str) -> None:
    tools = Tools(Scope(url, session="ours"))
    with pytest.raises(SecateurError, match="is not a valid regular expression"):
        tools.search("(")


def test_without_the_protocols_package_it_says_what_to_install(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(ConfigError, match="pip install 'secateur\\[mcp\\]'"):
        make_server(Tools(Scope(url)), "1")


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    tools = Tools(Scope(f"sqlite:///{tmp_path}/none.db"))
    with pytest.raises(SecateurError, match="nothing is kept here yet"):
        tools.removed()
    assert not (tmp_path / "none.db").exists()
