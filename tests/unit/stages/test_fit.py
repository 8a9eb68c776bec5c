"""A view that is too long after pruning, from the request to the receipt."""

import json
import threading
import time
from pathlib import Path

import pytest

import secateur
from long_sessions import SUMS, body, called, long, said, summary, texts, worked, writer
from secateur import Engine
from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.outcome import Compacted
from secateur.errors import StillTooLong
from secateur.hooks import AfterCompact, BeforeCompact, CommandHook, CompactDecision
from secateur.model import Replace, Rewrite
from secateur.stores import open_store
from secateur.stores.protocol import SessionId

WINDOW = 16_000
LONG = body(long())
PLAIN = {
    "extends": "balance",
    "name": "balance",
    "on_arrival": None,
    "schedule": {"type": "never"},
    "compaction": {"digest": {"when": "never"}},
}  # it prunes nothing, and shortens no older work


def test_what_fits_is_left_alone() -> None:
    view = Engine(PLAIN, window=200_000).fit(LONG, now_ms=0)
    assert view.request is LONG
    assert view.receipt.compaction is not None
    assert (view.receipt.compaction.done, view.receipt.compaction.reason) == (False, "under")


def test_what_is_too_long_becomes_a_summary_and_fits() -> None:
    view = Engine(PLAIN, window=WINDOW).fit(LONG, now_ms=0)
    told = view.receipt.compaction
    assert told is not None
    assert (told.done, told.method, told.continuation) == (True, "extract", "mid_task")
    assert [one.reason for one in told.attempts] == ["no_summarizer"]
    assert view.receipt.tokens_view < WINDOW < view.receipt.tokens_raw
    assert view.receipt.opened
    assert texts(view.request)[:2] == ["Fix the login. Never push to main.", "(noted)"]  # roles take turns, as they did
    assert "pytest tests/test_c25.py" in texts(view.request)[2]


def test_a_summary_by_a_model_and_what_it_cost() -> None:
    write, asked = writer(SummaryAnswer(summary(), by="m"))
    told = Engine(PLAIN, window=WINDOW, summarizer=write).fit(LONG, now_ms=0).receipt.compaction
    assert told is not None
    assert (told.method, told.summarizer, told.model_calls) == ("model", "m", len(asked))


def test_the_order_is_prune_cut_summarize_continue() -> None:  # SV-S.1
    older = [said("user", "Fix it."), *worked(12, "a", 4000), said("user", "Test it.")]
    messages = [*older, *worked(2, "d"), said("user", "Go on."), *worked(12, "b", 300)]
    write, asked = writer(summary(name="opencode"))
    view = Engine("opencode", window=60_000, summarizer=write).compact(body(messages), now_ms=5)
    first, second = view.plan.epochs
    assert {type(edit) for edit in first.edits} == {Rewrite}
    assert "<tool-output-compacted />" in asked[0].text  # the summarizer reads the pruned head
    assert "1 passed" not in asked[0].text.split("Test it.")[0]
    assert list(dict.fromkeys(edit.strategy for edit in second.edits)) == ["compact", "continue"]
    made = [new for edit in second.edits if isinstance(edit, Replace) for new in edit.messages]
    assert [new.meta["rung"] for new in made if new.origin == "summary"] == ["model"]
    assert json.loads(view.request)["messages"][0]["role"] == "system"
    assert texts(view.request)[-1] == "continue"


def test_pruning_that_suffices_asks_nobody() -> None:  # SV-1.3
    write, asked = writer(summary())
    turns = [one for tag in "abcdefghijklmn" for one in (said("user", f"Do {tag}."), *worked(4, tag, 900))]
    view = Engine("hermes", window=128_000, summarizer=write).fit(body(turns), now_ms=0)
    assert asked == []
    assert view.receipt.edits != ()
    assert view.receipt.compaction is not None
    assert view.receipt.compaction.reason == "under"


