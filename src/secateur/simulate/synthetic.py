"""Made-up sessions as numbers, for ratios that must hold anywhere and not only where somebody recorded.

Rule: the same seed makes the same sessions on every machine. Sizes of results are heavy-tailed, lengths range from a
few requests to hundreds, some sessions pause for longer than a cache lives, and how long results stay in use differs.
"""

from collections.abc import Iterator
from random import Random

from secateur.simulate.lot import Lot, make_lot

_SHORTEST, _LONGEST = 10, 400  # requests
_PLACEHOLDER = 12.0  # tokens


def generate_sessions(count: int, r: float, w: float, seed: int = 0) -> Iterator[Lot]:
    """Generate this many sessions at these prices."""
    for number in range(count):
        chance = Random(f"{seed}.{number}")
        yield generate_session(chance, round(_SHORTEST * (_LONGEST / _SHORTEST) ** chance.random()), r, w)


def generate_session(chance: Random, size: int, r: float, w: float) -> Lot:
    """Generate one session of this many requests."""
    keep = chance.choice((1, 3, 5, 10, 20))  # results that a newer one must push out of use
    pauses = chance.choice((0.0, 0.0, 0.005, 0.02, 0.08))  # share of requests that come too late
    typical, spread = 80 * 30 ** chance.random(), chance.uniform(0.4, 1.8)  # tokens of a result, its logarithm's sigma
    parallel, spoken = chance.choice((0.0, 0.1, 0.4)), chance.choice((60.0, 150.0, 400.0))
    tokens = chance.choice((500.0, 3_000.0, 15_000.0))
    prompts, cold = [], []
    results: list[tuple[float, float, int]] = []  # tokens before it, its own, its first request
    for request in range(size):
        tokens += spoken * chance.expovariate(1.0)
        for _ in range(1 + (chance.random() < parallel) * chance.randint(1, 4) if request else 0):
            own = min(typical * chance.lognormvariate(0.0, spread), 50_000.0)
            results.append((tokens, own, request))
            tokens += own
        prompts.append(tokens)
        cold.append(chance.random() < pauses)
    return make_lot(prompts, cold, list(_iterate_items(results, keep, size)), r=r, w=w)


def _iterate_items(
    results: list[tuple[float, float, int]], keep: int, size: int
) -> Iterator[tuple[float, float, int, int]]:
    """Each result becomes eligible once this many newer ones exist."""
    for number, (before, own, first) in enumerate(results):
        pushed = results[number + keep][2] if number + keep < len(results) else size
        yield before, own - _PLACEHOLDER, first, max(pushed, first + 1)
