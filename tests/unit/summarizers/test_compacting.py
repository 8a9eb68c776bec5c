"""Compactions with summarizers: each in turn, within a deadline, by the next rung if none will do."""

import asyncio
import json
import threading
import time

import pytest

from compactions import done, refused, scene
from conversation import assistant, result, talk, user
from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.settings import Compaction, Continuation
from secateur.summarizers import Extractive, Failed, Function, parse
from secateur.summarizers.driver import Stop, drive
from secateur.summarizers.run import CompactionTask, acompact_history, compact_history
from upstream import Says, drops, hangs, says, spoken, streams, upstream

HEADINGS = ("Goal", "Instructions", "Constraints", "Discoveries", "Accomplished", "Relevant files", "Open questions")
GOOD = "\n".join(f"## {one}\n(none)" for one in HEADINGS).replace("(none)", "- The login is mended.", 1)
GOOD += "\n## Next steps\n- Write the docs."


def task(rounds: int) -> CompactionTask:
    work = (
        message
        for n in range(rounds)
        for message in (
            assistant((f"c{n}", "bash", json.dumps({"command": f"pytest tests/test_{n}.py"}))),
            result(f"1 passed in {n} s\n" * 30, call=f"c{n}"),
        )
    )
    conversation = talk(
        user("Fix the login. Never push to main."), *work, assistant(text="It is fixed."), user("Next: docs.")
    )
    return CompactionTask(scene(conversation), Compaction(keep_turns=1, keep_tokens=0), Continuation())


TASK = task(12)
CANCELS = CompactionTask(TASK.scene, Compaction(keep_turns=1, keep_tokens=0, on_bad_summary="cancel"), Continuation())


def good(name: str = "good") -> Function:
    return Function(name, lambda ask: GOOD)


def bad(name: str = "bad") -> Function:
    return Function(name, lambda ask: "I'm sorry, I cannot help with that.")


def broken(name: str = "broken") -> Function:
    def call(ask: Ask) -> str:
        raise Failed("auth", "401: no such key")

    return Function(name, call)


def silent(name: str = "silent") -> Function:
    def call(ask: Ask) -> str:
        threading.Event().wait(5)
        return GOOD

    return Function(name, call)


def test_the_first_summary_that_stands_is_taken() -> None:
    made = compact_history(TASK, [good("first"), good("second")])
    outcome = done(made.outcome)
    assert (outcome.rung, outcome.by, outcome.attempts, outcome.asks) == ("model", "first", (), 1)
    assert [answer.by for answer in made.answers] == ["first"]
    assert "The login is mended." in outcome.summary


def test_each_that_is_listed_is_asked_in_turn_and_named() -> None:
    made = compact_history(TASK, [broken(), bad(), good()])
    outcome = done(made.outcome)
    assert (outcome.rung, outcome.by) == ("model", "good")
    assert [(one.by, one.reason) for one in outcome.attempts] == [
        ("broken", "auth"),
        ("bad", "refusal"),
        ("bad", "refusal"),
    ]
    assert [answer.failure for answer in made.answers] == ["auth", None, None, None]
    assert outcome.asks == 4


def test_no_model_will_do_and_the_last_rung_needs_none() -> None:
    outcome = done(compact_history(TASK, [broken(), bad()]).outcome)
    assert outcome.rung == "extract"
    assert [one.reason for one in outcome.attempts] == ["auth", "refusal", "refusal"]
    assert outcome.summary == done(compact_history(TASK, [Extractive()]).outcome).summary


def test_behind_extractive_nobody_is_asked() -> None:
    made = compact_history(TASK, [broken(), Extractive(), good()])
    assert done(made.outcome).rung == "extract"
    assert [answer.by for answer in made.answers] == ["broken"]
    assert compact_history(TASK, [Extractive(), good()]).answers == ()
    assert compact_history(TASK, []).outcome == compact_history(TASK, [Extractive()]).outcome


def test_a_first_failure_cancels_where_the_policy_says_so() -> None:
    made = compact_history(CANCELS, [broken(), good()])
    assert (refused(made.outcome).reason, [one.by for one in made.outcome.attempts]) == ("cancelled", ["broken"])


def test_no_compaction_asks_nobody() -> None:
    off = CompactionTask(TASK.scene, Compaction(enabled=False), Continuation())
    assert compact_history(off, [good(), good()]).answers == ()


def test_one_that_never_answers_leaves_time_for_the_next() -> None:
    outcome = done(compact_history(TASK, [silent(), good()], deadline_s=0.6).outcome)
    assert (outcome.rung, outcome.by) == ("model", "good")
    assert [(one.by, one.reason) for one in outcome.attempts] == [("silent", "timeout")]


def test_nobody_answers_and_the_deadline_holds() -> None:
    start = time.monotonic()
    outcome = done(compact_history(TASK, [silent("a"), silent("b")], deadline_s=0.4).outcome)
    assert outcome.rung == "extract"
    assert [(one.by, one.reason) for one in outcome.attempts] == [("a", "timeout"), ("b", "timeout")]
    assert time.monotonic() - start < 4  # both would wait for 5 s


