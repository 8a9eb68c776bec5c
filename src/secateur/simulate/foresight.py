"""A recorded session under the best schedule that there could have been: the yardstick beside the policies.

    terms = Terms(price, caching)
    foreseen(recording, aged(recording, 10), terms)              # results may go once 10 newer ones came
    foreseen(recording, unreferenced(recording, recall), terms)  # no hard reference is lost

Rule: the optimum (`units`) is that of a cache which finds every prefix that it was ever sent. A real one may not look
far enough back, so the same schedule is also priced like any policy's views, by the same cache model and bill (`run`);
where it is dearer than nothing there, nothing is the best schedule.
Each stretch between the host's compactions is a session of its own.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.model import Message, Part
from secateur.pricing.prices import Price
from secateur.simulate.bill import billed
from secateur.simulate.cache import Caching
from secateur.simulate.lot import Lot, lot, lower_bound
from secateur.simulate.oracle import oracle
from secateur.simulate.recall import Recall
from secateur.simulate.replay import Turn, moments, unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, paid

TEXT = "[Old tool result cleared]"  # what the optimum leaves in a result's place
Eligible = Sequence[Mapping[str, int]]  # by segment: key of a result → the request from which on it may go


class Terms(Struct, frozen=True):
    """What a session is priced by. `text` stands in the place of what goes."""

    price: Price
    caching: Caching
    text: str = TEXT


class SegmentArrays(Struct, frozen=True):
    """One segment as numbers. `keys` name the lot's items, `requests` are positions in the recording."""

    lot: Lot
    keys: tuple[str, ...]
    requests: tuple[int, ...]


class Foresight(Struct, frozen=True):
    """The best schedule, in units of plain input at the base rate, output included."""

    units: float  # what it costs where the cache finds every prefix
    least: float  # the lower bound: results go the moment they may, and no edit breaks the cache
    run: Run  # the schedule as the cache model prices it


def foreseen(recording: Recording, eligible: Eligible, terms: Terms, name: str = "oracle") -> Foresight:
    """The cheapest way to send the session, if each result may go from when `eligible` says."""
    units = least = 0.0
    gone: dict[tuple[int, str], int] = {}
    for segment, one in enumerate(stretches(recording, eligible, terms)):
        best = oracle(one.lot)
        units, least = units + best.cost, least + lower_bound(one.lot)
        for key, at in zip(one.keys, best.at.tolist(), strict=True):
            if at < len(one.requests):
                gone[segment, key] = one.requests[at]
    runs = [_run(name, terms, turns) for turns in (_pruned(recording, gone, terms.text), unpruned(recording))]
    return Foresight(units, least, min(runs, key=lambda run: run.bill.units))


def _run(name: str, terms: Terms, turns: Iterator[Turn]) -> Run:
    """Views as the cache model prices them."""
    seen = tuple(turns)
    rows = paid(seen, terms.price, terms.caching)
    return Run(name, terms.price, terms.caching, seen, rows, billed(rows, terms.price))


def aged(recording: Recording, keep: int) -> list[dict[str, int]]:
    """Results may go from the first request on that holds `keep` newer ones."""
    return [_aged(recording, segment, keep) for segment in range(len(recording.segments))]


def unreferenced(recording: Recording, recall: Recall) -> list[dict[str, int]]:
    """Results may go once no later call has them as the newest source of anything that only results show."""
    found = []
    for segment in range(len(recording.segments)):
        dead = recall.dead_after(segment)
        seen = first_seen(recording, segment)
        found.append({key: max(first, dead.get(key, -1)) + 1 for key, first in seen.items()})
    return found


def first_seen(recording: Recording, segment: int) -> dict[str, int]:
    """Results that may be rewritten → the first request that held them, in their order."""
    messages = recording.segments[segment].messages
    found: dict[str, int] = {}
    done = 0
    for number in _requests(recording, segment):
        for message in messages[done : recording.requests[number].answer]:
            for part in message.parts:
                if part.kind == "tool_result" and not part.pinned:
                    found[part.key] = number
        done = max(done, recording.requests[number].answer)
    return found


