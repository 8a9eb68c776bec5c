"""What plugins ask of the bridge: views as `fit` makes them, kept under the host's session, and its compactions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from long_sessions import said
from native import pi_call, pi_result
from secateur.answers.savings import sum_bills
from secateur.bridge.methods import Bridge, BridgeSettings
from secateur.bridge.protocol import Channel, HostAnswer, answer_line
from secateur.engine import Engine
from secateur.errors import ConfigError, SecateurError
from secateur.hosts.activity import read_activity
from secateur.hosts.installation import RECORD
from secateur.policy import load
from secateur.stores import open_store
from secateur.stores.protocol import SessionId

Native = dict[str, Any]
POLICY = {
    "name": "short",
    "prune": [{"type": "hard_clear"}],
    "protect": {"last_results": 1},
    "schedule": {"type": "every_request"},
    "compaction": {"keep_tokens": 500},
}


def messages(rounds: int) -> list[Native]:
    made = [said("user", "Fix the login. Never push to main.")]
    for number in range(rounds):
        made += [
            pi_call(f"c{number}", "bash", command=f"pytest {number}")["message"]
            if "message" in pi_call("c", "bash")
            else pi_call(f"c{number}", "bash", command=f"pytest {number}"),
            pi_result(f"c{number}", f"{number} passed\n" * 200),
        ]
    return made


@pytest.fixture
def make_bridge(tmp_path: Path) -> Callable[..., Bridge]:
    store = open_store(f"sqlite:///{tmp_path}/kept.db")
    policy = load(POLICY)

    def make(channel: Channel | None = None, **more: Any) -> Bridge:
        def make_engine(model: str, window: int) -> Engine:
            return Engine(
                policy, model, window=window or None, format="pi_messages", store=store, compact=False, fail_open=True
            )

        known = {"version": "1", "policy": policy, "store": store, "make_engine": make_engine}
        return Bridge(BridgeSettings(**known | more), channel)

    return make


def call(bridge: Bridge, method: str, **given: Any) -> Any:
    return json.loads(msgspec.json.encode(bridge.methods[method](Raw(json.dumps(given).encode()))))


def test_a_view_is_that_of_the_engine_and_grows_at_its_end(make_bridge: Callable[..., Bridge]) -> None:
    bridge, engine = make_bridge(), Engine(load(POLICY), format="pi_messages", compact=False)
    before: list[Native] = []
    for rounds in range(1, 5):
        asked = messages(rounds)
        made = call(bridge, "fit", session="s", messages=asked, model="claude-sonnet-4-5")
        view = engine.fit(asked, session="s")
        shown = made["messages"] or asked
        assert shown == view.request
        assert (made["error"], made["edits"]) == ("", rounds - 1)
        assert [one["role"] for one in shown[: len(before)]] == [one["role"] for one in before]
        before = shown
    assert made["tokens_view"] < made["tokens_raw"]


def test_a_session_goes_on_in_another_process_and_what_left_is_read_back(make_bridge: Callable[..., Bridge]) -> None:
    first = make_bridge()
    shown = call(first, "fit", session="s", messages=messages(4))["messages"]
    first.close()
    again = make_bridge()
    assert call(again, "fit", session="s", messages=messages(4))["messages"] == shown
    removed = call(again, "removed", session="s")["text"]
    assert "3 parts of session s" in removed
    found = call(again, "search", session="s", arguments={"pattern": "2 passed"})["text"]
    handle = found.splitlines()[1].split(":")[0]
    assert "2 passed\n2 passed" in call(again, "recall", session="s", arguments={"handle": handle})["text"]
    status = call(again, "status", session="s")["text"]
    assert "pruned: " in status
    assert "2 requests" in status
    done = call(again, "undo", session="s")
    assert done["tokens"] > 0
    assert call(again, "fit", session="s", messages=messages(4))["messages"] is None


def test_models_that_ask_by_turns_keep_their_engines_and_change_no_view(make_bridge: Callable[..., Bridge]) -> None:
    made: list[tuple[str, int]] = []
    make_engine = make_bridge()._settings.make_engine

    def note(model: str, window: int) -> Engine:
        made.append((model, window))
        return make_engine(model, window)

    by_turns = make_bridge(make_engine=note)
    models = [("claude-sonnet-4-5", 200_000), ("claude-haiku-4-5", 0)]
    for rounds in range(1, 7):
        for number, (model, window) in enumerate([*models, models[0]]):
            asked = {"messages": messages(rounds), "model": model, "window": window}
            fresh = make_bridge()
            other = call(fresh, "fit", session=f"other {number // 2}", **asked)
            fresh.close()
            assert call(by_turns, "fit", session=str(number // 2), **asked) == other
    assert made == [("", 0), *models]
    for number in range(9):
        call(by_turns, "fit", session="0", messages=messages(1), model=f"model-{number}")
    assert len(by_turns._engines) == 4
    by_turns.close()


def test_half_a_character_passes(make_bridge: Callable[..., Bridge]) -> None:
    asked = [*messages(3), said("user", "half \ud83d of it")]
    line = json.dumps({"id": 1, "method": "fit", "params": {"session": "s", "messages": asked}}).encode()
    made = json.loads(answer_line(line, make_bridge().methods))["result"]
    assert made["edits"] == 2
    assert made["messages"][-1] == asked[-1]
    event = {"type": "session_before_compact", "branchEntries": [], "customInstructions": "half \ud83d"}
    line = json.dumps({"id": 2, "method": "event", "params": {"event": event}}).encode()
    assert json.loads(answer_line(line, make_bridge().methods))["result"]["answer"] == {"cancel": True}


def test_usage_is_recorded_for_the_session(make_bridge: Callable[..., Bridge], tmp_path: Path) -> None:
    bridge = make_bridge()
    call(bridge, "fit", session="s", messages=messages(2), model="claude-sonnet-4-5")
    usage = {"input": 10, "output": 5, "cacheRead": 700, "cacheWrite": 20, "totalTokens": 735}
    assert call(bridge, "usage", session="s", usage=usage) is None
    state = open_store(f"sqlite:///{tmp_path}/kept.db").load(SessionId("s", ""))
    assert state is not None
    used = sum_bills(state).usage
    assert (used.input, used.read, used.write, used.output) == (10, 700, 20, 5)


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("fit", {}, "`fit` needs `messages`"),
        ("prompt", {}, "`prompt` needs `messages`"),
        ("usage", {"session": "", "usage": {}}, "`session` is empty"),
        ("status", {}, "`session` is empty"),
        ("recall", {"session": "s", "arguments": {"nonsense": 1}}, "does not take these arguments"),
        ("undo", {"session": "nowhere"}, "nothing to undo"),
        ("hello", {"protocol": 99}, "run `secateur install` again"),
    ],
)
def test_what_is_missing_is_an_error_that_says_so(
    make_bridge: Callable[..., Bridge], method: str, given: Native, message: str
) -> None:
    with pytest.raises(SecateurError, match=message):
        call(make_bridge(), method, **given)


@pytest.mark.parametrize("arguments", [{"handle": 5}, {"pattern": []}, {"page": "x"}, {"handle": None, "pattern": {}}])
@pytest.mark.parametrize("method", ["recall", "search", "removed"])
def test_arguments_of_another_type_are_not_a_bug(
    make_bridge: Callable[..., Bridge], method: str, arguments: Native
) -> None:
    line = msgspec.json.encode({"id": 1, "method": method, "params": {"session": "s", "arguments": arguments}})
    error = json.loads(answer_line(line, make_bridge().methods))["error"]
    assert error["kind"] in ("ParameterError", "ConfigError"), error


@pytest.mark.parametrize("odd", [7, "text", None, {"a": 1}, [1, None, {"role": 5}], [{"role": "toolResult"}]])
def test_a_request_that_cannot_be_read_goes_out_as_it_is(make_bridge: Callable[..., Bridge], odd: Any) -> None:
    made = call(make_bridge(), "fit", session="s", messages=odd)
    assert made["messages"] is None


def test_a_compaction_keeps_what_stands_behind_its_summary(make_bridge: Callable[..., Bridge]) -> None:
    entries = [{"type": "message", "id": f"e{n}", "message": message} for n, message in enumerate(messages(20))]
    event = {
        "type": "session_before_compact",
        "branchEntries": entries,
        "preparation": {"firstKeptEntryId": "e31", "tokensBefore": 30_000},
    }
    made = call(make_bridge(), "event", event=event)
    compaction = made["answer"]["compaction"]
    assert made["status"] == "override"
    assert compaction["firstKeptEntryId"] == "e31"
    assert "Never push to main." in compaction["summary"]
    assert "kind" not in compaction["details"]
    assert 0 <= compaction["details"]["estimatedTokensAfter"] < 30_000
    later = [*entries, {"type": "compaction", "id": "k1", **compaction}]
    later += [{"type": "message", "id": f"f{n}", "message": message} for n, message in enumerate(messages(20)[1:])]
    second = call(
        make_bridge(), "event", event=event | {"branchEntries": later, "preparation": {"firstKeptEntryId": "f30"}}
    )
    assert second["answer"]["compaction"]["firstKeptEntryId"] == "f30"
    assert "Never push to main." in second["answer"]["compaction"]["summary"]


def test_a_stored_layout_comes_before_the_view(make_bridge: Callable[..., Bridge]) -> None:
    summary = {"role": "compactionSummary", "summary": "The compactionSummary."}
    asked = [summary, *messages(4)]
    details = {"kind": "hermes-middle", "headMessageCount": 1, "tailMessageCount": 2, "compactedMessageCount": 7}
    made = call(make_bridge(), "fit", session="s", messages=asked, layout=details)
    plain = messages(4)
    assert [one.get("toolCallId") or one["role"] for one in made["messages"]] == [
        "user",
        "compactionSummary",
        "assistant",
        "c2",
        "assistant",
        "c3",
    ]
    assert made["messages"][-1] == plain[-1]
    assert call(make_bridge(), "fit", messages=[said("user", "hi")], layout=details)["messages"] is None


class Answering(Channel):
    """A host whose model answers at once."""

    def __init__(self, answer: HostAnswer) -> None:
        self.answer, self.asked = answer, []

    def ask(self, system: str, text: str, max_tokens: int) -> Any:
        from concurrent.futures import Future

        self.asked.append(text)
        future: Future[HostAnswer] = Future()
        future.set_result(self.answer)
        return future


@pytest.mark.parametrize(
    ("answer", "has_words"),
    [
        (HostAnswer(1, "## Goal\n- Fix the login\n\n## Next steps\n- write the page of thanks\n"), True),
        (HostAnswer(1, "## Goal\n- Fix the login\n\n## Next steps\n- write the page", finish="length"), False),
        (HostAnswer(1, error="no model is selected"), False),
    ],
)
def test_the_hosts_model_writes_the_summary(
    make_bridge: Callable[..., Bridge], answer: HostAnswer, has_words: bool
) -> None:
    entries = [{"type": "message", "id": f"e{n}", "message": message} for n, message in enumerate(messages(20))]
    channel = Answering(answer)
    bridge = make_bridge(channel)
    call(bridge, "hello", host="pi", answers=True)
    event = {"type": "session_before_compact", "branchEntries": entries, "preparation": {"firstKeptEntryId": "e31"}}
    compaction = call(bridge, "event", event=event)["answer"]["compaction"]
    assert "pytest 3" in channel.asked[0]
    assert ("page of thanks" in compaction["summary"]) == has_words
    assert "Never push to main." in compaction["summary"]


def test_a_prompt_for_the_hosts_own_compaction(make_bridge: Callable[..., Bridge]) -> None:
    text = call(make_bridge(), "prompt", messages=messages(20))["text"]
    assert "## Next steps" in text
    assert "Never push to main." in text
    assert "pytest 18 → ok: 18 passed" in text  # the whole of it: a host may keep nothing else
    summary = {"role": "compactionSummary", "summary": "## Goal\n- Fix the login\n\n## Discoveries\n- it is the cookie"}
    assert "it is the cookie" in call(make_bridge(), "prompt", messages=[summary, *messages(20)])["text"]
    with pytest.raises(ConfigError, match="too short"):
        call(make_bridge(), "prompt", messages=messages(0))


def test_it_is_noted_that_the_host_asks(make_bridge: Callable[..., Bridge], tmp_path: Path) -> None:
    bridge = make_bridge(folder=tmp_path)
    call(bridge, "fit", session="s", messages=messages(3))
    assert read_activity(tmp_path) is None  # not installed there
    (tmp_path / RECORD).write_text("{}")
    call(bridge, "fit", session="s", messages=messages(4))
    bridge.close()
    noted = read_activity(tmp_path)
    assert noted is not None
    assert (noted.requests, noted.edited, noted.error) == (2, 2, "")


def test_a_new_result_is_shortened_where_the_policy_has_a_rule_for_it(make_bridge: Callable[..., Bridge]) -> None:
    steps = (
        "".join(f"tests/test_a.py::test_case_{number:03d} PASSED\n" for number in range(300)) + "300 passed in 1.0s\n"
    )
    asked = {"session": "s", "call_id": "c", "tool": "bash", "arguments": {"command": "pytest -v"}, "text": steps}
    assert call(make_bridge(), "shorten", **asked) == {"text": None}
    bridge = make_bridge(policy=load("balance"))
    shorter = call(bridge, "shorten", **asked)["text"]
    assert "300 passed in 1.0s" in shorter
    assert len(shorter) < 500
    handle = shorter.partition("recall ")[2][:12]
    assert "test_case_299" in call(bridge, "recall", session="s/c", arguments={"handle": handle, "page": 2})["text"]
    with pytest.raises(ConfigError, match="session"):
        call(bridge, "shorten", **asked | {"session": ""})
    bridge.close()
