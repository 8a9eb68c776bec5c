"""The wire formats of the providers, one file each: how a request is read, and how answers and errors are written."""

import re
from typing import Any

from model_server.apis import anthropic_messages, bedrock_converse, gemini, openai_chat, openai_responses
from model_server.apis.api import Api

APIS: tuple[Api, ...] = (
    anthropic_messages.API,
    openai_chat.API,
    openai_responses.API,
    gemini.API,
    bedrock_converse.API,
)


def find_api(path: str) -> tuple[Api, str] | None:
    """The API of a path, and what is asked of it: "ask", "count" or another of its routes."""
    for api in APIS:
        for pattern, route in api.routes.items():
            if re.search(pattern, path.partition("?")[0]):
                return api, route
    return None


def list_models(names: tuple[str, ...]) -> dict[str, Any]:
    """The answer to a request for the models, in a shape that all clients understand."""
    entries = [{"id": name, "type": "model", "object": "model", "display_name": name, "created": 1} for name in names]
    listed = [{"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]} for name in names]
    return {"object": "list", "data": entries, "has_more": False, "models": listed}
