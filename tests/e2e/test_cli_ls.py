"""`secateur ls`, and the names by which every command takes a session of an agent on this machine."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli_runs import pi_worked, secateur

ONE = "0199a1b2-1111-4222-8333-444455556666"
OTHER = "0199a1b7-1111-4222-8333-444455556666"
CREDENTIAL = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
OPENCODE = "ses_1f2e3d4c5b6aTestTestTestTe"
DATABASE = """
    CREATE TABLE session (id text, parent_id text, slug text, project_id text, directory text, title text,
        version text, time_created integer, time_updated integer);
    CREATE TABLE message (id text, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text)
"""


def say(text: str, role: str = "user", number: int = 1) -> dict[str, Any]:
    """A line of Claude Code."""
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "sessionId": ONE,
        "timestamp": f"2026-11-01T10:00:0{number}.000Z",
        "message": {"role": role, "content": content},
    }


def put(path: Path, data: bytes, at: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))
    return path


def lines(*some: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in some)


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """A home with sessions of three agents, the newest of Pi."""
    claude = tmp_path / ".claude" / "projects" / "-home-u"
    put(claude / f"{ONE}.jsonl", lines(say("Fix the login"), say("Done.", "assistant", 2)), 1_000_000)
    put(claude / f"{OTHER}.jsonl", lines(say(f"use {CREDENTIAL}")), 2_000_000)
    put(claude / "agent-5.jsonl", lines(say("a part of another session")), 9_000_000)
    put(claude / "empty.jsonl", b"", 9_000_000)
    put(tmp_path / ".pi" / "agent" / "sessions" / "--u--" / "2026_0c1d.jsonl", pi_worked(), 3_000_000)
    data = tmp_path / "data" / "opencode"
    data.mkdir(parents=True)
    with sqlite3.connect(data / "opencode.db") as connection:
        connection.executescript(DATABASE)
        row = (OPENCODE, None, "s", "global", "/w", "Title", "1.18.33", 1, 500_000_000)
        connection.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)", row)
        user = {"role": "user", "time": {"created": 1}, "agent": "build", "model": {"providerID": "p", "modelID": "m"}}
        answer = {"role": "assistant", "time": {"created": 2}, "modelID": "claude-opus-4-5", "providerID": "anthropic"}
        for number, info in enumerate((user, answer), 1):
            connection.execute(
                "INSERT INTO message VALUES (?,?,?,?,?)", (f"msg_{number}", OPENCODE, number, number, json.dumps(info))
            )
            part = json.dumps({"type": "text", "text": f"words {number}"})
            connection.execute(
                "INSERT INTO part VALUES (?,?,?,?,?,?)", (f"prt_{number}", f"msg_{number}", OPENCODE, 1, 1, part)
            )
    connection.close()
    return {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}


def test_sessions_are_listed_the_newest_first_without_credentials(home: dict[str, str]) -> None:
    report = secateur("ls", "--json", **home).json
    told = [(one["agent"], one["id"], one["short"], one["begins"]) for one in report["sessions"]]
    assert [one[:3] for one in told] == [
        ("pi", "2026_0c1d", "2026_0c1"),
        ("claude", OTHER, "0199a1b7"),
        ("claude", ONE, "0199a1b2"),
        ("opencode", OPENCODE, "ses_1f2e"),
    ]
    assert told[2][3] == "Fix the login"
    assert told[3][3] == "words 1"
    assert CREDENTIAL not in json.dumps(report)
    assert report["more"] == 0
    assert secateur("ls", "--json", "--limit", 1, **home).json["more"] == 3
    assert [one["agent"] for one in secateur("ls", "opencode", "--json", **home).json["sessions"]] == ["opencode"]
    assert "Fix the login" in secateur("ls", **home).out.decode()


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("last", "pi"),
        ("pi:last", "pi"),
        ("claude:last", "claude_code"),
        ("0199a1b2", "claude_code"),
        (f"claude:{ONE}", "claude_code"),
        ("opencode:last", "opencode"),
        ("ses_1f2e", "opencode"),
    ],
)
def test_a_name_stands_for_a_session_in_every_command(name: str, format: str, home: dict[str, str]) -> None:
    for command in ("inspect", "check"):
        done = secateur(command, name, "--json", **home)
        assert done.code in (0, 1), done.err
        assert done.json["input"]["format"] == format
    assert secateur("diff", name, "--policy", "opencode", **home).code in (0, 1)


def test_a_name_that_fits_several_or_none_is_said(home: dict[str, str]) -> None:
    several = secateur("inspect", "0199a1b", **home)
    assert several.code == 2
    assert ONE in several.err
    assert OTHER in several.err
    none = secateur("inspect", "claude:0000", **home)
    assert (none.code, "see `secateur ls`" in none.err) == (3, True)
    unknown = secateur("ls", "emacs", **home)
    assert (unknown.code, "choose from claude, codex" in unknown.err) == (2, True)
    assert "No sessions" in secateur("ls", "codex", **home).out.decode()


def test_a_file_of_that_name_comes_first(home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "here" / "last", lines(say("I am a file")), 1)
    monkeypatch.chdir(tmp_path / "here")
    assert secateur("inspect", "last", "--json", **home).json["input"]["format"] == "claude_code"


def test_a_session_in_place_is_its_file_and_a_database_is_never_written(home: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "projects" / "-home-u" / f"{ONE}.jsonl"
    before = path.read_bytes()
    done = secateur("prune", "0199a1b2", "--in-place", "--policy", "opencode", **home)
    assert done.code in (0, 1), done.err
    assert path.read_bytes() == before  # nothing was to be removed
    database = tmp_path / "data" / "opencode" / "opencode.db"
    kept = database.read_bytes()
    refused = secateur("prune", "ses_1f2e", "--in-place", **home)
    assert (refused.code, "opencode import" in refused.err) == (2, True)
    written = secateur("prune", "ses_1f2e", "-o", tmp_path / "out.json", "--policy", "opencode", **home)
    assert written.code in (0, 1), written.err
    document = json.loads((tmp_path / "out.json").read_bytes())
    assert [one["parts"][0]["text"] for one in document["messages"]] == ["words 1", "words 2"]
    assert document["messages"][0]["info"]["sessionID"] == document["info"]["id"] == OPENCODE
    assert database.read_bytes() == kept


def test_a_damaged_database_is_no_traceback(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data" / "opencode" / "opencode.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4_096)
    assert len(secateur("ls", "--json", **home).json["sessions"]) == 3
    done = secateur("inspect", f"opencode:{OPENCODE}", **home)
    assert done.code == 3
    assert "opencode export" in done.err
