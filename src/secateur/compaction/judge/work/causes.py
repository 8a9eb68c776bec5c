"""Whether a summary gives to a failure the cause that the agent found.

Rule: only a stated cause is judged. It is false where the agent named another one in other words throughout, where
nothing of it stands anywhere in the history, or where the agent said that it did not know. A cause in other words than
the agent's shares at least one with what stands around the agent's sentence.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim, extract_words, quote
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.user.choices import is_same_language
from secateur.compaction.marks import UNSAID

LEAST_KNOWN = 0.3  # of the words of a cause, anywhere in the history
LEAST_NEAR = 0.2  # of the words of a cause, around the agent's words on the cause
FEWEST_WORDS = 3  # of a cause that is judged
FEWEST_NEW = 2  # of a cause that is judged where none of them is known
LEAST_TOLD = 0.5  # of the weight of a cause, in one passage
AROUND = 1  # sentences before and behind the agent's words on the cause


def _explain_other_cause(claim: Claim, evidence: Evidence) -> str:
    """Quote the agent on the cause where a claim has another one."""
    found = None if claim.is_quoted or claim.is_question or claim.is_wished else _CAUSE.search(claim.text)
    if found is None:
        return ""
    own = extract_words(re.sub(r"\bit\b|[.`]", " ", found["cause"] or "")) or claim.words
    stated = _list_stated(evidence.agent)
    if _is_invented(found.group(), own, claim, evidence):
        return quote("the agent", stated[-1]) if stated else UNSAID
    if len(own) < FEWEST_WORDS or _is_near(own, stated) or _is_told(found["cause"] or "", evidence):
        return ""
    known = _select_known(own, evidence)
    if _UNKNOWN.search(evidence.last_words) and len(known) < len(own):
        return "the agent said that the cause was not known"
    is_other = _ROOT.search(claim.text) and (stated or len(known) < LEAST_KNOWN * len(own))
    said = quote("the agent", stated[-1]) if stated else UNSAID
    return said if is_other else ""


def _is_told(cause: str, evidence: Evidence) -> bool:
    """Whether one passage of the history says most of a cause, be it without a word for causes."""
    stems = get_claim_stems(_CODE.split(cause)[0])
    return len(stems) >= FEWEST_WORDS and any(one.share >= LEAST_TOLD for one in evidence.passages.find(stems)[:1])


_CODE = re.compile(r"[.!?;:]\s")


def _is_invented(said: str, own: frozenset[str], claim: Claim, evidence: Evidence) -> bool:
    """Whether the history has no word at all of a cause."""
    is_stated = _ROOT.search(said) or _FAILS_ON.search(said)
    is_unheard = is_stated and len(own) >= FEWEST_NEW and not _select_known(own, evidence)
    return bool(is_unheard) and is_same_language(claim.summary, evidence.agent)


def _select_known(own: frozenset[str], evidence: Evidence) -> frozenset[str]:
    """Return the words that some word of the history begins like."""
    beginnings = _read_beginnings(f"{evidence.story}\n{evidence.kept}")
    return frozenset(word for word in own if word[:BEGINNING] in beginnings)


BEGINNING = 4  # letters by which words are compared
_FAILS_ON = re.compile(r"(?i)^fail")


@lru_cache(maxsize=2)
def _read_beginnings(story: str) -> frozenset[str]:
    """Return the beginnings of the words of the history, and of those that names are made of."""
    return frozenset(word[:BEGINNING] for text in (story, _JOINTS.sub(" ", story)) for word in extract_words(text))


_JOINTS = re.compile(r"[_./:()\[\]`\"'-]+|(?<=[a-z])(?=[A-Z])")


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
    r"|comes?\s+from|fail(?:s|ed|ing)\s+(?:on|over)|weil|wegen|verursacht\s+durch|liegt\s+an|lag\s+an|porque|debido\s+a|ya\s+que|causad[oa]\s+por"
    r"|parce\s+qu\w*|à\s+cause\s+d\w*|dû\s+à|vient\s+d\w*|devido\s+a|потому\s+что|из-за|вызван\w*|bởi\s+vì)\b"
    r"|原因(?:是|は|：|:)|因为|由于|(?:が|の)ため)\s*(?P<cause>[^\n]{6,240})|(?P<before>.{6,80}(?:が原因|のせいで))"
)
_UNKNOWN = re.compile(
    r"(?i)\b(?:(?:don['’]t|do\s+not)\s+know\s+(?:yet\s+)?(?:why|what|whether)|not\s+(?:yet\s+)?(?:known|clear"
    r"|established|found)|unclear|looks\s+flaky|seems\s+flaky"
    r"|weiß\s+(?:ich\s+)?(?:noch\s+)?nicht|unklar|ne\s+sais\s+pas|no\s+sé|não\s+sei|не\s+знаю|непонятно)\b|不清楚|未知"
    r"|わかりません|不明|모르"
)

RULES = (ClaimRule("unsupported", _explain_other_cause, REPORTING, strength="doubt"),)
