"""`secateur diff`: each changed part of two documents, with its place and its first lines.

Rule: two documents, or one and its pruned view; nothing is written. Differences are not findings: the exit code is 0.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from itertools import groupby
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Struct

from secateur.cli import options
from secateur.cli.composition import PartPlace, count_tokens, locate_part
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.inputs import InputSource, OpenedDocument, read_source
from secateur.cli.names import DOCUMENT, POLICY
from secateur.cli.number_types import NumberType
from secateur.cli.options import make_argument, make_option
from secateur.cli.output.formatting import format_count, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.tables import name_part
from secateur.cli.output.terminal import StyledLine, clean, hide_secrets, print_blocks, print_json
from secateur.cli.runs import RunOptions, make_engine, open_outcome, open_source
from secateur.defaults import POLICY as DEFAULT
from secateur.model import Message, Part, Transcript

_EPILOG = """\
\b
Examples:
  secateur diff session.jsonl pruned.jsonl
  secateur diff session.jsonl --policy opencode --lines 8
  secateur diff request.json.gz --policy mine.toml --json
"""
_Item = TypeVar("_Item")
_Pair = tuple[_Item | None, _Item | None]
_STYLES = {"-": "red", "+": "green"}
_COMPARED_LINES = 1000  # lines of each text that are compared: longer comparisons are slow, and hard to read
_LINE_CHARS = 200  # of a line


class PartChange(Struct, frozen=True):
    """One part that differs. `where` is its place before, or after if it is new."""

    verb: Literal["changed", "gone", "new"]
    where: PartPlace
    tokens_before: int
    tokens_after: int
    before: str
    after: str


class DiffOptions(RunOptions, frozen=True, kw_only=True):
    """The options of `secateur diff`."""

    a: Annotated[str, make_argument(type=DOCUMENT)]
    b: Annotated[str | None, make_argument(required=False, type=DOCUMENT)]
    policy: Annotated[
        str | None,
        make_option("--policy", type=POLICY, metavar="P", help=f"A preset or a policy file.  [default: {DEFAULT}]"),
    ]
    lines: Annotated[
        int,
        make_option(
            "--lines",
            type=NumberType(min=0),
            metavar="N",
            default=4,
            show_default=True,
            help="Lines shown of each run of changed lines.",
        ),
    ]


class DiffReport(Struct, frozen=True, kw_only=True):
    """The differences of two documents."""

    schema: str = "secateur.diff/1"
    before: str
    after: str
    tokens_before: int
    tokens_after: int
    changes: list[PartChange]
    skipped_reason: str | None = None  # why the policy changed nothing


@options.make_command("diff", DiffOptions, _EPILOG)
def command(args: DiffOptions) -> int:
    """Show how document B differs from A; without B, how the pruned view of A under --policy differs from it."""
    if args.b is not None and args.policy is not None:
        raise UsageError("B and --policy both say what to compare A with: give one of them")
    with show_work(f"comparing {args.a}"):
        before = open_source(read_source(args.a), args)
        if args.b is None:
            after, skipped_reason = _open_pruned(args, before)
        else:
            after, skipped_reason = open_source(read_source(args.b), args), None
        report = _make_report(before, after, skipped_reason)
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report, args.lines))
    return SUCCESS


def _open_pruned(args: DiffOptions, before: OpenedDocument) -> tuple[OpenedDocument, str | None]:
    """The pruned view of a document, read again from its bytes; why nothing was pruned, if so."""
    engine = make_engine(args.policy or DEFAULT, before, args, compact=False, too_long="send")
    view = engine.fit(before.source.data, idle_s=args.idle, fixed_tokens=args.fixed_tokens)
    outcome = InputSource(f"{before.source.label} under {view.receipt.policy}", view.request, view.request)
    return open_outcome(outcome, before, args), view.receipt.skipped_reason or None


def _make_report(before: OpenedDocument, after: OpenedDocument, skipped_reason: str | None) -> DiffReport:
    return DiffReport(
        before=before.source.label,
        after=after.source.label,
        tokens_before=count_tokens(before.transcript),
        tokens_after=count_tokens(after.transcript),
        changes=find_changes(before.transcript, after.transcript),
        skipped_reason=skipped_reason,
    )


def _render(report: DiffReport, lines: int) -> Iterator[Any]:
    differ = f"{pluralize(len(report.changes), 'part')} {'differs' if len(report.changes) == 1 else 'differ'}"
    figures = f"{format_count(report.tokens_before)} → {format_count(report.tokens_after)} tokens"
    yield f"{clean(report.before)} → {clean(report.after)}: {differ}, {figures}"
    if not report.changes and report.skipped_reason:
        yield f"Nothing was pruned: {report.skipped_reason}."
    for change in report.changes:
        yield ""
        yield StyledLine(_make_heading(change), "bold")
        for line in make_excerpt(hide_secrets(change.before), hide_secrets(change.after), lines):
            yield StyledLine(clean(line), _STYLES.get(line[0], "dim"))


def _make_heading(change: PartChange) -> str:
    where = change.where
    line = f", line {where.lines[0] + 1}" if where.lines else ""
    figures = f"{format_count(change.tokens_before)} → {format_count(change.tokens_after)} tokens"
    call = f" ({clean(where.call[:40])})" if where.call else ""
    return f"message {where.message}{line}: {name_part(where)} {change.verb}, {figures}{call}"


def find_changes(before: Transcript, after: Transcript) -> list[PartChange]:
    """All parts that differ, in order."""
    old, new = list(enumerate(before.messages)), list(enumerate(after.messages))
    return [
        change
        for a, b in _align(old, new, lambda each: _get_content(each[1]), lambda each: _get_shape(each[1]))
        for change in _compare_messages(a, b)
    ]


def _compare_messages(old: tuple[int, Message] | None, new: tuple[int, Message] | None) -> Iterator[PartChange]:
    """The parts that differ between two messages, one of which may be missing."""
    parts_old = list(old[1].parts) if old else []
    parts_new = list(new[1].parts) if new else []
    for a, b in _align(parts_old, parts_new, _get_part_content, lambda part: (part.kind, part.call_id)):
        if a is None and b is not None and new is not None:
            yield PartChange("new", locate_part(*new, b), 0, b.tokens, "", b.text)
        elif a is not None and old is not None:
            yield from _compare_parts(locate_part(*old, a), a, b)


def _compare_parts(where: PartPlace, old: Part, new: Part | None) -> Iterator[PartChange]:
    if new is None:
        yield PartChange("gone", where, old.tokens, 0, old.text, "")
    elif _get_part_content(old) != _get_part_content(new):
        yield PartChange("changed", where, old.tokens, new.tokens, old.text, new.text)


def _get_content(message: Message) -> Hashable:
    return message.role, tuple(map(_get_part_content, message.parts))


def _get_part_content(part: Part) -> Hashable:
    """The content of a part, wherever it is; its key would include what came before."""
    return part.kind, part.tool, part.call_id, part.fingerprint, part.is_error, part.text


def _get_shape(message: Message) -> Hashable:
    """The properties that pruning does not change: the role, and which calls are made or answered."""
    kept = (part for part in message.parts if part.kind not in ("reasoning", "media"))
    return message.role, tuple((part.kind, part.call_id) for part in kept)


def _align(
    old: Sequence[_Item], new: Sequence[_Item], same: Callable[[_Item], Hashable], alike: Callable[[_Item], Hashable]
) -> Iterator[_Pair[_Item]]:
    """Pairs in order: equal ones first, between them similar ones; the rest is unpaired."""
    for kind, a, b in _split_runs(old, new, same):
        if kind == "equal":
            yield from zip(a, b, strict=True)
            continue
        for inner, c, d in _split_runs(a, b, alike):
            if inner == "equal":
                yield from zip(c, d, strict=True)
            else:
                yield from ((one, None) for one in c)
                yield from ((None, one) for one in d)


def _split_runs(
    old: Sequence[_Item], new: Sequence[_Item], key: Callable[[_Item], Hashable]
) -> Iterator[tuple[str, Sequence[_Item], Sequence[_Item]]]:
    """Runs that are equal by `key` and runs that are not. The common start and end are found in one pass."""
    left, right = [key(one) for one in old], [key(one) for one in new]
    size, head = min(len(left), len(right)), 0
    while head < size and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < size - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    yield "equal", old[:head], new[:head]
    inside = SequenceMatcher(None, left[head : len(left) - tail], right[head : len(right) - tail], autojunk=False)
    for tag, i, j, k, m in inside.get_opcodes():
        yield ("equal" if tag == "equal" else "other"), old[head + i : head + j], new[head + k : head + m]
    yield "equal", old[len(old) - tail :], new[len(new) - tail :]


def make_excerpt(before: str, after: str, run: int) -> Iterator[str]:
    """Lines that begin with `-`, `+` or a blank; at most `run` of one sign in a row, then how many more."""
    old, new = _take_head(before), _take_head(after)
    lines = list(unified_diff(old, new, lineterm="", n=1))[2:]
    for sign, group in groupby(lines, key=lambda line: line[0]):
        run_lines = list(group)
        if sign == "@":
            continue
        yield from run_lines[:run]
        if len(run_lines) > run:
            yield f"{sign} … {_format_more_lines(len(run_lines) - run)}"
    if rest := max(_count_beyond(before), _count_beyond(after)):
        yield f"  … {_format_more_lines(rest)}, not compared"


def _take_head(text: str) -> list[str]:
    """The first lines; a long line is cut and ends with its length."""
    lines = text.split("\n", _COMPARED_LINES)[:_COMPARED_LINES]
    return [line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}… ({len(line):,} characters)" for line in lines]


def _count_beyond(text: str) -> int:
    return max(0, text.count("\n") + 1 - _COMPARED_LINES)


def _format_more_lines(count: int) -> str:
    return f"{count:,} more line{'s' if count > 1 else ''}"
