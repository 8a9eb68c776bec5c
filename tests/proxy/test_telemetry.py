"""What a proxy tells whoever runs it: metrics, health, logs, traces; numbers and names, and nothing that was said."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import pytest
from opentelemetry import trace  # type: ignore[import-not-found,unused-ignore]
from opentelemetry.sdk.trace import TracerProvider  # type: ignore[import-not-found,unused-ignore]
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # type: ignore[import-not-found,unused-ignore]
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # type: ignore[import-not-found,unused-ignore]
from prometheus_client.parser import text_string_to_metric_families  # type: ignore[import-not-found,unused-ignore]

from agent_requests import anthropic_body, chat_body, write_policy
from proxies import ask, proxy, read_status
from raw_upstream import raw_upstream
from secateur.proxy.request_record import REQUESTS
from secateur.proxy.settings import APIS
from upstream import says, spoken, streams, upstream

MESSAGES = "/v1/messages"
STREAM = streams(spoken("anthropic", "hello there"))
SECRET = "sk-ant-api03-very-secret"
EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def provider_of_spans() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)


def scrape(address: str) -> dict[str, dict[tuple[str, ...], float]]:
    """The samples of a scrape, by name and the values of their labels."""
    status, headers, body = ask(address, "/metrics", method="GET")
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/plain")
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(body.decode()):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name.removeprefix("secateur_proxy_"), {})[labels] = sample.value
    return found


@contextmanager
def logged() -> Iterator[list[dict[str, Any]]]:
    """The lines of the log of requests."""
    lines: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(record.getMessage()))

    logger, handler = logging.getLogger(REQUESTS), Keep()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def talk(address: str) -> None:
    """Two requests of a session by the real client, and one that is refused."""
    headers = {"x-session-id": "s"}
    with anthropic.Anthropic(base_url=address, api_key=SECRET, max_retries=0, default_headers=headers) as client:
        for rounds in (2, 4):
            with client.messages.stream(**json.loads(anthropic_body(rounds))) as stream:
                stream.get_final_message()
    assert ask(address, "/v1/chat/completions?key=very-secret", chat_body(40), x_session_id="c")[0] == 413


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    return {"mode": "prune", "policy": write_policy(tmp_path), "limits": {"body_bytes": 40_000}}


def test_metrics_count_what_passed(settings: dict[str, Any]) -> None:
    with upstream(STREAM) as provider, proxy(provider.url, **settings) as address:
        talk(address)
        found = scrape(address)
        status = read_status(address)
    assert found["requests_total"] == {
        ("anthropic", "200", "edited", "generate"): 2.0,
        ("openai", "413", "passed", "generate"): 1.0,
    } or found["requests_total"] == {
        ("anthropic", "200", "edited", "generate"): 1.0,
        ("anthropic", "200", "unchanged", "generate"): 1.0,
        ("openai", "413", "passed", "generate"): 1.0,
    }
    assert found["outcomes_total"] == {("answered",): 2.0, ("refused",): 1.0}
    tokens = {name[0]: value for name, value in found["tokens_total"].items()}
    assert (tokens["input"], tokens["cache_read"], tokens["cache_write"], tokens["output"]) == (180, 20, 10, 14)
    assert tokens["raw"] > tokens["sent"] > 0
    assert found["bytes_total"][("in",)] > found["bytes_total"][("sent",)] > 0
    assert found["seconds_count"][("anthropic", "first_byte")] == 2
    assert found["upstream_up"] == {("anthropic",): 1.0}
    assert found["saved_dollars"][()] == status["saved_dollars"]


def test_health_is_what_the_last_requests_met_or_a_probe_shows() -> None:
    with upstream(STREAM) as provider:
        url = provider.url
        with proxy(url, limits={"probe_s": 600.0}) as address:
            assert ask(address, "/healthz", method="GET")[0] == 200
            assert ask(address, MESSAGES, anthropic_body(1))[0] == 200
            assert json.loads(ask(address, "/healthz", method="GET")[2])["upstreams"]["anthropic"] is True
            assert [one.method for one in provider.requests].count("HEAD") == len(
                APIS
            )  # the last answer was proof enough
    with proxy(url) as address:  # it is gone
        assert ask(address, MESSAGES, anthropic_body(1))[0] == 502
        status, _, body = ask(address, "/healthz", method="GET")
        assert (status, json.loads(body)["upstreams"]) == (503, {"anthropic": False})
        told = json.loads(body)["errors"]["anthropic"]
        assert "could not be reached" in told
        assert "ssl" not in told  # it is asked in plain HTTP
        assert scrape(address)["upstream_up"] == {("anthropic",): 0.0}


def test_health_recovers_with_its_provider() -> None:
    listening = [False]

    def script(wire: Any) -> None:
        if listening[0]:
            wire.send(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    with raw_upstream(script) as provider, proxy(provider.url) as address:
        assert ask(address, MESSAGES, b"{}")[0] == 502
        assert ask(address, "/healthz", method="GET")[0] == 503
        listening[0] = True
        assert ask(address, "/healthz", method="GET")[0] == 200
    probe = provider.wires[-1].head
    assert probe.startswith(b"HEAD / HTTP/1.1\r\n")
    assert b"authorization" not in probe.lower()


def test_each_request_is_one_line_without_content(settings: dict[str, Any]) -> None:
    with logged() as lines, upstream(STREAM) as provider, proxy(provider.url, **settings) as address:
        talk(address)
    first, second, refused = lines
    assert (first["outcome"], first["session"], first["client"], first["model"]) == (
        "answered",
        "s",
        "anthropic-sdk",
        "claude-opus-5",
    )
    assert (first["status"], first["input_tokens"], first["output_tokens"], first["read_tokens"]) == (200, 105, 7, 10)
    assert (second["how"], second["epoch"]) == ("edited", True)
    assert second["bytes_sent"] < second["bytes_in"]
    assert (refused["outcome"], refused["status"]) == ("refused", 413)
    assert "more than 40,000 bytes" in refused["error"]
    text = json.dumps(lines)
    for content in ("compiling", "build it", "hello there", "very-secret"):
        assert content not in text


def test_each_model_request_is_a_span_of_the_clients_trace(settings: dict[str, Any]) -> None:
    EXPORTER.clear()
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with upstream(STREAM, STREAM, says(529, "{}")) as provider, proxy(provider.url, traces=True, **settings) as address:
        for rounds in (2, 4, 4):
            ask(address, MESSAGES, anthropic_body(rounds), x_session_id="s", traceparent=parent, x_api_key=SECRET)
        ask(address, "/v1/models", method="GET")
    first, second, failed = EXPORTER.get_finished_spans()
    told = dict(second.attributes or {})
    assert {name: told[name] for name in told if name.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-opus-5",
        "gen_ai.conversation.id": "s",
        "gen_ai.usage.input_tokens": 105,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 10,
        "gen_ai.usage.cache_creation.input_tokens": 5,
    }
    assert told["server.address"] == "127.0.0.1"
    assert told["secateur.tokens_sent"] < told["secateur.tokens_raw"]  # type: ignore[operator]
    assert first.name == "chat claude-opus-5"
    assert first.kind is trace.SpanKind.CLIENT
    assert {format(one.context.trace_id, "032x") for one in (first, second, failed) if one.context} == {parent[3:35]}
    assert (failed.status.status_code, dict(failed.attributes or {})["error.type"]) == (trace.StatusCode.ERROR, "529")
    assert all(head["traceparent"] == parent for head in provider.headers)
    assert SECRET not in str([span.to_json() for span in (first, second, failed)])


def test_what_is_not_there_is_said() -> None:
    with upstream(STREAM) as provider, proxy(provider.url) as address:
        for path in ("/_secateur/", "/_secateur/anything"):
            assert ask(address, path, method="GET")[0] == 404
        assert ask(address, "/metrics", b"{}")[0] == 200  # a POST is the provider's to answer
    assert provider.paths == ["/metrics"]