@pytest.mark.parametrize("path", ["threshold", "overflow", "resume", "switch", "manual"])
def test_off_is_off(path: str) -> None:
    policy = {**PLAIN, "compaction": {"enabled": False}}
    write, asked = writer(summary())
    engine = Engine(policy, "claude-sonnet-4-5", window=WINDOW, summarizer=write)
    if path == "resume":
        engine.fit(body(long(rounds=2)), session="s", now_ms=0)
        engine.clear_cache()
    if path == "switch":
        engine = Engine(policy, "gpt-5", window=WINDOW // 4, summarizer=write)
    act = engine.compact if path in ("manual", "overflow") else engine.fit
    with pytest.raises(StillTooLong, match="the window is") as raised:
        act(LONG, session="s", now_ms=1)
    view = raised.value.view
    assert view.request is LONG
    assert (asked, view.receipt.compaction and view.receipt.compaction.reason) == ([], "off")


def test_an_engine_can_be_told_never_to() -> None:
    view = Engine(PLAIN, window=WINDOW, compact=False, too_long="send").compact(LONG, now_ms=0)
    assert any("the window is" in warning for warning in view.receipt.warnings)
    assert view.receipt.compaction is not None
    assert view.receipt.compaction.reason == "off"


def test_a_policy_that_does_not_compact_says_so_to_who_asks() -> None:
    view = Engine("openclaw").compact(LONG, now_ms=0)
    assert not isinstance(view.compaction, Compacted)
    assert view.compaction is not None
    assert view.compaction.reason == "no_policy"


@pytest.mark.parametrize("host", ["run_active", "messages_queued"])
def test_a_busy_host_is_not_compacted(host: str) -> None:  # SV-2.4
    view = Engine(PLAIN, window=WINDOW * 10).compact(LONG, now_ms=0, **{host: True})  # type: ignore[arg-type]
    assert view.request is LONG
    assert view.compaction is not None
    assert view.compaction.reason == "busy"  # type: ignore[union-attr]


def test_what_cannot_fit_is_said_with_what_is_largest() -> None:
    giant = body([said("user", "look " * 30_000)])
    with pytest.raises(StillTooLong) as raised:
        Engine(PLAIN, window=WINDOW).fit(giant, now_ms=0)
    assert raised.value.largest[0].kind == "text"
    assert raised.value.view.request is giant
    assert "the largest that remain are text" in str(raised.value)


def test_a_hook_may_veto_focus_or_bring_the_summary() -> None:
    seen: list[BeforeCompact] = []
    told: list[AfterCompact] = []

    def before(event: BeforeCompact) -> CompactDecision:
        seen.append(event)
        return CompactDecision(cancel=True, reason="not now")

    view = Engine(PLAIN, window=30_000, before_compact=before).compact(LONG, now_ms=0)
    assert view.compaction is not None
    assert (view.compaction.reason, view.compaction.text) == ("vetoed", "not now")  # type: ignore[union-attr]
    write, asked = writer(summary())
    focused = Engine(
        PLAIN, window=WINDOW, summarizer=write, before_compact=lambda _: CompactDecision(focus="the tests")
    )
    focused.fit(LONG, now_ms=0)
    assert "Pay most attention to this: the tests" in asked[0].text
    own = Engine(
        PLAIN,
        window=WINDOW,
        before_compact=lambda _: CompactDecision(summary="## Goal\n- mine"),
        after_compact=told.append,
    )
    assert "- mine" in texts(own.fit(LONG, now_ms=0).request)[2]
    assert (seen[0].reason, told[0].method, "- mine" in told[0].summary) == ("forced", "supplied", True)


def test_a_shell_hook_reads_and_writes_json() -> None:
    code = "import json,sys; e=json.load(sys.stdin); print(json.dumps({'cancel': True, 'reason': e['event']}))"
    view = Engine(PLAIN, window=WINDOW * 2, before_compact=CommandHook(f'python -c "{code}"')).compact(LONG, now_ms=0)
    assert view.compaction is not None
    assert view.compaction.text == "before_compact"  # type: ignore[union-attr]


def test_a_hook_that_fails_stops_nothing() -> None:
    view = Engine(PLAIN, window=WINDOW, before_compact=CommandHook("false")).fit(LONG, now_ms=0)
    assert isinstance(view.compaction, Compacted)
    assert "the hook before_compact failed" in view.receipt.warnings[0]


def test_a_summarizer_that_never_answers_costs_the_deadline_at_most() -> None:
    never = threading.Event()

    def hang(ask: Ask) -> str:
        never.wait(20)
        return ""

    begun = time.monotonic()
    engine = Engine(PLAIN, window=WINDOW, summarizer=hang, deadline_s=0.4)
    view = engine.fit(LONG, session="s", now_ms=0)
    never.set()
    assert time.monotonic() - begun < 10
    told = view.receipt.compaction
    assert told is not None
    assert (told.method, [one.reason for one in told.attempts]) == ("extract", ["timeout"])
    assert engine.fit(LONG, session="s", now_ms=1).request == view.request  # no lock survives


def test_views_stay_in_later_requests_and_other_processes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    write, asked = writer(summary())
    first = Engine(PLAIN, window=WINDOW, store=url, summarizer=write).fit(LONG, session="s", now_ms=1)
    more = body(long(said("assistant", "Done."), said("user", "Thanks.")))
    again = Engine(PLAIN, window=WINDOW, store=url, summarizer=write).fit(more, session="s", now_ms=2)
    assert {ask.stage for ask in asked} <= {"part", "merge"}
    assert sum(ask.stage == "merge" for ask in asked) == 1
    assert texts(again.request)[: len(texts(first.request))] == texts(first.request)
    assert texts(again.request)[-2:] == ["Done.", "Thanks."]


def test_what_gave_way_is_kept_and_an_undo_brings_it_back(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    engine = Engine(PLAIN, window=WINDOW, store=url, recall_handles="on")
    view = engine.fit(LONG, session="s", now_ms=1)
    assert view.receipt.compaction is not None
    (handle,) = view.receipt.compaction.handles
    assert f"recall {handle} shows" in texts(view.request)[2]
    held = list(open_store(url).list_blobs(SessionId("s")))
    assert [one.kind for one in held if one.id.startswith(handle)] == ["text"]
    assert [one.kind for one in held].count("summary") == 1
    engine.undo("s", now_ms=2)
    wide = Engine(PLAIN, window=200_000, store=url)
    assert wide.fit(LONG, session="s", now_ms=3).request == LONG


def test_every_edit_of_a_compaction_is_in_the_receipt() -> None:
    view = Engine(PLAIN, window=WINDOW).fit(LONG, now_ms=0)
    told = [entry for entry in view.receipt.edits if entry.verb == "replace"]
    ranges = [edit for edit in view.plan.epochs[-1].edits if isinstance(edit, Replace)]
    assert [entry.strategy for entry in told] == [edit.strategy for edit in ranges] == ["compact", "continue"]
    assert told[0].tokens_before > told[0].tokens_after > 0


def test_a_request_that_is_called_off_leaves_no_trace() -> None:
    import asyncio

    go = threading.Event()

    def hang(ask: Ask) -> str:
        go.wait(20)
        return summary()

    engine = Engine(PLAIN, window=WINDOW, summarizer=hang, store="memory://")

    async def run() -> None:
        task = asyncio.create_task(engine.afit(LONG, session="s", now_ms=1))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    go.set()
    view = engine.fit(body(long(rounds=2)), session="s", now_ms=2)
    assert (view.plan.epochs, view.receipt.sequence) == ((), 0)


def test_beside_the_requests_nobody_waits_and_what_came_stays_behind() -> None:
    go = threading.Event()

    def slow(ask: Ask) -> str:
        go.wait(20)
        return summary()

    engine = Engine(PLAIN, window=30_000, summarizer=slow, background=True)
    reasons = [
        told.reason
        for rounds in (10, 42, 44)
        if (told := engine.fit(body(long(rounds=rounds)), session="s", now_ms=1).receipt.compaction)
    ]
    assert reasons == ["under", "beside", "beside"]
    go.set()
    assert engine.background is not None
    engine.background.wait("s", 10)
    view = engine.fit(
        body(long(said("assistant", "So."), said("user", "Meanwhile."), rounds=44)), session="s", now_ms=2
    )
    told = view.receipt.compaction
    assert told is not None
    assert (told.method, told.continuation) == ("model", "unanswered")
    assert texts(view.request)[-2:] == ["So.", "Meanwhile."]


def test_beside_the_requests_a_full_window_is_not_waited_for() -> None:
    go = threading.Event()

    def slow(ask: Ask) -> str:
        go.wait(20)
        return summary()

    engine = Engine(PLAIN, window=WINDOW, summarizer=slow, background=True)
    told = engine.fit(LONG, session="s", now_ms=1).receipt.compaction
    go.set()
    assert told is not None
    assert told.method == "extract"


def test_beside_the_requests_a_second_summary_counts_what_is_new_since_the_first() -> None:
    """Results that say nothing among it, which no reader has counted."""
    engine = Engine(PLAIN, window=30_000, summarizer=lambda ask: summary(), background=True)
    assert engine.background is not None
    methods: list[str] = []
    steps = [called(n, f"make part{n}", "" if n % 2 else "1 passed\n" * 400, tag="more") for n in range(120)]
    for count in range(30, 120, 4):
        came = [message for step in steps[:count] for message in step]
        view = engine.fit(body(long(*came, rounds=12)), session="s", now_ms=count)
        engine.background.wait("s", 10)
        report = view.receipt.compaction
        methods += [report.method] if report is not None and report.done else []
    assert methods.count("model") >= 2


def test_pure_fit_compacts_without_a_model() -> None:
    view = secateur.fit(LONG, policy=SUMS, window=WINDOW, now_ms=0)
    again = secateur.fit(LONG, policy=SUMS, window=WINDOW, now_ms=9, plan=view.plan)
    assert view.request == again.request
    assert len(again.plan.epochs) == len(view.plan.epochs)


def test_results_that_came_meanwhile_stand_behind_the_summary() -> None:
    write, _ = writer(summary())
    engine = Engine(PLAIN, window=WINDOW, summarizer=write)
    engine.fit(LONG, session="s", now_ms=0)
    more = body(long(*called(99, "make snapshot", "snapshot 7 was made", tag="z")))
    assert texts(engine.fit(more, session="s", now_ms=1).request)[-1] == "snapshot 7 was made"


def test_a_session_that_moved_on_meanwhile_is_not_summed_up_twice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    other = Engine("observe", store=url)
    asked: list[int] = []

    def write(ask: Ask) -> str:
        if not asked:
            other.fit(body(long(rounds=2)), session="s", now_ms=1)  # another process saves the session first
        asked.append(1)
        return summary()

    engine = Engine(SUMS, window=30_000, store=url, summarizer=write)
    view = engine.compact(LONG, session="s", now_ms=2)
    assert (len(asked), view.receipt.sequence) == (1, 1)
    assert isinstance(view.compaction, Compacted)
    assert Engine(SUMS, window=30_000, store=url).fit(LONG, session="s", now_ms=3).request == view.request
