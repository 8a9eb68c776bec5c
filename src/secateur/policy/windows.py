"""The size of a model's context window in tokens, and the source of that number.

Rule: the order is: stated by the caller, stated by the policy, the provider's refusal of a longer request, recorded by
the host, the registry, 200,000. `context_tokens` is a ceiling on any of them. The registry is a dated table, made by
`scripts/refresh_models.py`; unknown models are not guessed.
"""

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.policy.language import Policy
from secateur.pricing.model_names import match_known_name, normalize_model

DEFAULT_WINDOW = 200_000  # SEEDS 3.4


def resolve(stated: int | None, model: str, policy: Policy, *, learned: int = 0, recorded: int = 0) -> tuple[int, str]:
    """Return the window in tokens and its source, in a few words.

    `learned` comes from the model's provider, `recorded` from the document's host; 0 if unknown.
    """
    window, source = _find_stated(stated, model, policy) or _find_fallback(model, learned, recorded)
    ceiling = policy.context_tokens
    if ceiling is not None and ceiling < window:
        return ceiling, f"context_tokens of policy {policy.name}, below {window:,} ({source})"
    return window, source


class ViewTarget(Struct, frozen=True):
    """A policy's own bound on its views, where it is below the window. It asks for no room for an answer."""

    policy: Policy  # with no such room
    tokens: int
    source: str


def find_target(policy: Policy, window: int, source: str) -> ViewTarget | None:
    """The bound that `target_tokens` states; None where it states none, or the window is smaller."""
    tokens = policy.target_tokens
    if tokens is None or 0 < window <= tokens:
        return None
    if policy.compaction is not None:
        policy = replace(policy, compaction=replace(policy.compaction, reserve_tokens=0))
    below = f", below {window:,} ({source})" if window > 0 else ""
    return ViewTarget(policy, tokens, f"target_tokens of policy {policy.name}{below}")


@lru_cache(maxsize=256)
def get_window(model: str) -> int | None:
    """The registry's window of a model, under any of its providers' names; None if it has none."""
    windows: dict[str, int] = _load_registry()["windows"]
    name = match_known_name(model, windows)
    return None if name is None else windows[name]


def _find_stated(stated: int | None, model: str, policy: Policy) -> tuple[int, str] | None:
    if stated is not None:
        return stated, "stated"
    if policy.window is not None:
        return policy.window, f"policy {policy.name}"
    if not policy.windows or not model:
        return None
    named = {normalize_model(name): tokens for name, tokens in policy.windows.items()} | policy.windows
    found = named.get(model, named.get(normalize_model(model)))
    return None if found is None else (found, f"policy {policy.name}, for {model}")


def _find_fallback(model: str, learned: int, recorded: int) -> tuple[int, str]:
    if learned:
        return learned, "learned: the provider said so when it refused a longer request"
    if recorded:
        return recorded, "recorded by the host"
    known = get_window(model) if model else None
    if known is not None:
        registry = _load_registry()
        return known, f"registry ({registry['source']}, {registry['date']}), for {model}"
    return DEFAULT_WINDOW, f"default, since {model} is not in the registry" if model else "default"


@cache
def _load_registry() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(Path(__file__).with_name("windows.json").read_text("utf-8"))
    return made
