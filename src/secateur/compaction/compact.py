"""Compaction: what gives way, a summary that was checked, and the message after it, as edits of the plan.

Rule: a generator without I/O. It yields an `Ask` for each question to a summarizer, is sent an `Answer`, and returns
what came of it. Rungs are tried in order, and the outcome names each that failed; the last needs no model. Nothing is
replaced unless the view becomes smaller. With `on_bad_summary` "cancel" the first failure ends it (SEEDS 2.4).
"""

from collections.abc import Generator, Sequence

from msgspec import Struct

from secateur.compaction.accept import SummarySource, Verdict, judged, without_facts
from secateur.compaction.ask import Ask, SummaryAnswer, SummaryTask
from secateur.compaction.asking import asked
from secateur.compaction.continuation import edits_of, is_continuation, next_of
from secateur.compaction.cut import HistoryCut, cut, sparing
from secateur.compaction.edits import replaced, segments
from secateur.compaction.extract import extract
from secateur.compaction.language import language_of
from secateur.compaction.layout import Layout
from secateur.compaction.ledger import Ledger
from secateur.compaction.outcome import Attempt, Compacted, Outcome, Refused, Rung
from secateur.compaction.rows import ViewEntry, rows_of, text_of
from secateur.compaction.scene import CompactionInput
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.span import Given, given, meta_of
from secateur.compaction.summary import Sections, merged, parsed, rendered
from secateur.compaction.template import Template, template
from secateur.compaction.trigger import Limits, due, limits
from secateur.compaction.writing import FACTS_SHARE, Written, budget, written
from secateur.lineage import handle_of
from secateur.model import NewMessage
from secateur.redact import redact
from secateur.tokens import counter

SHARES = (1.0, 0.5, 0.25, 0.1, 0.02)  # of the tail, tried until the view has room
LEAST_TOKENS = 2_000  # of a history: of less, a summary that somebody asks for frees nothing worth the loss
ATTEMPTS = 2  # a rejected summary is asked for once more, with the reason

Asking = Generator[Ask, SummaryAnswer, Outcome]


def compact(scene: CompactionInput, settings: Compaction, after: Continuation) -> Asking:
    """The compaction of this conversation, if one is due. Never raises for what a summarizer answers."""
    space = limits(settings, scene.window, scene.model)
    verdict = due(settings, scene.load, space, scene.forced)
    if not verdict.now:
        return Refused(verdict.why, verdict.text)
    count = counter(settings.counter) if settings.counter else scene.count
    rows = rows_of(scene.shown or scene.raw, scene.ranges, count)
    most = budget(settings, scene.window)
    where = _where(_without_continuation(rows, after), scene, settings, space, most)
    taken = given(where, rows, scene.raw, settings, scene.protect)
    if not any(row.is_news for row in taken.rows):
        return _nothing(rows)
    most = min(most, _room(taken))
    work = _Work(scene, settings, taken, _template(scene, settings, taken), most)
    found = yield from _summary(work)
    if isinstance(found, Refused):
        return found
    return _outcome(work, found, (where, rows), after)


class _Work(Struct, frozen=True):
    """One compaction's givens."""

    scene: CompactionInput
    settings: Compaction
    given: Given
    template: Template
    most: int  # tokens of the summary

    def written(self, new: Sections) -> Written:
        """The summary with this prose beside what was kept."""
        prose = merged(self.given.kept.sections, new)
        return written(self.template, prose, self.given.ledger, self.most, self.scene.count)


class _Found(Struct, frozen=True):
    """A summary that was taken."""

    rung: Rung
    written: Written
    attempts: tuple[Attempt, ...] = ()
    by: str = ""
    dropped: tuple[str, ...] = ()
    asks: int = 0


def _without_continuation(rows: Sequence[ViewEntry], after: Continuation) -> Sequence[ViewEntry]:
    """The rows up to the continuation that an earlier compaction left at the end of the document: nobody said it."""
    last = rows[-1] if rows else None
    if last is None or last.new is not None or not is_continuation(last.message, after):
        return rows
    return rows[:-1] if any(row.is_summary for row in rows) else rows


