"""Tests run on copies of the sources: which of them reach which function, and which mutants they let through.

Each run is a process of its own, forked from one that has loaded the packages the tests need, but nothing of the
program. The sources come from a copy under build/mutants; the tests and the rest of the tree are the real ones.
"""

import ast
import atexit
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "mutants"
BUDGET_S = 30.0  # of the tests of one mutant; what outlives them has survived
SLACK = 30  # a mutant may take so many times as long as its tests take on the program: then it hangs
FEW = 25  # tests of a mutant that are run first: they end most of them
PRELOADED = ("pytest", "hypothesis", "pydantic", "anthropic", "openai", "google.genai")
UNTOUCHED = "ignore::pytest.PytestAssertRewriteWarning"
PYTEST = (
    "-q",
    "-p",
    "no:cacheprovider",
    "--hypothesis-seed=0",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
)
MARKS = "secateur.reached_marks"  # a module in the copy that is recorded: the functions reached so far


class Mutant(NamedTuple):
    """One wrong program."""

    name: str  # the function, and which change of it this is
    path: Path  # the file that it changes
    code: str  # the file with the change
    change: str  # the changed lines

    @property
    def function(self) -> str:
        """The dotted name of the function that it changes."""
        return self.name.partition(" ")[0]


class Test(NamedTuple):
    """What one test does on the program itself."""

    name: str
    seconds: float  # of processor time
    reached: frozenset[str]


