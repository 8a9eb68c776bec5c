"""What a file can suffer, and what it must not show."""

import os
import random
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from secateur.chain import encode_canonical, hash_epochs, link_bodies
from secateur.errors import ConfigError, StoreError
from secateur.model import Epoch, Rewrite
from secateur.stores import changes, migrate, open_store, place, sql_retention, sqlite_file, sqlite_scrub
from secateur.stores.memory import MemoryStore
from secateur.stores.proof import find_problems
from secateur.stores.protocol import Blob, Freed, Manifest, Pin, SessionId, SessionUpdate, State, Store, make_state
from secateur.stores.sqlite import SqliteStore

WHO = SessionId("s", "t")
MARK = re.compile(rb"mark[0-9a-f]{16}")  # as `crowd` draws them


def saved(store: Store, who: SessionId = WHO, count: int = 3) -> State:
    state = make_state(who)
    bodies = [encode_canonical({"n": n}) for n in range(count)]
    return store.save(
        state, SessionUpdate(at=1, receipts=link_bodies(bodies, state.head, 0), blobs=(Blob(b"removed " * 99),))
    )


def files(path: Path) -> bytes:
    return b"".join(Path(f"{path}{end}").read_bytes() for end in ("", "-wal", "-shm") if Path(f"{path}{end}").exists())


def tampered(path: Path, sql: str) -> tuple[str, ...]:
    with sqlite3.connect(path) as connection:
        connection.execute(sql)
    connection.close()
    return find_problems(SqliteStore(path), WHO)


def test_file_and_new_folders_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "s.db"
    saved(SqliteStore(path))
    modes = {stat.S_IMODE(Path(f"{path}{end}").stat().st_mode) for end in ("", "-wal", "-shm")}
    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_file_that_others_may_read_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch(0o644)
    saved(SqliteStore(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE receipts SET body = '{}' WHERE sequence = 1", "receipt 1 was changed"),
        ("UPDATE receipts SET hash = hash || 'x' WHERE sequence = 1", "receipt 1 was changed"),
        ("DELETE FROM receipts WHERE sequence = 0", "receipt 0 is missing"),
        ("DELETE FROM receipts WHERE sequence = 2", "receipts are missing after number 1"),
        ("UPDATE sessions SET session = 's', tenant = 't', head = 'x'", "receipts are missing after number 2"),
        ("UPDATE blobs SET body = x'00', codec = 0", "the bytes filed under"),
        ("UPDATE blobs SET body = x'00'", "a blob is damaged"),
        ("DELETE FROM blobs", ""),
    ],
)
def test_tampering_with_the_file_is_found(tmp_path: Path, sql: str, says: str) -> None:
    saved(SqliteStore(tmp_path / "s.db"))
    wrong = tampered(tmp_path / "s.db", sql)
    assert any(one.startswith(says) for one in wrong) if says else wrong


def test_one_round_removes_at_most_a_hundred_receipts_of_a_session(tmp_path: Path) -> None:
    saved(SqliteStore(tmp_path / "s.db", synchronous="normal"), count=120)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert [sql_retention.remove_receipts(connection, 10, 1) for _ in range(3)] == [100, 10, 0]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("DELETE FROM receipts WHERE sequence = 30", "receipt 30 is missing: the next one is number 31"),
        ("UPDATE receipts SET body = '{}' WHERE sequence = 30", "receipt 30 was changed"),
        ("UPDATE receipts SET hash = 'x' WHERE sequence = 30", "receipt 30 was changed"),
        (
            "UPDATE anchors SET body = replace(CAST(body AS TEXT), 'hash\":\"', 'hash\":\"0')",
            "receipt 30 was changed",
        ),
        ("UPDATE anchors SET body = replace(CAST(body AS TEXT), ':29', ':28')", "receipt 29 is missing: the next"),
        ("UPDATE anchors SET body = replace(CAST(body AS TEXT), ':29', ':30')", "receipt 31 is missing: the next"),
        ("DELETE FROM anchors", "receipt 0 is missing: the next one is number 30"),
        ("DELETE FROM epochs WHERE number = 0", "epoch 0 was changed"),
        (
            "UPDATE epochs SET body = replace(CAST(body AS TEXT), 'why 0', 'why 1') WHERE number = 0",
            "epoch 0 was changed",
        ),
        ("UPDATE anchors SET body = '{\"number\": 29}'", "receipt 30 was changed"),
    ],
)
def test_tampering_with_what_retention_left_is_found(tmp_path: Path, sql: str, says: str) -> None:
    store, state = SqliteStore(tmp_path / "s.db", synchronous="normal"), make_state(WHO)
    for number in range(40):
        epochs = (Epoch(number, "tip", f"why {number}", ()),) if number % 9 == 0 else ()
        body = encode_canonical({"n": number, "epoch_hashes": hash_epochs(epochs)})
        state = store.save(
            state, SessionUpdate(at=number, receipts=link_bodies([body], state.head, number), epochs=epochs)
        )
    assert store.collect_garbage(1_000, 10**9, receipts_s=0.0).receipts == 30
    assert find_problems(store, WHO) == ()
    found = store.load(WHO)
    assert found is not None
    assert len(found.anchor.seals) == 4
    store.close()
    assert tampered(tmp_path / "s.db", sql)[0].startswith(says)


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"not a database at all" * 500)
    with pytest.raises(StoreError, match=r"s\.db failed .*not a store: move it away"):
        SqliteStore(path).load(WHO)


