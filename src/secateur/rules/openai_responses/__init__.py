"""What OpenAI's Responses API refuses (rules R)."""

from secateur.rules import sound
from secateur.rules.openai_responses import ids, pairs, requests, shape
from secateur.rules.openai_responses.walk import Responses as History
from secateur.rules.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(shape, pairs, ids, requests, sound)
