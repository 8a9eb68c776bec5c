"""Carry out the steps of `deploy/Containerfile` without a container engine: in a fresh folder, on this system's Python.

    python scripts/check_container.py [PYTHON]

PYTHON is an interpreter of the version that the file is based on (default: `python3.13`). The package is built from
this tree and installed with the extras that the file names, the command runs with its data in the folder, the health
check is asked until it is satisfied, and the stop signal must end the command with exit code 0. Not checked: the base
image itself, and the user that the file adds.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE_S = 120.0


def read_steps(text: str) -> dict[str, str]:
    """The instructions of a container file, each of which occurs once."""
    lines = [line.split(" ", 1) for line in text.splitlines() if line]
    assert len({name for name, _ in lines}) == len(lines), "an instruction occurs twice: this script reads one of each"
    return {name: rest for name, rest in lines}


def install(steps: dict[str, str], python: str, folder: Path) -> Path:
    """Install what the file installs, in an environment of its own; the folder of its programs."""
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    wanted = steps["FROM"].removeprefix("python:").removesuffix("-slim")
    assert version.startswith(f"{wanted}."), f"{python} is {version}, and the file is based on {wanted}: name another"
    found = re.search(r"pip install --no-cache-dir '(/\w+)(\[[a-z,]+\])'", steps["RUN"])
    assert found is not None, "the file does not install the package"
    assert steps["COPY"] == f". {found[1]}", "what is installed is not what was copied"
    copy_context(folder / "build")
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    programs = folder / "environment" / "bin"
    pip = [programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, folder / "build"], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", "--no-cache-dir", f"{wheel}{found[2]}"], check=True)
    return programs


def copy_context(to: Path) -> None:
    """Copy what `.dockerignore` lets the engine see of this tree."""
    to.mkdir()
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        source = ROOT / line.removeprefix("!")
        if line.startswith("!") and source.is_dir():
            shutil.copytree(source, to / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif line.startswith("!"):
            shutil.copy(source, to)


def find_port() -> int:
    """A port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def check(steps: dict[str, str], programs: Path, folder: Path) -> None:
    """Run the command, ask how it is, and stop it."""
    port = str(find_port())
    data = folder / "data"
    data.mkdir()
    command = [*json.loads(steps["ENTRYPOINT"]), *json.loads(steps["CMD"]), "--port", port]
    command = [str(programs / command[0]), *(one.replace(steps["VOLUME"], str(data)) for one in command[1:])]
    health = json.loads(steps["HEALTHCHECK"].partition(" CMD ")[2])
    health = [str(programs / health[0]), *(one.replace(steps["EXPOSE"], port) for one in health[1:])]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "SECATEUR_PROXY_TOKEN": "a secret of this check"}
    with subprocess.Popen(command, env=env) as process:
        try:
            until = time.monotonic() + PATIENCE_S
            while subprocess.run(health, env=env, capture_output=True, check=False).returncode:
                assert process.poll() is None, f"the command ended with exit code {process.returncode}"
                assert time.monotonic() < until, f"it was not well after {PATIENCE_S:g} seconds"
                time.sleep(0.2)
            process.send_signal(getattr(signal, steps["STOPSIGNAL"]))
            code = process.wait(PATIENCE_S)
        finally:
            process.kill()
    assert code == 0, f"after {steps['STOPSIGNAL']} it ended with exit code {code}"
    assert [*data.iterdir()], "nothing was written to the volume"


def main() -> int:
    """Check the file."""
    steps = read_steps((ROOT / "deploy" / "Containerfile").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = install(steps, sys.argv[1] if len(sys.argv) > 1 else "python3.13", folder)
        check(steps, programs, folder)
    print("installed, well, and stopped: the steps of deploy/Containerfile can be carried out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
