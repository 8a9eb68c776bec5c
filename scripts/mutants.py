"""How many deliberately wrong programs the tests let through: a fixed sample of mutants, each run against its tests.

mutmut makes the mutants (one small change to one function each) and runs those tests that reach the function. The
sample is fixed: the mutants whose names have the smallest hashes, so that it changes only where the code does. Mutants
that no test can tell from the program are listed in tests/equivalent_mutants.toml, each with its change and the reason;
they count as neither killed nor survived. Exits with 1 if more than one in ten of the others survives.

    python scripts/mutants.py            the sample
    python scripts/mutants.py --names    only the names of the sample
    python scripts/mutants.py --jobs 1 --sample 20
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
SURVIVING = 0.10  # of the sample at most
EXCUSED = 20  # equivalent mutants at most
KILLED = {1, 3, 24, 36, 152, 255, -9, -11, -24}  # what mutmut records for failed tests, crashes and timeouts


class Result(NamedTuple):
    """What became of a mutant."""

    name: str
    killed: bool
    change: str


def main() -> int:
    """Run the sample and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--names", action="store_true", help="print the names of the sample and stop")
    parser.add_argument("--only", default="*", help="those of the sample that match this pattern")
    given = parser.parse_args()
    names = [name for name in sample(given.sample) if fnmatch(name, given.only)]
    if given.names:
        print("\n".join(names))
        return 0
    began = time.monotonic()
    run(names, given.jobs)
    found = [result(name) for name in names]
    return judged(found, (time.monotonic() - began) / 60)


def sample(size: int) -> list[str]:
    """The names of the mutants to run: those with the smallest hashes."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    names = []
    for path in sorted(Path("src").rglob("*.py")):
        if any(fnmatch(str(path), pattern) for pattern in SETTINGS["only_mutate"]):
            made = mutate_file_contents(str(path), path.read_text()).mutant_names
            names += [f"{module_of(path)}.{name}" for name in made]
    return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:size]


def module_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def run(names: list[str], jobs: int) -> None:
    """Let mutmut run these mutants; its progress goes to a file."""
    log = ROOT / "build" / "mutants.txt"
    log.parent.mkdir(exist_ok=True)
    print(f"{len(names)} mutants, {jobs} at once; progress is in {log.relative_to(ROOT)}", flush=True)
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    environment.pop("SECATEUR_CORPUS", None)  # each mutant must fall without recorded sessions
    with log.open("w") as file:
        argv = [sys.executable, "-m", "mutmut", "run", *names, "--max-children", str(jobs)]
        done = subprocess.run(argv, stdout=file, stderr=subprocess.STDOUT, check=False, env=environment)
    if done.returncode:
        tail = "\n".join(line for line in log.read_text().splitlines() if "Running stats" not in line)[-4000:]
        sys.exit(f"{tail}\nmutmut stopped with {done.returncode}: the tests must pass on the program itself")


def result(name: str) -> Result:
    """What mutmut recorded of a mutant, and its change where it survived."""
    kept = json.loads(Path("mutants", f"{source_of(name)}.meta").read_text())
    killed = kept["exit_code_by_key"][name] in KILLED
    return Result(name, killed, "" if killed else change_of(name))


def source_of(name: str) -> Path:
    """The file that a mutant changes."""
    module = Path("src", *name.rpartition(".")[0].split("."))
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")


def change_of(name: str) -> str:
    """The changed lines of a mutant."""
    argv = [sys.executable, "-m", "mutmut", "show", name]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    return "\n".join(line for line in shown if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def judged(found: list[Result], minutes: float) -> int:
    """Print the result; the exit code."""
    excused = {one["name"]: one["change"].strip() for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])}
    survived = [one for one in found if not one.killed and excused.get(one.name) != one.change.strip()]
    stale = [one.name for one in found if one.killed and one.name in excused]
    counted = len(found) - sum(not one.killed for one in found) + len(survived)
    for one in survived:
        print(f"\nsurvived: {one.name}\n{one.change}")
    for name in stale:
        print(f"\nlisted as equivalent, but killed: {name}")
    share = len(survived) / counted if counted else 0.0
    print(
        f"\n{len(found)} mutants, {len(found) - counted} equivalent, {counted - len(survived)} killed, "
        f"{len(survived)} survived: {share:.1%} (at most {SURVIVING:.0%}), {minutes:.0f} min"
    )
    return int(share > SURVIVING or len(excused) > EXCUSED or bool(stale))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
