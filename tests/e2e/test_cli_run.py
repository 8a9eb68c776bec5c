"""`secateur run` and `secateur status` with an agent that is a small program: what it gets, and what is left of it."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_requests import write_policy
from cli_runs import Done, afresh, environment
from model_server import Script, ScriptedModel, Step
from native import user
from upstream import upstream

AGENT = """\
#!{python}
import json, os, signal, sys, time, urllib.request
with open({left!r}, "w") as file:
    json.dump({{"arguments": sys.argv[1:], "address": os.environ["ANTHROPIC_BASE_URL"]}}, file)
{does}
"""
ASKS = """\
import glob
for path in sorted(glob.glob(sys.argv[-1] + "/*.json")):
    headers = {"content-type": "application/json", "x-api-key": "sk-none", "x-claude-code-session-id": "s1"}
    headers |= json.loads(os.environ.get("MORE_HEADERS", "{}"))
    address = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    request = urllib.request.Request(address, open(path, "rb").read(), headers)
    print(json.load(urllib.request.urlopen(request))["content"][0]["text"])
"""
WAITS = """\
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("ready", flush=True)
time.sleep(60)
"""


class Desk:
    """An agent called claude, a store, and a folder of requests."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.left = folder, folder / "left.json"
        self.store = f"sqlite:///{folder}/kept.db"

    def install(self, does: str) -> None:
        program = self.folder / "bin" / "claude"
        program.parent.mkdir(exist_ok=True)
        program.write_text(AGENT.format(python=sys.executable, left=str(self.left), does=does))
        program.chmod(0o755)

    def run(self, url: str, *arguments: str, options: tuple[str, ...] = (), **more: str) -> Done:
        return afresh("run", *options, "claude", *arguments, **self.variables(url), **more)

    def variables(self, url: str) -> dict[str, str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "SECATEUR_STORE": self.store, "ANTHROPIC_BASE_URL": url, "TMPDIR": str(self.folder)}

    def write_requests(self, count: int) -> Path:
        """A session that grows by one long result with each request."""
        folder = self.folder / "requests"
        folder.mkdir()
        messages = [user("read the notes")]
        for number in range(count):
            text = "\n".join(f"note {number}, line {line}: {line * 7919 % 1000}" for line in range(2_000))
            call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"cat {number}"}}
            result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
            tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
            body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages}
            (folder / f"{number:02d}.json").write_text(json.dumps(body))
        return folder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_the_agent_gets_its_arguments_and_the_exit_code_is_its_own(desk: Desk) -> None:
    desk.install("sys.exit(9)")
    done = desk.run("http://127.0.0.1:9", "--continue", "--help", "-p", "--mode")
    assert done.code == 9
    left = json.loads(desk.left.read_text())
    reading, *given = left["arguments"]
    assert re.fullmatch(rf"--allowedTools=Read\(/{desk.folder}/kept\.db\.files/[0-9a-f]{{12}}/\*\*\)", reading)
    assert given == ["--continue", "--help", "-p", "--mode"]
    assert left["address"].startswith("http://127.0.0.1:")
    assert "no model request of Claude Code came through" in done.err
    assert not list(desk.folder.glob("secateur-run-*"))
    assert desk.run("http://127.0.0.1:9", options=("--quiet",)).err == ""


def test_an_agent_that_is_missing_or_cannot_be_led_is_said_so(desk: Desk) -> None:
    done = afresh("run", "qwen", PATH="/nowhere", SECATEUR_STORE=desk.store)
    assert (done.code, done.err) == (2, "secateur: qwen is not on the PATH: npm install -g @qwen-code/qwen-code\n")
    desk.install("")
    done = desk.run("http://127.0.0.1:9", CLAUDE_CODE_USE_VERTEX="1")
    assert done.code == 2
    assert "unset it" in done.err


