"""What OpenAI's Responses API refuses (rules R)."""

from secateur.api import json_checks
from secateur.api.openai_responses import rules_calls, rules_ids, rules_items, rules_request
from secateur.api.openai_responses.walk import Responses as History
from secateur.api.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(rules_items, rules_calls, rules_ids, rules_request, json_checks)
