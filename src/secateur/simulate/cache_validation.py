"""How far the cache model agrees with what a provider recorded for a session, request by request.

Rule: the model gets the history, the times and the counted sizes of the prompts, and nothing about cache reads or
writes; these it must predict. Where they differ, the recording's shape shows why.
"""

from msgspec import Struct

from secateur.simulate.cache import Cache, CachedPrompt, Caching, Prompts
from secateur.simulate.replay import replay_unpruned
from secateur.simulate.requests import RecordedRequest, Recording
from secateur.usage import Usage

UNEXPLAINED = "unexplained"


class Compared(Struct, frozen=True):
    """One request: what the model says and what was recorded."""

    request: RecordedRequest
    model: CachedPrompt
    recorded: Usage
    idle_s: float  # since the request before was sent; 0 for the first
    begins: bool  # a user's message is the newest: a turn begins
    again: bool  # nothing was added since the previous answer

    @property
    def agrees(self) -> bool:
        """Whether reads and writes are the very same numbers."""
        return (self.model.read, self.model.write) == (self.recorded.read, self.recorded.write)

    @property
    def cause(self) -> str:
        """Why the two differ, as far as the recording shows it; "" if they agree."""
        if self.agrees:
            return ""
        if self.recorded.read > self.model.read:
            return "a request that was aborted or tried again had written more than is recorded"
        if self.again:
            return "the request before was sent again"
        if self.begins:
            return "a new user turn found its messages gone from the cache"
        return UNEXPLAINED


def compare_requests(recording: Recording, caching: Caching) -> tuple[Compared, ...]:
    """All requests with recorded usage, in order."""
    cache, prompts = Cache(caching), Prompts()
    found: list[Compared] = []
    last: int | None = None
    for turn in replay_unpruned(recording):
        usage = turn.request.usage
        if usage is None:
            continue
        prompt = prompts.build_prompt(turn.seen, model=turn.request.model)
        prompt.ends[-1] = _measure_cached(usage, caching)
        sent = cache.send(prompt, turn.at)
        idle_s = (turn.at - last) / 1000 if last is not None else 0.0
        found.append(Compared(turn.request, sent, usage, idle_s, turn.begins, turn.seen[-1].role == "assistant"))
        last = turn.at
    return tuple(found)


def _measure_cached(usage: Usage, caching: Caching) -> int:
    """The end of the cached part of a prompt: the last breakpoint, or the prompt's if there are none."""
    marked = usage.read + usage.write if caching.rules.positions == "marks" else 0
    return marked or usage.prompt


def find_unexplained_misses(recording: Recording, caching: Caching) -> frozenset[int]:
    """Requests that read nothing by the record although the model finds a live prefix."""
    found = compare_requests(recording, caching)
    return frozenset(one.request.number for one in found if not one.recorded.read and one.model.read)
