"""The commands that look: `inspect`, `diff`, `policies`, `doctor`, `completion`, and help."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli_runs import LONG, chat, environment, pi_worked, saved, secateur, worked
from native import calls, tool, user
from secateur.stores import open_store
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, make_state

COMMANDS = ["prune", "inspect", "check", "diff", "policies", "doctor", "completion"]


def test_inspect_adds_up(tmp_path: Path) -> None:
    done = secateur("inspect", saved(tmp_path, pi_worked()), "--json")
    assert done.code == 0
    found = done.json
    assert found["schema"] == "secateur.inspect/1"
    assert found["input"]["format"] == "pi"
    assert found["input"]["messages"] == 11
    whole = found["input"]["tokens"]
    assert whole == sum(one["tokens"] for one in found["by_kind"]) == sum(one["tokens"] for one in found["by_turn"])
    assert [(one["tool"], one["calls"], one["results"]) for one in found["by_tool"]] == [
        ("read", 2, 2),
        ("bash", 1, 1),
        ("skill", 1, 1),
    ]
    assert [(one["turn"], one["asked"]) for one in found["by_turn"]] == [
        (1, "fix the login"),
        (2, "and the logout"),
        (3, "thanks"),
    ]
    assert [(one["tool"], one["times"], one["messages"]) for one in found["duplicates"]] == [("read", 2, [2, 9])]
    assert (found["problems"], found["warnings"]) == ([], [])


def test_inspect_shows_the_same_to_people(tmp_path: Path) -> None:
    done = secateur("inspect", saved(tmp_path, pi_worked()), "--largest", 2)
    assert (done.code, done.err) == (0, "")
    for title in ("By kind", "By tool", "By turn", "Largest parts", "Repeated outputs"):
        assert title in done.text
    assert "fix the login" in done.text
    assert max(len(line) for line in done.text.splitlines() if "─" in line) <= 80


def test_inspect_finds_calls_and_results_without_their_other_half(tmp_path: Path) -> None:
    broken = chat(user("go"), calls(("a", "read")), user("stop"), tool("late", "zzz"), user("hm"))
    path = saved(tmp_path, broken, "request.json")
    done = secateur("inspect", path, "--json")
    assert done.code == 1
    assert [(one["what"], one["where"]["message"], one["where"]["call"]) for one in done.json["problems"]] == [
        ("call without result", 1, "a"),
        ("result without call", 3, "zzz"),
    ]
    shown = secateur("inspect", path)
    assert shown.code == 1
    assert "call without result" in shown.text


def test_inspect_counts_no_call_that_an_agent_only_wrote(tmp_path: Path) -> None:
    """`submit` ends a run of SWE-agent: `check` asks for no result of it, and neither does `inspect`."""
    said = [
        {"role": "system", "content": "You fix bugs.", "message_type": "system_prompt", "agent": "main"},
        {"role": "user", "content": "A demonstration.", "message_type": "demonstration", "agent": "main"},
        {"role": "assistant", "content": "Done.\n```\nsubmit\n```", "thought": "Done.", "action": "submit"},
        {"role": "user", "content": "Now the bug.", "message_type": "instance", "agent": "main"},
        {"role": "assistant", "content": "```\nls\n```", "thought": "", "action": "ls\n"},
        {"role": "user", "content": "a.py", "message_type": "observation", "agent": "main"},
    ]
    path = saved(tmp_path, json.dumps({"history": said, "trajectory": [], "info": {}, "environment": "main"}).encode())
    looked, checked = secateur("inspect", path, "--json"), secateur("check", path, "--json")
    assert looked.json["input"]["format"] == "swe_agent"
    assert (looked.json["problems"], looked.code) == ([], 0)
    assert (checked.json["violations"], checked.code) == ([], 0)


def test_diff_of_a_document_and_itself(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    assert "0 parts differ" in secateur("diff", path, path).text
    assert secateur("diff", path, path, "--json").json["changes"] == []


def test_diff_shows_what_a_policy_would_do_and_it_is_what_prune_does(tmp_path: Path) -> None:
    path, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    secateur("prune", path, "--policy", "opencode", "-o", out)
    foretold = secateur("diff", path, "--policy", "opencode", "--json").json["changes"]
    assert foretold == secateur("diff", path, out, "--json").json["changes"]
    assert [(one["verb"], one["where"]["message"], one["after"]) for one in foretold] == [
        ("changed", 2, "<tool-output-compacted />"),
        ("changed", 4, "<tool-output-compacted />"),
    ]
    lines = secateur("diff", path, out, "--lines", 1).text.splitlines()
    assert lines[2].startswith("message 2, line 4: read result changed, ")
    assert lines[2].endswith(" tokens (c1)")
    assert lines[3:6] == [
        "-line 0 of an output that nobody needs any more",
        "- … 399 more lines",
        "+<tool-output-compacted />",
    ]


def test_diff_compares_with_one_thing(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("diff", path, path, "--policy", "opencode")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_policies_lists_the_presets_and_prints_one_that_loads_again(tmp_path: Path) -> None:
    listed = {one["name"]: one for one in secateur("policies", "--json").json}
    others = {"opencode", "kilocode", "hermes", "pi-auto-compressor", "openclaw", "anthropic", "observe"}
    assert {"balance", *others} <= set(listed)
    assert [name for name, one in listed.items() if one["default"]] == ["balance"]
    shown = secateur("policies").text
    assert all(f" {name} " in shown for name in listed)
    for name in listed:
        printed = secateur("policies", name).out
        assert tomllib.loads(printed.decode())["name"] == name
        path = saved(tmp_path, printed, "mine.toml")
        assert secateur("policies", path).out == printed


def test_doctor_says_what_is_in_force_and_where_from(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    done = secateur("doctor", path, "--policy", "kilocode", "--window", 123_456, "--json", SHELL="/bin/zsh")
    assert done.code == 0
    settings = {one["name"]: (one["value"], one["source"]) for one in done.json["settings"]}
    assert settings["window"] == ("123,456", "stated")
    assert settings["model"] == ("claude-sonnet-4-5", "the document")
    assert settings["format"][0] == "pi"
    assert settings["protect.last_turns"] == ("2", "preset kilocode")
    assert settings["newest result tokens kept"][0] == "40,000"
    assert "zsh" in done.json["completion"]
    assert {one["extra"] for one in done.json["extras"]} >= {"cli", "tokens", "store", "secrets"}
    assert done.json["advice"] == []


def test_doctor_measures_the_store_and_makes_none(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path}/kept/s.db"
    none = secateur("doctor", "--json", SECATEUR_STORE=url, SECATEUR_RETENTION_DAYS="7").json["store"]
    assert (none["url"], none["source"], none["sizes"], none["retention_s"]) == (url, "SECATEUR_STORE", None, 604_800)
    assert not (tmp_path / "kept").exists()
    store = open_store(url)
    store.save(make_state(SessionId("s")), SessionUpdate(at=1, blobs=(Blob(b"removed " * 1_000),)))
    store.close()
    found = secateur("doctor", "--json", "--store", url).json["store"]
    assert (found["source"], found["sizes"]["blobs"], found["sizes"]["blob_bytes"]) == ("--store", 1, 8_000)
    assert 0 < found["bytes_a_day"] < found["sizes"]["file_bytes"]
    assert "1 sessions, 0 receipts" in secateur("doctor", "--store", url).text
    (tmp_path / "kept" / "s.db").write_bytes(b"not a database" * 500)
    broken = secateur("doctor", "--store", url, "--json")
    assert broken.code == 1
    assert "move it away" in broken.json["advice"][-1]
    assert secateur("doctor", SECATEUR_RETENTION_DAYS="soon").code == 2


def test_doctor_tells_a_file_s_settings_from_its_base_s(tmp_path: Path) -> None:
    policy = saved(tmp_path, b'extends = "opencode"\n[protect]\nlast_turns = 1\n', "mine.toml")
    done = secateur("doctor", "--policy", policy, "--json")
    settings = {one["name"]: (one["value"], one["source"]) for one in done.json["settings"]}
    assert settings["protect.last_turns"] == ("1", str(policy))
    assert settings["protect.tools"] == ("skill", "preset opencode")
    assert done.code == 1
    assert "last 1 user turns" in done.json["advice"][0]


def test_help_teaches_and_loads_neither_the_engine_nor_rich() -> None:
    program = (
        "import sys; from secateur.cli.program import run; code = run(['--help']); print(code, *sorted(sys.modules))"
    )
    argv = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=environment())
    code, *loaded = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert "Examples:" in done.stdout
    assert not {"rich", "msgspec", "secateur.engine", "secateur.cli.prune"} & set(loaded)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str) -> None:
    done = secateur(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "Examples:" in done.text
    assert max(map(len, done.text.splitlines())) <= 80
    assert f"  {command} " in secateur("--help").text


def test_no_command_is_answered_with_help_and_a_wrong_one_with_the_nearest() -> None:
    nothing = secateur()
    assert (nothing.code, nothing.out) == (2, b"")
    assert all(f"\n  {command} " in nothing.err for command in COMMANDS)
    wrong = secateur("prun")
    assert (wrong.code, wrong.err) == (
        2,
        "secateur: There is no command 'prun'; did you mean prune? (see secateur --help)\n",
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_shell(shell: str) -> None:
    done = secateur("completion", shell)
    assert done.code == 0
    assert "_SECATEUR_COMPLETE" in done.text


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("secateur pr", ["prune"]),
        ("secateur prune --policy open", ["opencode", "openclaw"]),
        ("secateur prune --format openai_", ["openai_responses", "openai_chat"]),
        ("secateur prune --in", ["--in-place"]),
        ("secateur policies her", ["hermes"]),
    ],
)
def test_completion_knows_commands_options_policies_and_formats(line: str, offers: list[str]) -> None:
    words = line.split(" ")
    asked = {"_SECATEUR_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    offered = [one.partition(",")[2] for one in secateur(**asked).text.splitlines()]
    assert [one for one in offered if one != words[-1]] == offers


def test_version_is_one_line() -> None:
    done = secateur("--version")
    assert (done.code, done.text.split()[0], done.text.count("\n")) == (0, "secateur", 1)


def test_a_document_that_is_json_lines_of_another_kind_says_what_it_is_near(tmp_path: Path) -> None:
    path = saved(tmp_path, json.dumps({"messages": 3, "model": "x"}).encode(), "a.json")
    assert "closest is" in secateur("inspect", path).err


def test_long_texts_stay_within_80_columns(tmp_path: Path) -> None:
    asked = "please " * 100
    path = saved(tmp_path, chat(user(asked), *worked(LONG, LONG, LONG, LONG)), "request.json")
    for done in (secateur("inspect", path), secateur("prune", path, "--policy", "opencode", "-o", "/dev/null")):
        tables = [line for line in done.text.splitlines() if line.startswith(" ")]
        assert max(map(len, tables)) <= 80
        assert "…" in done.text


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        (["simulate", "x"], "--hour", "--cache-ttl 1h"),
        (["simulate", "x"], "--no-hour", "--cache-ttl 5m"),
        (["scan"], "--kappa", "--write-read-ratio"),
        (["simulate", "x"], "--no-compactions", "--ignore-host-compactions"),
        (["compact", "x"], "--if-due", "--if-needed"),
        (["gc"], "--forget-days", "--delete-sessions-after"),
        (["verify", "s"], "--head", "--expect-head"),
    ],
)
def test_a_renamed_option_is_refused_with_its_new_name(command: list[str], old: str, new: str) -> None:
    done = secateur(*command, old, "9")
    assert done.code == 2
    assert f"{old} was renamed: use {new}" in done.err
    assert new.split()[0] in secateur(command[0], "--help").text
    assert "was renamed" not in secateur("inspect", "x", old).err


@pytest.mark.parametrize(("said", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("2h", 7_200), ("1.5", 1.5)])
def test_an_idle_time_has_a_unit_or_is_in_seconds(tmp_path: Path, said: str, seconds: float) -> None:
    path = saved(tmp_path, pi_worked())
    assert secateur("prune", path, "--idle", said, "--json").json["idle_s"] == seconds
    assert "is not a time: write 90, 5m or 2h" in secateur("prune", path, "--idle", "soon").err
