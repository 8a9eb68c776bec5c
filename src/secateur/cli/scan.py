"""`secateur scan`: where the money and tokens of a folder of sessions went, and what each policy would have saved.

Rule: only the files that the options name are written, and nothing leaves the machine. A file that cannot be read is
reported and does not end the scan; assumed prices are reported too.
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
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import (
    abbreviate,
    format_dollar_cell,
    format_dollar_share,
    format_dollars,
    pluralize,
)
from secateur.cli.output.progress import show_count, show_work
from secateur.cli.output.tables import check_table_path, write_table
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.policy_bills import PolicyBill, make_bills_table, sum_bills
from secateur.cli.pricing_options import PriceOption, PricingChoice, RatioOption, find_stated_prices
from secateur.cli.scan_totals import (
    FormatTotal,
    SpendingTotal,
    WasteTotal,
    sum_by_format,
    sum_spending,
    sum_waste,
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
Exit codes: 0 success, 1 some files could not be read, 2 usage or configuration,
3 there is no such file or folder, or no session file in it.
"""
SCHEMA = "secateur.scan/1"
_WASTE = "What was wasted (kinds overlap: do not add them up)"
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

    def make_row(self, session: "ScannedSession") -> dict[str, Any]:
        """Return a session as one flat row: its own figures, then the cost under each policy."""
        plain = {name: value for name, value in msgspec.structs.asdict(session).items() if name not in _NESTED}
        return plain | {f"dollars {line.policy}": line.dollars for line in session.lines}


class ScanOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur scan`."""

    folders: Annotated[tuple[str, ...], make_argument(nargs=-1, type=click.Path(), metavar="[DIR]...")]
    policies: options.Policies
    model: Annotated[
        str,
        make_option(
            "--model", default="", metavar="M", help="Price all sessions as this model; default: each as recorded."
        ),
    ]
    price: PriceOption
    write_read_ratio: RatioOption
    cache_ttl: options.CacheTtl
    window: options.Window
    jobs: Annotated[
        int,
        make_option(
            "--jobs",
            type=NumberType(min=0),
            default=0,
            metavar="N",
            help="Number of processes; 0: one per processor.",
        ),
    ]
    out: Annotated[
        str | None,
        make_option(
            "--out", type=click.Path(), metavar="OUT", help="Write one row per session: .csv, .parquet, .json."
        ),
    ]
    as_json: options.AsJson


@options.make_command("scan", ScanOptions, _EPILOG)
def command(args: ScanOptions) -> int:
    """Show where the money and tokens of the sessions in DIR went, and what each policy would have saved."""
    out = check_table_path(args.out) if args.out else None
    report = make_scan(args)
    if out:
        write_table(out, [report.make_row(session) for session in report.sessions])
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report), *([f"table: {args.out}"] if out else []))
    return FINDINGS if any(file.broken for file in report.unread) else SUCCESS


def make_scan(args: ScanOptions) -> ScanReport:
    """Scan the folders."""
    from secateur.cli.scan_files import ScanSettings, scan_all
    from secateur.cli.session_search import SESSION_ENDINGS, find_session_files
    from secateur.hosts.session_files import find_folders, list_searched_folders

    folders = args.folders or tuple(str(folder) for _, folder in find_folders())
    if not folders:
        raise UsageError(f"there are no sessions in {', '.join(list_searched_folders())}: give a folder")
    names = args.policies or tuple(name for name in policy.list_preset_names() if name != "observe")
    for name in names:
        policy.load(name)
    with show_work(f"looking for sessions in {', '.join(folders)}"):
        paths = find_session_files(folders)
    if not paths:
        raise UnreadableInput(
            f"there is no session file in {', '.join(folders)}: give a folder with files that end in "
            f"{', '.join(SESSION_ENDINGS)}, or .gz"
        )
    wanted = ScanSettings(
        PricingChoice(
            args.model, args.price, args.write_read_ratio, args.cache_ttl, assume=True, stated=find_stated_prices(names)
        ),
        names,
        args.window,
    )
    files = scan_all(paths, wanted, args.jobs, show_count)
    sessions = tuple(survey for one in files for survey in one.surveys)
    whole = sum(session.dollars for session in sessions)
    return ScanReport(
        folders=folders,
        files=len(paths),
        sessions=sessions,
        formats=sum_by_format(sessions),
        spending=sum_spending(sessions),
        lines=sum_bills([session.lines for session in sessions]),
        leaks=sum_waste([leak for session in sessions for leak in session.leaks], whole),
        unread=tuple(file for each in files for file in each.unread),
        copies=sum(one.copies for one in files),
    )


_TOOLS, _FILES = 10, 5  # rows that are shown


def _render(report: ScanReport) -> list[Any]:
    """The report as text."""
    whole = sum(session.dollars for session in report.sessions)
    shown: list[Any] = [_make_heading(report, whole)]
    if report.sessions:
        shown += [
            "",
            _make_formats_table(report.formats),
            "",
            "Where the money went",
            "",
            _make_spending_table(report.spending, whole),
        ]
        shown += ["", "Under each policy", "", make_bills_table(report.lines), ""]
        shown += [_WASTE if report.leaks else "No waste worth mentioning."]
        shown += [f"{at}. {clean(waste.text)}" for at, waste in enumerate(report.leaks, 1)]
    notes = _list_notes(report)
    return [*shown, "", *notes] if notes else shown


def _make_heading(report: ScanReport, whole: float) -> str:
    sent = sum(session.tokens_sent for session in report.sessions)
    requests = sum(session.requests for session in report.sessions)
    where = ", ".join(map(clean, report.folders[:3])) + (" ..." if len(report.folders) > 3 else "")
    counts = ((report.files, "file"), (len(report.sessions), "session"), (requests, "request"))
    text = f"{where}: {', '.join(pluralize(count, noun) for count, noun in counts)}"
    return f"{text}, {abbreviate(sent)} tokens sent, {format_dollars(whole)}" if report.sessions else text


def _make_formats_table(rows: Sequence[FormatTotal]) -> Any:
    head = ("format", ">sessions", ">requests", ">sent", ">cost", ">cold", ">copies", ">compacted")
    cells = [
        (
            total.format,
            f"{total.sessions:,}",
            f"{total.requests:,}",
            abbreviate(total.tokens_sent),
            format_dollar_cell(total.dollars),
            f"{total.colds:,}",
            f"{total.copies:,}",
            f"{total.compactions:,}",
        )
        for total in rows
    ]
    return tables.make_dense_table(cells, head)


def _make_spending_table(rows: Sequence[SpendingTotal], whole: float) -> Any:
    head = ("what", ">parts", ">tokens", ">sent", ">cost", ">share")
    cells = [
        (
            to_one_line(f"{total.tool} {total.kind.removeprefix('tool ')}" if total.tool else total.kind, 32),
            f"{total.parts:,}",
            abbreviate(total.tokens),
            abbreviate(total.tokens_sent),
            format_dollar_cell(total.dollars),
            format_dollar_share(total.dollars, whole),
        )
        for total in rows[:_TOOLS]
    ]
    rest = rows[_TOOLS:]
    if rest:
        dollars = sum(one.dollars for one in rest)
        cells.append(
            (f"and {len(rest):,} more", "", "", "", format_dollar_cell(dollars), format_dollar_share(dollars, whole))
        )
    return tables.make_dense_table(cells, head)


def _list_notes(report: ScanReport) -> list[str]:
    """The assumptions, and the files that were not read."""
    assumed = Counter(session.assumed for session in report.sessions if session.assumed)
    notes = [f"assumed for {pluralize(times, 'session')}: {clean(what)}" for what, times in assumed.most_common(_FILES)]
    hours = sum(session.hour for session in report.sessions)
    notes += [f"{pluralize(hours, 'session')} bought the cache's longer lifetime, as recorded"] if hours else []
    notes += _describe_shared(report)
    broken = [file for file in report.unread if file.broken]
    other = len(report.unread) - len(broken)
    if other:
        notes.append(f"{pluralize(other, 'file')} skipped: no session in {'it' if other == 1 else 'them'}")
    if broken:
        notes.append(f"{pluralize(len(broken), 'file')} could not be read:")
        notes += [f"  {_format_unread(one)}" for one in broken[:_FILES]]
        notes += [f"  and {len(broken) - _FILES:,} more (--json lists all)"] if len(broken) > _FILES else []
    return notes


def _format_unread(file: Any) -> str:
    """The file that has no session, and why."""
    why = to_one_line(file.why, len(file.path) + 160)
    return why if file.why.startswith(file.path) else f"{clean(file.path)}: {why}"


def _describe_shared(report: ScanReport) -> list[str]:
    """The requests that several recordings share."""
    begun = [session.shared for session in report.sessions if session.shared]
    notes = (
        [f"{pluralize(report.copies, 'session')} left out: another recording contains all of it"]
        if report.copies
        else []
    )
    if begun:
        where = "begins" if len(begun) == 1 else "begin"
        notes.append(
            f"{pluralize(len(begun), 'session')} {where} with requests of another recording:"
            f" {pluralize(sum(begun), 'request')} counted only there"
        )
    return notes
