"""`secateur inspect`: what a context is made of, and its calls and results that have no counterpart.

Rule: it shows a document as it is and changes nothing. Calls without a result and the reverse are findings (exit 1); a
torn last line and outputs that report an error are facts. Ids repeat and may be empty, so a result belongs to the
latest open call with its id; calls of the last round may still be running.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from secateur import policy
from secateur.api.transcript.rules import is_text
from secateur.cli import options
from secateur.cli.composition import (
    KindShare,
    PartPlace,
    RepeatedOutput,
    ToolShare,
    TurnSummary,
    find_largest,
    find_repeated,
    group_by_kind,
    group_by_tool,
    group_by_turn,
    iterate_parts,
    locate_part,
)
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import OpenedDocument, open_document, read_source
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_count, format_percent, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.tables import MAX_TOOLS, MAX_TURNS, format_line, format_name, make_table
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.report import DocumentSummary, WindowSize, summarize_document
from secateur.model import Message, Part, Transcript
from secateur.policy.windows import resolve
from secateur.tokens import describe_counter

SCHEMA = "secateur.inspect/1"
_EPILOG = """\
\b
Examples:
  secateur inspect session.jsonl
  secateur inspect request.json --largest 20
  zcat session.jsonl.gz | secateur inspect - --json | jq .by_tool

\b
Exit codes: 0 success, 1 calls without a result or the reverse, 2 usage,
3 input unreadable.
"""


class PairingProblem(Struct, frozen=True):
    """One call or result without its counterpart."""

    what: str  # "call without result" or "result without call"
    where: PartPlace


def _make_kinds_table(shares: Sequence[KindShare], whole: int) -> Any:
    """Tokens by kind."""
    rows = [
        (share.name, format_count(share.parts), format_count(share.tokens), format_percent(share.tokens, whole))
        for share in shares
    ]
    return make_table("By kind", ("kind", ">parts", ">tokens", ">share"), rows)


def _make_tools_table(tools: Sequence[ToolShare], whole: int) -> Any:
    """Tokens by tool."""
    rows = [
        (
            format_name(tool.tool),
            format_count(tool.calls),
            format_count(tool.results),
            format_count(tool.errors) if tool.errors else "",
            format_count(tool.call_tokens),
            format_count(tool.result_tokens),
            format_percent(tool.tokens, whole),
        )
        for tool in tools[:MAX_TOOLS]
    ]
    head = ("tool", ">calls", ">results", ">errors", ">in calls", ">in results", ">share")
    return make_table("By tool", head, rows, more=len(tools) - MAX_TOOLS)


def _make_turns_table(turns: Sequence[TurnSummary], whole: int) -> Any:
    """Tokens by turn; of many turns, the largest, in their order."""
    heaviest = sorted(sorted(turns, key=lambda turn: -turn.tokens)[:MAX_TURNS], key=lambda turn: turn.turn)
    rows = [
        (
            str(one.turn),
            _format_request(one.turn, one.asked),
            format_count(one.messages),
            format_count(one.tokens),
            format_percent(one.tokens, whole),
        )
        for one in heaviest
    ]
    head = (">turn", "asked", ">messages", ">tokens", ">share")
    return make_table("By turn", head, rows, more=len(turns) - MAX_TURNS)


def _make_repeated_table(outputs: Sequence[RepeatedOutput]) -> Any:
    """Outputs that occur more than once."""
    rows = [
        (
            format_name(output.tool),
            str(output.times),
            format_count(output.tokens),
            format_count(output.spare),
            _format_some(output.messages),
        )
        for output in outputs[:MAX_TOOLS]
    ]
    head = ("tool", ">times", ">tokens each", ">wasted", "messages")
    return make_table("Repeated outputs", head, rows, more=len(outputs) - MAX_TOOLS)


def _make_problems_table(problems: Sequence[PairingProblem]) -> Any:
    """Problems, one per row."""
    rows = [
        (
            problem.what,
            str(problem.where.message),
            format_line(problem.where),
            format_name(problem.where.tool),
            to_one_line(problem.where.call, 40),
        )
        for problem in problems[:MAX_TOOLS]
    ]
    return make_table("Problems", ("what", ">message", ">line", "tool", "call"), rows, more=len(problems) - MAX_TOOLS)


def _format_request(turn: int, asked: str) -> str:
    return to_one_line(asked, 120) if turn else "(before the first)"


def _format_some(numbers: Sequence[int], most: int = 6) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    return f"{shown}, ..." if len(numbers) > most else shown


def find_problems(transcript: Transcript) -> list[PairingProblem]:
    """Calls without a result and results without a call, in the order of the conversation."""
    open_: list[tuple[int, Message, Part]] = []
    numbered: list[tuple[int, PairingProblem]] = []
    for number, message, part in iterate_parts(transcript):
        if part.kind == "tool_call":
            open_.append((number, message, part))
        elif part.kind == "tool_result" and not _close_call(open_, part):
            numbered.append((number, PairingProblem("result without call", locate_part(number, message, part))))
    last = _find_last_round(transcript)
    numbered += [
        (call[0], PairingProblem("call without result", locate_part(*call)))
        for call in open_
        if call[0] < last and not is_text(call[2])
    ]
    return [problem for _, problem in sorted(numbered, key=lambda each: each[0])]


def _close_call(open_: list[tuple[int, Message, Part]], result: Part) -> bool:
    """Remove the call that a result answers from the list; False if there is none."""
    for at in range(len(open_) - 1, -1, -1):
        if open_[at][2].call_id == result.call_id:
            del open_[at]
            return True
    return False


def _find_last_round(transcript: Transcript) -> int:
    """The number of the message whose calls may still be running; the number of messages if a user spoke since."""
    for number in range(len(transcript.messages) - 1, -1, -1):
        if transcript.messages[number].role != "tool":
            return number if transcript.messages[number].role == "assistant" else len(transcript.messages)
    return 0


class InspectOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur inspect`."""

    input: options.Input
    model: options.Model
    window: options.Window
    format_name: options.FormatName
    fixed_tokens: options.FixedTokens
    counter: options.Counter
    largest: Annotated[
        int,
        make_option(
            "--largest",
            type=NumberType(min=0),
            metavar="N",
            default=10,
            show_default=True,
            help="How many of the largest parts to list.",
        ),
    ]
    as_json: options.AsJson


