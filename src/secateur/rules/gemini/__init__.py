"""What Gemini's generateContent refuses (rules G)."""

from secateur.rules import sound
from secateur.rules.gemini import pairs, requests, shape, signatures
from secateur.rules.gemini.walk import Contents as History
from secateur.rules.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(shape, pairs, signatures, requests, sound)
