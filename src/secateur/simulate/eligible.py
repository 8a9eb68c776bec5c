"""What a policy could remove, and from when on, if it were free to choose the moment: the session of its own oracle.

Rule: the policy is asked at every request, and its proposals are not applied, so that the same things are eligible as
under its own schedule: results, arguments, whatever its strategies edit, each leaving the same text behind. What it
does to a new result is applied: it costs nothing then, and no schedule influences it. Summaries are not included.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from secateur.budget import Budget
from secateur.model import Rewrite, Transcript
from secateur.policy import Policy
from secateur.pricing.tariffs import CachePricing, build_tariff
from secateur.schedule import Decision, Proposal
from secateur.simulate.foresight import Terms, list_cold
from secateur.simulate.replay import ReplayedTurn, replay_policy
from secateur.simulate.requests import Recording
from secateur.simulate.session_arrays import Item, SessionArrays, make_session_arrays


def build_session_arrays(
    recording: Recording, policy: Policy, terms: Terms, *, window: int | None = None
) -> list[SessionArrays]:
    """The segments of a recording as numbers, with what the policy may remove."""
    tariff = build_tariff(terms.price, terms.caching.rules, hour=terms.caching.hour, free=terms.caching.free)
    noted = _RecordingSchedule(recording)
    noting: Any = replace(policy, schedule=noted, compaction=None)
    turns: list[ReplayedTurn] = []
    for turn in replay_policy(recording, noting, window=window, tariff=tariff):
        turns.append(turn)
        noted.request += 1
    cold = list_cold(recording, terms.caching)
    by_segment = [[one for one in turns if one.request.segment == at] for at in range(len(recording.segments))]
    return [_build_arrays(some, noted, cold, tariff) for some in by_segment]


class _RecordingSchedule:
    """A schedule that makes nothing, and notes what was proposed first at which request, and what would be left."""

    needs_usage, needs_clock, uses_prices = True, True, False

    def __init__(self, recording: Recording) -> None:
        self.request = 0
        self.found: dict[tuple[int, str], tuple[int, int]] = {}  # segment and key → request, tokens
        self._segments = [one.segment for one in recording.requests]

    def precheck(self, transcript: Transcript, budget: Budget) -> str:
        return ""

    def decide(self, proposal: Proposal) -> Decision:
        segment = self._segments[self.request]
        for key, edit in proposal.edits.items():
            if (segment, key) not in self.found:
                left = proposal.count(edit.text) if isinstance(edit, Rewrite) else 0
                self.found[segment, key] = self.request, left
        return Decision(skipped_reason="only noted")

    def can_admit(self, freed: int, left: int, tariff: CachePricing) -> bool:
        return True


def _build_arrays(
    turns: Sequence[ReplayedTurn], noted: _RecordingSchedule, cold: Sequence[bool], tariff: CachePricing
) -> SessionArrays:
    """Build the lot of one segment, whose last view holds everything it ever sent."""
    prompts = [turn.fixed_tokens + sum(part.tokens for said in turn.seen for part in said.parts) for turn in turns]
    found = make_session_arrays(
        prompts,
        [cold[turn.request.number] for turn in turns],
        _list_items(turns, noted) if turns else [],
        r=tariff.cache_read,
        w=tariff.cache_write,
    )
    return replace(found, outside=tariff.output * sum(turn.request.output for turn in turns))


def _list_items(turns: Sequence[ReplayedTurn], noted: _RecordingSchedule) -> list[Item]:
    last, held = turns[-1], [len(turn.seen) for turn in turns]
    positions = {turn.request.number: at for at, turn in enumerate(turns)}
    before, found = last.fixed_tokens, list[Item]()
    for number, message in enumerate(last.seen):
        first = bisect_right(held, number)
        for part in message.parts:
            request, left = noted.found.get((last.request.segment, part.key), (-1, 0))
            if request in positions:
                at = max(positions[request], first + 1)
                found.append((float(before), float(part.tokens - left), first, at))
            before += part.tokens
    return found
