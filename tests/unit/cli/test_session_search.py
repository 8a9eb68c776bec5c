"""Which files a scan looks at: those that cannot be sessions are told by folder, size and first bytes."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli_runs import secateur
from every_format import FORMATS_OF_ALL, Step, Turn, document
from recorded import CORPUS, NEEDED
from secateur.cli import session_search
from secateur.cli.session_search import explain_no_session, find_session_files, has_no_message

ROWS = b"".join(json.dumps({"type": "row", "id": at, "text": "some words " * 9}).encode() + b"\n" for at in range(900))
LONG = [Turn(f"question {at} " * 20, (Step("read", '{"path": "a.py"}', "line\n" * 400),), "so") for at in range(40)]


def laid(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")


def found(*folders: Path) -> list[str]:
    return [str(one.relative_to(folders[0])) for one in find_session_files(map(str, folders))]


def test_folders_that_tools_fill_are_passed_over(tmp_path: Path) -> None:
    laid(tmp_path, ".git/a.json", "web/node_modules/b.json", ".mypy_cache/c.json", "lib/site-packages/d.json")
    laid(tmp_path, "tools/env/pyvenv.cfg", "tools/env/share/e.json", "conda/conda-meta/f.json", "conda/g.json")
    laid(tmp_path, "logs/s.jsonl", "build/t.json", "env/u.json")
    assert found(tmp_path) == ["build/t.json", "env/u.json", "logs/s.jsonl"]


def test_a_folder_that_is_named_is_looked_through(tmp_path: Path) -> None:
    laid(tmp_path, "env/pyvenv.cfg", "env/s.json")
    assert found(tmp_path) == []
    assert found(tmp_path / "env") == ["s.json"]


def test_links_that_lead_back_end_nowhere(tmp_path: Path) -> None:
    laid(tmp_path, "logs/s.json")
    os.symlink(tmp_path, tmp_path / "logs" / "up")
    os.symlink(tmp_path / "self", tmp_path / "self")
    assert found(tmp_path) == ["logs/s.json"]


@pytest.mark.parametrize(
    ("data", "why"),
    [(ROWS, "its lines are of no known session"), (b"plain words, " * 9_000, "it does not begin like JSON")],
)
def test_a_large_file_of_something_else_is_told_by_its_first_bytes(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(data)
    assert why in explain_no_session(str(tmp_path / "a.jsonl"))


@pytest.mark.parametrize("name", FORMATS_OF_ALL)
def test_no_session_is_left_out(tmp_path: Path, name: str) -> None:
    data = document(name, LONG)
    assert len(data) > session_search._HEAD_BYTES
    for at, one in enumerate((data, b"\xef\xbb\xbf" + data, gzip.compress(data), data.decode().encode("utf-16"))):
        (tmp_path / f"{at}.json").write_bytes(one)
        assert explain_no_session(str(tmp_path / f"{at}.json")) == ""
    assert not has_no_message(data)
    assert not has_no_message(document(name, [Turn("hi", (), "ho")]))


@NEEDED
def test_no_recorded_session_is_left_out() -> None:
    listed: list[dict[str, Any]] = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    names = [str(Path(CORPUS) / one["path"]) for one in listed if not one["path"].endswith((".md", ".yaml"))]
    assert [name for name in names if explain_no_session(name)] == []


def test_captured_requests_are_no_rows_of_data(tmp_path: Path) -> None:
    body = {"messages": [{"role": "user", "content": "word " * 300}]}
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"request": {"body": body}}) + "\n" for _ in range(99)))
    assert explain_no_session(str(tmp_path / "a.jsonl")) == ""


def test_files_without_a_conversation_are_counted_and_broken_ones_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(ROWS)
    (tmp_path / "data.json").write_text(json.dumps([{"lat": 1.5, "lon": 2}] * 50))
    (tmp_path / "cut.json").write_text('[{"lat": 1.5, "lo')
    (tmp_path / "chat.json").write_bytes(document("openai_chat", [Turn("hi", (), "ho")]))
    done = secateur("scan", tmp_path, "--policy", "balance", "--json")
    assert done.code == 1
    assert len(done.json["sessions"]) == 1
    assert sorted((Path(one["path"]).name, one["broken"]) for one in done.json["unread"]) == [
        ("cut.json", True),
        ("data.json", False),
        ("rows.jsonl", False),
    ]
