"""Where documents go: whole files, backups that are never written over, mode bits that stay."""

import gzip
import os
import stat
from pathlib import Path

import pytest

from secateur.cli.exit_codes import USAGE, UsageError
from secateur.cli.inputs import InputSource, read_source
from secateur.cli.writer import Target, is_same_file, pack_like, write_file, write_in_place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_in_place_keeps_the_first_version_and_every_later_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one")
    for text, backup in ((b"two", "s.jsonl.bak"), (b"three", "s.jsonl.bak1"), (b"four", "s.jsonl.bak2")):
        assert write_in_place(read_source(str(path)), text) == tmp_path / backup
    assert names(tmp_path) == ["s.jsonl", "s.jsonl.bak", "s.jsonl.bak1", "s.jsonl.bak2"]
    assert path.read_bytes() == b"four"
    assert [(tmp_path / f"s.jsonl.bak{n}").read_bytes() for n in ("", 1, 2)] == [b"one", b"two", b"three"]


def test_a_name_as_long_as_its_backup_allows_is_written_in_place(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 245 + ".jsonl")
    path.write_bytes(b"one")
    assert write_in_place(read_source(str(path)), b"two") == tmp_path / f"{path.name}.bak"
    assert path.read_bytes() == b"two"


def test_in_place_without_a_change_touches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one")
    before = path.stat()
    assert write_in_place(read_source(str(path)), b"one") is None
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(tmp_path) == ["s.jsonl"]


def test_in_place_keeps_mode_bits_and_goes_through_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_bytes(b"one")
    real.chmod(0o640)
    link.symlink_to(real)
    assert write_in_place(read_source(str(link)), b"two") == tmp_path / "real.jsonl.bak"
    assert link.is_symlink()
    assert real.read_bytes() == b"two"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_in_place_refuses_a_file_that_somebody_wrote_to(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one")
    source = read_source(str(path))
    with path.open("ab") as agent:
        agent.write(b" and more")
    with pytest.raises(UsageError, match="changed while it was read") as refused:
        write_in_place(source, b"two")
    assert refused.value.exit_code == USAGE
    assert path.read_bytes() == b"one and more"
    assert names(tmp_path) == ["s.jsonl"]


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_file(str(tmp_path / "new"), b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert names(tmp_path) == ["new"]


def test_a_device_is_written_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "null"
    pipe.symlink_to("/dev/null")
    write_file(str(pipe), b"x")
    assert Path("/dev/null").is_char_device()
    assert names(tmp_path) == ["null"]


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file or directory: create its folder"):
        write_file(str(tmp_path / "no" / "folder"), b"x")
    with pytest.raises(UsageError, match="cannot be written: Is a directory: give the name of a file in it"):
        write_file(str(tmp_path), b"x")


def test_gzip_that_nobody_changed_goes_out_with_its_own_bytes() -> None:
    stored = gzip.compress(b"{}", compresslevel=1, mtime=77)
    source = InputSource("a.gz", stored, b"{}", is_gzip=True)
    assert pack_like(source, b"{}", is_gzip=True) is stored
    assert pack_like(source, b"{}", is_gzip=False) == b"{}"
    again = pack_like(source, b"[]", is_gzip=True)
    assert gzip.decompress(again) == b"[]"
    assert again == pack_like(source, b"[]", is_gzip=True)


def test_one_file_under_two_names(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"x")
    other.symlink_to(path)
    assert is_same_file(str(path), str(other))
    assert not is_same_file(str(path), str(tmp_path / "none"))


def test_a_new_file_is_as_private_as_the_one_it_is_made_of(tmp_path: Path) -> None:
    source = tmp_path / "private.jsonl"
    source.write_bytes(b"one")
    for mode, wanted in ((0o600, 0o600), (0o640, 0o640), (0o644, 0o644)):
        source.chmod(mode)
        out = tmp_path / f"out{mode:o}.jsonl"
        before = os.umask(0o022)
        write_file(str(out), b"two", str(source))
        os.umask(before)
        assert stat.S_IMODE(out.stat().st_mode) == wanted
    old = tmp_path / "old.jsonl"
    old.write_bytes(b"zero")
    old.chmod(0o644)
    write_file(str(old), b"two", str(source))
    assert stat.S_IMODE(old.stat().st_mode) == 0o644


def test_in_place_refuses_a_file_that_somebody_writes_to_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one")
    source = read_source(str(path))

    def append(_: int) -> None:
        with path.open("ab") as agent:
            agent.write(b" and more")

    monkeypatch.setattr(os, "fsync", append)
    with pytest.raises(UsageError, match="changed while it was read"):
        write_in_place(source, b"two")
    assert path.read_bytes() == b"one and more"
    assert names(tmp_path) == ["s.jsonl"]


def test_in_place_is_for_regular_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a regular file and cannot be written in place: give -o FILE"):
        Target(os.devnull, None, True, False).check()
    Target("n" * 5_000, None, True, False).check()  # reading it says what is wrong


def test_in_place_that_fails_leaves_the_file_and_no_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one")
    source = read_source(str(path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="cannot be written in place: No space left on device: make room"):
        write_in_place(source, b"two")
    assert names(tmp_path) == ["s.jsonl"]
    assert path.read_bytes() == b"one"
