"""Whether reading grows in a straight line: the same conversation at 1 to 64 MB, for every format.

    python benchmarks/readers.py [--most 64] [--format NAME]

Each kept seed of the fuzzer, its conversation repeated under new ids until the document is large enough, goes through
`fit` cold. Prints its time over that of `json.loads` at each size, twice as large each time; the steepest doubling of
its time (2.0 is a straight line); and time per byte at the largest over that at the smallest: above BAR the exit status
is 1.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from secateur import Engine, documents
from secateur.errors import SecateurError
from secateur.jsontext import Lines

SEEDS = Path(__file__).parent.parent / "fuzz" / "seeds"
MB = 1_000_000
BAR = 3.0  # a quadratic reader is at 64; what no longer fits the processor's caches costs up to 2.4
_IDS = ("uuid", "id", "parentUuid", "parentId", "logicalParentUuid", "firstKeptEntryId")
_PARENTS = ("parentUuid", "parentId")
_RESULT = "a line of output\\n"  # as it is in JSON
_LONG = 40  # times as long as in the seed


def large(seed: bytes, size: int) -> bytes:
    """A document of about this size whose conversation is the seed's, again and again."""
    seed = seed.replace(_RESULT.encode(), (_RESULT * _LONG).encode())
    read = documents.read(seed)
    if isinstance(read.native, Lines):
        return _many_lines([json.loads(line) for line in seed.splitlines()], size)
    at = read.transcript.messages_path
    whole = json.loads(seed)
    items = whole
    for step in at:
        items = items[step]
    if not isinstance(items, list):
        raise TypeError("its messages are no array")
    copies = [*items] * max(1, size // len(json.dumps(items)))
    return json.dumps(_with(whole, at, copies)).encode()


def _with(whole: Any, at: tuple[Any, ...], items: list[Any]) -> Any:
    if not at:
        return items
    if isinstance(whole, list):
        return [_with(one, at[1:], items) if n == at[0] else one for n, one in enumerate(whole)]
    return whole | {at[0]: _with(whole[at[0]], at[1:], items)}


def _many_lines(lines: list[Any], size: int) -> bytes:
    """The lines again and again, each copy hanging on the one before it."""
    made: list[bytes] = []
    total, last = 0, None
    for number in range(size):
        for line in (
            lines if not number else [one for one in lines if one.get("type") not in ("session", "session_meta")]
        ):
            fresh = {name: f"{value}.{number}" if name in _IDS and value else value for name, value in line.items()}
            for name in _PARENTS:
                if name in line and line[name] is None and number:
                    fresh[name] = last
            last = fresh.get("uuid") or fresh.get("id") or last
            made.append(json.dumps(fresh).encode() + b"\n")
            total += len(made[-1])
        if total >= size:
            break
    return b"".join(made)


def sizes(most: int) -> Iterator[int]:
    size = 1
    while size <= most:
        yield size * MB
        size *= 2


def cold(data: bytes, times: int) -> float:
    """Processor seconds of a cold `fit`, the best of a few passes."""
    return min(_taken(lambda: Engine("kilocode", window=200_000).fit(data, now_ms=0)) for _ in range(times))


def plain(data: bytes, lines: bool, times: int) -> float:
    """Processor seconds of `json.loads`, line by line where a document is lines."""
    pieces = data.splitlines() if lines else [data]
    return min(_taken(lambda: [json.loads(piece) for piece in pieces]) for _ in range(times))


def _taken(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


class Row(NamedTuple):
    """One format: seconds of `fit` and of `json.loads`, and bytes, at each size."""

    name: str
    fit: list[float]
    loads: list[float]
    bytes: list[int]

    @property
    def doubling(self) -> float:
        """The steepest step from one size to the next, as if it had been exactly twice as large."""
        steps = zip(self.fit, self.fit[1:], self.bytes, self.bytes[1:], strict=False)
        return max((2 * (b / m) / (a / n) for a, b, n, m in steps), default=2.0)

    @property
    def growth(self) -> float:
        """Time per byte at the largest size over that at the smallest."""
        return (self.fit[-1] / self.bytes[-1]) / (self.fit[0] / self.bytes[0])

    def __str__(self) -> str:
        ratios = (f"{fit / loads:>8.2f}" for fit, loads in zip(self.fit, self.loads, strict=True))
        return f"{self.name:<28}" + "".join(ratios) + f"{self.doubling:>11.2f}{self.growth:>12.2f}"


def row(path: Path, steps: list[int]) -> Row:
    made = Row(path.name, [], [], [])
    for size in steps:
        data = large(path.read_bytes(), size)
        times = 3 if size < 20 * MB else 1
        made.fit.append(cold(data, times))
        made.loads.append(plain(data, path.suffix == ".jsonl", times))
        made.bytes.append(len(data))
    return made


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--most", type=int, default=64, help="MB of the largest document")
    options.add_argument("--format", help="the name of one seed")
    given = options.parse_args()
    steps, worst = list(sizes(given.most)), 0.0
    head = "".join(f"{size // MB:>5} MB" for size in steps)
    print(f"{'times json.loads at':<28}{head}   doubling   last/first")
    for path in sorted(SEEDS.iterdir()):
        if given.format and path.stem != given.format:
            continue
        try:
            made = row(path, steps)
        except (SecateurError, TypeError) as error:
            print(f"{path.name:<28} {error}")
            continue
        worst = max(worst, made.growth)
        print(made, flush=True)
    print(f"worst {worst:.2f} (bar {BAR})")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
