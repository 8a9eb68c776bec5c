"""What a request of the user's builds on: what the agent found or proposed, and a short reply takes up.

Rule: "yes, start" says nothing without the plan that it agrees to, nor "fix the first two" without the review. Only a
turn that changed nothing counts: of work, the steps tell. Where several replies in a row take up what the agent said,
the newest text counts, or one before it that is much longer, since short ones only add to it.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import clean_words, get_closing_text, get_user_text, strip_opening
from secateur.compaction.ledger.turns.outlines import outline_words
from secateur.compaction.ledger.user.answers import is_taking_up, is_urge
from secateur.compaction.ledger.user.requests import is_changing
from secateur.model import Message

BASIS_CHARS = 1_400  # of its outline
LEAST_CHARS = 500  # of a text that is more than a closing question, which the request quotes
REPLY_CHARS = 400  # of a request that may build on it
OFFER_CHARS = 500  # of the end of a text, in which offers stand
MOST_REPLIES = 4
LONGER = 3  # times, of an older text that counts


def find_basis(messages: Sequence[Message]) -> Quote | None:
    """Return the agent's text that the newest request builds on; None if it stands for itself, or ends the span."""
    if not messages or get_user_text(messages[-1]):
        return None
    found: Quote | None = None
    for one in _list_taken_up(messages):
        if len(one.text) >= max(LEAST_CHARS, LONGER * len(found.text) if found else 0):
            found = one
    return found


def outline_quote(quote: Quote | None, max_chars: int) -> Quote | None:
    """Return the outline of a quote."""
    return quote and replace(quote, text=outline_words(strip_opening(quote.text), max_chars))


def _list_taken_up(messages: Sequence[Message]) -> Iterator[Quote]:
    """Yield the closing texts that the newest replies of the user's take up one after another, the newest first."""
    asked = [at for at, message in enumerate(messages) if get_user_text(message)][-MOST_REPLIES - 1 :]
    for before, at in zip([0, *asked][-2::-1], asked[::-1], strict=False):
        closing = _read_closing(messages[at - 1]) if at else None
        is_built_on = _is_building_on(get_user_text(messages[at]), closing.text if closing else "")
        if not is_built_on or any(map(is_changing, messages[before:at])):
            return
        if closing:
            yield closing


def _read_closing(message: Message) -> Quote | None:
    """Return what the agent said as it ended its turn; None for any other message."""
    if message.role != "assistant" or any(one.kind == "tool_call" for one in message.parts):
        return None
    return Quote(clean_words(get_closing_text(message)), message.key)


def _is_building_on(text: str, closing: str) -> bool:
    return len(text) <= REPLY_CHARS and (
        is_taking_up(text) or is_urge(text) or _POINTS.search(text) is not None or _is_taking_offer(text, closing)
    )


def _is_taking_offer(text: str, closing: str) -> bool:
    """Whether a request says in the same words, as "implement the fix", what the end of the agent's text offers."""
    end = closing[-OFFER_CHARS:]
    return _ASKS.search(end) is not None and not _list_triples(text).isdisjoint(_list_triples(end))


def _list_triples(text: str) -> set[tuple[str, ...]]:
    """Return each three words that stand side by side."""
    words = _WORD.findall(text.lower())
    return set(zip(words, words[1:], words[2:], strict=False))


_ASKS = re.compile(r"[?？]")
_WORD = re.compile(r"\w+|[.!?:;。！？\n]")


_POINTS = re.compile(  # "incorporate your suggestions", "fix the issues above"
    r"(?i)\b(?:your|this|that|these|those|the)\s+(?:\w+\s+){0,2}(?:plan|proposals?|suggestions?|recommendations?|findings|review"
    r"|analysis|approach|design|points?|items?|issues|ideas?|options?|list)\b|\babove\b"
)
