"""Warnings about a policy's settings.

Rule: each is a fact with its remedy, in one sentence; nothing is changed and nothing rejected. `doctor` prints them.
"""

from secateur.policy.language import Policy
from secateur.protect import is_protected_tool
from secateur.schedule import Never, Threshold
from secateur.text.durations import parse_seconds

_LEAST_TURNS = 2  # SEEDS 0.3


def give_advice(policy: Policy) -> list[str]:
    """Advice about settings with surprising effects; none for a policy that prunes nothing."""
    if not policy.prune or isinstance(policy.schedule, Never):
        return []
    return [*_check_skills(policy), *_check_turns(policy), *_check_ttl(policy)]


def _check_skills(policy: Policy) -> list[str]:
    """SEEDS 0.3: a skill's instructions cannot be recovered from a summary."""
    protect = policy.protect
    if is_protected_tool(protect, "skill") or "skill" in protect.tool_kinds:
        return []
    return [
        "results of the tool `skill` can be removed, and with them the agent's instructions: add it to protect.tools"
    ]


def _check_turns(policy: Policy) -> list[str]:
    protect = policy.protect
    if (
        protect.last_turns >= _LEAST_TURNS
        or protect.last_assistant_messages
        or protect.last_messages
        or protect.last_rounds
        or protect.last_results
    ):
        return []
    return [
        f"only the last {protect.last_turns} user turns are protected, so results of the running task may be removed: "
        "set protect.last_turns to 2 or more"
    ]


def _check_ttl(policy: Policy) -> list[str]:
    """SEEDS 3.7: pruning pays when it happens just after the provider's cache has expired."""
    ttl = policy.schedule.min_idle_s if isinstance(policy.schedule, Threshold) else None
    if ttl is None:
        return []
    return [
        f"ttl is {ttl:,.0f} s and {setting} is {said}: make them equal, or pruning misses the end of the cache"
        for setting, said in policy.host_settings.items()
        if setting.endswith("cacheControlTtl") and parse_seconds(said) != ttl
    ]
