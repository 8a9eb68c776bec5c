"""Claude Agent SDK: a hook that shortens tools' new results before Claude Code stores them.

    secateur = SecateurResults()
    options = ClaudeAgentOptions(hooks=secateur.make_hooks(), mcp_servers=secateur.make_servers())

Rule: the SDK has no hook on a request, and what `PostToolUse` returns is what its session file keeps. So the store
holds the original before a shorter result is returned; where it cannot, the result stays unchanged. What Bash and tools
of servers print is shortened; files and everything else the SDK gets as received. Requests are pruned by the proxy.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from claude_agent_sdk import HookMatcher, create_sdk_mcp_server, tool

from secateur import SecateurError
from secateur.adapters.recall_tool import DESCRIPTION, SCHEMA
from secateur.arrival import ArrivedResult, ResultShortener
from secateur.mcp.scope import Scope
from secateur.mcp.tools import Tools
from secateur.plugins import Store

SERVER = "secateur"
RECALL = f"mcp__{SERVER}__recall"  # as `allowed_tools` names it
_MATCHER = "Bash|mcp__.*"


class SecateurResults:
    """Shortens new results by the policy's rule for them. `store` is a store, its address, or "", the user's."""

    def __init__(
        self, store: Store | str = "", *, policy: Any = "balance", tenant: str = "local", model: str = ""
    ) -> None:
        self.shortener = ResultShortener(store, policy, tenant=tenant)
        self.model = model

    def make_hooks(self, hooks: Mapping[Any, list[Any]] | None = None) -> dict[Any, list[Any]]:
        """Hooks for the options, after those that there are."""
        given = dict(hooks or {})
        return given | {
            "PostToolUse": [*given.get("PostToolUse", ()), HookMatcher(matcher=_MATCHER, hooks=[self.handle_result])]
        }

    def make_servers(self, servers: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Servers for the options, with the tool that reads back what was removed: allow `RECALL`."""

        async def recall(given: dict[str, Any]) -> dict[str, Any]:
            text = await asyncio.to_thread(self._recall, given)
            return {"content": [{"type": "text", "text": text}]}

        made = tool("recall", DESCRIPTION, SCHEMA)(recall)
        return {**(servers or {}), SERVER: create_sdk_mcp_server(SERVER, tools=[made])}

    async def handle_result(self, event: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """Answer one `PostToolUse`. Whatever goes wrong here, the result stays unchanged."""
        with suppress(Exception):
            response = event["tool_response"]
            text = _find_text(event["tool_name"], response)
            shorter = None if text is None else await asyncio.to_thread(self._shorten, event, text)
            if shorter is not None:
                output = {"hookEventName": "PostToolUse", "updatedToolOutput": _replace_text(response, shorter)}
                return {"hookSpecificOutput": output}
        return {}

    def _shorten(self, event: Any, text: str) -> str | None:
        return self.shortener.shorten(
            ArrivedResult(
                session=f"claude-agent-sdk/{event['session_id']}/{event['tool_use_id']}",
                tool=event["tool_name"],
                arguments=event["tool_input"],
                text=text,
                model=self.model,
            )
        )

    def _recall(self, given: dict[str, Any]) -> str:
        try:
            return Tools(Scope(self.shortener.store, self.shortener.tenant)).answer("recall", given)
        except SecateurError as error:
            return str(error)


def _find_text(name: str, response: Any) -> str | None:
    """The text of a tool's response that can be shortened; None if there is none."""
    if name.startswith(f"mcp__{SERVER}__"):
        return None  # what was read back is wanted as it is
    if isinstance(response, dict):
        is_plain = name == "Bash" and not response.get("isImage") and "persistedOutputPath" not in response
        text = response.get("stdout") if is_plain else None
    else:
        only = response[0] if isinstance(response, list) and len(response) == 1 else response
        text = only.get("text") if isinstance(only, dict) and only.get("type") == "text" else only
    return text if isinstance(text, str) else None


def _replace_text(response: Any, text: str) -> Any:
    """The response with a shorter text, and all else that it says."""
    if isinstance(response, dict):
        return {**response, "stdout": text}
    if isinstance(response, list):
        return [{**response[0], "text": text}]
    return text
