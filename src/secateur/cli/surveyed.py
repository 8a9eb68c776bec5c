"""One file of a scan: what its sessions cost, where that went, and what each policy would have made of it.

Rule: runs in a process of its own, so values only go in and out. A file that cannot be read is a value too, never an
end; a file that is no session is told apart from one that is broken.
"""

from pathlib import Path

from msgspec import Struct

from secateur.cli.exits import Refused, Unreadable
from secateur.cli.source import read
from secateur.cli.standings import Line, lines
from secateur.cli.terms import Priced, terms_of
from secateur.cli.unread import unread, wrong
from secateur.errors import FormatError, SecateurError, UnknownFormat
from secateur.simulate.bill import billed
from secateur.simulate.compare import Play, compared
from secateur.simulate.foresight import Terms
from secateur.simulate.requests import Recording, recorded
from secateur.simulate.run import Run, as_paid, simulate
from secateur.simulate.several import conversations
from secateur.simulate.shared import Said, told
from secateur.simulate.spending import Leak, Spent, spending


class Wanted(Struct, frozen=True):
    """How files are priced, and which policies are played."""

    priced: Priced
    policies: tuple[str, ...]
    window: int | None = None


class Survey(Struct, frozen=True, kw_only=True):
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
    lines: tuple[Line, ...]


class Unread(Struct, frozen=True):
    """A file that gave no session, and why."""

    path: str
    why: str
    broken: bool  # False: it is no session at all


class Surveyed(Struct, frozen=True):
    """One file."""

    surveys: tuple[Survey, ...] = ()
    unread: tuple[Unread, ...] = ()
    copies: int = 0  # sessions of which another recording holds every request


def outlined(path: Path, wanted: Wanted) -> tuple[tuple[Said, ...], ...]:
    """What was said in each session of a file; nothing where it cannot be read, of which `surveyed` tells."""
    found = _recordings(str(path), wanted)
    return () if isinstance(found, Unread) else tuple(map(told, found))


def surveyed(path: Path, wanted: Wanted, since: tuple[int, ...] = ()) -> Surveyed:
    """All sessions of a file. `since`: by session, how many of its first requests are counted elsewhere."""
    found = _recordings(str(path), wanted)
    return Surveyed(unread=(found,)) if isinstance(found, Unread) else _all(found, str(path), wanted, since)


def _recordings(name: str, wanted: Wanted) -> "list[Recording] | Unread":
    """The sessions of a file in which a model was asked."""
    try:
        source = read(name)
    except (Unreadable, Refused, OSError) as error:
        return Unread(name, str(error), broken=True)
    try:
        found = [recorded(one, model=wanted.priced.model) for one in conversations(source.data)]
    except FormatError as error:
        broken = not isinstance(error, UnknownFormat) or bool(wrong(source.data))
        return Unread(name, str(unread(source, error)), broken)
    except Exception as error:  # a fault of ours must not end a scan of a thousand files
        return _ours(name, error)
    return [one for one in found if one.requests]


def _all(recordings: list[Recording], name: str, wanted: Wanted, since: tuple[int, ...]) -> Surveyed:
    surveys: list[Survey] = []
    lost: list[Unread] = []
    copies = 0
    if not recordings:
        lost.append(Unread(name, "no model was ever asked in it", broken=False))
    for number, one in enumerate(recordings, 1):
        counted_elsewhere = since[number - 1] if len(since) == len(recordings) else 0
        if counted_elsewhere >= len(one.requests):
            copies += 1
            continue
        try:
            surveys.append(_survey(one, name, number, wanted, counted_elsewhere))
        except SecateurError as error:
            lost.append(Unread(name, str(error), broken=True))
        except Exception as error:
            lost.append(_ours(name, error))
    return Surveyed(tuple(surveys), tuple(lost), copies)


def _survey(recording: Recording, name: str, number: int, wanted: Wanted, since: int) -> Survey:
    terms = terms_of(recording, wanted.priced, name)
    yardstick = Terms(terms.price, terms.caching)
    found = compared(recording, wanted.policies, yardstick, Play(window=wanted.window, best=False, since=since))
    run = found.base.run
    whole = simulate(recording, None, terms.price, caching=terms.caching) if since else run
    money = spending(recording, whole, found.recall, since)
    requests = recording.requests[since:]
    times = [one.at for segment in recording.segments for one in segment.messages if one.at]
    return Survey(
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
        dollars_recorded=_recorded(recording, run, since),
        spent=money.spent,
        leaks=money.leaks,
        lines=tuple(lines(found)),
    )


def _recorded(recording: Recording, run: Run, since: int) -> float | None:
    if not all(one.usage for one in recording.requests[since:]):
        return None
    return billed((row for row in as_paid(recording, run.price) if row.number >= since), run.price).dollars


def _ours(name: str, error: Exception) -> Unread:
    return Unread(name, f"a fault of secateur itself, {type(error).__name__}: {error}", broken=True)
