"""What the agent's words say is left, where no call shows it.

Rule: a sentence of the last words, or of the report before them, that something is not done, so that a reader finds it
there. What the agent asks, what it is about to look at, why something is so and that work is ready is nothing undone.
Where nothing is, findings of a review count of which none is said to be fixed.
"""

import re

from secateur.compaction.ledger.entries import Ledger, Quote
from secateur.compaction.ledger.said import is_question, split_sentences
from secateur.compaction.ledger.turns.findings import has_findings
from secateur.compaction.ledger.turns.last_words import UNFINISHED
from secateur.compaction.ledger.turns.progress import has_changed

SAID_UNDONE = "what the agent says is not done"
SAID_FOUND = "what the agent's last words found"


def describe_told(ledger: Ledger, is_settled: bool) -> str:
    """Say that the agent's words tell of something that is left, or of findings of which none is said to be fixed."""
    if is_said_undone(ledger.last_words, ledger.report, is_at_work=bool(ledger.last_calls or ledger.pending)):
        return SAID_UNDONE
    text = ledger.last_words.text if is_settled and ledger.last_words else ""
    is_review = bool(ledger.requests) and not has_changed(ledger.requests[-1].progress) and has_findings(text)
    return SAID_FOUND if (is_review or _FINDS.search(text)) and not _FIXED.search(text) else ""


def is_said_undone(*quotes: Quote | None, is_at_work: bool = False) -> bool:
    """Whether the agent says of something that it is left to do; what it asks, finds or is about to look at is not."""
    said = (sentence for one in quotes if one for sentence in split_sentences(one.text))
    return any(
        UNFINISHED.search(_READY.sub("", sentence))
        and not (is_question(sentence) or _EXPLAINS.search(sentence) or _GRADES.match(sentence))
        and not (is_at_work and _IS_DOING.search(sentence))
        for sentence in said
    )


_EXPLAINS = re.compile(r"(?i)\b(?:since|because|if|when|unless|that|which|while) (?:\w+['’]?\w* ){1,3}(?:not |un)")
_GRADES = re.compile(
    r"(?i)\W{0,4}(?:\d{1,2}[.)]\s+\W{0,4})?(?:critical|high|medium|low|major|minor|blocker|P[0-3])\W{0,3}[:—–]"
)
_READY = re.compile(r"(?i)\bready\s+to\s+(?:commit|merge|push|submit|review)\b")  # nothing of it is left to do
_IS_DOING = re.compile(r"(?i)\b(?:i['’]m|i am|i['’]ll|i will|let me|let['’]s|i['’]m going to)\b")
_FINDS = re.compile(  # a finding of a review with its severity, or an open question under its heading
    r"(?im)^[ \t]*(?:[-*•]|\d{1,2}[.)]|#{1,5})[ \t]+(?:\d{1,2}[.)][ \t]+)?[*\[(]{0,4}"
    r"(?:critical|high|medium|low|major|minor|blocker|P[0-3])(?:[ \t](?:severity|priority))?[*\])]{0,4}[ \t]?"
    r"(?:[:—–]|-[ \t]|(?<=[\])])[ \t])"
    r"|^[ \t#*]{0,8}open questions?(?:[ \t]/[ \t]\w+)?[*]{0,2}:?[*]{0,2}[ \t]*\n\s*(?:[-*•]|\d{1,2}[.)])[ \t]+"
    r"(?!none\b|no\b|n/a\b)\S"
)
_FIXED = re.compile(r"(?i)\b(?:fixed|resolved|addressed|corrected|done)\b|[✅✔]")
