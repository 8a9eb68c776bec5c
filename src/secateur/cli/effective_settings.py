"""The settings in effect, one by one, each with where it comes from.

Rule: values are the effective ones, scaled to the window; a setting at its default that has no effect is not listed.
"""

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import options
from secateur.cli.inputs import OpenedDocument
from secateur.cli.options import Options
from secateur.cli.output.formatting import format_duration
from secateur.cli.settings_file import find_origin
from secateur.defaults import POLICY as DEFAULT
from secateur.policy import Policy
from secateur.policy.windows import find_target, resolve
from secateur.pricing.stated import price_under, resolve_rules
from secateur.pricing.tariffs import get_tariff
from secateur.protect import count_protected_tokens


class SettingsOptions(Options, frozen=True, kw_only=True):
    """The options that settings depend on."""

    policy: options.PolicyName
    model: options.Model
    window: options.Window
    idle: options.Idle
    protect: options.Protect


class EffectiveSetting(Struct, frozen=True):
    """One setting."""

    name: str
    value: str
    source: str


def list_settings(given: SettingsOptions, chosen: Policy, document: OpenedDocument | None) -> list[EffectiveSetting]:
    """All settings that have an effect, those of the request first."""
    return [*_list_request_settings(given, chosen, document), *_list_policy_settings(given, chosen)]


def _list_request_settings(
    given: SettingsOptions, chosen: Policy, document: OpenedDocument | None
) -> Iterator[EffectiveSetting]:
    own = document.transcript.model if document else ""
    model = given.model or own
    recorded = document.transcript.window if document and model == own else 0
    window, source = resolve(given.window, model, chosen, recorded=recorded)
    if document:
        yield EffectiveSetting("format", document.format, document.document.reason)
    yield EffectiveSetting(
        "model", model or "unknown", find_origin("model") if given.model else "the document" if own else "not given"
    )
    stated = find_origin("window") if given.window else ""
    yield EffectiveSetting("window", f"{window:,}", source if stated in ("", "--window") else stated)
    if (target := find_target(chosen, window, source)) is not None:
        yield EffectiveSetting("target", f"{target.tokens:,}", target.source)
    yield _find_idle(given, document)
    yield from _list_prices(model, chosen)
    said, origin = find_origin("policy"), _name_origin(given.policy)
    source = f"{said}: {origin}" if said and said != "--policy" else origin
    yield EffectiveSetting("policy", chosen.name, source)
    tokens = count_protected_tokens(chosen.protect, window)
    if tokens:
        yield EffectiveSetting(
            "newest result tokens kept", f"{tokens:,}", f"protect.last_tokens at this window, by {chosen.counter}"
        )


def _list_prices(model: str, chosen: Policy) -> Iterator[EffectiveSetting]:
    """The basis of decisions: the current price of a token, and the lifetime of the prompt cache."""
    tariff = get_tariff(model, minute=int(time.time() // 60), said=chosen.pricing)
    price, rules = price_under(chosen.pricing, model), resolve_rules(chosen.pricing, model)
    times = f"read {tariff.cache_read:g}×, write {tariff.cache_write:g}×, output {tariff.output:g}×"
    text = f"${tariff.dollars:g} a million tokens, {times}"
    yield EffectiveSetting("price", text, price.source if price else tariff.assumption)
    lives = f"lives {format_duration(tariff.ttl_s)}, from {tariff.minimum_tokens:,} tokens on"
    source = "; ".join(dict.fromkeys((rules.name, rules.source))) if rules else tariff.assumption
    source += f", {rules.date}" if rules and rules.date else ""
    yield EffectiveSetting("prompt cache", lives, source)


def _find_idle(given: SettingsOptions, document: OpenedDocument | None) -> EffectiveSetting:
    if given.idle is not None:
        return EffectiveSetting("idle", format_duration(given.idle), "--idle")
    last = (document.transcript.last_call_ms or document.transcript.last_timestamp_ms) if document else 0
    if not last:
        return EffectiveSetting("idle", "unknown", "no timestamp in the document" if document else "no document")
    return EffectiveSetting(
        "idle", format_duration(max(0.0, time.time() - last / 1000)), "the document's last timestamp"
    )


def _list_policy_settings(given: SettingsOptions, chosen: Policy) -> Iterator[EffectiveSetting]:
    """The policy's own settings; one that a file does not change comes from its base."""
    base_name = _find_base(given.policy)
    base = _flatten(msgspec.to_builtins(policy.load(base_name))) if base_name else {}
    for name, value in _flatten(msgspec.to_builtins(chosen)).items():
        if name in ("name", "description", "suits"):
            continue
        source = f"preset {base_name}" if base_name and base.get(name) == value else _name_origin(given.policy)
        if name == "protect.tools" and given.protect:
            source += f" and {find_origin('protect') or '--protect'}"
        yield EffectiveSetting(name, value, source)
        if name == "schedule.type":
            yield from _list_schedule_defaults(chosen)


def _list_schedule_defaults(chosen: Policy) -> Iterator[EffectiveSetting]:
    """The schedule's numbers that are not stated; they have an effect all the same."""
    stated = msgspec.to_builtins(chosen.schedule)
    for name in chosen.schedule.__struct_fields__:
        value = getattr(chosen.schedule, name)
        if name not in stated and isinstance(value, int | float) and value:
            yield EffectiveSetting(f"schedule.{name}", _format_value(value), f"default of {stated['type']}")


def _name_origin(name: str) -> str:
    if name in policy.list_preset_names():
        return f"preset {name}" + (", the default" if name == DEFAULT else "")
    return name


def _find_base(name: str) -> str:
    """The preset that a policy extends; "" if it has none."""
    if name in policy.list_preset_names():
        return name
    if name.endswith((".json", ".json5")):
        return "openclaw"
    return str(tomllib.loads(Path(name).read_text("utf-8")).get("extends", ""))


def _flatten(value: Any, name: str = "") -> dict[str, str]:
    """Nested tables as dotted names."""
    if isinstance(value, dict) and value:
        flat: dict[str, str] = {}
        for step, inner in value.items():
            flat |= _flatten(inner, f"{name}.{step}" if name else str(step))
        return flat
    if isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value):
        return _flatten({str(at): item for at, item in enumerate(value, 1)}, name)
    return {name: _format_value(value)}


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(
            " → ".join(map(_format_value, item)) if isinstance(item, list | tuple) else str(item) for item in value
        )
    return f"{value:,}" if isinstance(value, int) else str(value)