class InspectReport(Struct, frozen=True, kw_only=True):
    """The JSON report. Messages and lines count from 0."""

    schema: str = SCHEMA
    input: DocumentSummary
    reason: str  # why it was taken for its format
    model: str
    window: WindowSize
    counter: str
    counted_by: str  # the counter, and the factor by which it counts for this model
    by_kind: list[KindShare]
    by_tool: list[ToolShare]
    by_turn: list[TurnSummary]
    largest: list[PartPlace]
    duplicates: list[RepeatedOutput]
    problems: list[PairingProblem]
    warnings: tuple[str, ...]


@options.make_command("inspect", InspectOptions, _EPILOG)
def command(args: InspectOptions) -> int:
    """Show what INPUT is made of: tokens by kind, tool and turn, largest parts, duplicates, problems."""
    with show_work(f"reading {args.input}"):
        read_ = open_document(read_source(args.input), args.format_name, args.counter, args.fixed_tokens, args.model)
        report = inspect_document(read_, args)
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report, read_))
    return FINDINGS if report.problems else SUCCESS


def inspect_document(read_: OpenedDocument, args: InspectOptions) -> InspectReport:
    """Inspect a document."""
    transcript = read_.transcript
    model = args.model or transcript.model
    recorded = transcript.window if model == transcript.model else 0
    return InspectReport(
        input=summarize_document(read_, args.input),
        reason=read_.document.reason,
        model=model,
        window=WindowSize(*resolve(args.window, model, policy.load("observe"), recorded=recorded)),
        counter=args.counter,
        counted_by=describe_counter(args.counter, model),
        by_kind=group_by_kind(transcript),
        by_tool=group_by_tool(transcript),
        by_turn=group_by_turn(transcript),
        largest=find_largest(transcript, args.largest),
        duplicates=find_repeated(transcript),
        problems=find_problems(transcript),
        warnings=transcript.warnings,
    )


def _render(report: InspectReport, read_: OpenedDocument) -> list[Any]:
    whole = report.input.tokens
    turns = sum(turn.turn > 0 for turn in report.by_turn)
    share = format_percent(whole, report.window.value)
    blocks: list[Any] = [
        f"{clean(read_.source.label)}: {report.input.format}, {report.reason}",
        f"about {format_count(whole)} tokens in {pluralize(report.input.messages, 'message')} and"
        f" {pluralize(turns, 'turn')},"
        f" {share} of a window of {format_count(report.window.value)}: {report.window.source}",
        f"counted by {clean(report.counted_by)}",
        "",
        _make_kinds_table(report.by_kind, whole),
    ]
    if report.by_tool:
        blocks.append(_make_tools_table(report.by_tool, whole))
    blocks.append(_make_turns_table(report.by_turn, whole))
    if report.largest:
        blocks.append(tables.make_parts_table("Largest parts", report.largest))
    if report.duplicates:
        blocks.append(_make_repeated_table(report.duplicates))
    blocks.append(
        _make_problems_table(report.problems)
        if report.problems
        else "No problems: every finished call has its result, and every result its call."
    )
    return blocks + [f"warning: {clean(warning)}" for warning in report.warnings]
