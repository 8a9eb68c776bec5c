"""`secateur simulate`: what recorded sessions would have cost under each policy, and what each would have lost.

Rule: a recording is read, nothing is sent. Each policy decides request by request as it would have then; where it
compacts, a summary made without a model stands for the one that a model would have written. Every figure of a bill
stands beside what was lost for it.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import options, tabular
from secateur.cli.exits import FINE, Refused
from secateur.cli.explained import explained, words
from secateur.cli.figures import many
from secateur.cli.names import POLICY
from secateur.cli.played import Played, Settings, played
from secateur.cli.progress import working
from secateur.cli.standings import Line, drawn, lines, summed
from secateur.cli.terminal import harmless, say_json, tell
from secateur.cli.terms import Priced, RatesType, stated_in
from secateur.pricing import Rates, kappa
from secateur.simulate.account import Account, account
from secateur.simulate.plots import pictured, ready, write

SCHEMA = "secateur.simulate/1"
FIRST = "balance"  # is explained and drawn, if it is among the policies

_HELP = """\
\b
Examples:
  secateur simulate session.jsonl
  secateur simulate session.jsonl --policy balance --policy mine.toml
  secateur simulate session.jsonl --plot out.html
  secateur simulate *.jsonl --model claude-sonnet-4-5 --csv bills.csv

\b
sent, peak: tokens of all prompts, of the longest. busts: requests that could
not read all of a live cache. recall: of what later calls refer to and only
results had shown, the share still in view. intact: requests with all they
refer to. refetch: the bill, had what was lost been fetched again. ×best: the
bill over the cheapest schedule of what the policy lets go.

\b
Exit codes: 0 fine, 2 usage or configuration (also: no price is known for the
model), 3 input unreadable.
"""


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line said."""

    files: tuple[str, ...]
    policies: tuple[str, ...]
    models: tuple[str, ...]
    price: Rates | None
    kappa: float | None
    hour: bool
    window: int | None
    format_name: str | None
    fixed_tokens: int
    compactions: bool
    compact: bool
    explain: str | None
    plots: tuple[str, ...]
    csv: str | None
    as_json: bool


class Told(Struct, frozen=True, kw_only=True):
    """One session at one price."""

    input: str
    format: str
    requests: int
    compactions: int  # that the host made of its own
    model: str  # whose price was taken
    price: str  # where that is from
    kappa: float  # (write - read) / read
    cache: str  # the rules for it, by name
    lines: list[Line]
    accounts: dict[str, Account]  # by policy; costs in units: tokens of plain input
    warnings: tuple[str, ...]


