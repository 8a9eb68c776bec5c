"""Whether a summary gives work and approvals to those to whom the user gave them.

Rule: the user's own words decide who does what ("I'll do it", "Dana will", "not yourself"). A claim that names the
agent for the same thing is false, and so is an approval by a third person of whom the user said none. What a text
claims is reported speech and is no claim of the summary.
"""

import re
from collections.abc import Iterator

from secateur.compaction.judge.claims import (
    CLAUSE,
    SENTENCE,
    Claim,
    extract_words,
    is_negative,
    quote,
    split_items,
)
from secateur.compaction.judge.evidence import ClaimRule, Evidence

LEAST_SHARED = 0.5  # of the words of an assignment


def _explain_other_owner(claim: Claim, evidence: Evidence) -> str:
    """Quote the user's words that give to somebody else what a claim gives to the agent."""
    for item in split_items(claim.text):
        if not _AGENT.search(item) or is_negative(item):
            continue
        words = extract_words(_AGENT.sub(" ", item))
        for clause, topic in _list_assigned(evidence):
            if topic & words and len(topic & words) >= LEAST_SHARED * min(len(topic), len(words)):
                return quote("the user", clause)
    return ""


def _list_assigned(evidence: Evidence) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what the user gave to others than the agent, and what it is about."""
    for sentence in SENTENCE.split(evidence.user):
        clauses = CLAUSE.split(sentence)
        for clause in clauses:
            if _OTHERS.search(clause) or (is_negative(clause) and _YOURSELF.search(clause)):
                own = extract_words(_OTHERS.sub(" ", _YOURSELF.sub(" ", clause)))
                is_clear = any(len(word) > 2 for word in own - _FILLING) or len(own) > 2
                yield clause, own if is_clear else extract_words(_OTHERS.sub(" ", sentence))


_FILLING = frozenset({"zwar", "von", "durch", "dann", "then", "that", "this", "myself"})
_AGENT = re.compile(
    r"(?i)\b(?:the\s+)?(?:agent|assistant)\s+(?:to|will|must|should|has\s+to|is\s+to|fixes|does|commits)\b"
    r"|\bl['’]agent\s+(?:doit|va|s['’])|\bder\s+Agent\b|\bel\s+agente\s+(?:debe|va)|\bo\s+agente\s+(?:deve|vai)"
    r"|\bагент\w*\s+(?:долж|буд)|エージェントが|アシスタントが|由我们|由助手|由代理|我们来|에이전트가"
)
_OTHERS = re.compile(
    r"\bI(?:['’]ll|\s+will)(?=\s+\w)|\bmyself\b"
    r"|(?i:\bje\s+m['’]\s*(?:en\s+)?occupe\b|\bmoi-même\b|\bmache\s+ich\b|\bich\s+(?:mache|kümmere|übernehme"
    r"|entscheide)\b)"
    r"|(?i:\byo\s+mism[oa]\b|\beu\s+mesm[oa]\b|\bя\s+сам[аи]?\b|\btôi\s+sẽ\b)|(?:私|僕|わたし)が|我自己|我来|제가"
    r"|\b(?:Frau|Herr|Mr\.?|Mrs\.?|Ms\.?)\s+[A-ZÄÖÜ]\w+|\b[A-Z][a-z]+\s+will\b|由?[小老][\u4e00-\u9fff](?:在|来|负责)?"
)
_YOURSELF = re.compile(r"(?i)\b(?:yourself|selbst|toi-même|vous-même|tú\s+mism[oa]|você\s+mesm[oa])\b|你自己|自分で")


def _explain_third_approval(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never spoke of an approval by a person or a department that a claim names."""
    found = None if claim.is_hedged or claim.is_reported else _THIRD.search(claim.text)
    if found is None or found["who"] in _NOBODY or found["who"] in evidence.kept:
        return ""
    told = [one for one in SENTENCE.split(f"{evidence.user}\n{evidence.agent}") if found["who"] in one]
    if not told and not any(found["who"] in text for text in evidence.outputs):
        return ""
    is_given = any(_GIVEN.search(one) and not is_negative(one) and not _OPEN.search(one) for one in told)
    return "" if is_given else f"the user never said that {found['who']} did"


_GIVEN = re.compile(
    r"(?i)\b(?:approved|agreed|signed\s+off|authori[sz]ed|consented|said\s+yes|(?:is\s+)?fine\s+with"
    r"|has\s+no\s+objections?|gave\s+(?:its|their|the)\s+\w+|genehmigt|zugestimmt|freigegeben"
    r"|approuvé|validé|accepté|aprob[óo]|autoriz[óo]|aprovou|одобрил\w*)\b|批准|同意|承認"
)
_THIRD = re.compile(
    rf"(?P<who>\b[A-ZÄÖÜ][a-zäöüß]{{2,}})\s+(?:has\s+|have\s+|hat\s+|a\s+)?(?:also\s+|already\s+)?"
    rf"(?:{_GIVEN.pattern[4:]})"
)
_NOBODY = frozenset({"User", "The", "This", "That", "They", "Users", "Benutzer", "All", "Nobody"})
_OPEN = re.compile(
    r"(?i)\b(?:whether|if|ob|si|before|until|once|will|ask|check|wait\w*|claims?|comment)\b|[?？]|是否|かどうか"
)


RULES = (
    ClaimRule("approval", _explain_third_approval, strength="certain"),
    ClaimRule("approval", _explain_other_owner, strength="certain"),
)
