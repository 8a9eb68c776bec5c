"""How many random secrets are found in what carries them, how much else is taken for one, and how fast.

    SECATEUR_CORPUS=DIR python benchmarks/redact.py [--values 2000] [--show]

Three tables. The share found of random values of each class, in each carrier (`tests/carriers.py`): below LEAST the
exit status is 1. What is found in the source of the standard library, of which the first 5 MB may hold MOST_IN_SOURCE,
and in the tool outputs of recorded sessions, of which each MB may hold MOST_IN_OUTPUTS: these were looked through
before they were published, so what is found there is found wrongly. The rules were tuned on one half of the sessions;
the bar is on the other. And the speed, beside a yardstick in the same run: counting the words of the same texts.
`--show` prints what stands around each finding, never the thing itself.
"""

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from corpus import find_corpus, is_corpus_set
from token_texts import bucket, recorded

from carriers import CARRIERS, CLASSES, drawn_values
from secateur.redact import redact

LEAST = 0.99
MOST_IN_SOURCE = 6  # in SOURCE_MB
MOST_IN_OUTPUTS = 1.0  # per MB
SOURCE_MB = 5
_FOUND = re.compile(r"(.{0,40})\[redacted ([\w-]+)\](.{0,10})")
_WORDS = re.compile(r"\w+")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--values", type=int, default=2_000, help="values of each class in each carrier")
    options.add_argument("--show", action="store_true", help="print what stands around each finding")
    asked = options.parse_args()
    bars = [_recall(asked.values), _source(asked.show)]
    if is_corpus_set():
        outputs = [one for one in recorded(find_corpus()) if one.kind == "result"]
        _outputs("tuned on", [one.text for one in outputs if bucket(one) % 2], asked.show)
        held_out = [one.text for one in outputs if not bucket(one) % 2]
        bars.append(_outputs("held out", held_out, asked.show) <= MOST_IN_OUTPUTS)
        _speed(held_out)
    else:
        print("no tool outputs: set SECATEUR_CORPUS to a folder of recorded sessions")
    return 0 if all(bars) else 1


def _recall(count: int) -> bool:
    values = {kind: tuple(drawn_values(kind, count)) for kind in CLASSES}
    print(f"share found of {count:,} values each")
    print(f"{'':28}", *(f"{kind.replace('alphanumeric', 'a'):>7}" for kind in CLASSES))
    lowest = 1.0
    for carrier, carried in CARRIERS.items():
        shares = [sum(_is_gone(*carried(value)) for value in values[kind]) / count for kind in CLASSES]
        print(f"{carrier:28}", *(f"{share:7.4f}" for share in shares))
        lowest = min(lowest, *shares)
    print(f"lowest {lowest:.4f} (bar {LEAST})\n")
    return lowest >= LEAST


def _is_gone(text: str, pieces: tuple[str, ...]) -> bool:
    told = redact(text)
    return not any(piece in told for piece in pieces)


def _source(show: bool) -> bool:
    """The standard library without its tests, which hold keys and passwords on purpose."""
    kinds: Counter[str] = Counter()
    chars = first = 0
    for file in sorted(Path(os.__file__).parent.rglob("*.py")):
        if {"site-packages", "test", "tests", "idle_test"} & set(file.parts):
            continue
        text = file.read_text("utf-8", "replace")
        kinds += _found(file.name, text, show)
        chars += len(text)
        if chars <= SOURCE_MB * 1e6:
            first = kinds.total()
    print(f"standard library: {first} found in its first {SOURCE_MB} MB (bar {MOST_IN_SOURCE}),", end=" ")
    print(f"{kinds.total()} in all {chars / 1e6:.0f} MB {dict(kinds)}")
    return first <= MOST_IN_SOURCE


def _outputs(name: str, texts: Iterable[str], show: bool) -> float:
    kinds: Counter[str] = Counter()
    chars = 0
    for text in texts:
        kinds += _found(name, text, show)
        chars += len(text)
    rate = kinds.total() / max(chars / 1e6, 1e-6)
    print(f"tool outputs, {name}: {kinds.total()} found in {chars / 1e6:.0f} MB, {rate:.2f} per MB {dict(kinds)}")
    return rate


def _found(name: str, text: str, show: bool) -> Counter[str]:
    clean = redact(text)
    if clean == text:
        return Counter()
    if show:
        print(*(f"{name}: {m[1]}[{m[2]}]{m[3]}" for m in _FOUND.finditer(clean)), sep="\n")
    told = Counter(match[2] for match in _FOUND.finditer(clean))
    return told - Counter(match[2] for match in _FOUND.finditer(text))


def _speed(texts: list[str]) -> None:
    texts = texts[::10]
    size = sum(map(len, texts)) / 1e6
    ours = yardstick = 0.0
    for text in texts:
        start = time.process_time()
        redact(text)
        between = time.process_time()
        sum(1 for _ in _WORDS.finditer(text))
        ours, yardstick = ours + between - start, yardstick + time.process_time() - between
    print(f"speed: {size / ours:.1f} MB/s, {ours / yardstick:.2f} x the time that counting the words takes")


if __name__ == "__main__":
    raise SystemExit(main())
