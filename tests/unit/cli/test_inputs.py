"""Where documents come from: what is read, and what is refused with which words."""

import gzip
import os
from pathlib import Path

import pytest

from secateur.cli import inputs
from secateur.cli.exit_codes import UNREADABLE, UnreadableInput
from secateur.cli.inputs import get_file_identity, read_source


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\r\n')
    source = read_source(str(path))
    assert (source.data, source.stored, source.is_gzip) == (b'{"a": 1}\r\n', b'{"a": 1}\r\n', False)
    assert source.seen == get_file_identity(path)


def test_gzip_is_known_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "named.jsonl"
    path.write_bytes(gzip.compress(b"{}", mtime=7))
    source = read_source(str(path))
    assert (source.data, source.is_gzip) == (b"{}", True)
    assert source.stored == path.read_bytes()


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (gzip.compress(b'{"a": 1}' * 99, mtime=0)[:-9], "truncated or damaged gzip"),
        (b"\x1f\x8b\x08\x00damaged", "truncated or damaged gzip"),
        (b"\x28\xb5\x2f\xfdrest", "compressed by zstd: decompress it first"),
        (b"SQLite format 3\x00\x10\x00", "an SQLite database"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", "is a binary file"),
    ],
)
def test_what_cannot_be_a_session_is_refused_in_one_sentence(tmp_path: Path, stored: bytes, says: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(stored)
    with pytest.raises(UnreadableInput, match=says) as refused:
        read_source(str(path))
    assert refused.value.exit_code == UNREADABLE
    assert str(path) in refused.value.message


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
def test_a_device_that_never_ends_is_refused_by_its_first_bytes() -> None:
    with pytest.raises(UnreadableInput, match="/dev/zero is a binary file"):
        read_source("/dev/zero")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system does not name what is open")
def test_a_pipe_is_read_to_its_end_or_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(data: bytes) -> bytes:
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        try:
            return read_source(f"/dev/fd/{reading}").data
        finally:
            os.close(reading)

    packed = gzip.compress(b'{"a": 1}', mtime=0)
    assert (read(b'{"a": 1}'), read(packed)) == (b'{"a": 1}', b'{"a": 1}')
    monkeypatch.setattr(inputs, "_MAX_BYTES", 100)
    with pytest.raises(UnreadableInput, match="has given more than 100 bytes and has not ended"):
        read(b" " * 101)


def test_utf_16_is_no_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes('{"a": 1}'.encode("utf-16"))
    assert read_source(str(path)).data.startswith((b"\xff\xfe", b"\xfe\xff"))


def test_a_log_with_a_line_of_nuls_is_no_binary_file(tmp_path: Path) -> None:
    """As a machine leaves it that lost its power while the host was writing."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"\0" * 512 + b'\n{"a": 2}\n')
    assert read_source(str(path)).data == path.read_bytes()


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="there is no file"):
        read_source(str(tmp_path / "none"))
    with pytest.raises(UnreadableInput, match="is a directory: give one session file"):
        read_source(str(tmp_path))


def test_gzip_that_grows_beyond_all_measure_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unpacked when it is given up is bounded, whatever the file holds."""
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\0" * 70_000_000, mtime=0))
    unpacked: list[int] = []
    piecewise = gzip.GzipFile.read

    def read_and_count(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        piece = piecewise(self, size)
        unpacked.append(len(piece))
        return piece

    monkeypatch.setattr(gzip.GzipFile, "read", read_and_count)
    with pytest.raises(UnreadableInput, match="holds more than 64,000,000: .*decompress it first"):
        read_source(str(path))
    assert 64_000_000 < sum(unpacked) < 66_000_000


def test_a_session_that_shrinks_well_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl.gz"
    data = b'{"type": "message", "text": "again"}\n' * 400_000
    path.write_bytes(gzip.compress(data, mtime=0))
    assert len(data) > 200 * path.stat().st_size
    assert read_source(str(path)).data == data
