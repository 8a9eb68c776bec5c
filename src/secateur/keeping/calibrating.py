"""How a provider's count of input tokens compares with ours, learned from what it reports.

Rule: a sample outside the plausible band is of something else than counting (a partial answer, a test's made-up
figures, another request), so it is left out and said, never bent into the band.
"""

from secateur.stores.protocol import Calibration
from secateur.usage import Usage

WEIGHT = 0.3  # of a new sample in the running ratio; the first one counts whole
LEAST, MOST = 0.5, 3.0  # reported tokens for one of ours: by content, models differ by 0.9 to 1.8


def calibrated(before: Calibration, counted: int, told: Usage) -> Calibration:
    """The ratio with one more sample: what was reported for a view that we count `counted` tokens."""
    if not counted or not told.prompt or implausible(counted, told):
        return before
    ratio = told.prompt / counted
    if before.samples:
        ratio = before.ratio + WEIGHT * (ratio - before.ratio)
    return Calibration(ratio, before.samples + 1)


def implausible(counted: int, told: Usage) -> str:
    """Why a sample is left out, in a sentence; "" where it counts, or is none."""
    if not counted or not told.prompt or LEAST <= told.prompt / counted <= MOST:
        return ""
    return (
        f"the reported usage was left out of the calibration: {told.prompt:,} input tokens for a request of about "
        f"{counted:,} is {told.prompt / counted:.2g} times our count, and {LEAST} to {MOST} times is plausible; "
        "hand `observe` the usage of that request"
    )
