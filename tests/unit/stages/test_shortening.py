"""Digests by price: when older work becomes one, when it never does, and what stays so."""

import json
from pathlib import Path
from typing import Any

import pytest

from long_sessions import Native, body, called, said, worked
from secateur import Engine, fit
from secateur.compaction.outcome import Compacted
from secateur.hooks import AfterCompact, BeforeCompact, CompactDecision
from secateur.stores import open_store
from secateur.stores.protocol import SessionId

DIGEST: dict[str, Any] = {"when": "price", "last_results": 4, "keep_tokens": 4_000, "max_overspend": None}
ONLY = {"extends": "balance", "name": "digests", "on_arrival": None, "prune": [], "compaction": {"digest": DIGEST}}
MODEL = "claude-sonnet-4-5"  # a read costs a tenth, a write 1.25
CHEAP_READS = "claude-sonnet-5-5"  # a read costs a twentieth, a write 1.25
MINUTE_MS = 60_000


def session(rounds: int, *behind: Native) -> list[Native]:
    return [said("user", "Fix the login. Never push."), *worked(rounds, size=400), *behind]


def played(engine: Engine, rounds: int, model: str = MODEL) -> list[Any]:
    """One request for each round, a minute apart, as an agent sends them."""
    whole = session(rounds)
    ends = range(2, len(whole) + 1, 2)
    return [
        engine.fit(body(whole[: end - 1], model=model), session="s", now_ms=n * MINUTE_MS, idle_s=60 if n else None)
        for n, end in enumerate(ends)
    ]


def only(**digest: Any) -> Native:
    return ONLY | {"compaction": {"digest": DIGEST | digest}}


def digests(view: Any) -> list[str]:
    found = (str(one["content"]) for one in json.loads(view.request)["messages"] if one["role"] == "user")
    return [text for text in found if text.startswith("[secateur: the work done here")]


@pytest.fixture(scope="module")
def forty() -> list[Any]:
    """The views of one session that digests by price, played once for several tests."""
    return played(Engine(ONLY, window=200_000), 40)


def test_it_is_made_when_the_rent_has_reached_its_share_of_what_it_costs(forty: list[Any]) -> None:
    views = forty[:30]
    first = next(n for n, view in enumerate(views) if digests(view))
    assert 8 < first < 20
    told = views[first].receipt
    assert told.opened
    assert told.compaction is not None
    assert (told.compaction.method, told.compaction.model_calls) == ("digest", 0)
    assert told.reason.startswith("compaction (digest): ")
    assert "were paid for reading them" in told.reason
    assert told.tokens_view < told.tokens_raw / 2
    later = next(
        n for n, view in enumerate(played(Engine(only(break_even_share=2.0), window=200_000), 30)) if digests(view)
    )
    assert later > first


def test_what_was_read_often_enough_goes_equally_late_at_every_price() -> None:
    """`break_even_share` waits longer where reading costs less, `min_reads` does not."""
    firsts = {
        (setting, model): next(
            n
            for n, view in enumerate(played(Engine(only(**{setting: least}), window=200_000), 40, model))
            if digests(view)
        )
        for setting, least in (("break_even_share", 2.0), ("min_reads", 23.0))
        for model in (MODEL, CHEAP_READS)
    }
    assert firsts["break_even_share", CHEAP_READS] > firsts["break_even_share", MODEL] == firsts["min_reads", MODEL]
    assert firsts["min_reads", CHEAP_READS] == firsts["min_reads", MODEL]


def test_a_view_grows_only_at_its_end_between_digests(forty: list[Any]) -> None:
    views = forty
    opened = [view.receipt.opened for view in views]
    assert opened.count(True) >= 2
    for before, after, now in zip(views, views[1:], opened[1:], strict=False):
        one, other = (json.loads(view.request)["messages"] for view in (before, after))
        if now:
            assert digests(after)[: len(digests(before))] == digests(before)  # an earlier digest stays unchanged
        else:
            assert other[: len(one)] == one
    assert json.loads(views[-1].request)["messages"][0]["content"] == "Fix the login. Never push."


def test_a_short_session_never_gets_there() -> None:
    assert not any(view.receipt.opened for view in played(Engine(ONLY, window=200_000), 6))


