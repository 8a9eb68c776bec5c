"""How a provider's count of input tokens compares with ours, learned from what it reports.

Rule: a sample outside the plausible band is of something else than counting (a partial answer, a test's made-up
figures, another request), so it is left out and said, never bent into the band.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from secateur.stores.protocol import Calibration, State
from secateur.tokens import factor
from secateur.usage import Usage

WEIGHT = 0.3  # of a new sample in the running ratio; the first one counts whole
LEAST, MOST = 0.5, 3.0  # reported tokens for one of ours: by content, models differ by 0.9 to 1.8


def calibration_of(state: State, model: str) -> Calibration:
    """The session's calibration for a model, over our count as it is now."""
    return rebased(state.calibrations.get(model, Calibration()), model)


def rebased(before: Calibration, model: str) -> Calibration:
    """The same over our count as it is now: one that was learned over another factor for this model is carried over.

    Without a sample nothing was learned, and our count stands as it is.
    """
    times = factor(model)
    if before.over == times:
        return before
    return replace(before, ratio=before.ratio * before.over / times if before.samples else 1.0, over=times)


def calibrated(before: Calibration, counted: int, told: Usage) -> Calibration:
    """The ratio with one more sample: what was reported for a view that we count `counted` tokens."""
    if not counted or not told.prompt:
        return before
    ratio = told.prompt / counted
    if not LEAST <= ratio <= MOST:
        return replace(before, left_out=(told.prompt, counted))
    if before.samples:
        ratio = before.ratio + WEIGHT * (ratio - before.ratio)
    return replace(before, ratio=ratio, samples=before.samples + 1)


def left_out(calibrations: Mapping[str, Calibration]) -> tuple[str, ...]:
    """What a receipt says of samples that were left out since the one before, in a sentence each."""
    samples = [one.left_out for one in calibrations.values() if one.left_out[0]]
    return tuple(
        f"the reported usage was left out of the calibration: {reported:,} input tokens for a request of about "
        f"{counted:,} is {reported / counted:.2g} times our count, and {LEAST} to {MOST} times is plausible; "
        "hand `observe` the usage of that request"
        for reported, counted in samples
    )


def said(calibrations: Mapping[str, Calibration]) -> dict[str, Calibration]:
    """The calibrations whose samples were left out, after a receipt has said so."""
    return {model: replace(one, left_out=(0, 0)) for model, one in calibrations.items() if one.left_out[0]}
