"""What one missed prompt cache tells of the next request, by the rules of its provider.

    SECATEUR_CORPUS=DIR python benchmarks/misses.py [--half H]

Rule: recorded usage alone. Looked at are requests that follow another one of the same history and model before the
cache's time is over, with a prompt of 4,096 tokens before them and no shorter prompt of their own. A miss reads less
than half of the prompt before. Of sessions whose provider reported some read, by how many misses in a row came just
before: requests, misses, and their share. Sessions in which no read is ever reported are counted apart: whether their
provider has no cache or does not report it cannot be told.
"""

import argparse
from collections import Counter
from collections.abc import Iterator

from corpus import find_corpus
from harm import choose_sessions
from split import HALVES

from secateur.pricing import get_rules
from secateur.simulate.requests import Recording

LEAST, GROWN, READ = 4_096, 0.98, 0.5  # tokens of the prompt before; shares of it in the next prompt, and read
MOST = 3  # misses in a row that are told apart


def main() -> int:
    """Print the table; 2 without sessions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", action="append", choices=HALVES, help="default: both")
    given = parser.parse_args()
    corpus = find_corpus()
    for half in given.half or HALVES:
        silent, found, missed = Counter[str](), Counter[tuple[str, int]](), Counter[tuple[str, int]]()
        for _, recording in choose_sessions(corpus, half, 0):
            rules = get_rules(recording.model)
            if rules is None or sum(one.usage is not None for one in recording.requests) < 2:
                continue
            if not any(one.usage.read for one in recording.requests if one.usage is not None):
                silent[rules.name] += 1
                continue
            for before, is_miss in list_lookups(recording, rules.ttl_s):
                found[rules.name, min(before, MOST)] += 1
                missed[rules.name, min(before, MOST)] += is_miss
        print(f"\n{half}: misses in a row just before -> requests, misses")
        for name in sorted({name for name, _ in found}):
            cells = (
                f"{before}{'+' * (before == MOST)} -> {found[name, before]:5} {missed[name, before]:4}"
                f" ({missed[name, before] / found[name, before]:4.0%})"
                for before in range(MOST + 1)
                if found[name, before]
            )
            print(f"  {name:60} {'; '.join(cells)}")
        print(f"  no read ever reported: {', '.join(f'{name} {count}' for name, count in sorted(silent.items()))}")
    return 0


def list_lookups(recording: Recording, ttl_s: float) -> Iterator[tuple[int, bool]]:
    """By request: how many misses in a row came before it, and whether it is one."""
    row, last = 0, None
    for request in recording.requests:
        if request.usage is None:
            continue
        before, last = last, request
        if before is None or before.usage is None or (before.segment, before.model) != (request.segment, request.model):
            row = 0
            continue
        sent, paused = before.usage.taken, request.at and before.at and request.at - before.at >= ttl_s * 1_000
        if sent < LEAST or request.usage.taken < GROWN * sent or paused:
            continue
        is_miss = request.usage.read < READ * sent
        yield row, is_miss
        row = row + 1 if is_miss else 0


if __name__ == "__main__":
    raise SystemExit(main())
