"""When to compact: how full the window is, the threshold, and whether a compaction is due.

Rule: the provider's reported count anchors ours, and a report of zero is ignored (a server that reports zero must not
switch compaction off). System prompt and tools count: if they alone fill the window no summary can help, and none is
requested. `off` is checked first, also for a forced compaction. Nothing here reads messages.
"""

from fnmatch import fnmatchcase
from typing import Literal

from msgspec import Struct

from secateur.compaction.settings import Compaction

RESERVE_TOKENS = 20_000  # opencode and OpenClaw keep as much free (compaction.reserved, reserveTokensFloor)
RESERVE_SHARE = 0.125  # of a small window: a fixed reserve would leave nothing of 8k to 32k

Why = Literal["off", "no_window", "fixed_overhead", "under", "over", "forced"]


class Report(Struct, frozen=True):
    """The provider's count for an earlier request, and ours for the same one."""

    tokens: int  # input and output, cached or not
    estimated: int  # by our counter


class Load(Struct, frozen=True):
    """How full the window is now."""

    tokens: int  # messages, system prompt and tools
    fixed: int = 0  # system prompt and tools alone
    anchored: bool = False  # a provider's own count is behind it; False: estimated


class Limits(Struct, frozen=True):
    """The threshold of compaction, in tokens, and its reason."""

    window: int
    reserve: int
    usable: int  # window less reserve
    threshold: int
    source: str  # the setting that decided


class Due(Struct, frozen=True):
    """Whether to compact now, and why in one sentence."""

    now: bool
    why: Why
    text: str


def load(estimated: int, fixed: int = 0, report: Report | None = None) -> Load:
    """The tokens in use: our estimate of the view, anchored on what was reported for an earlier one.

    What came since is added by our count (as Pi does); what went since goes in proportion to how far the report and
    our count were apart. `estimated` includes `fixed`.
    """
    if report is None or report.tokens <= 0 or report.estimated <= 0:
        return Load(estimated, fixed)
    if estimated >= report.estimated:
        return Load(report.tokens + estimated - report.estimated, fixed, anchored=True)
    return Load(report.tokens * estimated // report.estimated, fixed, anchored=True)


def compute_limits(settings: Compaction, window: int, model: str = "") -> Limits:
    """Return a window's threshold: what is usable beside the reserve or the policy's, whichever is less."""
    asked_reserve, most = settings.reserve_tokens, settings.max_reserve_share
    if asked_reserve is None:
        asked_reserve, most = RESERVE_TOKENS, RESERVE_SHARE
    reserve = min(asked_reserve, int(window * most))
    usable = max(0, window - reserve)
    named = [(len(glob), glob, limit) for glob, limit in settings.model_thresholds.items() if _is_match(glob, model)]
    if named:
        _, glob, limit = max(named)
        asked = [(_resolve_tokens(limit, window), f"models.{glob}")]
    else:
        both = (("over_share", settings.over_window_share), ("over_tokens", settings.over_tokens))
        asked = [(_resolve_tokens(limit, window), name) for name, limit in both if limit is not None]
    threshold, source = min([(usable, "window less reserve"), *asked])
    return Limits(window, reserve, usable, threshold, source)


def check_due(settings: Compaction, load: Load, limits: Limits, forced: bool = False, share: float = 1.0) -> Due:
    """Return whether a compaction is due, or would be at this share of its threshold.

    `forced`: a person, a provider overflow or a model switch requests it.
    """
    if not settings.enabled:
        return Due(False, "off", "compaction is off")
    if limits.window > 0 and load.fixed >= limits.usable:
        return Due(False, "fixed_overhead", _explain_overload(load, limits))
    if forced:
        return Due(True, "forced", "asked for")
    if limits.window <= 0:
        return Due(False, "no_window", "the window is unknown")
    threshold = share * limits.threshold
    over = load.tokens >= threshold if settings.inclusive else load.tokens > threshold
    by = "reported" if load.anchored else "estimated"
    said = f"{load.tokens:,} tokens are in use ({by}), compaction begins over {limits.threshold:,} ({limits.source})"
    return Due(over, "over" if over else "under", said)


def _explain_overload(load: Load, limits: Limits) -> str:
    return (
        f"system prompt and tools alone take {load.fixed:,} tokens, and {limits.usable:,} of {limits.window:,} are"
        " usable: no compaction can help; send fewer tools or use a larger window"
    )


def _resolve_tokens(limit: int | float, window: int) -> int:
    return int(limit * window) if isinstance(limit, float) else limit


def _is_match(glob: str, model: str) -> bool:
    return fnmatchcase(model.lower(), glob.strip().lower())
