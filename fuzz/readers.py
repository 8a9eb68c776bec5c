"""Feed readers, rules and repair what no one would write: nothing but our own errors comes out, and in time.

    python fuzz/readers.py --seconds 60 --seed 1 [--atheris]

Kept seeds (fuzz/seeds, one small document a file) are bent: as JSON (values swapped for odd ones, names lost, doubled
or moved from another seed) and as bytes. With `--atheris` the fuzzer of that name, if it is installed, looks for what
reaches new code instead. Prints how much was tried, and each failure with the bytes that show it.
"""

import argparse
import json
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import secateur
from secateur import formats
from secateur.api import FAMILIES, check
from secateur.api.repair import repair
from secateur.errors import SecateurError

SEEDS = Path(__file__).parent / "seeds"
LIMIT_S = 5  # one small document takes milliseconds
ODD: tuple[Any, ...] = (
    None, [], {}, "", " ", 0, -1, 1.5, True, "x" * 1500, [[]], [{}], {"": {}}, "\ud83d", 10**40, ["a", 1], [None],
    "data:image/png;base64,AA==", "\0", {"type": []}, {"type": {"a": 1}}, {"role": ["user"]}, {"type": "text"},
)  # fmt: skip
TOKENS = (
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\ud83d", b"\\u0000", b"NaN", b"Infinity", b"-", b"1e999", b"\n",
    b"\xff", b"\xef\xbb\xbf", b"\0", b"null", b'"role"', b'"type"', b"[" * 300, b'{"a":' * 300, b"\xed\xa0\x80",
)  # fmt: skip
DRASTIC: dict[str, Any] = {
    "name": "drastic",
    "birth": {"do": "excerpt", "max_chars": 40},
    "prune": [
        {"do": "soft_trim", "max_chars": 30, "head_chars": 9, "tail_chars": 9},
        {"do": "hard_clear"},
        {"do": "clear_inputs", "max_chars": 9, "head_chars": 3},
        {"do": "clear_media", "keep": 0},
        {"do": "drop_reasoning"},
    ],
    "schedule": {"when": "every_request"},
}
Failure = tuple[bytes, str]


def attempt(data: bytes, format: str | None = None) -> str:
    """What goes wrong with these bytes; "" if nothing does."""
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        engine = secateur.Engine(DRASTIC, "claude-opus-5-5", window=500, format=format)
        view = engine.fit(data, session="s", now_ms=1)
        engine.fit(data + b" ", session="s", now_ms=2)
        secateur.fit(data, policy="observe", plan=view.plan, format=format, now_ms=3)
        judged(data)
        repair(data, format)
    except SecateurError:
        return ""
    except Exception:
        return traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def judged(data: bytes) -> None:
    """Let the rules of every API look at a body, whosever it is: they raise nothing on any JSON."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return
    arrays = [body[name] for name in formats.ARRAYS if name in body] if isinstance(body, dict) else [body]
    for messages in arrays:
        if isinstance(messages, list):
            for family in FAMILIES[:-1]:
                check(family, messages, body if isinstance(body, dict) else None, profile="mistral")


def run(seed: int, *, seconds: float = inf, documents: float = inf) -> tuple[int, list[Failure]]:
    """Try documents until the time is up or so many were tried; return their number, and one failure per code line."""
    signal.signal(signal.SIGALRM, _late)
    rng, kept = random.Random(seed), seeds()
    found: dict[str, Failure] = {}
    tried, end = 0, time.monotonic() + seconds
    while tried < documents and time.monotonic() < end:
        data = bent(rng, kept)
        format = rng.choice(formats.list_format_names()) if rng.random() < 0.2 else None
        told = attempt(data, format)
        tried += 1
        if told:
            place = [line for line in told.splitlines() if line.startswith("  File ")][-1:]
            found.setdefault(str(place), (data, f"format {format}: {told}"))
    return tried, list(found.values())


def seeds() -> list[bytes]:
    return [path.read_bytes() for path in sorted(SEEDS.iterdir())]


def bent(rng: random.Random, kept: list[bytes]) -> bytes:
    """A kept document, bent a few times."""
    data = rng.choice(kept)
    if rng.random() < 0.7:
        data = bent_values(rng, data, kept)
    if rng.random() < 0.4:
        data = bent_bytes(rng, data)
    return data


def bent_values(rng: random.Random, data: bytes, kept: list[bytes]) -> bytes:
    """The document as JSON, or one of its lines, with some of its values changed."""
    lines = data.splitlines()
    if len(lines) == 1:
        return _bent_json(rng, data, kept)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        lines[at] = _bent_json(rng, lines[at], kept)
    if rng.random() < 0.2:
        rng.shuffle(lines)
    return b"\n".join(lines)


def _bent_json(rng: random.Random, data: bytes, kept: list[bytes]) -> bytes:
    try:
        whole = [json.loads(data)]
    except ValueError:
        return data
    for _ in range(rng.choice((1, 1, 2, 5))):
        holder, at = rng.choice(list(_places(whole)))
        _bend(rng, holder, at, kept)
    return json.dumps(whole[0] if whole else None).encode()


def _bend(rng: random.Random, holder: Any, at: Any, kept: list[bytes]) -> None:
    bend = rng.randrange(5)
    if bend == 0 and (isinstance(holder, dict) or len(holder) > 1):
        del holder[at]
    elif bend == 1 and isinstance(holder, list):
        holder.insert(at, holder[at])
    elif bend == 2 and isinstance(holder, dict):
        holder[rng.choice(("type", "role", "content", "id", "parts", "output", "message"))] = holder.pop(at)
    elif bend == 3:
        lines = rng.choice(kept).splitlines()
        holder[at] = rng.choice(list(_values(json.loads(rng.choice(lines)))))
    else:
        holder[at] = deepcopy(rng.choice(ODD))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for at, one in list(inner):
        yield value, at
        yield from _places(one)


def _values(value: Any) -> Iterator[Any]:
    yield value
    for holder, at in _places(value):
        yield holder[at]


def bent_bytes(rng: random.Random, data: bytes) -> bytes:
    """The document with bytes lost, doubled, changed or put in."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        i, j = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
        bend: Callable[[], bytes] = rng.choice(
            (
                lambda: data[:i] + data[j:],  # noqa: B023  called at once
                lambda: data[:i],  # noqa: B023
                lambda: data[:j] + data[i:],  # noqa: B023
                lambda: data[:i] + rng.choice(TOKENS) + data[i:],  # noqa: B023
                lambda: data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :],  # noqa: B023
            )
        )
        data = bend()
    return data


def guided(seconds: float) -> None:
    """The same by coverage: ends the process."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports():
        import secateur.engine

    signal.signal(signal.SIGALRM, _late)
    del secateur.engine

    def one(data: bytes) -> None:
        told = attempt(data)
        if told:
            raise RuntimeError(told)

    with TemporaryDirectory() as fresh:  # what reaches new code goes there, not among the kept seeds
        limits = [f"-max_total_time={seconds:.0f}", "-max_len=20000"]
        atheris.Setup([sys.argv[0], *limits, fresh, str(SEEDS)], one)
        atheris.Fuzz()


def _late(number: int, frame: Any) -> None:
    raise TimeoutError(f"no answer within {LIMIT_S} s")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--atheris", action="store_true", help="by coverage, with the package of that name")
    given = options.parse_args()
    if given.atheris:
        guided(given.seconds)
    tried, failures = run(given.seed, seconds=given.seconds)
    print(f"{tried:,} documents in {given.seconds:g} s (seed {given.seed}): {len(failures)} failures")
    for data, told in failures:
        print(f"{data[:2000]!r}\n{told}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
