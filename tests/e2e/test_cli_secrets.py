"""No command shows a credential that a session holds, in no form of its output; `--raw` and `recall` show all."""

import json
from pathlib import Path

import pytest

from carriers import CARRIERS, drawn_values
from cli_runs import LONG, saved, secateur
from credentials import PLANTED
from native import pi_call, pi_result, pi_session, user
from secateur.cli.program import COMMANDS

NO_INPUT = {"bridge", "completion", "hook", "mcp", "plugins", "run", "serve"}
CARRIED = [
    carried(value) for carried, value in zip(CARRIERS.values(), drawn_values("alphanumeric 32", 99), strict=False)
]
LINES = [*(frame.format(secret) for _, frame, secret in PLANTED), *(text for text, _ in CARRIED)]
SECRETS = {
    *(piece for *_, secret in PLANTED for piece in secret.split("\n") if len(piece) > 5 and "-----" not in piece),
    *(piece for _, pieces in CARRIED for piece in pieces),
}
PIECES = {cut for secret in SECRETS for cut in (secret, secret[:24], secret[-24:]) if len(cut) >= 12}


def told(path: Path) -> Path:
    """A session with every credential in its outputs, its arguments and what the user says."""
    messages = [user("Deploy it with " + "\nand ".join(LINES))]
    for number, line in enumerate(LINES):
        messages += [
            pi_call(f"c{number}", "bash", command=f"deploy {line}"),
            pi_result(f"c{number}", f"{line}\n{LONG}\n{line}" if number % 9 == 0 else f"{line}\n" * 3, "bash"),
        ]
    messages += [user(f"{line} is the newest") for line in LINES[:3]]
    messages += [pi_call("open", "read", path=f"/srv/{LINES[8]}"), user("now the docs"), user("and the tests")]
    return saved(path, pi_session(messages))


def runs(path: Path, store: str) -> dict[str, list[list[object]]]:
    kept: list[object] = ["--store", store]
    return {
        "prune": [[path, "--policy", "opencode", "-o", path.parent / "out", "--session", "s", *kept]],
        "compact": [
            [path, "--window", 9000, "-o", path.parent / "summed"],
            [path, "--window", 9000, "--dry-run", "--explain", "--explain-html", path.parent / "why.html"],
            [path, "--window", 9000, "--to", "openai_chat", "-o", path.parent / "body.json", "--explain"],
        ],
        "inspect": [[path, "--largest", 500]],
        "check": [[path]],
        "repair": [[path, "-o", path.parent / "mended"]],
        "simulate": [[path]],
        "scan": [[path.parent]],
        "diff": [[path, "--policy", "opencode", "--lines", 2000], [path, path.parent / "summed"]],
        "recover": [[path, "-o", path.parent / "to.md"]],
        "install": [["pi", "--dry-run"], ["claude-code", "--dry-run"], ["codex", "--dry-run"], ["pi"]],
        "doctor": [[path]],
        "uninstall": [["pi"]],
        "policies": [["balance"]],
        "ls": [[]],
        "sessions": [kept],
        "status": [kept],
        "why": [["s", *kept]],
        "pin": [["s", "tool", "bash", *kept]],
        "unpin": [["s", "tool", "bash", *kept]],
        "undo": [["s", *kept]],
        "replay": [["s", "--from", path, *kept, "-o", path.parent / "view"]],
        "restore": [[path.parent / "out", "-o", path.parent / "back", *kept]],
        "verify": [kept],
        "gc": [kept],
        "purge": [["s", "--yes", *kept]],
    }


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_command_shows_a_credential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # hosts are installed there
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    path = told(tmp_path)
    found = runs(path, f"sqlite:///{tmp_path / 'kept.db'}")
    assert set(COMMANDS) - NO_INPUT - {"recall"} <= set(found)
    for command, variants in found.items():
        for given in variants:
            done = secateur(command, *given, *form)
            shown = done.text + done.err
            assert done.code in (0, 1, 4), (command, done.err)
            assert [piece for piece in PIECES if piece in shown] == [], (command, given)
    for name in ("to.md", "why.html"):
        assert [piece for piece in PIECES if piece in (tmp_path / name).read_text()] == [], name


def test_raw_shows_what_is_there(tmp_path: Path) -> None:
    path, secret = told(tmp_path), PLANTED[1][2]
    for form in ((), ("--json",)):
        given = ("diff", path, "--policy", "opencode", "--lines", 2000, *form)
        assert secret not in secateur(*given).text
        assert secret in secateur(*given, "--raw").text
    assert secret in secateur("inspect", path, "--largest", 500, "--json", "--raw").text


def test_what_is_read_back_is_exact(tmp_path: Path) -> None:
    path, store = told(tmp_path), f"sqlite:///{tmp_path / 'kept.db'}"
    pruned = secateur("prune", path, "--policy", "opencode", "--store", store, "--session", "s", "--json")
    handle = next(edit["handle"] for edit in pruned.json["edits"] if edit["handle"])
    assert PLANTED[0][2] in secateur("recall", handle, "--store", store).text
    assert PLANTED[0][2] in secateur("recall", handle, "--store", store, "--json").json["text"]


def test_an_error_that_repeats_an_argument_shows_no_credential() -> None:
    secret = PLANTED[7][2]
    done = secateur("inspect", f"/tmp/{secret}.jsonl")
    assert done.code == 3
    assert secret not in done.err
    assert "[redacted " in done.err


def test_standard_input_is_as_secret_as_a_file() -> None:
    body = json.dumps({"model": "gpt-5", "messages": [user(line) for line in LINES]}).encode()
    for form in ((), ("--json",)):
        done = secateur("inspect", "-", "--largest", 500, *form, stdin=body)
        assert [piece for piece in PIECES if piece in done.text + done.err] == []
