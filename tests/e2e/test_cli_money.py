"""`secateur simulate` and `secateur scan` on the sample sessions, as a person or a script runs them."""

import csv
import json
import os
from pathlib import Path

import pytest

from cli_runs import chat, saved, secateur, worked
from native import user

ROOT = Path(__file__).parents[2]
PI = ROOT / "sessions" / "pi.jsonl"
CORPUS = os.environ.get("SECATEUR_CORPUS", "")
LINE = {
    *("policy", "sessions", "requests", "tokens_sent", "tokens_peak", "dollars", "share", "cache_breaks", "epochs"),
    *("recall_hard", "recall_soft", "complete_requests", "dollars_with_refetch", "share_refetched", "optimal_dollars"),
    "vs_optimal",
    *("lower_bound_dollars", "regret_ratio"),
    *("references", "references_soft"),
}


def test_a_session_is_told_in_one_screen() -> None:
    done = secateur("simulate", PI)
    assert (done.code, done.err) == (0, "")
    lines = done.text.splitlines()
    assert len(lines) <= 45
    for name in ("unpruned", "balance", "opencode", "lossless oracle", "refetch", "Decisions of balance"):
        assert name in done.text
    assert "pi marks its messages and leaves 2 breakpoints free; the cache lives 5 min" in done.text
    assert "observe" not in done.text
    assert max(len(line) for line in lines if "─" in line or line.startswith(("unpruned", "pi-auto"))) <= 80


def test_the_report_is_one_json_object() -> None:
    done = secateur("simulate", PI, "--policy", "openclaw", "--policy", "opencode", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert found["schema"] == "secateur.simulate/1"
    session = found["sessions"][0]
    assert (session["format"], session["requests"], session["model"]) == ("pi", 43, "claude-sonnet-4-5")
    assert [one["policy"] for one in session["lines"]] == ["unpruned", "openclaw", "opencode", "lossless oracle"]
    assert set(session["lines"][0]) == LINE
    assert found["lines"][""] == session["lines"]
    base, openclaw = session["lines"][:2]
    assert openclaw["dollars"] < base["dollars"]
    event = session["decision_logs"]["openclaw"]["events"][0]
    assert event["cold"]
    assert "300 s" in event["reason"] or event["freed"] > 0


def test_files_and_pictures_are_written(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    table, page, image = (tmp_path / name for name in ("bills.csv", "out.html", "out.png"))
    done = secateur("simulate", PI, "--policy", "openclaw", "--csv", table, "--plot", page, "--plot", image)
    assert (done.code, done.err) == (0, "")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["policy"] for row in rows] == ["unpruned", "openclaw", "lossless oracle"]
    assert set(rows[0]) == {"input", "model"} | LINE
    assert image.read_bytes().startswith(b"\x89PNG")
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_a_write_read_ratio_sets_the_read_price_and_models_are_compared() -> None:
    done = secateur("simulate", PI, "--policy", "observe", "--write-read-ratio", 50, "--json")
    assert done.json["sessions"][0]["write_read_ratio"] == pytest.approx(50)
    both = secateur("simulate", PI, "--policy", "observe", "--model", "claude-opus-4-5", "--model", "gpt-5", "--json")
    assert list(both.json["lines"]) == ["claude-opus-4-5", "gpt-5"]


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ((), 2, "no price is known for unheard-of"),
        (("--model", "also-unheard-of"), 2, "give --model"),
        (("--price", "input=1"), 2, "give input and output"),
        (("--price", "input=1,output=2", "--model", "gpt-5"), 2, "give one of them"),
        (("--plot", "out.gif"), 2, "must end in .html"),
        (("--csv", "out.xls"), 2, "must end in .csv"),
    ],
)
def test_what_cannot_be_priced_or_written_is_said(tmp_path: Path, more: tuple[str, ...], code: int, said: str) -> None:
    path = saved(tmp_path, chat(*worked("a", "b", "c", "d"), model="unheard-of"), "request.json")
    done = secateur("simulate", path, *more)
    assert done.code == code
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_stated_price_serves_where_none_is_known(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(*worked("a", "b", "c", "d"), model="unheard-of"), "request.json")
    done = secateur("simulate", path, "--price", "input=3,output=15,read=0.3,write=3.75", "--json")
    assert done.code == 0
    assert done.json["sessions"][0]["write_read_ratio"] == pytest.approx(12.5)
    assert "are not known" in done.json["sessions"][0]["warnings"][0]


