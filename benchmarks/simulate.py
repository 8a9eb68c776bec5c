"""How far the cache model agrees with recorded usage, and what sessions would have cost under each preset.

    SECATEUR_CORPUS=DIR python benchmarks/simulate.py [FILE...]

First, for sessions with recorded usage (default: the two long ones of Pi): the share of requests whose cache reads and
writes the model finds exactly, and why the others differ; the bars are 96 % and 90 %. Then the bill of each preset in
units of the session as it was, at three prices: a cache write costs 11.5, 24 and 49 reads more than a read.
"""

import gzip
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from corpus import find_corpus
from msgspec.structs import replace

from secateur.policy import list_preset_names
from secateur.pricing import CacheRules, Price, get_rules, make_unit_price, price_of
from secateur.pricing.prices import restate_price
from secateur.simulate.bill import Bill, sum_bill
from secateur.simulate.cache import Caching
from secateur.simulate.cache_validation import Compared, compare_requests, find_unexplained_misses
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import as_paid, bill_turns, simulate

BARS = {"before-compaction": 0.96, "large-session": 0.90}
KAPPAS = {11.5: (1.25, 0.1), 24: (1.25, 0.05), 49: (1.25, 0.025)}
SETTINGS = "the thinking level was changed"
DEFAULT_RULES = "claude-sonnet-5"  # for recordings whose model has none


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def real(recording: Recording) -> None:
    """Print the real bill beside the model's, with and without the losses that no rule explains."""
    asked, caching = price_of(recording.model), Caching(rules=rules(recording))
    if asked is None or not any(one.usage for one in recording.requests):
        return
    seen = replace(caching, cache_breaks=find_unexplained_misses(recording, caching))
    ours, losses = (simulate(recording, None, asked, caching=one).bill.dollars for one in (caching, seen))
    paid_for = sum_bill(as_paid(recording, asked), asked).dollars
    print(f"  the real bill ${paid_for:.2f}, the model's ${ours:.2f}", end="")
    print(f", and ${losses:.2f} with the {len(seen.cache_breaks)} losses that no rule explains")


def agreement(recording: Recording) -> tuple[tuple[Compared, ...], Counter[str]]:
    """All requests, and how many differ for which cause."""
    found = compare_requests(recording, Caching(rules=rules(recording)))
    return found, Counter(cause(recording, one) for one in found if not one.agrees)


def cause(recording: Recording, one: Compared) -> str:
    """The cause that the shape shows; a change of settings, which Pi writes between the messages, goes before it."""
    lines = sorted(line for said in recording.get_context(one.request) for line in said.lines)
    native: Any = recording.document.native
    for line in range(lines[-2] + 1, lines[-1]) if len(lines) > 1 and recording.document.format.log else ():
        value = native.line(line)
        if isinstance(value, dict) and value.get("type") == "thinking_level_change":
            return SETTINGS
    return one.cause


def rules(recording: Recording) -> CacheRules:
    """Those of the recorded model."""
    found = get_rules(recording.model) or get_rules(DEFAULT_RULES)
    assert found is not None
    return found


def bills(recording: Recording, policy: str | None) -> dict[float, Bill]:
    """The bill at each price; the policy decides once, since presets do not look at prices."""
    caching = Caching(rules=rules(recording))
    prices = {kappa: price(recording, *ratios) for kappa, ratios in KAPPAS.items()}
    run = simulate(recording, policy, prices[11.5], caching=caching, window=1_000_000)
    return {kappa: sum_bill(bill_turns(run.turns, one, caching), one) for kappa, one in prices.items()}


def price(recording: Recording, w: float, r: float) -> Price:
    known = price_of(recording.model)
    return restate_price(known, w, r) if known else make_unit_price(w, r)


def told(file: Path) -> bool:
    """Print everything about one session; whether its bar is met."""
    started = time.perf_counter()
    recording = read_recording(read(file))
    found, causes = agreement(recording)
    whole = read_recording(read(file), compactions=False)
    print(f"\n{file.name}: {len(recording.requests)} requests, {recording.model or 'no model'}, ", end="")
    print(f"{max(recording.prompt_tokens):,} tokens at most, {max(whole.prompt_tokens):,} had it never been compacted")
    share = sum(one.agrees for one in found) / len(found) if found else 1.0
    bar = BARS.get(file.name.split(".")[0], 0.0)
    print(f"  cache reads and writes as recorded: {share:.1%} of {len(found)} requests (bar: {bar:.0%})")
    for why, times in causes.most_common():
        print(f"  {times:5} {why}")
    real(recording)
    print(f"  {'policy':20}" + "".join(f"  bill at {kappa:g}".rjust(14) for kappa in KAPPAS), end="")
    print("        sent   hits  cache_breaks     peak")
    as_it_was = bills(whole, None)
    for policy in (None, *list_preset_names()):
        some = bills(whole, policy)
        first = some[11.5]
        shares = "".join(f"{some[kappa].units / as_it_was[kappa].units:14.3f}" for kappa in KAPPAS)
        print(
            f"  {policy or 'as it was':20}{shares}{first.sent:12,}{first.hit_share:7.1%}{first.cache_breaks:7}", end=""
        )
        print(f"{first.peak:9,}")
    print(f"  {time.perf_counter() - started:.1f} s")
    return share >= bar


def main() -> int:
    files = [Path(one) for one in sys.argv[1:]]
    if not files:
        folder = find_corpus() / "pi_session_jsonl" / "badlogic__pi-mono"
        files = [folder / f"{name}.jsonl.gz" for name in BARS]
    met = [told(file) for file in files]
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
