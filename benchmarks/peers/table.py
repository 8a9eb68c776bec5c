"""The referee's table: for a terminal, for a page, and as JSON that a later run can continue with.

Rule: every figure has its column, and a row without figures says why. Means over sessions give each the same weight;
what is counted is summed.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

import msgspec
from figures import Figures
from msgspec import Struct

Found = Figures | str  # a row, or why there is none
Table = dict[str, Found]
WIDTH = 50


class Report(Struct, frozen=True):
    """What a run found. `sessions` by file name, then by row."""

    versions: dict[str, tuple[str, ...]]
    window: int
    sessions: dict[str, Table]


def heading(kappas: Sequence[float]) -> str:
    """The names of the columns."""
    money = "".join(f"bill@{one:g}".rjust(10) for one in kappas) + "".join(f"adj@{one:g}".rjust(9) for one in kappas)
    return f"  {'':{WIDTH}}{'sent':>13}{'peak':>10}{money}" + "".join(
        f"{name:>9}" for name in ("breaks", "hard", "complete", "asked", "refused", "ms")
    )


def line(row: str, found: Found) -> str:
    """One row."""
    if isinstance(found, str):
        return f"  {row:{WIDTH}}  {found}"
    bills = "".join(f"{one:10.3f}" for one in found.bills.values())
    bills += "".join(f"{one:9.3f}" for one in found.adjusted.values())
    kept = f"{found.hard:9.3f}{found.complete_requests:9.3f}{found.asked:9.3f}"
    counts = f"{found.cache_breaks:9,}{kept}{found.invalid:9,}"
    return f"  {row:{WIDTH}}{found.sent:13,}{found.peak:10,}{bills}{counts}{found.ms:9.1f}"


def together(tables: Sequence[Table]) -> Table:
    """One table of all sessions; a row that failed in one of them fails."""
    return {row: _all([table[row] for table in tables if row in table]) for row in tables[0]}


def markdown(table: Table) -> Iterator[str]:
    """The same for a page: bills and adjusted bills at the three prices in one cell each."""
    yield "| | tokens sent | peak | bill | adjusted bill | cache breaks | hard | complete | asked | refused | ms |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for row, one in table.items():
        if isinstance(one, str):
            yield f"| {row} | {one} |" + " |" * 9
            continue
        bills, adjusted = (" ".join(f"{share:.2f}" for share in by.values()) for by in (one.bills, one.adjusted))
        kept = f"{one.hard:.3f} | {one.complete_requests:.3f} | {one.asked:.2f}"
        yield (
            f"| {row} | {one.sent / 1e6:.1f} M | {one.peak / 1e3:.0f} k | {bills} | {adjusted} | {one.cache_breaks:,} "
            f"| {kept} | {one.invalid:,} | {one.ms:.1f} |"
        )


def kept(file: str) -> Mapping[str, Table]:
    """The tables of an earlier run; none where there is no such file."""
    if not file or not Path(file).is_file():
        return {}
    return msgspec.json.decode(Path(file).read_bytes(), type=Report).sessions


def keep(file: str, report: Report) -> None:
    """Write a run down."""
    Path(file).write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def _all(found: Sequence[Found]) -> Found:
    every = [one for one in found if isinstance(one, Figures)]
    if len(every) < len(found):
        return next(one for one in found if isinstance(one, str))
    return Figures(
        sent=sum(one.sent for one in every),
        peak=max(one.peak for one in every),
        bills={kappa: mean(one.bills[kappa] for one in every) for kappa in every[0].bills},
        adjusted={kappa: mean(one.adjusted[kappa] for one in every) for kappa in every[0].adjusted},
        cache_breaks=sum(one.cache_breaks for one in every),
        hard=mean(one.hard for one in every),
        complete_requests=mean(one.complete_requests for one in every),
        asked=mean(one.asked for one in every),
        invalid=sum(one.invalid for one in every),
        ms=mean(one.ms for one in every),
        requests=sum(one.requests for one in every),
    )
