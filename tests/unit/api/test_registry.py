"""The table of rules and repairs: what it contains, and what a repair declares."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.case import ARRAYS, Case
from rules.test_vectors import CASES
from secateur import FormatError
from secateur.api import FAMILIES, get_family, list_rules, registry
from secateur.api.editable import Node
from secateur.api.registry import LOGS, REPAIRS, RULES, get_passes
from secateur.api.repair import RepairOptions, repair, repair_characters
from secateur.api.repair_run import RepairRun
from secateur.api.rule import Findings, Rule, select_rules
from secateur.api.transcript.repairs_logs import FILE_RULES
from secateur.api.walker import CheckInput

REQUESTS = {table.api: name for name, table in REPAIRS.items() if table.api != registry.TRANSCRIPT}
SERVED = {
    family: {id for name in REPAIRS if REPAIRS[name].api == family for one in get_passes(name) for id in one.rules}
    | set(repair_characters.rules)
    for family in FAMILIES
}
KNOWN = {one.id for family in FAMILIES for one in list_rules(family)} | set(FILE_RULES)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_rule_is_repaired_or_says_why_not(family: str) -> None:
    assert [one.id for one in list_rules(family) if not one.no_repair and one.id not in SERVED[family]] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rule_that_a_pass_serves_is_repaired_in_at_least_one_thing(family: str) -> None:
    repaired = {one.id for one in list_rules(family) if not one.no_repair}
    assert {one.id for one in list_rules(family) if one.id in SERVED[family]} <= repaired


@pytest.mark.parametrize("name", REPAIRS)
def test_passes_serve_rules_that_exist(name: str) -> None:
    assert get_passes(name)
    assert {id for one in get_passes(name) for id in one.rules} <= KNOWN
    assert len({one.name for one in get_passes(name)}) == len(get_passes(name))


VECTORS = [pytest.param(family, case, id=f"{family}-{case.rule}") for family in REQUESTS for case in CASES[family]]


@pytest.mark.parametrize(("family", "case"), VECTORS)
def test_a_pass_records_only_what_it_declares(family: str, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    declared: list[tuple[str, ...]] = []
    record = RepairRun.record

    def recorded(run: RepairRun, rule: str, node: Node, what: str, inside: Any = ()) -> None:
        assert rule in declared[-1]
        record(run, rule, node, what, inside)

    def observed(name: str) -> Iterator[Any]:
        for one in get_passes(name):
            declared.append(one.rules)
            yield one

    monkeypatch.setattr(RepairRun, "record", recorded)
    monkeypatch.setattr("secateur.api.repair.get_passes", observed)
    try:
        repair(body_of(family, case), REQUESTS[family], RepairOptions(profile=case.profile or ""))
    except FormatError:
        return  # so odd that it is taken for another API's
    assert declared


@pytest.mark.parametrize(("family", "case"), VECTORS)
def test_a_repair_ends_what_its_rule_reports(family: str, case: Case) -> None:
    body, array = body_of(family, case), ARRAYS.get(family, "messages")
    repairable = [one for one in list_rules(family) if not one.no_repair and not one.partly and one.severity == "error"]
    broken = [one for one in repairable if reports(one, family, body, case)]
    if broken:
        done = repair(body, REQUESTS[family], RepairOptions(profile=case.profile or "")).document
        assert isinstance(done[array], list)
        assert [one.says for one in broken if reports(one, family, done, case)] == []


def reports(one: Rule, family: str, body: dict[str, Any], case: Case) -> bool:
    """Whether this rule, and no other of its id, finds something in a body."""
    walker = registry.get_walker(family)
    array = ARRAYS.get(family, "messages")
    history = walker(CheckInput(body[array], body, case.profile, True, case.headers, True))
    findings = Findings(select_rules([one], case.profile, True, True), history)
    history.walk(findings.check_block)
    return bool(findings.finish())


def body_of(family: str, case: Case) -> dict[str, Any]:
    return case.breaks if isinstance(case.breaks, dict) else {ARRAYS.get(family, "messages"): case.breaks}


@pytest.mark.parametrize("name", [name for name in REPAIRS if name != LOGS])
def test_a_format_is_repaired_by_the_rules_of_its_api(name: str) -> None:
    assert REPAIRS[name].api == get_family(name)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_module_is_listed_once(family: str) -> None:
    assert len(set(RULES[family].modules)) == len(RULES[family].modules)
    folder = Path(registry.__file__).parent / family
    listed = {*RULES[family].modules, *(one for table in REPAIRS.values() for one in table.modules)}
    found = {f"{family}.{file.stem}" for file in folder.glob("*.py") if file.stem.startswith(("rules_", "repairs_"))}
    assert found <= listed
