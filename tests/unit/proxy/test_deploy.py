"""The files for services: their syntax, each option they give the proxy, and that it starts and ends as they expect."""

import configparser
import json
import plistlib
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from proxies import ask
from proxy_processes import serve_forked
from secateur.cli.serve import command

DEPLOY = Path(__file__).parents[3] / "deploy"


def read_container() -> list[str]:
    """The command of the container."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    steps = dict(line.split(" ", 1) for line in lines)
    assert steps["FROM"].startswith("python:")
    assert steps["USER"] != "root"
    assert "/healthz" in read_health_check()
    return [*json.loads(steps["ENTRYPOINT"]), *json.loads(steps["CMD"])]


def read_health_check() -> str:
    """The program by which the container asks how it is."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    line = next(line for line in lines if line.startswith("HEALTHCHECK "))
    return str(json.loads(line.partition(" CMD ")[2])[-1])


def read_systemd() -> list[str]:
    """The command of the unit."""
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string((DEPLOY / "secateur.service").read_text())
    assert unit["Service"]["KillSignal"] == "SIGTERM"
    assert int(unit["Service"]["TimeoutStopSec"]) > 30
    return shlex.split(unit["Service"]["ExecStart"])


def read_launchd() -> list[str]:
    """The command of the agent."""
    agent = plistlib.loads((DEPLOY / "secateur.plist").read_bytes())
    assert agent["ExitTimeOut"] > 30
    return list(agent["ProgramArguments"])


EACH = pytest.mark.parametrize("read", [read_container, read_systemd, read_launchd])
TOKEN = "a secret of this test"


@EACH
def test_the_proxy_takes_the_options_of_the_file(read: Callable[[], list[str]]) -> None:
    program, name, *options = read()
    assert (Path(program).name, name) == ("secateur", "serve")
    context = command.make_context("serve", options)
    assert context.params["mode"] == "prune"
    assert context.params["log"] is True


@pytest.mark.skipif(sys.platform == "win32", reason="no fork here")
@EACH
def test_the_proxy_starts_with_them_and_ends_when_it_is_told_to(
    read: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECATEUR_PROXY_TOKEN", TOKEN)
    options = [*read()[2:], "--port", "0", "--store", f"sqlite://{tmp_path / 'kept.db'}"]  # the last ones apply
    with serve_forked(*options) as running:
        port = running.address.rpartition(":")[2]
        assert ask(f"http://127.0.0.1:{port}", "/healthz", method="GET", x_secateur_token=TOKEN)[0] == 200
        if read is read_container:
            check = read_health_check().replace(":8787", f":{port}")
            subprocess.run([sys.executable, "-c", check], check=True, timeout=60)
        code, out, err = running.end()
    assert (code, out) == (0, "")
    assert [json.loads(line) for line in err.splitlines()] == []  # of what it logs there are requests alone


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "secateur.service").read_text()
    program = read_systemd()[0]
    for text, finds in ((unit, ""), (unit.replace("TimeoutStopSec", "TimeoutStopSecs"), "Unknown key")):
        path = tmp_path / "secateur.service"
        path.write_text(text.replace(program, shutil.which("true") or program))
        done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True, check=False)
        if "initialize manager" in done.stderr:
            pytest.skip("systemd-analyze cannot check units here")
        assert (finds in done.stderr) if finds else (done.returncode, done.stderr) == (0, "")


def test_the_container_installs_what_it_copies() -> None:
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    steps = dict(line.split(" ", 1) for line in lines)
    source, _, copied = steps["COPY"].partition(" ")
    assert source == "."
    assert f"pip install --no-cache-dir '{copied}[proxy]'" in steps["RUN"]
    seen = {line[1:] for line in (DEPLOY.parent / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert seen >= {"pyproject.toml", "src", project["readme"], *project["license-files"]}
