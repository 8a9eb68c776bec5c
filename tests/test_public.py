"""The door: what is public, how it is called, and what it says of itself in one line."""

import asyncio
import inspect
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import secateur
from secateur import Engine, Plan, View, fit
from secateur.policy import Policy, load
from secateur.stores.memory import MemoryStore

ROOT = Path(__file__).parent.parent
TALK: list[dict[str, Any]] = [{"role": "user", "content": "What is in a.txt?"}]
READ = [
    {"role": "user", "content": "Read a.txt twice."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {"path": "a.txt"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "line\n" * 9000}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "read", "input": {"path": "a.txt"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "line\n" * 9000}]},
    {"role": "assistant", "content": "Both are the same."},
    {"role": "user", "content": "Thanks."},
]


def test_what_is_public() -> None:
    assert sorted(secateur.__all__) == [
        "ConfigError",
        "EditError",
        "Engine",
        "FormatError",
        "Plan",
        "SecateurError",
        "StillTooLong",
        "StoreError",
        "SummaryError",
        "UnknownFormat",
        "UpstreamError",
        "View",
        "fit",
        "wrap",
    ]


def test_all_public_names_are_shown_before_any_is_loaded() -> None:
    asks = "import secateur; print(*(name for name in dir(secateur) if not name.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True)
    assert set(secateur.__all__) <= set(done.stdout.split())


def test_every_public_name_is_there_and_says_what_it_is_for() -> None:
    for name in secateur.__all__:
        assert inspect.getdoc(getattr(secateur, name)), name


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (
            fit,
            "request policy plan model window target_tokens format protect idle_s now_ms fixed_tokens counter repair"
            " compact",
        ),
        (Engine.fit, "self request session tenant plan idle_s now_ms fixed_tokens format system tools"),
        (Engine.afit, "self request session tenant plan idle_s now_ms fixed_tokens format system tools"),
        (Engine.record_usage, "self view usage tenant now_ms"),
        (Engine.arecord_usage, "self view usage tenant now_ms"),
        (Engine.undo, "self session epoch tenant now_ms"),
        (Engine.pin, "self session kind pattern tenant now_ms"),
        (Engine.unpin, "self session kind pattern tenant now_ms"),
        (Engine.replay, "self session request raw tenant"),
        (Engine.close, "self"),
    ],
    ids=lambda one: getattr(one, "__qualname__", None),
)
def test_arguments_keep_their_names(call: Any, names: str) -> None:
    assert [*inspect.signature(call).parameters] == names.split()


def test_whatever_is_public_says_in_one_line_what_it_is() -> None:
    view = fit(READ, policy="kilocode", window=12_000)
    raw, now, edits = view.receipt.tokens_raw, view.receipt.tokens_view, view.receipt.active_edits
    assert (raw, now, edits) != (now, raw, 0)
    assert repr(view) == f"<View {raw:,} → {now:,} tokens, {edits} edit{'s' * (edits != 1)}>"
    assert repr(view.receipt) == f"<Receipt opened, {raw:,} → {now:,} tokens, {edits} edit{'s' * (edits != 1)}>"
    assert repr(view.raw_transcript) == f"<Transcript 7 messages, {raw:,} tokens>"
    assert repr(view.plan) == "<Plan 1 epochs, 2 edits>"
    assert repr(load("balance")) == "<Policy balance>"
    assert repr(Engine("kilocode", "gpt-5")) == "<Engine kilocode, gpt-5, sessions in memory>"
    assert (
        repr(Engine(store=MemoryStore(), tenant="a"))
        == "<Engine balance, any model, sessions of tenant 'a' in a store>"
    )


def test_an_engine_closes_what_it_opened(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/kept.db"
    with Engine(store=address) as engine:
        engine.fit(TALK, session="s")
        assert open_files(tmp_path)
    assert not open_files(tmp_path)
    assert engine.fit(TALK, session="s").session == "s"  # it opens itself again
    engine.close()
    engine.close()


def test_an_engine_leaves_a_store_open_that_was_handed_in() -> None:
    class Noted(MemoryStore):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    store = Noted()
    with Engine(store=store) as engine:
        engine.fit(TALK, session="s")
    assert store.closed == 0


def test_the_same_beside_an_event_loop(tmp_path: Path) -> None:
    async def loop() -> View[Any]:
        async with Engine(model="claude-haiku-4-5", store=f"sqlite:///{tmp_path}/kept.db") as engine:
            view = await engine.afit(TALK, session="s", now_ms=1_000)
            await engine.arecord_usage(view, {"input_tokens": 40, "output_tokens": 3}, now_ms=2_000)
            assert open_files(tmp_path)
            again = await engine.afit(TALK, session="s", now_ms=62_000)
        assert not open_files(tmp_path)
        return again

    assert asyncio.run(loop()).receipt.idle_s == 60.0


def open_files(folder: Path) -> list[str]:
    """Files of this folder that this process holds open."""
    held = Path("/proc/self/fd")
    if not held.exists():
        pytest.skip("only Linux says which files are open")
    return [str(one.readlink()) for one in held.iterdir() if one.is_symlink() and str(folder) in str(one.readlink())]


def test_type_checkers_see_what_is_public() -> None:
    strict = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--config-file", "", "tests/typing"]
    done = subprocess.run(strict, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_says_that_it_is_typed(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    wheel = tmp_path / done.stdout.split()[-1]
    with zipfile.ZipFile(wheel) as made:
        assert {"secateur/py.typed", "secateur/engine.py"} <= set(made.namelist())
        made.extractall(tmp_path / "installed")
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", str(ROOT / "tests/typing/api.py")]
    # Without the source on its path, a type checker reads the package as whoever installed it does.
    alone = {"MYPYPATH": str(tmp_path / "installed"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(check, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_plan_and_a_policy_are_what_their_types_say() -> None:
    view = fit(TALK)
    assert isinstance(view.plan, Plan)
    assert isinstance(load("observe"), Policy)
