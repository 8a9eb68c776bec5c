"""Whether a summary says of work that it is done, open or untouched what the agent's plan and words say.

Rule: a task that the agent's plan has as completed is not to be done, and what the agent said last that it had not done
is not done. Plans are often not kept up to date, so an open task that is said to be done is no contradiction.
"""

import re

from secateur.compaction.judge.checks import INTENT
from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim, extract_words
from secateur.compaction.judge.evidence import ClaimRule, Evidence

LEAST_INTENDED = 0.6  # of the words of what the agent had yet to do
LEAST_SHARED = 0.7  # of the words of a task or of what the agent denied


def _explain_reopened_task(claim: Claim, evidence: Evidence) -> str:
    """Name a task of the agent's plan that is completed and that a claim has among those to be done."""
    if not _TO_DO.search(claim.text):
        return ""
    for task in evidence.tasks:
        if task.state == "done" and task.text and task.text.casefold() in claim.text.casefold():
            return f"the agent's plan has {task.text[:60]!r} as completed"
    return ""


_TO_DO = re.compile(r"(?i)^(?:\d+\.\s*)?\[\s*(?:|todo|to\s+do|pending|open|in[\s_-]progress|offen|待办)\s*\]")


def _explain_done_work(claim: Claim, evidence: Evidence) -> str:
    """Say that files were written, where a claim denies that any was."""
    return "calls wrote files" if _NOTHING_WRITTEN.search(claim.text) and evidence.written else ""


_NOTHING_WRITTEN = re.compile(
    r"(?i)\b(?:nothing|no\s+(?:files?|code|changes?))\s+(?:has|have|was|were)\s+(?:been\s+)?(?:written|changed|edited|modified|made|created)"
    r"\s*(?:so\s+far|yet)?[.\s]*$|\bnichts\s+(?:wurde\s+)?(?:geändert|geschrieben)[.\s]*$|\baucun\s+fichier\s+(?:n['’]a\s+été\s+)?modifié"
)


def _explain_denied(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent's last words where they deny what a claim says."""
    if claim.is_negative or claim.is_wished or claim.is_question or claim.is_earlier or not _DONE.search(claim.text):
        return ""
    for sentence in SENTENCE.split(evidence.last_words):
        if not _DENIES.search(sentence) or sentence.rstrip().endswith("?") or _FUTURE.search(sentence):
            continue
        own = extract_words(sentence)
        is_short = bool(_NOTHING.match(sentence)) and len(own) <= 2
        if own and (is_short or len(own) >= 3) and len(own & claim.words) >= LEAST_SHARED * len(own):
            return f"the agent said {sentence.strip()[:80]!r}"
    return ""


_DENIES = re.compile(
    r"(?i)^\s*(?:nothing|nichts|rien|nada)\b|\b(?:I|we)\s+(?:have|had|did)\s*(?:not|n['’]t|never)|\b(?:I|we)\s+(?:haven|hadn|didn)['’]t"
    r"|\b(?:was|were|has\s+been|have\s+been|is|are)\s+not\s+(?:yet\s+)?\w+ed\b|\bhabe\s+ich\s+(?:noch\s+)?nicht|\bich\s+habe\b.*\bnicht"
    r"|\bn['’]ai\s+pas|\bno\s+he\b|\bnão\s+(?:fiz|foi)|\bя\s+не\b|\btôi\s+chưa\b|还没有?|尚未|まだ.*(?:ません|ない)|아직"
)
_NOTHING = re.compile(r"(?i)\s*(?:nothing|nichts|rien|nada|ничего|没有)")
_FUTURE = re.compile(r"(?i)\b(?:will|should|must|next|need|werde|soll\w*|vais|doit)\b|下一步|次に")


def _explain_early_done(claim: Claim, evidence: Evidence) -> str:
    """Quote what the agent said last that it had yet to do, where a claim has it as done."""
    if not evidence.rests or claim.is_negative or claim.is_wished or claim.is_quoted or not _DONE.search(claim.text):
        return ""
    for sentence in SENTENCE.split(evidence.last_words):
        own = extract_words(INTENT.sub(" ", sentence)) if INTENT.search(sentence) else frozenset()
        if len(own) >= 2 and len(own & claim.words) >= LEAST_INTENDED * len(own):
            return f"the agent said {sentence.strip()[:80]!r}"
    return ""


_DONE = re.compile(
    r"(?i)^(?:\d+\.\s*)?\[(?:x|done|completed)\]|\b(?:done|finished|completed?|implemented|now|has\s+been|have\s+been|was|were"
    r"|works|written|added|fixed|erledigt|fertig|wurden?|worden|sind|ist|fait|terminée?s?|est|sont|hech[oa]|terminad[oa]s?|está[n]?"
    r"|feit[oa]|concluíd[oa]s?|готов\w*|сделан\w*)\b|\w{3,}ed\b|已|完成|した|済み|完了|했"
)


def _explain_exchanged_name(claim: Claim, evidence: Evidence) -> str:
    """Say that the history tells of `edge-2` what a claim tells of `edge-1`."""
    names = {one.group() for one in _NUMBERED.finditer(claim.text)}
    if len(names) != 1 or claim.is_planned:
        return ""
    (name,) = names
    stem = _NUMBERED.match(name)
    words = extract_words(_NUMBERED.sub(" ", claim.text))
    if stem is None or len(words) < 2:
        return ""
    others = re.compile(rf"\b{re.escape(stem['stem'])}\d+\b")
    about = [one.text for one in evidence.units if len(words & one.words) >= max(2, 0.6 * len(words))]
    about = [one for one in about if others.search(one)]
    if about and not any(re.search(rf"\b{re.escape(name)}\b", one) for one in about):
        return f"the history tells it of {others.findall(about[-1])[0]}"
    return ""


_NUMBERED = re.compile(r"\b(?P<stem>[A-Za-z][A-Za-z]{1,20}[-_])\d{1,3}\b")

RULES = (
    ClaimRule("unfinished_work", _explain_reopened_task),
    ClaimRule("unfinished_work", _explain_done_work, REPORTING),
    ClaimRule("unfinished_work", _explain_denied, REPORTING),
    ClaimRule(
        "unfinished_work", _explain_early_done, ("accomplished", "discoveries", "files", "decisions", "resolved")
    ),
    ClaimRule("inverted", _explain_exchanged_name, REPORTING),
)
