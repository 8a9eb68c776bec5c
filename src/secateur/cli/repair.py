"""`secateur repair`: repair what a provider would reject or a host could not load; the format stays the same.

Rule: only what is broken is changed, and each repair is reported. Nothing is written in place unless the options say
so. Text that is cut off a session file is never lost: it is saved in a file next to the repaired one.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from secateur import documents
from secateur.api import PROFILES
from secateur.api.repair import RepairOptions, RepairRecord, RepairResult, repair
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import InputSource, explain_unreadable, read_source
from secateur.cli.names import PROFILE
from secateur.cli.options import Options, make_option
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import StyledLine, clean
from secateur.cli.runs import print_run
from secateur.cli.writer import Target, write_file
from secateur.errors import FormatError
from secateur.jsontext import Text

SCHEMA = "secateur.repair/1"
_SHOWN = 40  # repairs that are shown one by one; --json has all
_EPILOG = """\
\b
Examples:
  secateur repair s.jsonl                     show repairs, write nothing
  secateur repair s.jsonl -o repaired.jsonl   write it
  secateur repair s.jsonl --in-place          keeps s.jsonl.bak
  secateur repair request.json --model claude-opus-4-6 > repaired.json
  secateur repair request.json --profile strict --json | jq .remaining

\b
Calls without a result get one that says so; results without a call become
text; duplicate ids, empty blocks, half characters, invalid arguments, too
many images and torn lines are repaired in place. What is cut off a session
file is saved in OUT.torn. Stop the agent before you repair its file.

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
        make_option(
            "--profile", type=PROFILE, metavar="P", help=f"Repair for a stricter server: {', '.join(PROFILES)}."
        ),
    ]
    format_name: options.FormatName
    output: options.Output
    in_place: options.InPlace
    as_json: options.AsJson

    @property
    def target(self) -> Target:
        """The target of the document."""
        return Target(self.input, self.output, self.in_place, self.as_json)


class RepairReport(Struct, frozen=True, kw_only=True):
    """The repairs: the JSON report."""

    schema: str = SCHEMA
    format: str
    input: str
    output: str | None  # the file, "-" for standard output; null: not written
    backup: str | None
    torn: str | None  # the file that holds what was cut off
    torn_bytes: int
    repairs: tuple[RepairRecord, ...]
    remaining: tuple[RepairRecord, ...]  # still broken; `where` counts in the repaired document


@options.make_command("repair", RepairCommandOptions, _EPILOG)
def command(args: RepairCommandOptions) -> int:
    """Repair INPUT, a session file or a request body, so that it can be sent and loaded again.

    The document is written to -o, to INPUT itself (--in-place), or to standard output if that is a pipe or a file.
    """
    args.target.check()
    source = read_source(args.input)
    with show_work(f"repairing {source.label}"):
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
        torn_bytes=len(done.torn) - done.torn.count(b"\n"),  # a line feed parts the pieces in their file
        repairs=done.repairs,
        remaining=done.remaining,
    )
    print_run(report, args, lambda: _render(report, source))
    return FINDINGS if done.remaining else SUCCESS


def _repair_document(args: RepairCommandOptions, source: InputSource) -> tuple[str, RepairResult, bytes]:
    """The format's name, the repairs, and the document as it is to be stored."""
    try:
        read_document = documents.read(source.data, args.format_name)
        done = repair(read_document.native, read_document.format.name, RepairOptions(args.model, args.profile or ""))
    except FormatError as error:
        raise explain_unreadable(source, error) from error
    assert isinstance(done.document, Text)  # bytes came in
    data = read_document.encode_output(done.document.data) if done.repairs else source.data
    return read_document.format.name, done, data


def _write_torn(args: RepairCommandOptions, done: RepairResult) -> str | None:
    """Save what was cut off, before the file that it came from is overwritten."""
    if not done.torn or args.target.name in (None, "-"):
        return None
    name = f"{args.target.name}.torn"
    old = Path(name).read_bytes() if Path(name).is_file() else b""
    if not old.endswith(done.torn):
        write_file(name, old + done.torn, args.input)
    return name


def _render(report: RepairReport, source: InputSource) -> list[Any]:
    """The report as text."""
    count = len(report.repairs)
    head = f"{clean(source.label)}: {report.format}, "
    lines: list[Any] = [head + (f"{count:,} repaired" if count else "nothing to repair")]
    lines += [f"  {clean(f'{repair.where}: {repair.what}')} ({repair.rule})" for repair in report.repairs[:_SHOWN]]
    if count > _SHOWN:
        by_rule = Counter(repair.rule for repair in report.repairs[_SHOWN:])
        lines.append("  and " + ", ".join(f"{number:,} of {rule}" for rule, number in by_rule.most_common()))
    if report.remaining:
        lines += ["", StyledLine(f"{len(report.remaining):,} still broken", "bold red")]
        lines += [f"  {clean(f'{one.where}: {one.what}')} ({one.rule})" for one in report.remaining[:_SHOWN]]
    return lines + _list_files(report)


def _list_files(report: RepairReport) -> list[Any]:
    """List the files that were written."""
    lines: list[Any] = []
    if report.torn:
        lines.append(f"{report.torn_bytes:,} bytes that were cut off are in {clean(report.torn)}")
    elif report.torn_bytes:
        lines.append(f"{report.torn_bytes:,} bytes were cut off: -o FILE and --in-place save them in a file beside it")
    if report.backup:
        lines.append(f"backup: {clean(report.backup)}")
    if report.output is None:
        lines.append("nothing was written: -o FILE or --in-place writes it")
    return lines
