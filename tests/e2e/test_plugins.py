"""The example distribution in `examples/plugin`, built as a wheel and installed: one plugin of each kind, from the
command line and from the library."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plugin_distributions import write

ROOT = Path(__file__).parent.parent.parent
KINDS = ["formats", "strategies", "schedules", "presets", "rules", "stores", "summarizers", "counters", "commands"]
LONG = "found\n" + "\n" * 300 + "word " * 600
BODY = {
    "model": "claude-haiku-4-5",
    "max_tokens": 64,
    "messages": [
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "find", "input": {"for": "it"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": LONG}]},
        {"role": "assistant", "content": "It is found."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "You are welcome."},
        {"role": "user", "content": "Go on."},
    ],
}
DIALOG = {
    "agent": "claude-haiku-4-5",
    "dialog": [
        {"who": "human", "says": "Find it."},
        {"who": "agent", "calls": "find", "with": {"for": "it"}, "id": "a"},
        {"who": "tool", "id": "a", "says": LONG},
        {"who": "agent", "says": "It is found."},
        {"who": "ghost", "says": 3},
        {"who": "human", "says": "Thanks."},
        {"who": "agent", "says": "You are welcome."},
        {"who": "human", "says": "Go on."},
    ],
}
SQUEEZED = LONG.replace("\n" * 301, "\n\n")


class Done(NamedTuple):
    """What a run printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example distribution and its metadata, as pip leaves it, from a wheel built offline."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    argv = [sys.executable, "-c", build, str(folder)]
    done = subprocess.run(argv, cwd=ROOT / "examples" / "plugin", capture_output=True, text=True, check=True)
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def secateur(installed: Path, tmp_path: Path) -> Run:
    """Run the command line with the example distribution, in an empty folder."""

    def run(*args: Any, warnings: str = "error", **env: str) -> Done:
        more = {"HOME": str(tmp_path), "SECATEUR_STORE": "memory://", "PYTHONPATH": str(installed), "COLUMNS": "100"}
        argv = [sys.executable, "-W", warnings, "-m", "secateur", *map(str, args)]
        whole = {**os.environ, **more, **env}
        done = subprocess.run(argv, cwd=tmp_path, env=whole, capture_output=True, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def body(tmp_path: Path) -> Path:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(BODY))
    return path


@pytest.fixture
def dialog(tmp_path: Path) -> Path:
    path = tmp_path / "dialog.json"
    path.write_text(json.dumps(DIALOG))
    return path


def test_plugins_lists_one_of_each_kind(secateur: Run) -> None:
    done = secateur("plugins", "--json")
    assert (done.code, done.err) == (0, "")
    assert [row["kind"] for row in done.json["plugins"]] == KINDS == done.json["kinds"]
    assert {(row["distribution"], row["version"], row["status"]) for row in done.json["plugins"]} == {
        ("secateur-example", "0.1.0", "loaded")
    }
    shown = secateur("plugins").out
    assert all(row["name"] in shown for row in done.json["plugins"])
    every = secateur("plugins", "--all", "--json").json["plugins"]
    assert {"balance", "A11", "claude_code", "sqlite", "o200k", "prune", "extractive"} <= {row["name"] for row in every}


def test_a_document_of_the_format_is_recognized_and_pruned_under_the_preset(secateur: Run, dialog: Path) -> None:
    done = secateur("prune", dialog, "--policy", "tidy", "-o", "out.json", "--json")
    assert done.code == 0, done.err
    assert done.json["input"]["format"] == "dialog"
    assert [edit["strategy"] for edit in done.json["edits"]] == ["squeeze_blank_lines"]
    expected = json.loads(json.dumps(DIALOG))
    expected["dialog"][2]["says"] = SQUEEZED
    assert json.loads((dialog.parent / "out.json").read_text()) == expected
    assert secateur("inspect", dialog, "--format", "dialog", "--json").json["input"]["format"] == "dialog"
    assert secateur("inspect", dialog, "--format", "dialogue").code == 2


