"""Processes that write to one store, die in the middle, fork, or run out of room. Run by test_processes.

    python processes.py WHAT FILE-OR-ADDRESS

It forks, so it is a program of its own: one thread, and no connection open while it forks unless that is the point.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from secateur.chain import encode_canonical, link_bodies
from secateur.errors import StoreError
from secateur.stores import open_store
from secateur.stores.proof import find_problems, verify_record
from secateur.stores.protocol import Blob, Conflict, SessionId, SessionUpdate, State, Store, make_state

KILLS = 200
FORKS = 100
PROOFS = 200
ROUNDS = 100


def appended(store: Store, who: SessionId, size: int = 200) -> State:
    """One more receipt and one more blob, whoever else writes."""
    while True:
        state = store.load(who) or make_state(who)
        body = encode_canonical({"number": state.receipts, "filler": "x" * size})
        links = link_bodies([body], state.head, state.receipts)
        data = f"{who.session} {state.receipts} ".encode() * (size // 10 + 1)
        try:
            return store.save(
                state, SessionUpdate(at=1 + state.receipts, receipts=links, blobs=(Blob(data),), views=(links[0].hash,))
            )
        except Conflict:
            continue


def child(work: Callable[[], None]) -> int:
    """Do some work in a process of its own; its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def ended(pids: list[int]) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def sound(store: Store, who: SessionId, least: int) -> int:
    """Receipts of a session whose record holds, at least so many of them."""
    state = store.load(who)
    count = state.receipts if state else 0
    assert count >= least, f"{who.session}: {least} receipts were acknowledged and {count} are there"
    assert not count or find_problems(store, who) == (), find_problems(store, who)
    assert len(store.list_blobs(who)) >= least
    return count


def killed(url: str) -> dict[str, int]:
    """A writer killed at random points, the making of the file among them; each time all that it was told is there."""
    drawn, told, file = random.Random(7), 0, Path(url.removeprefix("sqlite://"))
    for number in range(KILLS):
        if number % 10 == 0:  # also while the file is made and migrated
            for end in ("", "-wal", "-shm"):
                Path(f"{file}{end}").unlink(missing_ok=True)
        who, (read, write) = SessionId(f"s{number}"), os.pipe()
        pid = child(lambda who=who, write=write: acknowledging(open_store(url), who, write))
        os.close(write)
        with os.fdopen(read, "rb", buffering=0) as pipe:
            early = number % 10 == 0
            acknowledged = 0 if early else len(pipe.read(1) or b"")  # however slow the machine is, it has begun
            time.sleep(drawn.random() * (0.012 if early else 0.03))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            acknowledged += len(pipe.readall())
        store = open_store(url)
        told += acknowledged
        sound(store, who, acknowledged)
        sound(store, SessionId("shared"), 0)
        appended(store, who)
        store.close()
    return {"kills": KILLS, "acknowledged": told}


def acknowledging(store: Store, who: SessionId, pipe: int) -> None:
    """Append without end, saying so after each; now and then let something go."""
    for number in range(1_000_000):
        appended(store, who, size=50 + number * 97 % 9_000)
        os.write(pipe, b".")
        if number % 5 == 2:
            appended(store, SessionId("shared"))
            store.save(
                make_state(SessionId(f"brief{os.getpid()}{number}")),
                SessionUpdate(at=1, blobs=(Blob(os.urandom(3_000)),)),
            )
            store.purge("", f"brief{os.getpid()}{number}")


def together(url: str) -> dict[str, int]:
    """Eight processes that make the file at once and append to sessions of their own and to one that they share."""

    def work(name: str) -> None:
        store = open_store(url)
        for _ in range(25):
            appended(store, SessionId(name))
            appended(store, SessionId("shared"))

    codes = ended([child(lambda number=number: work(f"s{number}")) for number in range(8)])
    assert codes == [0] * 8, codes
    store = open_store(url)
    assert [sound(store, SessionId(f"s{number}"), 25) for number in range(8)] == [25] * 8
    return {"shared": sound(store, SessionId("shared"), 200)}


def forked(url: str) -> dict[str, int]:
    """A store that is open when its process forks serves parent and children alike."""
    store = open_store(url)
    appended(store, SessionId("parent"))

    def work(name: str) -> None:
        for _ in range(20):
            appended(store, SessionId(name))
            appended(store, SessionId("shared"))

    leaver = os.fork()
    if not leaver:
        sys.exit(0)  # without a word to the store, whose connections it would close as it ends
    assert ended([leaver]) == [0]
    appended(store, SessionId("shared"))
    assert not url.startswith("sqlite:") or Path(url.removeprefix("sqlite://") + "-wal").exists()
    pids = [child(lambda number=number: work(f"s{number}")) for number in range(3)]
    work("parent")
    assert ended(pids) == [0] * 3
    assert [sound(store, SessionId(f"s{number}"), 20) for number in range(3)] == [20] * 3
    return {"shared": sound(store, SessionId("shared"), 81), "parent": sound(store, SessionId("parent"), 21)}


def copied(url: str) -> dict[str, int]:
    """100 forks while another thread saves: every child reaches the store, and the parent loses nothing."""
    store, over, another, saved = open_store(url), Event(), Event(), []

    def save() -> None:
        while not over.is_set():
            saved.append(appended(store, SessionId("parent")).receipts)
            another.set()

    saving = Thread(target=save)
    saving.start()
    codes: list[int] = []
    for number in range(FORKS):
        another.clear()
        codes += ended([child(lambda number=number: appended(store, SessionId(f"s{number}")))])
        another.wait()  # the next fork meets another save
    over.set()
    saving.join()
    reached = sum(sound(store, SessionId(f"s{number}"), 1) for number in range(FORKS))
    assert sound(store, SessionId("parent"), len(saved)) == len(saved)
    return {"forks": FORKS, "failed": sum(map(bool, codes)), "reached": reached}


