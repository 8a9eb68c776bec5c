"""`secateur install`, `uninstall` and what `doctor` reports of them, in a home of their own."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli_runs import environment, secateur
from secateur.hosts.lock import lock_installations

EXTENSION = Path(".pi") / "agent" / "extensions" / "secateur.js"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user with a host on the PATH."""
    program = tmp_path / "bin" / "pi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    folder = tmp_path / "home"
    folder.mkdir()
    return {"HOME": str(folder), "XDG_DATA_HOME": str(tmp_path / "data"), "PATH": str(program.parent)}


def test_a_host_is_installed_checked_and_taken_out(home: dict[str, str]) -> None:
    folder = Path(home["HOME"])
    shown = secateur("install", "pi", "--dry-run", **home)
    assert shown.code == 0
    assert "--policy" in shown.text
    assert list(folder.iterdir()) == []
    done = secateur("install", "pi", "--json", **home)
    assert done.json["installed"]
    assert (folder / EXTENSION).read_text() == done.json["files"][0]["text"]
    report = secateur("doctor", "--json", **home).json
    assert report["hosts"] == [{"host": "pi", "policy": "balance", "problems": [], "last": None}]
    assert "has sent no request yet" in secateur("doctor", **home).text
    assert secateur("uninstall", "pi", **home).text == f"removed: {folder / EXTENSION}\n"
    assert list(folder.iterdir()) == []
    assert secateur("doctor", "--json", **home).json["hosts"] == []
    again = secateur("uninstall", "pi", **home)
    assert (again.code, "not installed in Pi" in again.err) == (2, True)


def test_the_doctor_says_why_a_host_does_not_act(home: dict[str, str]) -> None:
    secateur("install", "pi", **home)
    (Path(home["HOME"]) / EXTENSION).write_text("// edited")
    Path(home["PATH"], "pi").unlink()
    done = secateur("doctor", "--json", **home)
    assert done.code == 1
    (host,) = done.json["hosts"]
    edited, missing = host["problems"]
    assert "was changed after the installation: run `secateur install pi` again" in edited
    assert "npm install -g @mariozechner/pi-coding-agent" in missing


def test_an_edited_file_of_ours_is_kept_and_named_by_both_commands(home: dict[str, str]) -> None:
    secateur("install", "pi", **home)
    path = Path(home["HOME"]) / EXTENSION
    path.write_text("// edited once")
    again = secateur("install", "pi", **home)
    (first,) = Path(home["XDG_DATA_HOME"]).rglob("*.edited")
    assert f"note: {path}: it was changed after the installation: that version is {first}\n" in again.err
    assert first.read_text() == "// edited once"
    path.write_text("// edited twice")
    (note,) = secateur("install", "pi", "--json", **home).json["notes"]
    path.write_text("// edited thrice")
    (file,) = secateur("uninstall", "pi", "--json", **home).json["files"]
    assert Path(file["kept_as"]).read_text() == "// edited thrice"
    assert len({note.partition("version is ")[2], file["kept_as"], str(first)}) == 3


