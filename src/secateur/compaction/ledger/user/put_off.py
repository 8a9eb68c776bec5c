"""What the user put off: "we can add more of them later", "once this is merged we should ...", until it is taken up.

Rule: quoted are short sentences of the user that want something at a later time, in ten languages; no questions, and
nothing that the agent or a pasted text says. It is taken up once a later request speaks of the same thing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import UserRequest
from secateur.compaction.ledger.said import is_question, split_sentences
from secateur.compaction.ledger.user.topics import extract_topic
from secateur.toolcalls.actions import collapse_whitespace

MAX_CHARS = 200  # of a sentence, and of its clause that is quoted
MOST_PUT_OFF = 3
_FEWEST_WORDS = 2  # that say what is put off
_SHARED = 0.5  # of these, which a request that takes it up has
_LONGEST = 1_000  # characters of a message: a longer one is a document


def list_put_off(requests: Sequence[UserRequest]) -> list[str]:
    """Return what the user put off and no later request takes up, the newest last."""
    found = [
        clause
        for at, one in enumerate(requests)
        if len(one.text) <= _LONGEST
        for clause in _list_clauses(one.text)
        if not is_taken_up(clause, requests[at + 1 :])
    ]
    return list(dict.fromkeys(found))[-MOST_PUT_OFF:]


def is_taken_up(clause: str, requests: Iterable[UserRequest]) -> bool:
    """Whether one of these requests speaks of what was put off."""
    topic = extract_topic(_LATER.sub(" ", clause))
    return any(len(topic & extract_topic(one.text)) >= _SHARED * len(topic) for one in requests)


def _list_clauses(text: str) -> Iterator[str]:
    for sentence in map(collapse_whitespace, split_sentences(text)):
        if len(sentence) > MAX_CHARS or is_question(sentence):
            continue
        for clause in _PARTS.split(sentence) if not _ONCE.search(sentence) else [sentence]:
            is_later = (_LATER.search(clause) and _WANTS.search(clause)) or _ONCE.search(clause)
            if is_later and len(extract_topic(_LATER.sub(" ", clause))) >= _FEWEST_WORDS:
                yield clause.strip(" ,;")


_PARTS = re.compile(r"(?<=[,;，；、])\s*|\s[-–—]\s")
_LATER = re.compile(
    r"(?i)\b(?:(?<!the\s)(?<!or\s)later(?:\s+on)?|next\s+time|(?:some\s+other|another)\s+time|eventually|down\s+the\s+(?:road|line)"
    r"|in\s+an?\s+(?:follow[- ]?up|later|separate)(?:\s+(?:pr|step|commit|task|session|change|release))?"
    r"|später|demnächst|beim\s+nächsten\s+mal|plus\s+tard|la\s+prochaine\s+fois|m[aá]s\s+(?:tarde|adelante)|la\s+próxima\s+vez"
    r"|mais\s+tarde|depois|da\s+próxima\s+vez|позже|потом|в\s+следующий\s+раз|sau\s+này|để\s+sau|lần\s+sau)\b"
    r"|以后再|以後再|之后再|之後再|稍后|稍後|下次|後で|あとで|次回|나중에|다음에"
)
_WANTS = re.compile(
    r"(?i)\b(?:we|you|i|let['’]?s|please|wir|du|ich|bitte|nous|on|tu|je|vous|vamos|podemos|puedes|quiero|hay|queremos"
    r"|quero|você|мы|ты|я|надо|нужно|давай|chúng\s+ta|hãy|mình|sẽ)\b|[我们你再]|ましょう|てください|する|しよう|하자|할게|해\s*줘|합시다"
)
_EVENT = (
    r"(?:(?:this|that|it|the\s+\w+)(?:\s+\w+)?\s+(?:lands?|landed|merges|(?:is|has\s+been|gets)\s+(?:merged|landed|released|shipped"
    r"|approved|deployed)|ships)|we\s+(?:start|begin|get\s+to|come\s+to|do|release|ship))"
)
_ONCE = re.compile(  # "once this lands, we should ...", "we should look at it when we start the review"
    rf"(?i)^\W*(?:(?:and|also|but|then|ok|note)[,\s]+)*(?:once|after|when|as\s+soon\s+as)\s+{_EVENT}\b.{{0,80}}"
    r"\b(?:we|you|i|let['’]?s|please|make|use|run|add|remove|do|open|close)\b"
    rf"|\b(?:we\s+(?:should|can|could|must|need\s+to)|let['’]?s|please)\s[^.\n]{{1,60}}\s(?:once|after|when|as\s+soon\s+as)\s+{_EVENT}\b"
)
