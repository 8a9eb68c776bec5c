"""`secateur prune`: the prune phase on a session file or a request body; the same format comes out.

Rule: nothing is written in place unless asked, and never where the policy forbids it; a session is not dumped on a
person's terminal. Where the document goes to standard output, the report goes to standard error.
"""

import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec.structs import replace

from secateur.cli import options
from secateur.cli.alternatives import PolicyAlternative, find_alternatives, make_alternatives_table
from secateur.cli.composition import find_largest
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.inputs import OpenedDocument, read_source
from secateur.cli.options import option
from secateur.cli.output import tables
from secateur.cli.output.formatting import (
    format_count,
    format_dollars,
    format_duration,
    format_percent,
    pluralize,
)
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean
from secateur.cli.removal_totals import (
    make_strategy_table,
    make_tool_table,
    make_turn_table,
    total_by_strategy,
    total_by_tool,
    total_by_turn,
)
from secateur.cli.report import RunReport, make_report
from secateur.cli.runs import (
    RewriteOptions,
    describe_output,
    load_policy,
    make_engine,
    open_outcome,
    open_source,
    print_run,
    read_plan,
    write_outcome,
)
from secateur.engine import View
from secateur.errors import StillTooLong
from secateur.policy import Policy
from secateur.pricing.tariffs import tariff_of
from secateur.receipt import EditCost
from secateur.sessions.originals import After, Before, keep_file
from secateur.sessions.receipt_log import handled
from secateur.stores import default_url
from secateur.stores.protocol import SessionId

_EPILOG = """\
\b
Examples:
  secateur prune s.jsonl --dry-run            what would go; writes nothing
  secateur prune s.jsonl -o pruned.jsonl      write it
  secateur prune s.jsonl --in-place           keeps s.jsonl.bak
  secateur prune request.json --policy hermes --window 128000 > less.json
  secateur prune s.jsonl --protect 'mcp_*' --json | jq .output
  secateur prune s.jsonl --plan-out plan.json         a dry run, kept,
  secateur prune s.jsonl --apply plan.json -o p.jsonl        carried out
  secateur prune s.jsonl --session s1 -o p.jsonl      keep what leaves:
  secateur why s1                                     and how to read it back
  secateur restore p.jsonl -o s.jsonl                 the file as it was

\b
Exit codes: 0 fine, 2 usage or configuration, 3 input unreadable,
4 still longer than the window that --window states.
"""
_LARGEST = 5
_PRICED = "tokens of input"  # in the words of a schedule that weighs costs
_FREE = re.compile(r": [\d,]+ tokens come free$")  # how a schedule says that no cache is lost
_MAX_BYTES = 16_000_000  # bytes: above this the answer would take longer than a person waits


class PruneOptions(RewriteOptions, frozen=True, kw_only=True):
    """The options of `secateur prune`."""

    session: Annotated[
        str,
        option(
            "--session",
            default="",
            metavar="NAME",
            help="Keep what leaves, under this name; else named by the history.",
        ),
    ]
    store: options.StoreUrl

    @property
    def is_stored(self) -> bool:
        """Whether what is removed is kept in a store."""
        return bool(self.session or self.store)


@options.command("prune", PruneOptions, _EPILOG)
def command(args: PruneOptions) -> int:
    """Take spent tool outputs out of INPUT, a session file or a request body (- is standard input).

    The document goes to standard output when that is a pipe or a file, else nowhere unless -o or --in-place says
    where; the report then goes to standard error. With --session or --store, what leaves is kept there: placeholders
    name it where the policy's say so, `secateur recall` reads it back, and `secateur restore` the whole file.
    """
    chosen = load_policy(args)
    args.target.check()
    if args.dry_run and args.is_stored:
        raise UsageError("--dry-run keeps nothing: leave --session and --store away, or --dry-run")
    source = read_source(args.input)
    with show_work(f"reading {source.label}") as rename:
        before = open_source(source, args)
        _check_log(args, chosen, before)
        rename(f"pruning {source.label}")
        view = _fit_and_store(args, chosen, before) if args.is_stored else _fit(args, chosen, before)
        rename("reading the outcome")
        after = open_outcome(args.target.pack(source, view.request), before, args)
    report = make_report(view, before, after, args.target.name)
    if args.is_stored:
        edits = handled(report.edits, before.document)
        report = replace(report, edits=edits, session=view.session, store=args.store or default_url())
    backup = write_outcome(view, after, before, args)
    print_run(report, args, lambda: _render(report, before, after, backup, _try_alternatives(args, report, before)))
    return _conclude(args, report, after)


