"""The requests of a session, read off its history: numbers of messages behind a compaction, answers, pauses, losses."""

import pytest
from msgspec.structs import replace

from conversation import assistant, talk, user
from secateur.budget import Budget
from secateur.cachecost.history import History, build_history, find_answers, find_lost, find_pauses
from secateur.lineage import assign_keys
from secateur.model import NewMessage, Replace, Transcript
from secateur.plan import Plan
from secateur.pricing.tariffs import CachePricing
from secateur.proposal import RawHistory, ViewTotals
from secateur.protect import Protection

TARIFF = CachePricing(cache_read=0.1, cache_write=1.25, output=5.0, ttl_s=300.0)


def session(*seconds: int) -> Transcript:
    """A user's line and an answer, again and again; each user's line at so many seconds."""
    said = [
        one for n, at in enumerate(seconds) for one in (replace(user(f"go {n}"), recorded_ms=at * 1_000), assistant())
    ]
    read = talk(*said)
    return replace(read, messages=assign_keys(read.messages))


def read(
    transcript: Transcript,
    *,
    totals: ViewTotals | None = None,
    ranges: tuple[tuple[int, int, Replace], ...] = (),
    cold_keys: tuple[str, ...] = (),
) -> History:
    budget = Budget(window=0, tokens_used=0, count=len, protect=Protection(), pricing=TARIFF, cold_keys=cold_keys)
    raw = RawHistory(transcript=transcript, totals=totals or ViewTotals(), ranges=ranges, holding=lambda keys: ())
    return build_history(raw, budget=budget, plan=Plan(), count=len, fixed_tokens=0)


def test_messages_of_a_view_are_found_in_the_history_and_back() -> None:
    """Messages 2 to 5 are replaced by two, and message 7 by one."""
    two, one = (NewMessage("user", "a"), NewMessage("assistant", "b")), (NewMessage("user", "c"),)
    ranges = ((2, 6, Replace("after", "through", two)), (7, 8, Replace("after", "through", one)))
    history = read(session(*range(1, 6)), ranges=ranges)
    assert [history.from_view(number) for number in range(8)] == [0, 1, 2, 2, 6, 7, 8, 9]
    assert [history.to_view(number) for number in range(10)] == [0, 1, 2, 2, 2, 2, 4, 5, 6, 7]


def test_answers_are_found_once_as_a_session_grows() -> None:
    whole, totals = session(1, 2, 3), ViewTotals()
    for size in (2, 4, 6):
        part = replace(whole, messages=whole.messages[:size])
        assert find_answers(read(part, totals=totals)) == [*range(1, size, 2)]


@pytest.mark.parametrize(("seconds", "pauses"), [((1, 2, 301), []), ((1, 2, 302), [5]), ((1, 301, 601), [3, 5])])
def test_a_pause_is_as_long_as_the_cache_lives(seconds: tuple[int, ...], pauses: list[int]) -> None:
    whole = session(*seconds)
    asked = replace(whole, messages=whole.messages[:5])  # the newest request is not answered yet
    assert find_pauses(read(asked)) == pauses
    assert find_pauses(read(whole)) == pauses


def test_what_a_session_knows_of_lost_caches_is_about_its_own_requests() -> None:
    whole = session(1, 2, 3)
    keys = (whole.messages[2].key, "another session's", whole.messages[5].key)
    history = read(whole, cold_keys=keys)
    assert find_lost(history) == (3,)  # the last request is the one that is made now
    assert find_pauses(history) == [3]