def test_the_bound_on_regret_makes_it_wait(forty: list[Any]) -> None:
    assert any(map(digests, forty[:30]))  # nothing bounds it there
    assert not any(map(digests, played(Engine(only(max_overspend=0.0), window=200_000), 30)))


def test_in_the_cold_it_is_made_at_once() -> None:
    whole = body(session(12, said("assistant", "Done."), said("user", "And now?")), model=MODEL)
    engine = Engine(only(max_overspend=0.0), window=200_000)
    warm = Engine(only(max_overspend=0.0), window=200_000).fit(whole, now_ms=1, idle_s=60)
    cold = engine.fit(whole, now_ms=1, idle_s=400)
    assert (len(digests(warm)), len(digests(cold))) == (0, 1)
    assert "the last call was" in cold.receipt.reason


def test_a_view_over_its_threshold_is_made_shorter_before_a_summary_is_asked_for() -> None:
    asked: list[Any] = []
    view = Engine(ONLY, window=16_000, summarizer=lambda ask: asked.append(ask) or "").fit(
        body(session(24), model=MODEL), now_ms=1, idle_s=60
    )
    assert len(digests(view)) == 1
    assert "the view is over its threshold" in view.receipt.reason
    assert asked == []
    assert view.receipt.tokens_view < 14_000


@pytest.mark.parametrize(("kept", "count"), [(0.7, 1), (0.8, 0)])  # what is older frees 975 or 313 tokens of 6,000
def test_of_a_view_over_its_threshold_a_tenth_of_the_window_is_enough_to_free(kept: float, count: int) -> None:
    policy = only(when="window", last_results=2, keep_tokens=kept, low_water_share=1.0, min_tokens_freed=2_000)
    whole = [said("user", "Fix the login. Never push."), *worked(15, size=100)]
    view = Engine(policy, window=6_000).fit(body(whole, model=MODEL), now_ms=1, idle_s=60)
    assert len(digests(view)) == count
    assert isinstance(view.compaction, Compacted)
    if count:
        assert 600 <= view.compaction.tokens_before - view.compaction.tokens_after < 2_000


@pytest.mark.parametrize(("kept", "is_nearly_full"), [(0.7, False), (0.74, True)])
def test_digests_that_leave_a_view_nearly_full_are_not_followed_by_a_summary(kept: float, is_nearly_full: bool) -> None:
    asked: list[Any] = []
    policy = only(when="window", last_results=2, keep_tokens=kept, keep_max_tokens=0, low_water_share=1.0)
    engine = Engine(policy, window=18_000, summarizer=lambda ask: asked.append(ask) or "")
    view = engine.fit(body(session(15), model=MODEL), now_ms=1, idle_s=60)
    assert (len(digests(view)), asked) == (1, [])
    assert (view.receipt.tokens_view > 0.9 * 0.875 * 18_000) == is_nearly_full


def test_a_read_result_that_no_tail_can_hold_becomes_a_line_and_the_answer_to_it_stays() -> None:
    big = "\n".join(f"def route_{number}(limit):\n    return limit\n" for number in range(3_000))  # over the window
    answer = "The limit is 100 requests a minute."
    messages = [
        said("user", "Find the limit."),
        *called(1, "cat api.md", "short"),
        *called(2, "cat routes.md", big),
        said("assistant", answer),
        said("user", "Use it in the client."),
    ]
    view = fit(body(messages, model=MODEL), policy="balance", window=16_000, now_ms=1)
    shown = json.loads(view.request)["messages"]
    assert [one["content"] for one in (shown[0], *shown[-2:])] == ["Find the limit.", answer, "Use it in the client."]
    assert "cat routes.md" in digests(view)[0]


def test_a_result_that_was_not_read_yet_is_in_no_digest() -> None:
    big = "\n".join(f"route {number} has a limit" for number in range(700))
    messages = [said("user", "Find the limit."), *worked(8, size=400), *called(9, "cat routes.md", big)]
    view = fit(body(messages, model=MODEL), policy="balance", window=16_000, now_ms=1)
    shown = json.loads(view.request)["messages"]
    assert shown[-1]["content"] == big
    assert shown[-2]["tool_calls"][0]["id"] == shown[-1]["tool_call_id"] == "c9"


