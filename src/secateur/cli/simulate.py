"""`secateur simulate`: what recorded sessions would have cost under each policy, and what each would have lost.

Rule: recordings are read, nothing is sent. Each policy decides request by request as it would have then; where it
compacts, the summary is made without a model. Every cost is shown with what was lost for it.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec

from secateur import policy
from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.names import DOCUMENT, POLICY
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.progress import show_work
from secateur.cli.output.tables import check_table_path, write_table
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.policy_bills import PlayedSession, PlayOptions, choose_policy, make_bills_table, play_file
from secateur.cli.pricing_options import PriceOption, PricingChoice, RatioOption, find_stated_prices
from secateur.cli.simulate_report import (
    LEGEND,
    SessionReport,
    SimulationReport,
    describe_cache,
    describe_choice,
    describe_for_plot,
    explain_decisions,
    make_heading,
    report_session,
    sum_policy_bills,
)
from secateur.simulate.plots import build_picture, load_renderer, write

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
Columns: tokens sent in all prompts; the longest prompt (peak); the cost, and
its difference from the unpruned session; cache breaks, requests that missed
part of a live cache; recall, the share of later references still visible, of
those that only a tool result had shown (echoed: of those that an earlier call
or text shows too); complete, requests with everything they refer to; the cost
including fetching again what was lost; and the cost relative to the optimal
schedule of the same edits, which is only known afterwards.

\b
Exit codes: 0 success, 2 usage or configuration (or no price is known for the
model), 3 input unreadable.
"""


class SimulateOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur simulate`."""

    files: Annotated[tuple[str, ...], make_argument(nargs=-1, required=True, type=DOCUMENT, metavar="FILE...")]
    policies: options.Policies
    models: Annotated[
        tuple[str, ...],
        make_option(
            "--model", multiple=True, metavar="M", help="Price as this model. Repeatable.  [default: as recorded]"
        ),
    ]
    price: PriceOption
    write_read_ratio: RatioOption
    cache_ttl: options.CacheTtl
    window: options.Window
    target_tokens: options.TargetTokens
    format_name: options.FormatName
    fixed_tokens: options.FixedTokens
    ignore_host_compactions: Annotated[
        bool,
        make_option(
            "--ignore-host-compactions", is_flag=True, help="Replay as if the host had never compacted the history."
        ),
    ]
    compact: Annotated[
        bool, make_option("--compact/--no-compact", default=True, help="Let policies compact, or only prune.")
    ]
    explain: Annotated[
        str | None,
        make_option(
            "--explain",
            type=POLICY,
            metavar="P",
            help=f"The policy whose decisions are explained.  [default: {EXPLAINED}, else the first]",
        ),
    ]
    plots: Annotated[
        tuple[str, ...],
        make_option(
            "--plot", multiple=True, type=click.Path(), metavar="OUT", help="Plot to a file: .html, .png, .svg, .pdf."
        ),
    ]
    csv: Annotated[
        str | None,
        make_option(
            "--csv",
            type=click.Path(),
            metavar="OUT",
            help="Write one row per session and policy: .csv, .parquet, .json.",
        ),
    ]
    as_json: options.AsJson


@options.make_command("simulate", SimulateOptions, _EPILOG)
def command(args: SimulateOptions) -> int:
    """Show what recorded sessions would have cost under each policy, what each would have lost, and why it acted.

    Nothing is sent to a model; summaries are made without one.
    """
    args = _check_options(args)
    with show_work("reading") as rename:
        replays = list(_play_all(args, rename))
        sessions = [report_session(replay) for replay in replays]
        rename("drawing")
        _write_files(args, replays, sessions)
    if args.as_json:
        lines = {name: sum_policy_bills(replays, name) for name in args.models or ("",)}
        recommended = {name: choose_policy(rows) for name, rows in lines.items()}
        print_json(SimulationReport(sessions=sessions, lines=lines, recommended=recommended))
    else:
        print_blocks(*_render(args, replays, sessions))
    return SUCCESS


def _check_options(args: SimulateOptions) -> SimulateOptions:
    """The options with their defaults filled in. Raises UsageError before any work is done."""
    if args.price is not None and args.models:
        raise UsageError("--price and --model both set the price: give one of them")
    for name in args.plots:
        load_renderer(Path(name))
    if args.csv:
        check_table_path(args.csv)
    every = (name for name in policy.list_preset_names() if name != UNPRUNED)
    names = args.policies or tuple(sorted(every, key=lambda name: name != EXPLAINED))
    if args.explain and args.explain not in names:
        names = (args.explain, *names)
    return msgspec.structs.replace(args, policies=tuple(dict.fromkeys(names)))


def _play_all(args: SimulateOptions, rename: Callable[[str], None]) -> Iterator[PlayedSession]:
    for model in args.models or ("",):
        settings = PlayOptions(
            priced=PricingChoice(
                model, args.price, args.write_read_ratio, args.cache_ttl, stated=find_stated_prices(args.policies)
            ),
            policies=args.policies,
            window=args.window,
            target_tokens=args.target_tokens,
            format_name=args.format_name,
            fixed_tokens=args.fixed_tokens,
            ignore_host_compactions=args.ignore_host_compactions,
            compact=args.compact,
        )
        for file in args.files:
            yield from play_file(file, settings, rename)


def _write_files(args: SimulateOptions, replays: Sequence[PlayedSession], sessions: Sequence[SessionReport]) -> None:
    """Write the plots and the table; a plot shows the first session."""
    if args.csv:
        rows = [
            {"input": session.input, "model": session.model} | msgspec.to_builtins(row)
            for session in sessions
            for row in session.lines
        ]
        write_table(Path(args.csv), rows)
    for name in args.plots:
        first = replays[0].comparison
        shown = _find_explained(args, replays[0])
        texts = [
            *describe_for_plot(shown, first.base, sessions[0].decision_logs[shown.name]),
            describe_cache(sessions[0]),
        ]
        write(build_picture(first, Path(sessions[0].input).name, shown.name, texts), Path(name))


def _find_explained(args: SimulateOptions, replay: PlayedSession) -> Any:
    """The policy that is explained."""
    standings = replay.comparison.standings
    wanted = policy.load(args.explain).name if args.explain else EXPLAINED
    return next((standing for standing in standings if standing.name == wanted), standings[0])


def _render(args: SimulateOptions, replays: Sequence[PlayedSession], sessions: Sequence[SessionReport]) -> list[Any]:
    blocks: list[Any] = []
    for model in args.models or ("",):
        selected = [
            (replay, session) for replay, session in zip(replays, sessions, strict=True) if replay.asked == model
        ]
        shown = _find_explained(args, selected[0][0])
        rows = sum_policy_bills(replays, model)
        chosen = choose_policy(rows)
        suits = {loaded.name: loaded.suits for loaded in map(policy.load, policy.INTENTS)}
        blocks += [
            make_heading([session for _, session in selected]),
            "",
            make_bills_table(rows, shown.name, chosen.policy if chosen else ""),
            LEGEND,
            *map(clean, describe_choice(rows, suits)),
            "",
        ]
        if len(selected) == 1:
            replay, session = selected[0]
            blocks += explain_decisions(shown, replay.comparison.base, session.decision_logs[shown.name])
        blocks += [f"warning: {clean(text)}" for text in dict.fromkeys(t for _, s in selected for t in s.warnings)]
    first = f", of {clean(Path(sessions[0].input).name)}" if len(sessions) > 1 else ""
    blocks += [f"{kind}: {clean(name)}{first if kind == 'picture' else ''}" for kind, name in _list_files(args)]
    return blocks


def _list_files(args: SimulateOptions) -> list[tuple[str, str]]:
    return [("picture", name) for name in args.plots] + ([("table", args.csv)] if args.csv else [])
