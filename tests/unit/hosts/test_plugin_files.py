"""Plugins as they are written: complete JavaScript that asks the bridge, and goes on by itself where there is none."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from secateur.hosts.host import InstallableHost, InstallOptions
from secateur.hosts.opencode_plugin import HOST as OPENCODE
from secateur.hosts.opencode_plugin import KILO
from secateur.hosts.pi_plugin import HOST as PI
from secateur.hosts.plugin_files import build_plugin

NODE = shutil.which("node")
OPTIONS = InstallOptions(home=Path("/home/u"), environment={}, command=("python", "-m", "secateur"))
ASKS = """
let trouble = "";
const bridge = openBridge(COMMAND, "pi", { onTrouble: (why) => (trouble = why), onAsk: async () => ({ text: "x" }) });
const made = [await bridge.ask("hello", {}), await bridge.ask("nonsense", {}), await bridge.ask("fit", {}, 3000)];
console.log(JSON.stringify({ made: made.map((one) => one ?? null), trouble }));
bridge.close();
"""


@pytest.mark.parametrize("host", [PI, OPENCODE, KILO], ids=lambda host: host.name)
def test_a_plugin_is_whole_and_names_its_bridge(host: InstallableHost, tmp_path: Path) -> None:
    (change,) = host.plan(OPTIONS)
    text = change.render(None).decode()
    assert json.dumps(["python", "-m", "secateur", "bridge", host.name])[:-1] in text
    assert text.count("export ") == 1  # opencode calls each function that a plugin exports
    if NODE:
        path = tmp_path / "plugin.mjs"
        path.write_text(text)
        checked = subprocess.run([NODE, "--check", str(path)], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr


def test_where_a_host_keeps_plugins_elsewhere_they_are_written_there() -> None:
    moved = InstallOptions(
        home=Path("/home/u"),
        environment={"PI_CODING_AGENT_DIR": "/pi", "XDG_CONFIG_HOME": "/config"},
        command=("secateur",),
    )
    assert [host.plan(moved)[0].path for host in (PI, OPENCODE, KILO)] == [
        "/pi/extensions/secateur.js",
        "/config/opencode/plugin/secateur.js",
        "/config/kilo/plugin/secateur.js",
    ]


@pytest.mark.skipif(NODE is None, reason="there is no node")
@pytest.mark.parametrize(
    ("command", "results", "trouble"),
    [
        (("/nowhere/secateur",), [None, None, None], "cannot be started"),
        ((sys.executable, "-c", "print('noise')"), [None, None, None], "the bridge ended with code 0"),
        (
            (sys.executable, "-m", "secateur", "bridge", "pi", "--store", "memory://"),
            ["balance", None, None],
            "`fit` needs `messages`",
        ),
    ],
    ids=["missing", "noise", "real"],
)
def test_a_plugin_goes_on_whatever_the_bridge_does(
    command: tuple[str, ...], results: list[str | None], trouble: str, tmp_path: Path
) -> None:
    plugin = build_plugin("pi.js", {"COMMAND": command, "CANCELS": False})
    path = tmp_path / "asks.mjs"
    path.write_text(plugin.partition("const COMPACTION_MS")[0] + ASKS)
    assert NODE
    ran = subprocess.run([NODE, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert [one and one["policy"] for one in told["made"]] == results
    assert trouble in told["trouble"]
