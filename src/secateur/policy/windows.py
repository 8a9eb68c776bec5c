"""How many tokens a model takes, and where that number comes from.

Rule: stated by the caller, then by the policy, then the registry, then 200,000; `context_tokens` is a ceiling on any of
them. The registry is a dated table made by `scripts/refresh_models.py`; a model it does not know is not guessed at.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from secateur.modelname import known_as, normal
from secateur.policy.language import Policy

DEFAULT_WINDOW = 200_000  # SEEDS 3.4


def resolve(stated: int | None, model: str, policy: Policy) -> tuple[int, str]:
    """The window in tokens and where it comes from, in a few words."""
    window, source = _uncapped(stated, model, policy)
    ceiling = policy.context_tokens
    if ceiling is not None and ceiling < window:
        return ceiling, f"context_tokens of policy {policy.name}, below {window:,} ({source})"
    return window, source


def window_of(model: str) -> int | None:
    """The registry's window of a model, under any of the names that providers give it; None if it has none."""
    windows: dict[str, int] = _registry()["windows"]
    name = known_as(model, windows)
    return None if name is None else windows[name]


def _uncapped(stated: int | None, model: str, policy: Policy) -> tuple[int, str]:
    if stated is not None:
        return stated, "stated"
    if policy.window is not None:
        return policy.window, f"policy {policy.name}"
    named = {normal(name): tokens for name, tokens in policy.windows.items()} | policy.windows
    found = named.get(model, named.get(normal(model))) if model else None
    if found is not None:
        return found, f"policy {policy.name}, for {model}"
    known = window_of(model) if model else None
    if known is not None:
        registry = _registry()
        return known, f"registry ({registry['source']}, {registry['date']}), for {model}"
    return DEFAULT_WINDOW, f"default, since {model} is not in the registry" if model else "default"


@cache
def _registry() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(Path(__file__).with_name("windows.json").read_text("utf-8"))
    return made