def stretches(recording: Recording, eligible: Eligible, terms: Terms) -> list[SegmentArrays]:
    """The recording as numbers, at the price's base rates."""
    cold = colds(recording, terms.caching)
    return [_stretch(recording, segment, mine, terms, cold) for segment, mine in enumerate(eligible)]


def _stretch(
    recording: Recording, segment: int, eligible: Mapping[str, int], terms: Terms, cold: Sequence[bool]
) -> SegmentArrays:
    requests = _requests(recording, segment)
    prompts, base = recording.prompt_tokens, terms.price.base
    rows = _items(recording, segment, eligible, recording.tally(terms.text))
    found = lot(
        [prompts[one] for one in requests],
        [cold[one] for one in requests],
        [item for _, item in rows],
        r=base.r,
        w=base.w_1h if terms.caching.hour else base.w,
    )
    output = sum(recording.requests[one].output for one in requests)
    return SegmentArrays(replace(found, outside=base.o * output), tuple(key for key, _ in rows), requests)


def _items(
    recording: Recording, segment: int, eligible: Mapping[str, int], left: int
) -> list[tuple[str, tuple[float, float, int, int]]]:
    """Results that may go and free something; `left` tokens stay of each."""
    local = {number: position for position, number in enumerate(_requests(recording, segment))}
    seen = first_seen(recording, segment)
    found = []
    before = recording.segments[segment].fixed_tokens
    for part in _parts(recording, segment):
        allowed = local.get(eligible.get(part.key, -1))
        if part.key in seen and allowed is not None and part.tokens > left:
            found.append((part.key, (float(before), float(part.tokens - left), local[seen[part.key]], allowed)))
        before += part.tokens
    return found


def colds(recording: Recording, caching: Caching) -> list[bool]:
    """By request: whether the cache of the one before is of no use."""
    found: list[bool] = []
    last: tuple[int, str] | None = None
    for request, at, _ in moments(recording):
        late = last is None or at - last[0] >= caching.ttl_ms or request.model != last[1]
        newest = recording.context(request)[-1:]
        turn = bool(newest) and newest[0].role == "user" and newest[0].origin == "user"
        found.append(late or (caching.turn_busts and turn))
        last = at, request.model
    return found


def _aged(recording: Recording, segment: int, keep: int) -> dict[str, int]:
    seen = list(first_seen(recording, segment).items())
    newer = seen[keep:]
    return {key: max(first + 1, pushed) for (key, first), (_, pushed) in zip(seen, newer, strict=False)}


def _requests(recording: Recording, segment: int) -> tuple[int, ...]:
    return tuple(number for number, one in enumerate(recording.requests) if one.segment == segment)


def _parts(recording: Recording, segment: int) -> Iterator[Part]:
    for message in recording.segments[segment].messages:
        yield from message.parts


def _pruned(recording: Recording, gone: Mapping[tuple[int, str], int], text: str) -> Iterator[Turn]:
    """The session's requests with results gone as the schedule says."""
    events = set(gone.values())
    tokens = recording.tally(text)
    cleared: dict[str, Message] = {}
    for number, turn in enumerate(unpruned(recording)):
        segment = turn.request.segment
        seen = []
        for message in turn.seen:
            keys = [part.key for part in message.parts if gone.get((segment, part.key), number + 1) <= number]
            mark = "".join((message.key, *keys))
            if keys and mark not in cleared:
                cleared[mark] = _cleared(message, set(keys), text, tokens)
            seen.append(cleared[mark] if keys else message)
        opened = number in events
        ahead = _ahead(turn, gone, number) if opened else ()
        yield replace(turn, seen=tuple(seen), opened=opened, why="the best moment" if opened else "", ahead=ahead)


def _ahead(turn: Turn, gone: Mapping[tuple[int, str], int], number: int) -> tuple[int, ...]:
    """How many messages stand before the first result that goes later: where a prefix is worth keeping."""
    segment = turn.request.segment
    for place, message in enumerate(turn.seen):
        if any(gone.get((segment, part.key), 0) > number for part in message.parts):
            return (place,)
    return ()


def _cleared(message: Message, keys: set[str], text: str, tokens: int) -> Message:
    parts = tuple(replace(part, text=text, tokens=tokens) if part.key in keys else part for part in message.parts)
    return replace(message, parts=parts)
