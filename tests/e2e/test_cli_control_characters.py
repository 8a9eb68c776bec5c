"""No text of a session, a file's name, a model's name or an argument can steer the terminal, whatever the command."""

import json
import re
from pathlib import Path

import pytest

from cli_runs import LONG, pi_worked, saved, secateur
from secateur.cli.program import COMMANDS

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31mname\x08\u202e"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NO_INPUT = {"completion", "hook", "mcp", "plugins", "serve"}


def hostile_session(folder: Path) -> Path:
    """A session whose tools, model, arguments and texts all hold control characters, in a file whose name does."""
    text = pi_worked().decode()
    steered = json.dumps(HOSTILE)[1:-1]
    text = text.replace('"read"', f'"read{steered}"').replace("fix the login", f"fix the login {steered}")
    text = text.replace(json.dumps(LONG)[1:40], f"{steered} {json.dumps(LONG)[1:40]}").replace("a.py", f"a{steered}.py")
    return saved(folder, text.encode(), f"session{HOSTILE.replace('/', '')}.jsonl")


def runs(path: Path, store: str) -> dict[str, list[list[object]]]:
    """Every command, fed with hostile text wherever it takes text."""
    kept: list[object] = ["--store", store]
    named: list[object] = [HOSTILE, *kept]
    hostile: list[object] = ["--model", HOSTILE, "--policy", "opencode"]
    return {
        "prune": [
            [path, *hostile, "-o", path.parent / "out", "--session", HOSTILE, *kept],
            [path, "--policy", HOSTILE],
        ],
        "compact": [[path, *hostile, "--window", 4000, "--dry-run"], [path, "--focus", HOSTILE, "--dry-run"]],
        "inspect": [[path], [path, "--model", HOSTILE], [f"missing{HOSTILE}"]],
        "check": [[path], [path, "--format", HOSTILE]],
        "repair": [[path, "-o", path.parent / "mended"]],
        "simulate": [[path, *hostile]],
        "scan": [[path.parent], [f"missing{HOSTILE}"]],
        "diff": [[path, "--policy", "opencode"], [path, HOSTILE]],
        "recover": [[path, "-o", path.parent / f"to{HOSTILE}.md"]],
        "status": [kept, ["--address", f"http://{HOSTILE}", *kept]],
        "run": [[HOSTILE]],
        "install": [
            ["pi", "--dry-run", "--summarizer", HOSTILE],
            ["pi", "--policy", HOSTILE],
            ["codex", "--policy", HOSTILE],
            [HOSTILE],
        ],
        "uninstall": [[HOSTILE]],
        "bridge": [[HOSTILE], ["pi", "--policy", HOSTILE]],
        "doctor": [[path, *hostile], ["--policy", HOSTILE]],
        "policies": [[HOSTILE]],
        "ls": [[], [HOSTILE]],
        "sessions": [kept],
        "why": [named, [HOSTILE, HOSTILE, *kept]],
        "recall": [named],
        "pin": [[HOSTILE, "--tool", HOSTILE, *kept]],
        "unpin": [[HOSTILE, "--tool", HOSTILE, *kept]],
        "undo": [named],
        "restore": [[path.parent / "out", *kept], [f"missing{HOSTILE}", *kept], [path, "--session", HOSTILE, *kept]],
        "replay": [[HOSTILE, 0, *kept, "-o", path.parent / "view"], [HOSTILE, 99, *kept]],
        "verify": [kept, named],
        "gc": [kept, ["--store", f"sqlite:///{HOSTILE}"]],
        "purge": [["--session", HOSTILE, "--yes", *kept], named],
        HOSTILE: [[]],
    }


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_command_lets_a_control_character_out(tmp_path: Path, form: tuple[str, ...]) -> None:
    path = hostile_session(tmp_path)
    found = runs(path, f"sqlite:///{tmp_path / 'kept.db'}")
    assert set(COMMANDS) - NO_INPUT <= set(found)
    for command, variants in found.items():
        for given in variants[:1] if form else variants:
            done = secateur(command, *given, *form)
            shown = done.out.decode() + done.err
            assert not CONTROL.search(shown), (command, given, shown[:2000])
            assert done.code in (0, 1, 2, 3, 4), (command, given, done.err)
            assert shown, command


def test_a_host_gets_json_and_its_status_line_is_clean() -> None:
    for host, answer in (("pi", {}), ("claude-code", None)):
        done = secateur("hook", host, stdin=json.dumps({"type": HOSTILE, "hook_event_name": HOSTILE}).encode())
        assert (json.loads(done.out) if done.out else None) == answer
        assert not CONTROL.search(done.out.decode() + done.err)


def test_what_is_read_back_is_exact_in_a_pipe(tmp_path: Path) -> None:
    path, store = hostile_session(tmp_path), f"sqlite:///{tmp_path / 'kept.db'}"
    done = secateur(
        "prune", path, "--policy", "opencode", "--store", store, "--session", "s", "--json", "-o", tmp_path / "o"
    )
    handle = next(edit["handle"] for edit in done.json["edits"] if edit["handle"])
    assert "\x1b" in secateur("recall", handle, "--store", store).text
