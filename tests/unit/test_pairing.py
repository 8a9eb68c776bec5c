"""Results are matched with calls by id, oldest call first, inside one round."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.pairing import Pairing, match_by_name

STEPS = st.lists(st.tuples(st.sampled_from(["call", "result", "end"]), st.sampled_from("ab")), max_size=12)


def test_a_result_answers_the_oldest_open_call_with_its_id() -> None:
    pairing: Pairing[str, str] = Pairing()
    assert [pairing.add_call("a", "first"), pairing.add_call("a", "second")] == [True, False]
    assert [pairing.add_result("a", result) for result in ("1", "2", "3")] == ["first", "second", None]
    assert pairing.matched == [("first", "1"), ("second", "2")]
    assert (pairing.doubles, pairing.orphans, pairing.open_calls) == (["3"], [], [])


def test_a_unique_key_stands_for_its_last_call() -> None:
    pairing: Pairing[str, str] = Pairing(unique=True)
    pairing.add_call("a", "first")
    assert not pairing.add_call("a", "second")
    assert pairing.add_result("a", "1") == "second"
    pairing.end_round()
    assert pairing.unanswered == []


def test_a_round_knows_nothing_of_the_round_before() -> None:
    pairing: Pairing[str, str] = Pairing()
    pairing.add_call("a", "first")
    pairing.end_round()
    pairing.add_result("a", "1")
    assert (pairing.unanswered, pairing.orphans, pairing.doubles) == (["first"], ["1"], [])


def test_a_result_without_an_id_takes_the_oldest_open_call() -> None:
    pairing: Pairing[str, None] = Pairing()
    pairing.add_call("a", "first")
    pairing.add_call("b", "second")
    assert [pairing.take_any() for _ in range(3)] == ["first", "second", None]


def test_only_accepted_calls_are_taken() -> None:
    pairing: Pairing[str, None] = Pairing()
    pairing.add_call("a", "first")
    pairing.add_call("a", "second")
    assert pairing.take("a", lambda call: call == "second") == "second"
    assert pairing.take("a", lambda call: call == "second") is None
    assert pairing.open_calls == ["first"]


@given(steps=STEPS)
def test_every_call_and_result_is_accounted_for_once(steps: list[tuple[str, str]]) -> None:
    pairing: Pairing[int, int] = Pairing()
    calls, results = [], []
    for number, (kind, key) in enumerate(steps):
        if kind == "call":
            calls.append(number)
            pairing.add_call(key, number)
        elif kind == "result":
            results.append(number)
            pairing.add_result(key, number)
        else:
            pairing.end_round()
    assert sorted([*(call for call, _ in pairing.matched), *pairing.unanswered, *pairing.open_calls]) == calls
    assert sorted([*(result for _, result in pairing.matched), *pairing.orphans, *pairing.doubles]) == results
    assert all(steps[call][1] == steps[result][1] and call < result for call, result in pairing.matched)
    assert not any("end" in [kind for kind, _ in steps[call:result]] for call, result in pairing.matched)


def test_names_match_where_an_id_is_missing_but_never_against_an_id() -> None:
    calls = [("1", "read"), ("", "read"), ("2", "write")]
    assert match_by_name(calls, [("", "read"), ("9", "read"), ("2", "other"), ("", "write")]) == [0, 1, 2, None]
    assert match_by_name(calls, [("1", ""), ("9", "write")]) == [0, None]
