"""Breakpoints of the request that opens an epoch: where they stand, how many, and where none may."""

import json
from typing import Any

import pytest

from secateur import Engine, documents, fit
from secateur.api import check
from secateur.formats.breakpoints import count_slots, has_long_retention, place_breakpoints
from secateur.jsontext import Text

OURS: dict[str, Any] = {
    "name": "ours",
    "protect": {"last_messages": 4},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "cold_cache"},
}
MODEL = "claude-opus-4-5"
COLD: dict[str, Any] = {"idle_s": 1e6, "now_ms": 1}
SHORT, LONG = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}


def read(number: int) -> list[dict[str, Any]]:
    """One round: a call and its result."""
    call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {}}
    told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} " * 4_000}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [told]}]


def asked(rounds: int = 5, mark: dict[str, Any] | None = SHORT, system: int = 1) -> dict[str, Any]:
    """A request of a client that marks so many blocks of its system prompt, and the last block."""
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        *(m for n in range(rounds) for m in read(n)),
    ]
    if mark:
        messages[-1]["content"][-1]["cache_control"] = mark
    told = [{"type": "text", "text": f"be kind {n}"} | ({"cache_control": mark} if mark else {}) for n in range(system)]
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    return {"model": MODEL, "max_tokens": 9, "tools": tools, "system": told, "messages": messages}


def marks(body: dict[str, Any]) -> dict[tuple[int, int], Any]:
    return {
        (n, at): block["cache_control"]
        for n, message in enumerate(body["messages"])
        for at, block in enumerate(message["content"])
        if "cache_control" in block
    }


@pytest.mark.parametrize("mark", [SHORT, LONG])
def test_they_stand_before_the_first_edit_and_before_what_may_go_next(mark: dict[str, Any]) -> None:
    body = asked(mark=mark)
    view = fit(body, policy=OURS, **COLD)
    assert view.receipt.breakpoints == 2
    assert marks(view.request) == {(0, 0): mark, (6, 0): mark, (10, 0): mark}
    assert view.request["messages"][6]["content"][0]["content"] != body["messages"][6]["content"][0]["content"]
    assert check("anthropic", view.request["messages"], view.request) == []


def test_bytes_get_them_as_objects_do_and_nothing_else_moves() -> None:
    body = asked()
    data = json.dumps(body, indent=1).encode()
    one, other = fit(data, policy=OURS, **COLD), fit(body, policy=OURS, **COLD)
    assert json.loads(one.request) == other.request
    assert isinstance(fit(data.decode(), policy=OURS, **COLD).request, str)
    plain = fit(data, policy="observe", plan=one.plan).request
    assert one.request.replace(b',"cache_control":{"type":"ephemeral"}', b"") == plain


def test_the_same_request_gets_the_same_again_and_the_next_one_none() -> None:
    engine, body = Engine(OURS), asked()
    first = engine.fit(body, session="s", **COLD)
    assert engine.fit(body, session="s", idle_s=1.0, now_ms=2).request == first.request
    later = engine.fit(asked(6), session="s", idle_s=1.0, now_ms=3)
    assert (later.receipt.opened, later.receipt.breakpoints) == (False, 0)
    assert marks(later.request) == {(12, 0): SHORT}


def test_a_kept_view_is_made_again_with_them() -> None:
    engine = Engine(OURS, store="memory://", store_raw=True)
    view = engine.fit(json.dumps(asked()).encode(), session="s", **COLD)
    again = engine.replay("s", view.receipt.sequence or 0)
    assert (view.receipt.breakpoints, again.is_exact, again.request) == (2, True, view.request)


def test_the_one_slot_that_is_left_goes_to_what_stood_before() -> None:
    view = fit(asked(system=2), policy=OURS, **COLD)
    assert view.receipt.breakpoints == 1
    assert marks(view.request) == {(0, 0): SHORT, (10, 0): SHORT}


