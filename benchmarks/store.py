"""What the SQLite store takes: receipts per second, durable; blobs, how small and how fast; how a file grows; how long
a request waits for one that is locked.

    python benchmarks/store.py [--quick]

Receipts are 600 bytes, each eighth 6 KB, chained. In batches of 100 the store must reach half the rate of a raw SQLite
loop that inserts the same rows in the same run, as durably (median of pairs); one by one it does more than an insert
(it checks revision and chain, and writes the session), and is shown beside it. Blobs are the tool outputs of the
sessions under SECATEUR_CORPUS, else of those that ship.
"""

import argparse
import gzip
import hashlib
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any

from secateur import Engine, fit
from secateur.chain import Link, encode_canonical, link_bodies
from secateur.errors import SecateurError
from secateur.stores import changes
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, make_state
from secateur.stores.sqlite import SqliteStore

BAR, BATCH, ENOUGH = 0.5, 100, 20_000_000
_RAW = """CREATE TABLE receipts (session INTEGER, sequence INTEGER, hash TEXT, body BLOB, UNIQUE (session, sequence))"""


def bodies(count: int) -> list[bytes]:
    """Receipts as they are written: mostly short, each eighth with the edits of an epoch."""
    marks = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(count)]
    return [
        encode_canonical({"n": n, "said": (mark * 99)[: 5_970 if n % 8 == 7 else 570]}) for n, mark in enumerate(marks)
    ]


def raw(folder: Path, links: tuple[Link, ...], batch: int) -> None:
    """The loop to compare with: the same rows, as durable, nothing else."""
    connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(_RAW)
    for first in range(0, len(links), batch):
        connection.execute("BEGIN IMMEDIATE")
        for link in links[first : first + batch]:
            row = (1, link.sequence, link.hash, link.body)
            connection.execute("INSERT INTO receipts VALUES (?, ?, ?, ?)", row)
        connection.execute("COMMIT")
    connection.close()


def ours(folder: Path, links: tuple[Link, ...], batch: int) -> None:
    """The same receipts through the store, so many in each change."""
    store, state = SqliteStore(folder / "ours.db"), make_state(SessionId("s"))
    for first in range(0, len(links), batch):
        state = store.save(state, SessionUpdate(at=1, receipts=links[first : first + batch]))
    store.close()


def crowd(folder: Path, links: tuple[Link, ...], threads: int) -> None:
    """One by one from several threads, a session each: what waits together is made durable together."""
    store = SqliteStore(folder / "crowd.db")

    def work(who: SessionId, mine: Iterable[Link]) -> None:
        state = make_state(who)
        for link in mine:
            state = store.save(
                state, SessionUpdate(at=1, receipts=link_bodies([link.body], state.head, state.receipts))
            )

    each = len(links) // threads
    running = [
        Thread(target=work, args=(SessionId(f"s{n}"), links[n * each : n * each + each])) for n in range(threads)
    ]
    for one in running:
        one.start()
    for one in running:
        one.join()
    store.close()


