"""A run as a timeline: every request is in one entry, large edits alone, small ones with their wait."""

import pytest
from msgspec.structs import replace

from secateur.pricing import make_unit_price
from secateur.pricing.rules import CacheRules
from secateur.simulate.bill import BillRow, sum_bill
from secateur.simulate.cache import Caching
from secateur.simulate.decision_log import DecisionEvent, DecisionLog
from secateur.simulate.run import Run
from secateur.simulate.timeline import build_timeline

WAITS = "it would cost {} and the policy waits"
RULES = CacheRules(name="any", models=(), positions="steps", source="made up", date="2026")


def run(*whys: str, edits: tuple[int, ...] = ()) -> Run:
    rows = tuple(BillRow(n, 0, 0, 0, 9, 1, 9.0, opened=n in edits, why=why) for n, why in enumerate(whys))
    price = make_unit_price(1.25, 0.1)
    return Run("mine", price, Caching(rules=RULES), (), rows, sum_bill(rows, price))


def edit(number: int, saved: float, *, on_arrival: bool = False) -> DecisionEvent:
    return DecisionEvent(
        number=number,
        at_ms=0,
        reason="it pays",
        on_arrival=on_arrival,
        cold=False,
        freed=100,
        lost=0,
        cost=1.0,
        saved=saved,
        requests=1,
    )


def test_every_request_is_in_one_entry_and_a_reason_is_given_once() -> None:
    gates = [WAITS.format(n) for n in (10, 20)]
    told = build_timeline(run("short", *gates, "it pays", gates[1], edits=(3,)), account(edit(3, 50.0)))
    assert [(one.first, one.last, one.reason, one.same) for one in told] == [
        (0, 2, WAITS.format(20), False),
        (3, 3, "it pays", False),
        (4, 4, WAITS.format(20), True),
    ]
    assert (told[1].event, told[1].freed, told[1].saved) == (edit(3, 50.0), 100, 50.0)


def test_light_edits_and_excerpts_on_arrival_belong_to_the_wait() -> None:
    found = account(edit(1, 2.0), edit(2, 3.0), edit(3, 90.0), edit(4, 8.0, on_arrival=True))
    told = build_timeline(run("w", "e", "e", "e", "b", "w", edits=(1, 2, 3, 4)), found, most=1)
    assert [(one.first, one.last, one.small, one.arrivals) for one in told] == [
        (0, 2, 2, 0),
        (3, 3, 0, 0),
        (4, 5, 0, 1),
    ]
    assert [one.saved for one in told] == [5.0, 90.0, 8.0]
    assert sum(one.cost for one in told) == pytest.approx(4.0)


def test_where_nothing_was_asked_there_is_no_story() -> None:
    assert build_timeline(run(), account()) == []
    assert [(one.first, one.last, one.reason) for one in build_timeline(run("", ""), account())] == [(0, 1, "")]


def test_requests_keep_their_numbers_where_earlier_ones_are_counted_elsewhere() -> None:
    whole = run("w", "w", "w")
    later = replace(whole, rows=whole.rows[1:])
    assert [(one.first, one.last) for one in build_timeline(later, account())] == [(1, 2)]


def account(*events: DecisionEvent) -> DecisionLog:
    return DecisionLog(events, (), 0.0)
