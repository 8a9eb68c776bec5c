"""Vectors: a request and a policy give this plan and these very bytes, today and in the next release."""

import json

import pytest

from secateur import fit
from secateur.formats import FORMATS
from secateur.formats.detection import recognize
from secateur.jsontext import Lines, Text
from secateur.plan import decode, encode
from vector_cases import Case, cases, titled

AT = 1_700_000_000_000  # ms


@pytest.mark.parametrize("case", cases(), ids=titled)
def test_plan_and_projected_bytes(case: Case) -> None:
    view = fit(case.request, policy=case.policy, now_ms=AT)
    assert view.request == case.projected
    assert encode(view.plan) + b"\n" == case.plan
    assert fit(case.request, policy="observe", plan=decode(case.plan)).request == case.projected


@pytest.mark.parametrize("case", [case for case in cases() if not FORMATS[case.format].log], ids=titled)
def test_objects_come_to_the_same(case: Case) -> None:
    view = fit(json.loads(case.request), policy=case.policy, now_ms=AT)
    assert view.request == json.loads(case.projected)
    assert encode(view.plan) + b"\n" == case.plan


@pytest.mark.parametrize("case", cases(), ids=titled)
def test_recognized(case: Case) -> None:
    log = FORMATS[case.format].log
    for native in [Lines.of(case.request)] if log else [Text.of(case.request), json.loads(case.request)]:
        found = recognize(native, log)
        assert found is not None
        assert found[0].name == case.format


def test_every_format_has_vectors() -> None:
    assert {case.format for case in cases()} == set(FORMATS)
    assert {"clear", "media", "parallel", "unknown", "odd"} <= {
        case.name for case in cases() if case.format == "gemini"
    }
