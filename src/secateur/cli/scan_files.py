"""Where sessions lie: the folders that agents keep them in, and the files of a folder that may hold some.

Rule: nothing is opened here. What is no session is found out when it is read; links are not followed out of a folder.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from secateur.errors import FormatError, SecateurError, UnknownFormat
from secateur.simulate.bill import billed
from secateur.simulate.compare import Play, compared
from secateur.simulate.foresight import Terms
from secateur.simulate.requests import Recording, recorded
from secateur.simulate.run import Run, as_paid, simulate
from secateur.simulate.several import conversations
from secateur.simulate.shared import Said, shared, told
from secateur.simulate.spending import Leak, Spent, spending

SESSION_ENDINGS = (".jsonl", ".json", ".traj")
_PACKED = ".gz"
_SKIPPED = frozenset(("node_modules", ".git", "__pycache__", ".venv"))
_FOLDERS = (  # agent, environment variable of its folder, that folder by default, where sessions lie in it
    ("Claude Code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    ("Codex", "CODEX_HOME", "~/.codex", "sessions"),
    ("Pi", "PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions"),
    ("OpenClaw", "OPENCLAW_STATE_DIR", "~/.openclaw", "agents"),
    ("Gemini CLI", "", "~/.gemini", "tmp"),
    ("Copilot CLI", "", "~/.copilot", "session-state"),
)
_FEW = 4  # files


def find_agent_folders() -> list[tuple[str, Path]]:
    """The folders of known agents that exist here, by agent."""
    found = []
    for agent, variable, default, inside in _FOLDERS:
        top = os.environ.get(variable, "") if variable else ""
        folder = Path(top or default).expanduser() / inside
        if folder.is_dir():
            found.append((agent, folder))
    return found


def list_searched_folders() -> list[str]:
    """Where `known` looks, for people."""
    return [f"{default}/{inside}" for _, _, default, inside in _FOLDERS]


def find_session_files(names: Iterable[str]) -> list[Path]:
    """All files that may be sessions, in a fixed order, each once; a file that is named counts whatever its ending.

    Raises Unreadable for a path that does not exist or cannot be looked at.
    """
    found: dict[Path, None] = {}
    for name in names:
        path = Path(name)
        try:
            path.stat()
        except FileNotFoundError as error:
            raise UnreadableInput(f"there is no file or folder {name}: check the path") from error
        except OSError as error:
            raise UnreadableInput(f"{name} cannot be read: {error.strerror}") from error
        found |= dict.fromkeys(_walk_folder(path) if path.is_dir() else [path])
    return list(found)


def _walk_folder(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            if name.lower().removesuffix(_PACKED).endswith(SESSION_ENDINGS):
                yield Path(top, name)


class ScanSettings(Struct, frozen=True):
    """How files are priced, and which policies are played."""

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
    copies: int  # results that say what an earlier one said
    tokens_sent: int
    tokens_peak: int
    dollars: float  # by the cache model
    dollars_recorded: float | None  # by the usage that was recorded, where every request has one
    spent: tuple[Spent, ...]
    leaks: tuple[Leak, ...]
    lines: tuple[PolicyBill, ...]


class UnreadFile(Struct, frozen=True):
    """A file that gave no session, and why."""

    path: str
    why: str
    broken: bool  # False: it is no session at all


class ScannedFile(Struct, frozen=True):
    """One file."""

    surveys: tuple[ScannedSession, ...] = ()
    unread: tuple[UnreadFile, ...] = ()
    copies: int = 0  # sessions of which another recording holds every request


def outline_file(path: Path, wanted: ScanSettings) -> tuple[tuple[Said, ...], ...]:
    """What was said in each session of a file; nothing where it cannot be read, of which `surveyed` tells."""
    found = _read_recordings(str(path), wanted)
    return () if isinstance(found, UnreadFile) else tuple(map(told, found))


def scan_file(path: Path, wanted: ScanSettings, since: tuple[int, ...] = ()) -> ScannedFile:
    """All sessions of a file. `since`: by session, how many of its first requests are counted elsewhere."""
    found = _read_recordings(str(path), wanted)
    return (
        ScannedFile(unread=(found,))
        if isinstance(found, UnreadFile)
        else _scan_recordings(found, str(path), wanted, since)
    )


def _read_recordings(name: str, wanted: ScanSettings) -> "list[Recording] | UnreadFile":
    """The sessions of a file in which a model was asked."""
    try:
        source = read_source(name)
    except (UnreadableInput, UsageError, OSError) as error:
        return UnreadFile(name, str(error), broken=True)
    try:
        found = [recorded(one, model=wanted.priced.model) for one in conversations(source.data)]
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
    lost: list[UnreadFile] = []
    copies = 0
    if not recordings:
        lost.append(UnreadFile(name, "no model was ever asked in it", broken=False))
    for number, one in enumerate(recordings, 1):
        counted_elsewhere = since[number - 1] if len(since) == len(recordings) else 0
        if counted_elsewhere >= len(one.requests):
            copies += 1
            continue
        try:
            surveys.append(_scan_recording(one, name, number, wanted, counted_elsewhere))
        except SecateurError as error:
            lost.append(UnreadFile(name, str(error), broken=True))
        except Exception as error:
            lost.append(_make_internal_error(name, error))
    return ScannedFile(tuple(surveys), tuple(lost), copies)


def _scan_recording(recording: Recording, name: str, number: int, wanted: ScanSettings, since: int) -> ScannedSession:
    terms = resolve_pricing(recording, wanted.priced, name)
    yardstick = Terms(terms.price, terms.caching)
    found = compared(recording, wanted.policies, yardstick, Play(window=wanted.window, best=False, since=since))
    run = found.base.run
    whole = simulate(recording, None, terms.price, caching=terms.caching) if since else run
    money = spending(recording, whole, found.recall, since)
    requests = recording.requests[since:]
    times = [one.recorded_ms for segment in recording.segments for one in segment.messages if one.recorded_ms]
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
        copies=sum(one.times for one in money.leaks if one.what == "again"),
        tokens_sent=run.bill.sent,
        tokens_peak=run.bill.peak,
        dollars=run.bill.dollars,
        dollars_recorded=_price_recorded_usage(recording, run, since),
        spent=money.spent,
        leaks=money.leaks,
        lines=tuple(list_bills(found)),
    )


def _price_recorded_usage(recording: Recording, run: Run, since: int) -> float | None:
    if not all(one.usage for one in recording.requests[since:]):
        return None
    return billed((row for row in as_paid(recording, run.price) if row.number >= since), run.price).dollars


def _make_internal_error(name: str, error: Exception) -> UnreadFile:
    return UnreadFile(name, f"a fault of secateur itself, {type(error).__name__}: {error}", broken=True)


_Answer = TypeVar("_Answer")


Done = Callable[[str], None]


Counting = Callable[[str, int], AbstractContextManager[Done]]


def scan_all(paths: list[Path], wanted: ScanSettings, jobs: int, counting: Counting) -> list[ScannedFile]:
    """One answer for each file, in their order. `counting` shows how far each of the two readings is."""
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    with _make_pool(workers if len(paths) > _FEW else 1) as pool:
        with counting("reading", len(paths)) as done:
            said = _run_each(pool, [partial(outline_file, path, wanted) for path in paths], paths, done)
        counted = iter(shared([one for file in said for one in file]))
        since = [tuple(next(counted) for _ in file) for file in said]
        work = [partial(scan_file, path, wanted, ours) for path, ours in zip(paths, since, strict=True)]
        with counting("replaying", len(paths)) as done:
            return _run_each(pool, work, paths, done)


@contextmanager
def _make_pool(workers: int) -> Iterator[Executor | None]:
    """Processes to work in; None where one is enough."""
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
    """What comes of each, in order."""
    found: dict[int, _Answer] = {}
    if pool is None:
        for at, one in enumerate(work):
            found[at] = one()
            done(paths[at].name)
    else:
        longest = sorted(
            range(len(work)), key=lambda at: -_get_size(paths[at])
        )  # nobody waits for them alone at the end
        asked: dict[Future[Any], int] = {pool.submit(work[at]): at for at in longest}
        for future in as_completed(asked):
            found[asked[future]] = future.result()
            done(paths[asked[future]].name)
    return [found[at] for at in range(len(work))]


def _get_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
