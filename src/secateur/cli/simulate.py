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
from secateur.cli import options, tabular, terms
from secateur.cli.exits import FINE, Refused
from secateur.cli.explained import explained, words
from secateur.cli.names import POLICY
from secateur.cli.played import Played, Settings, played
from secateur.cli.progress import working
from secateur.cli.standings import drawn
from secateur.cli.terminal import harmless, say_json, tell
from secateur.cli.terms import Priced, stated_in
from secateur.cli.told import LEGEND, Simulation, Told, cache_of, heading, sums, told_of
from secateur.pricing import Rates
from secateur.simulate.plots import pictured, ready, write

NOTHING = "observe"  # edits nothing: the unpruned session again
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
not read all of a live cache. hard: of what later calls refer to and only
results had shown, the share still in view; soft: of what an earlier call or a
text says too. intact: requests with all they refer to. refetch: the bill, had
what was lost been fetched again. ×best: the bill over the cheapest schedule of
what the policy lets go.

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
    hour: bool | None
    window: int | None
    format_name: str | None
    fixed_tokens: int
    compactions: bool
    compact: bool
    explain: str | None
    plots: tuple[str, ...]
    csv: str | None
    as_json: bool


@click.command("simulate", epilog=_HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@options.all_of(
    options.policies,
    click.option("--model", "models", multiple=True, metavar="M", help="Priced as these models; else as recorded."),
    terms.price,
    terms.kappa,
    options.hour,
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
        told = [told_of(one) for one in found]
        rename("drawing")
        _written(asked, found, told)
    if asked.as_json:
        say_json(Simulation(sessions=told, lines={name: sums(found, name) for name in asked.models or ("",)}))
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
    every = (name for name in policy.names() if name != NOTHING)
    names = asked.policies or tuple(sorted(every, key=lambda name: name != FIRST))
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
        said = [*words(shown, first.base, told[0].accounts[shown.name]), cache_of(told[0])]
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
        blocks += [heading([said for _, said in mine]), "", drawn(sums(found, model), shown.name), LEGEND, ""]
        if len(mine) == 1:
            one, said = mine[0]
            blocks += explained(shown, one.comparison.base, said.accounts[shown.name])
        blocks += [f"warning: {harmless(text)}" for text in dict.fromkeys(t for _, s in mine for t in s.warnings)]
    first = f", of {harmless(Path(told[0].input).name)}" if len(told) > 1 else ""
    blocks += [f"{kind}: {harmless(name)}{first if kind == 'picture' else ''}" for kind, name in _files(asked)]
    return blocks


def _files(asked: Asked) -> list[tuple[str, str]]:
    return [("picture", name) for name in asked.plots] + ([("table", asked.csv)] if asked.csv else [])
