"""What sessions cost under `balance` and `digests`, half by half: bills, recall, and the worst prefix of any bill.

    SECATEUR_CORPUS=DIR python benchmarks/bills.py [--files 70] [--out FILE] [--against FILE]

Rule: a session is played as if its host had never compacted, under Claude's cache rules, as `policies.py` plays it.
`--out` writes a line of JSON for each session and case; `--against` compares with such lines of another version, and
lists every session whose plan or bill changed, by the digest of `split.py`.
"""

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from bound import KAPPAS, OUTPUT, caching_for, sessions_of
from corpus import find_corpus
from split import digest_of, half_of

from secateur.pricing import make_unit_price
from secateur.simulate.recall import compare_views, recall_of
from secateur.simulate.replay import replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, bill_turns, simulate

# preset, window, and what a cache write costs in reads
CASES = (
    ("balance", 100_000, 11.5),
    ("balance", 60_000, 24.0),
    ("digests", 100_000, 24.0),
    ("digests", 1_000_000, 11.5),
    ("digests", 1_000_000, 24.0),
)
SHORTEST, REQUESTS = 60_000, 30  # tokens of the longest prompt, and requests, of a session that is played
SIZES = range(250_000, 2_500_000)  # bytes of its file
Row = dict[str, Any]


def choose_files(corpus: Path) -> list[Path]:
    """Session files in an order that follows from their names alone."""
    listed = json.loads((corpus / "MANIFEST.json").read_text())
    skipped = ("_yaml", "_md", "_stream_jsonl", "inspect_eval_log_json")
    found = [
        one["path"]
        for one in listed
        if one["raw_bytes"] in SIZES and not one["format"].endswith(skipped)
        if "checkpoint_series" not in one["path"] and "tau" not in one["format"]
    ]
    return [corpus / path for path in sorted(found, key=lambda path: hashlib.sha256(path.encode()).digest())]


def play(recording: Recording) -> Iterator[Row]:
    """One row for each case."""
    caching, recall = caching_for(recording, "whole"), recall_of(recording)
    turns = tuple(replay_unpruned(recording))
    plain = {
        kappa: bill_turns(turns, make_unit_price(*KAPPAS[kappa], OUTPUT), caching)
        for kappa in {case[2] for case in CASES}
    }
    if max(row.prompt for row in plain[CASES[0][2]]) < SHORTEST:
        return
    for preset, window, kappa in CASES:
        run = simulate(recording, preset, make_unit_price(*KAPPAS[kappa], OUTPUT), caching=caching, window=window)
        ours, theirs = ([row.units for row in rows] for rows in (run.rows, plain[kappa]))
        worst = max(mine / whole - 1 for mine, whole in zip(accumulate(ours), accumulate(theirs), strict=True))
        score = recall.score(compare_views((recording.get_context(turn.request), turn.seen) for turn in run.turns))
        yield {
            "session": digest_of(recording)[:8] + f"/{len(run.rows)}",
            "half": half_of(recording),
            "case": f"{preset} {window:,} {kappa:g}",
            "units": sum(ours),
            "plain": sum(theirs),
            "worst": worst,
            "recall": score.hard,
            "epochs": len(run.plan.epochs),
            "plan": hash_plan(run),
        }


def hash_plan(run: Run) -> str:
    """What was edited when, as one hash."""
    edits = [(epoch.head_key, [getattr(edit, "key", "") for edit in epoch.edits]) for epoch in run.plan.epochs]
    return hashlib.sha256(repr(edits).encode()).hexdigest()[:12]


def compare(old: list[Row], new: list[Row]) -> None:
    """Print the totals of each case and half, old and new, and every session that changed."""
    known = {(row["session"], row["case"]): row for row in old}
    groups: dict[tuple[str, str], list[tuple[Row, Row]]] = defaultdict(list)
    for row in new:
        before = known.get((row["session"], row["case"]))
        groups[row["case"], row["half"]].append((before or row, row))
    for (case, half), pairs in sorted(groups.items()):
        before, after = zip(*pairs, strict=True)
        print(f"{case}, {half}, {len(pairs)} sessions: {describe(before)} -> {describe(after)}")
        for was, now in sorted(pairs, key=lambda pair: pair[1]["units"] / pair[0]["units"]):
            more = now["units"] / was["units"] - 1
            if was["plan"] != now["plan"] or abs(more) > 1e-6:
                recall = f"recall {was['recall']:.3f} -> {now['recall']:.3f}"
                print(f"  {now['session']:14} bill {more:+.2%}, {recall}, epochs {was['epochs']} -> {now['epochs']}")


def describe(rows: tuple[Row, ...]) -> str:
    """The totals of some rows."""
    bill = sum(row["units"] for row in rows) / sum(row["plain"] for row in rows)
    recall = sum(row["recall"] for row in rows) / len(rows)
    return f"{bill:.4f} of the unpruned bills, recall {recall:.4f}, worst prefix {max(r['worst'] for r in rows):+.2%}"


def main() -> None:
    """Play, and print or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=70, help="so many sessions")
    parser.add_argument("--out", type=Path, help="write the rows here")
    parser.add_argument("--against", type=Path, help="rows of another version")
    given = parser.parse_args()
    rows: list[Row] = []
    sessions = 0
    for file in choose_files(find_corpus()):
        recording = next(
            (one for _, one in sessions_of(file, compactions=False) if len(one.requests) >= REQUESTS), None
        )
        found = list(play(recording)) if recording is not None and sessions < given.files else []
        sessions += bool(found)
        rows += found
    if given.out:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    old = [json.loads(line) for line in given.against.read_text().splitlines()] if given.against else rows
    compare(old, rows)


if __name__ == "__main__":
    main()