def _check_log(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> None:
    """Raise UsageError for a session log that the policy leaves as it is (SEEDS 2.7)."""
    if args.in_place and chosen.allow_in_place == "bodies" and before.document.format.log:
        raise UsageError(f"policy {chosen.name} never changes a recorded session: give -o FILE, or another policy")


def _fit(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> View[Any]:
    """The view. One that is too long is written all the same, and the exit code says so."""
    engine = make_engine(chosen, before, args, compact=False, too_long="send")
    return engine.fit(before.source.data, plan=read_plan(args.apply), idle_s=args.idle, fixed_tokens=args.fixed_tokens)


def _fit_and_store(args: PruneOptions, chosen: Policy, before: OpenedDocument) -> View[Any]:
    """The view, and a record of it in the store, with the file as it was where the view goes to one.

    No model is called with it, so the session's clock stays where it is. Raises UsageError, before anything is
    written, if what is removed could not be kept.
    """
    source, target = before.source, args.target.name
    engine = make_engine(
        chosen, before, args, compact=False, too_long="send", store=args.store or default_url(), recall_handles="on"
    )
    engine.sessions.calls = False
    view = engine.fit(
        source.data,
        session=args.session or None,
        plan=read_plan(args.apply),
        idle_s=args.idle,
        fixed_tokens=args.fixed_tokens,
    )
    who = SessionId(view.session, engine.sessions.tenant)
    store, number = engine.sessions.store, view.receipt.sequence
    state = store.load(who) if store is not None else None
    if state is None or number is None or state.receipts <= number:
        raise UsageError(f"nothing was written, for what leaves could not be kept: {'; '.join(view.receipt.warnings)}")
    if target is not None:
        was = Before(source.data, source.stored if source.is_gzip else b"")
        written = After(view.request, "" if target == "-" else str(Path(target).resolve()))
        keep_file(engine.sessions, who, was, written, int(time.time() * 1000))
    return view


def _try_alternatives(args: PruneOptions, report: RunReport, before: OpenedDocument) -> list[PolicyAlternative] | None:
    """What the other presets would free, where this policy freed nothing; None if that is not args."""
    if report.edits or args.apply:
        return None
    with show_work("asking the other policies"):
        return find_alternatives(before, report.policy, lambda other: _fit(args, other, before))


def _conclude(args: PruneOptions, report: RunReport, after: OpenedDocument) -> int:
    if args.window is None or report.output.tokens <= args.window:
        return SUCCESS
    heaviest = ", ".join(f"{clean(one.tool) or one.kind} ({one.tokens:,})" for one in find_largest(after.transcript, 3))
    raise StillTooLong(
        f"{report.output.tokens:,} tokens are left and the window is {args.window:,}; the largest that stay are "
        f"{heaviest}: give a larger --window, protect less, or let secateur compact sum up the rest"
    )


def _render(
    report: RunReport,
    before: OpenedDocument,
    after: OpenedDocument,
    backup: Path | None,
    others: Sequence[PolicyAlternative] | None,
) -> list[Any]:
    """All that is to be drawn, in order."""
    blocks: list[Any] = [
        _describe_settings(report, before),
        _describe_outcome(report, before),
        *_describe_reasons(report),
        "",
    ]
    if report.edits:
        blocks += _make_removal_tables(report, before)
    elif others:
        blocks += [make_alternatives_table(others)]
    elif others is not None:
        blocks += ["No other policy that ships would free anything here.", ""]
    blocks += [tables.make_parts_table("Largest that stay", find_largest(after.transcript, _LARGEST))]
    blocks += [_describe_cost(report.cost)] if report.cost else []
    blocks += [f"warning: {clean(warning)}" for warning in _select_warnings(report, others or ())]
    return [*blocks, *_advise_compaction(report), *_describe_storage(report), describe_output(report, before, backup)]


def _describe_settings(report: RunReport, before: OpenedDocument) -> str:
    idle = "unknown" if report.idle_s is None else format_duration(report.idle_s)
    return (
        f"{clean(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {report.policy}, idle {idle}, window {format_count(report.window.value)}: {report.window.source}\n"
        f"tokens are about: by {clean(report.counted_by or report.counter)}"
    )


def _describe_outcome(report: RunReport, before: OpenedDocument) -> str:
    if not report.edits:
        return f"Nothing was pruned: {report.skipped_reason}."
    share = format_percent(report.input.tokens - report.output.tokens, report.input.tokens)
    figures = f"{format_count(report.input.tokens)} → {format_count(report.output.tokens)} tokens, {share} less"
    return f"Pruned {_describe_edited_parts(report, before)}: {figures}."


def _describe_edited_parts(report: RunReport, before: OpenedDocument) -> str:
    """What was edited, by kind: `30 of 64 tool results, the arguments of 9 calls and 2 other parts`."""
    kinds = {part.key: part.kind for message in before.transcript.messages for part in message.parts}
    edited = Counter(kinds.get(edit.key, "other") for edit in report.edits)
    results, calls = edited["tool_result"], edited["tool_call"]
    rest = len(report.edits) - results - calls
    said = [f"{results:,} of {report.input.tool_results:,} tool results"] if results else []
    said += [f"the arguments of {pluralize(calls, 'call')}"] if calls else []
    said += [pluralize(rest, "other part" if said else "part")] if rest else []
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def _describe_reasons(report: RunReport) -> list[str]:
    """Why the edits were made when they were, each reason once; the figures stand in the tables."""
    reasons = dict.fromkeys(_FREE.sub(": editing costs nothing", edit.reason) for edit in report.edits)
    return [f"Why: {clean(why)}." for why in reasons]


def _make_removal_tables(report: RunReport, before: OpenedDocument) -> list[Any]:
    """What left, added up; by rule only where several were at work."""
    whole, rules = report.input.tokens, total_by_strategy(report.edits)
    return [
        *([make_strategy_table(rules, whole)] if len(rules) > 1 else []),
        make_tool_table(total_by_tool(report.edits), whole),
        make_turn_table(total_by_turn(report.edits, before.transcript), whole),
    ]


def _select_warnings(report: RunReport, others: Sequence[PolicyAlternative]) -> list[str]:
    """The warnings that are not told yet. Whose prices are taken is one only where a price decided or is shown."""
    assumed = tariff_of(report.model).assumption
    priced = not report.cost and (_PRICED in (report.skipped_reason or "") or any(one.cost for one in others))
    return [one for one in report.warnings if one != assumed or priced]


def _advise_compaction(report: RunReport) -> list[str]:
    """What to do where pruning was not enough."""
    over = report.output.tokens > report.window.value > 0
    return ["Pruning alone does not bring it under the window: secateur compact sums up what is left."] if over else []


def _describe_storage(report: RunReport) -> list[str]:
    """Where what left is, and how to read it back."""
    if report.session is None and report.edits and report.output.path:
        return ["To read back what left: --session NAME keeps it, and secateur recall shows it."]
    if report.session is None:
        return []
    name = clean(report.session)
    handle = next((edit.handle for edit in report.edits if edit.handle), None)
    back = f"; secateur recall {handle} reads one back" if handle else ""
    return [f"Kept as session {name} at {clean(report.store or '')}: secateur why {name} lists what left{back}."]


def _describe_cost(cost: EditCost) -> str:
    """The next request, then each later one, then when it has paid for itself."""
    why = cost.price_assumption.partition(":")[0]
    whose = f"{clean(cost.model)} ({clean(why)}: --model names one)" if why else clean(cost.model)
    each = f"each one after it {format_dollars(cost.dollars_saved)} less"
    if cost.immediate <= 0:
        return f"At the prices of {whose} the next request costs {format_dollars(-cost.dollars_now)} less, {each}."
    after = f": paid back after {cost.break_even_requests:g}" if cost.break_even_requests else ""
    more = f"{format_dollars(cost.dollars_now)} more, since the prompt cache is written anew"
    return f"At the prices of {whose} the next request costs {more}; {each}{after}."
