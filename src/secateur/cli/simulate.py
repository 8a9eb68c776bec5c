"""`secateur simulate`: what recorded sessions would have cost under each policy, and what each would have lost.

Rule: a recording is read, nothing is sent. Each policy decides request by request as it would have then; where it
compacts, a summary made without a model stands for the one that a model would have written. Every figure of a bill
stands beside what was lost for it.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from secateur import policy
from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.names import POLICY
from secateur.cli.options import Options, argument, option
from secateur.cli.output.progress import show_work
from secateur.cli.output.table_files import check_table_path, write_table
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.policy_bills import make_bills_table
from secateur.cli.pricing_options import KappaOption, PriceOption, PricingChoice, find_stated_prices
from secateur.cli.session_replays import PlayedSession, PlayOptions, play_file
from secateur.cli.simulate_report import (
    LEGEND,
    SessionReport,
    SimulationReport,
    describe_cache,
    describe_for_plot,
    explain_decisions,
    make_heading,
    report_session,
    total_bills,
)
from secateur.simulate.plots import pictured, ready, write

UNPRUNED = "observe"  # edits nothing: the unpruned session again
EXPLAINED = "balance"  # is explained and drawn, if it is among the policies
_EPILOG = """\
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


class SimulateOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur simulate`."""

    files: Annotated[tuple[str, ...], argument(nargs=-1, required=True, type=click.Path(), metavar="FILE...")]
    policies: options.Policies
    models: Annotated[
        tuple[str, ...],
        option("--model", multiple=True, metavar="M", help="Priced as these models; else as recorded."),
    ]
    price: PriceOption
    kappa: KappaOption
    hour: options.Hour
    window: options.Window
    format_name: options.FormatName
    fixed_tokens: options.FixedTokens
    compactions: Annotated[
        bool,
        option(
            "--compactions/--no-compactions",
            default=True,
            help="Without: as if the host had never compacted the history.",
        ),
    ]
    compact: Annotated[bool, option("--compact/--no-compact", default=True, help="Without: policies only prune.")]
    explain: Annotated[
        str | None,
        option(
            "--explain",
            type=POLICY,
            metavar="P",
            help=f"Which policy to explain.  [default: {EXPLAINED}, else the first]",
        ),
    ]
    plots: Annotated[
        tuple[str, ...],
        option("--plot", multiple=True, type=click.Path(), metavar="OUT", help="Draw: .html, .png, .svg, .pdf."),
    ]
    csv: Annotated[
        str | None,
        option("--csv", type=click.Path(), metavar="OUT", help="One row a session and policy: .csv, .parquet, .json."),
    ]
    as_json: options.AsJson


@options.command("simulate", SimulateOptions, _EPILOG)
def command(args: SimulateOptions) -> int:
    """Show what recorded sessions would have cost under each policy, what each would have lost, and why it acted."""
    args = _check_options(args)
    with show_work("reading") as rename:
        found = list(_play_all(args, rename))
        told = [report_session(one) for one in found]
        rename("drawing")
        _write_files(args, found, told)
    if args.as_json:
        print_json(
            SimulationReport(sessions=told, lines={name: total_bills(found, name) for name in args.models or ("",)})
        )
    else:
        print_blocks(*_render(args, found, told))
    return SUCCESS


def _check_options(args: SimulateOptions) -> SimulateOptions:
    """The request, if it can be carried out: said before any work is done."""
    if args.price is not None and args.models:
        raise UsageError("--price states what --model looks up: give one of them")
    for name in args.plots:
        ready(Path(name))
    if args.csv:
        check_table_path(args.csv)
    every = (name for name in policy.names() if name != UNPRUNED)
    names = args.policies or tuple(sorted(every, key=lambda name: name != EXPLAINED))
    if args.explain and args.explain not in names:
        names = (args.explain, *names)
    return msgspec.structs.replace(args, policies=tuple(dict.fromkeys(names)))


def _play_all(args: SimulateOptions, rename: Callable[[str], None]) -> Iterator[PlayedSession]:
    for model in args.models or ("",):
        settings = PlayOptions(
            priced=PricingChoice(model, args.price, args.kappa, args.hour, stated=find_stated_prices(args.policies)),
            policies=args.policies,
            window=args.window,
            format_name=args.format_name,
            fixed_tokens=args.fixed_tokens,
            compactions=args.compactions,
            compact=args.compact,
        )
        for file in args.files:
            yield from play_file(file, settings, rename)


def _write_files(args: SimulateOptions, found: Sequence[PlayedSession], told: Sequence[SessionReport]) -> None:
    """The files that were asked for; a picture shows the first session."""
    if args.csv:
        rows = [
            {"input": one.input, "model": one.model} | msgspec.to_builtins(row) for one in told for row in one.lines
        ]
        write_table(Path(args.csv), rows)
    for name in args.plots:
        first = found[0].comparison
        shown = _find_explained(args, found[0])
        said = [*describe_for_plot(shown, first.base, told[0].accounts[shown.name]), describe_cache(told[0])]
        write(pictured(first, Path(told[0].input).name, shown.name, said), Path(name))


def _find_explained(args: SimulateOptions, one: PlayedSession) -> Any:
    """The standing that is explained."""
    standings = one.comparison.standings
    wanted = policy.load(args.explain).name if args.explain else EXPLAINED
    return next((each for each in standings if each.name == wanted), standings[0])


def _render(args: SimulateOptions, found: Sequence[PlayedSession], told: Sequence[SessionReport]) -> list[Any]:
    blocks: list[Any] = []
    for model in args.models or ("",):
        mine = [(one, said) for one, said in zip(found, told, strict=True) if one.asked == model]
        shown = _find_explained(args, mine[0][0])
        blocks += [
            make_heading([said for _, said in mine]),
            "",
            make_bills_table(total_bills(found, model), shown.name),
            LEGEND,
            "",
        ]
        if len(mine) == 1:
            one, said = mine[0]
            blocks += explain_decisions(shown, one.comparison.base, said.accounts[shown.name])
        blocks += [f"warning: {clean(text)}" for text in dict.fromkeys(t for _, s in mine for t in s.warnings)]
    first = f", of {clean(Path(told[0].input).name)}" if len(told) > 1 else ""
    blocks += [f"{kind}: {clean(name)}{first if kind == 'picture' else ''}" for kind, name in _list_files(args)]
    return blocks


def _list_files(args: SimulateOptions) -> list[tuple[str, str]]:
    return [("picture", name) for name in args.plots] + ([("table", args.csv)] if args.csv else [])
