"""The files for services start the proxy that there is: their syntax, and each option they give it."""

import configparser
import json
import plistlib
import shlex
from pathlib import Path

import pytest

from secateur.cli.serve import command

DEPLOY = Path(__file__).parents[3] / "deploy"


def read_container() -> list[str]:
    """The command of the container."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    steps = dict(line.split(" ", 1) for line in lines)
    assert steps["FROM"].startswith("python:")
    assert steps["USER"] != "root"
    check = json.loads(steps["HEALTHCHECK"].partition(" CMD ")[2])
    compile(check[-1], "HEALTHCHECK", "exec")
    assert "/healthz" in check[-1]
    return [*json.loads(steps["ENTRYPOINT"]), *json.loads(steps["CMD"])]


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


@pytest.mark.parametrize("read", [read_container, read_systemd, read_launchd])
def test_the_proxy_takes_the_options_of_the_file(read: object) -> None:
    assert callable(read)
    program, name, *options = read()
    assert (Path(program).name, name) == ("secateur", "serve")
    context = command.make_context("serve", options)
    assert context.params["mode"] == "prune"
    assert context.params["log"] is True
