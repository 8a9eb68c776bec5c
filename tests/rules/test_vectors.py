"""Each rule has a body that breaks it and nothing else, and a like one that breaks nothing."""

from collections import Counter
from importlib import import_module
from typing import Any

import pytest

from rules.case import ARRAYS, Case, judged
from secateur.api import FAMILIES, list_rules

CASES = {family: import_module(f"rules.{family}").CASES for family in FAMILIES}
EACH = [pytest.param(family, case, id=f"{family}-{case.rule}") for family in FAMILIES for case in CASES[family]]


@pytest.mark.parametrize(("family", "case"), EACH)
def test_the_breaking_vector_breaks_this_rule_only(family: str, case: Case) -> None:
    found = judged(family, case.breaks, case.profile, case.headers)
    assert {one.rule for one in found} == {case.rule}
    assert not case.at or [one.where for one in found] == [case.at]


@pytest.mark.parametrize(("family", "case"), EACH)
def test_the_passing_vector_breaks_none(family: str, case: Case) -> None:
    headers = case.headers if case.good_headers is None else case.good_headers
    assert judged(family, case.passes, case.profile, headers) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_every_rule_has_vectors_for_each_thing_it_looks_at(family: str) -> None:
    functions = Counter(one.id for one in list_rules(family))
    given = Counter(case.rule for case in CASES[family])
    assert {id: count for id, count in functions.items() if given[id] < count} == {}
    assert set(given) <= set(functions)


@pytest.mark.parametrize(("family", "case"), EACH)
def test_the_sentence_names_the_remedy(family: str, case: Case) -> None:
    for one in judged(family, case.breaks, case.profile, case.headers):
        what, _, remedy = one.text.partition(": ")
        assert what
        assert remedy
        assert "\n" not in one.text


def test_the_vectors_are_many_enough_to_mean_something() -> None:
    assert sum(map(len, CASES.values())) > 50


@pytest.mark.parametrize(("family", "case"), [one for one in EACH if one.values[0] != "transcript"])
def test_a_path_leads_to_something(family: str, case: Case) -> None:
    body = case.breaks if isinstance(case.breaks, dict) else {ARRAYS.get(family, "messages"): case.breaks}
    for one in judged(family, case.breaks, case.profile, case.headers):
        inner: Any = body
        for step in one.path[:-1]:
            inner = inner[step]
        assert isinstance(inner, dict | list)
