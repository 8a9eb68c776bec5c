"""What OpenAI's Chat Completions and the servers that speak it refuse (rules O)."""

from secateur.api import json_checks
from secateur.api.openai_chat import rules_calls, rules_content, rules_messages, rules_servers
from secateur.api.openai_chat.walk import Chat as History
from secateur.api.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(rules_messages, rules_calls, rules_content, rules_servers, json_checks)