HOUSE = b"""name = "house"
extends = "%s"
[[pricing]]
models = ["unheard-*"]
price = { input = 2.0, output = 10.0, read = 1.0 }
cache = { positions = "steps", step_tokens = 1, minimum_tokens = 0 }
"""


def test_a_policy_states_prices_and_cache_rules_for_what_no_table_knows(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(*worked("a", "b", "c", "d"), model="unheard-of"), "request.json")
    policy = saved(tmp_path, HOUSE % b"balance", "house.toml")
    done = secateur("simulate", path, "--policy", policy, "--policy", "observe", "--json")
    assert (done.code, done.err) == (0, "")
    session = done.json["sessions"][0]
    assert (session["model"], session["price"], session["warnings"]) == ("unheard-of", "stated by the policy", [])
    assert (session["write_read_ratio"], session["cache"]) == (2, "stated by the policy")
    base = session["lines"][0]
    assert base["dollars"] == pytest.approx(session["lines"][2]["dollars"])
    scanned = secateur("scan", tmp_path, "--policy", policy, "--json").json
    assert scanned["lines"][0]["dollars"] == pytest.approx(base["dollars"])
    assert not any(one["assumed"] for one in scanned["sessions"])
    shown = secateur("doctor", path, "--policy", policy, "--json").json["settings"]
    told = {one["name"]: (one["value"], one["source"]) for one in shown}
    assert told["price"] == ("$2 a million tokens, read 0.5×, write 1×, output 5×", "stated by the policy")
    assert told["prompt cache"] == ("lives 5 min, from 0 tokens on", "stated by the policy")


def test_two_policies_that_state_different_prices_are_not_played_together(tmp_path: Path) -> None:
    path = saved(tmp_path, chat(*worked("a", "b", "c", "d"), model="unheard-of"), "request.json")
    one = saved(tmp_path, HOUSE % b"balance", "one.toml")
    other = saved(tmp_path, (HOUSE % b"observe").replace(b"2.0", b"3.0").replace(b"house", b"other"), "other.toml")
    done = secateur("simulate", path, "--policy", one, "--policy", other)
    assert done.code == 2
    assert "house and other state different prices" in done.err


