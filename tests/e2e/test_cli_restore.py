"""`secateur restore`: what prune wrote becomes the file it was made of again, to the byte, or nothing is written.

Most runs are made in this process, for there are many; the pipe is tried as a person would.
"""

import gzip
import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cli_runs
from cli_runs import LONG, Done, chat, pi_worked, saved, user, worked
from every_format import FORMATS_OF_ALL, Step, Turn, document
from recorded import CORPUS, NEEDED
from secateur.cli.program import run as run_here

CLEAR = (
    'name = "clear"\n[protect]\nlast_messages = {}\n[[prune]]\ntype = "hard_clear"\n'
    '[schedule]\ntype = "every_request"\n'
)
# no conversation that any format reads, or several in one file
WITHOUT = (
    "_yaml",
    "_md",
    "_stream_jsonl",
    "inspect_eval_log_json",
    "openhands_v0_events_json",
    "tau2_bench_results_json",
)
MORE = b'{"type":"message","id":"m11","parentId":"m10","message":{"role":"user","content":"and on"}}\n'


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/kept.db"


@pytest.fixture
def clear(tmp_path: Path) -> Path:
    """A policy that clears every result but the newest."""
    return _clear(tmp_path, 2)


@pytest.fixture(autouse=True)
def here(capfdbinary: Any) -> Iterator[None]:
    """Lets `secateur` read what it wrote."""
    _Captured.by = capfdbinary
    yield
    _Captured.by = None


class _Captured:
    by: Any = None


def secateur(*args: object) -> Done:
    """Run a command in this process."""
    _Captured.by.readouterr()
    code = run_here([str(one) for one in args])
    out, err = _Captured.by.readouterr()
    return Done(code, out, err.decode())


def _clear(folder: Path, messages: int) -> Path:
    return saved(folder, CLEAR.format(messages).encode(), f"clear{messages}.toml")


def prune(url: str, path: Path, policy: object, *more: object) -> Done:
    done = secateur("prune", path, "--policy", policy, "--session", "s1", "--store", url, *more)
    assert done.code == 0, done.err
    return done


def restore(url: str, *args: object) -> Done:
    return secateur("restore", *args, "--store", url)


# --- every format ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [None, 6])
@pytest.mark.parametrize("format", FORMATS_OF_ALL)
def test_every_format_comes_back(tmp_path: Path, url: str, format: str, level: int | None) -> None:
    calls = tuple(Step("read", json.dumps({"path": f"src/{name}.py"}), f"{name} {LONG}") for name in "abcd")
    plain = document(format, [Turn("fix the login", calls[:2]), Turn("go on", calls[2:]), Turn("thanks", (), "bye")])
    raw = plain if level is None else gzip.compress(plain, level)
    file = saved(tmp_path, raw, "document")
    prune(url, file, _clear(tmp_path, 1), "--in-place", "--format", format)
    assert _plain(file) != plain
    assert restore(url, file, "--in-place").code == 0
    assert file.read_bytes() == raw


def smallest() -> dict[str, list[str]]:
    """Recorded sessions of each format: the smallest that have a few results."""
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    found: dict[str, list[str]] = defaultdict(list)
    for one in sorted(listed, key=lambda one: (one["raw_bytes"], one["path"])):
        name = one["format"].removeprefix("checkpoint_series/")
        if one["tool_results"] > 3 and 7_500 < one["raw_bytes"] < 1_200_000 and not name.endswith(WITHOUT):
            found[name].append(one["path"])
    return found


@NEEDED
def test_recorded_sessions_come_back(tmp_path: Path, url: str) -> None:
    clear, edited = _clear(tmp_path, 1), set()
    for name, paths in smallest().items():
        for path in paths[:2]:
            raw = (Path(CORPUS) / path).read_bytes()
            end = ".gz" if path.endswith(".gz") else ""
            file, out, back = saved(tmp_path, raw, f"s{end}"), tmp_path / f"out{end}", tmp_path / f"back{end}"
            prune(url, file, clear, "-o", out)
            if _plain(out) != _plain(file):
                assert restore(url, out, "-o", back).code == 0, path
                assert back.read_bytes() == raw, path
                edited.add(name)
    assert len(edited) >= 10, edited


