"""How much of the recorded usage is read, by host; and where OpenAI's cache reads differ from the simulated ones.

    SECATEUR_CORPUS=DIR python benchmarks/usage.py

Bars: of Codex, Claude Code, Pi and opencode at least 99 % of the requests have their usage read. Then, for Codex: the
share of the prompts that was read from the cache as recorded and as simulated, and by which cause they differ, in
points of that share.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from corpus import find_corpus
from msgspec import Struct

from secateur.errors import FormatError
from secateur.pricing import CacheRules, get_rules
from secateur.simulate.cache_validation import Compared, compare_requests
from secateur.simulate.client import infer_caching
from secateur.simulate.requests import Recording
from secateur.simulate.several import read_recordings

sys.path.insert(0, str(Path(__file__).parent))
from bound import read

BARS = {"codex": 0.99, "claude_code": 0.99, "pi": 0.99, "opencode": 0.99}
SHARED = 1.25  # a read of up to so many times the session's first one is of what all sessions begin with
STEP = "within a step of the cache"
MORE = "more was there than this session wrote: retries, sessions with the same beginning, the host's own requests"
TURN = "a new user turn: earlier reasoning left the prompt"
LOST = "only what all sessions begin with was found, or nothing: another machine answered, or it was evicted"
PART = "a part of the prefix was found: unexplained"


class Read(Struct):
    """Of one host."""

    sessions: int = 0
    requests: int = 0
    told: int = 0  # requests whose usage was read


def sessions(corpus: Path) -> Iterator[Recording]:
    for file in sorted(corpus.rglob("*.json*")):
        try:
            yield from read_recordings(read(file))
        except (FormatError, ValueError):
            continue


def cause(one: Compared, first: int, rules: CacheRules) -> str:
    """Why a request read something else than the model says; "" where it does not."""
    more = one.model.read - one.recorded.read
    if abs(more) < max(rules.step_tokens, 2):
        return STEP if more else ""
    if more < 0:
        return MORE
    if one.begins:
        return TURN
    return LOST if one.recorded.read <= SHARED * first else PART


def hosts(found: list[Recording]) -> bool:
    """Print how much is read of each host; whether the bars are met."""
    by: dict[str, Read] = defaultdict(Read)
    for one in found:
        row = by[one.document.format.name]
        row.sessions += 1
        row.requests += len(one.requests)
        row.told += sum(request.usage is not None for request in one.requests)
    print(f"{'host or format':<20} {'sessions':>8} {'requests':>9} {'usage read':>11}")
    for name, row in sorted(by.items()):
        share = f"{row.told / row.requests:.1%}" if row.requests else "-"
        print(f"{name:<20} {row.sessions:>8,} {row.requests:>9,} {row.told:>11,} {share:>7}")
    return all(by[name].told >= bar * by[name].requests for name, bar in BARS.items())


def hits(found: list[Recording]) -> None:
    """Print recorded and simulated shares of Codex' prompts, and the difference by cause."""
    prompts = recorded = simulated = 0
    requests, tokens = Counter[str](), Counter[str]()
    for recording in found:
        rules = get_rules(recording.model)
        if recording.document.format.name != "codex" or rules is None:
            continue
        pairs = compare_requests(recording, infer_caching(recording, rules))
        first = pairs[0].recorded.read if pairs else 0
        for one in pairs:
            prompts, recorded = prompts + one.recorded.prompt, recorded + one.recorded.read
            simulated += one.model.read
            why = cause(one, first, rules)
            requests[why] += 1
            tokens[why] += one.model.read - one.recorded.read
    if not prompts:
        return
    print(f"\nread from the cache, Codex: recorded {recorded / prompts:.3f}, simulated {simulated / prompts:.3f}")
    for why, many in requests.most_common():
        print(f"  {many:>6,} requests {tokens[why] / prompts:>+7.3f}  {why or 'the very same number'}")


def main() -> int:
    """Print the tables; 1 if a bar is missed, 2 without sessions."""
    found = list(sessions(find_corpus()))
    met = hosts(found)
    hits(found)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
