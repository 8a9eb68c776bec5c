"""`secateur repair`: mend what a provider would refuse, or a host could not load; the same format comes out.

Rule: only what is broken is changed, and each mend is told. Nothing is written in place unless args. What is cut off a
session file is never thrown away: it goes to a file beside the mended one.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from secateur.api import PROFILES
from secateur.api.repair import Mended, Repair, Settings, repaired
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import InputSource, explain_unreadable, read_source
from secateur.cli.names import PROFILE
from secateur.cli.options import Options, option
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import StyledLine, clean
from secateur.cli.runs import print_run
from secateur.cli.writer import Target, write_file
from secateur.errors import FormatError
from secateur.jsontext import Text
from secateur.session import document

SCHEMA = "secateur.repair/1"
_SHOWN = 40  # mends that a person is shown one by one; --json has all
_EPILOG = """\
\b
Examples:
  secateur repair s.jsonl                     what would be mended; writes nothing
  secateur repair s.jsonl -o mended.jsonl     write it
  secateur repair s.jsonl --in-place          keeps s.jsonl.bak
  secateur repair request.json --model claude-opus-4-6 > mended.json
  secateur repair request.json --profile strict --json | jq .left

\b
Calls without a result get one that says so; results without a call become
text; ids that came twice, empty blocks, half characters, broken arguments,
too many pictures and torn lines are mended in their place. What is cut off
a session file goes to OUT.torn. Stop the agent before you mend its file.

\b
Exit codes: 0 nothing is broken now, 1 something is still broken, 2 usage,
3 input unreadable.
"""


class RepairCommandOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur repair`."""

    input: options.Input
    model: options.Model
    profile: Annotated[
        str | None,
        option(
            "--profile",
            type=PROFILE,
            metavar="P",
            help=f"Mend for a stricter server: {', '.join(PROFILES)}.",
        ),
    ]
    format_name: options.FormatName
    output: options.Output
    in_place: options.InPlace
    as_json: options.AsJson

    @property
    def target(self) -> Target:
        """Where the document goes."""
        return Target(self.input, self.output, self.in_place, self.as_json)


class RepairReport(Struct, frozen=True, kw_only=True):
    """What was mended: the JSON report."""

    schema: str = SCHEMA
    format: str
    input: str
    output: str | None  # the file, "-" for standard output; null: not written
    backup: str | None
    torn: str | None  # the file that holds what was cut off
    torn_bytes: int
    mended: tuple[Mended, ...]
    left: tuple[Mended, ...]  # broken still; `where` counts in the mended document


@options.command("repair", RepairCommandOptions, _EPILOG)
def command(args: RepairCommandOptions) -> int:
    """Mend INPUT, a session file or a request body, so that it can be sent and loaded again."""
    args.target.check()
    source = read_source(args.input)
    with show_work(f"mending {source.label}"):
        name, done, data = _repair_document(args, source)
    stored = args.target.pack(source, data).stored
    torn = _write_torn(args, done)
    backup = args.target.write(source, stored)
    report = RepairReport(
        format=name,
        input=source.name,
        output=args.target.name,
        backup=str(backup) if backup else None,
        torn=torn,
        torn_bytes=len(done.torn),
        mended=done.mended,
        left=done.left,
    )
    print_run(report, args, lambda: _render(report, source))
    return FINDINGS if done.left else SUCCESS


def _repair_document(args: RepairCommandOptions, source: InputSource) -> tuple[str, Repair, bytes]:
    """The format's name, what was mended, and the document as it is to be stored."""
    try:
        found = document.read(source.data, args.format_name)
        done = repaired(found.native, found.format.name, Settings(args.model, args.profile or ""))
    except FormatError as error:
        raise explain_unreadable(source, error) from error
    assert isinstance(done.native, Text)  # bytes came in
    data = found.out(done.native.data) if done.mended else source.data
    return found.format.name, done, data


def _write_torn(args: RepairCommandOptions, done: Repair) -> str | None:
    """Write what was cut off, before the file that it came from is written over."""
    if not done.torn or args.target.name in (None, "-"):
        return None
    name = f"{args.target.name}.torn"
    old = Path(name).read_bytes() if Path(name).is_file() else b""
    if not old.endswith(done.torn):
        write_file(name, old + done.torn, args.input)
    return name


def _render(report: RepairReport, source: InputSource) -> list[Any]:
    """The report for a person."""
    count = len(report.mended)
    head = f"{clean(source.label)}: {report.format}, "
    lines: list[Any] = [head + (f"{count:,} mended" if count else "nothing to mend")]
    lines += [StyledLine(f"  {clean(f'{one.where}: {one.what}')} ({one.rule})") for one in report.mended[:_SHOWN]]
    if count > _SHOWN:
        by_rule = Counter(one.rule for one in report.mended[_SHOWN:])
        lines.append("  and " + ", ".join(f"{number:,} of {rule}" for rule, number in by_rule.most_common()))
    if report.left:
        lines += ["", StyledLine(f"{len(report.left):,} still broken", "bold red")]
        lines += [StyledLine(f"  {clean(f'{one.where}: {one.what}')} ({one.rule})") for one in report.left[:_SHOWN]]
    return lines + _list_files(report)


def _list_files(report: RepairReport) -> list[Any]:
    """Where everything went."""
    lines: list[Any] = []
    if report.torn:
        lines.append(f"{report.torn_bytes:,} bytes that were cut off stand in {clean(report.torn)}")
    elif report.torn_bytes:
        lines.append(f"{report.torn_bytes:,} bytes are left out: -o FILE and --in-place keep them in a file beside it")
    if report.backup:
        lines.append(f"the file as it was: {clean(report.backup)}")
    if report.output is None:
        lines.append("nothing was written: give -o FILE or --in-place")
    return lines
