"""What Anthropic's Messages API refuses (rules A), its form on Bedrock's InvokeModel and Vertex AI included."""

from secateur.rules import sound
from secateur.rules.anthropic import caching, endings, media, pairs, requests, server, shape, systems, thinking, tools
from secateur.rules.anthropic.walk import Messages as History
from secateur.rules.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(shape, pairs, endings, caching, media, systems, tools, server, thinking, requests, sound)