def _where(
    rows: Sequence[ViewEntry], scene: CompactionInput, settings: Compaction, space: Limits, most: int
) -> HistoryCut:
    """The cut with the longest tail for which there is room; where nothing has, the one with the shortest."""
    every_user = scene.protect.count_all_user_messages
    all_rows = sum(row.tokens for row in rows)
    found = cut(rows, settings, space.usable, every_user)
    has_summary = any(row.is_summary for row in rows)  # then the tail is not shortened just to find more to summarize
    firm = has_summary or settings.on_bad_summary == "cancel" or all_rows < LEAST_TOKENS  # nor here (SEEDS 2.4)
    for share in SHARES:
        found = cut(rows, settings, space.usable, every_user, share)
        found = sparing(found, rows) if scene.protect.unread else found
        gone = sum(row.tokens for first, last in segments(found, rows) for row in rows[first:last])
        left = scene.load.fixed + all_rows - gone + min(most, gone)
        needless = scene.window <= 0 or scene.load.tokens <= space.threshold
        if (needless and (gone or firm)) or (left <= space.threshold and gone):
            break  # somebody asks for it without need, or there is room
    return found


def _room(taken: Given) -> int:
    """Tokens that a summary of this may take: as many as the one before it, and half of what is new."""
    kept = sum(row.tokens for row in taken.rows if row.is_summary)
    return kept + sum(row.tokens for row in taken.rows if row.is_fresh) // 2


def _nothing(rows: Sequence[ViewEntry]) -> Refused:
    if any(row.is_summary for row in rows):
        return Refused("nothing_new", "nothing has been said since the last summary that is not in the tail")
    return Refused("too_short", "the history is too short: all of it is head and tail")


def _template(scene: CompactionInput, settings: Compaction, taken: Given) -> Template:
    return template(settings.template, language_of("\n".join(_said(scene, taken))) or "en")


def _summary(work: _Work) -> Generator[Ask, SummaryAnswer, _Found | Refused]:
    """The first rung that holds."""
    cancels = work.settings.on_bad_summary == "cancel"
    if work.scene.supplied:
        return _supplied(work, cancels)
    attempts: tuple[Attempt, ...] = ()
    asks = 0
    if work.scene.asks:
        found = yield from _by_model(work, 1 if cancels else ATTEMPTS)
        if isinstance(found, _Found):
            return found
        attempts, asks = found.attempts, found.asks
    elif cancels:
        return Refused("cancelled", "there is no model to write the summary")
    if cancels:
        return Refused("cancelled", attempts[-1].text, attempts, asks)
    if not work.scene.asks:
        attempts = (Attempt("model", "no_summarizer", "no summarizer is configured"),)
    return _Found("extract", work.written(_extracted(work)), attempts, asks=asks)


def _by_model(work: _Work, tries: int) -> Generator[Ask, SummaryAnswer, _Found | Refused]:
    """A summary by a model that passes, or what was wrong with each."""
    attempts: list[Attempt] = []
    asks = 0
    task = _task(work)
    window = work.scene.summarizer_window or work.scene.window
    for attempt in range(1, tries + 1):
        answer, more = yield from asked(work.given.rows, task, (window, attempt), work.scene.count, work.settings)
        asks += more
        verdict, made = _taken(work, answer)
        if made is not None:
            return _Found("model", made, tuple(attempts), answer.by, verdict.dropped, asks)
        attempts.append(Attempt("model", verdict.reason or "facts", verdict.text, answer.by))
        if answer.error:
            break  # whoever asks has tried again already
        task = _task(work, verdict.text)
    return Refused("cancelled", attempts[-1].text, tuple(attempts), asks)


def _taken(work: _Work, answer: SummaryAnswer) -> tuple[Verdict, Written | None]:
    """The verdict, and the summary if it passes: the facts must stand in what would be sent."""
    count = work.scene.count
    source = SummarySource(texts=work.given.texts, tokens=work.given.tokens, said=_said(work.scene, work.given))
    verdict = judged(answer, work.template, source, count)
    if verdict.reason:
        return verdict, None
    made = work.written(verdict.sections)
    missing = without_facts(made.text, made.facts)
    return (verdict, made) if not missing else (Verdict(reason="facts", text=f"a fact is missing: {missing[0]}"), None)


