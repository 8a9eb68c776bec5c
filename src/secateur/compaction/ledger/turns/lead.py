"""What the agent set out to do in the piece of work that it is in the middle of.

Rule: the first words of the turn in progress since a file was last changed, in the agent's words. They are left out
where they are its last words, or so short that they only announce a call.
"""

from collections.abc import Sequence

from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import clean_words, get_agent_text, get_user_text
from secateur.compaction.ledger.user.requests import is_changing
from secateur.model import Message

LEAST_CHARS = 100


def find_lead(messages: Sequence[Message], last_words: Quote | None) -> Quote | None:
    """Return the words that began the work in progress; None where the last words do, or the turn has ended."""
    lead: Quote | None = None
    for message in reversed(messages):
        if get_user_text(message) or is_changing(message):
            break
        words = clean_words(get_agent_text(message)) if message.role == "assistant" else ""
        if words and lead is None and not any(part.kind == "tool_call" for part in message.parts):
            return None
        lead = Quote(words, message.key) if words else lead
    if lead is None or last_words is None or lead.text == last_words.text:
        return None
    return lead if len(lead.text) >= LEAST_CHARS else None
