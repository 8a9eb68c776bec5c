"""Removed text as files: named by notes, private, inside the store's folder, and gone when their blobs are."""

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from native import calls, tool, user
from secateur import Engine
from secateur.errors import ConfigError
from secateur.lineage import handle_of
from secateur.stores import open_store
from secateur.stores.laid_files import get_tenant_folder
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, make_state
from secateur.text.own_text import describe_shortened, is_excerpt, is_folded, is_own
from secateur.text.placeholder import is_placeholder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and symbolic links are those of POSIX")

CLEAR: dict[str, Any] = {"prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}
CUTS: dict[str, Any] = {"on_arrival": {"type": "excerpt", "max_chars": 1_000}}
FIXED: dict[str, Any] = {
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
    "schedule": {"type": "every_request"},
}
TEXT = "\n".join(f"line {number} of what was printed: {number * number}" for number in range(400))
STEPS = "\n".join(f"tests/test_beds.py::test_rose_{n} PASSED" for n in range(900)) + "\n900 passed\n"
TABLE = "[" + ",".join(f'{{"id": {n}, "name": "rose {n}", "state": "open"}}' for n in range(400)) + "]"
DRAWN = "\n".join(f"\x1b[3{n % 8}mrose {n * n}" for n in range(900))
HOSTILE = ("../../../etc", "/etc/passwd", "a/../../b", "..", "s\0s", "~", "C:\\x", "x" * 500, "\u202e/..")


def body(printed: str = TEXT, line: str = "./run.sh") -> dict[str, Any]:
    begun = [user("the garden, bed by bed\n" * 400), calls(("c", "bash"), args=f'{{"command": "{line}"}}')]
    return {"model": "gpt-5", "messages": [*begun, tool(printed, "c"), user("go on")]}


def address(folder: Path) -> str:
    return f"sqlite:///{(folder / 'secateur.db').as_posix().lstrip('/')}"


def result(folder: Path, policy: Any, printed: str = TEXT, line: str = "./run.sh", **more: Any) -> str:
    engine = Engine(policy, window=200_000, store=address(folder), recall_handles="file")
    request = body(printed, line)
    if policy == "balance":
        request["messages"].pop()
    text = engine.fit(request, now_ms=1, **{"session": "s"} | more).request["messages"][2]["content"]
    engine.close()
    assert isinstance(text, str)
    return text


def files(folder: Path) -> list[Path]:
    return sorted(one for one in folder.rglob("*") if one.is_file() and ".files" in str(one))


@pytest.mark.parametrize(
    ("policy", "line", "printed"),
    [
        (CLEAR, "./run.sh", TEXT),
        (CUTS, "./run.sh", TEXT),
        ("balance", "pytest -v", STEPS),
        ("balance", "curl -s localhost", TABLE),
        ("balance", "./run.sh", DRAWN),
    ],
)
def test_a_note_names_a_file_that_has_the_text(tmp_path: Path, policy: Any, line: str, printed: str) -> None:
    text = result(tmp_path / "a folder", policy, printed, line)
    [path] = re.findall(r"\bread (/[^\]\n]+?\.txt)[\];]", text)
    assert Path(path).read_text() == printed
    assert "recall" not in text
    assert is_own(Engine("observe").fit(body(text)).raw_transcript.messages[2].parts[0])
    assert describe_shortened(text) != "shortened"


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    result(tmp_path, CLEAR)
    [file] = files(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == stat.S_IMODE(file.parent.parent.stat().st_mode) == 0o700


def test_fixed_placeholders_stay_as_they_are(tmp_path: Path) -> None:
    assert result(tmp_path, FIXED) == "[gone]"


def test_unless_it_is_asked_for_there_are_no_files(tmp_path: Path) -> None:
    for setting in ("auto", "on", "off"):
        Engine(CLEAR, store=address(tmp_path), recall_handles=setting).fit(body(), session=setting, now_ms=1)
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_no_session_and_no_tenant_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    text = result(inside, CLEAR, session=name.replace("\0", "0"), tenant=name.replace("\0", "0"))
    [file] = files(tmp_path)
    assert file.as_posix() in text
    assert file.resolve().is_relative_to((inside / "secateur.db.files").resolve())
    assert {one.name for one in tmp_path.iterdir()} == {"inside"}


def test_a_purge_takes_the_files_with_it_and_leaves_those_of_others(tmp_path: Path) -> None:
    result(tmp_path, CLEAR, session="one")
    result(tmp_path, CLEAR, f"{TEXT}!", session="two")
    result(tmp_path, CLEAR, session="three")  # the same text
    store = open_store(address(tmp_path))
    assert len(files(tmp_path)) == 2
    store.purge("", "two")
    assert [file.read_text() for file in files(tmp_path)] == [TEXT]
    store.purge("", "one")
    assert [file.read_text() for file in files(tmp_path)] == [TEXT]
    store.purge("", "three")
    assert files(tmp_path) == []
    store.close()


def test_retention_takes_them_too_and_sizes_count_them(tmp_path: Path) -> None:
    result(tmp_path, CLEAR)
    store = open_store(address(tmp_path))
    [file] = files(tmp_path)
    file.write_text("x" * 10_000_000)
    assert 10_000_000 < store.measure_sizes().file_bytes < 11_000_000
    store.collect_garbage(10**9, retention_s=1)
    assert files(tmp_path) == []
    assert store.measure_sizes().file_bytes < 1_000_000
    store.close()


def test_a_file_that_was_cut_off_is_written_again_and_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = Path(get_tenant_folder(f"{tmp_path / 'secateur.db'}.files", ""))
    folder.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (folder / f"{handle_of('one')}.txt").symlink_to(elsewhere)
    (folder / f"{handle_of('two')}.txt").write_text("t")
    store = open_store(address(tmp_path))
    blobs = (Blob(b"one", "text", "k1"), Blob(b"two", "text", "k2"), Blob(b"three", "media", "k3"))
    store.save(make_state(SessionId("s")), SessionUpdate(at=1, blobs=blobs, files=True))
    assert [one.read_text() for one in sorted(folder.iterdir())] == [
        text for _, text in sorted((handle_of(text), text) for text in ("one", "two"))
    ]
    assert elsewhere.read_text() == "mine"
    store.close()


def test_where_nothing_can_be_written_the_request_goes_on_and_names_no_file(tmp_path: Path) -> None:
    (tmp_path / "secateur.db.files").symlink_to(tmp_path / "nowhere")
    text = result(tmp_path, CLEAR)
    assert text == TEXT
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("store", [None, "memory://"])
def test_a_store_without_files_is_refused(store: str | None) -> None:
    with pytest.raises(ConfigError, match="needs a store in a file"):
        Engine(store=store, recall_handles="file")


def test_a_folder_that_no_note_can_name_is_refused(tmp_path: Path) -> None:
    for name in ("a]b", "x" * 400):
        with pytest.raises(ConfigError, match="cannot name files"):
            Engine(store=address(tmp_path / name), recall_handles="file")


def test_a_path_is_known_in_every_kind_of_note() -> None:
    assert is_placeholder("[secateur: Bash gave 900 chars, 9 lines; removed, read /a b/c.files/0/1.txt]")
    assert not is_placeholder("[secateur: Bash gave 900 chars, 9 lines; removed, read it again]")
    assert is_folded("a\n[secateur: lines 2-9 of 9 left out: more of the like, read /a b/1.txt]")
    assert is_excerpt("a\n[secateur: characters 3-8 of 9 left out, read /a/1.txt]\nb")
