"""The report of one run as data: the JSON object of `--json`, and the source of the tables.

Rule: facts about the output are read from the bytes that are written, never from the plan. Fields that do not apply are
present and null, so that readers of reports need not test for them.
"""

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.api import Violation, check, get_family
from secateur.cli.composition import count_results, count_tokens
from secateur.cli.inputs import OpenedDocument
from secateur.engine import View
from secateur.formats import get_format
from secateur.model import Message, NewMessage, Part, Replace
from secateur.plan import fold, list_active_epochs, plan_for, resolve_ranges
from secateur.projection.messages import make_weigher, project_message
from secateur.receipt import CompactionReport, EditCost, EditRecord, build_range_records, build_records
from secateur.tokens import get_model_counter

if TYPE_CHECKING:
    from secateur.compaction.provenance import LineSource  # loads all that reads a history

SCHEMA = "secateur.report/1"


class ContinuationSummary(Struct, frozen=True):
    """How the agent continues: the branch, and the message it gets."""

    branch: str
    text: str = ""


class NewestSummary(Struct, frozen=True):
    """The newest summary; nulls if nothing was summarized."""

    summary: str | None = None
    continuation: ContinuationSummary | None = None
    method: str | None = None


class DocumentSummary(Struct, frozen=True):
    """One document, before or after. `tokens` include the system prompt and tools; `bytes` are decompressed."""

    format: str
    messages: int
    tool_results: int
    tokens: int
    bytes: int
    path: str | None = None  # the file, "-" for a standard stream; null: not written


class WindowSize(Struct, frozen=True):
    """The context window in tokens, and where the number comes from."""

    value: int
    source: str


class RunReport(Struct, frozen=True, kw_only=True):
    """The JSON report. `edits` are all that are active in the output, in the order of the history."""

    schema: str = SCHEMA
    input: DocumentSummary
    output: DocumentSummary
    policy: str
    model: str
    window: WindowSize
    edits: tuple[EditRecord, ...]  # `message` counts from 0; so do `lines` of a session file
    skipped_reason: str | None  # why nothing was pruned; null where something was
    violations: tuple[Violation, ...]  # what the API would refuse of the output; the input had it already
    summary: str | None = None  # what replaces what was summed up
    continuation: ContinuationSummary | None = None  # how the agent continues after that
    method: str | None = None  # who wrote the summary: supplied, model or extract
    compaction: CompactionReport | None = None  # what the compaction came to, or why there was none
    explanation: "tuple[LineSource, ...] | None" = (
        None  # where each line of the summary comes from; null: not asked for
    )
    cost: EditCost | None = None
    counter: str
    counted_by: str = ""  # the counter, and the factor by which it counts for this model
    idle_s: float | None
    warnings: tuple[str, ...]
    session: str | None = None  # under which what left is kept; null: nowhere
    store: str | None = None  # where


def make_report(view: View[Any], before: OpenedDocument, after: OpenedDocument, written_to: str | None) -> RunReport:
    """The report of a run that made `after` of `before`."""
    receipt, edits = view.receipt, list_active_edits(view)
    summed = find_newest_summary(view)
    return RunReport(
        input=summarize_document(before, before.source.name),
        output=summarize_document(after, written_to),
        policy=receipt.policy,
        model=receipt.model,
        window=WindowSize(receipt.window, receipt.window_source),
        edits=edits,
        skipped_reason=None if edits else receipt.skipped_reason,
        violations=tuple(violation for violation in find_violations(after)[1] if violation.severity == "error"),
        summary=summed.summary,
        continuation=summed.continuation,
        method=summed.method,
        compaction=receipt.compaction,
        cost=receipt.cost,
        counter=receipt.counter,
        counted_by=receipt.counted_by,
        idle_s=receipt.idle_s,
        warnings=receipt.warnings + _warn_of_mismatch(view, after),
    )


