"""The settings in force, one by one, each with where it comes from.

Rule: values are the effective ones, scaled to the window; what stands at its default and does nothing is not listed.
"""

import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli.figures import duration
from secateur.cli.names import DEFAULT
from secateur.cli.reading import Opened
from secateur.policy import Policy
from secateur.policy.windows import resolve
from secateur.pricing.stated import price_under, rules_under
from secateur.pricing.tariffs import tariff_of
from secateur.protect import protected_tokens


class Given(Struct, frozen=True):
    """The settings that a command line states."""

    policy: str
    model: str
    window: int | None
    idle: float | None
    protect: tuple[str, ...]


class Setting(Struct, frozen=True):
    """One setting."""

    name: str
    value: str
    source: str


def settings(given: Given, chosen: Policy, document: Opened | None) -> list[Setting]:
    """All settings that do something, those of the request first."""
    return [*_of_request(given, chosen, document), *_of_policy(given, chosen)]


def _of_request(given: Given, chosen: Policy, document: Opened | None) -> Iterator[Setting]:
    own = document.transcript.model if document else ""
    model = given.model or own
    recorded = document.transcript.window if document and model == own else 0
    window, source = resolve(given.window, model, chosen, recorded=recorded)
    if document:
        yield Setting("format", document.format, document.document.reason)
    yield Setting("model", model or "unknown", "--model" if given.model else "the document" if own else "not given")
    yield Setting("window", f"{window:,}", source)
    yield _idle(given, document)
    yield from _paid(model, chosen)
    yield Setting("policy", chosen.name, _origin(given.policy))
    tokens = protected_tokens(chosen.protect, window)
    if tokens:
        yield Setting("newest result tokens kept", f"{tokens:,}", f"protect.tokens at this window, by {chosen.counter}")


def _paid(model: str, chosen: Policy) -> Iterator[Setting]:
    """What decisions are weighed by: the price of a token now, and how long the prompt cache lives."""
    tariff = tariff_of(model, at=int(time.time() * 1000), said=chosen.pricing)
    price, rules = price_under(chosen.pricing, model), rules_under(chosen.pricing, model)
    said = f"${tariff.dollars:g} a million tokens, read {tariff.r:g}×, write {tariff.w:g}×, output {tariff.o:g}×"
    yield Setting("price", said, price.source if price else tariff.assumed)
    lives = f"lives {duration(tariff.ttl_s)}, from {tariff.minimum_tokens:,} tokens on"
    source = "; ".join(dict.fromkeys((rules.name, rules.source))) if rules else tariff.assumed
    source += f", {rules.date}" if rules and rules.date else ""
    yield Setting("prompt cache", lives, source)


def _idle(given: Given, document: Opened | None) -> Setting:
    if given.idle is not None:
        return Setting("idle", duration(given.idle), "--idle")
    last = (document.transcript.called or document.transcript.stamped) if document else 0
    if not last:
        return Setting("idle", "unknown", "no timestamp in the document" if document else "no document")
    return Setting("idle", duration(max(0.0, time.time() - last / 1000)), "the document's last timestamp")


def _of_policy(given: Given, chosen: Policy) -> Iterator[Setting]:
    """The policy's own settings; one that a file does not change is its base's."""
    base_name = _base(given.policy)
    base = _flat(msgspec.to_builtins(policy.load(base_name))) if base_name else {}
    for name, value in _flat(msgspec.to_builtins(chosen)).items():
        if name in ("name", "doc"):
            continue
        source = f"preset {base_name}" if base_name and base.get(name) == value else _origin(given.policy)
        if name == "protect.tools" and given.protect:
            source += " and --protect"
        yield Setting(name, value, source)
        if name == "schedule.when":
            yield from _numbers(chosen)


def _numbers(chosen: Policy) -> Iterator[Setting]:
    """The schedule's numbers that nobody stated: they decide all the same."""
    stated = msgspec.to_builtins(chosen.schedule)
    for name in chosen.schedule.__struct_fields__:
        value = getattr(chosen.schedule, name)
        if name not in stated and isinstance(value, int | float) and value:
            yield Setting(f"schedule.{name}", _written(value), f"default of {stated['when']}")


def _origin(name: str) -> str:
    if name in policy.names():
        return f"preset {name}" + (", the default" if name == DEFAULT else "")
    return name


def _base(name: str) -> str:
    """The preset that the settings of a policy start from; "" where it has none."""
    if name in policy.names():
        return name
    if name.endswith((".json", ".json5")):
        return "openclaw"
    return str(tomllib.loads(Path(name).read_text("utf-8")).get("extends", ""))


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Nested tables as dotted names."""
    if isinstance(value, dict) and value:
        found: dict[str, str] = {}
        for step, inner in value.items():
            found |= _flat(inner, f"{name}.{step}" if name else str(step))
        return found
    if isinstance(value, list | tuple) and any(isinstance(one, dict) for one in value):
        return _flat({str(at): one for at, one in enumerate(value, 1)}, name)
    return {name: _written(value)}


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(" → ".join(map(_written, one)) if isinstance(one, list | tuple) else str(one) for one in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