@pytest.mark.parametrize(
    "body",
    [
        asked(system=3),  # no slot is free
        asked(mark=None),  # the client marks nothing
        asked() | {"cache_control": SHORT, "system": [{"type": "text", "text": "s", "cache_control": SHORT}] * 2},
        asked()["messages"],  # what the request marks beside them is not known
    ],
)
def test_otherwise_nothing_is_added(body: Any) -> None:
    view = fit(body, policy=OURS, format="anthropic_messages", **COLD)
    assert (view.receipt.opened, view.receipt.breakpoints) == (True, 0)
    assert view.request == fit(body, policy="observe", plan=view.plan, format="anthropic_messages").request


def test_a_thread_that_the_provider_keeps_goes_out_as_it_came() -> None:
    body = asked() | {"thread": {"type": "continue"}}
    view = fit(body, policy=OURS, **COLD)
    assert view.request is body
    assert (view.receipt.opened, view.receipt.breakpoints) == (False, 0)


def test_presets_of_other_systems_send_what_these_send() -> None:
    eager = OURS | {"schedule": {"type": "every_request"}}
    assert fit(asked(), policy=eager, **COLD).receipt.breakpoints == 0


def test_a_client_that_marks_only_what_stands_before_its_messages_gets_none() -> None:
    body = asked()
    del body["messages"][-1]["content"][-1]["cache_control"]
    assert fit(body, policy=OURS, **COLD).receipt.breakpoints == 0


def test_automatic_caching_marks_the_end_and_alone_is_left_as_it_is() -> None:
    alone = asked(mark=None) | {"cache_control": SHORT}
    beside = alone | {"system": [{"type": "text", "text": "s", "cache_control": SHORT}]}
    assert fit(alone, policy=OURS, **COLD).receipt.breakpoints == 0
    view = fit(beside, policy=OURS, **COLD)
    assert view.receipt.breakpoints == 2
    assert check("anthropic", view.request["messages"], view.request) == []


