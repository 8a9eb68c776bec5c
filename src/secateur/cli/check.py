"""`secateur check`: what an API would refuse of a document, by rule, with the place and the remedy.

Rule: a request body is read as it stands, a session file as its host would send it (its active branch). Violations are
findings (exit 1), warnings alone are not. Nothing is mended here.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from secateur.api import Violation
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import OpenedDocument, open_document, read_source
from secateur.cli.names import PROFILE
from secateur.cli.options import Options, option
from secateur.cli.output.progress import show_work
from secateur.cli.output.tables import make_table
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.report import DocumentSummary, find_violations, summarize_document

_MAX_VIOLATIONS = 40
SCHEMA = "secateur.check/1"
_EPILOG = """\
\b
Examples:
  secateur check request.json
  secateur check session.jsonl --json | jq .violations
  secateur check request.json --profile mistral

\b
Exit codes: 0 fine, 1 violations, 2 usage, 3 input unreadable.
"""


def _make_violations_table(found: Sequence[Violation]) -> Any:
    """Violations, one a row: the rule, the place, what is wrong and what to do."""
    rows = [
        (_format_rule(one), to_one_line(one.where, 60), to_one_line(one.text, 400)) for one in found[:_MAX_VIOLATIONS]
    ]
    return make_table("", ("rule", "where", "what, and what to do"), rows, more=len(found) - _MAX_VIOLATIONS, fold=True)


def _format_rule(one: Violation) -> str:
    return one.rule if one.severity == "error" else f"{one.rule} (warning)"


class CheckOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur check`."""

    input: options.Input
    format_name: options.FormatName
    profile: Annotated[
        str | None,
        option("--profile", type=PROFILE, metavar="P", help="A server that takes less: strict, mistral, ..."),
    ]
    as_json: options.AsJson


class CheckReport(Struct, frozen=True, kw_only=True):
    """What the rules told of one document."""

    schema: str = SCHEMA
    input: DocumentSummary
    reason: str  # why it was taken for its format
    family: str  # whose rules were asked
    profile: str | None
    violations: tuple[Violation, ...]  # in the order of the history; messages count from 0
    warnings: tuple[str, ...]


@options.command("check", CheckOptions, _EPILOG)
def command(args: CheckOptions) -> int:
    """Check INPUT against the rules of the API it is for: pairs, order, ids, empty texts, cache markers, sizes.

    A session file is checked as its host would send it.
    """
    with show_work(f"reading {args.input}"):
        read_ = open_document(read_source(args.input), args.format_name, "estimate")
        found = check_document(read_, args)
    if args.as_json:
        print_json(found)
    else:
        print_blocks(*_render(found, read_))
    return FINDINGS if any(one.severity == "error" for one in found.violations) else SUCCESS


def check_document(read_: OpenedDocument, args: CheckOptions) -> CheckReport:
    """All that the rules tell of a document."""
    family, broken = find_violations(read_, args.profile)
    return CheckReport(
        input=summarize_document(read_, args.input),
        reason=read_.document.reason,
        family=family,
        profile=args.profile,
        violations=broken,
        warnings=read_.transcript.warnings,
    )


def _render(found: CheckReport, read_: OpenedDocument) -> list[Any]:
    errors = sum(one.severity == "error" for one in found.violations)
    rest = len(found.violations) - errors
    whom = "every API" if found.family == "transcript" else found.family
    blocks: list[Any] = [
        f"{clean(read_.source.label)}: {found.input.format}, {found.reason}",
        f"{found.input.messages:,} messages against the rules of {whom}: {_pluralize(errors, 'violation')}"
        + (f", {_pluralize(rest, 'warning')}" if rest else ""),
    ]
    if found.violations:
        blocks.append(_make_violations_table(found.violations))
    return blocks + [f"warning: {clean(warning)}" for warning in found.warnings]


def _pluralize(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