@pytest.mark.parametrize(
    ("idle_s", "share", "count"),
    [(400, 0.5, 1), (400, 0.9, 0), (400, 1.0, 0), (60, 0.5, 0)],  # the view takes about two thirds of the threshold
)
def test_what_will_be_due_soon_is_made_where_the_cache_is_cold(idle_s: int, share: float, count: int) -> None:
    engine = Engine(only(when="window", cold_share=share), window=54_000)
    view = engine.fit(body(session(24), model=MODEL), now_ms=1, idle_s=idle_s)
    assert len(digests(view)) == count
    assert ("freed: the last call was" in view.receipt.reason) == bool(count)


def test_what_was_pruned_in_the_same_pause_does_not_put_digests_off() -> None:
    """Else a view would be pruned to just below their threshold in every pause, and written anew each time."""
    pruned, digested = (
        Engine(only(when="window", cold_share=share) | {"prune": [{"type": "condense"}]}, window=70_000).fit(
            body(session(24), model=MODEL), now_ms=1, idle_s=400
        )
        for share in (1.0, 0.5)
    )
    assert pruned.receipt.tokens_view < 0.5 * (70_000 - 12_000) < pruned.receipt.tokens_raw
    assert digests(digested)


def test_what_was_pruned_in_an_earlier_pause_does_not_put_digests_off_either() -> None:
    policy = only(when="window", cold_share=0.5) | {"prune": [{"type": "condense"}]}
    engine, fresh = (Engine(policy, window=75_000) for _ in range(2))
    first, second = (
        engine.fit(body(session(rounds), model=MODEL), session="s", now_ms=rounds * 10 * MINUTE_MS, idle_s=400)
        for rounds in (24, 27)
    )
    assert "tokens freed" in first.receipt.reason
    assert not digests(first)
    pruned = fresh.fit(body(session(24), model=MODEL), now_ms=1, idle_s=400).receipt
    assert pruned.tokens_view + 3 * 1_300 < 0.5 * (75_000 - 11_250) < second.receipt.tokens_raw  # three rounds more
    assert digests(second)


@pytest.mark.parametrize(("window", "count"), [(36_000, 1), (38_000, 0)])
def test_pruning_that_leaves_a_view_nearly_full_does_not_put_digests_off(window: int, count: int) -> None:
    waited = called(99, "make deps", "\n".join(["waiting for the lock on the build folder"] * 400))
    pruned, digested = (
        (
            engine.fit(body(session(24), model=MODEL), session="s", now_ms=1, idle_s=60),
            engine.fit(body(session(24, *waited), model=MODEL), session="s", now_ms=2, idle_s=1),
        )
        for engine in (
            Engine(ONLY | {"on_arrival": {"type": "reduce_output"}, "compaction": more}, window=window)
            for more in ({"enabled": False}, {"digest": DIGEST | {"when": "window"}})
        )
    )
    left, threshold = pruned[1].receipt.tokens_view, 0.875 * window
    assert left < threshold < pruned[1].receipt.tokens_raw
    assert (left > 0.9 * threshold) == bool(count)
    assert [len(digests(view)) for view in digested] == [0, count]


@pytest.mark.parametrize(("least", "count"), [(22_000, 1), (30_000, 0)])
def test_what_was_pruned_of_older_work_counts_towards_what_digests_must_free(least: int, count: int) -> None:
    policy = only(when="window", cold_share=0.3, min_tokens_freed=least) | {"prune": [{"type": "condense"}]}
    view = Engine(policy, window=75_000).fit(body(session(24), model=MODEL), now_ms=1, idle_s=400)
    assert len(digests(view)) == count
    if count:
        assert view.compaction.tokens_before - view.compaction.tokens_after < least


@pytest.mark.parametrize(
    ("rounds", "window", "summarized"),
    [(22, 32_000, True), (22, 34_000, False), (24, 35_500, False)],  # not due before pruning; enough room after it
)
def test_a_pause_that_pruning_leaves_nearly_full_is_used_for_the_summary(
    rounds: int, window: int, summarized: bool
) -> None:
    policy = only(when="never") | {"prune": [{"type": "condense"}]}
    asked: list[Any] = []
    engine = Engine(policy, window=window, summarizer=lambda ask: asked.append(ask) or "")
    view = engine.fit(body(session(rounds), model=MODEL), now_ms=1, idle_s=400)
    assert isinstance(view.compaction, Compacted) == bool(asked) == summarized
    assert view.receipt.tokens_view < view.receipt.tokens_raw - 2_000