def put(*contents: Any, **fields: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Where a marker goes that is wanted before the last of these messages of the user."""
    messages = [{"role": "user", "content": content} for content in contents]
    body = {"messages": messages} | fields
    return [(op.path, op.value) for op in place_breakpoints("anthropic_messages", body, [len(messages) - 1])]


TEXT = {"type": "text", "text": "a"}
END = [TEXT | {"cache_control": SHORT}]


def test_what_bears_no_marker_is_passed_over() -> None:
    inner = [TEXT | {"text": " "}, {"type": "thinking", "thinking": "", "signature": "s"}, {"type": "new"}]
    assert put([TEXT], "a string", inner, END) == [(("messages", 0, "content", 0, "cache_control"), SHORT)]
    assert put("a string", inner, END) == []


def test_where_one_stands_already_no_other_comes() -> None:
    nested = {"type": "tool_result", "tool_use_id": "c", "content": [TEXT | {"cache_control": SHORT}]}
    assert put([TEXT], [nested], END) == []
    assert put([nested], [TEXT], END) == [(("messages", 1, "content", 0, "cache_control"), SHORT)]


def test_lifetimes_fall() -> None:
    hour = [TEXT | {"cache_control": LONG}]
    assert put([TEXT], hour, [TEXT], END)  # behind the hour
    assert put([TEXT], END, system=hour)
    assert put([TEXT], END, system=[*END, *hour]) == []  # they rise as received
    assert place_breakpoints("anthropic_messages", {"messages": _said([TEXT], hour, END)}, [1]) == []  # before it


def _said(*contents: Any) -> list[Any]:
    return [{"role": "user", "content": content} for content in contents]


def converse(rounds: int = 5) -> dict[str, Any]:
    messages: list[Any] = [{"role": "user", "content": [{"text": "go"}]}]
    for n in range(rounds):
        use = {"toolUse": {"toolUseId": f"c{n}", "name": "read", "input": {}}}
        told = {"toolResult": {"toolUseId": f"c{n}", "content": [{"text": f"{n} " * 4_000}]}}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    messages[-1]["content"].append({"cachePoint": {"type": "default", "ttl": "5m"}})
    tools = [{"toolSpec": {"name": "read", "inputSchema": {"json": {}}}}]
    return {"messages": messages, "system": [{"text": "s"}], "toolConfig": {"tools": tools}}


def test_bedrock_gets_points_behind_blocks() -> None:
    body, point = converse(), {"cachePoint": {"type": "default", "ttl": "5m"}}
    view = fit(json.dumps(body).encode(), policy=OURS, model=MODEL, **COLD)
    shown = json.loads(view.request)
    assert view.receipt.breakpoints == 2
    assert [n for n, one in enumerate(shown["messages"]) if point in one["content"]] == [0, 6, 10]
    assert shown["messages"][0]["content"] == [{"text": "go"}, point]
    assert check("bedrock", shown["messages"], shown) == []


def test_no_point_stands_behind_reasoning_or_a_document_that_is_no_pdf() -> None:
    last = {"role": "user", "content": [{"text": "a"}, {"cachePoint": {"type": "default"}}]}
    text = {"document": {"format": "txt", "name": "d", "source": {"bytes": ""}}}
    thought = {"reasoningContent": {"reasoningText": {"text": "t"}}}
    asks = {"role": "user", "content": [{"text": "a"}, text]}
    thinks = {"role": "assistant", "content": [thought]}
    found = place_breakpoints("bedrock_converse", {"messages": [asks, thinks, last]}, [2])
    assert [(op.path, op.slice) for op in found] == [(("messages", 0, "content"), (1, 1))]


AUTO = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
CHAT = {"model": "gpt-5", "messages": [{"role": "user", "content": "go"}], "prompt_cache_retention": "24h"}


@pytest.mark.parametrize(
    ("body", "longer"),
    [
        (asked(mark=LONG), True),
        (asked(mark=SHORT), False),
        (asked(mark=SHORT) | {"system": [{"type": "text", "text": "s", "cache_control": LONG}]}, False),
        (asked(mark=None) | {"system": [{"type": "text", "text": "s", "cache_control": LONG}]}, False),
        (asked(mark=None), False),
        (asked(mark=None) | AUTO, True),
        (converse(), False),
        (CHAT, True),
        (CHAT | {"prompt_cache_retention": "in_memory"}, False),
        ({"model": "gpt-5", "input": "go", "prompt_cache_retention": "24h"}, True),
    ],
)
def test_the_last_marker_says_how_long_the_messages_are_kept(body: dict[str, Any], longer: bool) -> None:
    for request in (body, Text.of(json.dumps(body).encode())):
        read = documents.read(json.dumps(body).encode(), None, MODEL)
        assert has_long_retention(read.format.name, request, read.transcript.messages) is longer


def test_an_hour_is_read_from_bedrock_s_last_point_too() -> None:
    body = converse()
    body["messages"][-1]["content"][-1]["cachePoint"]["ttl"] = "1h"
    read = documents.read(body, None, MODEL)
    assert has_long_retention("bedrock_converse", body, read.transcript.messages)


@pytest.mark.parametrize(
    ("body", "used"),
    [
        (asked(mark=SHORT), 2),
        (asked(mark=SHORT, system=3), 4),
        (asked(mark=None) | {"system": [{"type": "text", "text": "s", "cache_control": LONG}]}, 0),
        (asked(mark=None) | AUTO, 1),
        (asked(mark=None), 0),
        (converse(), 1),
        (CHAT, 0),
    ],
)
def test_a_request_says_how_many_slots_it_uses(body: dict[str, Any], used: int) -> None:
    for request in (body, Text.of(json.dumps(body).encode())):
        read = documents.read(json.dumps(body).encode(), None, MODEL)
        assert count_slots(read.format.name, request, read.transcript.messages) == used


EXPLICIT = {"mode": "explicit"}


def chat(marked: tuple[int, ...], rounds: int = 5, **more: Any) -> dict[str, Any]:
    """A chat body of a client that writes texts as parts and marks these messages."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for n in range(rounds):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": [{"type": "text", "text": f"{n} " * 4_000}]},
        ]
    messages[0]["content"] = [{"type": "text", "text": "go"}]
    for number in marked:
        messages[number]["content"][-1]["prompt_cache_breakpoint"] = EXPLICIT
    return {"model": "gpt-5.6-sol", "messages": messages} | more


