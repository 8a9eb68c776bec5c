"""Schedules: when edits are made, and which of those that the strategies propose.

A schedule is data with two methods: `precheck` says whether anything may be edited in this request, `decide` which of
the proposed edits are made. Both follow from history, plan and the numbers of the request. What may be edited is not
decided here. To add one: a class, and a line in `SCHEDULES`.
"""

from typing import Any

from secateur.errors import ConfigError
from secateur.proposal import NOTHING, Decision, Proposal, Schedule
from secateur.registry import Registry
from secateur.schedule.break_even import BreakEven, ColdCache
from secateur.schedule.gates import EveryRequest, Never, Threshold

__all__ = [
    "NOTHING",
    "SCHEDULES",
    "BreakEven",
    "Decision",
    "ColdCache",
    "EveryRequest",
    "Never",
    "Proposal",
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
