"""Failures of ours, put into each step: the request continues as its session needs it, and nothing is lost or
refused."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from agent_requests import anthropic_body, chat_body, gemini_body, responses_body, write_policy
from proxies import ask, proxy, read_status
from secateur.budget import Budget
from secateur.errors import StoreError
from secateur.model import Edit, Transcript
from secateur.policy import load
from secateur.proxy import editing
from secateur.proxy.asked import Asked, Edited
from secateur.proxy.callers import Caller
from secateur.proxy.editing import Editor
from secateur.proxy.last_views import LastViews, drop_bound_reasoning
from secateur.proxy.routes import Kind, Route
from secateur.stores.protocol import FoundSession, SessionId, SessionUpdate, State
from secateur.stores.sqlite import SqliteStore
from secateur.strategy import Strategy
from upstream import says, upstream

OK = says(200, '{"usage": {"input_tokens": 50, "output_tokens": 1}}')
MESSAGES = "/v1/messages"
WHO = SessionId("s", "t")
FAULTY = [False]  # whether the strategy below fails now


class Faulty(Strategy, frozen=True, kw_only=True, tag="faulty"):
    """Edits nothing, and fails when it is told to."""

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        if FAULTY[0]:
            raise ZeroDivisionError("a fault of ours")
        return iter(())


class FragileStore(SqliteStore):
    """A store that is away when it is told to be."""

    away: ClassVar[list[bool]] = [False]

    def load(self, who: SessionId) -> State | None:
        self._check()
        return super().load(who)

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        self._check()
        return super().find(tenant, keys)

    def save(self, state: State, change: SessionUpdate) -> State:
        self._check()
        return super().save(state, change)

    def with_wait_limit(self, wait_s: float) -> SqliteStore:
        return self

    def _check(self) -> None:
        if self.away[0]:
            raise StoreError("the disk is gone")


@pytest.fixture
def faults() -> Iterator[list[bool]]:
    FAULTY[0] = FragileStore.away[0] = False
    yield FAULTY
    FAULTY[0] = FragileStore.away[0] = False


def asked(body: bytes, kind: Kind = "generate", session: str = "s", model: str = "") -> Asked:
    """A request of a session."""
    route = Route("anthropic", kind, MESSAGES.encode(), "anthropic_messages", model)
    return Asked(route, Caller("", session, "t", "main", False), body)


def editor(folder: Path, store: SqliteStore | None = None) -> Editor:
    """An editor whose strategy may fail."""
    policy = load(write_policy(folder))
    policy = replace(policy, prune=(*policy.prune, Faulty()))
    return Editor(policy, store or SqliteStore(folder / "kept.db"))


def with_thinking(rounds: int, model: str = "claude-opus-5-5", **members: Any) -> bytes:
    """A request of a model whose signed reasoning is bound to what is before it."""
    body = json.loads(anthropic_body(rounds, model=model, **members))
    first, *others = body["messages"]
    body["messages"] = [first]
    for number, (call, result) in enumerate(zip(others[::2], others[1::2], strict=True)):
        thought = {"type": "thinking", "thinking": f"thought {number}", "signature": f"signed{number}"}
        call["content"].insert(0, thought)
        done = {"role": "assistant", "content": [{"type": "text", "text": f"done with {number}"}]}
        body["messages"] += [call, result, done, {"role": "user", "content": [{"type": "text", "text": "go on"}]}]
    return json.dumps(body).encode()


def elements(body: bytes) -> list[Any]:
    messages: list[Any] = json.loads(body)["messages"]
    return messages


def extends(later: Edited, earlier: Edited) -> bool:
    """Whether a request continues as an earlier one was sent."""
    return elements(later.body)[: len(elements(earlier.body))] == elements(earlier.body)


def test_an_engine_that_fails_before_any_edit_sends_the_original(tmp_path: Path, faults: list[bool]) -> None:
    used = editor(tmp_path)
    assert used.edit(asked(with_thinking(0))).how == "unchanged"
    faults[0] = True
    body = with_thinking(4)
    failed = used.edit(asked(body))
    assert (failed.how, failed.body, failed.error) == ("failed", body, "ZeroDivisionError")
    used.close()


def test_an_engine_that_fails_later_sends_what_the_plan_shows(tmp_path: Path, faults: list[bool]) -> None:
    used = editor(tmp_path)
    edited = used.edit(asked(anthropic_body(4)))
    faults[0] = True
    failed = used.edit(asked(anthropic_body(6)))
    assert (edited.how, failed.how) == ("edited", "failed")
    assert extends(failed, edited)
    assert (
        elements(failed.body)[len(elements(edited.body)) :] == elements(anthropic_body(6))[len(elements(edited.body)) :]
    )
    faults[0] = False
    again = used.edit(asked(anthropic_body(8)))
    assert again.how == "edited"
    assert elements(again.body)[:3] == elements(edited.body)[:3]
    used.close()


@pytest.mark.parametrize("kind", ["generate", "count"])
def test_where_nothing_can_be_computed_the_last_view_is_extended(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = editor(tmp_path)
    edited = used.edit(asked(with_thinking(4)))
    assert edited.how == "edited"

    def fail(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(editing.Engine, "fit", fail)
    failed = used.edit(asked(with_thinking(6), kind))
    assert (failed.how, failed.error) == ("failed", "MemoryError")
    assert extends(failed, edited)
    assert (
        elements(failed.body)[len(elements(edited.body)) :] == elements(with_thinking(6))[len(elements(edited.body)) :]
    )
    assert b"signed5" in failed.body
    other = json.loads(with_thinking(6))
    other["messages"][0]["content"] = "another task"
    failed = used.edit(asked(json.dumps(other).encode(), kind))
    assert failed.how == "failed"
    assert elements(failed.body)[0]["content"] == "another task"
    assert b"signed" not in failed.body
    used.close()


@pytest.mark.usefixtures("faults")
def test_a_store_that_goes_away_leaves_the_view_as_it_was(tmp_path: Path) -> None:
    store = FragileStore(tmp_path / "kept.db")
    used = editor(tmp_path, store)
    edited = used.edit(asked(anthropic_body(4)))
    store.away[0] = True
    later = used.edit(asked(anthropic_body(5)))
    assert later.how == "edited"
    assert elements(later.body)[:4] == elements(edited.body)[:4]
    unnamed = used.edit(asked(with_thinking(5), session=""))
    unknown = used.edit(asked(with_thinking(5), session="another"))
    used.close()
    restarted = editor(tmp_path, store)
    lost = restarted.edit(asked(with_thinking(5)))
    for one in (unnamed, unknown, lost):
        assert one.how == "failed"
        assert "the disk is gone" in one.error
        assert b"signed" not in one.body
        assert [message["content"][-1] for message in elements(one.body)[1:]] == [
            message["content"][-1] for message in elements(with_thinking(5))[1:]
        ]
    assert restarted.edit(asked(anthropic_body(0), session="new")).body == anthropic_body(0)
    restarted.close()


def test_a_plan_that_cannot_be_read_is_not_replaced_by_another(tmp_path: Path) -> None:
    used = editor(tmp_path)
    used.edit(asked(with_thinking(4)))
    used.close()
    with sqlite3.connect(tmp_path / "kept.db") as connection:
        assert connection.execute("UPDATE epochs SET body = x'00ff'").rowcount == 1
    connection.close()
    used = editor(tmp_path)
    for kind in ("generate", "count", "generate"):
        failed = used.edit(asked(with_thinking(5), kind))
        assert failed.how == "failed"
        assert failed.error.startswith("StoreError") or failed.error.startswith("Rejected"), failed.error
        assert b"signed" not in failed.body
        assert len(elements(failed.body)) == len(elements(with_thinking(5)))
    used.close()


def test_a_client_gets_its_answer_whatever_fails(tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": f"sqlite://{kept}"}
    with upstream(OK) as provider:
        with proxy(provider.url, **settings) as address:
            ask(address, MESSAGES, anthropic_body(4), x_session_id="s", x_api_key="k")
        for one in tmp_path.glob("kept.db*"):
            one.unlink()
        kept.mkdir()
        with proxy(provider.url, **settings) as address:
            bodies = {
                MESSAGES: anthropic_body(5),
                "/v1/chat/completions": chat_body(5),
                "/v1/responses": responses_body(5),
                "/v1beta/models/gemini-3-pro:generateContent": gemini_body(5),
            }
            for path, body in bodies.items():
                status, headers, _ = ask(address, path, body, x_session_id="s", x_api_key="k")
                assert (status, headers["x-secateur"]) == (200, "failed")
            report = read_status(address)
    assert provider.bodies[1:] == [body.decode() for body in bodies.values()]
    assert report["failed"] == len(bodies)
    assert "StoreError" in report["last_error"]


# --- bytes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "build", "name"),
    [
        ("anthropic_messages", anthropic_body, "messages"),
        ("openai_chat", chat_body, "messages"),
        ("openai_responses", responses_body, "input"),
        ("gemini", gemini_body, "contents"),
    ],
)
def test_a_last_view_takes_what_is_new_as_it_came(format: str, build: Any, name: str) -> None:
    raw, later = build(2), build(4, extra={"n": 1.0, "ä": "\\u0000"})
    view = json.dumps({name: [f"view {number}" for number in range(len(json.loads(raw)[name]))]}).encode()
    views = LastViews()
    views.keep(WHO, raw, view)
    made = views.extend(WHO, format, later)
    assert made is not None
    new = json.loads(later)[name][len(json.loads(raw)[name]) :]
    assert json.loads(made) == {**json.loads(later), name: [*json.loads(view)[name], *new]}
    assert b'"n": 1.0' in made
    assert views.extend(SessionId("s", "another"), format, later) is None
    assert views.extend(WHO, format, build(1)) is None
    assert views.extend(WHO, format, b'{"input": "text"}') is None
    assert views.extend(WHO, "", later) is None


def test_cache_markers_move_without_making_another_message() -> None:
    def mark(body: bytes) -> bytes:
        parsed = json.loads(body)
        parsed["messages"][-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        return json.dumps(parsed).encode()

    views = LastViews()
    views.keep(WHO, mark(anthropic_body(2)), mark(anthropic_body(2)))
    made = views.extend(WHO, "anthropic_messages", mark(anthropic_body(3)))
    assert made is not None
    assert json.loads(made) == json.loads(mark(anthropic_body(3)))
    assert made.count(b"cache_control") == 1


def test_last_views_are_bounded() -> None:
    views = LastViews(most_bytes=5_000)
    for number in range(10):
        views.keep(SessionId(str(number)), b'{"messages":[]}' + b" " * 1_000, b'{"messages":[]}')
    later = b'{"messages":[]}'
    assert [views.extend(SessionId(str(number)), "openai_chat", later) for number in range(10)] == [
        *[None] * 6,
        *[later] * 4,
    ]


@pytest.mark.parametrize(
    ("body", "format", "model"),
    [
        (with_thinking(2, model="claude-opus-5"), "anthropic_messages", ""),
        (with_thinking(2, thinking={"type": "enabled", "budget_tokens": 1_024}), "anthropic_messages", ""),
        (anthropic_body(2, model="claude-opus-5-5"), "anthropic_messages", ""),
        (chat_body(2), "openai_chat", ""),
        (b'{"model": "claude-opus-5-5", "messages": 5}', "anthropic_messages", ""),
        (b'{"model": "claude-opus-5-5", "messages": [{"role": "assistant", "content": "thinking"}]}',
         "anthropic_messages", ""),
        (b'{"model": "claude-opus-5-5", "messages": [{"role": "assistant", "content": [{"type": "thinking"}]}]}',
         "anthropic_messages", ""),
        (b"{", "anthropic_messages", ""),
    ],
)  # fmt: skip
def test_reasoning_stays_where_it_is_not_bound_or_needed(body: bytes, format: str, model: str) -> None:
    assert drop_bound_reasoning(body, format, model) == body


def test_bound_reasoning_goes_and_nothing_else() -> None:
    dropped = drop_bound_reasoning(with_thinking(3), "anthropic_messages", "")
    kept = json.loads(with_thinking(3))
    for message in kept["messages"][1::4]:
        assert message["content"].pop(0)["type"] == "thinking"
    assert json.loads(dropped) == kept
    block = {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}
    said: list[Any] = [{"role": "assistant", "content": [block, {"text": "done"}]}]
    body = json.dumps({"messages": said}).encode()
    dropped = drop_bound_reasoning(body, "bedrock_converse", "anthropic.claude-opus-5-5-v1:0")
    assert json.loads(dropped) == {"messages": [{"role": "assistant", "content": [{"text": "done"}]}]}