def test_a_folder_is_scanned(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.jsonl").write_bytes(PI.read_bytes())
    saved(tmp_path, chat(*worked("a", "b", "c", "d"), model="unheard-of"), "request.json")
    (tmp_path / "package.json").write_text('{"name": "no session"}')
    (tmp_path / "torn.json").write_text('{"messages": [')
    out = tmp_path / "sessions.csv"
    done = secateur("scan", tmp_path, "--policy", "openclaw", "--json", "--out", out)
    found = done.json
    assert (done.code, found["schema"], found["files"]) == (1, "secateur.scan/1", 4)
    assert {one["format"]: one["sessions"] for one in found["formats"]} == {"pi": 1, "openai_chat": 1}
    assert sum(one["dollars"] for one in found["spending"]) == pytest.approx(found["lines"][0]["dollars"])
    assert [one["policy"] for one in found["lines"]] == ["unpruned", "openclaw", "lossless oracle"]
    assert found["leaks"][0]["text"].startswith("$")
    assert {Path(one["path"]).name: one["broken"] for one in found["unread"]} == {
        "package.json": False,
        "torn.json": True,
    }
    assert [one["assumed"] for one in found["sessions"] if one["format"] == "openai_chat"][0].startswith("no price")
    assert len(list(csv.DictReader(out.read_text().splitlines()))) == 2
    shown = secateur("scan", tmp_path, "--policy", "openclaw")
    assert "What was wasted" in shown.text
    assert "1 file could not be read" in shown.text


def test_many_files_by_several_processes_say_the_same(tmp_path: Path) -> None:
    for number in range(6):
        saved(tmp_path, chat(*worked("a", "b" * number, "c", "d")), f"{number}.json")
    one, two = (secateur("scan", tmp_path, "--policy", "opencode", "--jobs", jobs, "--json") for jobs in (1, 2))
    assert one.out == two.out
    assert len(one.json["sessions"]) == 6


def test_a_history_that_several_files_hold_is_counted_once(tmp_path: Path) -> None:
    lines = PI.read_bytes().splitlines(keepends=True)
    (tmp_path / "whole.jsonl").write_bytes(b"".join(lines))
    (tmp_path / "earlier.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    both = secateur("scan", tmp_path, "--policy", "openclaw", "--json").json
    alone = secateur("scan", tmp_path / "whole.jsonl", "--policy", "openclaw", "--json").json
    assert (both["files"], both["copies"], len(both["sessions"])) == (2, 1, 1)
    assert both["lines"] == alone["lines"]
    assert both["spending"] == alone["spending"]
    assert "1 session left out: another recording contains all of it" in secateur("scan", tmp_path).text


def test_a_folder_without_sessions_is_named(tmp_path: Path) -> None:
    done = secateur("scan", tmp_path)
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith("secateur: there is no session file in ")


def test_a_torn_line_is_a_warning_and_one_request_a_bill(tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"".join(PI.read_bytes().splitlines(keepends=True)[:5]) + b'{"type": "mess')
    done = secateur("simulate", torn, "--policy", "balance")
    assert done.code == 0
    assert "is not JSON and stays unchanged" in done.text
    one = secateur("simulate", saved(tmp_path, chat(user("hello"), model="gpt-5"), "one.json"), "--json")
    assert (one.code, one.json["sessions"][0]["requests"]) == (0, 1)


def test_the_lifetime_of_the_cache_can_be_stated() -> None:
    stated = [
        secateur("simulate", PI, "--policy", "balance", "--cache-ttl", ttl, "--json").json for ttl in ("1h", "5m")
    ]
    assert [one["sessions"][0]["client"].rpartition("; ")[2] for one in stated] == [
        "the cache lives 60 min, as stated",
        "the cache lives 5 min, as stated",
    ]
    assert stated[0]["lines"][""][0]["dollars"] != stated[1]["lines"][""][0]["dollars"]


def test_without_a_folder_the_agents_own_are_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / ".pi" / "agent" / "sessions"
    none = secateur("scan", HOME=str(tmp_path))
    assert none.code == 2
    assert "~/.claude/projects" in none.err
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(PI.read_bytes())
    done = secateur("scan", "--policy", "openclaw", "--json", HOME=str(tmp_path))
    assert [Path(one["path"]).name for one in done.json["sessions"]] == ["one.jsonl"]


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "sessions.parquet"
    done = secateur("scan", PI, "--policy", "openclaw", "--json", "--out", out)
    rows = parquet.read_table(out).to_pylist()
    assert [row["dollars"] for row in rows] == [one["dollars"] for one in done.json["sessions"]]


@pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")
def test_a_recorded_folder_is_scanned_whole() -> None:
    done = secateur("scan", Path(CORPUS) / "pi_session_jsonl" / "raquezha__pi.dev", "--policy", "balance", "--json")
    found = done.json
    assert done.code == 0, json.dumps(found["unread"])[:2000]
    assert found["lines"][1]["dollars"] <= 1.01 * found["lines"][0]["dollars"]
