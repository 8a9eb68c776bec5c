"""The bill of a session so far, digests included, on literals."""

import json
from typing import Any

import pytest

from secateur.cachecost.ledger import SAFE
from secateur.fitting.toll import Toll, toll
from secateur.model import Epoch, NewMessage, Replace, Rewrite
from secateur.protect import Protection
from secateur.session import Projection
from secateur.session.counting import Counting
from secateur.session.document import read
from secateur.tariff import CachePricing

TARIFF = CachePricing(cache_read=0.1, cache_write=1.25, output=5.0, ttl_s=300, minimum_tokens=1)
FIXED = 50
SIZES = (100, 20, 400, 30, 60, 40, 80)  # tokens: user, answer, result, answer, user, answer, user
ROLES = ("user", "assistant", "tool", "assistant", "user", "assistant", "user")


def session(*epochs: tuple[int, Any]) -> Projection:
    """Four requests, ended by the answers and the newest message; epochs by the message that was newest then."""
    said: list[dict[str, Any]] = []
    for number, (role, size) in enumerate(zip(ROLES, SIZES, strict=True)):
        said.append({"role": role, "content": f"{number}".ljust(size, "x")})
    said[1]["tool_calls"] = [{"id": "c", "type": "function", "function": {"name": "r", "arguments": ""}}]
    said[2]["tool_call_id"] = "c"
    work = Projection(Protection(), Counting.of(("estimate", "estimate")))
    work.count = work.gauge = len
    request = json.dumps({"model": "gpt-5", "messages": said}).encode()
    work.ingest(read(request), 0, None)
    messages = work.document.transcript.messages
    for newest, edit in epochs:
        work.apply_epoch(Epoch(0, messages[newest].key, "", (edit(messages),)))
    return work


def digest(left: int) -> Any:
    """Messages 1 and 2 become so many tokens."""
    return lambda messages: Replace(messages[0].key, messages[2].key, (NewMessage("user", "-" * left),), "digest")


def bill(*requests: tuple[int, int]) -> float:
    """What requests of so many tokens cost of which so many are read from the cache."""
    return sum(TARIFF.cache_read * read + TARIFF.cache_write * (size - read) for size, read in requests)


WHOLE = ((150, 0), (570, 150), (660, 570), (780, 660))  # the history as it came, system prompt and tools included


def test_a_history_without_edits_costs_what_it_costs() -> None:
    found = toll(session(), TARIFF, FIXED)
    assert found.unpruned == pytest.approx(bill(*WHOLE) + 5.0 * (20 + 30 + 40))
    assert found.above == 0


def test_a_digest_is_paid_for_once_and_saves_from_then_on() -> None:
    """It was made for the third request: that one reads what stands before it, and writes the rest anew."""
    found = toll(session((4, digest(20))), TARIFF, FIXED)
    assert found.unpruned == pytest.approx(bill(*WHOLE) + 5.0 * 90)
    assert found.above == pytest.approx(bill((260, 150), (380, 260)) - bill(*WHOLE[2:]))


def test_made_for_the_newest_request_it_has_not_saved_yet() -> None:
    found = toll(session((6, digest(20))), TARIFF, FIXED)
    assert found.above == pytest.approx(bill((380, 150)) - bill(WHOLE[3]))


def test_an_excerpt_at_birth_breaks_nothing() -> None:
    """Of the result that the second request brought 100 tokens were left before it was ever cached."""
    found = toll(session((2, lambda messages: Rewrite(messages[2].parts[0].key, "y" * 100, "excerpt"))), TARIFF, FIXED)
    assert found.above == pytest.approx(bill((270, 150), (360, 270), (480, 360)) - bill(*WHOLE[1:]))


def test_what_is_below_the_minimum_is_not_read() -> None:
    found = toll(session(), CachePricing(cache_read=0.1, cache_write=1.25, output=0, minimum_tokens=600), 0)
    assert found.unpruned == pytest.approx(bill((100, 0), (520, 0), (610, 0), (730, 610)))


def test_where_the_cache_is_read_in_steps_something_is_kept_in_reserve() -> None:
    assert toll(
        session(), CachePricing(cache_read=0.1, cache_write=1.0, step_tokens=129), FIXED
    ).reserve == pytest.approx(5 * 128 * 0.9)
    assert toll(session(), TARIFF, FIXED).reserve == 0


def test_the_bound_holds_at_equality() -> None:
    limit = SAFE * 0.1 * 1_000
    assert Toll(1_000, limit - 30, reserve=10).bears(20, 0.1)
    assert not Toll(1_000, limit - 30, reserve=10).bears(20.001, 0.1)
    assert not Toll(1_000, limit, reserve=0).bears(0.001, 0.1)
