"""Schedules: when edits are made, and which of those that the strategies propose.

Rule: a schedule is data with two questions (`Decides`): may anything be edited in this request, and which of the
proposals are made now. Its answer follows from history, plan and the numbers of the request. What may go is not its
matter. One kind of schedule, one class, one line in `SCHEDULES`.
"""

from secateur.schedule.balance import Balance, Cold
from secateur.schedule.gates import EveryRequest, Never, Threshold
from secateur.schedule.offer import NOTHING, Choice, Decides, Offer

__all__ = [
    "NOTHING",
    "SCHEDULES",
    "Balance",
    "Choice",
    "Cold",
    "Decides",
    "EveryRequest",
    "Never",
    "Offer",
    "Schedule",
    "Threshold",
]

Schedule = Never | EveryRequest | Threshold | Cold | Balance

SCHEDULES: dict[str, type[Schedule]] = {
    "never": Never,
    "every_request": EveryRequest,
    "threshold": Threshold,
    "cold": Cold,
    "balance": Balance,
}
