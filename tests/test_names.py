"""Names are the field's own: verbs for functions, one class per public name, American spelling.

`tests/verbs.txt` lists the words with which a function may begin. Rules of an API are called through their registry and
never by name, so they are named after what they find.
"""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "secateur"
VERBS = frozenset((Path(__file__).parent / "verbs.txt").read_text().split())
PREDICATES = frozenset({"is", "has", "can", "needs", "should", "must", "may"})
COPIES = frozenset({"with", "without", "to", "from", "as"})
# Decorators whose functions are looked up, not called by name, or that make a value of a function.
NOT_CALLED = ("property", "cached_property", "classmethod", "rule", "override")
# Names that libraries call, names of the field, and what a format provides.
EXCEPTIONS = frozenset(
    [
        "connection_lost",
        "connection_made",
        "data_received",
        "on_headers_complete",
        "on_message_begin",
        "on_message_complete",
        "main",
        "main_loop",
        "command",
        "program",
        "shell_complete",
        "rule",
        "excerpt",
        "dumps",
        "loads",
        "value",
        "values",
        "child",
        "at",
        "line",
        "replacement_body",
        "new_message",
        "host_entry",
        "speaks",
        "waits",
        "oldest",
        "sent",
        "removed",
        "status",
        "stale_since",
    ]
)
MOST_EXCEPTIONS = 30
KITS = "testing/"  # what a subclass of a kit provides is named after its value
ROOMS_TO_COME: tuple[str, ...] = ()

BRITISH = re.compile(
    r"summaris|recognis|normalis|serialis|organis|initialis|optimis|minimis|maximis|prioritis|customis|sanitis"
    r"|tokenis|categoris|behaviour|colour|favour|honour|greyscale|catalogue|modelled|labelled|travelled",
    re.IGNORECASE,
)
# Prompts that a model reads, text that is matched as it was recorded, and the licenses of others.
SPELLED_BY_OTHERS = frozenset({"src/secateur/compaction/ask.py", "tests/test_names.py"})
FOREIGN = ("utilisé", "x9bcolour", "ufffdcolour")


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The last words of a function's decorators: `command` for `@options.command(...)`."""
    calls = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return [ast.unparse(one).rpartition(".")[2] for one in calls]


def functions(body: list[ast.stmt]) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods by qualified name; functions inside functions are not listed."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{name}", inner) for name, inner in functions(node.body))
        elif isinstance(node, ast.If):
            yield from functions(node.body + node.orelse)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def begins_well(name: str) -> bool:
    first = name.lstrip("_").split("_")[0]
    return first in VERBS | PREDICATES | COPIES


def test_functions_begin_with_a_verb() -> None:
    bad: dict[str, str] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        for qualified, node in functions(ast.parse(file.read_text()).body):
            special = node.name.startswith("__") and node.name.endswith("__")
            if not special and not begins_well(node.name) and not set(NOT_CALLED) & set(decorators(node)):
                bad[f"{file.relative_to(SOURCE)}:{qualified}"] = node.name
    unlisted = sorted(
        place for place, name in bad.items() if name not in EXCEPTIONS and not place.startswith((KITS, *ROOMS_TO_COME))
    )
    assert not unlisted, f"{len(unlisted)} functions do not begin with a word of tests/verbs.txt: {unlisted}"
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS
    assert set(bad.values()) >= EXCEPTIONS, f"listed without need: {sorted(EXCEPTIONS - set(bad.values()))}"


def test_public_classes_have_names_of_their_own() -> None:
    places = defaultdict(list)
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(SOURCE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_spelling_is_american() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py", "*.md", "*.toml"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        files = sorted(str(file.relative_to(ROOT)) for file in SOURCE.rglob("*.py"))
    else:
        files = [name for name in listed.stdout.split() if (ROOT / name).exists()]
    found = [
        f"{name}: {word}"
        for name in files
        if name not in SPELLED_BY_OTHERS and "licenses" not in name
        for word in sorted(set(re.findall(r"\w+", (ROOT / name).read_text(errors="replace"))))
        if BRITISH.search(word) and not any(one in word for one in FOREIGN)
    ]
    assert found == []
