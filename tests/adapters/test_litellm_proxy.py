"""The LiteLLM callback in LiteLLM's own proxy, between a client and a scripted model: `make adapters`."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from adapters import CLEAR, CLEARED, check_sent, note, notes, sent
from model_server import reads
from secateur import Engine
from secateur.stores.protocol import SessionId
from upstream import Upstream, upstream

pytest.importorskip("litellm_proxy_extras", reason="LiteLLM's proxy is not installed: `make adapters` tests it")

COUNT = 8
KEY = "sk-0123456789abcdef0123456789abcdef"
OWNER = "litellm_proxy_master_key"  # what LiteLLM calls the hash of its own key
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
FUNCTION = {"name": "read_file", "description": "Read.", "parameters": SCHEMA}
CALLBACK = """
from adapters import FailingEngine
from secateur.adapters.litellm import SecateurLogger

handler = SecateurLogger({arguments})
"""
CONFIG = """
model_list:
  - model_name: gpt
    litellm_params: {{model: openai/gpt-5, api_base: {url}/v1, api_key: sk-none}}
  - model_name: claude
    litellm_params: {{model: anthropic/claude-haiku-4-5, api_base: {url}, api_key: sk-none}}
litellm_settings:
  callbacks: {callbacks}
  telemetry: false
"""
Post = Callable[..., str]


@contextmanager
def proxy(folder: Path, server: Upstream, arguments: str = "") -> Iterator[Post]:
    """A running proxy; with `arguments`, one that has the callback, made of them."""
    folder.mkdir()
    (folder / "pruning.py").write_text(CALLBACK.format(arguments=arguments))
    callbacks = '["pruning.handler"]' if arguments else "[]"
    (folder / "config.yaml").write_text(CONFIG.format(url=server.url, callbacks=callbacks))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_DOCS": "True"}
    env["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [str(Path(sys.executable).parent / "litellm"), "--config", "config.yaml", "--host", "127.0.0.1"]
    with (folder / "log").open("w") as log:
        running = subprocess.Popen([*command, "--port", str(port)], cwd=folder, env=env, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/health/liveliness", running, folder / "log")
            yield lambda path, body, **headers: post(f"http://127.0.0.1:{port}{path}", body, headers)
        finally:
            running.terminate()
            running.wait(30)


def wait_for(url: str, running: Any, log: Path) -> None:
    """Wait until a server answers."""
    for _ in range(3_000):  # one that ended is found out at once; on a busy machine a start takes minutes
        assert running.poll() is None, log.read_text()[-3000:]
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(log.read_text()[-3000:])


def post(url: str, body: dict[str, Any], headers: dict[str, str]) -> str:
    """What a proxy answers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = {"content-type": "application/json", "authorization": f"Bearer {KEY}", **named}
    request = urllib.request.Request(url, json.dumps(body).encode(), asked)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text: str = answer.read().decode()
    return text


@pytest.fixture
def server() -> Iterator[Upstream]:
    with upstream(reads(*notes(COUNT))) as running:
        yield running


def chat(count: int) -> dict[str, Any]:
    """A conversation so far, as Chat Completions has it."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        function = {"name": "read_file", "arguments": json.dumps({"path": path})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        told.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told.append({"role": "tool", "tool_call_id": f"c{number}", "content": note(path)})
    return {"messages": told, "tools": [{"type": "function", "function": FUNCTION}]}


def responses(count: int) -> dict[str, Any]:
    """The same as Responses has it."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        named = {"call_id": f"c{number}", "name": "read_file", "arguments": json.dumps({"path": path})}
        told += [{"type": "function_call", **named}]
        told += [{"type": "function_call_output", "call_id": f"c{number}", "output": note(path)}]
    return {"input": told, "tools": [{"type": "function", **FUNCTION}]}


def messages(count: int) -> dict[str, Any]:
    """The same as Messages has it, with signed reasoning."""
    told: list[Any] = [{"role": "user", "content": "Read the notes."}]
    for number, path in enumerate(notes(count)):
        thought = {"type": "thinking", "thinking": f"Now note {number}.", "signature": f"sig{number}" * 20}
        call = {"type": "tool_use", "id": f"c{number}", "name": "read_file", "input": {"path": path}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": note(path)}
        told += [{"role": "assistant", "content": [thought, call]}, {"role": "user", "content": [result]}]
    tools = [{"name": "read_file", "description": "Read.", "input_schema": SCHEMA}]
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    return {"messages": told, "tools": tools, "max_tokens": 2_000, "thinking": thinking}


ROUTES = {
    "chat": ("/v1/chat/completions", "gpt", chat),
    "claude": ("/v1/chat/completions", "claude", chat),
    "messages": ("/v1/messages", "claude", messages),
    "responses": ("/v1/responses", "gpt", responses),
}


def ask(say: Post, route: str, count: int, streams: bool = False) -> str:
    """One request of a conversation of so many rounds."""
    path, model, make = ROUTES[route]
    body = {"model": model, **make(count), "stream": streams}
    body |= {"stream_options": {"include_usage": True}} if streams and path.endswith("completions") else {}
    return say(path, body, x_session_id=f"{route}-{streams}")


def test_what_passes_the_proxy_is_the_view(server: Upstream, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'kept.db'}"
    with proxy(tmp_path / "on", server, f"policy={CLEAR!r}, store={store!r}, tenant='t'") as say:
        for route in ROUTES:
            for streams in (False, True):
                for count in (2, 5, COUNT):
                    ask(say, route, count, streams)
                assert json.dumps(sent(server)[-1][2]).count(CLEARED) == COUNT - 2, (route, streams)
        check_sent(server)
        assert len(sent(server)) == 3 * 2 * len(ROUTES)
        counted = json.loads(say("/v1/messages/count_tokens", {"model": "claude", **messages(COUNT)}))["input_tokens"]
        engine = Engine(store=store, tenant="t")
        assert engine.sessions.store is not None
        for route in ROUTES:
            state = wait_for_usage(engine.sessions.store, f"{OWNER}/{route}-False")
            assert state.calibrations
            assert state.clock.read > 0 or route in ("claude", "messages")  # Claude reads what is marked alone
        assert counted > 5_000  # LiteLLM shows this route to no callback: it counts the whole history


def wait_for_usage(store: Any, session: str) -> Any:
    """A session's state once its usage is recorded, which LiteLLM does after it has answered."""
    for _ in range(100):
        state = store.load(SessionId(session, "t"))
        if state is not None and state.clock.called:
            return state
        time.sleep(0.1)
    raise AssertionError(f"no usage of {session}")


def test_a_failing_engine_changes_nothing(server: Upstream, tmp_path: Path) -> None:
    with proxy(tmp_path / "off", server) as say:
        for route in ROUTES:
            ask(say, route, COUNT)
    with upstream(reads(*notes(COUNT))) as other:
        with proxy(tmp_path / "on", other, "FailingEngine()") as say:
            for route in ROUTES:
                ask(say, route, COUNT)
        assert [body for _, _, body in sent(other)] == [body for _, _, body in sent(server)]


def test_a_session_of_200_turns_with_signed_reasoning_is_never_refused(server: Upstream, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'kept.db'}"
    with proxy(tmp_path / "on", server, f"window=60_000, store={store!r}, tenant='t'") as say:
        for count in range(200):
            ask(say, "messages", count + 1)
    check_sent(server)
    assert len(sent(server)) == 200
    assert len(json.dumps(sent(server)[-1][2])) < len(json.dumps(messages(200))) / 2
