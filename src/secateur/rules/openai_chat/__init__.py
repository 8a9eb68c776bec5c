"""What OpenAI's Chat Completions and the servers that speak it refuse (rules O)."""

from secateur.rules import sound
from secateur.rules.openai_chat import content, pairs, servers, shape
from secateur.rules.openai_chat.walk import Chat as History
from secateur.rules.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(shape, pairs, content, servers, sound)
