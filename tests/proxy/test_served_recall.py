"""With `recall="served"` the proxy offers the recall tool itself, serves its calls, and hides them from the client."""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import anthropic
import msgspec
import pytest

from agent_requests import TOOL, anthropic_body, result, write_policy
from cli_runs import secateur
from proxies import ask, proxy, read_status
from secateur.answers.savings import add_savings
from secateur.pricing import bill_answer
from secateur.sessions.receipt_log import read
from secateur.stores import open_store
from secateur.usage import Usage
from upstream import Handler, Says, Upstream, events, says, streams_slowly, upstream

HANDLE = re.compile(r"removed, recall ([0-9a-f]{12})\]")
NAME = "secateur_recall"
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5, "output_tokens": 7}
THINKING = {"type": "thinking", "thinking": "what did it print?", "signature": "c2lnbmVk"}


def find_handle(handler: Handler, number: int = 0) -> str:
    """A handle that a placeholder of this request names."""
    return HANDLE.findall(handler.received.body.decode())[number]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def message(*blocks: dict[str, Any], stop: str = "") -> dict[str, Any]:
    """A response of the model."""
    found = stop or ("tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn")
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5", "stop_sequence": None}
    return {**head, "content": [*blocks], "stop_reason": found, "usage": USAGE}


def stream(whole: dict[str, Any]) -> bytes:
    """The same response as events."""
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
    made: list[Any] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        empty = {name: "" if name in ("text", "thinking", "signature") else value for name, value in block.items()}
        deltas: list[Any] = []
        if block["type"] == "tool_use":
            written = json.dumps(block["input"])
            halves = (written[: len(written) // 2], written[len(written) // 2 :])
            deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
            empty["input"] = {}
        for name in ("text", "thinking", "signature"):
            if name in block:
                deltas.append({"type": f"{name}_delta", name: block[name]})
        made.append({"type": "content_block_start", "index": index, "content_block": empty})
        made += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        made.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    made += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
    return events(made, named=True)


def replies(*blocks: Callable[[Handler], dict[str, Any]] | dict[str, Any], stop: str = "", cut: int = 0) -> Says:
    """A response, streamed in pieces of `cut` bytes if the request asks for a stream."""

    def say(handler: Handler) -> None:
        whole = message(*(block(handler) if callable(block) else block for block in blocks), stop=stop)
        if not json.loads(handler.received.body).get("stream"):
            says(200, json.dumps(whole))(handler)
            return
        data = stream(whole)
        size = cut or len(data)
        streams_slowly(data[at : at + size] for at in range(0, len(data), size))(handler)

    return say


def recalls(id: str, number: int = 0, **arguments: Any) -> Callable[[Handler], dict[str, Any]]:
    """A call of the recall tool for what a placeholder of the request names."""
    return lambda handler: call(id, NAME, handle=find_handle(handler, number), **arguments)


class Agent:
    """A client that continues with what it saw."""

    def __init__(
        self, stack: ExitStack, address: str, streams: bool = True, key: str = "sk-ant-1", session: str = "s1"
    ) -> None:
        headers = {"x-session-id": session}
        self.client = stack.enter_context(
            anthropic.Anthropic(base_url=address, api_key=key, max_retries=0, default_headers=headers)
        )
        self.streams = streams
        self.messages: list[Any] = json.loads(anthropic_body(0))["messages"]

    def say(self, **members: Any) -> anthropic.types.Message:
        """Ask, and add the response to the history."""
        given: dict[str, Any] = {"model": "claude-opus-5", "max_tokens": 900, "tools": [TOOL], **members}
        if self.streams:
            with self.client.messages.stream(messages=self.messages, **given) as stream:
                said = stream.get_final_message()
        else:
            said = self.client.messages.create(messages=self.messages, **given)
        self.messages.append({"role": "assistant", "content": [one.to_dict() for one in said.content]})
        return said

    def work(self, number: int) -> None:
        """Add the result of the last call: the first one alone is long enough to be removed."""
        block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok" if number else result(0)}
        self.messages.append({"role": "user", "content": [block]})


def works(count: int) -> list[Says]:
    """So many rounds of ordinary work."""
    return [replies(call(f"t{number}", command=f"make {number}")) for number in range(count)]


class Scene:
    """A scripted provider behind a proxy, and an agent after three rounds of work."""

    def __init__(self, stack: ExitStack, folder: Path, answers: Iterable[Says], streams: bool = True) -> None:
        self.provider: Upstream = stack.enter_context(upstream(*works(3), *answers))
        self.settings = {
            "mode": "prune",
            "policy": write_policy(folder),
            "store": f"sqlite://{folder / 'kept.db'}",
            "recall": "served",
        }
        self.address = stack.enter_context(proxy(self.provider.url, **self.settings))
        self.agent = Agent(stack, self.address, streams)
        for number in range(3):
            self.agent.say()
            self.agent.work(number)

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The requests as the provider got them."""
        return [json.loads(body) for body in self.provider.bodies]


@pytest.fixture
def stack() -> Iterable[ExitStack]:
    with ExitStack() as opened:
        yield opened


def describe(messages: list[Any]) -> list[str]:
    """Which blocks messages have."""
    told = []
    for one in messages:
        blocks = one["content"] if isinstance(one["content"], list) else [{"type": "text"}]
        told.append(
            f"{one['role']}: "
            + " ".join(block.get("id") or block.get("tool_use_id") or block["type"] for block in blocks)
        )
    return told


STREAMS = pytest.mark.parametrize("streams", [True, False], ids=["stream", "whole"])


@STREAMS
def test_the_model_reads_back_and_the_client_sees_one_turn(streams: bool, stack: ExitStack, tmp_path: Path) -> None:
    answers = [
        replies(THINKING, text("Let me look."), recalls("r1")),
        replies(text("It compiled module 0.")),
        replies(text("Bye.")),
    ]
    scene = Scene(stack, tmp_path, answers, streams)
    said = scene.agent.say()
    assert [block.type for block in said.content] == ["thinking", "text", "text"]
    assert said.stop_reason == "end_turn"
    usage = said.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (20, 200, 10)
    assert usage.output_tokens == 14
    if not streams:  # the client's own sum of a stream leaves it out
        assert [one["input_tokens"] for one in usage.to_dict()["iterations"]] == [10, 10]  # type: ignore[attr-defined]
    assert read_status(scene.address)["sessions"][0]["output_tokens"] == 5 * 7
    asked, continued = scene.sent[3], scene.sent[4]
    assert continued["messages"][: len(asked["messages"])] == asked["messages"]
    assert continued["messages"][-2]["content"][0] == THINKING
    assert continued["messages"][-1]["content"][0]["content"].endswith(result(0))
    assert {**continued, "messages": 0} == {**asked, "messages": 0}
    scene.agent.messages.append({"role": "user", "content": "thanks"})
    scene.agent.say()
    assert scene.sent[5]["messages"][: len(continued["messages"])] == continued["messages"]
    assert describe(scene.sent[5]["messages"][-3:]) == ["user: r1", "assistant: text", "user: text"]
    tools = {json.dumps(one["tools"]) for one in scene.sent}
    assert len(tools) == 1
    assert [tool["name"] for tool in json.loads(tools.pop())] == ["Bash", NAME]


def test_what_reading_back_cost_is_counted_and_taken_off_from_what_was_saved(tmp_path: Path) -> None:
    each = bill_answer("claude-opus-5", Usage(input=10, read=100, write=5, output=7), 1_800_000_000_000)
    looks = [replies(recalls("r1")), replies(recalls("r2"))]
    with ExitStack() as opened:
        scene = Scene(opened, tmp_path, [*looks, replies(text("Fine."))])
        (before,) = read_status(scene.address)["sessions"]
        scene.agent.say()
        status = read_status(scene.address)
        metrics = ask(scene.address, "/metrics", method="GET")[2].decode()
    (row,) = status["sessions"]
    assert (before["recall_rounds"], row["recall_rounds"], row["recall_tokens"]) == (0, 2, 2 * 122)
    assert row["recall_dollars"] == status["recall_dollars"] == pytest.approx(2 * each.dollars, abs=1e-6)
    assert row["output_tokens"] == 6 * 7  # they are in what was paid, too
    assert "secateur_proxy_recall_rounds_total 2.0" in metrics
    assert 'secateur_proxy_recall_tokens_total{class="cache_read"} 200.0' in metrics
    report = secateur("status", "--json", "--store", scene.settings["store"]).json
    assert report["recall_rounds"] == msgspec.to_builtins(each + each)
    assert report["saved_dollars"] == pytest.approx(row["saved_dollars"], abs=2e-6)
    with closing(open_store(scene.settings["store"])) as store:
        (kept,) = store.list_sessions()
        receipts = [read(link.body) for link in store.list_receipts(kept.who)]
    (told,) = [one for one in receipts if one.recall_rounds is not None]
    assert (told.status, told.model, told.recall_rounds) == ("recalled", "claude-opus-5", each + each)
    without = add_savings(one for one in receipts if one.recall_rounds is None)
    assert report["saved_dollars"] == pytest.approx(without.dollars - 2 * each.dollars)
    said = "Models read removed texts back in 2 further requests of 244 tokens, $"
    assert said in secateur("status", "--store", scene.settings["store"]).text
    assert said in secateur("why", "s1", "--tenant", kept.who.tenant, "--store", scene.settings["store"]).text


@STREAMS
def test_a_call_beside_the_clients_own_is_answered_with_its_next_request(
    streams: bool, stack: ExitStack, tmp_path: Path
) -> None:
    answers = [
        replies(text("Both."), recalls("r1"), call("t3", command="make 3")),
        replies(text("Fine.")),
        replies(text("Bye.")),
    ]
    scene = Scene(stack, tmp_path, answers, streams)
    said = scene.agent.say()
    assert [block.type for block in said.content] == ["text", "tool_use"]
    assert said.usage.output_tokens == 7
    scene.agent.work(3)
    scene.agent.say()
    assert describe(scene.sent[4]["messages"][-2:]) == ["assistant: text r1 t3", "user: r1 t3"]
    assert scene.sent[4]["messages"][-1]["content"][0]["content"].endswith(result(0))
    scene.agent.messages.append({"role": "user", "content": "thanks"})
    scene.agent.say()
    count = len(scene.sent[4]["messages"]) - 1
    assert scene.sent[5]["messages"][:count] == scene.sent[4]["messages"][:count]


def test_a_stream_cut_into_single_bytes_is_the_same(stack: ExitStack, tmp_path: Path) -> None:
    answers = [replies(text("Grüße."), recalls("r1"), cut=1), replies(text("Fertig. ✂"), cut=1)]
    scene = Scene(stack, tmp_path, answers)
    assert [block.to_dict()["text"] for block in scene.agent.say().content] == ["Grüße.", "Fertig. ✂"]
    assert scene.sent[4]["messages"][-2]["content"][0]["text"] == "Grüße."


def test_another_proxy_and_another_session_id_go_on_with_it(stack: ExitStack, tmp_path: Path) -> None:
    answers = [replies(recalls("r1"), call("t3", command="make 3")), replies(text("Fine.")), replies(text("Bye."))]
    scene = Scene(stack, tmp_path, answers)
    scene.agent.say()
    scene.agent.work(3)
    scene.agent.say()
    scene.agent.messages.append({"role": "user", "content": "thanks"})
    resumed = Agent(stack, stack.enter_context(proxy(scene.provider.url, **scene.settings)), session="s2")
    resumed.messages = scene.agent.messages
    resumed.say()
    before, after = scene.sent[4:]
    assert describe(after["messages"])[: len(before["messages"])] == describe(before["messages"])
    assert after["messages"][-3] == before["messages"][-1]
    assert after["tools"] == before["tools"]


def test_tenants_read_their_own_results_only(stack: ExitStack, tmp_path: Path) -> None:
    scene = Scene(
        stack, tmp_path, [replies(text("Fine.")), replies(call("x", NAME, handle="0" * 12)), replies(text("No."))]
    )
    scene.agent.say()
    handle = HANDLE.findall(scene.provider.bodies[-1])[0]
    scene.provider.answers = (
        *scene.provider.answers[:4],
        replies(call("x", NAME, handle=handle)),
        replies(text("No.")),
    )
    Agent(stack, scene.address, key="sk-ant-2").say()
    answer = scene.sent[-1]["messages"][-1]["content"][0]
    assert answer["is_error"]
    assert "nothing is kept under" in answer["content"]


@STREAMS
def test_a_provider_that_does_not_go_on_is_for_the_client(streams: bool, stack: ExitStack, tmp_path: Path) -> None:
    busy = says(529, json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
    refused = says(400, json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}))
    looks = replies(text("I look."), recalls("r1"))
    scene = Scene(stack, tmp_path, [looks, busy, looks, refused, replies(text("Then not."))], streams)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        scene.agent.say()
    said = scene.agent.say()
    assert scene.sent[5]["messages"] == scene.sent[3]["messages"]
    assert [block.type for block in said.content] == ["text", "tool_use"]
    assert said.stop_reason == "tool_use"
    error = {"type": "tool_result", "tool_use_id": "r1", "content": "no such tool", "is_error": True}
    scene.agent.messages.append({"role": "user", "content": [error]})
    scene.agent.say()
    assert describe(scene.sent[-1]["messages"][-2:]) == ["assistant: text r1", "user: r1"]


def test_a_turn_reads_back_a_bounded_number_of_times(stack: ExitStack, tmp_path: Path) -> None:
    scene = Scene(stack, tmp_path, [replies(recalls(f"r{number}")) for number in range(20)])
    said = scene.agent.say()
    asked = scene.sent[3:]
    assert [block.to_dict()["id"] for block in said.content] == ["r10"]
    assert len(asked) == 11
    errors = [one["messages"][-1]["content"][0].get("is_error", False) for one in asked[1:]]
    assert errors == [False] * 8 + [True] * 2
    assert [one.get("tool_choice") for one in asked] == [None] * 10 + [{"type": "none"}]


def test_a_call_that_is_cut_off_leaves_no_trace(stack: ExitStack, tmp_path: Path) -> None:
    scene = Scene(stack, tmp_path, [replies(text("I am"), recalls("r1"), stop="max_tokens"), replies(text("Fine."))])
    assert scene.agent.say().stop_reason == "max_tokens"
    scene.agent.messages.append({"role": "user", "content": "go on"})
    scene.agent.say()
    assert describe(scene.sent[-1]["messages"][-2:]) == ["assistant: text", "user: text"]


NOT_OFFERED: dict[str, tuple[str, dict[str, Any]]] = {
    "counting": ("/v1/messages/count_tokens", {}),
    "no tools": ("/v1/messages", {"tools": []}),
    "a tool is forced": ("/v1/messages", {"tool_choice": {"type": "any"}}),
    "a server tool": ("/v1/messages", {"tools": [TOOL, {"type": "web_search_20250305", "name": "web_search"}]}),
    "a prescribed form": ("/v1/messages", {"output_config": {"format": {"type": "json_schema", "schema": {}}}}),
    "its own recall tool": ("/v1/messages", {"tools": [TOOL, {**TOOL, "name": "mcp__secateur__recall"}]}),
    "tools of a server": ("/v1/messages", {"mcp_servers": [{"type": "url", "url": "https://a.b", "name": "c"}]}),
}


def test_requests_that_may_not_have_the_tool_and_old_conversations_pass_as_they_are(
    stack: ExitStack, tmp_path: Path
) -> None:
    scene = Scene(stack, tmp_path, [replies(text("Fine."))])
    count = len(scene.provider.bodies)
    bodies = [anthropic_body(0, **members) for _, members in NOT_OFFERED.values()]
    paths = [path for path, _ in NOT_OFFERED.values()]
    old = json.loads(anthropic_body(1))
    old["messages"][0]["content"] = "another one"
    for path, body in zip([*paths, "/v1/messages"], [*bodies, json.dumps(old).encode()], strict=True):
        ask(scene.address, path, body, x_api_key="sk-ant-3", x_session_id="s3")
    assert scene.provider.bodies[count:] == [body.decode() for body in [*bodies, json.dumps(old).encode()]]


def test_nothing_is_offered_where_requests_are_only_observed(tmp_path: Path) -> None:
    settings = {"store": f"sqlite://{tmp_path / 'kept.db'}", "recall": "served"}
    with upstream(says(200, json.dumps(message(text("hi"))))) as provider, proxy(provider.url, **settings) as address:
        ask(address, "/v1/messages", anthropic_body(0), x_api_key="sk-1")
    assert provider.bodies == [anthropic_body(0).decode()]


def test_reasoning_of_a_turn_that_broke_off_does_not_come_back_without_its_calls(
    stack: ExitStack, tmp_path: Path
) -> None:
    later = {"type": "thinking", "thinking": "so it is fine", "signature": "bGF0ZXI="}
    left = Event()

    def begin(handler: Handler) -> None:
        def cut() -> Iterable[bytes]:
            whole = stream(message(later, text("It compiled.")))
            yield whole[: whole.index(b'"index": 1')]
            left.wait(20)

        streams_slowly(cut())(handler)

    scene = Scene(stack, tmp_path, [replies(THINKING, recalls("r1")), begin, replies(text("Fine."))])
    with scene.agent.client.messages.create(
        model="claude-opus-5", max_tokens=9, tools=[TOOL], messages=scene.agent.messages, stream=True
    ) as opened:
        ends = (event for event in opened if event.type == "content_block_stop")
        assert [next(ends).index for _ in range(2)] == [0, 1]
    assert any(read_status(scene.address)["disconnected"] for _ in range(2_000))
    left.set()
    scene.agent.messages.append({"role": "assistant", "content": [THINKING, later, text("It compiled.")]})
    scene.agent.messages.append({"role": "user", "content": "go on"})
    scene.agent.say()
    assert scene.sent[-1]["messages"][-2]["content"] == [THINKING, text("It compiled.")]


def test_a_client_that_leaves_while_the_model_reads_back_calls_it_off(stack: ExitStack, tmp_path: Path) -> None:
    came, ended = Event(), Event()

    def waits(handler: Handler) -> None:
        came.set()
        handler.connection.settimeout(20)
        assert handler.connection.recv(1) == b""
        ended.set()
        handler.close_connection = True

    scene = Scene(stack, tmp_path, [replies(text("I look."), recalls("r1")), waits])
    with scene.agent.client.messages.create(
        model="claude-opus-5", max_tokens=9, tools=[TOOL], messages=scene.agent.messages, stream=True
    ) as stream:
        next(event for event in stream if event.type == "content_block_stop")
        assert came.wait(20)
    assert ended.wait(20)


def test_pings_reach_the_client_while_the_model_reads_back(
    stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secateur.proxy.served.relay._PING_S", 0.01)
    goes_on = Event()

    def says_late(handler: Handler) -> None:
        goes_on.wait(20)
        replies(text("Fine."))(handler)

    scene = Scene(stack, tmp_path, [replies(recalls("r1")), says_late])
    body = {"model": "claude-opus-5", "max_tokens": 9, "stream": True, "tools": [TOOL]}
    parts = urlsplit(scene.address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    data = json.dumps({**body, "messages": scene.agent.messages})
    known = {name: value for name, value in scene.provider.headers[-1].items() if name.startswith(("x-", "auth"))}
    connection.request("POST", "/v1/messages", data, known)
    seen = b""
    for line in connection.getresponse():
        seen += line
        if seen.count(b"event: ping") == 3:  # the first is the provider's
            goes_on.set()
    connection.close()
    assert b"Fine." in seen