def borne(body: dict[str, Any]) -> list[int]:
    return [n for n, one in enumerate(body["messages"]) if "prompt_cache_breakpoint" in json.dumps(one["content"])]


def test_a_chat_that_marks_parts_gets_them_before_its_edits() -> None:
    body = chat((10,))
    view = fit(json.dumps(body).encode(), policy=OURS, **COLD)
    shown = json.loads(view.request)
    assert view.receipt.breakpoints == 2
    assert borne(shown) == [0, 6, 10]
    assert shown["messages"][6]["content"][-1]["prompt_cache_breakpoint"] == EXPLICIT


@pytest.mark.parametrize(
    ("body", "added"),
    [
        (chat(()), 0),  # the client marks nothing: whoever it speaks to may not know the field
        (chat((4, 10)), 1),  # one more is implied at the end: of four slots one is left
        (chat((4, 10), prompt_cache_options=EXPLICIT), 2),
        (chat((2, 4, 10)), 0),
    ],
)
def test_of_four_slots_one_is_the_implied_end_s(body: dict[str, Any], added: int) -> None:
    view = fit(body, policy=OURS, **COLD)
    assert (view.receipt.opened, view.receipt.breakpoints) == (True, added)
    assert len(borne(view.request)) <= 4


def responses(marked: tuple[int, ...], rounds: int = 5, thinks: bool = False) -> dict[str, Any]:
    """A Responses body of a client that marks these items; outputs are lists of texts."""
    items: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "input_text", "text": "go"}]}]
    for n in range(rounds):
        if thinks:
            items.append({"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": "x"})
        items += [
            {"type": "function_call", "call_id": f"c{n}", "name": "read", "arguments": "{}"},
            {
                "type": "function_call_output",
                "call_id": f"c{n}",
                "output": [{"type": "input_text", "text": f"{n} " * 4_000}],
            },
        ]
    for number in marked:
        item = items[number]
        (item["content"] if "content" in item else item["output"])[-1]["prompt_cache_breakpoint"] = EXPLICIT
    return {"model": "gpt-5.6-sol", "input": items}


@pytest.mark.parametrize("thinks", [False, True])
def test_responses_get_them_in_outputs_and_messages(thinks: bool) -> None:
    body = responses((-1,), thinks=thinks)
    view = fit(json.dumps(body).encode(), policy=OURS, **COLD)
    shown = json.loads(view.request)["input"]
    kept = [n for n, item in enumerate(shown) if "prompt_cache_breakpoint" in json.dumps(item)]
    assert view.receipt.opened
    assert view.receipt.breakpoints == len(kept) - 1
    assert kept == ([0, 9, 15] if thinks else [0, 6, 10])
    assert [len(item) for item in shown] == [len(item) for item in body["input"]]
    assert check("openai_responses", shown, json.loads(view.request)) == []


def test_responses_that_mark_nothing_get_none() -> None:
    assert fit(responses(()), policy=OURS, **COLD).receipt.breakpoints == 0


def test_every_marker_inside_a_result_takes_a_slot_and_counts_by_its_lifetime() -> None:
    body = asked(system=2)
    inside = [{"type": "text", "text": "a", "cache_control": SHORT}, {"type": "text", "text": "b"}]
    body["messages"][-1]["content"][-1]["content"] = inside
    assert place_breakpoints("anthropic_messages", body, [3]) == []  # two before, one inside, one on the result
    body = asked(system=0)
    body["messages"][-1]["content"][-1]["content"] = [inside[0] | {"cache_control": LONG}]
    assert place_breakpoints("anthropic_messages", body, [3]) == []  # 5 minutes before one hour is refused (A21)
