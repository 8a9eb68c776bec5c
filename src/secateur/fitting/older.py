"""The agent's older work, and what reading it has cost: where a digest could be made, and the rent paid so far.

Rule: it follows from the history, the plan's ranges and the numbers of the policy. Work is older once so many newer
results came, and so many tokens; what earlier compactions replaced is done with. Whether it pays is not decided here.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct

from secateur.compaction.settings import Digest
from secateur.model import Message
from secateur.session import Session
from secateur.session.projection import tokens_of


class Older(Struct, frozen=True):
    """Messages [first, end) of the raw history."""

    first: int
    end: int
    tokens: int  # of the agent's own, as the view has them
    asked: float  # the same, each message times the requests that have held it since it was older, this one included


def older(work: Session, settings: Digest) -> Older:
    """The older work of this session that no compaction has replaced."""
    messages, shown = work.document.transcript.messages, work.aligned
    first = max((j for i, j, _ in work.ranges if i < j), default=0)
    tail = [tokens_of(one) for one in shown[first:]]
    results = [_results(one) for one in messages[first:]]
    end = _end(results, tail, settings)
    while end > 0 and end < len(results) and results[end]:
        end -= 1  # a round is never parted
    mine = [tail[n] * _own(messages[first + n]) for n in range(end)]
    since = _since(results, tail, end, settings)
    answers = [n for n in range(len(tail)) if messages[first + n].role == "assistant"]
    asked = sum(size * (len(answers) - bisect_left(answers, at) + 1) for size, at in zip(mine, since, strict=True))
    return Older(first, first + end, sum(mine), asked)


def _end(results: Sequence[int], tokens: Sequence[int], settings: Digest) -> int:
    """Where the newest results and tokens begin that stay."""
    held = weight = 0
    for place in range(len(results) - 1, -1, -1):
        if held >= settings.results and weight >= settings.keep_tokens:
            return place + 1
        held, weight = held + results[place], weight + tokens[place]
    return 0


def _since(results: Sequence[int], tokens: Sequence[int], end: int, settings: Digest) -> list[int]:
    """By message before `end`: how many messages the history had when it first was older work."""
    counts, sizes = ([0, *accumulate(some)] for some in (results, tokens))
    found, at = [], 0
    for place in range(end):
        at = max(at, place + 1)
        while at < len(results) and (
            counts[at] - counts[place + 1] < settings.results or sizes[at] - sizes[place + 1] < settings.keep_tokens
        ):
            at += 1
        found.append(at)
    return found


def _results(message: Message) -> int:
    return sum(part.kind == "tool_result" for part in message.parts)


def _own(message: Message) -> bool:
    """Whether it is the agent's work: what the user says stays."""
    return message.role != "system" and not (message.role == "user" and message.origin == "user")
