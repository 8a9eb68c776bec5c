"""Plugins in JavaScript, as they are written into hosts: one file each, with the command that starts the bridge.

Rule: the sources are package data and hold no path; what differs between machines is one constant at the top.
"""

import json
import subprocess
from importlib.resources import files
from typing import Any

from secateur.hosts.host import InstallOptions

_HEAD = "// Written by `secateur install`; `secateur uninstall` removes it."
_TIMEOUT_S = 30.0  # for the bridge to start and to answer
_GREETING = b'{"id":1,"method":"hello","params":{"host":"doctor","protocol":1}}\n'
_INITIALIZE = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "secateur doctor", "version": "1"},
            },
        }
    ).encode()
    + b"\n"
)


def make_bridge_command(options: InstallOptions, host: str, format: str, default_policy: str) -> tuple[str, ...]:
    """The command line with which a plugin starts its bridge."""
    asked = [word for each in options.summarizers for word in ("--summarizer", each)]
    policy = options.resolve_policy(default_policy)
    return (*options.command, "bridge", host, "--format", format, "--policy", policy, *asked)


def build_plugin(name: str, constants: dict[str, Any]) -> str:
    """The plugin's file: what plugins share, what differs between machines, and the plugin itself."""
    shared, own = read_source("bridge.js").replace("export function", "function"), read_source(name)
    stated = "".join(f"const {constant} = {json.dumps(value)};\n" for constant, value in constants.items())
    return f"{_HEAD}\n{shared}\n{stated}\n{own}"


def read_source(name: str) -> str:
    """A file of the plugins, as it is in the package."""
    return (files("secateur.hosts") / "plugins" / name).read_text("utf-8")


def find_bridge_problems(command: tuple[str, ...]) -> list[str]:
    """Start the bridge as the plugin does; why it does not answer, if so."""
    try:
        done = subprocess.run(command, input=_GREETING, capture_output=True, timeout=_TIMEOUT_S, check=False)
        answer = json.loads(done.stdout or b"{}")
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return [f"the bridge cannot be started ({error}): run `secateur install` again"]
    if "result" in answer:
        return []
    why = answer.get("error", {}).get("message") or done.stderr.decode("utf-8", "replace").strip() or "no answer"
    return [f"the bridge does not work: {why}; then run `secateur install` again"]


def find_failure(command: tuple[str, ...], given: bytes, seconds: float) -> str:
    """Run a command as a host does; what it says if it fails, "" if it does not."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=seconds, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return done.stderr.decode("utf-8", "replace").strip() if done.returncode else ""


def find_server_problems(command: tuple[str, ...]) -> list[str]:
    """Start `secateur mcp` as a host does; why it does not answer, if so."""
    try:
        done = subprocess.run(
            (*command, "mcp"), input=_INITIALIZE, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return [f"`secateur mcp` cannot be started ({error}): run `secateur install` again"]
    if b'"serverInfo"' in done.stdout:
        return []
    why = done.stderr.decode("utf-8", "replace").strip() or "no answer"
    return [f"`secateur mcp` does not work, so nothing can be read back: {why}"]
