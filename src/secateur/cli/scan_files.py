"""The files of a scan: which there are, what their sessions cost, and what each policy would have saved.

Rule: each file is read in a process of its own if there are many, so only values are passed; the result does not depend
on the number of processes. A file with sessions is read twice: first for what it contains, so that a history that
several files share is counted once. A file that cannot be read is a value, not an error.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from secateur.cli.exit_codes import UnreadableInput, UsageError
from secateur.cli.inputs import explain_unreadable, find_json_error, read_source
from secateur.cli.policy_bills import PolicyBill, list_bills
from secateur.cli.pricing_options import PricingChoice, resolve_pricing
from secateur.cli.session_search import explain_no_session, has_no_message
from secateur.errors import FormatError, SecateurError, UnknownFormat
from secateur.simulate.attribution import Leak, PartSpending, analyze_spending
from secateur.simulate.bill import sum_bill
from secateur.simulate.compare import Play, compare_policies
from secateur.simulate.foresight import Terms
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import Run, as_paid, simulate
from secateur.simulate.several import Said, count_shared, describe_requests, split_conversations

_FEW = 4  # files


class ScanSettings(Struct, frozen=True):
    """How files are priced, and which policies are simulated."""

    priced: PricingChoice
    policies: tuple[str, ...]
    window: int | None = None


class ScannedSession(Struct, frozen=True, kw_only=True):
    """One session."""

    path: str
    number: int  # of the conversation in its file, from 1
    format: str
    model: str  # whose price was taken
    assumed: str  # why that is not its own; "": it is
    client: str  # how its client uses the cache; "" where that is the provider's affair alone
    hour: bool  # for the longer of two lifetimes
    started: int  # ms since 1970; 0: no time is recorded
    ended: int
    requests: int  # that are counted here
    shared: int  # earlier ones that are counted with another recording, which holds them too
    compactions: int  # the host's own
    colds: int  # requests that came too late for the cache
    copies: int  # results that repeat an earlier one
    tokens_sent: int
    tokens_peak: int
    dollars: float  # by the cache model
    dollars_recorded: float | None  # by the usage that was recorded, where every request has one
    spent: tuple[PartSpending, ...]
    leaks: tuple[Leak, ...]
    lines: tuple[PolicyBill, ...]


class UnreadFile(Struct, frozen=True):
    """A file that gave no session, and why."""

    path: str
    why: str
    broken: bool  # False: it is not a session at all


class ScannedFile(Struct, frozen=True):
    """One file."""

    surveys: tuple[ScannedSession, ...] = ()
    unread: tuple[UnreadFile, ...] = ()
    copies: int = 0  # sessions of which another recording holds every request


def outline_file(path: Path, wanted: ScanSettings) -> tuple[tuple[Said, ...], ...] | UnreadFile:
    """Outline the sessions of a file, to find shared histories."""
    recordings = _read_recordings(str(path), wanted)
    if isinstance(recordings, UnreadFile):
        return recordings
    if not recordings:
        return UnreadFile(str(path), "it has no model request", broken=False)
    return tuple(map(describe_requests, recordings))


def scan_file(path: Path, wanted: ScanSettings, since: tuple[int, ...] = ()) -> ScannedFile:
    """All sessions of a file. `since`: by session, how many of its first requests are counted elsewhere."""
    recordings = _read_recordings(str(path), wanted)
    return (
        ScannedFile(unread=(recordings,))
        if isinstance(recordings, UnreadFile)
        else _scan_recordings(recordings, str(path), wanted, since)
    )


def _read_recordings(name: str, wanted: ScanSettings) -> "list[Recording] | UnreadFile":
    """The sessions of a file that have a model request."""
    if why := explain_no_session(name):
        return UnreadFile(name, why, broken=False)
    try:
        source = read_source(name)
    except (UnreadableInput, UsageError, OSError) as error:
        return UnreadFile(name, str(error), broken=True)
    if has_no_message(source.data) and not find_json_error(source.data):
        return UnreadFile(name, f"{name}: no conversation is in it", broken=False)
    try:
        found = [read_recording(each, model=wanted.priced.model) for each in split_conversations(source.data)]
    except FormatError as error:
        broken = not isinstance(error, UnknownFormat) or bool(find_json_error(source.data))
        return UnreadFile(name, str(explain_unreadable(source, error)), broken)
    except Exception as error:  # a fault of ours must not end a scan of a thousand files
        return _make_internal_error(name, error)
    return [one for one in found if one.requests]


def _scan_recordings(
    recordings: list[Recording], name: str, wanted: ScanSettings, since: tuple[int, ...]
) -> ScannedFile:
    surveys: list[ScannedSession] = []
    unread: list[UnreadFile] = []
    copies = 0
    for number, recording in enumerate(recordings, 1):
        counted_elsewhere = since[number - 1] if len(since) == len(recordings) else 0
        if counted_elsewhere >= len(recording.requests):
            copies += 1
            continue
        try:
            surveys.append(_scan_recording(recording, name, number, wanted, counted_elsewhere))
        except SecateurError as error:
            unread.append(UnreadFile(name, str(error), broken=True))
        except Exception as error:
            unread.append(_make_internal_error(name, error))
    return ScannedFile(tuple(surveys), tuple(unread), copies)


def _scan_recording(recording: Recording, name: str, number: int, wanted: ScanSettings, since: int) -> ScannedSession:
    terms = resolve_pricing(recording, wanted.priced, name)
    yardstick = Terms(terms.price, terms.caching)
    play = Play(window=wanted.window, best=False, since=since)
    comparison = compare_policies(recording, wanted.policies, yardstick, play)
    run = comparison.base.run
    whole = simulate(recording, None, terms.price, caching=terms.caching) if since else run
    money = analyze_spending(recording, whole, comparison.recall, since)
    requests = recording.requests[since:]
    times = [
        message.recorded_ms for segment in recording.segments for message in segment.messages if message.recorded_ms
    ]
    return ScannedSession(
        path=name,
        number=number,
        format=recording.document.format.name,
        model=terms.price.model,
        assumed="; ".join(terms.warnings),
        client=terms.client,
        hour=terms.caching.hour,
        started=min(times, default=0),
        ended=max(times, default=0),
        requests=len(requests),
        shared=since,
        compactions=recording.requests[-1].segment - recording.requests[max(0, since - 1)].segment,
        colds=run.bill.colds,
        copies=sum(leak.times for leak in money.leaks if leak.what == "again"),
        tokens_sent=run.bill.sent,
        tokens_peak=run.bill.peak,
        dollars=run.bill.dollars,
        dollars_recorded=_price_recorded_usage(recording, run, since),
        spent=money.spent,
        leaks=money.leaks,
        lines=tuple(list_bills(comparison)),
    )


def _price_recorded_usage(recording: Recording, run: Run, since: int) -> float | None:
    if not all(request.usage for request in recording.requests[since:]):
        return None
    return sum_bill((row for row in as_paid(recording, run.price) if row.number >= since), run.price).dollars


def _make_internal_error(name: str, error: Exception) -> UnreadFile:
    return UnreadFile(name, f"a bug in secateur, {type(error).__name__}: {error}", broken=True)


_Answer = TypeVar("_Answer")


Done = Callable[[str], None]


Counting = Callable[[str, int], AbstractContextManager[Done]]


def scan_all(paths: list[Path], wanted: ScanSettings, jobs: int, counting: Counting) -> list[ScannedFile]:
    """One result for each file, in their order. `counting` shows the progress of the two passes."""
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    with _make_pool(workers if len(paths) > _FEW else 1) as pool:
        with counting("reading", len(paths)) as done:
            outlines = _run_each(pool, [partial(outline_file, path, wanted) for path in paths], paths, done)
        read = [(path, one) for path, one in zip(paths, outlines, strict=True) if not isinstance(one, UnreadFile)]
        counted = iter(count_shared([outline for _, file in read for outline in file]))
        since = [tuple(next(counted) for _ in file) for _, file in read]
        work = [partial(scan_file, path, wanted, ours) for (path, _), ours in zip(read, since, strict=True)]
        with counting("replaying", len(read)) as done:
            scanned = iter(_run_each(pool, work, [path for path, _ in read], done))
        return [ScannedFile(unread=(one,)) if isinstance(one, UnreadFile) else next(scanned) for one in outlines]


@contextmanager
def _make_pool(workers: int) -> Iterator[Executor | None]:
    """A pool of processes; None if one process is enough."""
    if workers <= 1:
        yield None
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run_each(
    pool: Executor | None, work: Sequence[Callable[[], _Answer]], paths: list[Path], done: Done
) -> list[_Answer]:
    """The results, in order."""
    results: dict[int, _Answer] = {}
    if pool is None:
        for at, task in enumerate(work):
            results[at] = task()
            done(paths[at].name)
    else:
        longest = sorted(
            range(len(work)), key=lambda at: -_get_size(paths[at])
        )  # nothing waits for them alone at the end
        pending: dict[Future[Any], int] = {pool.submit(work[at]): at for at in longest}
        for future in as_completed(pending):
            results[pending[future]] = future.result()
            done(paths[pending[future]].name)
    return [results[at] for at in range(len(work))]


def _get_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
