"""What the agent set out to do in the piece of work that it is in the middle of.

Rule: of the turn in progress, its first words since a file was last changed; where its last words are short, the newest
longer ones before them. They are left out where they are so short that they only announce a call.
"""

from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import clean_words, get_agent_text, get_user_text
from secateur.compaction.ledger.user.requests import is_changing
from secateur.model import Message

LEAST_CHARS = 100


def find_lead(messages: Sequence[Message], last_words: Quote | None) -> Quote | None:
    """Return the words that began the work in progress; None where the last words do, or the turn has ended."""
    said = list(_list_newest_words(messages))
    if last_words is None or len(said) < 2 or said[0].text != last_words.text:
        return None
    telling = [one for one in said[1:] if len(one.text) >= LEAST_CHARS]
    if len(last_words.text) < LEAST_CHARS and telling:
        return telling[0]
    return said[-1] if said[-1] in telling else None


def _list_newest_words(messages: Sequence[Message]) -> Iterator[Quote]:
    """Yield what the agent said with its calls since a file was last changed in this turn, the newest first."""
    for message in reversed(messages):
        if get_user_text(message) or is_changing(message):
            return
        if message.role == "assistant" and (words := clean_words(get_agent_text(message))):
            if not any(part.kind == "tool_call" for part in message.parts):
                return
            yield Quote(words, message.key)
