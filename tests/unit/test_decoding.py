"""Types are made known to msgspec by one thread at a time: threads that use a type for the first time do not crash."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import secateur
from secateur.decoding import prepare_type
from secateur.plan import Plan

SOURCE = Path(secateur.__file__).parent
PLAIN = {"Any", "Raw", "bytes", "dict", "float", "int", "list", "msgspec", "str", "tuple"}  # types without fields
READING = {"convert", "Decoder", "decode"}


def find_types(tree: ast.AST) -> Iterator[ast.expr]:
    """The types that msgspec is asked to read."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in READING:
            continue
        if not ast.unparse(node.func).startswith("msgspec."):
            continue
        place = {"convert": 1, "Decoder": 0}.get(node.func.attr, 1)
        yield from [one.value for one in node.keywords if one.arg == "type"] or node.args[place : place + 1]


def is_prepared(type_: ast.expr, plain: set[str]) -> bool:
    """Whether a type passes through `prepare_type`, has no fields, or is known to no other thread yet."""
    if isinstance(type_, ast.Call):
        return ast.unparse(type_.func) in ("prepare_type", "msgspec.defstruct")
    return {node.id for node in ast.walk(type_) if isinstance(node, ast.Name)} <= plain


def find_plain_names(tree: ast.Module) -> set[str]:
    """Names of types without fields that a module gives to others."""
    given = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)]
    return {ast.unparse(node.targets[0]) for node in given if is_prepared(node.value, PLAIN)}


def test_every_type_that_is_read_is_prepared() -> None:
    found = 0
    for file in SOURCE.rglob("*.py"):
        text = file.read_text()
        if file.name == "decoding.py" or not any(f"{name}(" in text for name in READING) or "msgspec." not in text:
            continue
        tree = ast.parse(text)
        plain = PLAIN | find_plain_names(tree)
        for type_ in find_types(tree):
            allowed = plain | {"of"} if file == SOURCE / "jsontext" / "__init__.py" else plain  # prepared a line before
            assert is_prepared(type_, allowed), f"{file}:{type_.lineno}: {ast.unparse(type_)} is not prepared"
            found += 1
    assert found > 20


@pytest.mark.parametrize(
    ("code", "is_fine"),
    [
        ("msgspec.json.decode(data, type=Plan)", False),
        ("msgspec.json.decode(data, type=prepare_type(Plan))", True),
        ("msgspec.json.decode(data, type=list[Raw])", True),
        ("msgspec.json.Decoder(list[Plan])", False),
        ("msgspec.convert(data, Plan)", False),
        ("msgspec.convert(data, prepare_type(Plan))", True),
        ("msgspec.convert(data, msgspec.defstruct('Plan', fields))", True),
    ],
)
def test_what_is_not_prepared_is_found(code: str, is_fine: bool) -> None:
    assert [is_prepared(type_, PLAIN) for type_ in find_types(ast.parse(code))] == [is_fine]


def test_a_type_that_is_prepared_is_the_same() -> None:
    assert prepare_type(Plan) is Plan
    with pytest.raises(TypeError, match="str"):
        prepare_type(dict[str, int] | dict[str, str])  # type: ignore[arg-type]


AT_ONCE = """
import sys, threading, time
from secateur import plan
from secateur.policy import load
from secateur.pricing.prices import parse_price
from secateur.sessions import receipt_log

def note(frame, event, argument):
    "Of the type that the first thread reads some is known: let the others read it, and wait for them."
    if event == "call" and frame.f_code.co_name == "get_class_annotations" and not inside.is_set():
        seen.append(frame)
        if len(seen) > 1 and threading.current_thread().name == "first":
            inside.set()
            time.sleep(0.03)

def read_first():
    sys.setprofile(note)
    attempt()
    sys.setprofile(None)

def read_then():
    inside.wait(50)
    attempt()

def attempt():
    try:
        read()
    except Exception:
        pass

for read in (
    lambda: plan.decode(b'{"epochs": [{"number": 0, "edits": [{"type": "remove"}]}]}'),
    lambda: receipt_log.read(b'{"edits": [{}], "cost": {}, "violations": [{}]}'),
    lambda: parse_price({"base": {}, "tiers": [{}]}),
    lambda: load({"name": "own", "prune": [{"type": "hard_clear"}], "compaction": {}}),
):
    inside, seen = threading.Event(), []
    threads = [threading.Thread(target=read_first, name="first")]
    threads += [threading.Thread(target=read_then) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside.is_set()
    print("read")
"""


def test_many_threads_read_a_type_at_once_for_the_first_time() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["read"] * 4), done.stderr


FORKING = """
import os, threading
from secateur.decoding import _DOOR, prepare_type
from secateur.plan import Plan

held, free = threading.Event(), threading.Event()

def hold():
    with _DOOR.lock:
        held.set()
        free.wait(0.05)

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
prepare_type(Plan)
if not child:
    os._exit(7)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_that_was_forked_while_a_type_was_prepared_prepares_others() -> None:
    code = "import warnings; warnings.simplefilter('ignore')\n" + FORKING  # newer interpreters warn of any such fork
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "7\n", done.stderr


def test_a_type_that_was_not_read_yet_is_read() -> None:
    made = msgspec.defstruct("Made", [("name", str)])
    assert msgspec.structs.asdict(msgspec.json.decode(b'{"name": "a"}', type=prepare_type(made))) == {"name": "a"}
