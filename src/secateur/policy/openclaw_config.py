"""OpenClaw's own configuration, read as the policy that it describes (SEEDS 3.2-3.8).

Rule: values are coerced as OpenClaw coerces them, and each setting that is stated wins singly over the defaults that
follow from the kind of credentials. Only the document counts: environment variables and included files are not read.
Heartbeats and cache lifetimes are reported in `Policy.host` and not acted on.
"""

import math
from pathlib import Path
from typing import Any

from msgspec import structs

from secateur.errors import ConfigError
from secateur.policy.duration import seconds
from secateur.policy.language import Policy
from secateur.protect import Protection
from secateur.schedule import Never, Schedule, Threshold
from secateur.strategies import HardClear, SoftTrim, Strategy

Config = dict[str, Any]

_ROOTS = frozenset(("agent", "agents", "models", "auth"))
_KINDS = {"api_key": "api_key", "oauth": "oauth", "token": "oauth"}  # a setup-token is a `token`
_HEARTBEATS = {"oauth": "1h", "api_key": "30m"}  # SEEDS 3.7
_CACHE_TTL = "1h"  # SEEDS 3.7: for an API key, on Anthropic models


def read(path: Path, base: Policy) -> Policy:
    """The policy that a configuration file describes, over `base`, the preset. Raises ConfigError."""
    try:
        import pyjson5
    except ImportError as error:
        raise ConfigError(f"{path} is JSON5, which needs another package: pip install secateur[cli]") from error
    try:
        config = pyjson5.decode(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the configuration {path} cannot be read: {error}") from error
    except pyjson5.Json5Exception as error:
        raise ConfigError(f"the configuration {path} is not JSON5: {error}") from error
    if not isinstance(config, dict) or not _ROOTS & config.keys():
        raise ConfigError(f"{path} is no configuration of OpenClaw: it has none of {', '.join(sorted(_ROOTS))}")
    return configured(config, base)


def configured(config: Config, base: Policy) -> Policy:
    """The policy that a configuration describes; `mode` is off where neither it nor the credentials say otherwise."""
    defaults = _at(config, "agents", "defaults")
    pruning = _over(_at(config, "agent", "contextPruning"), _at(defaults, "contextPruning"))
    kind = credentials(config)
    mode = pruning.get("mode", "cache-ttl" if kind else "off")
    return structs.replace(
        base,
        protect=_protect(pruning, base.protect),
        prune=_strategies(pruning, base.prune),
        schedule=_schedule(pruning, mode, base.schedule),
        windows=_windows(config),
        context_tokens=_positive(defaults.get("contextTokens")),
        host_settings=_host(config, kind, mode),
    )


def credentials(config: Config) -> str:
    """What Anthropic is paid by: "api_key", "oauth" (setup-tokens included), or "" where the profiles do not tell."""
    profiles = {name: one for name, one in _at(config, "auth", "profiles").items() if isinstance(one, dict)}
    ours = {
        name: _KINDS.get(one.get("mode", "")) for name, one in profiles.items() if one.get("provider") == "anthropic"
    }
    order = _at(config, "auth", "order").get("anthropic")
    for name in order if isinstance(order, list) else ():
        if isinstance(name, str) and ours.get(name):
            return str(ours[name])
    kinds = set(filter(None, ours.values()))
    return str(kinds.pop()) if len(kinds) == 1 else ""


def _protect(pruning: Config, base: Protection) -> Protection:
    tools = _at(pruning, "tools")
    return structs.replace(
        base,
        last_assistant_messages=_whole(pruning.get("keepLastAssistants"), base.last_assistant_messages),
        prunable_tools=_texts(tools.get("allow")),
        tools=_texts(tools.get("deny")),
    )


def _strategies(pruning: Config, base: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
    """The preset's strategies with these settings; the hard clear can be switched off."""
    soft, hard = _at(pruning, "softTrim"), _at(pruning, "hardClear")
    kept = [one for one in base if hard.get("enabled") is not False or not isinstance(one, HardClear)]
    return tuple(
        _trim(one, soft) if isinstance(one, SoftTrim) else _clear(one, hard, pruning)
        for one in kept
        if isinstance(one, SoftTrim | HardClear)
    )


def _trim(base: SoftTrim, soft: Config) -> SoftTrim:
    return structs.replace(
        base,
        max_chars=_whole(soft.get("maxChars"), base.max_chars),
        head_chars=_whole(soft.get("headChars"), base.head_chars),
        tail_chars=_whole(soft.get("tailChars"), base.tail_chars),
    )


def _clear(base: HardClear, hard: Config, pruning: Config) -> HardClear:
    return structs.replace(
        base,
        placeholder=_literal(hard.get("placeholder")) or base.placeholder,
        min_char_share=_ratio(pruning.get("hardClearRatio"), base.min_char_share),
        min_total_chars=_whole(pruning.get("minPrunableToolChars"), base.min_total_chars),
    )


def _schedule(pruning: Config, mode: Any, base: Schedule) -> Schedule:
    if mode != "cache-ttl" or not isinstance(base, Threshold):
        return Never(reason=f"contextPruning.mode is {mode!r} in OpenClaw's configuration; only 'cache-ttl' prunes")
    ttl = pruning.get("ttl")
    idle_s = seconds(ttl) if isinstance(ttl, str) else None
    return structs.replace(
        base,
        min_idle_s=base.min_idle_s if idle_s is None else idle_s,
        min_char_share=_ratio(pruning.get("softTrimRatio"), base.min_char_share),
    )


def _windows(config: Config) -> dict[str, int]:
    """`models.providers.*.models[].contextWindow` (SEEDS 3.4)."""
    found: dict[str, int] = {}
    for provider in _at(config, "models", "providers"):
        models = _at(config, "models", "providers", provider).get("models")
        for model in models if isinstance(models, list) else ():
            window = _positive(model.get("contextWindow")) if isinstance(model, dict) else None
            if window is not None and isinstance(model.get("id"), str):
                found[f"{provider}/{model['id']}"] = window
    return found


def _host(config: Config, kind: str, mode: Any) -> dict[str, str]:
    """What is reported (SEEDS 3.7): each stated setting wins over the default for the kind of credentials."""
    defaults = _at(config, "agents", "defaults")
    told = {"contextPruning.mode": str(mode)} | ({"credentials": kind} if kind else {})
    beat = _at(defaults, "heartbeat").get("every", _HEARTBEATS.get(kind))
    if beat is not None:
        told["heartbeat"] = str(beat)
    for name in _models(defaults):
        ttl = _at(defaults, "models", name, "params").get("cacheControlTtl")
        if ttl is None and kind == "api_key" and _provider(name) == "anthropic":
            ttl = _CACHE_TTL
        if ttl is not None:
            told[f"{name} cacheControlTtl"] = str(ttl)
    return told


def _models(defaults: Config) -> list[str]:
    """The models with settings of their own, and the primary one."""
    primary = defaults.get("model")
    primary = primary.get("primary") if isinstance(primary, dict) else primary
    named = [*_at(defaults, "models"), *([primary] if isinstance(primary, str) and primary else [])]
    return list(dict.fromkeys(named))


def _provider(model: str) -> str:
    """A name without a provider is Anthropic's."""
    provider, slash, _ = model.partition("/")
    return provider.lower() if slash else "anthropic"


def _at(config: Any, *names: str) -> Config:
    """The table under these names; empty where there is none."""
    for name in names:
        config = config.get(name) if isinstance(config, dict) else None
    return config if isinstance(config, dict) else {}


def _over(below: Config, above: Config) -> Config:
    """`agents.defaults` wins over the older `agent`, setting by setting."""
    merged = {**below, **above}
    for name, value in above.items():
        inner = below.get(name)
        if isinstance(inner, dict) and isinstance(value, dict):
            merged[name] = _over(inner, value)
    return merged


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _whole(value: Any, default: int) -> int:
    number = _number(value)
    return default if number is None else max(0, math.floor(number))


def _ratio(value: Any, default: float | None) -> float | None:
    number = _number(value)
    return default if number is None else min(1.0, max(0.0, float(number)))


def _positive(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 1 else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _literal(value: Any) -> str:
    """A placeholder is fixed text here: braces are no fields."""
    return value.strip().replace("{", "{{").replace("}", "}}") if isinstance(value, str) else ""
