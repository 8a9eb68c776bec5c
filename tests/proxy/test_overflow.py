"""A request that is refused as too long is cut and sent once more; every other refusal is the client's to handle."""

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anthropic
import pytest

from agent_requests import anthropic_body, chat_body, responses_body
from proxies import ask, proxy, read_status
from secateur.proxy.overflow import Overflow, classify_error
from upstream import events, says, spoken, streams, streams_slowly, upstream

TOO_LONG = "prompt is too long: 214538 tokens > 200000 maximum"
REFUSAL = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": TOO_LONG}})
OK = json.dumps(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "done"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 50, "output_tokens": 1},
    }
)
MESSAGES = "/v1/messages"


def test_a_client_never_sees_an_overflow_that_a_cut_request_avoids() -> None:
    body = json.loads(anthropic_body(40))
    answers = says(400, REFUSAL), says(200, OK)
    with upstream(*answers) as provider, proxy(provider.url, mode="prune") as address:
        with anthropic.Anthropic(base_url=address, api_key="sk-1", max_retries=0) as client:
            message: Any = client.messages.create(**body)
        status = read_status(address)
    assert message.content[0].text == "done"
    first, second = provider.bodies
    assert len(second) < 0.93 * len(first)
    assert "module 39" in second
    assert status["cut"] == 1


def test_what_was_cut_stays_cut() -> None:
    answers = says(400, REFUSAL), says(200, OK)
    with upstream(*answers) as provider, proxy(provider.url, mode="prune") as address:
        for rounds in (40, 41, 41):
            ask(address, MESSAGES, anthropic_body(rounds), x_session_id="s", x_api_key="k")
    _, cut, later, again = provider.bodies
    same = cut.index("module 39") - 200
    assert later[:same] == cut[:same]
    assert later == again


@pytest.mark.parametrize("refusal", [TOO_LONG, "Your input exceeds the context window of this model."])
def test_the_first_refusal_is_passed_on_if_the_cut_request_is_refused_too(refusal: str) -> None:
    first = json.dumps({"error": {"message": refusal, "code": "context_length_exceeded"}})
    second = json.dumps({"error": {"message": f"{refusal} Again.", "code": "context_length_exceeded"}})
    answers = says(400, first, x_request_id="1"), says(400, second, x_request_id="2")
    with upstream(*answers) as provider, proxy(provider.url, mode="prune") as address:
        status, headers, body = ask(address, "/v1/chat/completions", chat_body(40), x_session_id="s")
    assert (status, headers["x-request-id"], body.decode()) == (400, "1", first)
    assert len(provider.bodies) == 2
    assert len(provider.bodies[1]) < len(provider.bodies[0])


FAILED = {"type": "response.failed", "response": {"error": {"code": "context_length_exceeded", "message": "too long"}}}
CREATED = {"type": "response.created", "response": {"status": "in_progress"}}
WORKING = {"type": "response.in_progress", "response": {"status": "in_progress"}}
ERROR = {"type": "error", "error": {"type": "invalid_request_error", "message": TOO_LONG}}


@pytest.mark.parametrize(
    ("path", "body", "refused"),
    [
        ("/v1/responses", responses_body(40), [CREATED, WORKING, FAILED]),
        ("/v1/responses", responses_body(40), [FAILED]),
        (MESSAGES, anthropic_body(40), [ERROR]),
        ("/v1/chat/completions", chat_body(40), [{"error": {"code": "context_length_exceeded", "message": "no"}}]),
    ],
)
def test_a_stream_that_begins_with_the_refusal_is_cut_too(path: str, body: bytes, refused: list[Any]) -> None:
    stream = spoken("openai", "done")
    pieces = [events([one], named="type" in one) for one in refused]
    with upstream(streams_slowly(pieces), streams(stream)) as provider, proxy(provider.url, mode="prune") as address:
        status, headers, said = ask(address, path, body, x_session_id="s")
    assert (status, headers["x-secateur"], said) == (200, "cut", stream)
    assert len(provider.bodies[1]) < len(provider.bodies[0])
    with upstream(streams_slowly(pieces)) as provider, proxy(provider.url, mode="prune") as address:
        status, headers, said = ask(address, path, body, x_session_id="s")
    assert (status, headers["x-secateur"], said) == (200, "refused", b"".join(pieces))
    assert len(provider.bodies) == 2


