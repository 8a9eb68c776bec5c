"""Compaction: what gives way, a summary that was checked, and the message after it, as edits of the plan.

Rule: a generator without I/O. It yields questions to a summarizer, as many `Ask`s as may be put side by side, is sent
as many `SummaryAnswer`s in the same order, and returns its result. Rungs are tried in order, and the outcome names
each that failed; the last needs no model. Nothing is replaced unless the view becomes smaller. With `on_bad_summary`
"cancel" the first failure ends it (SEEDS 2.4).
"""

from collections.abc import Generator, Sequence

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.continuation import build_continuation_edits, is_continuation, plan_continuation
from secateur.compaction.conversation import CompactionInput, ViewEntry, build_rows
from secateur.compaction.cut import HistoryCut, cut, keep_unanswered
from secateur.compaction.extract import Known, extract, has_deeds, list_quoted
from secateur.compaction.former import without_gone_files
from secateur.compaction.language import detect_language
from secateur.compaction.ledger import Ledger
from secateur.compaction.outcome import Compacted, CompactionSkipped, Layout, Outcome, RejectedSummary
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.span import Given, add_place, build_summary_meta, collect_span, find_segments, replace_segments
from secateur.compaction.summary import (
    FACTS_SHARE,
    Sections,
    compute_summary_budget,
    is_empty,
    parse_sections,
)
from secateur.compaction.template import Template, get_template
from secateur.compaction.trigger import Limits, check_due, compute_limits
from secateur.compaction.work import Found, Work, list_user_texts
from secateur.lineage import handle_of
from secateur.model import NewMessage
from secateur.redact import redact
from secateur.text.readback import describe_way_back, locate
from secateur.tokens import get_counter

SHARES = (1.0, 0.5, 0.25, 0.1, 0.02)  # of the tail, tried until the view has room
LEAST_TOKENS = 2_000  # of what gives way: less, in a summary that someone asks for, is not worth the loss
ATTEMPTS = 2  # a rejected summary is asked for once more, with the reason

Asking = Generator[tuple[Ask, ...], tuple[SummaryAnswer, ...], Outcome]


def compact(scene: CompactionInput, settings: Compaction, after: Continuation) -> Asking:
    """The compaction of this conversation, if one is due. Never raises for what a summarizer answers."""
    space = compute_limits(settings, scene.window, scene.model)
    verdict = check_due(settings, scene.load, space, scene.forced)
    if not verdict.now:
        return CompactionSkipped(verdict.why, verdict.text)
    count = get_counter(settings.counter) if settings.counter else scene.count
    rows = build_rows(scene.shown or scene.raw, scene.ranges, count)
    most = compute_summary_budget(settings, scene.window)
    where = _choose_cut(_without_continuation(rows, after), scene, settings, space, most)
    taken = add_place(collect_span(where, rows, scene.raw, settings, scene.protect), scene.folder, scene.branch)
    if not any(row.is_news for row in taken.rows):
        return _explain_nothing(rows)
    most = min(most, _compute_room(taken))
    work = Work(scene, settings, taken, _choose_template(scene, settings, taken), most)
    found = yield from _summarize(work)
    if isinstance(found, CompactionSkipped):
        return found
    return _build_outcome(work, found, (where, rows), after)


def _without_continuation(rows: Sequence[ViewEntry], after: Continuation) -> Sequence[ViewEntry]:
    """The rows up to the continuation that an earlier compaction left at the end of the document: no one said it."""
    last = rows[-1] if rows else None
    if last is None or last.new is not None or not is_continuation(last.message, after):
        return rows
    return rows[:-1] if any(row.is_summary for row in rows) else rows


def _choose_cut(
    rows: Sequence[ViewEntry], scene: CompactionInput, settings: Compaction, space: Limits, most: int
) -> HistoryCut:
    """Return the cut with the longest tail that fits; if none does, the one with the shortest."""
    every_user = scene.protect.count_all_user_messages
    all_rows = sum(row.tokens for row in rows)
    found = cut(rows, settings, space.usable, every_user)
    has_summary = any(row.is_summary for row in rows)  # then the tail is not shortened just to find more to summarize
    firm = has_summary or settings.on_bad_summary == "cancel" or all_rows < LEAST_TOKENS  # nor here (SEEDS 2.4)
    for share in SHARES:
        found = cut(rows, settings, space.usable, every_user, share, scene.requires_leading_reasoning)
        found = keep_unanswered(found, rows, space.threshold - most) if scene.protect.unread else found
        gone = sum(row.tokens for first, last in find_segments(found, rows) for row in rows[first:last])
        left = scene.load.fixed + all_rows - gone + min(most, gone)
        needless = scene.window <= 0 or scene.load.tokens <= space.threshold
        if (firm or gone >= LEAST_TOKENS) if needless else (gone and left <= space.threshold):
            break  # someone asks for it without need, or there is room
    return found


def _compute_room(taken: Given) -> int:
    """Return the tokens a summary of this may take: as many as the last one, plus half of what is new."""
    kept = sum(row.tokens for row in taken.rows if row.is_summary)
    return kept + sum(row.tokens for row in taken.rows if row.is_fresh) // 2


