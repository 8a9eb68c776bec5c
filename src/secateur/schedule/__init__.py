"""Schedules: when edits are made, and which of those that the strategies propose.

Rule: a schedule is data with two questions (`Schedule`): may anything be edited in this request, and which of the
proposals are made now. Its answer follows from history, plan and the numbers of the request. What may go is not its
matter. One kind of schedule, one class, one line in `SCHEDULES`.
"""

from typing import Any

from secateur.errors import ConfigError
from secateur.registry import Registry
from secateur.schedule.break_even import BreakEven, ColdCache
from secateur.schedule.gates import EveryRequest, Never, Threshold
from secateur.proposal import NOTHING, Choice, Offer, Schedule

__all__ = [
    "NOTHING",
    "SCHEDULES",
    "BreakEven",
    "Choice",
    "ColdCache",
    "EveryRequest",
    "Never",
    "Offer",
    "Schedule",
    "Threshold",
]


def _admit(name: str, loaded: Any) -> type[Schedule]:
    if not (isinstance(loaded, type) and issubclass(loaded, Schedule)):
        raise ConfigError(f"{loaded!r:.80} is not a subclass of secateur.plugins.Schedule")
    if loaded.__struct_config__.tag != name:
        raise ConfigError(f"its tag is {loaded.__struct_config__.tag!r}, and its entry point is called {name!r}")
    return loaded


SCHEDULES: Registry[type[Schedule]] = Registry(
    "schedules",
    {
        "never": "secateur.schedule.gates:Never",
        "every_request": "secateur.schedule.gates:EveryRequest",
        "threshold": "secateur.schedule.gates:Threshold",
        "cold_cache": "secateur.schedule.break_even:ColdCache",
        "break_even": "secateur.schedule.break_even:BreakEven",
    },
    _admit,
)