def summarize_document(opened: OpenedDocument, path: str | None) -> DocumentSummary:
    """The figures of one document."""
    read = opened.transcript
    return DocumentSummary(
        opened.format, len(read.messages), count_results(read), count_tokens(read), len(opened.source.data), path
    )


def list_active_edits(view: View[Any]) -> tuple[EditRecord, ...]:
    """The edits of the plan that apply to this history, each with the reason and the time of its epoch."""
    raw = view.raw_transcript.messages
    plan = plan_for(view.plan, view.raw_transcript)
    folded = fold(plan)
    count = get_model_counter(view.receipt.counter, view.receipt.model)
    sent = {part.key: part for message in view.transcript.messages for part in message.parts}
    shown = tuple(_with_sent_parts(project_message(message, folded, count), sent) for message in raw)
    ranges = resolve_ranges(folded.ranges, raw)
    weigh = make_weigher(get_format(view.receipt.format), ranges, count)
    active: list[EditRecord] = []
    for epoch in list_active_epochs(plan):
        kept = tuple(edit for edit in epoch.edits if folded.parts.get(getattr(edit, "key", ""), (None,))[0] is edit)
        active += build_records(raw, raw, shown, replace(epoch, edits=kept)) if kept else ()
        active += build_range_records(raw, shown, ranges, epoch, weigh)
    return tuple(sorted(active, key=lambda entry: entry.message))


def _with_sent_parts(message: Message, sent: dict[str, Part]) -> Message:
    """A message with its parts as they are sent."""
    if all(part is sent.get(part.key, part) for part in message.parts):
        return message
    return replace(message, parts=tuple([sent.get(part.key, part) for part in message.parts]))


def _warn_of_mismatch(view: View[Any], after: OpenedDocument) -> tuple[str, ...]:
    """A warning if the written document does not read as the plan intended."""
    read, meant = count_tokens(after.transcript), view.receipt.tokens_view
    if read == meant:
        return ()
    return (f"the written document reads as {read:,} tokens, the plan came to {meant:,}: please report this",)


def find_newest_summary(view: View[Any]) -> NewestSummary:
    """The newest summary of a view."""
    ranges = [
        edit
        for _, _, edit in resolve_ranges(
            fold(plan_for(view.plan, view.raw_transcript)).ranges, view.raw_transcript.messages
        )
    ]
    summaries = [
        new for edit in ranges if edit.strategy == "compact" for new in edit.messages if new.origin == "summary"
    ]
    if not summaries:
        return NewestSummary()
    newest: dict[str, Any] = summaries[-1].meta
    branch = newest.get("continuation", {}).get("branch", "none")
    return NewestSummary(
        summaries[-1].text, ContinuationSummary(branch, _find_continuation_text(ranges)), newest.get("rung")
    )


def _find_continuation_text(ranges: list[Replace]) -> str:
    """The message that was added for the agent to continue with."""
    messages: list[NewMessage] = [new for edit in ranges if edit.strategy == "continue" for new in edit.messages]
    return messages[-1].text if messages else ""


def find_violations(read: OpenedDocument, profile: str | None = None) -> tuple[str, tuple[Violation, ...]]:
    """The family of rules that apply, and the violations of them, in the order of the history."""
    family = get_family(read.format)
    messages, request = (read.transcript.messages, None) if family == "transcript" else _get_messages(read)
    return family, tuple(check(family, messages, request, profile=profile))


def _get_messages(read: OpenedDocument) -> tuple[Any, dict[str, Any] | None]:
    """The array of messages, and the request body that contains it, if there is one."""
    whole = read.document.native.value()
    if isinstance(whole, dict) and not read.transcript.messages_path:
        message = next(iter(read.transcript.messages), None)  # one string in the place of messages
        return [{"role": "user", "content": part.text} for part in (message.parts if message else ())], whole
    if isinstance(whole, dict):
        return whole.get(str(read.transcript.messages_path[0])), whole
    return whole, None
