"""The summary of a model: asked for, judged, and asked for once more with the reason where it was rejected.

Rule: a summary in another language than the user's is asked for once more, and then taken: the user's own words stand
in it in any case, and it says in which language to answer. The judge comes with this file, and knows words of about ten
languages: it is loaded where a model is asked.
"""

from collections.abc import Generator

from secateur.compaction.accept import SummarySource, Verdict, judge_answer, without_facts
from secateur.compaction.ask import Ask, SummaryAnswer, SummaryTask, ask_for_language
from secateur.compaction.asking import Interview
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.language import detect_language
from secateur.compaction.outcome import CompactionSkipped, RejectedSummary
from secateur.compaction.summary import Written, add_note, render_sections
from secateur.compaction.work import Found, Work, list_user_texts


def summarize_by_model(
    work: Work, tries: int
) -> Generator[tuple[Ask, ...], tuple[SummaryAnswer, ...], Found | CompactionSkipped]:
    """Return a model's summary that passes, or what was wrong with each."""
    attempts: list[RejectedSummary] = []
    asks = 0
    task = _build_task(work)
    window = work.scene.summarizer_window or work.scene.window
    interview = Interview(work.given.rows, window, work.scene.count, work.settings, work.scene.own)
    for attempt in range(1, tries + 1):
        answer, more = yield from interview.ask_for_summary(task, attempt)
        asks += more
        verdict, made = _judge_and_write(work, answer, is_told=any(one.reason == "language" for one in attempts))
        if made is not None:
            return Found("model", made, tuple(attempts), answer.by, verdict.dropped, verdict.marked, asks)
        attempts.append(RejectedSummary("model", verdict.reason or "facts", verdict.text, answer.by))
        if answer.error:
            break  # the caller has tried again already
        task = _build_task(work, verdict.text)
    return CompactionSkipped("cancelled", attempts[-1].text, tuple(attempts), asks)


def _judge_and_write(work: Work, answer: SummaryAnswer, *, is_told: bool) -> tuple[Verdict, Written | None]:
    """Return the verdict, and the summary if it passes: the facts must be in what would be sent.

    `is_told`: whether the summarizer was told to write in the user's language.
    """
    source = SummarySource(
        texts=work.given.texts,
        tokens=work.given.tokens,
        said=list_user_texts(work.scene, work.given),
        evidence=collect_evidence(work.scene.raw, work.given.kept_texts),
        takes_any_language=is_told,
    )
    verdict = judge_answer(answer, work.template, source, work.scene.count)
    if verdict.reason:
        return verdict, None
    made = work.write_summary(verdict.sections)
    if is_told:
        made = add_note(made, ask_for_language(_detect_user_language(work)))
    missing = without_facts(made.text, made.facts)
    return (verdict, made) if not missing else (Verdict(reason="facts", text=f"a fact is missing: {missing[0]}"), None)


def _build_task(work: Work, objection: str = "") -> SummaryTask:
    kept = work.given.kept.sections
    facts = work.write_summary({}).facts
    return SummaryTask(
        template=work.template,
        language=_detect_user_language(work),
        most_tokens=work.most,
        kept=render_sections(work.template, kept) if kept else "",
        facts="\n".join(facts),
        focus=work.scene.focus,
        objection=objection,
    )


def _detect_user_language(work: Work) -> str:
    return detect_language("\n".join(list_user_texts(work.scene, work.given))) or ""