def test_while_another_installation_runs_nothing_is_written(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", home["XDG_DATA_HOME"])
    with lock_installations():
        done = secateur("install", "pi", **home)
        assert (done.code, "another `secateur install` or `uninstall` is running" in done.err) == (2, True), done
        assert list(Path(home["HOME"]).iterdir()) == []
    assert secateur("install", "pi", **home).code == 0
    assert secateur("uninstall", "pi", **home).code == 0


def test_claude_code_gets_a_plugin_of_its_own_files(home: dict[str, str]) -> None:
    folder = Path(home["HOME"])
    Path(home["PATH"], "claude").symlink_to("pi")
    done = secateur("install", "claude-code", "--json", **home)
    manifest, hooks, servers = (json.loads(file["text"]) for file in done.json["files"])
    assert manifest["name"] == "secateur"
    assert hooks["hooks"].keys() == {"PostToolUse", "PreCompact", "SessionStart"}
    assert servers["mcpServers"]["recall"]["args"][-3:] == ["mcp", "--tenant", "local"]
    assert all(Path(file["path"]).is_relative_to(folder / ".claude/skills/secateur") for file in done.json["files"])
    (checked,) = secateur("doctor", "--json", **home).json["hosts"]
    assert checked == {"host": "claude-code", "policy": "balance", "problems": [], "last": None}
    assert secateur("uninstall", "claude-code", **home).code == 0
    assert list(folder.iterdir()) == []


def test_codex_keeps_its_configuration_and_is_asked_whether_it_reads_ours(home: dict[str, str]) -> None:
    config = Path(home["HOME"]) / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_bytes(b'model = "gpt-5"')
    assert secateur("install", "codex", **home).code == 0
    read = tomllib.loads(config.read_text())
    assert (read["model"], read["mcp_servers"]["secateur"]["env"]) == ("gpt-5", {"SECATEUR_HOST": "codex"})
    profile = tomllib.loads((config.parent / "secateur.config.toml").read_text())
    assert profile["model_providers"][profile["model_provider"]]["base_url"] == "http://127.0.0.1:8787/v1"
    assert secateur("install", "codex", **home).code == 0  # the second time, too
    assert config.read_bytes().count(b"[mcp_servers.secateur]") == 1
    program = Path(home["PATH"], "codex")
    program.write_text("#!/bin/sh\necho no such server >&2\nexit 1\n")
    program.chmod(0o755)
    (checked,) = secateur("doctor", "--json", **home).json["hosts"]
    assert "Codex does not read its server: no such server" in checked["problems"][0]
    assert secateur("uninstall", "codex", **home).code == 0
    assert config.read_bytes() == b'model = "gpt-5"'


def test_openclaw_gets_an_engine_and_the_slot_that_selects_it(home: dict[str, str]) -> None:
    Path(home["PATH"], "openclaw").symlink_to("pi")
    config = Path(home["HOME"]) / ".openclaw" / "openclaw.json"
    config.parent.mkdir()
    config.write_bytes(b'{"plugins": {"allow": ["other"], "slots": {"memory": "m"}}}')
    assert secateur("install", "openclaw", **home).code == 0
    plugins = json.loads(config.read_bytes())["plugins"]
    assert plugins["slots"] == {"memory": "m", "contextEngine": "secateur"}
    folder = config.parent / "extensions" / "secateur"
    manifest = json.loads((folder / "openclaw.plugin.json").read_text())
    assert (manifest["id"], manifest["kind"]) == (plugins["slots"]["contextEngine"], "context-engine")
    (host,) = secateur("doctor", "--json", **home).json["hosts"]
    assert ["plugins.allow" in one for one in host["problems"]] == [True]
    assert secateur("uninstall", "openclaw", **home).code == 0
    assert config.read_bytes() == b'{"plugins": {"allow": ["other"], "slots": {"memory": "m"}}}'
    assert not folder.parent.exists()


def test_a_repeated_installation_keeps_what_is_not_given_anew(home: dict[str, str], tmp_path: Path) -> None:
    extension = Path(home["HOME"]) / EXTENSION
    chosen = tmp_path / "own.toml"
    chosen.write_bytes(secateur("policies", "frugal").out)
    stated = ("--policy", chosen, "--summarizer", "extractive", "--shorten-results")
    assert secateur("install", "pi", *stated, **home).code == 0
    first = extension.read_text()
    shown = secateur("install", "pi", "--dry-run", "--json", **home).json
    assert (shown["files"][0]["text"], shown["policy"]) == (first, str(chosen))
    again = secateur("install", "pi", **home)
    assert (
        f"kept from the earlier installation: --policy {chosen} --summarizer extractive --shorten-results" in again.err
    )
    assert extension.read_text() == first
    other = secateur("install", "pi", "--policy", "balance", "--no-shorten-results", **home)
    assert "kept from the earlier installation: --summarizer extractive;" in other.err
    assert "const SHORTENS = 0;" in extension.read_text()
    assert secateur("install", "pi", "--policy", chosen, **home).code == 0
    chosen.unlink()
    gone = secateur("install", "pi", **home)
    assert (gone.code, "name one with --policy" in gone.err, extension.exists()) == (2, True, True), gone
    assert secateur("uninstall", "pi", **home).code == 0
    assert "kept" not in secateur("install", "pi", **home).err


def test_codex_keeps_the_address_of_the_proxy(home: dict[str, str]) -> None:
    profile = Path(home["HOME"]) / ".codex" / "secateur.config.toml"
    for stated in (home | {"SECATEUR_PROXY": "http://127.0.0.1:9999"}, home):
        done = secateur("install", "codex", **stated)
        assert done.code == 0, done
        assert 'base_url = "http://127.0.0.1:9999/v1"' in profile.read_text()
    assert "SECATEUR_PROXY=http://127.0.0.1:9999" in done.err


def test_each_project_of_the_ai_sdk_has_an_installation_of_its_own(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(home["PATH"], "node").symlink_to("pi")
    projects = (tmp_path / "one", tmp_path / "two")
    for project in projects:
        project.mkdir()
        monkeypatch.chdir(project)
        done = secateur("install", "ai-sdk", **home)
        assert (done.code, "wrapLanguageModel" in done.err) == (0, True), done
    assert [sorted(path.name for path in one.iterdir()) for one in projects] == [["secateur.d.mts", "secateur.mjs"]] * 2
    hosts = secateur("doctor", "--json", **home).json["hosts"]
    assert sorted(one["host"] for one in hosts) == [f"ai-sdk in {project}" for project in projects]
    assert [one["problems"] for one in hosts] == [[], []]
    assert secateur("uninstall", "ai-sdk", **home).code == 0
    assert [len(list(one.iterdir())) for one in projects] == [2, 0]
    again = secateur("uninstall", "ai-sdk", **home)
    assert (again.code, "run this in the folder of the project" in again.err) == (2, True), again
    shutil.rmtree(projects[0])  # nobody can uninstall there any more
    assert secateur("doctor", "--json", **home).json["hosts"] == []


@pytest.mark.parametrize(
    ("config", "arguments", "why"),
    [
        (b"[mcp_servers.secateur]\ncommand = 'x'\n", (), "has a server of that name"),
        (b"mcp_servers = {}\n", (), "can be added"),
        (b"model = \n", (), "is not TOML"),
        (b"\xff", (), "cannot be read"),
        (b"", ("--policy", "observe"), "belong to `secateur serve`"),
    ],
)
def test_codex_is_left_alone_where_it_could_not_read_its_configuration(
    config: bytes, arguments: tuple[str, ...], why: str, home: dict[str, str]
) -> None:
    path = Path(home["HOME"]) / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(config)
    done = secateur("install", "codex", *arguments, **home)
    assert (done.code, why in done.err) == (2, True), done
    assert path.read_bytes() == config
    assert list(path.parent.iterdir()) == [path]


def test_a_policy_is_checked_before_anything_is_written(home: dict[str, str]) -> None:
    done = secateur("install", "pi", "--policy", "nonsense", **home)
    assert done.code == 2
    assert "nonsense" in done.err
    assert list(Path(home["HOME"]).iterdir()) == []


def test_the_bridge_answers_every_line_and_ends_with_its_input(home: dict[str, str]) -> None:
    secateur("install", "pi", **home)
    text = "x y z " * 4_000
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}]}
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": [{"type": "text", "text": text}]}
    messages = [{"role": "user", "content": "go"}, *([call, result] * 30)]
    lines = [
        b"nonsense",
        b"",
        json.dumps({"id": 1, "method": "hello", "params": {"host": "pi", "protocol": 1}}).encode(),
        json.dumps({"id": 2, "method": "fit", "params": {"session": "s", "messages": messages}}).encode(),
        json.dumps({"id": 3, "method": "fit", "params": {"session": "s", "messages": messages}}).encode(),
    ]
    arguments = ("bridge", "pi", "--format", "pi_messages", "--policy", "pi-auto-compressor")
    done = secateur(*arguments, stdin=b"\n".join(lines), **home)
    assert (done.code, done.err) == (0, "")
    broken, hello, fit, again = map(json.loads, done.text.splitlines())
    assert broken["error"]["kind"] == "FormatError"
    assert hello["result"]["policy"] == "pi-auto-compressor"
    assert "Tool output swept: bash c" in json.dumps(fit["result"]["messages"])
    assert again["result"]["messages"] == fit["result"]["messages"]
    (host,) = secateur("doctor", "--json", **home).json["hosts"]
    assert (host["last"]["requests"], host["last"]["edited"]) == (2, 2)