def test_a_policy_file_names_its_strategy_and_its_schedule(secateur: Run, body: Path) -> None:
    policy = body.parent / "own.toml"
    text = """
        protect = {{last_turns = 1}}
        prune = [{{type = "squeeze_blank_lines", min_chars = {}}}]
        schedule = {{type = "enough_freed", least_tokens = {}}}
    """
    policy.write_text(text.format(100, 10_000))
    waits = secateur("prune", body, "--policy", policy, "-o", "out.json", "--json").json
    assert "the policy waits for 10,000" in waits["skipped_reason"]
    policy.write_text(text.format(100, 10))
    acts = secateur("prune", body, "--policy", policy, "-o", "out.json", "--json").json
    assert [edit["strategy"] for edit in acts["edits"]] == ["squeeze_blank_lines"]
    policy.write_text(text.format(100_000, 10))
    assert secateur("prune", body, "--policy", policy, "-o", "out.json", "--json").json["edits"] == []
    policy.write_text(text.format('"few"', 10))
    refused = secateur("prune", body, "--policy", policy)
    assert refused.code == 2
    assert "min_chars" in refused.err


def test_the_preset_is_listed_and_simulated(secateur: Run, body: Path) -> None:
    assert "tidy" in [line["name"] for line in secateur("policies", "--json").json]
    shown = secateur("policies", "tidy")
    assert 'type = "squeeze_blank_lines"' in shown.out
    extended = body.parent / "mine.toml"
    extended.write_text('extends = "tidy"\n[schedule]\ntype = "every_request"\n')
    assert secateur("policies", extended).code == 0
    done = secateur("simulate", body, "--policy", "tidy", "--json")
    assert done.code == 0, done.err
    assert "tidy" in done.out


def test_check_and_repair_know_its_rule(secateur: Run, body: Path) -> None:
    found = secateur("check", body, "--json")
    assert found.code == 1
    assert [one["rule"] for one in found.json["violations"]] == ["EXAMPLE-1"]
    assert found.json["violations"][0]["where"] == "messages.2.content.0.content"
    done = secateur("repair", body, "-o", "repaired.json", "--json")
    assert (done.code, done.json["remaining"]) == (0, [])
    assert [one["rule"] for one in done.json["repairs"]] == ["EXAMPLE-1"]
    assert secateur("check", "repaired.json").code == 0
    assert secateur("check", body, SECATEUR_PLUGINS="off").code == 0


def test_its_store_keeps_sessions(secateur: Run, body: Path) -> None:
    kept = ("--store", "named://work")
    assert secateur("prune", body, "--policy", "tidy", "--session", "s", "-o", "out.json", *kept).code == 0
    assert [row["who"]["session"] for row in secateur("sessions", "--json", *kept).json["sessions"]] == ["s"]
    odd = secateur("sessions", "--store", "named://no/such")
    assert odd.code == 2
    assert "write named://NAME" in odd.err


def test_its_counter_counts(secateur: Run, body: Path) -> None:
    words = secateur("inspect", body, "--counter", "words", "--json").json
    assert words["counter"] == "words"
    assert secateur("inspect", body, "--counter", "wrds").code == 2
    assert "did you mean words" in secateur("inspect", body, "--counter", "wrds").err


def test_its_summarizer_writes_the_summary(secateur: Run, tmp_path: Path) -> None:
    turns = [{"role": role, "content": f"{what} {n}. " * 400} for n in range(12) for role, what in SPOKEN]
    path = tmp_path / "long.json"
    path.write_text(json.dumps({**BODY, "messages": [*turns, {"role": "user", "content": "Go on."}]}))
    done = secateur(
        "compact", path, "--summarizer", "verbatim:The questions were answered.", "-o", "out.json", "--json"
    )
    assert done.code == 0, done.err
    assert done.json["compaction"]["summarizer"].startswith("verbatim:")
    assert "The questions were answered." in (tmp_path / "out.json").read_text()


SPOKEN = (("user", "Question"), ("assistant", "Answer"))


def test_its_command_is_in_the_help_and_runs(secateur: Run, body: Path) -> None:
    shown = secateur("--help").out
    assert "Commands of plugins:" in shown
    assert "Count the user's turns of INPUT." in shown
    assert secateur("turns", body).out == "3 turns\n"
    assert secateur("turns", body, "--json").json["turns"] == 3
    assert secateur("turns", "missing.json").code == 2
    assert "did you mean turns" in secateur("turn", body).err


