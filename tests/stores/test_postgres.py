"""What only a server can do wrong, and what it must not show; on a real one."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest

from cli_runs import secateur
from postgres_server import PASSWORD, Postgres, make_url, start_postgres
from secateur import Engine
from secateur.chain import encode_canonical, link_bodies
from secateur.errors import ConfigError, StoreError
from secateur.stores import open_store
from secateur.stores.place import hide_password
from secateur.stores.postgres import PostgresStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, Rejected, SessionId, SessionUpdate, State, Store, make_state

WHO = SessionId("s", "t")
SECRETS = (PASSWORD, "p:ss@word-of-tests", "word-of-tests")
PROGRAM = Path(__file__).parent / "processes.py"


@pytest.fixture
def server() -> Postgres:
    return start_postgres()


def saved(store: Store, who: SessionId = WHO, count: int = 3) -> State:
    state = make_state(who)
    links = link_bodies([encode_canonical({"n": number}) for number in range(count)], state.head, 0)
    return store.save(state, SessionUpdate(at=1, receipts=links, blobs=(Blob(b"removed " * 99),)))


def execute(url: str, sql: str) -> None:
    """Carry out a statement beside the store."""
    start, _, schema = url.partition("?schema=")
    with psycopg.connect(start, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema}".encode())
        connection.execute(sql.encode())


def explain_failure(url: str) -> str:
    with pytest.raises((StoreError, ConfigError)) as told:
        open_store(url).load(WHO)
    return str(told.value)


# --- what must not be shown ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:secret@h:5432/d?schema=x", "postgresql://u:***@h:5432/d?schema=x"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://u:se@cret@h/d", "postgresql://u:***@h/d"),
        ("postgresql:///d?password=secret&user=u", "postgresql:///d?password=***&user=u"),
        ("postgresql://u:a/b?c#secret@h/d", "postgresql://***"),
        ("sqlite:///~/s.db?synchronous=normal", "sqlite:///~/s.db?synchronous=normal"),
        ("no address", "no address"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert hide_password(url) == shown


@pytest.mark.parametrize(
    "change",
    [
        lambda url: url.replace("tests:", "stranger:"),
        lambda url: url.replace(PASSWORD, "wrong" + PASSWORD),
        lambda url: url.replace("127.0.0.1", "no-such-host.invalid"),
        lambda url: url.replace("/postgres?", "/nothing?"),
        lambda url: url.replace(PASSWORD, "p:ss@word-of-tests"),
        lambda url: url.replace(PASSWORD, "p/word-of-tests"),
        lambda url: url.replace("127.0.0.1:", "127.0.0.1:port"),
        lambda url: url.replace("?schema=", "?schema=No-Schema"),
        lambda url: url + "&connections=none",
        lambda url: url + "&no_such_option=1",
    ],
)
def test_no_failure_shows_the_password(server: Postgres, change: Any) -> None:
    said = explain_failure(change(server.make_url()))
    assert "postgresql://" in said or "schema" in said
    assert not [secret for secret in SECRETS if secret in said]


@pytest.mark.parametrize("command", ["sessions", "doctor", "gc", "verify", "why s", "purge s --tenant t --yes"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_command_shows_the_password(server: Postgres, command: str, form: list[str]) -> None:
    url = server.make_url()
    saved(open_store(url))
    done = secateur(*command.split(), *form, "--store", url)
    assert done.text + done.err
    assert not [secret for secret in SECRETS if secret in done.text + done.err]
    assert "word-of-tests" not in repr(open_store(url))


def test_the_short_name_in_an_address_is_the_same_store() -> None:
    assert repr(open_store("postgres://u:p@h/d?schema=s")) == repr(open_store("postgresql://u:p@h/d?schema=s"))


# --- what a server can suffer ----------------------------------------------------------------------------------------


def test_a_server_that_stands_still_is_said_and_used_again(server: Postgres) -> None:
    url = server.make_url()
    store = open_store(url)
    state = saved(store)
    hasty, fresh = store.with_wait_limit(0.25), open_store(url).with_wait_limit(0.25)
    server.pause(True)
    try:
        for one in (hasty, fresh):
            with pytest.raises(StoreError, match="did not answer within") as told:
                one.load(WHO)
            assert not isinstance(told.value, Rejected)
    finally:
        server.pause(False)
    assert hasty.load(WHO) == store.load(WHO) == state
    assert open_store(url).load(WHO) == state


def test_a_server_that_was_restarted_is_used_again_without_an_error(server: Postgres) -> None:
    store = open_store(server.make_url())
    state = saved(store)
    server.stop()
    with pytest.raises(StoreError, match="cannot be reached"):
        open_store(server.make_url()).load(WHO)
    server.start()
    assert store.load(WHO) == state
    server.stop()
    server.start()
    again = store.save(state, SessionUpdate(at=2, tip="more"))
    assert store.load(WHO) == again


def test_a_session_that_another_process_holds_is_said_after_the_wait(server: Postgres) -> None:
    url = server.make_url()
    store = open_store(url)
    state = saved(store)
    start, _, schema = url.partition("?schema=")
    with psycopg.connect(start) as other:
        other.execute(f"SELECT 1 FROM {schema}.sessions FOR UPDATE".encode())
        with pytest.raises(StoreError, match="locked by others for 0.1 s"):
            store.with_wait_limit(0.1).save(state, SessionUpdate(at=2))
        assert store.with_wait_limit(0.1).load(WHO) == state
    assert store.save(state, SessionUpdate(at=2)).revision == 2


def test_a_newer_schema_is_left_alone(server: Postgres) -> None:
    url = server.make_url()
    saved(open_store(url))
    execute(url, "UPDATE schema_version SET number = 99")
    said = explain_failure(url)
    assert "has schema 99" in said
    assert "update secateur" in said


def test_a_schema_of_another_program_is_left_alone(server: Postgres) -> None:
    url = server.make_url()
    schema = url.partition("?schema=")[2]
    execute(url, f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.sessions (mine TEXT)")
    assert "tables of another program" in explain_failure(url)


def test_a_user_without_rights_is_told_what_to_grant(server: Postgres) -> None:
    url = server.make_url("rights_of_tests")
    execute(url, f"DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN PASSWORD '{SECRETS[1]}'")
    said = explain_failure(url.replace("tests:", "guest:"))
    assert "denies this user access" in said
    assert "'rights_of_tests'" in said


@pytest.mark.parametrize("name", ["nul \0", "half \ud800"])
def test_what_cannot_be_kept_is_refused(server: Postgres, name: str) -> None:
    store = open_store(server.make_url())
    with pytest.raises(Rejected, match="cannot be stored"):
        saved(store, SessionId(name))
    assert saved(store, SessionId("whole")).revision == 1


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE receipts SET body = '{}' WHERE sequence = 1", "receipt 1 was changed"),
        ("DELETE FROM receipts WHERE sequence = 0", "receipt 0 is missing"),
        ("UPDATE blobs SET body = '\\x00', codec = 0", "the bytes filed under"),
        ("UPDATE blobs SET body = '\\x00'", "a blob is damaged"),
    ],
)
def test_tampering_with_the_tables_is_found(server: Postgres, sql: str, says: str) -> None:
    url = server.make_url()
    saved(open_store(url))
    execute(url, sql)
    assert any(one.startswith(says) for one in find_problems(open_store(url), WHO))


# --- many at once ----------------------------------------------------------------------------------------------------


def run_processes(what: str, server: Postgres) -> dict[str, Any]:
    argv = [sys.executable, "-W", "error", str(PROGRAM), what, server.make_url()]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_eight_processes_append_without_losing_or_refusing_anything(server: Postgres) -> None:
    assert run_processes("together", server) == {"shared": 200}


def test_a_fork_leaves_the_store_usable_on_both_sides(server: Postgres) -> None:
    assert run_processes("forked", server) == {"shared": 81, "parent": 21}


def test_100_children_forked_during_saves_reach_the_store(server: Postgres) -> None:
    assert run_processes("copied", server) == {"forks": 100, "failed": 0, "reached": 100}


def test_a_child_outlives_its_parents_store(server: Postgres) -> None:
    assert run_processes("outlived", server) == {"child": 2}


def test_20_proofs_under_a_live_writer_raise_no_alarm(server: Postgres) -> None:
    assert run_processes("verified", server) == {"proofs": 20, "alarms": 0, "grew": 1}


def test_purges_beside_saves_of_the_same_bytes_lose_nothing(server: Postgres) -> None:
    url, rounds = server.make_url(), 40
    blobs = tuple(Blob(f"shared {number}".encode() * 50) for number in range(20))
    failures: list[Exception] = []

    def work(name: str, purges: bool) -> None:
        store = PostgresStore(url)
        try:
            for number in range(rounds):
                who = SessionId(f"{name} {number}", "t")
                change = SessionUpdate(at=1, blobs=blobs if number % 2 else blobs[::-1])
                store.save(make_state(who), change)
                if purges:
                    store.purge("t", who.session)
        except Exception as error:
            failures.append(error)

    threads = [Thread(target=work, args=(f"w{number}", number % 2 == 0)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = open_store(url)
    assert failures == []
    assert len(store.list_sessions("t")) == 2 * rounds
    assert all(find_problems(store, row.who) == () for row in store.list_sessions("t"))
    assert store.measure_sizes().blobs == len(blobs)
    store.purge("t")
    store.collect_garbage(10, 10.0)
    assert store.measure_sizes().blobs == 0


def test_processes_agree_on_a_secret(server: Postgres) -> None:
    url = server.make_url()
    told = {PostgresStore(url).get_secret("credentials") for _ in range(3)}
    assert len(told) == 1
    assert PostgresStore(url).get_secret("another") not in told


def test_a_session_goes_on_in_another_engine() -> None:
    url = make_url()
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": f"make {n}"}} for n in range(6)]
    messages: list[Any] = [{"role": "user", "content": "build it"}]
    for call in calls:
        output = {"type": "tool_result", "tool_use_id": call["id"], "content": f"compiling {call['id']}\n" * 300}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}]
    body = json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()
    first = Engine("anthropic", store=url).fit(body, session="build")
    assert Engine("anthropic", store=url).fit(body, session="build").request == first.request
    assert Engine("anthropic", store=url).replay("build", first.receipt.sequence, body).request == first.request
