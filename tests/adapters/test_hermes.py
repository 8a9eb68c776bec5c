"""The context engine in Hermes Agent, its own agent loop and a scripted provider: `make adapters`."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters import CLEARED, Views, note
from model_server import Call, Script, ScriptedModel, Step
from secateur.api import check
from secateur.stores.memory import MemoryStore
from upstream import Upstream, upstream

pytest.importorskip("agent.context_engine", reason="hermes-agent is not installed: `make adapters` tests it")

from agent.context_engine import ContextEngine

from secateur.adapters.hermes import SecateurContextEngine

ROUNDS = 20
PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "use-hermes.md").read_text()
PLUGIN, MANIFEST, CONFIG = re.findall(r"^```(?:python|yaml)\n(.*?)^```$", PAGE, re.M | re.S)
AGENT = """\
import json, sys
from run_agent import AIAgent

agent = AIAgent(
    base_url=sys.argv[1] + "/v1", api_key="sk-none", provider="custom", api_mode="chat_completions", model="scripted",
    enabled_toolsets=["terminal", "context_engine"], quiet_mode=True, skip_context_files=True, skip_memory=True,
    max_iterations=60, session_id="s",
)
done = agent.run_conversation("Read the notes one after the other.")
engine = agent.context_compressor
json.dump([engine.name, engine.compression_count, done["final_response"], done["messages"]], sys.stdout)
"""


def history(rounds: int) -> list[dict[str, Any]]:
    """A session as Hermes holds it."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Read the notes. Never delete one."}]
    for number in range(rounds):
        call = {"name": "read_note", "arguments": json.dumps({"path": f"notes/{number:03}.md"})}
        made += [
            {
                "role": "assistant",
                "content": f"Reading {number}.",
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": note(f"notes/{number:03}.md")},
        ]
        if number % 5 == 4:
            made += [{"role": "assistant", "content": "So far."}, {"role": "user", "content": "Go on."}]
    return made


def start(store: Any = None, window: int = 64_000, **settings: Any) -> SecateurContextEngine:
    engine = SecateurContextEngine(store or MemoryStore(), **settings)
    engine.update_model("gpt-5", window, provider="openai")
    engine.on_session_start("s", platform="cli")
    return engine


def test_a_session_is_shortened_and_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "hermes"
    folder = home / "plugins" / "secateur"
    folder.mkdir(parents=True)
    (home / "config.yaml").write_text(CONFIG + "model: {context_length: 64000}\n")
    (folder / "plugin.yaml").write_text(MANIFEST)
    (folder / "__init__.py").write_text(PLUGIN)
    (tmp_path / "work.py").write_text(AGENT)
    steps = [
        Step(f"Note {n}.", "", (Call(command=f"echo note {n:02d}; seq {10_000 * n} {10_000 * n + 1_500}"),))
        for n in range(1, ROUNDS + 1)
    ]
    with upstream(model := ScriptedModel(Script((*steps, Step("All notes are read.")))), other=model) as server:
        done = run_agent(tmp_path, server)
        posts = [json.loads(one.body) for one in server.posts if one.path.endswith("/chat/completions")]
    bodies = [body for body in posts if body.get("tools")]
    for body in bodies:
        assert [one.rule for one in check("openai_chat", body["messages"], body) if one.severity == "error"] == []
    name, compressions, said, messages = json.loads(done[done.index('["secateur"') :])
    assert (name, said) == ("secateur", "All notes are read.")
    assert compressions >= 1
    sizes = [len(json.dumps(body["messages"])) for body in bodies]
    whole = sizes[0] + ROUNDS * (sizes[1] - sizes[0])
    assert min(after - before for before, after in zip(sizes, sizes[1:], strict=False)) < -50_000
    assert max(sizes) < 0.9 * whole
    assert any(tool["function"]["name"] == "secateur_recall" for tool in bodies[0]["tools"])
    assert len(json.dumps(messages)) < 0.9 * whole  # it is the history from now on


def run_agent(tmp_path: Path, server: Upstream) -> str:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        **{"HOME": str(tmp_path), "HERMES_HOME": str(tmp_path / "hermes"), "XDG_DATA_HOME": str(tmp_path / "data")},
    }
    command = [sys.executable, "work.py", server.url]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_replaces_the_history_is_a_view_whose_originals_are_kept() -> None:
    store, views = MemoryStore(), Views()
    engine = start(store, window=20_000, on_view=views)
    messages = history(20)
    before = copy.deepcopy(messages)
    shorter = engine.compress(messages, current_tokens=21_000)
    assert messages == before
    assert len(json.dumps(shorter)) < len(json.dumps(messages)) * 0.8
    assert engine.compression_count == len(views.all) == 1
    assert shorter[-1] == messages[-1]
    assert engine._engine is not None
    raw = engine._engine.replay(views.last.session, views.last.receipt.sequence, tenant="hermes")
    assert json.loads(raw.request)["messages"] == shorter
    kept = b"".join(
        store.get_blob("hermes", one.id).data for one in store.list_blobs(store.list_sessions("hermes")[0].who)
    )  # type: ignore[union-attr]
    assert all(one["content"].encode() in kept.replace(b"\\n", b"\n") for one in messages if one["role"] == "tool")