def test_a_shell_completes_its_names(secateur: Run) -> None:
    def completed(words: str, number: int) -> str:
        env = {"_SECATEUR_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}
        return secateur(**env).out

    assert "plain,turns" in completed("secateur tur", 1)
    assert "plain,dialog" in completed("secateur prune --format dia", 3)
    assert "plain,tidy" in completed("secateur prune --policy ti", 3)
    assert "plain,words" in completed("secateur prune --counter wo", 3)


def test_the_switch_disables_all(secateur: Run, dialog: Path) -> None:
    off = {"SECATEUR_PLUGINS": "off"}
    done = secateur("plugins", "--json", **off)
    assert (done.code, done.json["enabled"], done.json["plugins"]) == (0, False, [])
    assert "Plugins are disabled" in secateur("plugins", **off).out
    assert secateur("inspect", dialog, **off).code == 3
    assert secateur("turns", dialog, **off).code == 2
    assert secateur("prune", dialog, "--policy", "tidy", **off).code == 2


def test_broken_and_double_plugins_are_told_and_harm_nobody(
    secateur: Run, body: Path, tmp_path: Path, installed: Path
) -> None:
    site = tmp_path / "site"
    write(site, "torn", {"commands": {"lost": "no_such_module:command"}, "presets": {"gone": "no_such_package"}})
    write(site, "double", {"counters": {"words": "math:sqrt"}, "formats": {"pi": "math:pi"}})
    path = {"PYTHONPATH": f"{site}{os.pathsep}{installed}", "warnings": "default"}
    listed = secateur("plugins", "--json", **path)
    problems = {row["name"]: row["status"] for row in listed.json["plugins"] if row["status"] != "loaded"}
    assert listed.code == 1
    assert set(problems) == {"lost", "gone", "words", "pi"}
    assert "torn 1.0 cannot be used: ModuleNotFoundError" in problems["lost"]
    assert "secateur-example 0.1.0" in problems["words"]
    assert "double 1.0" in problems["words"]
    assert "'pi' is built in" in problems["pi"]
    for name in ("lost", "gone", "words"):
        argv = {
            "lost": ["lost"],
            "gone": ["prune", body, "--policy", "gone"],
            "words": ["inspect", body, "--counter", "words"],
        }
        done = secateur(*argv[name], **path)
        assert done.code == 2, name
        assert "Traceback" not in done.err
    assert "torn 1.0" in secateur("lost", **path).err
    fine = secateur("check", body, **path)
    assert fine.code == 1
    shown = secateur("--help", **path)
    assert (shown.code, "turns" in shown.out) == (0, True)
    assert "secateur: warning: the plugin 'lost' (secateur.commands) of torn 1.0" in shown.err
    assert "torn 1.0" in json.dumps(secateur("doctor", "--json", **path).json["advice"])


def test_the_example_passes_the_kits(installed: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(installed), "HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", "tests"]
    done = subprocess.run(argv, cwd=ROOT / "examples/plugin", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_library_uses_all_of_it(installed: Path, tmp_path: Path) -> None:
    code = """
import json, sys
from secateur import Engine, fit
from secateur.policy import load
dialog, body = (json.loads(text) for text in sys.argv[1:])
view = fit(dialog, policy="tidy", counter="words")
assert view.receipt.format == "dialog"
assert view.request["dialog"][2]["says"] != dialog["dialog"][2]["says"]
assert view.request["dialog"][4] is dialog["dialog"][4]
again = fit(view.request, policy="tidy", plan=view.plan)
assert again.request == view.request
policy = load({"extends": "tidy", "schedule": {"type": "enough_freed", "least_tokens": 1}})
assert len(fit(body, policy=policy).plan.epochs) == 1
mended = fit(body, policy="observe", repair=True)
assert "[cut for the gateway]" in mended.request["messages"][2]["content"][0]["content"]
with Engine(policy="tidy", store="named://library") as engine:
    assert engine.fit(body, session="s").session == "s"
"""
    env = {**os.environ, "PYTHONPATH": str(installed), "HOME": str(tmp_path)}
    argv = [sys.executable, "-W", "error", "-c", code, json.dumps(DIALOG), json.dumps(BODY)]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