@pytest.mark.parametrize("damage", ["record", "folder", "policy"])
def test_the_doctor_reports_a_damaged_installation_and_goes_on(
    damage: str, home: dict[str, str], tmp_path: Path
) -> None:
    chosen = tmp_path / "own.toml"
    chosen.write_bytes(secateur("policies", "balance").out)
    assert secateur("install", "claude-code", "--policy", chosen, **home).code == 0
    hooks = Path(home["HOME"], ".claude/skills/secateur/hooks/hooks.json")
    if damage == "record":
        Path(home["XDG_DATA_HOME"], "secateur/hosts/claude-code/installed.json").write_text("{")
    elif damage == "folder":
        hooks.unlink()
        hooks.mkdir()
    else:
        chosen.unlink()
    done = secateur("doctor", "--json", **home)
    (checked,) = done.json["hosts"]
    named = {"record": "then remove the folder", "folder": "Is a directory; correct that", "policy": "own.toml"}[damage]
    assert (done.code, named in " ".join(checked["problems"])) == (1, True), checked


@pytest.mark.skipif(sys.platform == "win32", reason="closes descriptors as a POSIX shell does")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("bridge", "pi"), 0), (("hook", "pi"), 0), (("hook", "claude-code"), 0), (("prune", "-"), 3)],
)
def test_a_closed_standard_input_is_empty(arguments: tuple[str, ...], code: int, home: dict[str, str]) -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "secateur", *arguments)
    done = subprocess.run(closed, capture_output=True, timeout=60, check=False, env=environment(**home))
    assert (done.returncode, b"a bug in" in done.stderr) == (code, False), done


