"""Short sessions of one tool, and a policy that clears their old results with each request."""

import json
from typing import Any

from secateur.receipt import Receipt
from secateur.sessions.receipt_log import read
from secateur.stores.protocol import SessionId, Store

MODEL = "claude-opus-4-5"
WHO = SessionId("s")
CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}


def body(rounds: int, word: str = "line", model: str = MODEL) -> bytes:
    """A request with this many calls and their results, each this word and its number again and again."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{word} {number}\n" * 90}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": model, "max_tokens": 9, "messages": found}).encode()


def receipts(store: Store) -> list[Receipt]:
    """All receipts of the session."""
    return [read(link.body) for link in store.list_receipts(WHO)]
