"""Rules of plugins: each checks the histories of one API, after the built-in rules of that API.

Rule: no request fails because of a plugin's rule. One that raises finds nothing and causes a warning. A repair that
raises is an error, because it may have stopped halfway.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from msgspec.structs import replace

from secateur.api.rule import Found, Rule
from secateur.errors import ConfigError
from secateur.registry import SWITCH, Registry, warn

_OURS = re.compile(r"[A-Z]\d+")


def list_plugin_rules(family: str) -> tuple[Rule, ...]:
    """Return the plugin rules for an API."""
    return tuple(rule for rule in ADDED.load_plugins().values() if rule.family == family)


def _wrap_plugin_rule(name: str, loaded: Any) -> Rule:
    from secateur.api import FAMILIES

    if not isinstance(loaded, Rule):
        raise ConfigError(f"{loaded!r:.80} is not a rule: make one with secateur.plugins.rule")
    if loaded.id != name:
        raise ConfigError(f"its id is {loaded.id!r}, and its entry point is called {name!r}")
    if _OURS.fullmatch(name):
        raise ConfigError("ids of one letter and a number are those of built-in rules: choose another, as in ACME-1")
    if loaded.family not in FAMILIES:
        raise ConfigError(f"it is for the API {loaded.family!r}: set family to one of {', '.join(FAMILIES)}")
    repair = _guard_repair(loaded.repair, name) if loaded.repair else None
    return replace(loaded, check=_guard_check(loaded.check, name), repair=repair)


def _guard_check(check: Callable[..., Found], name: str) -> Callable[..., Found]:
    @wraps(check)
    def guarded(*args: Any) -> Found:
        try:
            return tuple(check(*args) or ())
        except Exception as error:
            warn(f"the rule {name!r} of a plugin failed and was skipped: {type(error).__name__}: {error}")
            return ()

    return guarded


def _guard_repair(repair: Callable[..., None], name: str) -> Callable[..., None]:
    @wraps(repair)
    def guarded(run: Any) -> None:
        try:
            repair(run)
        except Exception as error:
            raise ConfigError(
                f"the repair of the plugin's rule {name!r} failed: {type(error).__name__}: {error}. Set {SWITCH}=off"
            ) from error

    return guarded


ADDED: Registry[Rule] = Registry("rules", {}, _wrap_plugin_rule)
