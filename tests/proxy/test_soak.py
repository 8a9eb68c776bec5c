"""Twenty simulated minutes of `benchmarks/soak.py`: two proxies, one PostgreSQL store, interleaved sessions."""

import sys
from pathlib import Path

import pytest

import postgres_server
from agent_requests import POLICY

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_twenty_simulated_minutes_break_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from soak import SoakPlan, soak

    policy = tmp_path / "cold.toml"
    policy.write_text(POLICY.replace("every_request", "cold_cache"))  # prunes after a pause, and only then
    # A store that is given up on a busy machine is tested elsewhere; a bill without it is another bill.
    report = soak(postgres_server.make_url(), SoakPlan(hours=1 / 3, policy=str(policy), wait_s=30))
    assert (report.invalid, report.moved, report.crossings, report.away) == (0, 0, 0, 0)
    assert report.requests > 200
    assert report.epochs > 20
    assert report.edited > 20
    assert report.restarts >= 4
    assert report.billed > 20
    assert abs(report.bill - report.predicted) <= 0.03 * report.predicted
    assert report.predicted != report.unpruned


def test_what_is_wrong_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import random

    from soak import SoakReport, judge, start_talk

    report, talk, drawn = SoakReport(), start_talk("s1", "t1"), random.Random(1)
    judge(report, talk, talk.work(drawn), "unchanged", 0)
    body = talk.work(drawn)
    judge(report, talk, body, "unchanged", 0)
    assert report.wrong == 0
    judge(report, talk, body.replace(b"line 0", b"line x"), "unchanged", 0)
    assert report.moved == 1
    judge(report, talk, body, "edited", 1)
    assert (report.moved, report.epochs) == (1, 1)
    judge(report, talk, body.replace(b"mark-t1-s1-", b"mark-t2-s2-"), "edited", 2)
    assert report.crossings == 1
    judge(report, talk, body.replace(b'"tool_use_id": "t1"', b'"tool_use_id": "t9"'), "edited", 3)
    assert (report.invalid, report.wrong) == (1, 3)