def _plain(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


# --- where it goes ---------------------------------------------------------------------------------------------------


def test_in_place_and_out_and_a_pipe(tmp_path: Path, url: str) -> None:
    raw = pi_worked()
    file = saved(tmp_path, raw)
    prune(url, file, "opencode", "--in-place")
    pruned = file.read_bytes()
    assert pruned != raw
    told = restore(url, file, "-o", tmp_path / "out", "--json").json
    assert told["is_exact"] is True
    assert [step["session"] for step in told["steps"]] == ["s1"]
    assert (tmp_path / "out").read_bytes() == raw
    assert restore(url, file).out == raw
    piped = cli_runs.secateur("restore", "-", "--store", url, stdin=pruned)
    assert piped.out == raw
    assert "standard input: 1 prune undone" in piped.err
    done = restore(url, file, "--in-place")
    assert "exactly those of the original" in done.text
    assert file.read_bytes() == raw
    assert Path(f"{file}.bak").read_bytes() == raw  # of the prune
    assert Path(f"{file}.bak1").read_bytes() == pruned  # of the restore


def test_json_alone_writes_nothing(tmp_path: Path, url: str) -> None:
    file = saved(tmp_path, pi_worked())
    prune(url, file, "opencode", "--in-place")
    pruned = file.read_bytes()
    told = restore(url, file, "--json").json
    assert (told["output"], told["backup"], file.read_bytes()) == (None, None, pruned)


@pytest.mark.parametrize("level", [1, 9])
def test_a_packed_file_comes_back_packed_as_it_was(tmp_path: Path, url: str, level: int) -> None:
    raw = gzip.compress(pi_worked(), level, mtime=12345)
    file = saved(tmp_path, raw, "s.jsonl.gz")
    prune(url, file, "opencode", "--in-place")
    assert restore(url, file, "--in-place").code == 0
    assert file.read_bytes() == raw
    restore(url, Path(f"{file}.bak1"), "-o", tmp_path / "plain.jsonl")
    assert (tmp_path / "plain.jsonl").read_bytes() == pi_worked()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_bytes_of_other_encodings_come_back(tmp_path: Path, url: str, clear: Path, encoding: str) -> None:
    raw = chat(*worked(LONG, LONG, LONG, LONG)).decode().encode(encoding)
    file, out = saved(tmp_path, raw, "body.json"), tmp_path / "out.json"
    prune(url, file, clear, "-o", out)
    assert out.read_bytes() != raw
    assert restore(url, out).out == raw


def test_json_is_spelled_as_it_was(tmp_path: Path, url: str, clear: Path) -> None:
    body = chat(*worked(LONG, LONG, LONG, LONG)).replace(b"of an output", b"of \\u0061n\\/\\u00e9 output")
    raw = body.replace(b'"role": "tool"', b'"role"  :\t"tool"')
    file, out = saved(tmp_path, raw, "body.json"), tmp_path / "out.json"
    prune(url, file, clear, "-o", out)
    assert b"\\u0061n" not in out.read_bytes()
    assert restore(url, out).out == raw


# --- more than one prune, and what came since ------------------------------------------------------------------------


def test_several_prunes_are_all_taken_back(tmp_path: Path, url: str) -> None:
    raw = pi_worked()
    file = saved(tmp_path, raw)
    since = b""
    for messages in (8, 5, 2):
        prune(url, file, _clear(tmp_path, messages), "--in-place")
        file.write_bytes(file.read_bytes() + MORE.replace(b"m11", f"x{messages}".encode()))
        since += MORE.replace(b"m11", f"x{messages}".encode())
    told = restore(url, file, "-o", tmp_path / "out", "--json").json
    assert len(told["steps"]) == len(list(tmp_path.glob("session.jsonl.bak*"))) == 3
    assert (tmp_path / "out").read_bytes() == raw + since
    assert told["is_exact"] is False


def test_a_file_that_grew_keeps_what_came_since(tmp_path: Path, url: str) -> None:
    raw = pi_worked()
    file = saved(tmp_path, raw)
    prune(url, file, "opencode", "--in-place")
    file.write_bytes(file.read_bytes() + MORE)
    done = restore(url, file, "--in-place")
    assert done.code == 0
    assert f"{len(MORE)} bytes were appended since" in done.text
    assert file.read_bytes() == raw + MORE
    again = restore(url, file, "--in-place")  # not pruned any more: nothing is put in twice
    assert again.code == 0
    assert f"already the original, with {len(MORE)} bytes appended since" in " ".join(again.text.split())
    assert file.read_bytes() == raw + MORE


def test_a_body_that_grew_inside_keeps_what_came_since(tmp_path: Path, url: str, clear: Path) -> None:
    raw = chat(*worked(LONG, LONG, LONG, LONG))
    file, out = saved(tmp_path, raw, "body.json"), tmp_path / "out.json"
    prune(url, file, clear, "-o", out)
    more = b',{"role": "assistant", "content": "done"}\n ]\n}'
    out.write_bytes(out.read_bytes().removesuffix(b"\n ]\n}") + more)
    done = restore(url, out)
    assert done.out == raw.removesuffix(b"\n ]\n}") + more
    assert "changed after its last edit" in done.err


# --- what cannot be brought back -------------------------------------------------------------------------------------


def test_bytes_that_are_gone_are_named_and_a_backup_with_their_hash_serves(tmp_path: Path, url: str) -> None:
    raw = pi_worked()
    file, out = saved(tmp_path, raw), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    pruned = out.read_bytes()
    assert secateur("gc", "--days", "0", "--store", url).code == 0
    done = restore(url, out, "--in-place")
    assert done.code == 1
    assert f"{len(raw):,} bytes with the hash" in done.err
    assert "receipt 1 of session s1" in done.err
    assert "out.jsonl.bak" in done.err
    saved(tmp_path, raw + b" ", "out.jsonl.bak")  # not the original: not taken
    assert restore(url, out, "--in-place").code == 1
    assert out.read_bytes() == pruned
    saved(tmp_path, raw, "out.jsonl.bak2")
    told = restore(url, out, "-o", tmp_path / "back", "--json").json
    assert told["steps"][0]["source"].endswith("out.jsonl.bak2")
    assert (tmp_path / "back").read_bytes() == raw


def test_damaged_bytes_are_not_passed_off_as_the_original(tmp_path: Path, url: str) -> None:
    file, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    with sqlite3.connect(tmp_path / "kept.db") as database:
        database.execute("UPDATE blobs SET body = x'00112233'")
    done = restore(url, out, "-o", tmp_path / "back")
    assert done.code in (1, 2)
    assert not (tmp_path / "back").exists()


def test_another_store_and_an_unknown_file_are_told_apart_from_the_original(tmp_path: Path, url: str) -> None:
    raw = pi_worked()
    file, out = saved(tmp_path, raw), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    other = f"sqlite:///{tmp_path}/other.db"
    assert "nothing is stored at" in restore(other, out).err
    prune(other, saved(tmp_path, raw.replace(b"login", b"start"), "b.jsonl"), "opencode", "-o", tmp_path / "c")
    done = restore(other, out, "-o", tmp_path / "back")
    assert done.code == 1
    assert "does not know what" in done.err
    assert "name it with --store" in done.err
    assert not (tmp_path / "back").exists()
    done = restore(url, file, "-o", tmp_path / "same")
    assert done.code == 0
    assert "nothing to restore" in done.text
    assert (tmp_path / "same").read_bytes() == raw


def test_a_prune_that_was_not_kept_is_unknown(tmp_path: Path, url: str) -> None:
    file = saved(tmp_path, pi_worked())
    prune(url, saved(tmp_path, chat(*worked("a", "b", "c", "d")), "other.json"), "opencode", "-o", tmp_path / "x")
    assert secateur("prune", file, "--policy", "opencode", "--in-place").code == 0
    done = restore(url, file)
    assert done.code == 1
    assert f"{file}.bak may be the file you are looking for" in " ".join(done.err.split())


def test_only_the_session_and_the_tenant_that_are_named_are_looked_in(tmp_path: Path, url: str) -> None:
    file, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    secateur("prune", file, "--policy", "opencode", "--session", "s2", "--store", url, "-o", tmp_path / "two")
    assert restore(url, out, "--session", "s1").out == pi_worked()
    assert restore(url, out, "--tenant", "acme").code == 1
    assert restore(url, out, "--session", "nobody").code == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-o", "x", "--in-place"), "give one of them"),
        (("-o", "-", "--json"), "--json uses standard output"),
        (("-o", "SAME"), "is the input"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, url: str, args: Any, said: str) -> None:
    file = saved(tmp_path, pi_worked())
    done = restore(url, file, *[str(file) if one == "SAME" else one for one in args])
    assert done.code == 2
    assert said in done.err


def test_undo_names_the_files_that_it_leaves(tmp_path: Path, url: str) -> None:
    file, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    done = secateur("undo", "s1", "--store", url)
    assert "secateur restore FILE" in " ".join(done.text.split())
    assert out.name in done.text
    assert secateur("undo", "s1", "0", "--store", url, "--json").json["files"] == [str(out.resolve())]
    assert restore(url, out).out == pi_worked()


def test_exact_bytes_stay_out_of_the_models_reach_and_go_with_the_session(tmp_path: Path, url: str) -> None:
    file, out = saved(tmp_path, pi_worked()), tmp_path / "out.jsonl"
    prune(url, file, "opencode", "-o", out)
    assert secateur("verify", "--store", url).code == 0
    assert secateur("purge", "s1", "--yes", "--store", url).code == 0
    assert restore(url, out).code == 1
    assert os.stat(tmp_path / "kept.db").st_mode & 0o077 == 0


def test_a_file_of_which_nothing_was_removed_is_its_own_original(tmp_path: Path, url: str) -> None:
    raw = chat(user("fix the login"))
    file, out = saved(tmp_path, raw, "s.json"), tmp_path / "out.json"
    prune(url, file, "opencode", "-o", out)
    assert out.read_bytes() == raw
    for same in (file, out):
        done = restore(url, same, "-o", tmp_path / "back")
        assert done.code == 0, done.err
        assert "nothing is missing from it, so there is nothing to restore" in " ".join(done.text.split())
        assert (tmp_path / "back").read_bytes() == raw
    assert secateur("undo", "s1", "--store", url).code != 0
    assert restore(url, saved(tmp_path, raw.replace(b"fix", b"mend"), "other.json"), "--json").code == 1