def rate(work: Callable[..., None], links: tuple[Link, ...], many: int) -> float:
    """Receipts per second, into a new file."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        work(Path(folder), links, many)
        return len(links) / (time.perf_counter() - start)


def receipts(count: int, times: int) -> bool:
    links = link_bodies(bodies(count), make_state(SessionId("s")).head, 0)
    pairs = [(rate(raw, links, BATCH), rate(ours, links, BATCH)) for _ in range(times)]
    share = median(mine / theirs for theirs, mine in pairs)
    theirs, mine = (median(side) for side in zip(*pairs, strict=True))
    print(f"receipts, {BATCH} a change: {mine:9,.0f} a second, raw loop {theirs:9,.0f}: {share:.2f} x (bar {BAR})")
    few = links[: count // 10]
    theirs, mine = rate(raw, few, 1), rate(ours, few, 1)
    print(f"receipts, one a change:  {mine:9,.0f} a second, raw loop {theirs:9,.0f}: {mine / theirs:.2f} x")
    print(f"the same from 8 threads: {rate(crowd, few, 8):9,.0f} a second")
    return share >= BAR


def outputs(folder: Path) -> Iterator[str]:
    """Texts of tool results in recorded sessions."""
    for file in sorted(one for one in folder.rglob("*") if ".json" in one.name):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        try:
            messages = fit(data, policy="observe", now_ms=0).raw_transcript.messages
        except SecateurError:
            continue
        yield from (part.text for message in messages for part in message.parts if part.kind == "tool_result")


def sample(folder: Path) -> list[bytes]:
    """Different outputs, 20 MB of them at most."""
    found: dict[bytes, None] = {}
    total = 0
    for text in outputs(folder):
        data = text.encode("utf-8", "surrogatepass")
        total += 0 if data in found else len(data)
        found[data] = None
        if total > ENOUGH:
            break
    return list(found)


def blobs(pieces: list[bytes]) -> None:
    """How small outputs become, one by one, and how fast, with each codec that is there."""
    size = sum(map(len, pieces))
    print(f"blobs: {len(pieces):,} outputs, {size / 1e6:.1f} MB")
    known = changes.ZSTD_MODULES
    for name, modules in (("zstd", known), ("zlib", ())):
        changes.ZSTD_MODULES = modules
        start = time.perf_counter()
        kept = [changes.compress_blob(piece) for piece in pieces]
        packed = time.perf_counter() - start
        changes.ZSTD_MODULES = known
        start = time.perf_counter()
        assert [changes.decompress_blob(*one) for one in kept] == pieces
        back = time.perf_counter() - start
        ratio = size / sum(len(body) for _, body in kept)
        print(
            f"  {name}: {ratio:.2f} times smaller, {size / packed / 1e6:.0f} MB/s in, {size / back / 1e6:.0f} MB/s out"
        )


def growth(pieces: list[bytes], requests: int) -> None:
    """A session's file: a receipt with each request, with each eighth an output that left the view."""
    with tempfile.TemporaryDirectory() as folder:
        store, state = SqliteStore(Path(folder) / "s.db"), make_state(SessionId("s"))
        for number, body in enumerate(bodies(requests)):
            taken: Any = tuple(Blob(piece, key=f"{number}") for piece in pieces[number : number + 1] if number % 8 == 7)
            made = link_bodies([body], state.head, state.receipts)
            state = store.save(state, SessionUpdate(at=number, receipts=made, blobs=taken, views=(made[0].hash,)))
        sizes = store.measure_sizes()
        each, empty = sizes.file_bytes / requests, os.path.getsize(Path(folder) / "s.db-wal")
        print(
            f"growth: {requests:,} requests, {sizes.blobs} outputs: {sizes.file_bytes / 1e6:.1f} MB with its log of",
            end="",
        )
        print(
            f" {empty / 1e6:.1f} MB, {each / 1e3:.1f} KB a request; receipt {sizes.receipt_bytes / requests:.0f} bytes"
        )
        freed = store.purge("")
        print(f"  purged: {freed.blobs} blobs; {store.measure_sizes().file_bytes / 1e6:.2f} MB left")
        store.close()


def locked() -> None:
    """A store that another process has locked: what a request waits for it, first and after that."""
    body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}).encode()
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine("observe", store=f"sqlite:///{folder}/s.db")
        engine.fit(body, session="s")
        other = sqlite3.connect(Path(folder) / "s.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        took = []
        for _ in range(20):
            start = time.perf_counter()
            engine.fit(body, session="s")
            took.append(1_000 * (time.perf_counter() - start))
        other.close()
        engine.close()
    print(f"locked by another process: the first request {took[0]:.0f} ms, those after it {median(took[1:]):.2f} ms")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="fewer receipts and passes")
    quick = options.parse_args().quick
    fine = receipts(10_000 if quick else 40_000, 3 if quick else 7)
    locked()
    corpus = os.environ.get("SECATEUR_CORPUS")
    pieces = sample(Path(corpus) if corpus else Path(__file__).parent.parent / "sessions")
    blobs(pieces)
    growth(pieces, 1_000 if quick else 5_000)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
