"""Whether a summary may stand for history: what a summarizer answered, judged before anything is replaced.

Rule: a summary is taken only if it is one. Each check has a typed reason, the first that fails is told. A line that
names a path, an id or a number which the history does not hold is dropped; too many such lines, and the summary is made
up. So is a line that the history contradicts: one is dropped, more reject a short summary. Judging changes nothing:
whoever rejects a summary still has the history as it was.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from secateur.compaction.ask import Failure, SummaryAnswer
from secateur.compaction.headings import STATE_SECTIONS, read_labels
from secateur.compaction.judge.claims import Contradiction, TruthReason, extract_words, is_reported
from secateur.compaction.judge.evidence import Evidence
from secateur.compaction.judge.figures.anchors import KnownAnchors
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.reading import read_claims
from secateur.compaction.judge.truth import find_noise, iterate_contradictions
from secateur.compaction.judge.weighing import drop_false, is_refuted, mark_doubtful, sort_by_strength
from secateur.compaction.language import LEAST_SHORT, detect_language
from secateur.compaction.ledger.course import MARK
from secateur.compaction.marks import strip_marks
from secateur.compaction.prose import read_summary
from secateur.compaction.summary import Sections
from secateur.compaction.template import Template
from secateur.redact import redact

MOST_SHARE = 0.5  # of its source: longer is not a summary
SHORT_SOURCE = 600  # tokens: a summary up to this length has only to be shorter than its source
MOST_INVENTED = 0.2  # lines with an anchor that the source does not hold
FEWEST_INVENTED = 2  # such lines that reject a summary: one is dropped
MOST_TOLD = 3  # contradictions that a rejected summarizer is told of
MOST_ECHOED = 0.7  # of a summary's text that stands word for word in its source
_WINDOW, _STRIDE = 40, 20  # characters compared at once for an echo, and how far apart

Reason = Failure | TruthReason | Literal[
    "failed", "tool_call", "truncated", "unfinished", "empty", "html", "json", "error_text", "refusal",
    "empty_conversation", "echo", "sections", "language", "too_long", "invented", "facts",
]  # fmt: skip


class SummarySource(Struct, frozen=True, kw_only=True):
    """What a summary is of. `texts` are those of its parts and of what was kept before, as received."""

    texts: tuple[str, ...]
    tokens: int  # as they are in the view
    said: tuple[str, ...] = ()  # what the user said, from which the language is told
    evidence: Evidence = Evidence()  # what the summary's claims are compared with
    takes_any_language: bool = False  # whether another language than the user's is no reason to reject it


class Verdict(Struct, frozen=True):
    """A summary's sections, or why it is none. `dropped` lines name what the source does not hold."""

    sections: Sections = {}
    reason: Reason | None = None
    text: str = ""  # the reason in words, fit for being told to the summarizer
    dropped: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()  # sentences that stand with a mark


def judge_answer(
    answer: SummaryAnswer, template: Template, source: SummarySource, count: Callable[[str], int]
) -> Verdict:
    """Return the verdict on an answer."""
    text = strip_marks(redact(answer.text)).strip()
    for check in (_check_arrival, _check_shape):
        reason, why = check(answer, text)
        if reason:
            return Verdict(reason=reason, text=why)
    sections = read_summary(text, source.said)
    if not sections.keys() & STATE_SECTIONS:
        wanted = ", ".join(one.heading for one in template.sections)
        lack = f"there are no headings, and no sentences on what was wanted, done and is open: use {wanted}"
        reason, why = _find_refusal(text) or ("sections", lack)
        return Verdict(reason=reason, text=why)
    reason, why = _check_content(text, sections, source, count)
    if reason:
        return Verdict(reason=reason, text=why)
    labels = read_labels(text)
    if noise := find_noise(sections, source.evidence):
        return Verdict(reason=noise.reason, text=noise.text)
    claims = len(read_claims(sections, labels))
    false: list[Contradiction] = []
    for one in iterate_contradictions(sections, source.evidence, labels):
        false.append(one)
        if is_refuted(false, claims):
            told = sort_by_strength(false)[:MOST_TOLD]
            return Verdict(reason=told[0].reason, text="; ".join(one.text for one in told))
    return _drop_unanchored(sections, source, false)


def without_facts(text: str, facts: Iterable[str]) -> tuple[str, ...]:
    """The lines that code knows for certain and that a finished summary does not hold."""
    return tuple(fact for fact in facts if fact.strip() and fact.strip() not in text)


def is_nothing(line: str) -> bool:
    """Whether a line only says that there is nothing to say."""
    return _NOTHING.fullmatch(line.strip(" -*•\t")) is not None