def _explain_nothing(rows: Sequence[ViewEntry]) -> CompactionSkipped:
    if any(row.is_summary for row in rows):
        return CompactionSkipped("nothing_new", "nothing has been said since the last summary that is not in the tail")
    return CompactionSkipped("too_short", "the history is too short: all of it is head and tail")


def _choose_template(scene: CompactionInput, settings: Compaction, taken: Given) -> Template:
    return get_template(settings.template, detect_language("\n".join(list_user_texts(scene, taken))) or "en")


def _summarize(work: Work) -> Generator[tuple[Ask, ...], tuple[SummaryAnswer, ...], Found | CompactionSkipped]:
    """Return the summary of the first rung that holds."""
    cancels = work.settings.on_bad_summary == "cancel"
    if work.scene.supplied:
        return _use_supplied(work, cancels)
    attempts: tuple[RejectedSummary, ...] = ()
    asks = 0
    if work.scene.asks:
        # Only who asks a model pays for loading the judge.
        from secateur.compaction.model_rung import summarize_by_model

        found = yield from summarize_by_model(work, 1 if cancels else ATTEMPTS)
        if isinstance(found, Found):
            return found
        attempts, asks = found.attempts, found.asks
    elif cancels:
        return CompactionSkipped("cancelled", "there is no model to write the summary")
    if cancels:
        return CompactionSkipped("cancelled", attempts[-1].text, attempts, asks)
    if not work.scene.asks:
        attempts = (RejectedSummary("model", "no_summarizer", "no summarizer is configured"),)
    return Found("extract", work.write_summary(_extract_sections(work)), attempts, asks=asks)


def _use_supplied(work: Work, cancels: bool) -> Found | CompactionSkipped:
    """Use a summary written by a hook as it is, unless it is empty."""
    text = redact(work.scene.supplied).strip()
    if not text and cancels:
        return CompactionSkipped("cancelled", "the summary is empty")
    lines = tuple(line for line in text.splitlines() if line.strip(" \t-*•"))
    return Found("supplied", work.write_summary(parse_sections(text) or ({"discoveries": lines} if lines else {})))


def _extract_sections(work: Work) -> Sections:
    """Extract the agent's most telling sentences; half the prose's room, so that what was kept stays."""
    room, ledger = int(work.most * (1 - FACTS_SHARE) / 2), work.given.ledger
    known = Known(tuple(list_quoted(ledger, work.write_summary({}).facts)), work.given.later, has_deeds(ledger))
    return without_gone_files(extract(work.given.messages, Ledger(), room, work.scene.count, known), ledger.files)


def _build_outcome(
    work: Work, found: Found, place: tuple[HistoryCut, Sequence[ViewEntry]], after: Continuation
) -> Outcome:
    """Return the edits if they make the view smaller."""
    where, rows = place
    scene, taken, made = work.scene, work.given, found.written
    blobs = _collect_blobs(work) if scene.handles else {}
    text = made.text + "".join(
        f"\n\n{describe_way_back(locate(handle, scene.recall_folder))} shows what this stands for in full"
        for handle in blobs
    )
    layout = _compute_layout(where, rows) if work.settings.layout == "middle" else None
    step = plan_continuation(scene.raw, after)
    meta = build_summary_meta(work.template.name, made.prose, taken.ledger) | (
        {"details": layout.make_details()} if layout else {}
    )
    meta |= {"continuation": {"branch": step.branch, "of": step.of}} if step.branch != "none" else {}
    items = (NewMessage(work.settings.summary_role, text, "summary", meta), *taken.carried)
    tokens = sum(scene.count(item.text) for item in items)
    takes = tokens + (scene.count(step.text) if step.put_in else 0)
    if takes >= taken.tokens:
        text = f"the summary would take {takes:,} tokens, and what it stands for takes {taken.tokens:,}"
        return CompactionSkipped("no_gain", text, found.attempts, found.asks)
    if is_empty(made):
        text = "nothing can be said of what would give way: the summary would be empty"
        return CompactionSkipped("empty", text, found.attempts, found.asks)
    return Compacted(
        edits=(*replace_segments(where, rows, scene.raw, items), *build_continuation_edits(scene.raw, step)),
        rung=found.rung,
        attempts=found.attempts,
        by=found.by,
        summary=text,
        sections=made.prose,
        ledger=taken.ledger,
        dropped=found.dropped,
        marked=found.marked,
        forgotten=made.forgotten,
        messages=len(taken.rows),
        tokens_before=taken.tokens,
        tokens_after=tokens,
        continuation=step,
        layout=layout,
        asks=found.asks,
        blobs=blobs,
    )


def _compute_layout(where: HistoryCut, rows: Sequence[ViewEntry]) -> Layout:
    """Count raw messages before and after the summary and in all; system messages are not entries."""
    head = sum(row.new is None and row.message.role != "system" for row in rows[: where.start])
    tail = sum(row.new is None for row in rows[where.end :])
    total = sum(row.last - row.first for row in rows if row.opens and row.message.role != "system")
    return Layout(head, tail, total)


def _collect_blobs(work: Work) -> dict[str, str]:
    """Return what is replaced as text, by its handle."""
    said = [f"[{one.role}] {part.text}" for one in work.given.messages for part in one.parts if part.text]
    text = "\n\n".join(said)
    return {handle_of(text): text}
