"""Savings are added up from receipts: costs where they are paid, savings with each later request."""

import pytest

from secateur.answers.savings import Savings, add_savings
from secateur.receipt import EditCost, Outcome, Receipt

COST = EditCost(
    model="m", immediate=100.0, saved_per_request=40.0, break_even_requests=2.5, dollars_now=0.10, dollars_saved=0.04
)


def receipt(raw: int, view: int, cost: EditCost | None = None, status: Outcome = "unchanged") -> Receipt:
    is_open = cost is not None
    return Receipt("p", "m", 0, "", "", raw, view, 1, is_open, (), 0, "", cost=cost, status=status)


def test_nothing_was_saved_where_nothing_was_edited() -> None:
    assert add_savings([]) == Savings()
    assert add_savings([receipt(10, 10), receipt(20, 20)]) == Savings(2, 0, 30, 30, 0.0)


def test_an_epoch_is_a_loss_until_later_requests_have_paid_for_it() -> None:
    requests = [receipt(10, 10), receipt(20, 5, COST), receipt(30, 15)]
    found = add_savings(requests)
    assert (found.requests, found.epochs, found.tokens_raw, found.tokens_sent) == (3, 1, 60, 30)
    assert found.dollars == pytest.approx(-0.06)
    assert add_savings([*requests, receipt(40, 25), receipt(50, 35)]).dollars == pytest.approx(0.02)


def test_epochs_save_together() -> None:
    found = add_savings([receipt(20, 5, COST), receipt(30, 5, COST), receipt(40, 5)])
    assert found.dollars == pytest.approx(-0.10 + 0.04 - 0.10 + 0.08)


@pytest.mark.parametrize("status", ["failed", "undone", "pinned", "filed", "recalled"])
def test_what_was_not_sent_is_not_counted(status: Outcome) -> None:
    assert add_savings([receipt(20, 5, COST, status)]) == Savings()
