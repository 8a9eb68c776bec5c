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
from secateur.simulate.bill import sum_bill
from secateur.simulate.cache import Caching
from secateur.simulate.oracle import find_optimum
from secateur.simulate.recall import Recall
from secateur.simulate.replay import ReplayedTurn, iterate_moments, replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, bill_turns
from secateur.simulate.session_arrays import SessionArrays, lower_bound, make_session_arrays

TEXT = "[Old tool result cleared]"  # what the optimum leaves in a result's place
Eligible = Sequence[Mapping[str, int]]  # by segment: key of a result → the request from which on it may be removed


class Terms(Struct, frozen=True):
    """The prices for a session. `text` replaces what is removed."""

    price: Price
    caching: Caching
    text: str = TEXT


class SegmentArrays(Struct, frozen=True):
    """One segment as numbers. `keys` name the lot's items, `requests` are positions in the recording."""

    lot: SessionArrays
    keys: tuple[str, ...]
    requests: tuple[int, ...]


class OracleRun(Struct, frozen=True):
    """The best schedule, in units of plain input at the base rate, output included."""

    units: float  # what it costs where the cache finds every prefix
    least: float  # the lower bound: results go the moment they may, and no edit breaks the cache
    run: Run  # the schedule as the cache model prices it


def find_best_schedule(recording: Recording, eligible: Eligible, terms: Terms, name: str = "oracle") -> OracleRun:
    """The cheapest way to send the session if each result may be removed from its `eligible` time on."""
    units = least = 0.0
    gone: dict[tuple[int, str], int] = {}
    for segment, one in enumerate(build_stretches(recording, eligible, terms)):
        best = find_optimum(one.lot)
        units, least = units + best.cost, least + lower_bound(one.lot)
        for key, at in zip(one.keys, best.at.tolist(), strict=True):
            if at < len(one.requests):
                gone[segment, key] = one.requests[at]
    runs = [
        _run(name, terms, turns) for turns in (_replay_pruned(recording, gone, terms.text), replay_unpruned(recording))
    ]
    return OracleRun(units, least, min(runs, key=lambda run: run.bill.units))


def _run(name: str, terms: Terms, turns: Iterator[ReplayedTurn]) -> Run:
    """Views as the cache model prices them."""
    seen = tuple(turns)
    rows = bill_turns(seen, terms.price, terms.caching)
    return Run(name, terms.price, terms.caching, seen, rows, sum_bill(rows, terms.price))


def list_aged(recording: Recording, keep: int) -> list[dict[str, int]]:
    """Results are eligible from the first request with `keep` newer ones."""
    return [_find_aged(recording, segment, keep) for segment in range(len(recording.segments))]


def list_unreferenced(recording: Recording, recall: Recall) -> list[dict[str, int]]:
    """Results are eligible once no later call has them as the newest source of something."""
    found = []
    for segment in range(len(recording.segments)):
        dead = recall.find_last_uses(segment)
        seen = find_first_seen(recording, segment)
        found.append({key: max(first, dead.get(key, -1)) + 1 for key, first in seen.items()})
    return found


def find_first_seen(recording: Recording, segment: int) -> dict[str, int]:
    """Maps rewritable results to the first request that held them, in order."""
    messages = recording.segments[segment].messages
    found: dict[str, int] = {}
    done = 0
    for number in _list_requests(recording, segment):
        for message in messages[done : recording.requests[number].answer]:
            for part in message.parts:
                if part.kind == "tool_result" and not part.pinned:
                    found[part.key] = number
        done = max(done, recording.requests[number].answer)
    return found


def build_stretches(recording: Recording, eligible: Eligible, terms: Terms) -> list[SegmentArrays]:
    """The recording as numbers, at the price's base rates."""
    cold = list_cold(recording, terms.caching)
    return [_build_stretch(recording, segment, mine, terms, cold) for segment, mine in enumerate(eligible)]