def test_a_stream_that_fails_for_another_reason_is_passed_on() -> None:
    pieces = [events([CREATED], named=True), events([{"type": "error", "message": "Overloaded"}], named=True)]
    with upstream(streams_slowly(pieces)) as provider, proxy(provider.url, mode="prune") as address:
        said = ask(address, "/v1/responses", responses_body(9), x_session_id="s")[2]
    assert said == b"".join(pieces)
    assert len(provider.bodies) == 1


def test_announcements_are_not_held_back_for_long() -> None:
    created = events([CREATED], named=True)
    with upstream(streams_slowly([created], delay_s=30)) as provider, proxy(provider.url, mode="prune") as address:
        parts = urlsplit(address)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        connection.request("POST", "/v1/responses", responses_body(2))
        response = connection.getresponse()
        assert response.read(len(created)) == created
        response.close()
        connection.close()


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "Request too large for gpt-5 on tokens per min (TPM)"),
        (400, "messages: text content blocks must be non-empty"),
        (400, "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens"),
        (529, "Overloaded"),
        (503, "prompt is too long"),
        (401, "prompt is too long"),
    ],
)
def test_other_refusals_are_passed_on_at_once(status: int, message: str) -> None:
    refusal = json.dumps({"type": "error", "error": {"type": "x", "message": message}})
    with upstream(says(status, refusal)) as provider, proxy(provider.url, mode="prune") as address:
        got = ask(address, MESSAGES, anthropic_body(40), x_session_id="s")
    assert (got[0], got[2].decode()) == (status, refusal)
    assert len(provider.bodies) == 1


def test_in_observe_an_overflow_is_the_clients() -> None:
    with upstream(says(400, REFUSAL)) as provider, proxy(provider.url) as address:
        got = ask(address, MESSAGES, anthropic_body(40), x_session_id="s")
    assert (got[0], got[2].decode()) == (400, REFUSAL)
    assert len(provider.bodies) == 1


def test_nothing_is_sent_again_if_nothing_may_go(tmp_path: Path) -> None:
    policy = tmp_path / "nothing.toml"
    policy.write_text('name = "nothing"\n[schedule]\ntype = "never"\nreason = "it is off"\n')
    with upstream(says(400, REFUSAL)) as provider, proxy(provider.url, mode="prune", policy=str(policy)) as address:
        got = ask(address, MESSAGES, anthropic_body(4), x_session_id="s")
    assert (got[0], got[2].decode()) == (400, REFUSAL)
    assert len(provider.bodies) == 1


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (400, TOO_LONG, Overflow(214_538, 200_000)),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 9 > 200000", Overflow(190_000, 200_000)),
        (400, "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130,001 tok",
         Overflow(130_001, 128_000)),
        (400, '{"error": {"code": "context_length_exceeded"}}', Overflow()),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
         Overflow(1_200_000, 1_048_576)),
        (400, "Input is too long for requested model.", Overflow()),
        (400, "prompt token count of 131000 exceeds the limit of 128000", Overflow(131_000, 128_000)),
        (400, "Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)",
         Overflow(270_000, 262_144)),
        (500, "prompt too long; exceeded max context length by 4 tokens", Overflow()),
        (413, "", Overflow()),
        (413, '{"error": {"type": "request_too_large"}}', Overflow()),
        (429, TOO_LONG, None),
        (200, TOO_LONG, None),
        (400, "Rate limit reached: maximum context length is 10 tokens", None),
        (400, "image exceeds 5 MB maximum", None),
        (400, "string_above_max_length", None),
        (400, "tool_use ids were found without tool_result blocks", None),
    ],
)  # fmt: skip
def test_overflows_are_told_from_other_refusals(status: int, text: str, expected: Overflow | None) -> None:
    assert classify_error(status, text.encode()) == expected
