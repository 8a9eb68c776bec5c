"""A real model on this machine: the protocols, the deadline and a compaction, from the client to the tokens.

The small model makes no sense, which is what the gate is for: its summary passes or is rejected with a reason.
"""

import json
from collections.abc import Iterator

import pytest

from compactions import scene
from conversation import assistant, result, talk, user
from local_models import WINDOW, served, small
from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Compaction, Continuation
from secateur.summarizers import Summarizer, parse
from secateur.summarizers.driver import drive
from secateur.summarizers.run import CompactionTask, compact_history

SHORT = Ask(system="You are brief.", text="Name three colors.", most_tokens=12, tokens=20)
LONG = Ask(system="You count.", text="Count: " + "one two three " * 120, most_tokens=4_000, tokens=1_000)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    model = small()
    if model is None:
        pytest.skip("no model on this machine: make localmodel")
    with served(model) as address:
        yield address


@pytest.fixture
def writers(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Summarizer]:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    names = ("anthropic:m", "openai:m", "openai-chat:m", f"{url}/v1?window={WINDOW}#m")
    return {one.name.partition(":")[0]: one for one in parse(*names, local_only=True)}


def asked(by: Summarizer, ask: Ask, seconds: float) -> SummaryAnswer:
    def steps():  # type: ignore[no-untyped-def]
        return (yield (ask,))[0]

    answer = drive(steps(), by, seconds)[0]
    assert isinstance(answer, SummaryAnswer)
    return answer


@pytest.mark.parametrize("api", ["anthropic", "openai", "openai-chat", "http"])
def test_every_api_that_the_server_speaks_is_heard(api: str, writers: dict[str, Summarizer]) -> None:
    answer = asked(writers[api], SHORT, 60)
    assert answer.error == ""
    assert answer.text.strip()
    assert answer.finish
    assert 0 < answer.spent.output <= SHORT.most_tokens
    assert answer.spent.input + answer.spent.read + answer.spent.write > 10


def test_a_deadline_ends_the_work_on_the_server_too(writers: dict[str, Summarizer]) -> None:
    answer = asked(writers["http"], LONG, 0.2)
    assert answer.failure == "timeout"
    assert asked(writers["http"], SHORT, 60).text  # the only slot is free again


def test_a_question_beyond_the_servers_window_says_so(url: str) -> None:
    unaware = parse(f"{url}/v1?window=100000#m", local_only=True)[0]
    ask = Ask(system="", text="word " * (WINDOW + 1_000), most_tokens=24, tokens=WINDOW + 1_000)
    assert asked(unaware, ask, 60).failure == "window"


def test_a_small_window_is_asked_however_large_the_session_s_is(writers: dict[str, Summarizer]) -> None:
    said = [user(f"Say {n}. " + "The importer is slow. " * 40) for n in range(8)]
    conversation = talk(*(one for n in range(8) for one in (said[n], assistant(text=f"It is {n}."))), user("Go on."))
    settings = Compaction(keep_turns=1, keep_tokens=0, on_bad_summary="cancel")
    task = CompactionTask(scene(conversation, window=1_000_000), settings, Continuation())
    (answer, *_) = compact_history(task, [writers["http"]], deadline_s=5).answers
    assert (answer.by, answer.tries) == (writers["http"].name, 1)
    assert answer.failure in (None, "timeout")  # not "window": there is room for question and answer


def test_a_summary_stands_or_says_why_it_does_not(writers: dict[str, Summarizer]) -> None:
    work = (
        message
        for n in range(5)
        for message in (
            assistant((f"c{n}", "bash", json.dumps({"command": f"pytest tests/test_{n}.py"}))),
            result(f"1 passed in {n} s\n" * 12, call=f"c{n}"),
        )
    )
    conversation = talk(user("Fix the login. Never push to main."), *work, assistant(text="Done."), user("Next: docs."))
    settings = Compaction(keep_turns=1, keep_tokens=0, max_summary_tokens=100, on_bad_summary="cancel")  # asked once
    made = compact_history(
        CompactionTask(scene(conversation), settings, Continuation()), [writers["http"]], deadline_s=25
    )
    assert [answer.by for answer in made.answers] == [writers["http"].name]
    if isinstance(made.outcome, Compacted):
        assert made.outcome.rung == "model"
        assert "Never push to main." in made.outcome.summary
    else:
        assert [one.by for one in made.outcome.attempts] == [writers["http"].name]
        assert made.outcome.text == made.outcome.attempts[0].text
