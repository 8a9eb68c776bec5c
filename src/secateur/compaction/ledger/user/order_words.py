"""The words by which a demand is for once: an order, a remark, a state to be reached, a single change.

Rule: patterns only; a sentence is looked at alone. Most are English: in other languages what has no words of force is
taken to be for once. Which demands are shown is decided in `force`.
"""

import re

from secateur.compaction.ledger.user.force_words import (
    has_force,
    is_forced,
    is_habit,
    is_manner,
    is_refusal,
    is_weak,
    strip_asides,
)
from secateur.compaction.ledger.user.topics import is_negative
from secateur.memoizing import memoize_texts


@memoize_texts(4_096)
def is_errand(text: str) -> bool:
    """Whether an English sentence is an order to be carried out once, and forbids nothing."""
    said = _SUBORDINATE.sub(" ", _ONLY_IF.sub(" ", strip_asides(text)))
    if _ERRAND.match(said) is None or has_force(said):
        return False
    return not is_manner(said) or (_AT_HAND.search(said) is not None and not is_habit(said))


def is_order_for(text: str, end: int) -> bool:
    """Whether a text begins as an order, and what stands at this place belongs to what the order is for or about."""
    return _ERRAND.match(text) is not None and _SUBORDINATES.search(text, 0, end) is not None


def is_one_off(text: str) -> bool:
    """Whether a demand says nothing any more once it was answered: an order, a question, a remark, one change."""
    return (
        is_errand(text)
        or _is_task(text)
        or _is_reached(text)
        or (_ONCE.search(text) is not None and not is_refusal(text))
        or is_undoing(text)
        or _SUBJECTLESS.match(text) is not None
        or _is_remark(text)
        or (not is_forced(text) and _is_single_change(text))
    )


def is_work(text: str) -> bool:
    """Whether a sentence gives work, and sets it no limit."""
    return is_weak(text) or (
        not is_manner(text) and _ERRAND.match(text) is not None and not is_negative(text) and not _LIMITS.search(text)
    )


def _is_task(text: str) -> bool:
    """Whether a long text begins as an order, and forbids nothing: what it demands is of that work."""
    return len(text) > _TASK_CHARS and _ERRAND.match(text) is not None and _FORBIDS.search(text) is None


def _is_reached(text: str) -> bool:
    """Whether an English sentence wants a state that an act brings about, or that a text tells something."""
    is_lasting = _STANDS.search(text) is not None
    return (_REACHES.search(text) is not None and not is_lasting) or _IN_TEXT.match(text) is not None


def is_undoing(text: str) -> bool:
    """Whether an English sentence orders to go back to what was before."""
    return _UNDOES.match(text) is not None


def is_format(text: str) -> bool:
    """Whether an English sentence only says how calls and answers alternate, which a harness says again itself."""
    return _FORMAT.search(text) is not None


def is_complaint(text: str) -> bool:
    """Whether a sentence only says of what went wrong that it should never be so."""
    return _COMPLAINS.search(text) is not None


def _is_remark(text: str) -> bool:
    """Whether a sentence corrects or remarks on what was just done, and forbids nothing later."""
    return (_REMARKS.match(text) is not None and _BANS.search(text) is None) or _MAYBE.search(text) is not None


def _is_single_change(text: str) -> bool:
    """Whether an English sentence asks for one change, in words that say nothing of later ones."""
    return _CHANGE.search(text) is not None and _LATER.search(_PURPOSE.sub(" ", text)) is None