def test_a_signal_reaches_the_agent(desk: Desk) -> None:
    desk.install(WAITS)
    ours = environment(**desk.variables("http://127.0.0.1:9"))
    argv = [sys.executable, "-m", "secateur", "run", "claude"]
    with subprocess.Popen(argv, env=ours, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 7


@pytest.mark.parametrize("mode", ["prune", "observe"])
def test_requests_go_through_and_status_accounts_for_them(desk: Desk, mode: str) -> None:
    desk.install(ASKS)
    folder, model = desk.write_requests(8), ScriptedModel(Script((Step("understood"),)))
    sent = [path.read_bytes() for path in sorted(folder.iterdir())]
    with upstream(model, other=model) as server:
        done = desk.run(server.url, str(folder), options=("--mode", mode, "--policy", "anthropic"))
        status = afresh("status", "--json", SECATEUR_STORE=desk.store).json
    assert (done.code, done.out) == (0, b"understood\n" * 8), done.err
    received = [request.body for request in server.posts]
    assert "secateur: 8 requests, " in done.err
    if mode == "observe":
        assert received == sent
        (session,) = status["sessions"]
        assert (session["observed"], session["tenant"], session["savings"]["requests"]) == (True, "local", 8)
        assert session["savings"]["tokens_sent"] < session["savings"]["tokens_raw"]
        assert session["bill"]["answers"] == 8
        assert (status["requests"], status["saved_dollars"]) == (0, 0)
        assert status["would_save_dollars"] == session["savings"]["dollars"] != 0
        shown = afresh("status", SECATEUR_STORE=desk.store).text
        assert "Only observed" in shown
        assert afresh("verify", "s1", "--tenant", "observed:local", SECATEUR_STORE=desk.store).code == 0
        return
    assert sum(map(len, received)) < sum(map(len, sent))
    (session,) = status["sessions"]
    assert (session["session"], session["tenant"], session["savings"]["requests"]) == ("s1", "local", 8)
    assert status["tokens_sent"] < status["tokens_raw"]
    assert status["saved_dollars"] == session["savings"]["dollars"] != 0
    shown = afresh("status", SECATEUR_STORE=desk.store).text
    assert "s1" in shown
    assert "net of what edits cost the prompt cache" in shown


@pytest.mark.parametrize("recall", ["files", "auto"])
def test_placeholders_name_files_unless_told_otherwise(desk: Desk, recall: str) -> None:
    desk.install(ASKS)
    folder, model = desk.write_requests(4), ScriptedModel(Script((Step("understood"),)))
    options = ("--policy", write_policy(desk.folder), *(("--recall", recall) if recall == "auto" else ()))
    with upstream(model, other=model) as server:
        assert desk.run(server.url, str(folder), options=options).code == 0
        named = re.findall(r"removed, read (/[^\]]+)\]", server.bodies[-1])
    assert [Path(one).read_text().partition(",")[0] for one in named] == ["note 0", "note 1", "note 2"][: len(named)]
    assert bool(named) == (recall == "files")
    assert any("--allowedTools" in one for one in json.loads(desk.left.read_text())["arguments"]) == bool(named)


def test_a_subscription_is_observed_unless_it_is_asked_for(desk: Desk) -> None:
    desk.install(ASKS)
    folder, model = desk.write_requests(6), ScriptedModel(Script((Step("understood"),)))
    sent = [path.read_bytes() for path in sorted(folder.iterdir())]
    oauth = {"MORE_HEADERS": json.dumps({"authorization": "Bearer sk-ant-oat01-none", "x-api-key": ""})}
    with upstream(model, other=model) as server:
        done = desk.run(server.url, str(folder), options=("--policy", "anthropic"), **oauth)
        assert [request.body for request in server.posts] == sent
        assert "--prune-subscriptions" in done.err
        again = desk.run(server.url, str(folder), options=("--policy", "anthropic", "--prune-subscriptions"), **oauth)
    assert again.code == 0
    assert sum(len(request.body) for request in server.posts[len(sent) :]) < sum(map(len, sent))
    assert "--prune-subscriptions" not in again.err


def test_status_without_a_store_or_a_proxy(desk: Desk) -> None:
    done = afresh("status", SECATEUR_STORE=desk.store)
    assert done.code == 0
    assert "Nothing is stored" in done.text
    done = afresh("status", "--address", "http://127.0.0.1:9", SECATEUR_STORE=desk.store)
    assert done.code == 2
    assert "no proxy answers at http://127.0.0.1:9" in done.err
