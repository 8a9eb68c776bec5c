"""Whether a summary gives to a failure the cause that the agent found.

Rule: only a stated cause is judged. It is false where the agent named another one in other words throughout, where
nothing of it stands anywhere in the history, or where the agent said that it did not know. A cause in other words than
the agent's shares at least one with what stands around the agent's sentence.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim, extract_words, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence

LEAST_KNOWN = 0.3  # of the words of a cause, anywhere in the history
LEAST_NEAR = 0.2  # of the words of a cause, around the agent's words on the cause
FEWEST_WORDS = 3  # of a cause that is judged
AROUND = 1  # sentences before and behind the agent's words on the cause


def _explain_other_cause(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent on the cause where a claim has another one."""
    found = None if claim.is_quoted or claim.is_question or claim.is_wished else _CAUSE.search(claim.text)
    if found is None:
        return ""
    own = extract_words(re.sub(r"\bit\b|[.`]", " ", found["cause"] or "")) or claim.words
    if len(own) < FEWEST_WORDS:
        return ""
    known = frozenset(word for word in own if word in _lower_case(evidence.story) or word in evidence.kept.casefold())
    stated = _list_stated(evidence.agent)
    if _UNKNOWN.search(evidence.last_words) and not _is_near(own, stated) and len(known) < len(own):
        return "the agent said that the cause was not known"
    if _ROOT.search(claim.text) and len(known) < LEAST_KNOWN * len(own):
        return "nothing in the history says so"
    if stated and _ROOT.search(claim.text) and not _is_near(own, stated):
        return quote("the agent", stated[-1])
    return ""


@lru_cache(maxsize=2)
def _lower_case(story: str) -> str:
    return story.casefold()


@lru_cache(maxsize=2)
def _list_stated(agent: str) -> tuple[str, ...]:
    """Return the agent's words on causes, with the sentences around them."""
    sentences = [one for one in SENTENCE.split(agent) if one.strip()]
    return tuple(
        " ".join(sentences[max(0, at - AROUND) : at + AROUND + 1])
        for at, sentence in enumerate(sentences)
        if _CAUSE.search(sentence)
    )


def _is_near(own: frozenset[str], stated: tuple[str, ...]) -> bool:
    """Whether a cause shares enough words with one that the agent stated."""
    return any(len(own & extract_words(one)) >= max(1, LEAST_NEAR * len(own)) for one in stated)


_ROOT = re.compile(
    r"(?i)\b(?:root\s+cause|cause[ds]?\b|reason|culprit|due\s+to|traced|ursache|grund|causa\w*|motivo|raison"
    r"|origine|причин\w*|nguyên\s+nhân)\b|原因|원인"
)
_CAUSE = re.compile(
    r"(?i)(?:\b(?:root\s+cause|cause|reason|culprit|ursache|grund|causa|motivo|cause|raison|origine|причин[аы]"
    r"|nguyên\s+nhân)\b\s*(?:for\s+\S+\s+\S+\s*)?(?::|is|was|war|ist|es|era|fue|est|était|é|foi|—|-|là)+"
    r"|\b(?:because|caused\s+by|due\s+to|traced\s+(?:it\s+|this\s+|them\s+)?(?:back\s+)?to|stems?\s+from"
    r"|comes?\s+from|weil|wegen|verursacht\s+durch|liegt\s+an|lag\s+an|porque|debido\s+a|ya\s+que|causad[oa]\s+por"
    r"|parce\s+qu\w*|à\s+cause\s+d\w*|dû\s+à|vient\s+d\w*|devido\s+a|потому\s+что|из-за|вызван\w*|bởi\s+vì)\b"
    r"|原因(?:是|は|：|:)|因为|由于|(?:が|の)ため)\s*(?P<cause>[^\n]{6,240})|(?P<before>.{6,80}(?:が原因|のせいで))"
)
_UNKNOWN = re.compile(
    r"(?i)\b(?:(?:don['’]t|do\s+not)\s+know\s+(?:yet\s+)?(?:why|what|whether)|not\s+(?:yet\s+)?(?:known|clear"
    r"|established|found)|unclear|looks\s+flaky|seems\s+flaky"
    r"|weiß\s+(?:ich\s+)?(?:noch\s+)?nicht|unklar|ne\s+sais\s+pas|no\s+sé|não\s+sei|не\s+знаю|непонятно)\b|不清楚|未知"
    r"|わかりません|不明|모르"
)

RULES = (ClaimRule("unsupported", _explain_other_cause, REPORTING),)
