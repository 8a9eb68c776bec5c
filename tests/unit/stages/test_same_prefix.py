"""A summary by the session's own model: the view once more, with one question behind it, where that is cheapest."""

import json
import threading
from typing import Any

import openai
import pytest
from msgspec.structs import replace

from every_format import Step, Turn, document
from long_sessions import SUMS, body, long, said, summary
from model_server import Script, ScriptedModel
from model_server import Step as Says
from secateur import Engine
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.conversation import CompactionInput, SessionRequest
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.trigger import Load
from secateur.model import Message, Part
from secateur.pricing.tariffs import get_tariff
from secateur.stages import compact as stage
from secateur.summarizers import Function, SamePrefix, Summarizer, parse
from secateur.summarizers.run import CompactionTask, estimate_cost, order_by_cost
from upstream import upstream

BEGINS = "Stop here: do not answer or continue the conversation"
WINDOW = 16_000
GROWN = [*long(rounds=40), said("user", "Now the docs.")]


def test_the_provider_reads_from_its_cache_what_the_agent_has_sent() -> None:
    model = ScriptedModel(Script((Says("Go on."),)), asides={BEGINS: summary()})
    with upstream(model) as server, openai.OpenAI(api_key="k", base_url=f"{server.url}/v1") as client:

        def send(request: dict[str, Any]) -> SummaryAnswer:
            answer = client.chat.completions.create(**request)
            return SummaryAnswer(answer.choices[0].message.content or "", by="same")

        engine = Engine(SUMS, window=WINDOW, summarizer=SamePrefix(send, host="127.0.0.1"))
        sent = json.loads(engine.fit(body(long(rounds=20)), session="s", now_ms=1).request)
        client.chat.completions.create(**sent)
        view = engine.fit(body(GROWN), session="s", now_ms=1_000)
    first, asked = model.answers
    assert isinstance(view.compaction, Compacted)
    assert (view.compaction.rung, view.compaction.by, view.compaction.asks) == ("model", "same", 1)
    assert "The login was broken" in view.compaction.summary
    assert asked.usage.read == first.usage.total  # all that was sent before
    assert json.loads(server.bodies[1])["messages"][: len(sent["messages"])] == sent["messages"]


SAYS = "1 passed in 0.1 s\n" * 40
TURNS = [
    Turn(f"Do {n}.", tuple(Step("bash", '{"command":"pytest"}', SAYS) for _ in range(6)), "Done.") for n in range(6)
]


@pytest.mark.parametrize(
    ("format", "name", "question"),
    [
        ("openai_chat", "messages", {"role": "user", "content": "{}"}),
        ("anthropic_messages", "messages", {"role": "user", "content": [{"type": "text", "text": "{}"}]}),
        (
            "openai_responses",
            "input",
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "{}"}]},
        ),
        ("gemini", "contents", {"role": "user", "parts": [{"text": "{}"}]}),
    ],
)
def test_the_question_stands_behind_the_request_in_its_own_format(format: str, name: str, question: object) -> None:
    bodies: list[Any] = []

    def send(request: Any) -> str:
        bodies.append(request)
        return summary()

    raw = document(format, TURNS)
    Engine(SUMS, window=200_000, summarizer=SamePrefix(send, host="h")).compact(raw, now_ms=1)
    *before, asked = bodies[0][name]
    assert {**bodies[0], name: before} == json.loads(raw)
    shape = json.dumps(asked)
    text = shape[shape.index(BEGINS) : shape.rindex("Leave the headings as they are.")]
    assert "## Goal" in text
    assert json.loads(shape.replace(shape[shape.index(BEGINS) : shape.rindex('"')], "{}")) == question


