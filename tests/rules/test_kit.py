"""Our own rules pass what others' are asked to pass."""

from typing import Any

import pytest
from msgspec.structs import replace

from rules.case import Case
from rules.test_vectors import CASES
from secateur.api import FAMILIES, list_rules
from secateur.api.rule import Rule
from secateur.testing import RuleKit

NATIVE = [family for family in FAMILIES if family != "transcript"]  # the others read no JSON
LARGE = {"A25", "A26", "A27", "O10", "R14", "G14"}  # vectors of megabytes
EACH = {
    (family, case.rule): case
    for family in NATIVE
    for case in reversed(CASES[family])
    if case.rule not in LARGE and case.good_headers is None
}
MUTATED = [next(key for key in EACH if key[0] == family) for family in NATIVE]
NO_VALUE = "test_no_value_is_an_error_and_none_is_changed"
LAWS = [name for name in vars(RuleKit) if name.startswith("test_") and name != NO_VALUE]


def kit(family: str, tested: Case) -> RuleKit:
    class Kit(RuleKit):
        profile = tested.profile
        headers = tested.headers

        def rule(self) -> Rule:
            return replace(next(one for one in list_rules(family) if one.id == tested.rule), family=family)

        def breaks(self) -> Any:
            return tested.breaks

        def passes(self) -> Any:
            return tested.passes

    return Kit()


@pytest.mark.parametrize(("family", "id"), EACH)
def test_a_rule_keeps_the_laws(family: str, id: str) -> None:
    for law in LAWS:
        getattr(kit(family, EACH[family, id]), law)()


@pytest.mark.parametrize(("family", "id"), MUTATED)
def test_no_value_is_an_error(family: str, id: str) -> None:
    getattr(kit(family, EACH[family, id]), NO_VALUE)()
