"""Schedules: when edits are made, and which of those that the strategies propose.

A schedule is data with two methods: `precheck` says whether anything may be edited in this request, `decide` which of
the proposed edits are made. Both follow from history, plan and the numbers of the request. What may be edited is not
decided here. To add one: a class, and a line in `SCHEDULES`.
"""

from secateur.proposal import NOTHING, Decision, Proposal, Schedule
from secateur.registry import Registry, make_subclass_check
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


SCHEDULES: Registry[type[Schedule]] = Registry(
    "schedules",
    {
        "never": "secateur.schedule.gates:Never",
        "every_request": "secateur.schedule.gates:EveryRequest",
        "threshold": "secateur.schedule.gates:Threshold",
        "cold_cache": "secateur.schedule.break_even:ColdCache",
        "break_even": "secateur.schedule.break_even:BreakEven",
    },
    make_subclass_check(Schedule),
)