Found = tuple[Reason | None, str]
_FINE: Found = (None, "")
_STOPS = frozenset({"", "stop", "end_turn", "stop_sequence", "completed", "complete", "eos", "eos_token", "finished"})
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete"})
_HTML = re.compile(r"\A\W*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html[\s>]|head[\s>]|body[\s>])", re.I)
_ERROR = re.compile(
    r"usage limit|rate.?limit|quota|overloaded|internal server error|bad gateway|service unavailable|api error"
    r"|timed ?out|(?:request|gateway|read) time-?out|connection (?:error|reset|refused|closed)"
    r"|unauthorized|forbidden|invalid api key|too many requests|context length|prompt is too long"
    r"|^\s*(?:error|exception|traceback)\b|^\W*[45]\d\d\b|\b(?:http|status|error|code)\W{1,3}[45]\d\d\b", re.I | re.M,
)  # fmt: skip
_REFUSAL = re.compile(
    r"^\W*(?:(?:i(?:'|’)?m|i am) (?:sorry|unable|not able)|sorry\b|i (?:cannot|can(?:'|’)?t|won(?:'|’)?t|must decline)"
    r"|as an ai|lo siento|no puedo|tôi (?:xin lỗi|không thể)|xin lỗi|抱歉|对不起|我无法|je (?:suis désolé|ne peux pas)"
    r"|es tut mir leid|desculpe|não posso|申し訳|できません|죄송|извините|я не могу)",
    re.I,
)
_NO_HISTORY = re.compile(
    r"\b(?:no|empty|without (?:a|any)) (?:prior |previous |actual |such )?"
    r"(?:conversation|history|messages|content|transcript)\b"
    r"|nothing to summari[sz]e|(?:provide|share|paste) (?:me )?(?:the|your) (?:conversation|transcript|text)"
    r"|conversation (?:is|appears to be|seems) (?:empty|blank)",
    re.I,
)
# A line of a template that no one filled in: `[path]: [why it matters]`
_BLANK = re.compile(r"[\s\-*•\d.)]*(?:[\[<{][^\[\]<>{}\n]{2,}[\]>}][\s:,;.–—-]*)+")
_NOTHING = re.compile(
    r"(?:\(?(?:none|n/?a|nothing|unknown|not (?:specified|available|applicable)|keine?[rs]?|nichts|ningun[oa]|nada"
    r"|nenhum[a]?|aucune?|rien|нет|ничего|không(?: có)?|无|無|なし|없음)"
    r"(?: (?:yet|captured|so far|recorded))?\)?"
    r"|no (?:prior|previous|conversation|new)[\w ]{0,30}|\(?empty\)?)?[.\s]*",
    re.I,
)
# How many of a line's words must be the user's under these headings: with fewer it is the demand of someone else
_VOICED = {"constraints": 0.2, "instructions": 0.2, "goal": 0.1}
_LEDGERED = re.compile(
    rf"\s*- \[(?:\S*, (?:open|done|replied to[^\]\n]{{0,20}}|superseded|deferred|standing|request)|{MARK.pattern})\] "
)
_PROMPT = re.compile(r"</?conversation\b|<<<[0-9a-f]{8}|</?template>|<summary-so-far>|<notes part=")
_SHORT = 600  # characters: error texts, refusals and excuses are short


def _check_arrival(answer: SummaryAnswer, text: str) -> Found:
    finish = answer.finish.strip().lower()
    if answer.error:
        return answer.failure or "failed", answer.error
    if answer.calls:
        return "tool_call", "a tool was called, and a text was asked for"
    if finish in _CUT_OFF:
        return "truncated", f"the answer was cut off ({answer.finish}): write less"
    if not finish and _is_cut(text):
        return "unfinished", "the answer ends within a line, or with a heading and nothing below it"
    if finish not in _STOPS:
        return "unfinished", f"the answer ended with {answer.finish!r}"
    return _FINE if text else ("empty", "the answer is empty")


def _is_cut(text: str) -> bool:
    """Whether the last line has no end, as far as a text shows that: for those who cannot say how an answer ended."""
    last = text.rpartition("\n")[2]
    return last.startswith("#") or last.count("(") > last.count(")") or last.count("[") > last.count("]")


def _check_shape(answer: SummaryAnswer, text: str) -> Found:
    if _HTML.search(text):
        return "html", "the answer is a web page"
    if text[:1] in "{[" and _is_json(text):
        return "json", "the answer is JSON"
    if _PROMPT.search(text):
        return "echo", "the answer repeats the question"
    return _FINE


