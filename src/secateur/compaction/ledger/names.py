"""The identifiers that later work may need: hashes, ids, addresses, error codes that users and the agent used.

Rule: what the user named comes first, then what the agent itself used most often; what only a tool printed is not
kept, because it can be read back. Paths have their own entries. A name stands as its source wrote it.
"""

from collections import Counter
from collections.abc import Iterable

from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.identifiers import Kind, find_anchors
from secateur.model import Message
from secateur.redact import redact

MOST = 60
_KINDS: frozenset[Kind] = frozenset({"id", "hash", "url", "error"})
_MAX_CHARS = 200  # of one name
_SEARCHED = 20_000  # characters of one text


def list_names(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the names worth keeping, the user's first."""
    users: dict[str, None] = {}
    agents: Counter[str] = Counter()
    for message in messages:
        if text := get_user_text(message):
            users |= dict.fromkeys(_find_names(text))
        elif message.role == "assistant":
            calls = [part.text for part in message.parts if part.kind == "tool_call"]
            for text in (get_agent_text(message), *calls):
                agents.update(_find_names(text))
    often = (name for name, count in agents.most_common() if count > 1 and name not in users)
    return (*users, *often)[:MOST]


def _find_names(text: str) -> list[str]:
    """Return the names in order of the text, so that the same text gives the same list."""
    text = redact(text[:_SEARCHED])
    found = {
        one.value for one in find_anchors(text, names=False) if one.kind in _KINDS and len(one.value) <= _MAX_CHARS
    }
    placed = ((text.find(name), name) for name in found if " " not in name)
    return [name for at, name in sorted(placed) if at >= 0]
