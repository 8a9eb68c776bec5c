"""The house stands as CONTRIBUTING.md draws it: who may import whom, how long a file may be, what an import loads.

The drawing is read, not repeated here, so it cannot lie. Rooms of one floor do not know each other; files of one room
may, without going in circles.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "secateur"
FILES = sorted(SOURCE.rglob("*.py"))
MAX_LINES, MIN_LINES, MAX_STATEMENTS = 300, 60, 40
WITH_SMALL_FILES = {"hosts", "strategies", "summarizers"}  # one small plug-in per file
SMALL = {"secateur.policy.advice", "secateur.proxy.quota"}  # files that may still be merged
SURFACE = 25  # `secateur` itself hands out what floors up to the engine make; only what stands above may import it
TOP = 32  # `python -m secateur`
UNSAID = {"utils", "util", "helpers", "common", "base", "core", "manager"}


def drawn() -> dict[str, int]:
    """Room → floor, from the drawing."""
    drawing = re.search(r"^```floors\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
    assert drawing, "CONTRIBUTING.md has no ```floors drawing"
    floors: dict[str, int] = {"": SURFACE, "__main__": TOP}
    for line in drawing[1].splitlines():
        floor, *rooms = line.split()
        floors |= {room.rstrip("/"): int(floor) for room in rooms}
    return floors


FLOORS = drawn()


def module(file: Path) -> str:
    """`secateur.formats.pi` for src/secateur/formats/pi.py."""
    dotted = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


MODULES = {module(file): file for file in FILES}


def room(name: str) -> str:
    """The first name below the package: a file or a folder; "" for the package itself."""
    return name.removeprefix("secateur").lstrip(".").split(".")[0]


def imported(name: str) -> Iterator[str]:
    """Modules of this package that a module imports, wherever in the file: a late import hides no circle."""
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(MODULES[name].read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "secateur")
        elif isinstance(node, ast.ImportFrom):
            yield from _from(node, package)


def _from(node: ast.ImportFrom, package: str) -> Iterator[str]:
    target = node.module or ""
    if node.level:
        above = package.rsplit(".", node.level - 1)[0]
        target = f"{above}.{target}".rstrip(".")
    if target.split(".")[0] == "secateur":
        for alias in node.names:
            yield inner if (inner := f"{target}.{alias.name}") in MODULES else target


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, nested ones too."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def statements(function: ast.AST) -> int:
    """How many statements a function has, nested ones counted, its docstring not."""
    return sum(
        isinstance(node, ast.stmt) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(function)
    )


def test_a_module_imports_only_from_floors_below() -> None:
    wrong = [
        f"{name} is on floor {FLOORS[room(name)]} and imports {target} of floor {FLOORS[room(target)]}"
        for name in MODULES
        for target in imported(name)
        if room(target) != room(name) and FLOORS[room(target)] >= FLOORS[room(name)]
    ]
    assert not wrong


def test_every_room_is_drawn_and_every_drawn_room_stands() -> None:
    assert {room(name) for name in MODULES} == set(FLOORS)


def test_no_import_goes_in_circles() -> None:
    graph = {name: set(imported(name)) - {name} for name in MODULES}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(f"imports go in a circle: {' → '.join(circle.args[1])}")


def test_a_file_says_what_it_is_for_and_stays_short() -> None:
    texts = {str(file.relative_to(SOURCE)): file.read_text() for file in FILES}
    assert {name: lines for name, text in texts.items() if (lines := len(text.splitlines())) > MAX_LINES} == {}
    assert [name for name, text in texts.items() if text and not ast.get_docstring(ast.parse(text))] == []
    assert [file for file in FILES if file.stem in UNSAID] == [], "such a name does not say what the file is for"


def test_a_small_file_has_importers_outside_its_folder_or_several() -> None:
    """A file under 60 lines that one neighbor imports belongs in that neighbor. `__init__` files name a folder."""
    importers: dict[str, set[str]] = {name: set() for name in MODULES}
    for name in MODULES:
        for target in imported(name):
            if target in importers and target != name:
                importers[target].add(name)
    fragments = [
        name
        for name, file in MODULES.items()
        if room(name) not in WITH_SMALL_FILES and name not in SMALL and file.name != "__init__.py"
        if len(file.read_text().splitlines()) < MIN_LINES and len(importers[name]) == 1
        if all(MODULES[one].parent == file.parent for one in importers[name])
    ]
    assert not fragments


def test_no_function_is_long() -> None:
    long = [(module(f), d.name, n) for f in FILES for d in functions(f) if (n := statements(d) - 1) > MAX_STATEMENTS]
    assert not long


def test_importing_the_package_loads_msgspec_and_the_standard_library_only() -> None:
    code = (
        "import sys; old = set(sys.modules); import secateur, json; print(json.dumps(sorted(set(sys.modules) - old)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    taken_by_msgspec = {"typing_extensions"}  # where it is installed
    assert loaded - sys.stdlib_module_names - {"secateur", "msgspec"} - taken_by_msgspec == set()


def test_a_request_without_summaries_loads_nothing_that_writes_them() -> None:
    code = (
        "import sys, secateur, json; body = {'messages': [{'role': 'user', 'content': 'go on'}]};"
        "secateur.Engine('digests').fit(body); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    writers = ("accept", "compact", "judge", "ledger", "shorten", "summary")
    late = {"secateur.redact.detection", *(f"secateur.compaction.{name}" for name in writers)}
    assert not late.intersection(json.loads(done.stdout))


def test_a_summary_without_a_model_loads_nothing_that_judges_one() -> None:
    code = (
        "import sys, secateur, json; long = 'a line of the output\\n' * 9_000;"
        "body = [{'role': 'user', 'content': 'Do not push. Look.'}, {'role': 'assistant', 'content': long},"
        " {'role': 'user', 'content': 'Once more.'}, {'role': 'assistant', 'content': long},"
        " {'role': 'user', 'content': 'Thanks.'}];"
        "view = secateur.Engine('balance', window=30_000).compact({'messages': body}, now_ms=0);"
        "print(json.dumps([view.compaction.rung, *sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rung, *loaded = json.loads(done.stdout)
    assert rung == "extract"
    assert not [name for name in loaded if name.startswith(("secateur.compaction.judge", "secateur.compaction.accept"))]
