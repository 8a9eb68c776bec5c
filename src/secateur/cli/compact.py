"""`secateur compact`: prune, then summarize what still does not fit; the format stays the same.

Rule: a session file gets its host's own compaction entry at its end; request bodies are rewritten. Nothing is written
in place unless the options say so. Without a summarizer no network is used. A plan is applied exactly. A summary can be
shown with the source of each of its lines, on a terminal or as one page without scripts or anything from elsewhere;
text of a session is never markup there.
"""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import click
from msgspec.structs import replace

from secateur.cli import options
from secateur.cli.composition import find_largest
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.inputs import OpenedDocument, convert_source, read_source
from secateur.cli.options import make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_count, format_percent
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import StyledLine, clean, hide_secrets
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
from secateur.cli.writer import write_file
from secateur.compaction.ledger import read_back
from secateur.compaction.outcome import Compacted
from secateur.compaction.outcome import CompactionSkipped as NotDone
from secateur.compaction.provenance import LineSource, trace_summary
from secateur.compaction.summary import parse_sections
from secateur.engine import View
from secateur.errors import StillTooLong
from secateur.formats.request_body import TARGETS
from secateur.policy import Policy

_EPILOG = """\
\b
Examples:
  secateur compact s.jsonl                    show the result, write nothing
  secateur compact s.jsonl -o less.jsonl      write it; no model is called
  secateur compact s.jsonl --in-place         keeps s.jsonl.bak
  secateur compact request.json --window 32000 > less.json
  secateur compact s.jsonl --summarizer anthropic:claude-haiku-4-5 -o out.jsonl
  secateur compact s.jsonl --dry-run --plan-out plan.json
  secateur compact s.jsonl --apply plan.json -o less.jsonl     the same bytes
  secateur compact s.jsonl --dry-run --explain           each line with its source
  secateur compact s.jsonl --to openai_chat -o body.json a request body instead

\b
Exit codes: 0 success, 1 nothing was summarized, 2 usage or configuration,
3 input unreadable, 4 still longer than the window.
"""
_LARGEST = 5
_WRITERS = {"model": "by a model", "extract": "without a model", "supplied": "by the caller"}
_RESUMES = {  # hosts that read a continuation message, and still wait for a prompt
    "claude_code": 'Claude Code reads it and waits for a prompt: claude --continue "continue"',
    "codex": 'Codex reads it and waits for a prompt: codex resume --last "continue"',
}
_BRANCHES = {
    "media": "Continuation message, the newest request with its media described in words",
    "unanswered": "Continuation: the newest request, which is still in the view",
    "mid_task": "Continuation message, for the task in progress",
    "sentence": "Continuation message, the policy's own",
    "idle": "No continuation message: the agent is waiting for the user",
    "waiting": "No continuation message: a call is waiting for its result",
    "none": "No continuation message",
}

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>
h1 {{ overflow-wrap: anywhere; }}
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
td {{ border-top: 1px solid #ddd; padding: .3rem .6rem; vertical-align: top; }}
td.line {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
td.source {{ color: #555; width: 18rem; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} td.source {{ color: #aaa; }} }}
@media (max-width: 40rem) {{ td {{ display: block; }} td.source {{ border: 0; padding-top: 0; width: auto; }} }}
</style>
<h1>{title}</h1>
<p>Messages are counted from 0, as in the JSON report.</p>
{sections}
</html>
"""


class CompactCommandOptions(RewriteOptions, frozen=True, kw_only=True):
    """The options of `secateur compact`."""

    summarizer: options.Summarizers
    local_only: options.LocalOnly
    focus: Annotated[str, make_option("--focus", default="", metavar="TEXT", help="What the summary should focus on.")]
    deadline: options.Deadline
    if_needed: Annotated[
        bool, make_option("--if-needed", is_flag=True, help="Do nothing below the policy's threshold.")
    ]
    explain: Annotated[
        bool, make_option("--explain", is_flag=True, help="Show which message or call each line comes from.")
    ]
    explain_html: Annotated[
        str | None, make_option("--explain-html", metavar="FILE", help="Write the same as a page for a browser.")
    ]
    to: Annotated[
        str | None,
        make_option("--to", type=click.Choice(TARGETS), help="Write a request body of this format, not a session."),
    ]


@options.make_command("compact", CompactCommandOptions, _EPILOG)
def command(args: CompactCommandOptions) -> int:
    """Prune INPUT, a session file or a request body (- is standard input), and summarize what still does not fit.

    Without --summarizer the summary is made without a model. The document is written to -o, to INPUT itself
    (--in-place), or to standard output if that is a pipe or a file; on a terminal nothing is written.
    """
    args.target.check()
    if args.apply and (args.summarizer or args.focus):
        raise UsageError("--apply carries out a plan unchanged: drop --summarizer and --focus")
    if args.to and args.in_place:
        raise UsageError("--to writes another kind of document: give -o FILE instead of --in-place")
    source = read_source(args.input)
    with show_work(f"reading {source.label}") as rename:
        before = open_source(source, args)
        if args.to:
            source = convert_source(before, args.to, args.model)
            before = open_source(source, replace(args, format_name=args.to))
        chosen = _choose_policy(args, before)
        rename(f"summarizing {source.label}" + (f" by {args.summarizer[0]}" if args.summarizer else ""))
        view, error = _fit(args, chosen, before)
        rename("reading the outcome")
        after = open_outcome(args.target.pack(source, view.request), before, args)
    report = make_report(view, before, after, args.target.name)
    lines = trace_view(view, report.summary)
    if args.explain:
        report = replace(report, explanation=lines)
    backup = write_outcome(view, after, before, args)
    if args.explain_html:
        write_file(args.explain_html, make_page(lines, before.source.label), before.source.name)
    print_run(report, args, lambda: _render(report, before, after, backup))
    if error is not None:
        raise error
    return _conclude(view, report)


def _choose_policy(args: CompactCommandOptions, before: OpenedDocument) -> Policy:
    """The policy. Where it never changes a session's lines, nothing is pruned: the summary is appended (SEEDS 2.7)."""
    chosen = load_policy(args)
    if args.apply is None and chosen.allow_in_place == "bodies" and before.document.format.log:
        return replace(chosen, prune=(), on_arrival=None)
    return chosen


def _fit(args: CompactCommandOptions, chosen: Policy, before: OpenedDocument) -> tuple[View[Any], StillTooLong | None]:
    """The view, and what was raised if it is still too long."""
    engine = make_engine(
        chosen,
        before,
        args,
        summarizer=args.summarizer,
        local_only=args.local_only,
        deadline_s=args.deadline,
        compact=args.apply is None,
    )
    given: dict[str, Any] = {"plan": read_plan(args.apply), "idle_s": args.idle, "fixed_tokens": args.fixed_tokens}
    try:
        if args.apply:
            return engine.fit(before.source.data, **given), None
        return engine.compact(before.source.data, focus=args.focus, force=not args.if_needed, **given), None
    except StillTooLong as error:
        return error.view, error


def _conclude(view: View[Any], report: RunReport) -> int:
    """The exit code: nothing summarized is a finding, unless nothing had to be."""
    if report.summary is not None or not isinstance(view.compaction, NotDone):
        return SUCCESS
    return SUCCESS if view.compaction.reason == "under" else 1


def _render(report: RunReport, before: OpenedDocument, after: OpenedDocument, backup: Path | None) -> list[Any]:
    """The report as text."""
    blocks: list[Any] = [_describe_settings(report, before), _describe_outcome(report), *_describe_attempts(report), ""]
    if report.summary is not None:
        blocks += render_lines(report.explanation) if report.explanation else [clean(report.summary)]
        blocks += ["", *_describe_continuation(report), ""]
    blocks += [tables.make_parts_table("Largest remaining", find_largest(after.transcript, _LARGEST))]
    blocks += [f"warning: {clean(warning)}" for warning in report.warnings]
    return [*blocks, describe_output(report, before, backup)]


def _describe_settings(report: RunReport, before: OpenedDocument) -> str:
    return (
        f"{clean(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {report.policy}, window {format_count(report.window.value)}: {report.window.source}"
    )


def _describe_outcome(report: RunReport) -> str:
    if report.summary is None:
        why = report.compaction.text if report.compaction else f"policy {report.policy} does not compact"
        return f"Nothing was summarized: {clean(why)}."
    gone = sum(len(report.edits) and edit.verb == "replace" for edit in report.edits)
    share = format_percent(report.input.tokens - report.output.tokens, report.input.tokens)
    who = _WRITERS.get(report.method or "", report.method or "")
    by = f" ({clean(report.compaction.summarizer)})" if report.compaction and report.compaction.summarizer else ""
    where = f" in {gone} places" if gone > 2 else ""
    figures = f"{format_count(report.input.tokens)} → {format_count(report.output.tokens)} tokens, {share} less"
    return f"Summarized{where} {who}{by}: {report.input.messages:,} → {report.output.messages:,} messages, {figures}."


def _describe_attempts(report: RunReport) -> list[str]:
    tried = report.compaction.attempts if report.compaction else ()
    if [one.reason for one in tried] == ["no_summarizer"]:
        return ["No model was asked: --summarizer names one."]
    return [f"rejected: {clean(one.summarizer or one.method)}: {clean(one.text)}" for one in tried]


def _describe_continuation(report: RunReport) -> list[str]:
    if report.continuation is None:
        return []
    branch, text = report.continuation.branch, report.continuation.text
    said = f": {clean(text)}" if text else ""
    lines = [f"{_BRANCHES.get(branch, branch)}{said}"]
    return [*lines, _RESUMES[report.input.format]] if report.input.format in _RESUMES and text else lines


def trace_view(view: View[Any], summary: str | None) -> tuple[LineSource, ...]:
    """The lines of a view's newest summary with their sources; () if there is none."""
    if summary is None:
        return ()
    made, messages = view.compaction, view.raw_transcript.messages
    if isinstance(made, Compacted):
        has_earlier = any(message.origin == "summary" for message in messages)
        return trace_summary(summary, made.ledger, messages, made.by, has_earlier)
    return trace_summary(summary, read_back(parse_sections(summary)), messages)


def render_lines(lines: Iterable[LineSource]) -> list[Any]:
    """The lines as blocks for a terminal, each with its source below."""
    blocks: list[Any] = []
    for section, entries in groupby(lines, key=lambda one: one.section):
        blocks += [StyledLine(f"## {clean(section)}", "bold")] if section else []
        for one in entries:
            blocks += [clean(one.text), StyledLine(f"      ← {clean(one.origin)}", "dim")]
    return blocks


def make_page(lines: Iterable[LineSource], title: str) -> bytes:
    """The lines as an HTML page."""
    sections = []
    for section, entries in groupby(lines, key=lambda one: one.section):
        rows = "\n".join(
            f'<tr><td class="line">{_escape(one.text)}</td><td class="source">{_escape(one.origin)}</td></tr>'
            for one in entries
        )
        sections.append(f"<h2>{_escape(section)}</h2>\n<table>\n{rows}\n</table>")
    page = _PAGE.format(title=_escape(f"Summary of {title}"), sections="\n".join(sections))
    return page.encode("utf-8", "replace")


def _escape(text: str) -> str:
    return escape(clean(hide_secrets(text)))