@pytest.mark.parametrize("format", ["pi", "opencode"])
def test_a_session_file_goes_to_the_next_summarizer(format: str) -> None:
    never = SamePrefix(lambda request: pytest.fail("it was sent"), host="h")
    raw = document(format, TURNS)
    made = Engine(SUMS, window=200_000, summarizer=[never, lambda ask: summary()]).compact(raw, now_ms=1).compaction
    assert isinstance(made, Compacted)
    assert [(one.by, one.reason) for one in made.attempts] == [("same-prefix", "refused")]
    assert made.rung == "model"


def test_while_a_summary_is_made_beside_the_requests_none_is_prepared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    go, prepared, prepare = threading.Event(), [], stage.make_session_request

    def slow(request: dict[str, Any]) -> str:
        go.wait(20)
        return summary()

    def note(*given: Any) -> SessionRequest | None:
        prepared.append(prepare(*given))
        return prepared[-1]

    monkeypatch.setattr(stage, "make_session_request", note)
    engine = Engine(SUMS, window=30_000, summarizer=SamePrefix(slow, host="h"), background=True)
    views = [engine.fit(body(long(rounds=rounds)), session="s", now_ms=1) for rounds in (42, 43, 44)]
    go.set()
    engine.close()
    assert [told.reason for view in views if (told := view.receipt.compaction)] == ["beside"] * 3
    assert [one is not None for one in prepared] == [True]


# A question of 100,000 tokens and 1,000 of an answer, in dollars a million of such questions. To Haiku ($1 and $5) it
# costs 100,000 + 5,000. To the session's own Opus ($5, $25) behind 100,000 tokens of prompt, read at a tenth or written
# at 1.25, it costs 50,000 + 25,000 or 625,000 + 25,000.
def priced(cold_reason: str = "") -> CompactionTask:
    own = SessionRequest(
        add_question=lambda text: {},
        tokens=100_000,
        pricing=get_tariff("claude-opus-4-5"),
        cold_reason=cold_reason,
    )
    spoken = Message("user", (), (Part("text", (), "x" * 100_000),))
    scene = CompactionInput(raw=(spoken,), count=len, window=0, load=Load(100_000), own=own)
    return CompactionTask(scene, Compaction(keep_tokens=0, max_summary_tokens=1_000), Continuation())


@pytest.fixture
def haiku(monkeypatch: pytest.MonkeyPatch) -> Summarizer:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    return parse("anthropic:claude-haiku-4-5")[0]


OWN = SamePrefix(lambda request: "", host="h")
MINE = Function("mine", lambda ask: "")


def test_costs_follow_from_prices_and_from_the_clock_of_the_cache(haiku: Summarizer) -> None:
    assert estimate_cost(haiku, priced()) == 105_000
    assert estimate_cost(OWN, priced()) == 75_000
    assert estimate_cost(OWN, priced("the last call was 2 hours ago")) == 650_000
    assert estimate_cost(MINE, priced()) is None


def test_it_is_asked_first_where_it_is_cheaper_and_last_where_it_is_not(haiku: Summarizer) -> None:
    for listed in ((OWN, haiku), (haiku, OWN)):
        assert order_by_cost(listed, priced()) == (OWN, haiku)
        assert order_by_cost(listed, priced("gone")) == (haiku, OWN)


def test_it_keeps_its_place_beside_one_whose_price_is_unknown(haiku: Summarizer) -> None:
    assert order_by_cost((MINE, OWN, haiku), priced()) == (MINE, OWN, haiku)
    assert order_by_cost((OWN, MINE), priced("gone")) == (OWN, MINE)
    assert order_by_cost((MINE, haiku), priced()) == (MINE, haiku)


def test_of_a_result_only_what_a_summarizer_is_shown_costs(haiku: Summarizer) -> None:
    task = priced()
    returned = Message("tool", (), (Part("tool_result", (), "x" * 100_000),))
    thought = Message("assistant", (), (Part("reasoning", (), "x" * 100_000),))
    scene = replace(task.scene, raw=(returned, thought))
    assert estimate_cost(haiku, replace(task, scene=scene)) == task.settings.max_tool_chars + 5_000
