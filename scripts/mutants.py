"""How many deliberately wrong programs the tests let through: a fixed sample of mutants, each run against its tests.

mutmut makes the mutants: one small change to one function each. The sample is fixed: the mutants whose names have the
smallest hashes, so that it changes only where the code does. One run of all tests on the program itself records which
of them reach which function. Each mutant is then run against those that reach it, the fastest first, up to half a
minute of processor time. Mutants that no test can tell from the program are listed in tests/equivalent_mutants.toml,
each with its change and the reason; they count as neither killed nor survived. Exits with 1 if more than one in ten of
the others survives.

    python scripts/mutants.py            the sample
    python scripts/mutants.py --names    only the names of the sample
    python scripts/mutants.py --tests tests/unit    with these tests, which are recorded faster than all of them
    python scripts/mutants.py --recorded --only "secateur.plan.*"    those, with the tests recorded by the run before
"""

import argparse
import hashlib
import os
import sys
import time
import tomllib
from collections.abc import Iterator
from difflib import unified_diff
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from mutant_tests import ROOT, WORK, Mutant, choose, control, load_tests, name_module, prepare, record_tests, run_all

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutants"]
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
SURVIVING = 0.10  # of the sample at most
EXCUSED = 20  # equivalent mutants at most


def main() -> int:
    """Run the sample and print what survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--names", action="store_true", help="print the names of the sample and stop")
    parser.add_argument("--only", default="*", help="those of the sample that match this pattern")
    parser.add_argument("--tests", nargs="+", default=SETTINGS["tests"], help="record these instead of all of them")
    parser.add_argument("--recorded", action="store_true", help="reuse what the run before recorded of the tests")
    given = parser.parse_args()
    began = time.monotonic()
    sample = [mutant for mutant in draw(given.sample) if fnmatch(mutant.name, given.only)]
    if given.names:
        print("\n".join(mutant.name for mutant in sample))
        return 0
    prepare()
    tests = load_tests() if given.recorded else record_tests(find_files(), given.tests)
    chosen = {mutant.name: choose(mutant, tests) for mutant in sample}
    control(chosen)
    survived = run_all(sample, chosen, given.jobs)
    return judge(sample, survived, (time.monotonic() - began) / 60)


def draw(size: int) -> list[Mutant]:
    """The mutants to run: those with the smallest hashes."""
    from mutmut.mutation.file_mutation import create_mutations

    found: list[tuple[bytes, str, Path, Any, Any]] = []
    for path in find_files():
        module, mutations, _, _ = create_mutations(str(path), path.read_text())
        for name, mutation in name_mutations(path, module, mutations):
            found.append((hashlib.sha256(name.encode()).digest(), name, path, module, mutation))
    found.sort(key=lambda one: one[0])
    return [make_mutant(name, path, module, mutation) for _, name, path, module, mutation in found[:size]]


def find_files() -> list[Path]:
    """The files that mutants are made of."""
    patterns = SETTINGS["modules"]
    return [path for path in sorted(Path("src").rglob("*.py")) if any(fnmatch(str(path), one) for one in patterns)]


def name_mutations(path: Path, module: Any, mutations: list[Any]) -> Iterator[tuple[str, Any]]:
    """Each mutation of a function or method, named after it and numbered."""
    names: dict[Any, str] = {}
    for outer in module.body:
        inner = outer.body.body if type(outer).__name__ == "ClassDef" else ()
        names |= {
            node: f"{outer.name.value}.{node.name.value}" for node in inner if type(node).__name__ == "FunctionDef"
        }
        names |= {outer: outer.name.value} if type(outer).__name__ == "FunctionDef" else {}
    counts: dict[Any, int] = {}
    for mutation in mutations:
        function = mutation.contained_by_top_level_function
        if function in names:
            counts[function] = counts.get(function, 0) + 1
            yield f"{name_module(path)}.{names[function]} {counts[function]}", mutation


def make_mutant(name: str, path: Path, module: Any, mutation: Any) -> Mutant:
    """The file with the mutation carried out."""
    code = module.deep_replace(mutation.original_node, mutation.mutated_node).code
    lines = unified_diff(module.code.splitlines(), code.splitlines(), lineterm="", n=0)
    change = "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    return Mutant(name, path, code, change)


def judge(sample: list[Mutant], survived: list[Mutant], minutes: float) -> int:
    """Print the result; the exit code."""
    excused = {one["name"]: one["change"].strip() for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])}
    counted = [one for one in survived if excused.get(one.name) != one.change.strip()]
    names = {one.name for one in survived}
    stale = [one.name for one in sample if one.name in excused and one.name not in names]
    for one in counted:
        print(f"\nsurvived: {one.name}\n{one.change}")
    for name in stale:
        print(f"\nlisted as equivalent, but killed: {name}")
    judged = len(sample) - len(survived) + len(counted)
    share = len(counted) / judged if judged else 0.0
    print(
        f"\n{len(sample)} mutants, {len(sample) - judged} equivalent, {len(sample) - len(survived)} killed, "
        f"{len(counted)} survived: {share:.1%} (at most {SURVIVING:.0%}), {minutes:.0f} min"
    )
    return int(share > SURVIVING or len(excused) > EXCUSED or bool(stale))


if __name__ == "__main__":
    os.chdir(ROOT)
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
    WORK.mkdir(parents=True, exist_ok=True)
    sys.exit(main())
