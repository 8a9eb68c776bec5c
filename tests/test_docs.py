"""The docs cannot lie: every code block runs, every link leads somewhere, generated pages are current.

Blocks in `python`, `sh` and `console` run page by page, in order, in one empty folder that holds copies of `sessions/`
and `examples/`; a page's Python blocks build on each other, and those with no other block between them run as one
program, on the lines that they have in the page. Commands that end by themselves are forked (`cli_runs`). Lines after a
`$ command` of a `console` block are what it prints, `...` standing for anything; `(exit 1)` as the last of them is the
exit code. A block that cannot run says why in a comment before it: `<!-- not run: why -->`. `toml` is read as a policy,
`json` as JSON, `text` is for drawings; other languages are refused.
"""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from msgspec import Struct

import secateur
from cli_runs import write_command
from model_server import addresses, reads
from secateur.api import FAMILIES, list_rules
from secateur.cli.program import COMMANDS
from secateur.formats import FORMATS
from secateur.policy import PRESETS
from secateur.stores import STORES
from secateur.strategies import STRATEGIES
from secateur.summarizers import SUMMARIZERS
from upstream import upstream

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
RUN = ("python", "sh", "console")
MODELS = "bin/models.json"  # by which variables the providers' clients find their models
FILES = "bin/files.json"  # which open files the command needs
SHOWN = ("text", "floors", "toml", "json", "jsonl")

_FENCE = re.compile(r"(?:<!-- not run: (?P<why>[^\n]+) -->\n)?^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.M | re.S)
_LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
_HTML_LINK = re.compile(r"(?:src|href)=\"(?!https?://|#)([^\"#]+)\"")
_EXIT = re.compile(r"^\(exit (\d)\)\n\Z", re.M)
_CHECK = doctest.OutputChecker()
_PRINTED = re.compile(r"^ *print\(.*\)  # (.+)$", re.M)
_LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(Struct, frozen=True):
    """One fenced block of a page."""

    line: int
    language: str
    text: str
    why: str  # it does not run; "" if it does


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text()
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start("language")) + 1
        yield Block(line, found["language"], found["text"], found["why"] or "")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def desk(tmp_path: Path, page: Path) -> Iterator[Path]:
    """A folder as the reader of the docs has it, with `secateur` on the path and a model behind each provider.

    Of the README each command is a new interpreter.
    """
    for folder in ("sessions", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    command = tmp_path / "bin" / "secateur"
    command.parent.mkdir()
    files = write_command(command, is_forked=page.name != "README.md")
    notes = [f"notes/{number}.md" for number in range(3)]
    for note in notes:
        (tmp_path / note).parent.mkdir(exist_ok=True)
        (tmp_path / note).write_text(f"What {note} is about.\n" * 40)
    with upstream(reads(*notes)) as server:
        (tmp_path / MODELS).write_text(json.dumps(addresses(server.url)))
        (tmp_path / FILES).write_text(json.dumps(files))
        yield tmp_path


def ran(desk: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run a command at the desk, outputs in one stream."""
    path = f"{desk / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    models, files = (json.loads((desk / name).read_text()) for name in (MODELS, FILES))
    env = {
        **os.environ,
        **models,
        "PATH": path,
        "HOME": str(desk),
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
    }
    out, one, none = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL
    return subprocess.run(
        argv, cwd=desk, env=env, text=True, timeout=120, check=False, stdout=out, stderr=one, stdin=none, pass_fds=files
    )


def typed(console: str) -> Iterator[tuple[str, str, int]]:
    """The commands of a console block, each with what it is said to print and its exit code."""
    for entry in re.split(r"^\$ ", console, flags=re.M)[1:]:
        command, _, printed = entry.partition("\n")
        ended = _EXIT.search(printed)
        yield command, _EXIT.sub("", printed), int(ended[1]) if ended else 0


@pytest.mark.parametrize("page", [p for p in PAGES if any(b.language in RUN for b in blocks(p))], ids=named)
def test_code_blocks_run(page: Path, desk: Path) -> None:
    python = ""
    running = [block for block in blocks(page) if block.language in RUN and not block.why]
    for is_python, some in groupby(running, lambda block: block.language == "python"):
        for block in some:
            if is_python:
                python += "\n" * (block.line - python.count("\n")) + block.text
            else:
                run_shell(desk, block, f"{named(page)}:{block.line}")
        if is_python:
            done = ran(desk, sys.executable, "-W", "error", "-c", python)
            assert done.returncode == 0, f"{named(page)}\n{done.stdout}"
            said = _PRINTED.findall(python)
            assert [one for one in said if one not in done.stdout.splitlines()] == [], f"{named(page)}\n{done.stdout}"


def run_shell(desk: Path, block: Block, where: str) -> None:
    """Run a block in `sh`, or each command of one in `console`, which prints what the block shows."""
    if block.language == "sh":
        done = ran(desk, "bash", "-euc", block.text)
        assert done.returncode == 0, f"{where}\n{done.stdout}"
    for command, printed, code in typed(block.text) if block.language == "console" else ():
        done = ran(desk, "bash", "-euc", command)
        assert done.returncode == code, f"{where}\n$ {command}\n{done.stdout}"
        assert not printed or _CHECK.check_output(printed, done.stdout, _LOOSE), f"{where}\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_blocks_are_of_a_kind_that_can_be_checked(page: Path) -> None:
    for block in blocks(page):
        where = f"{named(page)}:{block.line}"
        assert block.language in (*RUN, *SHOWN) or block.why, f"{where}: `{block.language}` is neither run nor excused"
        if block.language == "toml":
            assert tomllib.loads(block.text), where
        if block.language == "json":
            json.loads(block.text)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_does_not_run_at_least_names_make_targets_that_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    for block in blocks(page):
        asked = re.findall(r"\bmake ([a-z]+)", block.text) if block.why else []
        assert set(asked) <= targets, f"{named(page)}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in (*_LINK.findall(text), *_HTML_LINK.findall(text)):
        assert (page.parent / target).exists(), f"{named(page)} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_each_row_of_a_table_is_one_line(page: Path) -> None:
    prose = _FENCE.sub("", page.read_text())
    rows = [line for line in prose.splitlines() if line.startswith("|")]
    assert [row for row in rows if not row.endswith("|")] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_prose_is_wrapped_at_120_characters(page: Path) -> None:
    prose = _FENCE.sub("", page.read_text())
    lines = [line for line in prose.splitlines() if not line.lstrip().startswith(("|", "<"))]
    assert [line for line in lines if len(line) > 120] == []


def test_every_page_can_be_reached_from_the_index() -> None:
    seen, todo = set(), [ROOT / "docs" / "index.md"]
    while todo:
        page = todo.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            todo += [(page.parent / target).resolve() for target in _LINK.findall(page.read_text())]
    assert {p for p in PAGES if p.is_relative_to(ROOT / "docs")} <= seen


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("strategies", STRATEGIES.built_in),
        ("formats", FORMATS),
        ("presets", PRESETS),
        ("commands", COMMANDS),
        ("store", STORES.built_in),
        ("summarizers", SUMMARIZERS),
        ("rules", [one.id for family in FAMILIES for one in list_rules(family)]),
        (
            "errors",
            [name for name in secateur.__all__ if name.endswith("Error") or name in ("UnknownFormat", "StillTooLong")],
        ),
    ],
)
def test_what_is_public_has_an_entry(page: str, names: list[str]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text()
    missing = [name for name in names if f"## `{name}`" not in text and f"| `{name}` |" not in text]
    assert names
    assert not missing


def test_generated_pages_are_current() -> None:
    made = [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