_ONLY_IF = re.compile(r"(?i)\bonly\s+(?=(?:if|when)\b)")  # it says how what is ordered is to work
_AT_HAND = re.compile(r"(?i)\b(?:this|that|these|those|it|them|the\s+(?:last|first|two|three|other|previous|rest))\b")
_REACHES = re.compile(  # "make sure the list is sorted"; what the agent has to do himself lasts: "make sure you ask"
    r"(?i)(?:\A\W*(?:[$/@][\w-]+\s+)?|[,;:(.]\s*|\b(?:and|but|then|please|so|also|just|ok(?:ay)?)\s+)(?:make\s+sure|ensure)\s+(?:that\s+)?(?!(?:you|to|not|nothing|nobody|no)\b|we\b(?!\s+have\b))\w"
)
_STANDS = re.compile(
    r"(?i)\b(?:(?:stay|remain|keep|continu)\w*|still|always|never|when(?:ever)?|each|every|any|all|everywhere|wherever|throughout|only|before|after|until"
    r"|don['’]t|not)\b"
)
_IN_TEXT = re.compile(  # "in the readme make sure to mention ..."
    r"(?i)\W*(?:(?:ok(?:ay)?|and|also|now|then|please|so)[\s,]+)*(?:in|to|into)\s+(?:the|our|your)\s+(?:[\w-]+\s+){0,2}"
    r"(?:prompt|readme(?:\.md)?|docs?|documentation|changelog(?:\.md)?|guide|help|description|release\s+notes)\b[^.;\n]{0,40}"
    r"\b(?:make\s+sure|ensure|mention|say|tell|note|write|explain|include|add|list|document|describe)\b"
    r"(?![^\n]*\b(?:always|never|from\s+now\s+on)\b)"
)
_TASK_CHARS = 200
_FORBIDS = re.compile(
    r"(?i)\b(?:do\s+not|don['’]?t|never|must\s+not|may\s+not|under\s+no\s+circumstances|from\s+now\s+on|always|whenever)\b"
)
_CLAUSE = r"\b(?:whether|what|how|why|because|since|so\s+(?:that|it|we|they)|so\s+\w+\s+(?:is|are))\b"
_CASES = r"\bif:\s*\n"  # points of a case that is thought through
_SUBORDINATES = re.compile(rf"(?i){_CLAUSE}|{_CASES}")
_SUBORDINATE = re.compile(rf"(?is){_CASES}.*|{_CLAUSE}(?:(?!\b(?:and|but|if:))[^,;.:\n])*")
_SUBJECTLESS = re.compile(
    r"(?i)\s*(?:should|must|shall)\s+(?:also\s+)?be\b"
)  # it says nothing without what it is about
_FORMAT = re.compile(
    r"(?i)\b(?:your|each|every)\s+(?:response|reply|message|answer|turn)s?\b[^.\n]{0,40}\b(?:must|should|has\s+to|needs?\s+to)\b"
    r"[^.\n]{0,60}\b(?:tool\s+calls?|bash|commands?|thoughts?)\b"
    r"|\bwait\s+for\s+(?:the\s+)?(?:feedback|output|results?)\b"
)
_COMPLAINS = re.compile(  # "the list broke, that should never happen"
    r"(?i)\b(?:got|gets?|saw|see|had|was|crash\w*|exploded|happened|broke|failed|fails)\b[^\n]*"
    r"\b(?:should|must|may|can)(?:\s+(?:never|not)|n['’]t)\s+(?:ever\s+)?(?:happen|be\s+(?:possible|so|like\s+that))\W*$"
)
_ONCE = re.compile(  # a question, a remark that trails off, a report to look into, and to go back: done once answered
    r"(?i)[?？]\W*$|\b(?:must|should|needs?\s+to)\b[^\n]*(?:\.{3}|…)\W*$"
    r"|^\W*(?:please\s+|but\s+)?(?:do\s+not|don['’]t)\s+(?:edit|make|change|modify|write)\s+(?:(?:any|the)\s+)?"
    r"(?:files?|changes|code|anything)\W*$|^\W*(?:please\s+)?(?:(?:report|give|list|return)\s+)?(?:only\s+)?(?:concrete\s+)?findings\s+only\b"
    r"|\b(?:investigate|look\s+into\s+(?:it|this|that)|check\s+(?:it|this|that))\W*$"
)
_UNDOES = re.compile(
    r"(?i)^\W*(?:(?:nah|no|nope|ok|okay|hm+|well|yeah|yes)[\s,.]+)*(?:let['’]?s\s+)?"
    r"(?:roll\s*(?:it\s+|this\s+|that\s+)?back|revert|undo|go\s+back)\b"
)
_CHANGE = re.compile(
    r"(?i)\b(?:we|you)\s+should\s+(?:(?:also|now|then|probably|just)\s+)?"
    r"(?:have|add|drop|remove|move|put|show|see|hide|get|rename|replace|change|swap|place|combine|merge|split|include)\b"
    r"|\bshould\s+(?:also|now|then)\s|\bshould\s+be\s+(?:the\s+)?(?:same|like|as|at|more|less|\w+er)\b"
    r"|\b(?:we|i)\s+(?:also\s+|still\s+|now\s+)?need\s+(?!you\b)|\b(?:maybe|perhaps)\s+(?:we|you)\s+(?:(?:can|could|should)\s+)?"
    r"(?:drop|remove|move|put|hide|rename|replace|change|swap|place|combine|merge|split)\b"
)
_REMARKS = re.compile(  # "no, the frame should be wider", "ok, i think the list is broken, look into it"
    r"(?i)\W*(?:no|nope|ok|okay|hm+|actually|well|wait|dude|alright|nah)\b[\s,.:!]+(?=[^\n]*\b(?:should|i think)\b)"
    r"(?![^\n]*\b(?:always|never|instead|each|every|whenever|from now on)\b)"
)
_BANS = re.compile(
    r"(?i)(?:^|[,.;:]\s*|\b(?:but|and|please|so)\s+)(?:do\s+not|don['’]?t|dont|avoid|only|stop|without)\b"
)
_MAYBE = re.compile(
    r"(?i)^\W*(?:(?:how|what)\s+about|alternatively|or\s+(?:else|maybe))\b|\b(?:maybe|perhaps)\s+(?:we|you)\s+(?:(?:can|could|should)\s+)?"
    r"(?:drop|remove|move|put|hide|rename|replace|change|swap|place|combine|merge|split)\b"
)
_PURPOSE = re.compile(r"(?i)\bto\s+(?:ensure|make\s+sure)\b[^.;\n]*")  # what the change is for
_LATER = re.compile(
    r"(?i)\b(?:make\s+sure|ensure|be\s+(?:sure|careful)|remember|when(?:ever)?|prefer\w*|stick|keep|leave|each|every|any|all"
    r"|ask|rather|instead|before|after|until|while|stay|remain|in\s+general|usually|generally)\b"
)
_LIMITS = re.compile(r"(?i)\b(?:only|exactly|at\s+(?:least|most)|never|no\s+(?:more|less|fewer))\b")
_ERRAND = re.compile(
    r"(?i)\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?"
    r"(?:(?:please|now|then|next|also|and|so|ok(?:ay)?|alright|yes|yeah|great|good|sure|finally|again|first"
    r"|(?:after|once|when)\s+(?:you|that|it|this)\b[^,.;]{0,60}|(?:can|could)\s+(?:you|we)|let['’]?s|go\s+ahead\s+and"
    r"|(?:you|we)\s+(?:can|should)|i\s+(?:want|need)\s+you\s+to)[\s,:]+){0,4}"
    r"(?:re-?run|run|commit|push|pull|merge|rebase|remo?ve?|delete|add|move|rename|start|continue|finish|fix|release|update"
    r"|check|look|show|tell|explain|write|create|implement|read|investigate|build|test|try|open|close|kill|spawn|make\s+an?|do\s+it"
    r"|review|focus|revert|undo|install|publish|deploy|tackle|go\s+on|give|list|print|find|search|rewrite|split|refactor|drop|put|hide|swap|adjust|adapt|convert|extend|replace|change(?!\s+(?:nothing|no|only)\b))\b"
)