def _find_refusal(text: str) -> tuple[Reason, str] | None:
    """Return what a text without the headings says instead."""
    if len(text) > _SHORT:
        return None
    if _REFUSAL.search(text):
        return "refusal", "the answer refuses"
    if _NO_HISTORY.search(text):
        return "empty_conversation", "the answer takes the conversation for empty"
    if _ERROR.search(text):
        return "error_text", "the answer is an error's text"
    return None


def _check_content(text: str, sections: Sections, source: SummarySource, count: Callable[[str], int]) -> Found:
    lines = [line for some in sections.values() for line in some]
    if all(is_nothing(line) or _BLANK.fullmatch(line) for line in lines):
        return "empty_conversation", "nothing stands under the headings"
    body = "\n".join(lines)
    has_refused = _REFUSAL.search(body)
    if has_refused or all(is_nothing(line) or _NO_HISTORY.search(line) for line in lines):
        return "refusal" if has_refused else "empty_conversation", "the headings hold an excuse"
    if count(text) > max(MOST_SHARE * source.tokens, min(SHORT_SOURCE, source.tokens)):
        return "too_long", f"the summary is longer than half of what it is of ({source.tokens:,} tokens): write less"
    if _measure_echo(_list_prose(sections), source.texts) > MOST_ECHOED:
        return "echo", "most of the summary is copied from the conversation"
    told, wanted = detect_language(body), _detect_languages(source.said)
    if told and wanted and told not in wanted and not source.takes_any_language:
        return "language", f"the summary is in another language ({told}) than the user's ({', '.join(sorted(wanted))})"
    return _FINE


def _drop_unanchored(sections: Sections, source: SummarySource, false: Sequence[Contradiction] = ()) -> Verdict:
    """Drop what is false, and the lines that name what the source does not hold or put words in the user's mouth."""
    known = KnownAnchors(source.texts)
    kept: Sections = {}
    dropped: list[str] = []
    sections, gone = drop_false(sections, false)
    sections, put = _drop_unsaid(sections, source.said)
    for id, lines in sections.items():
        good = tuple(line for line in lines if known.has_all_anchors(line))
        dropped += [line for line in lines if line not in good]
        if good:
            kept[id] = good
    total = sum(map(len, sections.values()))
    if len(dropped) >= FEWEST_INVENTED and len(dropped) > MOST_INVENTED * total:
        text = (
            f"{len(dropped)} of {total} lines name what the conversation does not hold, such as: {dropped[0].strip()}"
        )
        return Verdict(reason="invented", text=text, dropped=tuple(dropped))
    kept, marked = mark_doubtful(kept, false)
    return Verdict(kept, dropped=(*gone, *put, *dropped), marked=marked)


def _drop_unsaid(sections: Sections, said: Sequence[str]) -> tuple[Sections, tuple[str, ...]]:
    """Drop what the user did not say from under the user's headings (`_VOICED`), whoever else did.

    A line in other words than the user's stays if it shares some of them; one that reports what a text claims is no
    demand. Lines in the shape of a ledger's are the ledger's to write.
    """
    spoken = extract_words("\n".join(said)) | get_stems("\n".join(said))
    kept: Sections = {}
    gone: list[str] = []
    for id, lines in sections.items():
        least = _VOICED.get(id, 0.0)
        good = [line for line in lines if not _LEDGERED.match(line) and _is_voiced(line, spoken, least)]
        gone += [line for line in lines if line not in good]
        kept[id] = tuple(good)
    return kept, tuple(gone)


def _is_voiced(line: str, spoken: frozenset[str], least: float) -> bool:
    words, stems = extract_words(line), get_stems(line)
    is_shared = any(len(own & spoken) >= least * len(own) for own in (words, stems))
    return not words or is_shared or (least > 0 and is_reported(line))


def _list_prose(sections: Sections) -> list[str]:
    """Return the lines that no user said: those of the user are wanted word for word."""
    return [line for id, lines in sections.items() if id not in _VOICED for line in lines]


def _detect_languages(said: Sequence[str]) -> set[str]:
    every = {detect_language(text) for text in said} | {detect_language("\n".join(said))}
    return set(filter(None, every)) or set(filter(None, [detect_language("\n".join(said), LEAST_SHORT)]))


def _measure_echo(lines: Sequence[str], texts: Sequence[str]) -> float:
    """Return the share of a summary's long lines that occurs word for word in its source."""
    plain = [" ".join(line.lstrip("-*• ").split()) for line in lines]
    starts = [(line, at) for line in plain for at in range(0, len(line) - _WINDOW + 1, _STRIDE)]
    if len(starts) < 3:
        return 0.0
    source = "\n".join(" ".join(text.split()) for text in texts)
    return sum(line[at : at + _WINDOW] in source for line, at in starts) / len(starts)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
