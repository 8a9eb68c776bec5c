"""The tools of the recorded sessions: real commands in a throw-away copy of this repository.

Rule: what a tool returns is what the command printed, with the paths of the recording machine replaced by those of a
made-up one. Only committed files are in the copy, and what a tool changes stays there. It does not know how any agent
writes its sessions down.
"""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

HOME = "/home/dev/secateur"  # where the recorded agent believes to work
_TIMEOUT_S = 120.0


@dataclass
class Call:
    """One call of a tool. `verb` is read, search, list, run, edit, view or skill; formats have names of their own."""

    verb: str
    args: dict[str, str]
    n: int = 0  # how many calls came before
    text: str = ""
    code: int = 0  # exit status
    wall_s: float = 0.0
    image: bytes = b""

    @property
    def shell(self) -> str:
        """The shell command behind the call."""
        match self.verb:
            case "read":
                return f"cat {self.args['path']}"
            case "search":
                return f"grep -rn --include='*.py' -e '{self.args['pattern']}' {self.args['path']}"
            case "list":
                return f"ls -1p {self.args['path']}"
            case "skill":
                return f"cat {self.args['file']}"
            case _:
                return self.args.get("command", "")


@dataclass
class Step:
    """One answer of the agent: what it says, and what it calls, side by side."""

    says: str
    calls: list[Call] = field(default_factory=list)


@dataclass
class Turn:
    """What the user asks, and what the agent does about it. The last step calls nothing."""

    asks: str
    steps: list[Step]
    pause_s: int = 40  # since the answer before
    image: bytes = b""  # shown by the user


class Workspace:
    """A copy of the repository in which commands may do as they like."""

    def __init__(self, repository: Path, scratch: Path) -> None:
        self.path = scratch / "secateur"
        self.calls = 0
        source = ["git", "clone", "--quiet", "--no-hardlinks", str(repository), str(self.path)]
        subprocess.run(source, check=True, capture_output=True)

    def files(self, folder: str, chars: int, suffix: str = ".py") -> list[str]:
        """Paths below a folder, in order, until their sizes reach `chars`."""
        found: list[str] = []
        for path in sorted((self.path / folder).rglob(f"*{suffix}")):
            if chars > 0 and path.stat().st_size > 200:
                found.append(str(path.relative_to(self.path)))
                chars -= path.stat().st_size
        return found

    def do(self, verb: str, **args: str) -> Call:
        """Carry out a call and note what came back."""
        call = Call(verb, args, self.calls)
        self.calls += 1
        started = time.perf_counter()
        if verb == "edit":
            path = self.path / args["path"]
            path.write_text(path.read_text().replace(args["old"], args["new"], 1))
            self._run(call, f"git diff --stat -- {args['path']}")
        elif verb == "view":
            call.image = (self.path / args["path"]).read_bytes()
            self._run(call, f"wc -c {args['path']}")
        else:
            self._run(call, call.shell)
        call.wall_s = time.perf_counter() - started
        return call

    def _run(self, call: Call, shell: str) -> None:
        search = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        quiet = {"PYTHONPATH": "src", "PATH": search, "NO_COLOR": "1", "COLUMNS": "120", "GIT_PAGER": "cat"}
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=self.path,
            env={**os.environ, **quiet},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_S,
            check=False,
        )
        call.text, call.code = self._scrubbed(done.stdout.decode("utf-8", "replace")), done.returncode

    def _scrubbed(self, text: str) -> str:
        """Without colors, and without a trace of the machine that recorded."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
        for path, shown in (
            (str(self.path), HOME),
            (str(self.path.parent), "/tmp"),
            (sys.prefix, f"{HOME}/.venv"),
            (sys.base_prefix, "/usr"),
            (str(Path.home()), "/home/dev"),
        ):
            text = text.replace(path, shown)
        return text