@pytest.mark.parametrize("window", [16_000, 20_000])
def test_what_stays_may_be_a_share_of_the_window(window: int) -> None:
    views = [
        Engine(only(when="window", cold_share=0.1, keep_tokens=kept), window=window).fit(
            body(session(24), model=MODEL), now_ms=1, idle_s=400
        )
        for kept in (0.2, window // 5, 0.4)
    ]
    most, no_more = (
        Engine(only(when="window", cold_share=0.1, keep_tokens=0.4, keep_max_tokens=least), window=window).fit(
            body(session(24), model=MODEL), now_ms=1, idle_s=400
        )
        for least in (window // 5, window)
    )
    assert (most.request, no_more.request) == (views[0].request, views[2].request)
    assert all(map(digests, views))
    assert views[0].request == views[1].request
    assert views[0].receipt.tokens_view < views[2].receipt.tokens_view


@pytest.mark.parametrize(
    "settings", [{"forced_last_results": 2}, {"forced_last_results": 2, "forced_keep_tokens": 0.3}]
)
def test_over_the_threshold_as_much_stays_as_is_stated_for_it(settings: dict[str, Any]) -> None:
    whole = body(session(24), model=MODEL)
    made = [
        [Engine(only(**(digest | more)), window=window).fit(whole, now_ms=1, idle_s=idle_s) for more in ({}, settings)]
        for window, idle_s, digest in ((16_000, 60, {"last_results": 8}), (200_000, 400, {}))
    ]
    forced, cold = ([view.receipt.tokens_view for view in views] for views in made)
    assert all(digests(view) for views in made for view in views)
    assert forced[1] < forced[0]  # the window asks for it
    assert cold[1] == cold[0]  # the price does: the digest is the same
    stated = {"last_results": 2, "keep_tokens": settings.get("forced_keep_tokens", DIGEST.get("keep_tokens", 4_000))}
    assert made[0][1].request == Engine(only(**stated), window=16_000).fit(whole, now_ms=1, idle_s=60).request


@pytest.mark.parametrize("off", ["engine", "policy", "hook"])
def test_off_is_off(off: str) -> None:
    policy = only(break_even_share=0.001) | (
        {"compaction": {"digest": DIGEST, "enabled": False}} if off == "policy" else {}
    )
    veto = (lambda before: CompactDecision(cancel=True)) if off == "hook" else None
    views = played(Engine(policy, window=200_000, compact=off != "engine", before_compact=veto), 30)
    assert not any(view.receipt.opened for view in views)


def test_hooks_are_told() -> None:
    told: list[BeforeCompact | AfterCompact] = []
    hear: Any = told.append
    played(Engine(ONLY, window=200_000, before_compact=hear, after_compact=hear), 16)
    before, after = told[:2]
    assert isinstance(before, BeforeCompact)
    assert (before.reason, before.event) == ("price", "before_compact")
    assert isinstance(after, AfterCompact)
    assert (after.method, after.continuation) == ("digest", "none")


def test_a_session_file_is_not_shortened_so() -> None:
    log = (Path(__file__).parents[3] / "sessions" / "pi.jsonl").read_bytes()
    view = fit(log, policy=only(break_even_share=0.001), now_ms=10**13)
    assert view.request == log


def test_what_went_is_kept_and_what_was_undone_is_not_made_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    engine = Engine(ONLY, window=200_000, store=url, recall_handles="on")
    views = played(engine, 16)
    first = next(view for view in views if digests(view))
    (handle,) = first.receipt.compaction.handles
    assert f"recall {handle} shows it in full" in digests(first)[0]
    kept = [one for one in open_store(url).list_blobs(SessionId("s")) if one.id.startswith(handle)]
    assert [one.kind for one in kept] == ["text"]
    engine.undo("s", now_ms=10**9)
    whole = body(session(17), model=MODEL)
    again = engine.fit(whole, session="s", now_ms=10**9 + 1, idle_s=60)
    assert again.request == whole
    assert isinstance(first.compaction, Compacted)
