"""What left, why, and how to get it back: the store's commands as a person runs them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from cli_runs import LONG, Done, pi_worked, saved, secateur
from native import pi_call, pi_result, pi_session, user
from secateur import Engine
from secateur.chain import encode_canonical, link_bodies
from secateur.lineage import handle_of
from secateur.sessions.receipt_log import make_notice
from secateur.stores import open_store
from secateur.stores.protocol import SessionId, SessionUpdate, make_state


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/kept.db"


@pytest.fixture
def pruned(tmp_path: Path, url: str) -> Any:
    """The report of a session that was pruned and kept as s1; its file is session.jsonl, the outcome out.jsonl."""
    return kept_as_s1(tmp_path, url)


class Kept(Struct, frozen=True):
    """The same for tests that only read."""

    report: Any
    url: str
    folder: Path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("kept")
    url = f"sqlite:///{folder}/kept.db"
    return Kept(kept_as_s1(folder, url), url, folder)


def kept_as_s1(folder: Path, url: str) -> Any:
    named = ("--session", "s1", "--store", url)
    done = secateur(
        "prune", saved(folder, pi_worked()), "--policy", "opencode", *named, "--json", "-o", folder / "out.jsonl"
    )
    assert done.code == 0, done.err
    return done.json


def run(url: str, *args: object) -> Done:
    return secateur(*args, "--store", url)


def test_prune_tells_where_what_left_is_and_by_which_handles(kept: Kept) -> None:
    assert (kept.report["session"], kept.report["store"]) == ("s1", kept.url)
    assert [edit["handle"] for edit in kept.report["edits"]] == [handle_of(LONG)] * 2
    assert [edit["user_turn"] for edit in kept.report["edits"]] == [1, 1]


def test_a_placeholder_that_says_what_went_names_the_handle(tmp_path: Path, url: str) -> None:
    path, out = saved(tmp_path, pi_worked()), tmp_path / "out"
    policy = tmp_path / "p.toml"
    policy.write_text(
        'name = "clear"\n[protect]\nlast_messages = 2\n[[prune]]\ntype = "hard_clear"\n'
        '[schedule]\ntype = "every_request"\n'
    )
    done = secateur("prune", path, "--policy", policy, "--store", url, "-o", out)
    assert done.code == 0, done.err
    assert f"recall {handle_of(LONG)}]" in out.read_text()
    assert "secateur why " in done.text
    assert "recall" not in secateur("prune", path, "--policy", policy).text


def test_why_tells_all_that_left_and_recall_gives_it_back(kept: Kept) -> None:
    why = run(kept.url, "why", "s1", "--json").json
    assert [one["call_id"] for one in why["removals"]] == ["c1", "c2"]
    assert all(one["out"] and one["reason"] and one["strategy"] == "hard_clear" for one in why["removals"])
    assert why["tokens_out"] == kept.report["input"]["tokens"] - kept.report["output"]["tokens"]
    for one in why["removals"]:
        assert run(kept.url, "recall", one["handle"]).out == LONG.encode()


def test_why_of_one_call_says_how_to_read_it_back(kept: Kept) -> None:
    told = run(kept.url, "why", "s1", "--call", "c1").text
    assert f"secateur recall {handle_of(LONG)}" in told
    assert "reason: opencode" in told
    assert "in its place: <tool-output-compacted />" in told
    assert "Nothing of call c4" in run(kept.url, "why", "s1", "--call", "c4").text
    assert "turn 1" in run(kept.url, "why", "s1", "--turn", "1").text
    assert run(kept.url, "why", "s1", "--turn", "2", "--json").json["removals"] == []
    assert len(run(kept.url, "why", "s1", handle_of(LONG)[:5], "--json").json["removals"]) == 2


def test_recall_reads_lines_matches_and_pages(kept: Kept, tmp_path: Path) -> None:
    handle, rows = handle_of(LONG), LONG.splitlines(keepends=True)
    assert run(kept.url, "recall", handle[:6], "--lines", "3-5").text == "".join(rows[2:5])
    assert run(kept.url, "recall", handle, "--lines", "-2").text == "".join(rows[-2:])
    assert run(kept.url, "recall", handle, "--grep", "line 39[89]").text.startswith("399:line 398")
    assert run(kept.url, "recall", handle, "--grep", "nowhere").code == 1
    page = run(kept.url, "recall", handle, "--page", "2", "--json").json
    assert (page["page"], page["pages"], page["lines"]) == (2, 2, 400)
    assert page["text"] == "".join(rows[200:])
    assert run(kept.url, "recall", handle, "-o", tmp_path / "all").code == 0
    assert (tmp_path / "all").read_text() == LONG


def test_recall_of_json_follows_a_path(tmp_path: Path, url: str) -> None:
    text = json.dumps({"items": [{"name": "a"}, {"name": "b"}], "pad": "x" * 9_000})
    data = pi_session([user("1"), pi_call("c1", "read", path="a"), pi_result("c1", text, "read"), user("2"), user("3")])
    done = secateur("prune", saved(tmp_path, data), "--policy", "opencode", "--session", "s1", "--store", url, "--json")
    assert run(url, "recall", handle_of(text), "--json-path", "items[*].name").text == "a\nb\n", done.err
    assert "has no 'x'" in run(url, "recall", handle_of(text), "--json-path", "x").err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("why", "nobody"), "no session 'nobody'"),
        (("why", "s1", "ffff"), "has the handle 'ffff': `secateur why s1`"),
        (("recall", "ffffffff"), "there is no handle 'ffffffff'"),
        (("recall", "xyz"), "is not a handle"),
        (("recall", handle_of(LONG), "--lines", "9-2"), "is not a range of lines"),
        (("recall", handle_of(LONG), "--lines", "1", "--page", "1"), "give one of them"),
        (("recall", handle_of(LONG), "--page", "9"), "no page 9"),
        (("recall", handle_of(LONG), "--grep", "("), "not a valid regular expression"),
        (("undo", "s1", "9"), "no epoch 9"),
        (("replay", "s1", "--request", "9"), "has no request 9"),
        (("replay", "s1", "--request", "0"), "was not stored: give it with --from FILE"),
        (("unpin", "s1", "tool", "x"), "has no pin tool x"),
        (("pin", "s1", "handle", "ffff"), "has the handle 'ffff': `secateur why s1`"),
        (("pin", "s1", "handle", "zz"), "is not a handle"),
        (("pin", "s1", "tool"), "a pin needs a kind and a pattern"),
        (("purge", "s1"), "give --yes"),
        (("purge", "s", "--yes"), "no session 's' in"),
        (("purge", "s", "--yes"), "did you mean s1?"),
        (("purge", "", "--yes"), "no session '' in"),
        (("why", ""), "no session '' in"),
        (("gc", "--days", "abc"), "'abc' is not a number from 0 up: write it as in 7 or 0.5"),
        (("gc", "--days", "nan"), "'nan' is not a number from 0 up"),
        (("gc", "--days", "-1"), "'-1' is not a number from 0 up"),
        (("purge",), "give a session"),
    ],
)
def test_what_cannot_be_is_one_sentence_with_the_remedy(kept: Kept, args: Any, said: str) -> None:
    done = run(kept.url, *args)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/none/kept.db"
    assert run(url, "sessions", "--json").json["sessions"] == []
    for args in (("why", "s1"), ("recall", "abcd"), ("verify",), ("gc",), ("undo", "s1")):
        done = run(url, *args)
        assert done.code == 2
        assert "nothing is stored at" in done.err
    assert not (tmp_path / "none").exists()


def test_the_store_is_named_by_the_environment_too(kept: Kept) -> None:
    listed = secateur("sessions", "--json", SECATEUR_STORE=kept.url).json["sessions"]
    assert [(one["who"]["session"], one["format"], one["receipts"]) for one in listed] == [("s1", "pi", 2)]
    assert "s1" in run(kept.url, "sessions").text


def test_a_session_goes_on_where_its_file_grows(tmp_path: Path, pruned: Any, url: str) -> None:
    """Pruned in place, grown by its agent, pruned again: one session, and all that ever left can be read back."""
    pruned_bytes = (tmp_path / "out.jsonl").read_bytes()
    grown = tmp_path / "grown.jsonl"
    grown.write_bytes(pruned_bytes)
    done = secateur("prune", grown, "--policy", "opencode", "--store", url, "--json", "-o", tmp_path / "again.jsonl")
    assert done.json["session"] == "s1"
    assert run(url, "recall", handle_of(LONG)).out == LONG.encode()


def test_undo_says_what_it_costs_and_brings_the_bytes_back(tmp_path: Path, pruned: Any, url: str) -> None:
    undone = run(url, "undo", "s1", "--json").json
    assert undone["tokens"] == pruned["input"]["tokens"] - pruned["output"]["tokens"]
    assert (undone["epoch"], undone["by"]) == (0, 1)
    assert [one["out"] for one in run(url, "why", "s1", "--json").json["removals"]] == [False, False]
    out = tmp_path / "back"
    secateur("prune", tmp_path / "session.jsonl", "--policy", "opencode", "--session", "s1", "--store", url, "-o", out)
    assert out.read_bytes() == pi_worked()


def test_undo_tells_money_where_the_model_has_a_price(tmp_path: Path, url: str) -> None:
    data = pi_worked().replace(b'"role": "assistant"', b'"model": "claude-opus-4-5", "role": "assistant"')
    path = saved(tmp_path, data)
    secateur("prune", path, "--policy", "opencode", "--session", "s1", "--store", url, "--model", "claude-opus-4-5")
    undone = run(url, "undo", "s1", "--json").json
    assert undone["cost"]["model"] == "claude-opus-4-5"
    assert undone["cost"]["once"] == pytest.approx(undone["tokens"] * 6.25e-6)
    assert undone["cost"]["each"] == pytest.approx(undone["tokens"] * 0.5e-6)


def test_replay_gives_the_bytes_that_were_written(tmp_path: Path, kept: Kept) -> None:
    done = run(kept.url, "replay", "s1", "--request", "0", "--from", kept.folder / "session.jsonl")
    assert done.out == (kept.folder / "out.jsonl").read_bytes()
    assert done.code == 0
    other = saved(tmp_path, pi_worked().replace(b"fix the login", b"fix the logon"), "other")
    wrong = run(kept.url, "replay", "s1", "--request", "0", "--from", other, "-o", tmp_path / "no")
    assert wrong.code in (1, 2)
    assert not (tmp_path / "no").exists()


def test_replay_from_the_store_where_raw_is_kept(url: str) -> None:
    engine = Engine("opencode", store=url, store_raw=True)
    view = engine.fit(pi_worked(), session="s1")
    done = run(url, "replay", "s1", "--request", "0")
    assert done.out == view.request


def test_pins_are_set_listed_and_taken_away(pruned: Any, url: str) -> None:
    assert "Pinned tool read*" in run(url, "pin", "s1", "tool", "read*").text
    listed = run(url, "pin", "s1", "--json").json["pins"]
    assert [(one["kind"], one["pattern"]) for one in listed] == [("tool", "read*")]
    assert run(url, "unpin", "s1", "tool", "read*", "--json").json["pins"] == []


def test_a_pin_keeps_the_whole_handle(pruned: Any, url: str) -> None:
    handle = run(url, "why", "s1", "--json").json["removals"][0]["handle"]
    pins = run(url, "pin", "s1", "handle", handle[:6], "--json").json["pins"]
    assert [(one["kind"], one["pattern"]) for one in pins] == [("handle", handle)]
    assert run(url, "unpin", "s1", "handle", handle, "--json").json["pins"] == []


def test_verify_names_the_first_receipt_that_was_tampered_with(tmp_path: Path, pruned: Any, url: str) -> None:
    run(url, "pin", "s1", "tool", "read")
    run(url, "pin", "s1", "tool", "bash")
    good = run(url, "verify", "s1", "--json")
    assert (good.code, good.json["sessions"][0]["problems"]) == (0, [])
    exported = tmp_path / "receipts.jsonl"
    assert run(url, "verify", "s1", "--export", exported).code == 0
    assert [json.loads(line)["sequence"] for line in exported.read_text().splitlines()] == [0, 1, 2, 3]
    assert run(url, "verify", "s1", "--expect-head", good.json["sessions"][0]["head"]).code == 0
    assert run(url, "verify", "s1", "--expect-head", "0" * 64).code == 1
    connection = sqlite3.connect(tmp_path / "kept.db")
    with connection:
        connection.execute("UPDATE receipts SET body = replace(CAST(body AS TEXT), 'bash', 'dash') WHERE sequence = 3")
        connection.execute("UPDATE receipts SET body = replace(CAST(body AS TEXT), 'read', 'lead') WHERE sequence = 2")
    connection.close()
    bad = run(url, "verify", "--json")
    assert bad.code == 1
    assert bad.json["sessions"][0]["problems"][0].startswith("receipt 2 was changed")
    assert "receipt 2" in run(url, "verify", "s1").text


def test_purge_leaves_nothing_and_gc_keeps_the_record(tmp_path: Path, pruned: Any, url: str) -> None:
    freed = run(url, "gc", "--days", "0", "--json").json["freed"]
    assert freed["blobs"] == 2  # the removed text, and what turns the file back
    assert run(url, "recall", handle_of(LONG)).code == 2
    why = run(url, "why", "s1", "--json").json["removals"]
    assert [(one["handle"], one["bytes"]) for one in why] == [(handle_of(LONG), None)] * 2
    assert "its bytes are gone" in run(url, "why", "s1", "--call", "c1").text
    assert run(url, "purge", "s1", "--yes", "--json").json["freed"]["sessions"] == 1
    assert run(url, "sessions", "--json").json["sessions"] == []


def test_a_shell_completes_sessions_and_handles(kept: Kept) -> None:
    def completed(words: str) -> str:
        more = {
            "_SECATEUR_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": "2",
            "SECATEUR_STORE": kept.url,
        }
        return secateur(**more).text

    assert completed("secateur why s").split() == ["plain,s1"]
    assert completed(f"secateur recall {handle_of(LONG)[:3]}").split() == [f"plain,{handle_of(LONG)}"]


def test_a_store_that_cannot_be_written_stops_the_prune_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "kept.db").write_bytes(b"not a database " * 100)
    out = tmp_path / "out"
    done = secateur("prune", saved(tmp_path, pi_worked()), "--store", f"sqlite:///{tmp_path}/kept.db", "-o", out)
    assert done.code == 2
    assert not out.exists()


def test_tenants_do_not_see_each_other(url: str) -> None:
    Engine("opencode", store=url, tenant="one").fit(pi_worked(), session="s1")
    assert run(url, "why", "s1").code == 2
    assert len(run(url, "why", "s1", "--tenant", "one", "--json").json["removals"]) == 2
    assert run(url, "recall", handle_of(LONG)).code == 2
    assert run(url, "recall", handle_of(LONG), "--tenant", "one").out == LONG.encode()
    assert run(url, "sessions", "--json").json["sessions"][0]["who"]["tenant"] == "one"


def test_what_retention_took_is_said_by_every_command(tmp_path: Path) -> None:
    url, state = f"sqlite://{tmp_path}/aged.db", make_state(SessionId("s1"))
    store = open_store(url)
    for number in range(30):
        body = encode_canonical(
            msgspec.structs.replace(make_notice("failed", number + 1), sequence=number, session="s1")
        )
        state = store.save(state, SessionUpdate(at=number + 1, receipts=link_bodies([body], state.head, number)))
    store.close()
    gone = run(url, "gc", "--receipt-days", "1", "--json").json
    assert (gone["freed"]["receipts"], gone["receipts_s"]) == (20, 86_400)
    assert "30 (20 gone)" in run(url, "sessions").text
    verified = run(url, "verify", "--json").json["sessions"][0]
    assert (verified["receipts"], verified["gone"], verified["problems"]) == (30, 20, [])
    assert "Retention deleted 20 receipts" in run(url, "verify", "s1").text
    assert run(url, "why", "s1", "--json").json["receipts_gone"] == 20
    assert "30 receipts (20 of them deleted by retention)" in run(url, "why", "s1").text
    assert "retention deleted receipts 0 to 19" in run(url, "replay", "s1", "--request", "4").err
    assert run(url, "verify", "s1", "--expect-head", "0" * 64).code == 1
    assert "or to a receipt" in run(url, "verify", "s1", "--expect-head", "0" * 64).text
