"""Requests that a provider rejected as too long, where they cannot be cut."""

import json
from typing import Any

from secateur.proxy.asked import Asked
from secateur.proxy.callers import Caller
from secateur.proxy.editing import Editor
from secateur.proxy.overflow import Overflow
from secateur.proxy.routes import find_route
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId, SessionUpdate, State


class BrittleStore(MemoryStore):
    """A store that breaks in a way that no store may."""

    is_broken = False

    def save(self, state: State, change: SessionUpdate) -> State:
        if self.is_broken:
            raise ZeroDivisionError
        return super().save(state, change)


def make_request() -> Asked:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(6):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"output {number}\n" * 900}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}
    route = find_route("POST", b"/v1/messages", ())
    return Asked(route, Caller("", "s", "anyone", "main", False), json.dumps(body).encode())


def test_what_cannot_be_cut_for_any_reason_stays_rejected() -> None:
    store, asked = BrittleStore(), make_request()
    editor = Editor("balance", store)
    edited = editor.edit(asked)
    assert edited.who == SessionId("s", "anyone")
    refusal = b"prompt is too long: 9000 tokens > 6000 maximum"
    cut = editor.cut(asked, edited, Overflow(9_000, 6_000), refusal)
    assert cut is not None
    assert len(cut.body) < len(edited.body)
    store.is_broken = True
    assert editor.cut(asked, edited, Overflow(9_000, 4_000), refusal) is None
