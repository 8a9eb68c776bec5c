"""One run of `prune`, `compact` or `diff`: a document is read, changed by the engine, written and read again.

Rule: statements about the output are read from the written bytes. An applied plan adds nothing, and no file is written
that the options or the policy do not allow.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from msgspec import structs

from secateur import plan, policy
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.inputs import InputSource, OpenedDocument, open_document, read_source
from secateur.cli.options import Options
from secateur.cli.output.terminal import print_blocks, print_json
from secateur.cli.report import RunReport
from secateur.cli.writer import Target, write_file
from secateur.engine import Engine, View
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.schedule import Never


class RunOptions(Options, frozen=True, kw_only=True):
    """How a document is read and counted, and the facts about its next request that the engine needs."""

    listed_last: ClassVar[bool] = True
    model: options.Model
    window: options.Window
    target_tokens: options.TargetTokens
    format_name: options.FormatName
    idle: options.Idle
    protect: options.Protect
    fixed_tokens: options.FixedTokens
    counter: options.Counter
    as_json: options.AsJson


class RewriteOptions(RunOptions, frozen=True, kw_only=True):
    """Which policy changes the document, and where the result is written."""

    input: options.Input
    policy: options.PolicyName
    output: options.Output
    in_place: options.InPlace
    dry_run: options.DryRun
    plan_out: options.PlanOut
    apply: options.Apply

    @property
    def target(self) -> Target:
        """The target of the document."""
        return Target(self.input, self.output, self.in_place, self.as_json, self.dry_run)


def open_source(source: InputSource, args: RunOptions) -> OpenedDocument:
    """Read a document as the options say."""
    return open_document(source, args.format_name, args.counter, args.fixed_tokens, args.model)


def open_outcome(outcome: InputSource, before: OpenedDocument, args: RunOptions) -> OpenedDocument:
    """Read what a run made of `before`, in its format."""
    model = args.model or before.transcript.model  # the message that named it may be gone
    return open_document(outcome, before.format, args.counter, args.fixed_tokens, model)


def load_policy(args: RewriteOptions) -> Policy:
    """The policy. For a plan that is carried out, it adds nothing to the plan.

    Raises UsageError if the policy never changes a session and the input is to be changed in place.
    """
    chosen = policy.load(args.policy)
    if args.in_place and chosen.allow_in_place == "never":
        raise UsageError(
            f"policy {chosen.name} never changes a recorded session in place: give -o FILE, or another policy"
        )
    if args.apply is None:
        return chosen
    never = Never(reason=f"no edit of the plan {args.apply} applies to this document")
    return structs.replace(chosen, schedule=never, on_arrival=None)


def make_engine(chosen: Policy | str, before: OpenedDocument, args: RunOptions, **settings: Any) -> Engine:
    """An engine for this document, with the settings that the options state."""
    return Engine(
        chosen,
        args.model,
        window=args.window,
        target_tokens=args.target_tokens,
        format=before.format,
        protect=args.protect,
        counter=args.counter,
        **settings,
    )


def read_plan(name: str | None) -> Plan | None:
    """The plan that `--apply` names."""
    return plan.decode(read_source(name).data) if name else None


def write_outcome(view: View[Any], after: OpenedDocument, before: OpenedDocument, args: RewriteOptions) -> Path | None:
    """Write the document, and the plan where `--plan-out` says so; the backup if one was made."""
    backup = args.target.write(before.source, after.source.stored)
    if args.plan_out:
        write_file(args.plan_out, plan.encode(view.plan), before.source.name)
    return backup


def print_run(report: Any, args: Any, render: Callable[[], list[Any]]) -> None:
    """Print a report: to standard error if the document takes standard output."""
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*render(), err=args.target.is_stdout)


def describe_output(report: RunReport, before: OpenedDocument, backup: Path | None) -> str:
    """Describe where the document was written."""
    name, output = before.source.label, report.output
    if output.path is None:
        return "Nothing was written: -o FILE writes the result; --in-place changes the input and keeps a backup."
    if output.path == "-":
        return ""
    if output.path != before.source.name:
        return f"Written to {output.path}: {report.input.bytes:,} → {output.bytes:,} bytes."
    if backup is None:
        return f"{name} is unchanged."
    return f"{name} was changed: {report.input.bytes:,} → {output.bytes:,} bytes. Backup: {backup}"