def outlived(url: str) -> dict[str, int]:
    """A parent that closes its store, or ends, while its child continues: nothing the child was told is lost."""
    store = open_store(url)
    appended(store, SessionId("parent"))
    (read, write), (told, tell) = os.pipe(), os.pipe()

    def work() -> None:
        appended(store, SessionId("child"))
        os.write(tell, b".")
        assert os.read(read, 1) == b"."
        appended(store, SessionId("child"))

    pid = child(work)
    assert os.read(told, 1) == b"."
    store.close()
    os.write(write, b".")
    assert ended([pid]) == [0]
    return {"child": sound(open_store(url), SessionId("child"), 2)}


def verified(url: str) -> dict[str, int]:
    """200 proofs of a session that another process writes to meanwhile: no false alarm, and it did write."""
    store, who = open_store(url), SessionId("s")
    appended(store, who)
    pid = child(lambda: [appended(open_store(url), who) for _ in range(1_000_000)] and None)
    alarms, first = 0, sound(store, who, 1)
    proofs = PROOFS if url.startswith("sqlite:") else PROOFS // 10  # each blob is a question to the server
    for _ in range(proofs):
        alarms += bool(find_problems(store, who))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    state = store.load(who)
    assert state is not None
    return {"proofs": proofs, "alarms": alarms, "grew": int(state.receipts > first)}


def purged(url: str) -> dict[str, int]:
    """100 rounds of purges under a process that reads and one that writes: nothing of what went is in any file."""
    drawn, path = random.Random(7), Path(url.removeprefix("sqlite://"))
    url += "?synchronous=normal"
    store = open_store(url)
    kept, gone, left, pending = ["keep"], list[str](), 0, 0
    appended(store, SessionId(kept[0]))
    writer = child(lambda: writing(open_store(url)))
    reader = child(lambda: reading(open_store(url)))
    for number in range(ROUNDS):
        made = [f"mark{drawn.randbytes(9).hex()}" for _ in range(2)]
        for _ in range(2):
            for mark in drawn.sample(made, 2):
                appended(store, SessionId(mark), drawn.choice([1, 90, 900, 9_000]))
        kept += made
        for mark in drawn.sample(kept[1:], 1 + number % 2):
            kept.remove(mark)
            gone.append(mark)
            pending += store.purge("", mark).pending
        bytes_ = b"".join(found.read_bytes() for found in copies(path))
        left += sum(mark.encode() in bytes_ for mark in gone)
    for pid in (writer, reader):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    sound_ = sum(find_problems(store, SessionId(name)) == () for name in kept)
    return {"rounds": ROUNDS, "pending": pending, "left": left, "lost": len(kept) - sound_, "alive": alive(store)}


def copies(path: Path) -> list[Path]:
    """Copies of the store's files, made by a process of its own: closing them here would give up this one's locks."""
    folder = path.parent / "copies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    names = [f"{path}{end}" for end in ("", "-wal", "-shm")]
    subprocess.run(["cp", *names, str(folder)], check=True)
    return sorted(folder.iterdir())


def writing(store: Store) -> None:
    """Append to nine sessions by turns, and let go of what it wrote, so that the file stays small."""
    for number in range(1_000_000):
        who = SessionId(f"live{number % 9}")
        state = appended(store, who, number * 97 % 2_000)
        assert find_problems(store, who) == ()  # and others come to write meanwhile
        if state.receipts >= 20:
            store.purge("", who.session)


def reading(store: Store) -> None:
    """Read and prove without end."""
    while True:
        for number in range(9):
            with store.snapshot() as moment:
                who = SessionId(f"live{number}")
                assert moment.load(who) is None or verify_record(moment, who) == ()


def alive(store: Store) -> int:
    """Whether the sessions of the writer hold, and it did write."""
    live = [row for row in store.list_sessions() if row.who.session.startswith("live")]
    return int(bool(live) and all(find_problems(store, row.who) == () for row in live))


def full(url: str) -> dict[str, int | str]:
    """No room for the file to grow: a clear error, nothing acknowledged lost, and on it goes when there is room."""
    store, who = open_store(url), SessionId("s")
    done = appended(store, who).receipts
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
    said = ""
    while not said:
        try:
            state = store.load(who) or make_state(who)
            store.save(state, SessionUpdate(at=1, blobs=(Blob(os.urandom(20_000)),)))
            done = appended(store, who).receipts
        except StoreError as error:
            said = str(error)
    assert sound(store, who, done) == done
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    appended(store, who)
    return {"said": said, "receipts": sound(store, who, done + 1)}


def unprivileged(url: str) -> dict[str, str]:
    """A folder that this user may not write to."""
    folder = Path(url.removeprefix("sqlite://")).parent
    folder.chmod(0o555)
    open_store(url)  # loads what it needs while it may be read
    if os.getuid() == 0:
        os.setuid(65_534)
    try:
        appended(open_store(url), SessionId("s"))
    except StoreError as error:
        return {"said": str(error)}
    return {"said": ""}


if __name__ == "__main__":
    acts = {
        act.__name__: act for act in (killed, together, forked, copied, outlived, verified, purged, full, unprivileged)
    }
    print(json.dumps(acts[sys.argv[1]](sys.argv[2] if "://" in sys.argv[2] else f"sqlite://{sys.argv[2]}")))
