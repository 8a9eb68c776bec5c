"""`secateur scan`: a folder of sessions: where the money and the tokens went, and what each policy would have saved.

Rule: nothing is written but what is asked for, and nothing leaves the machine. A file that cannot be read is told and
does not end the scan; where a model has no price, another's is taken and that is told too.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click
import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UnreadableInput, UsageError
from secateur.cli.options import Options, argument, option
from secateur.cli.output import tables
from secateur.cli.output.formatting import (
    abbreviate,
    format_dollar_cell,
    format_dollar_share,
    format_dollars,
    pluralize,
)
from secateur.cli.output.progress import show_count
from secateur.cli.output.table_files import check_table_path, write_table
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.policy_bills import PolicyBill, make_bills_table, sum_bills
from secateur.cli.pricing_options import KappaOption, PriceOption, PricingChoice, find_stated_prices
from secateur.cli.scan_totals import (
    FormatTotal,
    SpendingTotal,
    WasteTotal,
    total_by_format,
    total_spending,
    total_waste,
)

if TYPE_CHECKING:
    from secateur.cli.scan_files import ScannedSession

_EPILOG = """\
\b
Examples:
  secateur scan
  secateur scan ~/.claude/projects --policy balance
  secateur scan logs/ --out sessions.parquet
  secateur scan logs/ --json | jq .leaks

\b
Without DIR: the folders in which Claude Code, Codex, Pi, OpenClaw, Gemini CLI
and Copilot CLI keep their sessions.

\b
Exit codes: 0 fine, 1 some files could not be read, 2 usage or configuration,
3 there is no such file or folder, or no session file in it.
"""
SCHEMA = "secateur.scan/1"
_WASTE = "Where it leaks (kinds overlap: do not add them up)"
_NESTED = ("spent", "leaks", "lines")


class ScanReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    folders: tuple[str, ...]
    files: int
    sessions: tuple[Any, ...]  # surveys
    formats: list[FormatTotal]
    spending: list[SpendingTotal]  # the dearest first; adds up to the bill
    lines: list[PolicyBill]  # by policy, over all sessions
    leaks: list[WasteTotal]
    unread: tuple[Any, ...]  # files that gave no session
    copies: int = 0  # sessions of which another recording holds every request

    def row(self, one: "ScannedSession") -> dict[str, Any]:
        """A session as one flat row: its own figures, then the bill under each policy."""
        plain = {name: value for name, value in msgspec.structs.asdict(one).items() if name not in _NESTED}
        return plain | {f"dollars {line.policy}": line.dollars for line in one.lines}


class ScanOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur scan`."""

    folders: Annotated[tuple[str, ...], argument(nargs=-1, type=click.Path(), metavar="[DIR]...")]
    policies: options.Policies
    model: Annotated[
        str, option("--model", default="", metavar="M", help="Price all as this model; else each as recorded.")
    ]
    price: PriceOption
    kappa: KappaOption
    hour: options.Hour
    window: options.Window
    jobs: Annotated[
        int,
        option("--jobs", type=click.IntRange(min=0), default=0, metavar="N", help="Processes; 0: one a processor."),
    ]
    out: Annotated[
        str | None,
        option("--out", type=click.Path(), metavar="OUT", help="One row a session: .csv, .parquet, .json."),
    ]
    as_json: options.AsJson


@options.command("scan", ScanOptions, _EPILOG)
def command(args: ScanOptions) -> int:
    """Show where the money and tokens of the sessions in DIR went, and what each policy would have saved."""
    out = check_table_path(args.out) if args.out else None
    found = make_scan(args)
    if out:
        write_table(out, [found.row(one) for one in found.sessions])
    if args.as_json:
        print_json(found)
    else:
        print_blocks(*_render(found), *([f"table: {args.out}"] if out else []))
    return FINDINGS if any(one.broken for one in found.unread) else SUCCESS


def make_scan(args: ScanOptions) -> ScanReport:
    """Survey everything."""
    from secateur.cli.scan_files import (
        SESSION_ENDINGS,
        ScanSettings,
        find_agent_folders,
        find_session_files,
        list_searched_folders,
        scan_all,
    )

    folders = args.folders or tuple(str(folder) for _, folder in find_agent_folders())
    if not folders:
        raise UsageError(f"no sessions are in {', '.join(list_searched_folders())}: name a folder")
    names = args.policies or tuple(name for name in policy.names() if name != "observe")
    for name in names:
        policy.load(name)
    paths = find_session_files(folders)
    if not paths:
        raise UnreadableInput(
            f"no session file is in {', '.join(folders)}: none ends in {', '.join(SESSION_ENDINGS)}, or .gz"
        )
    wanted = ScanSettings(
        PricingChoice(args.model, args.price, args.kappa, args.hour, assume=True, stated=find_stated_prices(names)),
        names,
        args.window,
    )
    told = scan_all(paths, wanted, args.jobs, show_count)
    sessions = tuple(survey for one in told for survey in one.surveys)
    whole = sum(one.dollars for one in sessions)
    return ScanReport(
        folders=folders,
        files=len(paths),
        sessions=sessions,
        formats=total_by_format(sessions),
        spending=total_spending(sessions),
        lines=sum_bills([one.lines for one in sessions]),
        leaks=total_waste([leak for one in sessions for leak in one.leaks], whole),
        unread=tuple(one for each in told for one in each.unread),
        copies=sum(one.copies for one in told),
    )