def test_a_question_that_does_not_fit_is_not_put() -> None:
    small = Function("small", lambda ask: GOOD, window_tokens=1_000)
    made = compact_history(TASK, [small, good()])
    assert (done(made.outcome).by, done(made.outcome).attempts[0].reason) == ("good", "window")

    def steps():  # type: ignore[no-untyped-def]
        return (yield (Ask(system="", text="", most_tokens=600, tokens=500),))

    assert drive(steps(), small, 1)[0][0].failure == "window"


def test_a_long_history_goes_in_parts_that_fit_each_window() -> None:
    seen: list[Ask] = []

    def call(ask: Ask) -> str:
        seen.append(ask)
        return "- tests pass" if ask.stage == "part" else GOOD

    outcome = done(compact_history(TASK, [Function("parts", call, window_tokens=3_000)]).outcome)
    assert (outcome.rung, seen[-1].stage, outcome.asks) == ("model", "merge", len(seen))
    assert all(ask.tokens + ask.most_tokens <= 3_000 for ask in seen)
    assert len(seen) > 2


def test_parts_are_asked_side_by_side_as_many_as_the_summarizer_takes() -> None:
    meets, running, most = threading.Barrier(3, timeout=20), threading.Semaphore(3), []
    lock = threading.Lock()

    def call(ask: Ask) -> str:
        if ask.stage == "merge":
            return GOOD
        with lock:
            most.append(running.acquire(blocking=False))
        if ask.part <= 3:
            meets.wait()  # for two others: one after another they would never meet
        running.release()
        return "- tests pass"

    made = compact_history(task(60), [Function("parts", call, window_tokens=2_400, max_parallel=3)])
    assert (done(made.outcome).rung, len(most) > 3, all(most)) == ("model", True, True)


def test_one_at_a_time_where_nothing_is_said_and_none_after_a_failure() -> None:
    seen: list[int] = []

    def call(ask: Ask) -> str:
        seen.append(ask.part)
        raise Failed("auth", "401: no such key")

    made = compact_history(task(60), [Function("parts", call, window_tokens=2_400)])
    assert seen == [1]
    assert [one.reason for one in done(made.outcome).attempts] == ["auth"]
    assert [(one.failure, one.tries) for one in made.answers[:2]] == [("auth", 1), ("auth", 0)]


def test_what_a_function_raises_is_an_attempt() -> None:
    def call(ask: Ask) -> str:
        raise ValueError("boom")

    outcome = done(compact_history(TASK, [Function("mine", call)]).outcome)
    assert [(one.reason, one.text) for one in outcome.attempts] == [("crashed", "ValueError: boom")]


def test_called_off_nothing_is_left() -> None:
    stop = Stop()
    threading.Timer(0.1, stop.cancel).start()
    made = compact_history(TASK, [silent()], deadline_s=20, stop=stop)
    assert (refused(made.outcome).reason, made.answers) == ("cancelled", ())
    assert refused(compact_history(TASK, [good()], stop=stop).outcome).reason == "cancelled"


def test_beside_a_running_loop() -> None:
    async def several() -> None:
        made = await acompact_history(TASK, [broken(), good()])
        assert done(made.outcome).by == "good"
        waiting = asyncio.create_task(acompact_history(TASK, [silent()], 20))
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    start = time.monotonic()
    asyncio.run(several())
    assert time.monotonic() - start < 4


BODY = json.dumps({"error": {"message": "slow down", "type": "rate_limit_error"}})


@pytest.mark.parametrize(
    ("script", "reason", "rung"),
    [
        (streams(spoken("openai-chat", GOOD)), None, "model"),
        (hangs, "timeout", "extract"),
        (drops(spoken("openai-chat", GOOD * 9)), "dropped", "extract"),
        (says(429, BODY), "rate_limited", "extract"),
        (says(401, BODY), "auth", "extract"),
        (says(200, "<html>Sign in</html>", "text/html"), "malformed", "extract"),
        (streams(b"data: {nothing\n\n"), "malformed", "extract"),
        (streams(spoken("openai-chat", "")), "empty", "extract"),
        (streams(spoken("openai-chat", "<html><body>x</body></html>")), "html", "extract"),
        (streams(spoken("openai-chat", '{"goal": "x"}')), "json", "extract"),
        (streams(spoken("openai-chat", "", call=True)), "tool_call", "extract"),
        (streams(spoken("openai-chat", GOOD, "length")), "truncated", "extract"),
        (streams(spoken("openai-chat", "", "content_filter")), "unfinished", "extract"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_what_a_server_may_do(script: Says, reason: str | None, rung: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secateur.summarizers.errors.FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("secateur.summarizers.errors.LONGEST_WAIT_S", 0.002)
    seconds = 1.0 if script is hangs else 20.0
    with upstream(script) as server:
        made = compact_history(TASK, parse(f"{server.url}/v1?window=32000#m", local_only=True), deadline_s=seconds)
    outcome = done(made.outcome)
    assert outcome.rung == rung
    assert {one.reason for one in outcome.attempts} == ({reason} if reason else set())
    assert "Never push to main." in outcome.summary
    assert not [one for one in threading.enumerate() if one.name == "secateur-summaries"]


def test_an_answer_says_what_it_cost() -> None:
    with upstream(streams(spoken("openai-chat", GOOD))) as server:
        (answer,) = compact_history(TASK, parse(f"{server.url}/v1?window=32000#m")).answers
    assert (answer.spent.input, answer.spent.read, answer.spent.output) == (95, 10, 7)
    assert isinstance(answer, SummaryAnswer)
