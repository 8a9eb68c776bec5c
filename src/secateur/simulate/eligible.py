"""What a policy would let go, and from when on, were it free to choose the moment: what its own oracle may prune.

Rule: the policy is asked at every request, with its schedule, its excerpts at birth and its compaction set aside;
nothing else of it is changed. A result counts from the request after the first that held it. The oracle takes results
as a whole: a policy that excerpts what is new, edits more than results or compacts can be cheaper than its oracle.
"""

from msgspec.structs import replace

from secateur.model import Remove, Rewrite
from secateur.policy import Policy
from secateur.schedule import EveryRequest
from secateur.simulate.foresight import Eligible, first_seen
from secateur.simulate.replay import replayed
from secateur.simulate.requests import Recording
from secateur.tariff import Tariff


def permitted(
    recording: Recording, policy: Policy, *, window: int | None = None, tariff: Tariff | None = None
) -> Eligible:
    """By segment: key of a result → the request from which on the policy would let it go."""
    eager = replace(policy, schedule=EveryRequest(), birth=None, compaction=None)
    found: list[dict[str, int]] = [{} for _ in recording.segments]
    seen = [first_seen(recording, segment) for segment in range(len(recording.segments))]
    for number, turn in enumerate(replayed(recording, eager, window=window, tariff=tariff)):
        segment = turn.request.segment
        for edit in turn.plan.epochs[-1].edits if turn.opened else ():
            if isinstance(edit, Rewrite | Remove) and edit.key in seen[segment]:
                found[segment].setdefault(edit.key, max(number, seen[segment][edit.key] + 1))
    return found
