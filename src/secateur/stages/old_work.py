"""Which work of the agent is older, and how often it was read.

Work is older once so many newer results came, and so many tokens. What earlier compactions replaced does not count.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.settings import DigestSettings
from secateur.compaction.trigger import Load
from secateur.model import Message
from secateur.projection import Projection
from secateur.projection.messages import sum_tokens
from secateur.stages import Context

PRUNED_SHARE = 0.9  # of the threshold of a compaction: a view that pruning leaves above it is nearly full


class OldSpan(Struct, frozen=True):
    """Messages [first, end) of the raw history."""

    first: int
    end: int
    begins: int  # the first of them that is the agent's own
    tokens: int  # of the agent's own, as the view has them
    read_tokens: float  # the same, each message times the requests that held it since it was older, with this one


def find_old_span(projection: Projection, settings: DigestSettings, window: int) -> OldSpan:
    """The older work of this session that no compaction has replaced, and how often it was read."""
    messages, shown = projection.document.transcript.messages, projection.projected_messages
    least = settings.compute_least_kept(window)
    first = find_compacted_end(projection)
    sizes = [sum_tokens(one) for one in shown[first:]]
    results = [_count_results(one) for one in messages[first:]]
    end = _find_end(results, sizes, settings, least)
    if settings.last_results == 0:
        end = min(end, _find_read_end(messages[first:]))
    while end > 0 and end < len(results) and results[end]:
        end -= 1  # a round is never parted
    own = [number for number in range(end) if _is_own(messages[first + number])]
    since = _find_since(results, sizes, end, settings, least)
    answers = [number for number in range(len(sizes)) if messages[first + number].role == "assistant"]
    read = sum(sizes[number] * (len(answers) - bisect_left(answers, since[number]) + 1) for number in own)
    begins = first + own[0] if own else first
    return OldSpan(first, first + end, begins, sum(sizes[number] for number in own), read)


def find_compacted_end(projection: Projection) -> int:
    """The end of what earlier compactions replaced, as a message of the raw history."""
    return max((j for i, j, _ in projection.ranges if i < j), default=0)


def count_pruned(projection: Projection, first: int, end: int | None = None) -> int:
    """How many tokens fewer the view has of messages [first, end) than the raw history."""
    raw, shown = projection.document.transcript.messages[first:end], projection.projected_messages[first:end]
    return max(0, sum(map(sum_tokens, raw)) - sum(map(sum_tokens, shown)))


def find_due_load(context: Context, projection: Projection) -> Load:
    """How full the window is, for whether a compaction is due; where the policy goes by prices, and pruning leaves the
    view nearly full, how full it was before this request's pruning.

    Else pruning would put a compaction off by a few requests, and all that is read until then would be written anew. It
    is asked before anything is compacted: what digests free would count as pruning.
    """
    load = context.load(projection)
    if load.tokens <= PRUNED_SHARE * context.limits.threshold or not context.policy.schedule.uses_prices:
        return load
    pruned = max(0, context.budget.estimated - context.fixed_tokens - projection.used)
    return replace(load, tokens=load.tokens + context.budget.scale_to_reported(pruned))


def _find_end(results: Sequence[int], tokens: Sequence[int], settings: DigestSettings, least: int) -> int:
    """Find where the newest results and tokens that are kept begin."""
    kept = weight = 0
    for number in range(len(results) - 1, -1, -1):
        if kept >= settings.last_results and weight >= least:
            return number + 1
        kept, weight = kept + results[number], weight + tokens[number]
    return 0


def _find_read_end(messages: Sequence[Message]) -> int:
    """Find the end of the newest results that the model has answered; 0 if there are none."""
    is_read = False
    for number in range(len(messages) - 1, -1, -1):
        if is_read and _count_results(messages[number]):
            return number + 1
        is_read = is_read or messages[number].role == "assistant"
    return 0


def _find_since(
    results: Sequence[int], tokens: Sequence[int], end: int, settings: DigestSettings, least: int
) -> list[int]:
    """By message before `end`: how many messages the history had when it first was older work."""
    counts, sizes = ([0, *accumulate(some)] for some in (results, tokens))
    found, at = [], 0
    for number in range(end):
        at = max(at, number + 1)
        while at < len(results) and (
            counts[at] - counts[number + 1] < settings.last_results or sizes[at] - sizes[number + 1] < least
        ):
            at += 1
        found.append(at)
    return found


def _count_results(message: Message) -> int:
    return sum(part.kind == "tool_result" for part in message.parts)


def _is_own(message: Message) -> bool:
    """Whether it is the agent's work: what the user says stays."""
    return message.role != "system" and not (message.role == "user" and message.origin == "user")


def is_newest_result_within(projection: Projection, room: int) -> bool:
    """Whether the newest result has room, in tokens, together with all that follows it; True if there is none."""
    for message, shown in zip(
        reversed(projection.document.transcript.messages), reversed(projection.projected_messages), strict=True
    ):
        room -= sum_tokens(shown)
        if _count_results(message):
            return room >= 0
    return True
