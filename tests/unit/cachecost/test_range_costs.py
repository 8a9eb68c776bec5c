"""What a session has cost so far and what digests would cost, on literals."""

import json
from typing import Any

import pytest

from secateur.budget import Budget
from secateur.cachecost.history import build_history
from secateur.cachecost.ledger import SAFETY, CostLedger
from secateur.cachecost.prefixes import CachedPrefixes
from secateur.documents import read
from secateur.model import Epoch, NewMessage, Replace, Rewrite
from secateur.pricing.tariffs import CachePricing
from secateur.projection import Projection
from secateur.projection.message_index import Counting
from secateur.protect import Protection
from secateur.stages.proposing import read_raw_history

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
    work = Projection(Protection(), Counting(("estimate", "estimate"), (len, len), is_fixed=True))
    request = json.dumps({"model": "gpt-5", "messages": said}).encode()
    work.ingest(read(request), 0, None)
    messages = work.document.transcript.messages
    for newest, edit in epochs:
        work.apply_epoch(Epoch(0, messages[newest].key, "", (edit(messages),)))
    return work


def read_ledger(work: Projection, pricing: CachePricing = TARIFF, fixed: int = FIXED) -> CostLedger:
    budget = Budget(
        window=0, tokens_used=0, count=len, protect=Protection(), originals=work.raw, pricing=pricing, idle_s=1.0
    )
    history = build_history(read_raw_history(work), budget=budget, plan=work.branch_plan, count=len, fixed_tokens=fixed)
    return CostLedger(history, CachedPrefixes(history))


def digest(left: int) -> Any:
    """Messages 1 and 2 become so many tokens."""
    return lambda messages: Replace(messages[0].key, messages[2].key, (NewMessage("user", "-" * left),), "digest")


def bill(*requests: tuple[int, int]) -> float:
    """What requests of so many tokens cost of which so many are read from the cache."""
    return sum(TARIFF.cache_read * read + TARIFF.cache_write * (size - read) for size, read in requests)


WHOLE = ((150, 0), (570, 150), (660, 570), (780, 660))  # the history as it came, system prompt and tools included


def test_a_history_without_edits_costs_what_it_costs() -> None:
    found = read_ledger(session())
    assert found.unpruned == pytest.approx(bill(*WHOLE) + 5.0 * (20 + 30 + 40))
    assert found.overspend == 0


def test_a_digest_is_paid_for_once_and_saves_from_then_on() -> None:
    """It was made for the third request: that one reads what stands before it, and writes the rest anew."""
    found = read_ledger(session((4, digest(20))))
    assert found.unpruned == pytest.approx(bill(*WHOLE) + 5.0 * 90)
    assert found.overspend == pytest.approx(bill((260, 150), (380, 260)) - bill(*WHOLE[2:]))


def test_made_for_the_newest_request_it_has_not_saved_yet() -> None:
    found = read_ledger(session((6, digest(20))))
    assert found.overspend == pytest.approx(bill((380, 150)) - bill(WHOLE[3]))


def test_an_excerpt_at_birth_breaks_nothing() -> None:
    """Of the result that the second request brought 100 tokens were left before it was ever cached."""
    found = read_ledger(session((2, lambda messages: Rewrite(messages[2].parts[0].key, "y" * 100, "excerpt"))))
    assert found.overspend == pytest.approx(bill((270, 150), (360, 270), (480, 360)) - bill(*WHOLE[1:]))


def test_what_is_below_the_minimum_is_neither_written_nor_read() -> None:
    pricing = CachePricing(cache_read=0.1, cache_write=1.25, output=0, minimum_tokens=600)
    assert read_ledger(session(), pricing, 0).unpruned == pytest.approx(100 + 520 + bill((610, 0), (730, 610)))


def test_a_newer_range_frees_what_the_older_one_left() -> None:
    """Of 420 tokens 20 were left for the third request; for the last one they and 90 more became 30."""

    def summary(messages: Any) -> Replace:
        return Replace(messages[0].key, messages[4].key, (NewMessage("user", "-" * 30),), "compact")

    found = read_ledger(session((4, digest(20)), (6, summary)))
    assert found.overspend == pytest.approx(bill((260, 150), (300, 150)) - bill(*WHOLE[2:]))


def test_an_edit_behind_a_range_finds_the_mark_behind_the_range() -> None:
    """The fifth message is edited for the last request: that one reads up to the mark behind the digest."""
    edit = lambda messages: Rewrite(messages[4].parts[0].key, "y" * 10, "hard_clear")  # noqa: E731
    found = read_ledger(session((4, digest(20)), (6, edit)))
    assert found.overspend == pytest.approx(bill((260, 150), (330, 170)) - bill(*WHOLE[2:]))


def cut(messages: Any) -> Rewrite:
    return Rewrite(messages[2].parts[0].key, "y" * 100, "excerpt")


@pytest.mark.parametrize("epochs", [((4, digest(20)),), ((2, cut), (4, digest(20)))])
def test_what_ranges_have_saved_pays_for_no_other_edit(epochs: tuple[tuple[int, Any], ...]) -> None:
    """Beside compactions a cut costs what it adds to them; what was edited inside of a range belongs to it."""
    found = read_ledger(session(*epochs))
    more = [found.build_edit(4, 10)]
    extra = found.estimate_overspend(more) - found.overspend
    less, enough = (cost / (SAFETY * found.unpruned) for cost in (max(0.0, found.estimate_overspend(more)), extra))
    assert less < enough
    assert found.can_afford(more, less * 1.0001)
    assert found.can_afford(more, enough * 1.0001, beside_compactions=True)
    assert not found.can_afford(more, enough * 0.9999, beside_compactions=True)


def test_without_ranges_what_edits_have_saved_pays_for_more() -> None:
    found = read_ledger(session((2, cut)))
    more = [found.build_edit(4, 10)]
    enough = found.estimate_overspend(more) / (SAFETY * found.unpruned)
    for beside in (False, True):
        assert found.can_afford(more, enough + 1e-6, beside_compactions=beside)
        assert not found.can_afford(more, enough - 1e-6, beside_compactions=beside)


def test_where_the_cache_is_read_in_steps_something_is_kept_in_reserve() -> None:
    stepped = CachePricing(cache_read=0.1, cache_write=1.0, step_tokens=129)
    assert read_ledger(session(), stepped).reserve == pytest.approx(5 * 128 * 0.9)
    assert read_ledger(session()).reserve == 0


def test_the_bound_holds_at_equality() -> None:
    """A digest at the last request reads 150 of 380 tokens, where 660 of 780 would have been read."""
    work = session()
    ledger = read_ledger(work)
    edits = ledger.build_range_edits([digest(20)(work.document.transcript.messages)])
    cost = bill((380, 150)) - bill(WHOLE[3])
    assert ledger.estimate_overspend(edits) == pytest.approx(cost)
    share = cost / (SAFETY * ledger.unpruned)
    assert ledger.can_afford(edits, share * 1.0001)
    assert not ledger.can_afford(edits, share * 0.9999)
    assert not ledger.is_free(edits)