def test_an_observer_that_fails_keeps_no_history_long() -> None:
    def fail(view: object) -> None:
        raise RuntimeError("the observer is broken")

    messages = history(20)
    shorter = start(window=20_000, on_view=fail).compress(messages, current_tokens=21_000)
    assert len(json.dumps(shorter)) < len(json.dumps(messages)) * 0.8


def test_a_session_that_goes_on_is_shortened_again_under_its_first_name() -> None:
    views = Views()
    engine = start(window=20_000, on_view=views)
    messages = history(20)
    for number in range(3):
        messages = [*engine.compress(messages, current_tokens=21_000), *history(20)[1:]]
        engine.on_session_start(f"s-{number}", boundary_reason="compression", old_session_id="s")
    assert [view.session for view in views.all] == ["s"] * 3
    engine.on_session_start("other")
    engine.compress(history(20), current_tokens=21_000)
    assert views.last.session == "other"


def test_where_nothing_can_be_kept_the_history_stays() -> None:
    class Broken(MemoryStore):
        def save(self, *_: Any, **__: Any) -> Any:
            raise OSError("the disk is full")

    messages = history(20)
    engine = start(Broken(), window=20_000)
    assert engine.compress(messages, current_tokens=21_000) is messages
    assert engine.compression_count == 0


def test_what_was_removed_can_be_read_back() -> None:
    engine = start(
        window=20_000,
        policy={
            "name": "clear",
            "prune": [{"type": "hard_clear"}],
            "protect": {"last_rounds": 2},
            "schedule": {"type": "every_request"},
        },
    )
    shorter = engine.compress(history(20), current_tokens=21_000)
    texts = [
        one["content"] for one in shorter if CLEARED.partition(";")[0] in one["content"] and "recall " in one["content"]
    ]
    handle = texts[0].partition("recall ")[2][:12]
    answer = json.loads(engine.handle_tool_call("secateur_recall", {"handle": handle}))
    assert "line 59" in answer["text"]
    assert "error" in json.loads(engine.handle_tool_call("secateur_recall", {"handle": "000000000000"}))
    assert "error" in json.loads(engine.handle_tool_call("other", {}))
    assert [one["name"] for one in engine.get_tool_schemas()] == ["secateur_recall"]


def test_the_threshold_follows_the_models_window() -> None:
    engine = start(window=100_000)
    assert isinstance(engine, ContextEngine)
    engine.update_from_response({"prompt_tokens": 84_999, "completion_tokens": 5, "total_tokens": 85_004})
    assert not engine.should_compress()
    assert engine.should_compress(85_000)
    assert engine.get_status()["threshold_tokens"] == 85_000
    engine.update_model("gpt-5-mini", 200_000)
    assert not engine.should_compress(85_000)


def test_agents_have_engines_of_their_own() -> None:
    first = start()
    second = copy.deepcopy(first)
    assert second is not first
    assert second.store is first.store
    second.update_model("gpt-5", 32_000)
    assert (first.context_length, second.context_length) == (64_000, 32_000)
