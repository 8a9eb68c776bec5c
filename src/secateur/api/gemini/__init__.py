"""What Gemini's generateContent refuses (rules G)."""

from secateur.api import json_checks
from secateur.api.gemini import rules_calls, rules_contents, rules_request, rules_signatures
from secateur.api.gemini.walk import Contents as History
from secateur.api.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(rules_contents, rules_calls, rules_signatures, rules_request, json_checks)
