"""The oracle is the optimum: found again by trying everything, and never beaten by its lower bound."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.simulate.compare import compare_to_bound
from secateur.simulate.oracle import compute_ratio, find_optimum, generate_sessions, schedule_balance, schedule_events
from secateur.simulate.session_arrays import (
    SessionArrays,
    compute_cost,
    compute_costs,
    lower_bound,
    make_session_arrays,
)

PRICES = [(0.1, 1.25), (0.05, 1.25), (0.025, 1.25), (0.5, 1.0), (1.0, 1.0)]


def plain(session: SessionArrays, at: list[int]) -> float:
    """The bill of a schedule, block by block as a cache would see it."""
    total, sent = 0.0, []
    for request in range(session.requests):
        blocks: list[tuple[int, float]] = []  # a mark of its content, its tokens
        place = 0.0
        for item, before in enumerate(session.before):
            if session.first[item] > request:
                break
            blocks.append((0, before - place))
            place = before + session.gains[item]  # what stays of an item counts with what follows
            blocks.append((1 + (at[item] <= request), session.gains[item] * (at[item] > request)))
        blocks.append((0, session.prompts[request] - place))
        total += bill(session, request, sent, blocks)
        sent = blocks
    return total


def bill(session: SessionArrays, request: int, sent: list[tuple[int, float]], blocks: list[tuple[int, float]]) -> float:
    """One request: equal leading blocks are read, and so is the beginning of a last block that grew."""
    read = 0.0
    for number, (old, new) in enumerate(zip(sent, blocks, strict=False)):
        if old != new:
            last = number == len(sent) - 1 and old[0] == new[0]
            read += old[1] if last else 0.0
            break
        read += new[1]
    read = 0.0 if session.cold[request] else read
    whole = sum(tokens for _, tokens in blocks)
    return session.r * read + session.w * (whole - read)


@st.composite
def lots(draw: st.DrawFn) -> SessionArrays:
    size = draw(st.integers(1, 7))
    tokens, prompts, items = 10.0, [], []
    for request in range(size):
        tokens += draw(st.integers(1, 50))
        for _ in range(draw(st.integers(0, 2))):
            own = draw(st.integers(1, 400))
            items.append((tokens, float(own), request, draw(st.integers(request + 1, size + 1))))
            tokens += own + 5
        prompts.append(tokens)
    r, w = draw(st.sampled_from(PRICES))
    return make_session_arrays(prompts, draw(st.lists(st.booleans(), min_size=size, max_size=size)), items, r=r, w=w)


@settings(max_examples=150)
@given(lots())
def test_nothing_in_its_form_is_cheaper(session: SessionArrays) -> None:
    requests = range(session.requests)
    every = chain.from_iterable(combinations(requests, count) for count in range(session.requests + 1))
    cheapest = min(compute_cost(session, schedule_events(session, events)) for events in every)
    best = find_optimum(session)
    assert best.cost == pytest.approx(cheapest)
    assert compute_cost(session, best.at) == pytest.approx(best.cost)
    assert lower_bound(session) <= best.cost + 1e-6 <= compute_cost(session, session.kept) + 2e-6


@settings(max_examples=100)
@given(lots(), st.data())
def test_a_schedule_costs_what_a_cache_would_charge(session: SessionArrays, data: st.DataObject) -> None:
    size = session.requests
    at = [data.draw(st.integers(int(eligible), size)) for eligible in session.eligible]
    assert compute_cost(session, np.array(at, dtype=np.int64)) == pytest.approx(plain(session, at))


@settings(max_examples=100)
@given(lots(), st.sampled_from([0.25, 0.5, 1.0]))
def test_the_balance_rule_prunes_only_what_may_go(session: SessionArrays, beta: float) -> None:
    at = schedule_balance(session, beta)
    assert (at >= session.eligible).all()
    assert compute_cost(session, at) >= lower_bound(session) - 1e-6


def test_one_prune_pays_after_the_break_even() -> None:
    """1,000 tokens that may be removed, 500 behind them: at these prices it pays from the sixth request on."""
    for size in range(2, 12):
        prompts = [1_100.0] + [1_600.0] * (size - 1)
        session = make_session_arrays(prompts, [False] * size, [(100.0, 1_000.0, 0, 2)], r=0.1, w=1.25)
        best = find_optimum(session)
        requests_left = size - 2  # the one that prunes counts
        pays = requests_left > 11.5 * 500 / 1_000
        assert best.events == ((2,) if pays else ())


def test_a_cold_request_prunes_for_nothing() -> None:
    prompts, cold = [1_600.0, 1_600.0, 1_700.0, 1_800.0], [True, False, False, True]
    session = make_session_arrays(prompts, cold, [(100.0, 1_000.0, 0, 1)], r=0.1, w=1.25)
    best = find_optimum(session)
    assert best.events == (3,)
    assert list(schedule_balance(session)) == [3]
    assert compute_costs(session, best.at)[3] == pytest.approx(1.25 * 800)


def test_what_is_outside_belongs_to_the_bill_and_not_to_what_can_be_controlled() -> None:
    session = next(generate_sessions(1, 0.1, 1.25))
    assert compute_ratio(session, session.kept).total > 1
    with_output = SessionArrays(*[getattr(session, name) for name in session.__struct_fields__[:-1]], 1e9)
    assert compute_ratio(with_output, session.kept).total == pytest.approx(1, abs=0.02)
    assert compute_ratio(with_output, session.kept).regret_ratio == pytest.approx(
        compute_ratio(session, session.kept).regret_ratio, rel=1e-3
    )


def test_an_item_may_not_go_before_the_model_has_seen_it() -> None:
    with pytest.raises(ValueError, match="after its first request"):
        make_session_arrays([100.0, 200.0, 300.0], [True, False, False], [(50.0, 20.0, 1, 1)], r=0.1, w=1.25)


def test_a_session_without_requests_costs_nothing() -> None:
    assert find_optimum(make_session_arrays([], [], [], r=0.1, w=1.25)).cost == 0


@pytest.mark.parametrize(("r", "w"), PRICES[:4])
def test_the_balance_rule_stays_close_on_made_up_sessions(r: float, w: float) -> None:
    made = list(generate_sessions(30, r, w))
    totals = [compute_ratio(one, schedule_balance(one, 0.5)).total for one in made]
    assert max(totals) <= 1.45
    assert sum(totals) / len(totals) <= 1.12


def test_made_up_sessions_are_the_same_every_time() -> None:
    first, again = next(generate_sessions(1, 0.1, 1.25, seed=7)), next(generate_sessions(1, 0.1, 1.25, seed=7))
    assert (first.prompts == again.prompts).all()
    assert (first.eligible == again.eligible).all()


def test_what_can_be_controlled_is_what_lies_above_the_bound() -> None:
    assert compare_to_bound(130.0, best=110.0, least=100.0) == 3.0
    assert compare_to_bound(130.0, best=100.0, least=100.0) is None
    assert compare_to_bound(130.0, best=None, least=100.0) is None
