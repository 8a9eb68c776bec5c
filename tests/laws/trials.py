"""The policies that cases are played under: each preset at a scale at which it acts on short stories, each preset as it
is on long ones, policies that use every strategy, and policies that are drawn.
"""

from random import Random
from typing import Any, NamedTuple

import msgspec

from secateur.policy import PRESETS, Policy, load

SCALE = 400  # by how much a preset's token and character thresholds shrink
_TOKENS = ("tokens", "more_than", "over_tokens", "clear_at_least")
_SCALED = (*_TOKENS, "min_chars", "worth_chars", "max_chars", "head_chars", "tail_chars")
EVERY = {"type": "every_request"}


class Trial(NamedTuple):
    """A policy and what it is played with."""

    name: str
    policy: Policy
    bulk: int = 1  # how much longer results are
    idle_s: float | None = None
    sticky: bool = True


def scaled(value: Any, by: int = SCALE) -> Any:
    """A policy's plain data with its thresholds made smaller."""
    if not isinstance(value, dict):
        return [scaled(one, by) for one in value] if isinstance(value, list | tuple) else value
    return {
        name: max(1, one // by) if name in _SCALED and isinstance(one, int) and one else scaled(one, by)
        for name, one in value.items()
    }


def preset(name: str) -> Trial:
    plain = scaled(msgspec.to_builtins(load(name)))
    if plain.get("protect", {}).get("last_messages"):
        plain["protect"]["last_messages"] = 3
    return Trial(name, load(plain), idle_s=400 if name == "openclaw" else None)


def own(name: str, *prune: dict[str, Any], **more: Any) -> Trial:
    made = load({"name": name, "prune": list(prune), "schedule": EVERY} | more)
    return Trial(name, made, sticky=made.sticky)


CLEAR = {"type": "hard_clear"}
BLUNT = {"type": "hard_clear", "placeholder": "[gone]", "never_longer": False}
TRIM = {"type": "soft_trim", "max_chars": 60, "head_chars": 20, "tail_chars": 20}
ENDS = TRIM | {"form": "ends"}
INPUTS = {"type": "clear_inputs", "max_chars": 20, "head_chars": 5}
MEDIA = {"type": "clear_media", "keep": 0}
FEWER = {"type": "clear_media", "keep": 1, "max_media": 2, "max_media_bytes": 900}
REASONING = {"type": "drop_reasoning"}
UNSIGNED = {"type": "drop_reasoning", "signed": False}
BIRTH = {"type": "excerpt", "max_chars": 80}
SAME = {"type": "deduplicate", "min_result_chars": 0}
STALE = {"type": "supersede", "recent_files": 1}
CONDENSE = {"type": "condense"}

TRIALS: tuple[Trial | None, ...] = (
    *(preset(name) for name in PRESETS),
    *(Trial(f"{name}, long", load(name), 150, 400.0) for name in ("kilocode", "openclaw", "anthropic")),
    own("everything", TRIM, CLEAR, INPUTS, MEDIA, REASONING, on_arrival=BIRTH, protect={"last_messages": 2}),
    own("nothing protected", BLUNT, INPUTS, MEDIA, REASONING),
    own("not sticky", ENDS, BLUNT, MEDIA, REASONING, sticky=False),
    own("inputs", INPUTS, protect={"last_rounds": 1}),
    own("media", FEWER),
    own("reasoning", REASONING, protect={"last_messages": 1}),
    own("plain reasoning", UNSIGNED),
    own("birth", on_arrival=BIRTH),
    own("stale", SAME, STALE, protect={"recent_files": 1, "unresolved_errors": True}),
    own("stale, then old", SAME, STALE, CONDENSE, INPUTS, on_arrival=BIRTH, protect={"last_results": 2}),
    None,  # drawn from the case's seed
    None,
    None,
)


def drawn(seed: int) -> Trial:
    """Any strategies in any order under any protection."""
    rng = Random(f"policy {seed}")
    prune = rng.sample((CLEAR, BLUNT, TRIM, ENDS, INPUTS, MEDIA, FEWER, REASONING, UNSIGNED), rng.randint(1, 5))
    protect: dict[str, Any] = {}
    for name in (
        "first_messages",
        "last_turns",
        "last_assistant_messages",
        "last_rounds",
        "last_messages",
        "last_results",
    ):
        if rng.random() < 0.2:
            protect[name] = rng.randint(1, 3)
    for name in ("error_results", "media_results", "before_first_user", "count_all_user_messages"):
        protect[name] = rng.random() < 0.2
    more: dict[str, Any] = {"on_arrival": BIRTH} if rng.random() < 0.3 else {}
    if rng.random() < 0.3:
        more["schedule"] = {"type": "threshold", "over_window_share": rng.choice((0.1, 0.6)), "clear_at_least": 5}
    return own("drawn", *prune, protect=protect, **more)
