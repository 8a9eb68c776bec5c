"""The peers' own packages, each in an environment of its own: build/peers/NAME.

    python benchmarks/peers/setup.py [NAME...]

Rule: versions are pinned here and nowhere else; what does not install is said and left out, never replaced. Of what
a peer asks for, certificates alone are taken in any version: nothing is ever fetched with them. The network is used
here alone: `benchmarks/policies.py` runs what it finds. Nothing of secateur is installed there.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "build" / "peers"

PINNED = {
    "langchain": ("langchain==1.5.0", "langchain-core==1.8.2"),
    "maf": ("agent-framework-core==1.23.0",),
    "pydantic": ("pydantic-ai-harness==0.62.0",),
    "litellm": ("litellm==1.109.1",),
    "strands": ("strands-agents==1.62.0",),
    "headroom": ("headroom-ai==0.42.0",),
    "distil": ("distil-llm==1.58.0",),
    "leantokens": ("leantokens==0.2.0",),
}
ANY_VERSION = "certifi"
NOTE = "installed.json"  # what pip said: {"ok", "versions", "why"}


def python_of(name: str, root: Path = ROOT) -> Path:
    """The interpreter of a peer's environment, there or not."""
    return root / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def note_of(name: str, root: Path = ROOT) -> dict[str, object]:
    """What came of the installation; {} where there was none."""
    file = root / name / NOTE
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


def install(name: str, root: Path = ROOT) -> dict[str, object]:
    """Make the environment anew and write down its result."""
    folder, pins = root / name, PINNED[name]
    venv.create(folder, with_pip=True, clear=True)
    why = _pip(python_of(name, root), "--no-deps", *pins)
    if not why:
        asked = subprocess.run(
            [python_of(name, root), "-c", _ASKED, ANY_VERSION, *pins], capture_output=True, text=True, check=True
        )
        more = asked.stdout.splitlines()
        why = _pip(python_of(name, root), *more) if more else ""
        why = why or _pip(python_of(name, root), "--no-deps", *pins)  # where another package asked for an older one
    note: dict[str, object] = {"ok": not why, "versions": pins, "why": why}
    (folder / NOTE).write_text(json.dumps(note), "utf-8")
    return note


def _pip(python: Path, *packages: str) -> str:
    """Why pip failed; "" if it did not."""
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines() or ["pip failed"]
    return next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])


# Runs in the peer's environment: what the pinned packages ask for, the pinned ones left out.
_ASKED = """
import sys
from importlib.metadata import requires
from pip._vendor.packaging.requirements import Requirement
free, pins = sys.argv[1], [one.split("==")[0] for one in sys.argv[2:]]
for pin in pins:
    for one in map(Requirement, requires(pin) or ()):
        if one.name not in pins and (one.marker is None or one.marker.evaluate({"extra": ""})):
            extras = "[" + ",".join(sorted(one.extras)) + "]" if one.extras else ""
            print(one.name + extras + ("" if one.name == free else str(one.specifier)))
"""


def main() -> int:
    """Install the named peers, or all; 1 if one of them did not install."""
    missing = 0
    for name in sys.argv[1:] or PINNED:
        note = install(name)
        missing += not note["ok"]
        print(f"{name}: {'installed' if note['ok'] else note['why']}", flush=True)
    return int(missing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
