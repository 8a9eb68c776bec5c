"""How well and how fast tokens are estimated: one run, one table, ratios to `json.loads` of the same texts.

    SECATEUR_CORPUS=DIR python benchmarks/tokens.py [--quick]

Against o200k (toktok-rs): errors of `estimate` and of characters / 4 on results, on 4,000-character pieces, on sessions
as a whole and on kinds of content that sessions hold little of. `low` is the share counted more than 15 % too low.
"""

import argparse
import gc
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median, quantiles

import toktok
from corpus import find_corpus
from token_texts import Sample, bucket, made, recorded

from secateur.tokens import get_counter

HELD = 20  # as in fit_tokens.py: sessions in these percent were not fitted on
HEAD = f"{'':32}{'n':>7} {'tokens':>11}   {'median':>6} {'p95':>6} {'p5':>6} {'p95':>6} {'bias':>6} {'low':>6}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the texts")
    quick = parser.parse_args().quick
    samples = [one for one in recorded(find_corpus()) if not quick or bucket(one) < 10]
    counted = Counted(samples + made())
    for name, count in (("estimate", get_counter("estimate")), ("characters / 4", lambda text: max(1, len(text) // 4))):
        print(f"\n{name:32}{'':21}  |error|       error\n{HEAD}")
        for label, chosen in groups(counted):
            print(f"{label:32}{row([(count(one.text), n) for one, n in chosen])}")
        print(f"{'whole sessions':32}{row(by_session(counted.real, count))}")
    speed(samples)


class Counted:
    """Samples and the tokens o200k has for them, pieces and sessions of them as well."""

    def __init__(self, samples: list[Sample]) -> None:
        real = [one for one in samples if one.session]
        self.real = list(zip(real, exact(one.text for one in real), strict=True))
        pieces = [Sample(one.kind, one.text[at : at + 4_000], one.session) for one in real for at in starts(one.text)]
        self.pieces = list(zip(pieces, exact(one.text for one in pieces), strict=True))
        other = [one for one in samples if not one.session]
        self.made = list(zip(other, exact(one.text for one in other), strict=True))


Rows = Sequence[tuple[Sample, int]]


def starts(text: str) -> range:
    """Where its whole pieces of 4,000 characters begin, three at most."""
    whole = len(text) // 4_000
    return range(0, whole * 4_000, 4_000 * max(1, whole // 3)) if whole else range(0)


def exact(texts: Iterable[str]) -> list[int]:
    return toktok.batch_count(texts, "o200k_base")


def groups(counted: Counted) -> Iterable[tuple[str, Rows]]:
    results = [(one, n) for one, n in counted.real if one.kind == "result" and n > 50]
    yield "results over 50 tokens", results
    yield "  of sessions held out", [(one, n) for one, n in results if bucket(one) < HELD]
    yield "pieces of 4,000 characters", counted.pieces
    yield "texts of 5 to 20 tokens", [(one, n) for one, n in counted.real if 5 <= n <= 20]
    yield "texts over 20 tokens", [(one, n) for one, n in counted.real if n > 20]
    kinds = defaultdict(list)
    for one, n in counted.made:
        kinds[one.kind].append((one, n))
    yield from kinds.items()


def by_session(rows: Rows, count: Callable[[str], int]) -> list[tuple[int, int]]:
    """Sessions of more than 1,000 tokens, each as one."""
    sums: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for one, n in rows:
        counted, true = sums[one.session]
        sums[one.session] = counted + count(one.text), true + n
    return [both for both in sums.values() if both[1] > 1_000]


def row(pairs: list[tuple[int, int]]) -> str:
    """Statistics of (counted, true) pairs; `bias` is that of their sums."""
    errors = sorted(counted / true - 1 for counted, true in pairs)
    true = sum(n for _, n in pairs)
    away, sides = quantiles(map(abs, errors), n=20), quantiles(errors, n=20)
    low = sum(one < -0.15 for one in errors) / len(errors)
    bias = sum(n for n, _ in pairs) / true - 1
    shown = (
        f"{median(map(abs, errors)):6.1%} {away[-1]:6.1%} {sides[0]:+6.1%} {sides[-1]:+6.1%} {bias:+6.1%} {low:6.1%}"
    )
    return f"{len(pairs):7,} {true:11,}   {shown}"


def speed(samples: list[Sample]) -> None:
    """Each counter over the texts of request bodies of about 4 MB, against `json.loads` of the same bodies."""
    for name, ascii_only in (("UTF-8", False), ("ASCII", True)):
        texts = [text.encode("ascii", "ignore").decode() if ascii_only else text for text in first(samples, 4_000_000)]
        messages = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
        body = json.dumps({"messages": messages}, ensure_ascii=False).encode()
        parse = timed(lambda body=body: json.loads(body))
        print(f"\n{f'speed, {name} body, {len(texts):,} texts':32}{'µs a text':>12}{'/ json.loads':>14}")
        for counted in ("estimate", "chars/4-round", "o200k"):
            count = get_counter(counted)
            spent = timed(lambda count=count, texts=texts: [count(text) for text in texts])
            print(f"{counted:32}{spent / len(texts) * 1e6:12.2f}{spent / parse:14.2f}")


def first(samples: list[Sample], chars: int) -> list[str]:
    """Texts of whole sessions, the largest first, until there are so many characters."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for one in samples:
        sessions[one.session].append(one.text)
    taken: list[str] = []
    for texts in sorted(sessions.values(), key=lambda texts: -sum(map(len, texts))):
        if sum(map(len, taken)) < chars:
            taken += texts
    return taken


def timed(step: Callable[[], object]) -> float:
    """Median seconds of eleven; the collector runs between passes, not in them."""
    taken = []
    for _ in range(11):
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        step()
        taken.append(time.perf_counter() - start)
        gc.enable()
    return median(taken)


if __name__ == "__main__":
    main()
