"""How many tokens a model takes, and where that number comes from.

Rule: stated by the caller, then by the policy, then the registry, then 200,000; `context_tokens` is a ceiling on any of
them. The registry is a dated table made by `scripts/refresh_models.py`; a model it does not know is not guessed at.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from secateur.policy.language import Policy

DEFAULT_WINDOW = 200_000  # SEEDS 3.4

_DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|-)")
_TAIL = re.compile(r"(?:-latest|-v\d+|:[\w.-]+)+$")
_HEAD = re.compile(
    r"^(?:(?:us|eu|apac|global|au|jp)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\."
)


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
    name = normal(model)
    if name in windows:
        return windows[name]
    while "-" in name:  # a variant of a known model: another word behind its name, never another version
        name, _, word = name.rpartition("-")
        if not word.isalpha():
            return None
        if name in windows:
            return windows[name]
    return None


def normal(model: str) -> str:
    """A model's name without provider, region, date and version tail; dots are dashes."""
    name = model.strip().lower().rpartition("/")[2]
    name = _TAIL.sub("", _DATE.sub("", _HEAD.sub("", name)))
    return name.replace(".", "-").replace("_", "-")


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
