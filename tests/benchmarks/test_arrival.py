"""The table of commands and results: it is whole, the same in every run, and the policy is held to it."""

from functools import cache

from arrival import Case, read_cases
from arrival.blocks import Fields
from arrival.judge import MOST, build_request, count_held, describe, judge


@cache
def cases() -> tuple[Case, ...]:
    return read_cases()


def test_there_are_cases_of_both_verdicts_and_each_has_a_name_of_its_own() -> None:
    assert len(cases()) >= 120
    assert {case.verdict for case in cases()} == {"whole", "shrink"}
    assert len({case.name for case in cases()}) == len(cases())


def test_what_must_stay_stands_in_the_output_and_bulk_is_filled_in() -> None:
    for case in cases():
        assert case.missing(case.output) == ()
        assert (case.verdict == "shrink") == bool(case.keeps)
        assert "<<" not in case.output
        assert len(case.output) > 5_000


def test_the_same_table_in_every_run() -> None:
    assert read_cases() == cases()
    assert read_cases("json_arrays") == tuple(case for case in cases() if case.topic == "json_arrays")


def test_braces_that_are_no_field_stay() -> None:
    from random import Random

    assert Fields(Random(1)).fill("{ proxy } {unknown}") == "{ proxy } {unknown}"


def test_a_request_ends_with_the_result() -> None:
    body = build_request(cases()[0])
    assert body["messages"][-1]["content"][0]["content"] == cases()[0].output


def test_the_default_policy_holds_what_must_stay_and_shrinks_most_of_the_rest() -> None:
    judged = tuple(judge(cases(), "balance"))
    assert [describe(one) for one in judged if one.case.verdict == "whole" and not one.holds] == []
    assert [one.case.name for one in judged if one.missing and one.case.topic != "logs"] == []
    held, of = count_held(judged)["shrink"]
    assert held >= MOST * of
