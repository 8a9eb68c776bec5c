"""The made-up dense sessions: sizes, shares and facts are those that the file fixes, and the same each time."""

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from dense_sessions import FACTS, LEAST, MOST, RESULTS, SHARES, build_session

from secateur.toolcalls.actions import pair_calls

sys.path.remove(str(Path(__file__).parents[2] / "benchmarks"))  # its files have names that folders of tests have, too

SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_session_has_the_size_and_the_facts_that_the_file_says(seed: int) -> None:
    recording, facts = build_session(seed)
    [segment] = recording.segments
    assert 20 <= len(recording.requests) <= 30
    assert 100_000 <= LEAST <= max(recording.prompt_tokens) <= 1.1 * MOST
    assert Counter(fact.kind for fact in facts) == FACTS
    assert len(FACTS) == 10
    assert len(facts) >= 30
    results = {call.call_id: result for call, result in pair_calls(segment.messages)}
    for fact in facts:
        result = results[fact.call]
        assert result is not None
        assert result.text.count(fact.word) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_each_kind_has_its_share_of_the_tokens(seed: int) -> None:
    [segment] = build_session(seed)[0].segments
    sizes: Counter[str] = Counter()
    kinds = {part.key: message.parts[0].text.split()[3] for message in segment.messages for part in message.parts[1:]}
    for call, result in pair_calls(segment.messages):
        assert result is not None
        sizes[kinds[call.key]] += result.tokens
    assert sum(RESULTS.values()) == 26
    whole = sum(sizes.values())
    assert sizes.keys() == SHARES.keys()
    assert all(abs(sizes[kind] / whole - share) < 0.02 for kind, share in SHARES.items())


def test_three_facts_at_least_are_inside_source_diffs_and_documents_each() -> None:
    inside = {
        "source": FACTS["constant"] + FACTS["function"],
        "diffs": FACTS["changed"],
        "documents": FACTS["sentence"],
    }
    assert min(inside.values()) >= 3
    assert sum(SHARES.values()) == pytest.approx(1)


def test_the_same_seed_gives_the_same_session() -> None:
    one, other = build_session(1), build_session(1)
    assert one[0].segments == other[0].segments
    assert one[1] == other[1]
    assert build_session(2)[0].segments != one[0].segments
