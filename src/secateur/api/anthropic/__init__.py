"""What Anthropic's Messages API refuses (rules A), its form on Bedrock's InvokeModel and Vertex AI included."""

from secateur.api import json_checks
from secateur.api.anthropic import (
    rules_blocks,
    rules_caching,
    rules_calls,
    rules_endings,
    rules_media,
    rules_request,
    rules_server,
    rules_systems,
    rules_thinking,
    rules_tools,
)
from secateur.api.anthropic.walk import Messages as History
from secateur.api.rule import gathered

__all__ = ["RULES", "History"]

RULES = gathered(
    rules_blocks,
    rules_calls,
    rules_endings,
    rules_caching,
    rules_media,
    rules_systems,
    rules_tools,
    rules_server,
    rules_thinking,
    rules_request,
    json_checks,
)
