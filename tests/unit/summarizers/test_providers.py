"""Each provider's own client against a scripted upstream: what is sent, what is heard, and every way to fail."""

import json
import logging

import pytest

from secateur.compaction.ask import Ask, SummaryAnswer, SummaryUsage
from secateur.summarizers import Summarizer, parse
from secateur.summarizers.driver import drive
from upstream import Says, Upstream, drops, events, hangs, says, spoken, streams, upstream

PROVIDERS = ("anthropic", "openai", "openai-chat", "gemini")
KEY = "k-7Qd2mZx9Lw4Rt6Yp"
ASK = Ask(system="You write.", text="<conversation>hello</conversation>", most_tokens=100, tokens=20)
TEXT = "## Goal\n- mend the gate"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own reaches a client."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "SECATEUR_SUMMARIZER_KEY", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # to this machine no proxy is used
    monkeypatch.setattr("secateur.summarizers.errors.FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("secateur.summarizers.errors.LONGEST_WAIT_S", 0.002)


def at(provider: str, server: Upstream, monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    """A model of this provider, found at the upstream."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
    return parse(f"{provider}:m", local_only=True)[0]


def asked(by: Summarizer, ask: Ask = ASK, deadline_s: float = 20) -> SummaryAnswer:
    """Its answer to one question."""

    def steps():  # type: ignore[no-untyped-def]
        return (yield (ask,))[0]

    answer, _ = drive(steps(), by, deadline_s)
    assert isinstance(answer, SummaryAnswer)
    return answer


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_text_its_end_and_its_cost(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(spoken(provider, TEXT))) as server:
        answer = asked(at(provider, server, monkeypatch))
    ends = {"anthropic": "end_turn", "openai": "completed", "openai-chat": "stop", "gemini": "stop"}
    spent = SummaryUsage(90, 10, 5, 7) if provider == "anthropic" else SummaryUsage(95, 10, 0, 7)
    by = f"{provider}:m at {server.url.partition('//')[2]}"
    assert answer == SummaryAnswer(TEXT, ends[provider], by=by, spent=spent)
    (body,) = server.bodies
    assert ASK.text in json.dumps(json.loads(body), ensure_ascii=False)
    assert ASK.system in body
    assert not {"tools", "tool_choice", "temperature"} & json.loads(body).keys()
    assert any(KEY in value for value in server.headers[0].values())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_tool_call_is_counted_and_not_made(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(spoken(provider, "", call=True))) as server:
        answer = asked(at(provider, server, monkeypatch))
    assert (answer.calls, answer.text, answer.error) == (1, "", "")


@pytest.mark.parametrize(
    ("provider", "finish", "heard"),
    [
        ("anthropic", "max_tokens", "max_tokens"),
        ("openai", "max_output_tokens", "max_output_tokens"),
        ("openai-chat", "length", "length"),
        ("gemini", "MAX_TOKENS", "max_tokens"),
    ],
)
def test_how_it_ended_is_told(provider: str, finish: str, heard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(spoken(provider, TEXT, finish))) as server:
        assert asked(at(provider, server, monkeypatch)).finish == heard


ERROR = json.dumps({"error": {"type": "x", "code": 400, "message": "no", "status": "INVALID"}})
LONG = json.dumps({"error": {"type": "x", "code": 400, "message": "prompt is too long: 9 > 8", "status": "INVALID"}})


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("script", "failure", "tries"),
    [
        (says(401, ERROR), "auth", 1),
        (says(403, ERROR), "auth", 1),
        (says(404, ERROR), "refused", 1),
        (says(400, LONG), "window", 1),
        (says(413, "too big", "text/plain"), "window", 1),
        (says(429, ERROR), "rate_limited", 4),
        (says(500, ERROR), "overloaded", 4),
        (says(503, "<html>busy</html>", "text/html"), "overloaded", 4),
        (says(302, "", "text/plain", location="http://example.com/"), "refused", 1),
        (says(200, "<html><body>Sign in</body></html>", "text/html"), "malformed", 1),
        (says(200, '{"choices": "none"}'), "malformed", 1),
        (streams(b'event: message_start\ndata: {"half": \n\n'), "malformed", 1),
        (streams(b""), "dropped", 4),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_failure_has_its_kind(
    provider: str, script: Says, failure: str, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with upstream(script) as server:
        answer = asked(at(provider, server, monkeypatch))
        assert (answer.failure, answer.tries, len(server.bodies)) == (failure, tries, tries), answer.error
    assert answer.error
    assert answer.text == ""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_half_a_stream_is_no_answer(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = spoken(provider, TEXT * 50)
    with upstream(drops(whole), streams(whole)) as server:
        answer = asked(at(provider, server, monkeypatch))
    assert (answer.text, answer.tries) == (TEXT * 50, 2)
    with upstream(drops(whole)) as server:
        answer = asked(at(provider, server, monkeypatch))
    assert (answer.failure, answer.text) == ("dropped", "")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_never_answers_costs_the_deadline_and_no_more(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with upstream(hangs) as server:
        answer = asked(at(provider, server, monkeypatch), deadline_s=0.5)
        assert (answer.failure, len(server.bodies)) == ("timeout", 1)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nobody_there(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(hangs) as server:
        by = at(provider, server, monkeypatch)
    answer = asked(by)
    assert (answer.failure, answer.tries) == ("unreachable", 4)


def test_a_wait_longer_than_the_deadline_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(says(429, ERROR, retry_after="3600")) as server:
        answer = asked(at("anthropic", server, monkeypatch))
        assert (answer.failure, len(server.bodies)) == ("rate_limited", 1)


def test_a_stream_that_began_well_may_still_tell_of_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    start = spoken("anthropic", TEXT).split(b"event: content_block_stop")[0]
    with upstream(streams(start + events([error], named=True))) as server:
        assert asked(at("anthropic", server, monkeypatch)).failure == "overloaded"
    failed = {"type": "error", "code": "rate_limit_exceeded", "message": "slow", "param": None, "sequence_number": 1}
    with upstream(streams(events([failed], named=True))) as server:
        assert asked(at("openai", server, monkeypatch)).failure == "rate_limited"


def test_a_server_that_knows_no_stream_options_is_asked_without(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = json.dumps({"error": {"message": "unknown field stream_options"}})
    with upstream(says(400, strange), streams(spoken("openai-chat", TEXT))) as server:
        assert asked(at("openai-chat", server, monkeypatch)).text == TEXT
    assert ["stream_options" in body for body in server.bodies] == [True, False]


def test_thoughts_in_the_text_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(spoken("openai-chat", f"<think>\nwell\n</think>\n\n{TEXT}"))) as server:
        assert asked(at("openai-chat", server, monkeypatch)).text.strip() == TEXT


def test_an_answer_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(spoken("openai-chat", "x" * 1_000_001))) as server:
        answer = asked(at("openai-chat", server, monkeypatch))
    assert (answer.failure, answer.text) == ("malformed", "")


def test_a_blocked_question_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream(streams(events([{"promptFeedback": {"blockReason": "SAFETY"}}]))) as server:
        answer = asked(at("gemini", server, monkeypatch))
    assert (answer.finish, answer.text) == ("safety", "")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("script", ["answers", "refuses"])
def test_no_log_and_no_error_shows_a_key(
    provider: str, script: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = json.dumps({"error": {"type": "auth", "code": 401, "message": "Incorrect API key: sk-" + "a1B2" * 8}})
    says_so = streams(spoken(provider, TEXT)) if script == "answers" else says(401, refusal)
    caplog.set_level(logging.DEBUG)
    with upstream(says_so) as server:
        by = at(provider, server, monkeypatch)
        answer = asked(by)
    assert KEY not in caplog.text + repr(answer) + repr(by)
    assert "a1B2a1B2" not in repr(answer)


def test_another_vendors_server_learns_no_key_and_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    with upstream(streams(spoken("openai-chat", TEXT))) as server:
        answer = asked(parse(f"{server.url}/v1#tiny")[0])
    assert answer.text == TEXT
    told = json.dumps(server.headers)
    assert KEY not in told
    assert "somebody" not in told
    monkeypatch.setenv("OTHERS_KEY", "other-secret")
    with upstream(streams(spoken("openai-chat", TEXT))) as server:
        asked(parse(f"{server.url}/v1?key=OTHERS_KEY#tiny")[0])
    assert server.headers[0]["authorization"] == "Bearer other-secret"
