"""Schedules that are gates: everything that the strategies propose is made, or nothing, with the reason in a sentence.

A gate compares numbers and names them. `precheck` knows the request, `check_freed` also how much the strategies would
edit. Prices are not used.
"""

import re
from functools import lru_cache
from typing import Annotated

from msgspec import Meta

from secateur.bounds import explain_protection
from secateur.budget import CHARS_PER_TOKEN, Budget, weigh_transcript
from secateur.model import Transcript
from secateur.proposal import NOTHING, Decision, Proposal, Schedule
from secateur.protect import Count, Share, count_protected_tokens

Seconds = Annotated[float, Meta(ge=0)]


class Never(Schedule, frozen=True, kw_only=True, tag="never"):
    """Nothing is pruned."""

    reason: str = "the policy prunes nothing"

    def precheck(self, transcript: Transcript, budget: Budget) -> str:
        return self.reason

    def decide(self, proposal: Proposal) -> Decision:
        return Decision(skipped_reason=self.reason)


class EveryRequest(Schedule, frozen=True, kw_only=True, tag="every_request"):
    """Whatever may be removed, goes at once."""

    def check_freed(self, transcript: Transcript, budget: Budget, marked: int, freed: int) -> str:
        return "" if marked or freed else NOTHING

    def decide(self, proposal: Proposal) -> Decision:
        return _decide_all_or_none(
            proposal, self.check_freed(proposal.view, proposal.budget, proposal.marked, proposal.freed)
        )


class Threshold(Schedule, frozen=True, kw_only=True, tag="threshold"):
    """Edits are made when every gate that is set is open. Tokens are by the policy's own counter (SEEDS S.4)."""

    only_models: tuple[str, ...] = ()  # globs over `provider:model`, of which one must fit; empty: any (SEEDS 3.2)
    min_idle_s: Seconds | None = None  # the last call is older than this; unknown counts as closed (SEEDS 3.2)
    over_window_share: Share | None = None  # the view takes more than this share of the window (SEEDS 1.3)
    over_tokens: Count | None = None  # the view takes more than these tokens
    min_char_share: float | None = None  # the messages' weight is at least this share of the window (SEEDS 3.5)
    over_prunable_tokens: Count | None = None  # the parts to be edited hold more than these tokens (SEEDS 1.1)
    or_over_protected_share: Share | None = None  # or more than this share of the protected tokens, if less (SEEDS 1.4)
    clear_at_least: Count = 0  # at least these tokens are freed

    @property
    def needs_usage(self) -> bool:
        """Whether a gate asks how much the view holds (`budget.tokens_used`)."""
        return self.over_window_share is not None or self.over_tokens is not None

    @property
    def needs_clock(self) -> bool:
        """Whether a gate asks what time it is."""
        return self.min_idle_s is not None

    def compute_threshold(self, window: int) -> float | None:
        share = self.over_window_share * window if self.over_window_share is not None and window > 0 else None
        return max((one for one in (share, self.over_tokens) if one is not None), default=None)

    def precheck(self, transcript: Transcript, budget: Budget) -> str:
        return (
            _explain_not_only(self.only_models, transcript)
            or _explain_not_idle(self.min_idle_s, budget.idle_s)
            or _explain_not_over(self, budget)
            or _explain_not_heavy(self.min_char_share, transcript, budget)
            or explain_protection(transcript, budget.protect)
        )

    def check_freed(self, transcript: Transcript, budget: Budget, marked: int, freed: int) -> str:
        if not marked and not freed:
            return NOTHING
        least = _compute_least(self, budget)
        if least is not None and marked <= least:
            return f"{marked:,} tokens would be freed, and the policy asks for more than {least:,}"
        if self.clear_at_least and freed < self.clear_at_least:
            return f"{freed:,} tokens would be freed, and the policy asks for at least {self.clear_at_least:,}"
        return ""

    def decide(self, proposal: Proposal) -> Decision:
        return _decide_all_or_none(
            proposal, self.check_freed(proposal.view, proposal.budget, proposal.marked, proposal.freed)
        )


def _decide_all_or_none(proposal: Proposal, gate: str) -> Decision:
    return Decision(skipped_reason=gate) if gate else Decision(proposal.edits)


_NO_WINDOW = "the window is unknown, and the policy compares with it"


def _compute_least(schedule: Threshold, budget: Budget) -> int | None:
    if schedule.over_prunable_tokens is None or schedule.or_over_protected_share is None:
        return schedule.over_prunable_tokens
    share = schedule.or_over_protected_share * count_protected_tokens(budget.protect, budget.window)
    return min(schedule.over_prunable_tokens, int(share))


def _explain_not_only(only: tuple[str, ...], transcript: Transcript) -> str:
    said = f"{transcript.provider}:{transcript.model}".lower()
    if not only or any(one.fullmatch(said) for one in _compile_globs(only)):
        return ""
    if not transcript.model:
        return f"the policy is for {', '.join(only)} (provider:model), and the model is not known: name it"
    return f"the policy is for {', '.join(only)} (provider:model), and this is {said}"


def _explain_not_idle(over_s: float | None, idle_s: float | None) -> str:
    if over_s is None:
        return ""
    if over_s == 0:
        return "the policy's ttl is 0, which never prunes"
    if idle_s is None:
        return f"no earlier call is known, and the policy waits until one is older than {over_s:,.0f} s"
    if idle_s <= over_s:
        return f"the last call was {idle_s:,.0f} s ago, and the policy waits until it is older than {over_s:,.0f} s"
    return ""


def _explain_not_over(schedule: Threshold, budget: Budget) -> str:
    if schedule.over_window_share is not None and budget.window <= 0:
        return _NO_WINDOW
    if schedule.over_window_share is not None and budget.tokens_used <= schedule.over_window_share * budget.window:
        line = schedule.over_window_share * budget.window
        begins = f"{line:,.0f} ({schedule.over_window_share:.0%})"
        return f"{budget.tokens_used:,} tokens are in use, and the policy begins over {begins}"
    if schedule.over_tokens is not None and budget.tokens_used <= schedule.over_tokens:
        return f"{budget.tokens_used:,} tokens are in use, and the policy begins over {schedule.over_tokens:,}"
    return ""


def _explain_not_heavy(from_weight: float | None, transcript: Transcript, budget: Budget) -> str:
    if from_weight is None:
        return ""
    if budget.window <= 0:
        return _NO_WINDOW
    have, room = weigh_transcript(transcript), budget.window * CHARS_PER_TOKEN
    if have / room < from_weight:
        return f"{have:,} characters are {have / room:.2f} of the window, and the policy begins at {from_weight:.2f}"
    return ""


@lru_cache(maxsize=64)
def _compile_globs(globs: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(".*".join(map(re.escape, glob.strip().lower().split("*"))), re.DOTALL) for glob in globs)
