"""What the user forbids and demands, sentence by sentence, in ten languages; and rules of the project's own files.

Rule: verbatim and by pattern; a sentence too many costs a few tokens, a lost one costs the user's trust, so doubt
keeps. A long English message is often a report that was pasted: of it only what it asks of its reader. What is beyond
the patterns, and every other language, is kept as the user's messages themselves. Which
texts are the user's is decided in `said`; whether a constraint was kept to is not judged.
"""

import unicodedata
from collections.abc import Iterable, Iterator

from secateur.compaction.language import detect_language
from secateur.compaction.ledger.demands import (
    ASKS,
    ASKS_UNMARKED,
    DATA,
    DEMANDS,
    DIRECT,
    HARD,
    STANDING,
    UNSAID,
)
from secateur.compaction.ledger.entries import Constraint, Scope
from secateur.compaction.ledger.retractions import is_retraction, mark_replaced
from secateur.compaction.ledger.said import get_user_text, split_sentences
from secateur.model import Message
from secateur.redact import redact
from secateur.text.host_texts import find_project_rules
from secateur.toolcalls.actions import clip_text

MAX_CHARS = 600  # of one constraint
MOST_PER_MESSAGE = 40  # a message with more is a document that was pasted: its first ones
SEARCHED_CHARS = 24_000  # of one message, from its beginning
PASTED_CHARS = 1_500  # English messages above this are often reports: only what they ask of the reader is a demand


def extract_constraints(messages: Iterable[Message]) -> tuple[Constraint, ...]:
    """Return every demand and prohibition in these messages, each once."""
    found: dict[str, Constraint] = {}
    for message in messages:
        for one in _extract_from_message(message):
            name = normalize_demand(one.text)
            known = found.pop(name, one)  # said again is said last: nothing before it takes it back
            found[name] = known if known.scope != "project" else one
    return mark_replaced(found.values())


def _extract_from_message(message: Message) -> Iterator[Constraint]:
    for rules in map(find_project_rules, _list_texts(message)):
        yield from _extract_demands(redact("\n".join(rules)[:SEARCHED_CHARS]), message.key, "project")
    if text := get_user_text(message):
        yield from _extract_demands(redact(text[:SEARCHED_CHARS]), message.key)


def _list_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message in the user's name, whoever wrote them."""
    if message.role == "user" and message.origin in ("user", "harness"):
        yield from (part.text for part in message.parts if part.kind == "text" and not part.container_key)


def is_demand(sentence: str) -> bool:
    """Return whether this sentence forbids or demands something."""
    text = UNSAID.sub(" ", unicodedata.normalize("NFC", sentence))
    if text.rstrip(" *_)\"'").endswith(("?", "？")) or ASKS_UNMARKED.match(text):
        return bool(HARD.search(text)) and not ASKS.match(text)
    return bool(DEMANDS.search(text) or is_retraction(text)) and not DATA.match(text)


def is_standing(sentence: str) -> bool:
    """Return whether a sentence holds from now on, not for one request only."""
    return bool(STANDING.search(unicodedata.normalize("NFC", sentence)))


def normalize_demand(text: str) -> str:
    """Normalize a text so that case, spacing and end marks do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!。！*-")


def _extract_demands(text: str, key: str, of: Scope | None = None) -> Iterator[Constraint]:
    left = MOST_PER_MESSAGE
    is_report = of is None and len(text) > PASTED_CHARS and detect_language(text) == "en"
    for sentence in split_sentences(text):
        if is_report and not DIRECT.search(sentence):
            continue
        if left and is_demand(sentence) and (kept := clip_text(sentence, MAX_CHARS)):
            left -= 1
            yield Constraint(kept, of or ("standing" if is_standing(sentence) else "request"), key)
