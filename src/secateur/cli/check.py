"""`secateur check`: what an API would reject in a document, by rule, with the place and the remedy.

Rule: a request body is checked as it is, a session file as its host would send it (its active branch). Violations are
findings (exit 1), warnings alone are not. Nothing is repaired here.
"""

import shlex
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from secateur.api import Violation
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS
from secateur.cli.inputs import OpenedDocument, open_document, read_source
from secateur.cli.names import PROFILE
from secateur.cli.options import Options, make_option
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
Exit codes: 0 no violations, 1 violations, 2 usage, 3 input unreadable.
"""


def _make_violations_table(violations: Sequence[Violation]) -> Any:
    """Violations, one per row: the rule, the place, the problem and the remedy."""
    rows = [
        (_format_rule(violation), to_one_line(violation.where, 60), to_one_line(violation.text, 400))
        for violation in violations[:_MAX_VIOLATIONS]
    ]
    return make_table(
        "", ("rule", "where", "problem, and what to do"), rows, more=len(violations) - _MAX_VIOLATIONS, fold=True
    )


def _format_rule(violation: Violation) -> str:
    return violation.rule if violation.severity == "error" else f"{violation.rule} (warning)"


class CheckOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur check`."""

    input: options.Input
    format_name: options.FormatName
    profile: Annotated[
        str | None, make_option("--profile", type=PROFILE, metavar="P", help="A stricter server: strict, mistral, ...")
    ]
    as_json: options.AsJson


class CheckReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    input: DocumentSummary
    reason: str  # why it was taken for its format
    family: str  # whose rules were asked
    profile: str | None
    violations: tuple[Violation, ...]  # in the order of the history; messages count from 0
    warnings: tuple[str, ...]


@options.make_command("check", CheckOptions, _EPILOG)
def command(args: CheckOptions) -> int:
    """Check INPUT against the rules of its API: pairs, order, ids, empty texts, cache markers, sizes.

    A session file is checked as its host would send it. `secateur repair` repairs what is found.
    """
    with show_work(f"reading {args.input}"):
        read_ = open_document(read_source(args.input), args.format_name, "estimate")
        report = check_document(read_, args)
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report, read_))
    return FINDINGS if any(violation.severity == "error" for violation in report.violations) else SUCCESS


def check_document(read_: OpenedDocument, args: CheckOptions) -> CheckReport:
    """Check a document."""
    family, broken = find_violations(read_, args.profile)
    return CheckReport(
        input=summarize_document(read_, args.input),
        reason=read_.document.reason,
        family=family,
        profile=args.profile,
        violations=broken,
        warnings=read_.transcript.warnings,
    )


def _render(report: CheckReport, read_: OpenedDocument) -> list[Any]:
    errors = sum(violation.severity == "error" for violation in report.violations)
    rest = len(report.violations) - errors
    whom = "every API" if report.family == "transcript" else report.family
    blocks: list[Any] = [
        f"{clean(read_.source.label)}: {report.input.format}, {report.reason}",
        f"{_pluralize(report.input.messages, 'message')} against the rules of {whom}: {_pluralize(errors, 'violation')}"
        + (f", {_pluralize(rest, 'warning')}" if rest else ""),
    ]
    if report.violations:
        blocks.append(_make_violations_table(report.violations))
    if errors and report.input.path != "-":
        profile = f" --profile {report.profile}" if report.profile else ""
        blocks.append(
            f"See what can be repaired: secateur repair {clean(shlex.quote(report.input.path or ''))}{profile}"
        )
    return blocks + [f"warning: {clean(warning)}" for warning in report.warnings]


def _pluralize(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