class Simulation(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    sessions: list[Told]
    lines: dict[str, list[Line]]  # over all sessions, by the model asked for ("": each its own)


@click.command("simulate", epilog=_HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@options.all_of(
    click.option(
        "--policy", "policies", type=POLICY, multiple=True, metavar="P", help="Only these. [default: all presets]"
    ),
    click.option("--model", "models", multiple=True, metavar="M", help="Priced as these models; else as recorded."),
    click.option(
        "--price", type=RatesType(), metavar="RATES", help="Dollars per million: input=3,output=15,read=0.3,write=3.75."
    ),
    click.option(
        "--kappa", type=click.FloatRange(min=0), metavar="X", help="(write - read) / read: reads priced anew."
    ),
    click.option("--hour", is_flag=True, help="The client buys the cache's longer time to live."),
    options.window,
    options.format_,
    options.fixed,
    click.option(
        "--compactions/--no-compactions",
        default=True,
        help="Without: as if the host had never compacted the history.",
    ),
    click.option("--compact/--no-compact", default=True, help="Without: policies only prune."),
    click.option(
        "--explain", type=POLICY, metavar="P", help=f"Which policy to explain.  [default: {FIRST}, else the first]"
    ),
    click.option(
        "--plot", "plots", multiple=True, type=click.Path(), metavar="OUT", help="Draw: .html, .png, .svg, .pdf."
    ),
    click.option(
        "--csv", type=click.Path(), metavar="OUT", help="One row a session and policy: .csv, .parquet, .json."
    ),
    options.as_json,
)
def command(**given: Any) -> int:
    """Show what recorded sessions would have cost under each policy, what each would have lost, and why it acted."""
    asked = _checked(Asked(**given))
    with working("reading") as rename:
        found = list(_all(asked, rename))
        told = [_told(one) for one in found]
        rename("drawing")
        _written(asked, found, told)
    if asked.as_json:
        say_json(Simulation(sessions=told, lines={name: _sums(found, name) for name in asked.models or ("",)}))
    else:
        tell(*_blocks(asked, found, told))
    return FINE


def _checked(asked: Asked) -> Asked:
    """The request, if it can be carried out: said before any work is done."""
    if asked.price is not None and asked.models:
        raise Refused("--price states what --model looks up: give one of them")
    for name in asked.plots:
        ready(Path(name))
    if asked.csv:
        tabular.checked(asked.csv)
    names = asked.policies or tuple(sorted(policy.names(), key=lambda name: name != FIRST))
    if asked.explain and asked.explain not in names:
        names = (asked.explain, *names)
    return msgspec.structs.replace(asked, policies=tuple(dict.fromkeys(names)))


def _all(asked: Asked, rename: Callable[[str], None]) -> Iterator[Played]:
    for model in asked.models or ("",):
        settings = Settings(
            priced=Priced(model, asked.price, asked.kappa, asked.hour, stated=stated_in(asked.policies)),
            policies=asked.policies,
            window=asked.window,
            format_name=asked.format_name,
            fixed_tokens=asked.fixed_tokens,
            compactions=asked.compactions,
            compact=asked.compact,
        )
        for file in asked.files:
            yield from played(file, settings, rename)


def _told(one: Played) -> Told:
    found, price = one.comparison, one.terms.price
    return Told(
        input=one.label,
        format=found.recording.document.format.name,
        requests=len(found.recording.requests),
        compactions=len(found.recording.segments) - 1,
        model=price.model,
        price=price.source,
        kappa=kappa(price.base.w, price.base.r),
        cache=one.terms.caching.rules.name,
        lines=lines(found),
        accounts={each.name: account(each.run, found.base.run) for each in found.standings},
        warnings=one.terms.warnings,
    )


def _sums(found: Sequence[Played], model: str) -> list[Line]:
    return summed([lines(one.comparison) for one in found if one.asked == model])


def _written(asked: Asked, found: Sequence[Played], told: Sequence[Told]) -> None:
    """The files that were asked for; a picture shows the first session."""
    if asked.csv:
        rows = [
            {"input": one.input, "model": one.model} | msgspec.to_builtins(row) for one in told for row in one.lines
        ]
        tabular.save(Path(asked.csv), rows)
    for name in asked.plots:
        first = found[0].comparison
        shown = _shown(asked, found[0])
        said = words(shown, first.base, told[0].accounts[shown.name])
        write(pictured(first, Path(told[0].input).name, shown.name, said), Path(name))


def _shown(asked: Asked, one: Played) -> Any:
    """The standing that is explained."""
    standings = one.comparison.standings
    wanted = policy.load(asked.explain).name if asked.explain else FIRST
    return next((each for each in standings if each.name == wanted), standings[0])


def _blocks(asked: Asked, found: Sequence[Played], told: Sequence[Told]) -> list[Any]:
    blocks: list[Any] = []
    for model in asked.models or ("",):
        mine = [(one, said) for one, said in zip(found, told, strict=True) if one.asked == model]
        shown = _shown(asked, mine[0][0])
        blocks += [_heading([said for _, said in mine]), "", drawn(_sums(found, model), shown.name), ""]
        if len(mine) == 1:
            one, said = mine[0]
            blocks += explained(shown, one.comparison.base, said.accounts[shown.name])
        blocks += [f"warning: {harmless(text)}" for text in dict.fromkeys(t for _, s in mine for t in s.warnings)]
    blocks += [f"{kind}: {harmless(name)}" for kind, name in _files(asked)]
    return blocks


def _heading(told: Sequence[Told]) -> str:
    first, requests = told[0], sum(one.requests for one in told)
    if len(told) > 1:
        names = ", ".join(dict.fromkeys(one.model for one in told))
        return f"{many(len(told), 'session')}, {many(requests, 'request')}, priced as {harmless(names)}"
    host = f", {many(first.compactions, 'compaction')} by its host" if first.compactions else ""
    return (
        f"{harmless(first.input)}: {first.format}, {many(requests, 'request')}{host}; {harmless(first.model)}"
        f" ({harmless(first.price)}), κ {first.kappa:.3g}, cache as {first.cache}"
    )


def _files(asked: Asked) -> list[tuple[str, str]]:
    return [("picture", name) for name in asked.plots] + ([("table", asked.csv)] if asked.csv else [])