def _build_stretch(
    recording: Recording, segment: int, eligible: Mapping[str, int], terms: Terms, cold: Sequence[bool]
) -> SegmentArrays:
    requests = _list_requests(recording, segment)
    prompts, base = recording.prompt_tokens, terms.price.base
    rows = _list_items(recording, segment, eligible, recording.tally(terms.text))
    found = make_session_arrays(
        [prompts[one] for one in requests],
        [cold[one] for one in requests],
        [item for _, item in rows],
        r=base.r,
        w=base.w_1h if terms.caching.hour else base.w,
    )
    output = sum(recording.requests[one].output for one in requests)
    return SegmentArrays(replace(found, outside=base.o * output), tuple(key for key, _ in rows), requests)


def _list_items(
    recording: Recording, segment: int, eligible: Mapping[str, int], left: int
) -> list[tuple[str, tuple[float, float, int, int]]]:
    """Eligible results that free something; `left` tokens remain of each."""
    local = {number: position for position, number in enumerate(_list_requests(recording, segment))}
    seen = find_first_seen(recording, segment)
    found = []
    before = recording.segments[segment].fixed_tokens
    for part in _iterate_parts(recording, segment):
        allowed = local.get(eligible.get(part.key, -1))
        if part.key in seen and allowed is not None and part.tokens > left:
            found.append((part.key, (float(before), float(part.tokens - left), local[seen[part.key]], allowed)))
        before += part.tokens
    return found


def list_cold(recording: Recording, caching: Caching) -> list[bool]:
    """By request: whether the previous request's cache is of no use."""
    found: list[bool] = []
    last: tuple[int, str] | None = None
    for request, at, _ in iterate_moments(recording):
        late = last is None or at - last[0] >= caching.ttl_ms or request.model != last[1]
        newest = recording.get_context(request)[-1:]
        turn = bool(newest) and newest[0].role == "user" and newest[0].origin == "user"
        found.append(late or (caching.breaks_at_turns and turn))
        last = at, request.model
    return found


def _find_aged(recording: Recording, segment: int, keep: int) -> dict[str, int]:
    seen = list(find_first_seen(recording, segment).items())
    newer = seen[keep:]
    return {key: max(first + 1, pushed) for (key, first), (_, pushed) in zip(seen, newer, strict=False)}


def _list_requests(recording: Recording, segment: int) -> tuple[int, ...]:
    return tuple(number for number, one in enumerate(recording.requests) if one.segment == segment)


def _iterate_parts(recording: Recording, segment: int) -> Iterator[Part]:
    for message in recording.segments[segment].messages:
        yield from message.parts


def _replay_pruned(recording: Recording, gone: Mapping[tuple[int, str], int], text: str) -> Iterator[ReplayedTurn]:
    """The session's requests with results removed as scheduled."""
    events = set(gone.values())
    tokens = recording.tally(text)
    cleared: dict[str, Message] = {}
    for number, turn in enumerate(replay_unpruned(recording)):
        segment = turn.request.segment
        seen = []
        for message in turn.seen:
            keys = [part.key for part in message.parts if gone.get((segment, part.key), number + 1) <= number]
            mark = "".join((message.key, *keys))
            if keys and mark not in cleared:
                cleared[mark] = _clear_results(message, set(keys), text, tokens)
            seen.append(cleared[mark] if keys else message)
        opened = number in events
        ahead = _find_breakpoint(turn, gone, number) if opened else ()
        yield replace(turn, seen=tuple(seen), opened=opened, why="the best moment" if opened else "", ahead=ahead)


def _find_breakpoint(turn: ReplayedTurn, gone: Mapping[tuple[int, str], int], number: int) -> tuple[int, ...]:
    """The number of messages before the first result removed later: a prefix worth keeping."""
    segment = turn.request.segment
    for place, message in enumerate(turn.seen):
        if any(gone.get((segment, part.key), 0) > number for part in message.parts):
            return (place,)
    return ()


def _clear_results(message: Message, keys: set[str], text: str, tokens: int) -> Message:
    parts = tuple(replace(part, text=text, tokens=tokens) if part.key in keys else part for part in message.parts)
    return replace(message, parts=parts)