def test_a_bridge_that_nobody_listens_to_ends_as_other_commands_do(home: dict[str, str]) -> None:
    process = subprocess.Popen(
        (sys.executable, "-m", "secateur", "bridge", "pi"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**home),
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stderr:
        process.stdout.close()
        process.stdin.write(b'{"id": 1, "method": "hello"}\n')
        process.stdin.flush()  # and stays open: a thread waits for more
        assert (process.wait(60), process.stderr.read()) == (141, b"")


@pytest.mark.parametrize("host", ["pi", "claude-code"])
@pytest.mark.parametrize("event", [b"", b"[" * 100_000, b"\xff\x00", b'{"type":["\\ud800"],"hook_event_name":7}'])
def test_a_hook_answers_whatever_comes(host: str, event: bytes, home: dict[str, str]) -> None:
    done = secateur("hook", host, stdin=event, **home)
    assert (done.code, done.text.strip()) == (0, "{}" if host == "pi" else ""), done


@pytest.mark.parametrize("named", ["CODEX_HOME", "HOME"])
def test_what_is_installed_below_a_relative_folder_is_taken_out_from_any_other(
    named: str, home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stated = home | {named: "here"}
    done = secateur("install", "codex", "--json", **stated)
    monkeypatch.chdir("/")
    assert secateur("uninstall", "codex", **stated).code == 0
    assert [file["path"] for file in done.json["files"] if Path(tmp_path, file["path"]).exists()] == []


@pytest.mark.parametrize("folder", ["~nobody-of-that-name/x", os.fsdecode(b"/tmp/\xff")])
@pytest.mark.parametrize("host", ["pi", "codex", "claude-code"])
def test_a_folder_that_nothing_can_name_is_an_error_that_says_so(folder: str, host: str, home: dict[str, str]) -> None:
    variable = {"pi": "PI_CODING_AGENT_DIR", "codex": "CODEX_HOME", "claude-code": "CLAUDE_CONFIG_DIR"}[host]
    done = secateur("install", host, **home | {variable: folder})
    assert (done.code, f"set {variable} to one that is UTF-8" in done.err) == (2, True), done


@pytest.mark.parametrize("arguments", [("bridge", "pi"), ("hook", "pi")])
def test_a_projects_broken_settings_do_not_stop_a_plugin(
    arguments: tuple[str, ...], home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secateur.toml").write_text("policy = ")
    monkeypatch.chdir(tmp_path)
    done = secateur(*arguments, stdin=b'{"id": 1, "method": "hello"}', **home)
    assert (done.code, "result" in done.json or done.json == {}) == (0, True), done