def _said(scene: CompactionInput, taken: Given) -> tuple[str, ...]:
    """What the user said in what gives way; where that is nothing, in all of the history: it tells the language."""
    mine = (one for one in scene.raw if one.role == "user" and one.origin == "user")
    return taken.said or tuple(filter(None, map(text_of, mine)))


def _supplied(work: _Work, cancels: bool) -> _Found | Refused:
    """A summary that a hook wrote: it is taken as it is, unless there is none in it."""
    text = redact(work.scene.supplied).strip()
    if not text and cancels:
        return Refused("cancelled", "the summary is empty")
    lines = tuple(line for line in text.splitlines() if line.strip())
    return _Found("supplied", work.written(parsed(text) or {"discoveries": lines}))


def _extracted(work: _Work) -> Sections:
    """What the agent itself said that tells most; half of the prose's room, so that what was kept is not displaced."""
    room = int(work.most * (1 - FACTS_SHARE) / 2)
    return extract(work.given.messages, Ledger(), room, work.scene.count)


def _task(work: _Work, objection: str = "") -> SummaryTask:
    kept = work.given.kept.sections
    facts = work.written({}).facts
    return SummaryTask(
        template=work.template,
        language=language_of("\n".join(_said(work.scene, work.given))) or "",
        most_tokens=work.most,
        kept=rendered(work.template, kept) if kept else "",
        facts="\n".join(facts),
        focus=work.scene.focus,
        objection=objection,
    )


def _outcome(work: _Work, found: _Found, place: tuple[HistoryCut, Sequence[ViewEntry]], after: Continuation) -> Outcome:
    """The edits, if the view becomes smaller by them."""
    where, rows = place
    scene, taken, made = work.scene, work.given, found.written
    blobs = _blobs(work) if scene.handles else {}
    text = made.text + "".join(f"\n\nrecall {handle} shows what this stands for in full" for handle in blobs)
    layout = _layout(where, rows) if work.settings.layout == "middle" else None
    step = next_of(scene.raw, after)
    meta = meta_of(work.template.name, made.prose, taken.ledger) | ({"details": layout.details()} if layout else {})
    meta |= {"continuation": {"branch": step.branch, "of": step.of}} if step.branch != "none" else {}
    items = (NewMessage(work.settings.summary_role, text, "summary", meta), *taken.carried)
    tokens = sum(scene.count(item.text) for item in items)
    if tokens >= taken.tokens:
        text = f"the summary would take {tokens:,} tokens, and what it stands for takes {taken.tokens:,}"
        return Refused("no_gain", text, found.attempts, found.asks)
    return Compacted(
        edits=(*replaced(where, rows, scene.raw, items), *edits_of(scene.raw, step)),
        rung=found.rung,
        attempts=found.attempts,
        by=found.by,
        summary=text,
        sections=made.prose,
        ledger=taken.ledger,
        dropped=found.dropped,
        forgotten=made.forgotten,
        messages=len(taken.rows),
        tokens_before=taken.tokens,
        tokens_after=tokens,
        continuation=step,
        layout=layout,
        asks=found.asks,
        blobs=blobs,
    )


def _layout(where: HistoryCut, rows: Sequence[ViewEntry]) -> Layout:
    """Messages of the raw history before the summary, behind it, and in all; system messages are no entries."""
    head = sum(row.new is None and row.message.role != "system" for row in rows[: where.start])
    tail = sum(row.new is None for row in rows[where.end :])
    total = sum(row.last - row.first for row in rows if row.opens and row.message.role != "system")
    return Layout(head, tail, total)


def _blobs(work: _Work) -> dict[str, str]:
    """What gives way as text, by its handle."""
    said = [f"[{one.role}] {part.text}" for one in work.given.messages for part in one.parts if part.text]
    text = "\n\n".join(said)
    return {handle_of(text): text}