def name_module(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def prepare() -> None:
    """Load what every test needs but the program itself, so that forked processes have it."""
    shutil.rmtree(WORK / "hypothesis", ignore_errors=True)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(WORK / "hypothesis")
    os.environ.pop("SECATEUR_CORPUS", None)  # each mutant must fall without recorded sessions
    for name in PRELOADED:
        import_module(name)


def copy_sources(name: str) -> Path:
    """A copy of the sources that may be changed."""
    tree = WORK / name
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree("src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    return tree


def record_tests(paths: list[Path], selection: list[str]) -> list[Test]:
    """Run all tests on the program itself: which functions of these files each reaches, and how long it takes."""
    tree, kept = copy_sources("recorded"), WORK / "tests.json"
    (tree / "src" / "secateur" / "reached_marks.py").write_text("names: set[str] = set()\n")
    for path in paths:
        (tree / path).write_text(mark_functions(path))
    print(f"{len(paths)} files: recording the tests that reach their functions in {kept.relative_to(ROOT)}", flush=True)
    process = start(tree, selection, Recorder(kept), "recorded.txt")
    process.join()
    if process.exitcode not in (0, 1):
        stop_if_failed(process.exitcode, "recorded.txt")
    return load_tests()


def load_tests() -> list[Test]:
    """What was recorded of the tests."""
    return [
        Test(name, seconds, frozenset(reached))
        for name, seconds, reached in json.loads((WORK / "tests.json").read_text())
    ]


def mark_functions(path: Path) -> str:
    """A file whose functions say that they were reached."""
    lines = path.read_text().splitlines()
    places: list[tuple[int, int, str]] = []
    for outer in ast.parse(path.read_text()).body:
        for node, name in named_functions(outer):
            first = node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
            line = min(one.lineno for one in (first, *getattr(first, "decorator_list", ())))
            places.append((line - 1, first.col_offset, f"{name_module(path)}.{name}"))
    for line, indent, function in sorted(places, reverse=True):
        lines.insert(line, f"{' ' * indent}__import__({MARKS!r}).reached_marks.names.add({function!r})")
    return "\n".join(lines) + "\n"


def named_functions(outer: ast.stmt) -> Iterator[tuple[Any, str]]:
    """The functions and methods of a statement, with their names."""
    if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
        yield outer, outer.name
    for node in outer.body if isinstance(outer, ast.ClassDef) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, f"{outer.name}.{node.name}"  # type: ignore[attr-defined]


class Recorder:
    """A plugin of the test runner that records what each test reaches. Tests that fail are left out."""

    options = ()

    def __init__(self, file: Path) -> None:
        self.file = file
        self.found: dict[str, list[Any]] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        import_module(MARKS).names.clear()
        self.found[nodeid] = [nodeid, time.process_time(), ()]

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        seconds = time.process_time() - self.found[nodeid][1]
        self.found[nodeid] = [nodeid, seconds, sorted(import_module(MARKS).names)]

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:  # where a test looks at the sources themselves, the marks may be in its way
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.file.write_text(json.dumps([one for name, one in self.found.items() if name not in self.failed]))


class Selector:
    """A plugin of the test runner that leaves some tests, in an order, and stops at the first that fails."""

    options = ("-x",)

    def __init__(self, names: list[str]) -> None:
        self.order = {name: number for number, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])


def choose(mutant: Mutant, tests: list[Test]) -> list[Test]:
    """The tests of a mutant: those that reach its function, the fastest first, as many as the budget allows."""
    chosen, spent = [], 0.0
    for test in sorted((one for one in tests if mutant.function in one.reached), key=lambda one: one.seconds):
        spent += test.seconds
        if spent > BUDGET_S:
            break
        chosen.append(test)
    return chosen


def control(chosen: dict[str, list[Test]]) -> None:
    """Run the first tests of all mutants on the program itself: they must pass, or failures would mean nothing."""
    names = list(dict.fromkeys(test.name for tests in chosen.values() for test in tests[:2]))
    process = start(copy_sources("control"), name_files(names), Selector(names), "control.txt")
    process.join()
    stop_if_failed(process.exitcode, "control.txt")


def stop_if_failed(code: int | None, log: str) -> None:
    if code:
        tail = (WORK / log).read_text()[-4000:]
        sys.exit(f"{tail}\nthe test runner stopped with {code}: the tests must pass on the program itself")


def name_files(tests: list[str]) -> list[str]:
    """The files of tests."""
    return list(dict.fromkeys(name.partition("::")[0] for name in tests))


def run_all(sample: list[Mutant], chosen: dict[str, list[Test]], jobs: int) -> list[Mutant]:
    """Run the mutants, so many at once: first against a few tests each, then the rest. Returns those that survived."""
    trees = [copy_sources(f"copy{number}") for number in range(jobs)]
    waiting = [(mutant, chosen[mutant.name][FEW:]) for mutant in sample if chosen[mutant.name][FEW:]]
    waiting += [(mutant, chosen[mutant.name][:FEW]) for mutant in sample if chosen[mutant.name]]
    running: dict[Any, tuple[Mutant, Path, float]] = {}
    killed: set[str] = set()
    while waiting or running:
        while waiting and trees:
            mutant, tests = waiting.pop()
            if mutant.name not in killed:
                tree, names = trees.pop(), [test.name for test in tests]
                write_source(tree, mutant.path, mutant.code)
                process = start(tree, name_files(names), Selector(names), f"{tree.name}.txt")
                limit = time.monotonic() + 60 + SLACK * sum(test.seconds for test in tests)
                running[process] = (mutant, tree, limit)
        for process in [one for one in running if is_over(one, running[one][2])]:
            mutant, tree, _ = running.pop(process)
            killed |= {mutant.name} if process.exitcode else set()
            print(f"{'killed' if process.exitcode else 'passed'} {mutant.name}", flush=True)
            write_source(tree, mutant.path, mutant.path.read_text())
            trees.append(tree)
        wait([one.sentinel for one in running], timeout=1)
    return [mutant for mutant in sample if mutant.name not in killed]


def write_source(tree: Path, path: Path, code: str) -> None:
    """Change a file of a copy; what was compiled of it goes, for its time stamp may be the same."""
    (tree / path).write_text(code)
    for compiled in (tree / path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def is_over(process: Any, limit: float) -> bool:
    """Whether a run has ended; one that hangs is stopped."""
    if process.is_alive() and time.monotonic() > limit:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    return not process.is_alive()


def start(tree: Path, files: list[str], plugin: Recorder | Selector, log: str) -> Any:
    """Run tests on a copy of the sources in a process of its own."""
    process = get_context("fork").Process(target=run_tests, args=(tree, files, plugin, log))
    process.start()
    return process


def run_tests(tree: Path, files: list[str], plugin: Recorder | Selector, log: str) -> None:
    """Run tests on a copy of the sources; the exit status is that of the test runner."""
    import pytest

    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # a mutant may collect without end
    sources = str((tree / "src").resolve())
    os.environ["PYTHONPATH"] = sources
    sys.path.insert(0, sources)
    descriptor = os.open(WORK / log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    code = pytest.main([*PYTEST, *plugin.options, *files], plugins=[plugin])
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)
