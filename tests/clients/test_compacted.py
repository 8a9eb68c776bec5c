"""Real agents resume sessions that `secateur compact` has compacted: their next request is what was planned.

Each agent records a session, its session file is compacted, and the agent continues with another prompt. What it then
sends is compared with what a second reader finds in the compacted file (`tests/loaders`). Pi records two turns, so that
its entry names what is kept; the others copy it behind the summary.
"""

import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from cli_runs import Done, secateur
from clients.agents import AGENTS, Desk, find_obstacle, find_program
from loaders import claude_code_loader, codex_loader, opencode_loader, pi_loader
from loaders.shown import Shown, flat, sorted_json
from model_server import Call, Script, ScriptedModel, Step
from upstream import upstream

ASKED, AGAIN, LAST = "Read the notes.", "Read the other notes.", "What is next?"
CONTINUES = "continue"  # what the policy `opencode` always puts in
COUNT, FIRST_TURN = 8, 7
NOTES = tuple(f"echo note {number}; seq {number * 10_000} {number * 10_000 + 1_500}" for number in range(COUNT))
MARKS = tuple(f"\n{number * 10_000 + 777}\n" for number in range(COUNT))  # in the result of each
READS = tuple(Step(f"Reading note {number}.", calls=(Call(command=note),)) for number, note in enumerate(NOTES))
ONE_TURN = Script((*READS, Step("All notes are read.")))
TWO_TURNS = Script((*READS[:FIRST_TURN], Step("Seven are read."), *READS[FIRST_TURN:], Step("All notes are read.")))


class Case(Struct, frozen=True):
    """How an agent's session is recorded and read."""

    load: Callable[[bytes], list[Shown]]
    list_sent: Callable[[dict[str, Any]], Iterator[Shown]]
    find_said: Callable[[Any], Iterator[str]]  # texts that the agent's screen shows of a line
    more_prompts: tuple[str, ...] = ()  # of the same run
    closes: str = ""  # what the agent itself answers to a last message of the user


def list_messages(body: dict[str, Any]) -> Iterator[Shown]:
    """The pieces of a request to Anthropic's API."""
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "tool_use":
                yield Shown("assistant", "tool_call", sorted_json(block["input"]), block["id"])
            elif block["type"] == "tool_result":
                yield Shown("tool", "tool_result", flat(block["content"]), block["tool_use_id"])
            else:
                yield Shown(message["role"], block["type"], block["text"])


def list_items(body: dict[str, Any]) -> Iterator[Shown]:
    """The pieces of a request to OpenAI's API."""
    for item in body["input"]:
        yield from codex_loader.of_item(item)


def find_claude_said(line: Any) -> Iterator[str]:
    if line["type"] == "user" and not line.get("isMeta"):
        yield from (block["text"] for block in claude_code_loader.blocks(line) if block["type"] == "text")


def find_codex_said(line: Any) -> Iterator[str]:
    if line["type"] == "event_msg" and line["payload"]["type"] in ("user_message", "item_completed"):
        yield json.dumps(line["payload"])


def find_pi_said(line: Any) -> Iterator[str]:
    if line["type"] == "message" and line["message"]["role"] == "user":
        yield flat(line["message"]["content"])


CASES = {
    "claude": Case(claude_code_loader.load, list_messages, find_claude_said, closes="No response requested."),
    "codex": Case(codex_loader.load, list_items, find_codex_said),
    "pi": Case(pi_loader.load, list_messages, find_pi_said, (AGAIN,)),
}


@pytest.mark.parametrize("name", CASES)
def test_an_agent_goes_on_from_what_we_wrote(name: str, tmp_path: Path) -> None:
    agent, case = AGENTS[name], CASES[name]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk = Desk(agent, tmp_path)
    record(desk, *case.more_prompts)
    (path,) = (tmp_path / agent.sessions).rglob("*.jsonl")
    done = compact(path, "--in-place", "--policy", "opencode")
    planned, lines = case.load(path.read_bytes()), [json.loads(line) for line in path.read_text().splitlines()]
    assert not any(CONTINUES in said for line in lines for said in case.find_said(line))
    sent = list(case.list_sent(resume(desk)))
    if case.closes:
        assert sent.pop([piece.text for piece in sent].index(CONTINUES) + 1).text == case.closes
    check_sent(sent, planned, done.json["summary"], CONTINUES)
    if name == "pi":
        place = next(number for number, line in enumerate(lines) if line["type"] == "compaction")
        assert [line["type"] for line in lines[place + 1 :]] == ["custom_message"]  # nothing is copied