_TOOLS, _FILES = 10, 5  # rows that are shown


def _render(found: ScanReport) -> list[Any]:
    """What a person sees."""
    whole = sum(one.dollars for one in found.sessions)
    shown: list[Any] = [_make_heading(found, whole)]
    if found.sessions:
        shown += [
            "",
            _make_formats_table(found.formats),
            "",
            "Where the money went",
            "",
            _make_spending_table(found.spending, whole),
        ]
        shown += ["", "What each policy would have made of it", "", make_bills_table(found.lines), ""]
        shown += [_WASTE if found.leaks else "No leak is worth telling."]
        shown += [f"{at}. {clean(one.text)}" for at, one in enumerate(found.leaks, 1)]
    notes = _list_notes(found)
    return [*shown, "", *notes] if notes else shown


def _make_heading(found: ScanReport, whole: float) -> str:
    sent = sum(one.tokens_sent for one in found.sessions)
    requests = sum(one.requests for one in found.sessions)
    where = ", ".join(map(clean, found.folders[:3])) + (" ..." if len(found.folders) > 3 else "")
    counts = ((found.files, "file"), (len(found.sessions), "session"), (requests, "request"))
    text = f"{where}: {', '.join(pluralize(count, noun) for count, noun in counts)}"
    return f"{text}, {abbreviate(sent)} tokens sent, {format_dollars(whole)}" if found.sessions else text


def _make_formats_table(rows: Sequence[FormatTotal]) -> Any:
    head = ("format", ">sessions", ">requests", ">sent", ">bill", ">cold", ">copies", ">compacted")
    cells = [
        (
            one.format,
            f"{one.sessions:,}",
            f"{one.requests:,}",
            abbreviate(one.tokens_sent),
            format_dollar_cell(one.dollars),
            f"{one.colds:,}",
            f"{one.copies:,}",
            f"{one.compactions:,}",
        )
        for one in rows
    ]
    return tables.make_dense_table(cells, head)


def _make_spending_table(rows: Sequence[SpendingTotal], whole: float) -> Any:
    head = ("what", ">parts", ">tokens", ">sent", ">bill", ">share")
    cells = [
        (
            to_one_line(f"{one.tool} {one.kind.removeprefix('tool ')}" if one.tool else one.kind, 32),
            f"{one.parts:,}",
            abbreviate(one.tokens),
            abbreviate(one.tokens_sent),
            format_dollar_cell(one.dollars),
            format_dollar_share(one.dollars, whole),
        )
        for one in rows[:_TOOLS]
    ]
    rest = rows[_TOOLS:]
    if rest:
        dollars = sum(one.dollars for one in rest)
        cells.append(
            (f"and {len(rest):,} more", "", "", "", format_dollar_cell(dollars), format_dollar_share(dollars, whole))
        )
    return tables.make_dense_table(cells, head)


def _list_notes(found: ScanReport) -> list[str]:
    """What was assumed, and what was not read."""
    assumed = Counter(one.assumed for one in found.sessions if one.assumed)
    notes = [f"assumed for {pluralize(times, 'session')}: {clean(what)}" for what, times in assumed.most_common(_FILES)]
    hours = sum(one.hour for one in found.sessions)
    notes += [f"{pluralize(hours, 'session')} bought the cache's longer lifetime, by what is recorded"] if hours else []
    notes += _describe_shared(found)
    broken = [one for one in found.unread if one.broken]
    other = len(found.unread) - len(broken)
    if other:
        notes.append(f"{pluralize(other, 'file')} passed over: no session in them")
    if broken:
        notes.append(f"{pluralize(len(broken), 'file')} could not be read:")
        notes += [f"  {_format_unread(one)}" for one in broken[:_FILES]]
        notes += [f"  and {len(broken) - _FILES:,} more (--json names all)"] if len(broken) > _FILES else []
    return notes


def _format_unread(one: Any) -> str:
    """Which file gave no session, and why."""
    why = to_one_line(one.why, len(one.path) + 160)
    return why if one.why.startswith(one.path) else f"{clean(one.path)}: {why}"


def _describe_shared(found: ScanReport) -> list[str]:
    """What several recordings hold."""
    begun = [one.shared for one in found.sessions if one.shared]
    said = [f"{pluralize(found.copies, 'session')} left out: another recording holds all of it"] if found.copies else []
    if begun:
        where = "begins" if len(begun) == 1 else "begin"
        said.append(
            f"{pluralize(len(begun), 'session')} {where} with what another recording holds:"
            f" {pluralize(sum(begun), 'request')} counted there alone"
        )
    return said
