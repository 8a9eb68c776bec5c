"""What Bedrock's Converse refuses (rules B)."""

from secateur.api import json_checks
from secateur.api.bedrock import rules_caching, rules_calls, rules_media, rules_messages
from secateur.api.bedrock.walk import Converse as History
from secateur.api.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(rules_messages, rules_calls, rules_media, rules_caching, json_checks)
