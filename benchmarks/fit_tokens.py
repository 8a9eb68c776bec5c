"""Fit the two tables of `secateur.tokens.estimate` against o200k, and print them for pasting.

    SECATEUR_CORPUS=DIR python benchmarks/fit_tokens.py [--rounds 100]

Needs numpy and toktok-rs; with Django and rich installed the tables know more scripts. The estimate is
1 + characters · A · B, where A and B are averages of two weights per byte over a sample of the text. With one of them
fixed it is linear in the other, so they are fitted in turn: least squares of the relative error, reweighted towards
absolute errors, with too little counting more than too much. A fifth of the sessions is held out, and only reported.
"""

import argparse
from collections.abc import Iterator
from random import Random

import numpy as np
import toktok
from corpus import find_corpus
from token_texts import Sample, bucket, made, recorded

from secateur.tokens import MOST_SAMPLED, sample_text

SHY = 0.62  # share of the loss that counting too little has
NEAR = 0.04  # relative errors below this are fitted squared, above it absolutely
MOST_A, MOST_B = 1.6, 2.5  # the most that one character may weigh; B is 1 on average
USUAL_A, USUAL_B = 0.25, 1.0
PULL = 1e-3
HIGHEST = 65_520 // MOST_SAMPLED  # in units: a full sample stays within the 16 bits of a checksum
HELD = 20  # sessions in these percent are held out


def training() -> list[Sample]:
    """Whole texts and pieces of long ones: an estimate must hold for both."""
    random = Random(5)
    everything = recorded(find_corpus())
    for kind, text, session in everything[:]:
        starts = (
            random.sample(range(0, len(text) - 3_999, 4_000), min(3, len(text) // 4_000)) if len(text) > 4_000 else ()
        )
        everything += [Sample(kind, text[at : at + 4_000], session) for at in starts]
    extra = made()
    return everything + [Sample(kind, text[:most], "") for kind, text, _ in extra for most in (100, 300, 10**9)]


def importance(samples: list[Sample], counts: np.ndarray) -> np.ndarray:
    """Made kinds are few and weigh more each; results, which are what gets pruned, more than other texts."""
    each = [3.0 if not one.session else 1.5 if one.kind == "result" else 1.0 for one in samples]
    return np.array(each) * np.minimum(1, counts / 100) ** 0.5


class Fit:
    """Rows: one text each; columns: how often each byte value is in its sample, per sampled character."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples = samples
        self.counts = np.array(toktok.batch_count([one.text for one in samples], "o200k_base"), float)
        self.chars = np.array([len(one.text) for one in samples], float)
        self.rows = np.zeros((len(samples), 256), np.float32)
        for row, one in zip(self.rows, samples, strict=True):
            taken = sample_text(one.text)
            row += np.bincount(np.frombuffer(taken.encode(), np.uint8), minlength=256) / len(taken)
        self.held = np.array([bool(one.session) and bucket(one) < HELD for one in samples])
        self.importance = importance(samples, self.counts) * ~self.held
        self.near = self.counts + 2  # of short texts not the relative error matters, but a token or two

    def estimates(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.maximum(1, 1 + self.chars * (self.rows @ a) * (self.rows @ b))

    def errors(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (self.estimates(a, b) - self.counts) / self.near

    def improved(self, a: np.ndarray, b: np.ndarray, most: np.ndarray, usual: float) -> np.ndarray:
        """A better `a` for this `b`, with 0 ≤ a ≤ most, not far from `usual` without a reason."""
        errors = self.errors(a, b)
        weights = self.importance / np.sqrt(errors**2 + NEAR**2) * np.where(errors < 0, SHY, 1 - SHY)
        scaled = self.rows * (self.chars * (self.rows @ b) / self.near)[:, None].astype(np.float32)
        weighted = scaled * weights[:, None].astype(np.float32)
        square = (weighted.T @ scaled).astype(float)
        right = weighted.T @ ((self.counts - 1) / self.near)
        pull = PULL * np.trace(square) / 256  # towards the average: a rare byte is no reason for an odd weight
        square[np.diag_indices(256)] += pull
        return bounded(square, right + pull * np.minimum(most, usual), a, most)


def bounded(square: np.ndarray, right: np.ndarray, start: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Minimum of x·square·x/2 − right·x with least ≤ x ≤ most, one coordinate after the other."""
    x, least = start.copy(), most / 40
    for _ in range(150):
        for i in range(len(x)):
            x[i] = min(max(x[i] + (right[i] - square[i] @ x) / square[i, i], least[i]), most[i])
    return x


def limits(per_char: float) -> np.ndarray:
    """No character, of up to four bytes, may weigh more than `per_char`."""
    most = np.full(256, per_char)
    most[0x80:0xC0] = 0.2 * per_char
    most[0xC0:] = 0.4 * per_char
    return most


def fitted(fit: Fit, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Both tables in whole units: first freely in turn, then the second anew against the first as rounded."""
    a, b = np.full(256, USUAL_A), np.full(256, USUAL_B)
    for number in range(rounds):
        a = fit.improved(a, b, limits(MOST_A), USUAL_A)
        b = fit.improved(b, a, limits(MOST_B), USUAL_B)
        scale = np.average(fit.rows @ b, weights=fit.importance)
        a, b = np.minimum(a * scale, limits(MOST_A)), b / scale
        loss = np.average(np.abs(fit.errors(a, b)), weights=fit.importance)
        print(f"# round {number + 1}: mean error {loss:.4f}", flush=True)
    a = np.round(a / MOST_A * HIGHEST) * MOST_A / HIGHEST
    b = fit.improved(b, a, limits(MOST_B), USUAL_B)
    return a, np.round(b / MOST_B * HIGHEST) * MOST_B / HIGHEST


def lines(table: np.ndarray) -> Iterator[str]:
    text = bytes(int(round(one)) for one in table).hex()
    yield from (f'    "{text[at : at + 64]}"' for at in range(0, len(text), 64))


def report(fit: Fit, a: np.ndarray, b: np.ndarray) -> None:
    errors = fit.estimates(a, b) / fit.counts - 1
    large = np.array([one.kind == "result" for one in fit.samples]) & (fit.counts > 50)
    for name, rows in (("results over 50 tokens, fitted", large & ~fit.held), ("the same, held out", large & fit.held)):
        e = errors[rows]
        middle, worst = np.percentile(np.abs(e), (50, 95))
        print(f"# {name}: {rows.sum()}, median {middle:.1%}, p95 {worst:.1%}, over 15 % low {np.mean(e < -0.15):.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    fit = Fit(training())
    a, b = fitted(fit, parser.parse_args().rounds)
    for name, table in (("_A", a / MOST_A * HIGHEST), ("_B", b / MOST_B * HIGHEST)):
        print(f"{name} = bytes.fromhex(", *lines(table), ")", sep="\n")
    print(f"_UNIT = {MOST_A * MOST_B / HIGHEST**2:.6e}")
    report(fit, a, b)


if __name__ == "__main__":
    main()