@pytest.mark.parametrize(("policy", "continuation"), [("balance", None), ("opencode", {"compaction_continue": True})])
def test_opencode_goes_on_from_what_we_wrote(policy: str, continuation: Any, tmp_path: Path) -> None:
    """A tail is named, where there is another turn; else copies are later than the summary: opencode sorts by time."""
    agent = AGENTS["opencode"]
    if obstacle := find_obstacle(agent):
        pytest.skip(obstacle)
    desk, less = Desk(agent, tmp_path), tmp_path / "less.json"
    record(desk)
    if continuation:
        resume(desk, AGAIN)
    database = tmp_path / ".local/share/opencode/opencode.db"
    done = compact("opencode:last", "-o", less, "--policy", policy, XDG_DATA_HOME=str(tmp_path / ".local/share"))
    subprocess.run(
        [str(find_program(agent)), "import", str(less)],
        cwd=desk.work,
        env=desk.make_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=True,
    )
    sent = list(list_messages(resume(desk)))
    planned = opencode_loader.load(less.read_bytes())
    check_sent(sent, planned, done.json["summary"], *(CONTINUES,) * bool(continuation))
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT p.data FROM part p JOIN message m ON m.id = p.message_id ORDER BY m.id, p.id")
        parts = [json.loads(data) for (data,) in rows]
    inserted = [part for part in parts if part.get("text") == CONTINUES]
    assert ["tail_start_id" in part for part in parts if part["type"] == "compaction"] == [bool(continuation)]
    assert [(part["synthetic"], part["metadata"]) for part in inserted] == [(True, continuation)] * bool(continuation)


def record(desk: Desk, *more: str) -> None:
    """A session of eight calls, in one turn or in one run of several."""
    model = ScriptedModel(TWO_TURNS if more else ONE_TURN)
    with upstream(model, other=model) as server:
        ran = desk.run(server.url, *((ASKED,) if more else ()), prompt=more[-1] if more else ASKED)
    assert ran.code == 0, ran
    assert [answer.step for answer in model.answers if answer.kind == "main"] == list(range(COUNT + 1 + len(more)))


def compact(*arguments: object, **environment: str) -> Done:
    """The command, without a model."""
    done = secateur("compact", *arguments, "--window", 40_000, "--json", **environment)
    assert done.code == 0, done
    return done


def resume(desk: Desk, prompt: str = LAST) -> dict[str, Any]:
    """The one request of another prompt in the same session."""
    model = ScriptedModel(Script((Step("Nothing is."),)))
    with upstream(model, other=model) as server:
        ran = desk.run(server.url, *desk.agent.resume, prompt=prompt)
    assert ran.code == 0, ran
    assert "Nothing is." in ran.out
    (body,) = server.bodies
    found: dict[str, Any] = json.loads(body)
    return found


def check_sent(sent: list[Shown], planned: list[Shown], summary: str, *inserted: str) -> None:
    """The summary, then calls, results and answers as planned, and nothing that gave way; the new prompt comes last."""
    texts = [piece.text for piece in sent]
    (place,) = (number for number, text in enumerate(texts) if summary in text)
    tail = [piece for piece in sent if piece.role in ("assistant", "tool") and summary not in piece.text]
    assert tail == [piece for piece in planned if piece.role in ("assistant", "tool") and summary not in piece.text]
    assert texts.index(tail[0].text) > place
    results = [piece.text for piece in tail if piece.kind == "tool_result"]
    assert 0 < len(results) < COUNT
    assert all(mark in text for mark, text in zip(MARKS[-len(results) :], results, strict=True))
    assert not any(mark in text for mark in MARKS[: -len(results)] for text in texts)
    words = [piece.text.strip('"') for piece in sent if piece.role == "user"]
    prompts = [text for text in words if text in (ASKED, AGAIN, CONTINUES, LAST)]
    assert prompts in ([ASKED, *inserted, LAST], [AGAIN, *inserted, LAST])