def test_a_damaged_file_is_said_and_never_a_wrong_answer(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    saved(store, count=2_000)
    store.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 8192))
    with pytest.raises(StoreError, match=r"s\.db failed .*damaged"):
        list(SqliteStore(path).list_receipts(WHO))


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    saved(store)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="has schema 999, and this version of secateur knows .*: update secateur"):
        SqliteStore(path).load(WHO)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_written_is_read_and_nothing_appears_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    state = saved(store)
    store.close()
    path.chmod(0o400)
    monkeypatch.setattr(sqlite_file, "_is_writable", lambda path: False)  # whoever runs the tests may write anywhere
    store = SqliteStore(path)
    assert store.load(WHO) == state
    assert [one.name for one in tmp_path.iterdir()] == ["s.db"]
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match="empty or not up to date, and cannot be written: copy it"):
        SqliteStore(tmp_path / "empty.db").load(WHO)


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreError, match="database of another program"):
        SqliteStore(path).load(WHO)


@pytest.mark.parametrize("schema", range(1, migrate.load_migrations()[0][0]))
def test_an_older_schema_is_refused_and_left_alone(tmp_path: Path, schema: int) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    saved(store)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=rf"older version of secateur \(schema {schema}\) .* move the file away"):
        SqliteStore(path).load(WHO)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    state = saved(store)
    store.close()
    after = (*migrate.load_migrations(), (99, "CREATE TABLE half (x);\nCREATE TABLE nonsense (;\n"))
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "load_migrations", lambda: after)
        with pytest.raises(StoreError, match="syntax error"):
            SqliteStore(path).load(WHO)
    assert SqliteStore(path).load(WHO) == state


def test_no_byte_of_what_was_purged_stays(tmp_path: Path) -> None:
    """In any of the files, though pages were split and merged around it."""
    path, canaries = tmp_path / "s.db", []
    store = SqliteStore(path, synchronous="normal")
    for number in range(60):
        for tenant in ("keep", "go"):
            mark = f"{tenant}-{os.urandom(12).hex()}"
            canaries += [mark] if tenant == "go" else []
            noise = mark.encode() + os.urandom(40 + number * 211 % 9_000)
            state = make_state(SessionId(f"session {mark}", tenant))
            for _ in range(3):
                links = link_bodies(
                    [encode_canonical({"receipt": f"{mark} " * (number % 7 + 1)})], state.head, state.receipts
                )
                epoch = Epoch(1, f"tip {mark}", f"why {mark}", (Rewrite(f"key {mark}", f"text {mark} " * number),))
                change = SessionUpdate(
                    at=1,
                    receipts=links,
                    epochs=(epoch,),
                    blobs=(Blob(noise, key=f"key {mark}"),),
                    pins=(Pin("tool", mark),),
                )
                state = store.save(state, change)
            store.save(state, SessionUpdate(at=2, views=(f"view {mark}",), model=f"model {mark}"))
    assert all(mark.encode() in files(path) for mark in canaries)
    first = SessionId(f"session {canaries[0]}", "go")
    assert store.purge("go", first.session).sessions == 1
    assert canaries[0].encode() not in files(path)
    assert store.purge("go").sessions == 59
    left = files(path)
    assert [mark for mark in canaries if mark.encode() in left] == []
    assert all(find_problems(store, row.who) == () for row in store.list_sessions())
    assert len(store.list_sessions()) == 60


