"""What Bedrock's Converse refuses (rules B)."""

from secateur.rules import sound
from secateur.rules.bedrock import caching, media, pairs, shape
from secateur.rules.bedrock.walk import Converse as History
from secateur.rules.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(shape, pairs, media, caching, sound)
