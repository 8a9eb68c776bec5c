"""The AI SDK with the middleware that `secateur install` writes: `make aisdk` puts three majors of it into .clients.

Sixteen calls, two at a time, then the model reads back what was removed: by the program of the docs page, and streamed.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli_runs import secateur_in
from clients.agents import CLIENTS, ROOT
from model_server import Call, Script, ScriptedModel, Step
from secateur.api import check
from secateur.lineage import handle_of
from upstream import upstream

MODULES = CLIENTS / "ai-sdk" / "node_modules"
HERE = Path(__file__).parent / "ai-sdk"
PAGE = ROOT / "docs" / "how-to" / "use-ai-sdk.md"
CALLS, AT_ONCE, KEPT, LINES = 16, 2, 3, 600
POLICY = f"""
name = "short"
prune = [{{ type = "hard_clear" }}]
schedule = {{ type = "every_request" }}
protect = {{ last_results = {KEPT} }}
"""
COMPACTS = """
name = "short"
prune = []
[compaction]
keep_tokens = 4000
"""
MAJORS = {"7": ("ai", "@ai-sdk/anthropic"), "6": ("ai6", "anthropic6"), "5": ("ai5", "anthropic5")}

pytestmark = pytest.mark.skipif(
    not MODULES.exists() or shutil.which("node") is None, reason="the AI SDK is not installed: make aisdk"
)


def make_result(number: int) -> str:
    return "\n".join((f"note {number:02d}", *map(str, range(10_000 * number, 10_000 * number + LINES + 1)))) + "\n"


COMMANDS = [f"echo note {n:02d}; seq {10_000 * n} {10_000 * n + LINES}" for n in range(CALLS)]
BACK = Call("recall", {"handle": handle_of(make_result(0))})
STEPS = (
    *(
        Step("Reading.", thinking=f"Thoughts on {n}.", calls=tuple(Call(command=one) for one in COMMANDS[n:][:AT_ONCE]))
        for n in range(0, CALLS, AT_ONCE)
    ),
    Step("Once more.", calls=(BACK,)),
    Step("All notes are read."),
)
ROUNDS = len(STEPS)


class Project:
    """A folder with a program, the modules of one major, and secateur."""

    def __init__(self, folder: Path, major: str, policy: str = POLICY) -> None:
        self.folder = folder / "project"
        (self.folder / "node_modules" / "@ai-sdk").mkdir(parents=True)
        (self.folder / "package.json").write_text('{"type": "module"}')
        (folder / "policy.toml").write_text(policy)
        ai, anthropic = MAJORS[major]
        for name, source in {"ai": ai, "@ai-sdk/anthropic": anthropic, "zod": "zod"}.items():
            (self.folder / "node_modules" / name).symlink_to(MODULES / source)
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "SECATEUR_STORE": f"sqlite:///{folder}/kept.db",
            "XDG_DATA_HOME": str(folder / "data"),
            "ANTHROPIC_API_KEY": "sk-ant-none",
        }
        self.secateur("install", "ai-sdk", "--policy", str(folder / "policy.toml"))

    def secateur(self, *arguments: str) -> Any:
        done = secateur_in(self.folder, self.environment, *arguments)
        assert done.code == 0, done
        return done.json if "--json" in arguments else done.text

    def play(self, program: str, *steps: Step) -> tuple[subprocess.CompletedProcess[str], list[Any]]:
        """Run a program against a provider that says these steps; what it was asked."""
        (self.folder / "program.mjs").write_text(program)
        with upstream(model := ScriptedModel(Script(steps or STEPS)), other=model) as server:
            done = subprocess.run(
                ["node", "program.mjs"],
                cwd=self.folder,
                env=self.environment | {"ANTHROPIC_BASE_URL": f"{server.url}/v1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=120,
                check=False,
                text=True,
            )
            assert done.returncode == 0, done
            self.answers = model.answers
            return done, [json.loads(body) for body in server.bodies]


def list_results(body: Any) -> list[str]:
    blocks = [block for message in body["messages"] for block in message["content"] if isinstance(block, dict)]
    found = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [one if isinstance(one, str) else one[0]["text"] for one in found]


def check_requests(bodies: list[Any]) -> None:
    """Requests are valid; results are cleared behind the newest ones, once and for good; the oldest is read back."""
    assert len(bodies) == ROUNDS
    assert not [one for body in bodies for one in check("anthropic", body["messages"], body) if one.severity == "error"]
    results = [list_results(body) for body in bodies]
    whole = [*map(make_result, range(CALLS))]
    assert results[0] == []
    assert results[-2][-KEPT:] == whole[-KEPT:]
    assert all("removed, " in text and len(text) < 200 for text in results[-2][:-KEPT])
    for earlier, later in zip(results[2:], results[3:], strict=False):
        assert later[: len(earlier) - KEPT] == earlier[:-KEPT]
    assert make_result(0)[:500] in results[-1][-1]


@pytest.mark.parametrize("major", MAJORS)
def test_the_program_of_the_page_is_pruned_and_reads_back(major: str, tmp_path: Path) -> None:
    project = Project(tmp_path, major)
    program = re.findall(r"^```js\n(.*?)^```$", PAGE.read_text(), re.M | re.S)[0]
    done, bodies = project.play(program)
    assert (done.stdout, done.stderr) == ("All notes are read.\n", "")
    check_requests(bodies)
    (host,) = project.secateur("doctor", "--json")["hosts"]
    assert (host["problems"], host["last"]["requests"], host["last"]["edited"] > CALLS / 4) == ([], ROUNDS, True)
    project.secateur("uninstall", "ai-sdk")
    assert sorted(os.listdir(project.folder)) == ["node_modules", "package.json", "program.mjs"]


@pytest.mark.parametrize("major", MAJORS)
def test_a_streamed_session_keeps_the_programs_objects_and_moves_the_clock(major: str, tmp_path: Path) -> None:
    project = Project(tmp_path, major)
    done, bodies = project.play((HERE / "session.mjs").read_text())
    assert done.stderr == ""
    check_requests(bodies)
    ended = json.loads(done.stdout)
    assert ended["text"] == "All notes are read."
    assert ended["outputs"][:CALLS] == [*map(make_result, range(CALLS))]
    blocks = [block for message in bodies[-1]["messages"] for block in message["content"]]
    assert sum(block["type"] == "thinking" for block in blocks) == ROUNDS - 2  # signed, and none is lost
    rounds = CALLS // AT_ONCE
    cleared = (CALLS - KEPT + AT_ONCE - 1) // AT_ONCE  # rounds with a result that is gone
    after = [False, False] * (rounds - cleared + 1)
    assert ended["edited"] == [False, *([False, True] * cleared), *after]  # user; then assistant and tool by turns
    (session,) = project.secateur("status", "--json")["sessions"]
    assert session["session"] == "notes"
    assert session["savings"]["requests"] == ROUNDS
    assert session["bill"]["usage"]["read"] == sum(answer.usage.read for answer in project.answers) > 0


@pytest.mark.parametrize("start", ['["/nowhere/secateur"]', '["sh", "-c", "sed -u 9q | $0 \\"$@\\"", '])
def test_without_the_bridge_requests_go_out_as_they_came(start: str, tmp_path: Path) -> None:
    """It is not there, or dies after three requests: the program goes on, and it is said once."""
    project = Project(tmp_path, "6")
    installed = project.folder / "secateur.mjs"
    text = installed.read_text()
    head = "const COMMAND = ["
    broken = re.sub(r"const COMMAND = \[.*\];", f"const COMMAND = {start};", text) if start.endswith("]") else ""
    installed.write_text(broken or text.replace(head, head[:-1] + start, 1))
    done, bodies = project.play((HERE / "session.mjs").read_text(), *STEPS[: CALLS // AT_ONCE], STEPS[-1])
    assert json.loads(done.stdout)["text"] == "All notes are read."
    assert done.stderr.count("requests go out as they came") == 1
    assert done.stderr.count("\n") == 1
    assert list_results(bodies[-1]) == [*map(make_result, range(CALLS))]


def test_every_kind_of_part_is_read_and_edited_in_its_own_shape(tmp_path: Path) -> None:
    project = Project(tmp_path, "7", POLICY.replace(f"last_results = {KEPT}", "last_results = 0"))
    done, _ = project.play((HERE / "shapes.mjs").read_text())
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["same"] == [True, True, True, False, True, True, True, True]
    assert (found["isMutated"], found["isApprovalSame"]) == (False, True)
    assert found["providerOptions"] == {"other": {"kept": True}}
    kinds = {part["toolCallId"]: part["output"]["type"] for part in found["tool"][:4]}
    assert kinds == {"text": "text", "json": "text", "error": "error-text", "content": "content"}
    outputs = [part["output"]["value"] for part in found["tool"][:4]]
    outputs[3] = outputs[3][0]["text"]
    assert all("removed" in text and len(text) < 200 for text in outputs)


def test_a_history_that_does_not_fit_is_summarized(tmp_path: Path) -> None:
    """The AI SDK compacts nothing by itself, so the bridge does."""
    project = Project(tmp_path, "6", COMPACTS)
    program = (HERE / "session.mjs").read_text().replace("secateur()", "secateur({ window: 12_000 })")
    done, bodies = project.play(program.replace(".repeat(2000)", ""), *STEPS[: CALLS // AT_ONCE], STEPS[-1])
    assert done.stderr == ""
    ended = json.loads(done.stdout)
    assert ended["outputs"] == [*map(make_result, range(CALLS))]
    assert not [one for body in bodies for one in check("anthropic", body["messages"], body) if one.severity == "error"]
    left = project.secateur("why", "notes", "--json")["removals"]
    (summary,) = {one["reason"].partition(":")[0] for one in left if one["strategy"] == "compact"}
    assert summary == "compaction (extract)"
    assert "## " in json.dumps(bodies[-1]["messages"][:3])  # its headings, before what stays
    assert list_results(bodies[-1])[-1] == make_result(CALLS - 1)
    assert len(list_results(bodies[-1])) < CALLS


def test_a_bridge_that_hangs_is_waited_for_once(tmp_path: Path) -> None:
    project = Project(tmp_path, "6")
    installed = project.folder / "secateur.mjs"
    text = re.sub(
        r"const COMMAND = \[.*\];", 'const COMMAND = ["sh", "-c", "cat > asked.jsonl"];', installed.read_text()
    )
    installed.write_text(text.replace("const TIMEOUT = 20000;", "const TIMEOUT = 1000;"))
    done, bodies = project.play((HERE / "session.mjs").read_text(), *STEPS[: CALLS // AT_ONCE], STEPS[-1])
    assert done.stderr == "secateur: the bridge did not answer fit within 1 s; requests go out as they came\n"
    assert list_results(bodies[-1]) == [*map(make_result, range(CALLS))]
    asked = [json.loads(line)["method"] for line in (project.folder / "asked.jsonl").read_text().splitlines()]
    assert asked == ["hello", "fit"]


@pytest.mark.parametrize("major", MAJORS)
def test_the_types_are_those_of_the_package(major: str, tmp_path: Path) -> None:
    project = Project(tmp_path, major)
    shutil.copy(HERE / "types.mts", project.folder)
    tsc = MODULES / "typescript" / "bin" / "tsc"
    options = ("--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022")
    done = subprocess.run(
        ["node", str(tsc), *options, "types.mts"], cwd=project.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