def test_what_gc_let_go_gives_its_room_back(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db")
    store.save(make_state(WHO), SessionUpdate(at=1, blobs=tuple(Blob(os.urandom(50_000)) for _ in range(40))))
    before = store.measure_sizes().file_bytes
    assert store.collect_garbage(10_000, 1.0).bytes == 2_000_000
    assert store.measure_sizes().file_bytes < before - 1_900_000


def test_a_purge_that_a_reader_holds_up_is_finished_by_whoever_comes_next(tmp_path: Path) -> None:
    store, other = SqliteStore(tmp_path / "s.db", timeout_s=0.05), SessionId("other", "kept")
    saved(store, count=400)
    saved(store, other)
    reader = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM sessions").fetchall()
    assert store.purge("t") == Freed(1, 400, 0, 0, pending=True) or store.collect_garbage(9, 10.0).pending
    assert store.load(WHO) is None
    assert store.purge("t").pending
    assert saved(store, SessionId("new", "kept")).receipts == 3  # no one is refused meanwhile
    assert store.collect_garbage(9, 10.0, every_s=60.0).pending
    reader.close()
    assert store.collect_garbage(10, 10.0, every_s=60.0) == Freed()
    assert not store.purge("t").pending
    assert b'{"n":399}' not in files(tmp_path / "s.db")
    assert find_problems(store, other) == ()


def test_a_purge_overwrites_the_copies_that_moved_rows_leave(tmp_path: Path) -> None:
    """The same file without it does have some, so there is something to find."""
    found = [(leftovers(tmp_path / f"{scrubs}.db", scrubs)) for scrubs in (True, False)]
    assert found[0] == 0
    assert found[1] > 0


def leftovers(path: Path, scrubs: bool) -> int:
    """How often something stood in the file that was purged, over rounds of saves and purges."""
    drawn, kept, gone, count = random.Random(1), dict[str, SessionId](), list[str](), 0
    store = SqliteStore(path, synchronous="normal")
    for _ in range(40):
        kept |= crowd(store, drawn)
        for mark in drawn.sample(sorted(kept), 4):
            gone.append(mark)
            session = kept.pop(mark).session
            if scrubs:
                store.purge("", session)
            else:
                with store._file.begin_transaction(1.0) as connection:
                    sql_retention.purge(connection, "", session)
        with store._file.open_write(1.0) as connection:
            sqlite_scrub.shrink(connection, 0)
        left = {mark.decode() for mark in set(MARK.findall(files(path)))}
        count += len(left.intersection(gone))
        assert kept.keys() <= left
    with store._file.open_read(1.0) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert all(find_problems(store, who) == () for who in kept.values())
    return count


def crowd(store: Store, drawn: random.Random) -> dict[str, SessionId]:
    """Sessions that grow by turns, each marked wherever a value can stand."""
    states = {f"mark{drawn.randbytes(8).hex()}": make_state(SessionId("")) for _ in range(6)}
    for mark in states:
        states[mark] = make_state(SessionId(f"{drawn.randbytes(3).hex()} {mark}"))
    for step in range(4):
        for mark in drawn.sample(sorted(states), len(states)):
            state, many = states[mark], drawn.choice([1, 3, 30, 300])
            key = f"{drawn.randbytes(3).hex()}{mark}"
            sizes = [drawn.choice([3, 60, 900, 9_000]) for _ in range(3)]
            change = SessionUpdate(
                at=1,
                receipts=link_bodies([encode_canonical({"r": f"{mark} " * many})], state.head, state.receipts),
                epochs=(Epoch(1, key, f"why {mark}" * many, ()),),
                blobs=tuple(Blob(mark.encode() + drawn.randbytes(size), key=key) for size in sizes),
                views=(f"view {key}",),
                pins=(Pin("tool", mark),) * (step * 3),
            )
            states[mark] = store.save(state, change)
    return {mark: state.who for mark, state in states.items()}


def test_a_file_without_a_map_of_its_pages_gets_one_with_its_first_purge(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    saved(store)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = delete")
        connection.execute("PRAGMA auto_vacuum = 0")
        connection.execute("VACUUM")
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    connection.close()
    assert SqliteStore(path).purge(WHO.tenant, WHO.session).sessions == 1
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    connection.close()


def test_a_store_that_another_process_keeps_is_said_after_the_wait(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db", timeout_s=0.05)
    state = saved(store)
    other = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process for 0.05 s: try again"):
        store.save(state, SessionUpdate(at=2))
    assert store.load(WHO) == state
    other.close()
    assert store.save(state, SessionUpdate(at=2)).revision == 2


def test_a_full_database_is_said_and_nothing_is_half_written(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db")
    state = saved(store)
    with store._file.open_write(1.0) as connection:
        connection.execute("PRAGMA max_page_count = 40")
    with pytest.raises(StoreError, match="the disk is full: make room, then `secateur gc` frees what has expired"):
        store.save(state, SessionUpdate(at=2, tip="lost", blobs=(Blob(os.urandom(200_000)),)))
    assert store.load(WHO) == state
    assert find_problems(store, WHO) == ()
    assert store.save(state, SessionUpdate(at=3, tip="kept")).tip == "kept"


def test_what_cannot_be_kept_is_refused_and_its_neighbours_are_not_touched(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db")
    with pytest.raises(StoreError, match="cannot be stored"):
        store.save(make_state(SessionId("lone \ud800")), SessionUpdate(at=1))
    with pytest.raises(StoreError, match="cannot be stored"):
        store.save(make_state(WHO), SessionUpdate(at=2**70, blobs=(Blob(b"x"),)))
    assert store.measure_sizes().blobs == store.measure_sizes().sessions == 0
    assert saved(store).revision == 1


def test_a_blob_is_compressed_where_that_helps_and_read_by_whoever_has_the_codec(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, noise = b"line of output\n" * 500, os.urandom(500)
    assert changes.compress_blob(noise) == (changes.AS_IT_IS, noise)
    assert changes.compress_blob(b"short") == (changes.AS_IT_IS, b"short")
    codec, body = changes.compress_blob(data)
    assert changes.decompress_blob(codec, body) == data
    assert len(body) < len(data) / 20
    monkeypatch.setattr(changes, "ZSTD_MODULES", ())
    assert changes.compress_blob(data)[0] == changes.ZLIB
    assert changes.decompress_blob(*changes.compress_blob(data)) == data
    with pytest.raises(StoreError, match=r"pip install 'secateur\[store\]'"):
        changes.decompress_blob(changes.ZSTD, body)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("redis://x", "unknown store 'redis': choose from memory, postgresql, sqlite"),
        ("/data/x.db", "not an address of a store: write sqlite:///data/x.db"),
        ("sqlite://x.db", "has no file name"),
        ("sqlite:///", "has no file name"),
        ("sqlite:///x.db?sync=off", "no option 'sync'"),
        ("sqlite:///x.db?synchronous=off", "one of full, normal"),
        ("sqlite:///x.db?timeout_s=soon", "not a number of seconds"),
    ],
)
def test_an_address_that_cannot_be_is_said(url: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says.replace("?", r"\?")):
        open_store(url)


def test_without_a_name_the_store_is_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data/of/me")
    monkeypatch.setattr("sys.platform", "linux")
    assert place.get_default_url({"SECATEUR_STORE": "memory://"}) == "memory://"
    assert place.get_default_url({}).endswith("secateur/secateur.db")
    assert place._find_data_home() == Path("/data/of/me")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert place._find_data_home() == Path.home() / ".local" / "share"


def test_an_address_names_a_file_from_the_root_or_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_store("sqlite:///~/data/s.db").save(make_state(WHO), SessionUpdate(at=1))
    for url in (f"sqlite://{tmp_path}/data/s.db", f"sqlite:///{tmp_path}/data/s.db"):
        assert open_store(url).load(WHO) is not None
    monkeypatch.setenv("SECATEUR_STORE", f"sqlite://{tmp_path}/data/s.db")
    assert open_store().load(WHO) is not None


@pytest.mark.parametrize("way", ["deleted", "replaced", "its log deleted"])
def test_a_file_that_goes_under_a_running_process_is_said_and_nothing_is_acknowledged(tmp_path: Path, way: str) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    state = saved(store)
    if way == "its log deleted":
        Path(f"{path}-wal").unlink()
    else:
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink()
    if way == "replaced":
        saved(SqliteStore(path), SessionId("other"), 1)
    with pytest.raises(StoreError, match="was deleted or replaced while it was in use"):
        store.save(state, SessionUpdate(at=2, tip="into nothing"))
    if way != "its log deleted":
        assert store.load(WHO) is None
        assert saved(store).receipts == 3
        assert SqliteStore(path).load(WHO) is not None


def test_a_raw_history_that_lacks_a_piece_is_found(tmp_path: Path) -> None:
    store, path = SqliteStore(tmp_path / "s.db"), tmp_path / "s.db"
    state = saved(store)
    pieces = (Blob(b"[1", "raw"), Blob(b",2]", "raw"))
    made = Manifest(2, 0, tuple(one.id for one in pieces))
    store.save(state, SessionUpdate(at=2, blobs=pieces, manifest=made))
    assert find_problems(store, WHO) == ()
    store.close()
    wrong = tampered(path, "DELETE FROM refs WHERE blob = (SELECT max(id) FROM blobs)")
    assert wrong == ("the raw history of request 2 lacks 1 of its pieces",)
    assert (
        tampered(path, "UPDATE manifests SET shared = 1")[0]
        == "the raw history of request 2 continues one that is missing"
    )


def test_damaged_bytes_in_memory_are_named_by_their_handle() -> None:
    store = MemoryStore()
    saved(store)
    [(place, filed)] = store._blobs.items()
    store._blobs[place] = replace(filed, body=b"other", codec=0)
    with pytest.raises(StoreError, match=f"the bytes filed under {place[1]} are not the bytes that were saved"):
        store.get_blob("t", place[1])
