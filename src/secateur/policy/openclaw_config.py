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
from secateur.policy.language import Policy
from secateur.protect import Protection
from secateur.schedule import Never, Schedule, Threshold
from secateur.strategies import HardClear, SoftTrim, Strategy
from secateur.text.durations import parse_seconds

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
        raise ConfigError(f"{path} is not a configuration of OpenClaw: it has none of {', '.join(sorted(_ROOTS))}")
    return convert_config(config, base)


def convert_config(config: Config, base: Policy) -> Policy:
    """The policy described by a configuration; `mode` is off unless it or the credentials say otherwise."""
    defaults = _get_table(config, "agents", "defaults")
    pruning = _merge_tables(_get_table(config, "agent", "contextPruning"), _get_table(defaults, "contextPruning"))
    kind = detect_credentials(config)
    mode = pruning.get("mode", "cache-ttl" if kind else "off")
    return structs.replace(
        base,
        protect=_protect(pruning, base.protect),
        prune=_configure_strategies(pruning, base.prune),
        schedule=_schedule(pruning, mode, base.schedule),
        windows=_collect_windows(config),
        context_tokens=_parse_positive(defaults.get("contextTokens")),
        host_settings=_describe_host(config, kind, mode),
    )


def detect_credentials(config: Config) -> str:
    """Anthropic's credentials: "api_key", "oauth" (setup-tokens included), or "" if the profiles are unclear."""
    profiles = {name: one for name, one in _get_table(config, "auth", "profiles").items() if isinstance(one, dict)}
    ours = {
        name: _KINDS.get(one.get("mode", "")) for name, one in profiles.items() if one.get("provider") == "anthropic"
    }
    order = _get_table(config, "auth", "order").get("anthropic")
    for name in order if isinstance(order, list) else ():
        if isinstance(name, str) and ours.get(name):
            return str(ours[name])
    kinds = set(filter(None, ours.values()))
    return str(kinds.pop()) if len(kinds) == 1 else ""


def _protect(pruning: Config, base: Protection) -> Protection:
    tools = _get_table(pruning, "tools")
    return structs.replace(
        base,
        last_assistant_messages=_parse_whole(pruning.get("keepLastAssistants"), base.last_assistant_messages),
        prunable_tools=_parse_texts(tools.get("allow")),
        tools=_parse_texts(tools.get("deny")),
    )


def _configure_strategies(pruning: Config, base: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
    """The preset's strategies with these settings; the hard clear can be switched off."""
    soft, hard = _get_table(pruning, "softTrim"), _get_table(pruning, "hardClear")
    kept = [one for one in base if hard.get("enabled") is not False or not isinstance(one, HardClear)]
    return tuple(
        _trim(one, soft) if isinstance(one, SoftTrim) else _clear(one, hard, pruning)
        for one in kept
        if isinstance(one, SoftTrim | HardClear)
    )


def _trim(base: SoftTrim, soft: Config) -> SoftTrim:
    return structs.replace(
        base,
        max_chars=_parse_whole(soft.get("maxChars"), base.max_chars),
        head_chars=_parse_whole(soft.get("headChars"), base.head_chars),
        tail_chars=_parse_whole(soft.get("tailChars"), base.tail_chars),
    )


def _clear(base: HardClear, hard: Config, pruning: Config) -> HardClear:
    return structs.replace(
        base,
        placeholder=_escape_placeholder(hard.get("placeholder")) or base.placeholder,
        min_char_share=_parse_ratio(pruning.get("hardClearRatio"), base.min_char_share),
        min_total_chars=_parse_whole(pruning.get("minPrunableToolChars"), base.min_total_chars),
    )


def _schedule(pruning: Config, mode: Any, base: Schedule) -> Schedule:
    if mode != "cache-ttl" or not isinstance(base, Threshold):
        return Never(reason=f"contextPruning.mode is {mode!r} in OpenClaw's configuration; only 'cache-ttl' prunes")
    ttl = pruning.get("ttl")
    idle_s = parse_seconds(ttl) if isinstance(ttl, str) else None
    return structs.replace(
        base,
        min_idle_s=base.min_idle_s if idle_s is None else idle_s,
        min_char_share=_parse_ratio(pruning.get("softTrimRatio"), base.min_char_share),
    )


def _collect_windows(config: Config) -> dict[str, int]:
    """`models.providers.*.models[].contextWindow` (SEEDS 3.4)."""
    found: dict[str, int] = {}
    for provider in _get_table(config, "models", "providers"):
        models = _get_table(config, "models", "providers", provider).get("models")
        for model in models if isinstance(models, list) else ():
            window = _parse_positive(model.get("contextWindow")) if isinstance(model, dict) else None
            if window is not None and isinstance(model.get("id"), str):
                found[f"{provider}/{model['id']}"] = window
    return found


def _describe_host(config: Config, kind: str, mode: Any) -> dict[str, str]:
    """Settings to report (SEEDS 3.7): each stated one wins over the default for the credentials."""
    defaults = _get_table(config, "agents", "defaults")
    told = {"contextPruning.mode": str(mode)} | ({"credentials": kind} if kind else {})
    beat = _get_table(defaults, "heartbeat").get("every", _HEARTBEATS.get(kind))
    if beat is not None:
        told["heartbeat"] = str(beat)
    for name in _list_models(defaults):
        ttl = _get_table(defaults, "models", name, "params").get("cacheControlTtl")
        if ttl is None and kind == "api_key" and _parse_provider(name) == "anthropic":
            ttl = _CACHE_TTL
        if ttl is not None:
            told[f"{name} cacheControlTtl"] = str(ttl)
    return told


def _list_models(defaults: Config) -> list[str]:
    """The models with settings of their own, and the primary one."""
    primary = defaults.get("model")
    primary = primary.get("primary") if isinstance(primary, dict) else primary
    named = [*_get_table(defaults, "models"), *([primary] if isinstance(primary, str) and primary else [])]
    return list(dict.fromkeys(named))


def _parse_provider(model: str) -> str:
    """The provider in a model name; Anthropic if it has none."""
    provider, slash, _ = model.partition("/")
    return provider.lower() if slash else "anthropic"


def _get_table(config: Any, *names: str) -> Config:
    """The table under these names; empty if there is none."""
    for name in names:
        config = config.get(name) if isinstance(config, dict) else None
    return config if isinstance(config, dict) else {}


def _merge_tables(below: Config, above: Config) -> Config:
    """Merge settings: `agents.defaults` wins over the older `agent`."""
    merged = {**below, **above}
    for name, value in above.items():
        inner = below.get(name)
        if isinstance(inner, dict) and isinstance(value, dict):
            merged[name] = _merge_tables(inner, value)
    return merged


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _parse_whole(value: Any, default: int) -> int:
    number = _number(value)
    return default if number is None else max(0, math.floor(number))


def _parse_ratio(value: Any, default: float | None) -> float | None:
    number = _number(value)
    return default if number is None else min(1.0, max(0.0, float(number)))


def _parse_positive(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 1 else None


def _parse_texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _escape_placeholder(value: Any) -> str:
    """A placeholder as literal text: braces are escaped."""
    return value.strip().replace("{", "{{").replace("}", "}}") if isinstance(value, str) else ""
