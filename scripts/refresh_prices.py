"""Write the table of prices, src/secateur/pricing/prices.json, from the genai-prices package.

    pip install genai-prices && python scripts/refresh_prices.py

Makers' own prices only: what a reseller asks is the reseller's affair. Names are those that
`secateur.pricing.model_names.normalize_model` makes, and a model's other names point to its first. A model without a
price for tokens has no rows, so that no other is taken for it.
"""

import json
import re
from datetime import UTC, date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices.data import providers
from genai_prices.types import StartDateConstraint, TieredPrices, TimeOfDateConstraint

from refresh_models import MAKERS, NAME, spelled
from secateur.pricing.model_names import normalize_model, strip_provider

TARGET = Path(__file__).parents[1] / "src" / "secateur" / "pricing" / "prices.json"
OTHER_MARKETS = ("zhipuai",)  # the same models as zai's, priced for another market
# Peak hours that hold from Monday to Friday (api-docs.deepseek.com, pricing, 2026-10-27); the package has no weekdays.
WEEKDAYS = re.compile(r"deepseek-(flash|v4)")
PAID = {
    "input": "input_mtok",
    "read": "cache_read_mtok",
    "write": "cache_write_mtok",
    "write_1h": "cache_write_1h_mtok",
    "output": "output_mtok",
}


def main() -> None:
    """One entry per model, its rows in the order in which they came into force."""
    models: dict[str, list[dict[str, Any]]] = {}
    aliases: dict[str, str] = {}
    for provider in providers:
        if provider.id in MAKERS and provider.id not in OTHER_MARKETS:
            for model in provider.models:
                enter(model, MAKERS[provider.id], models, aliases)
    lines = [f"  {json.dumps(name)}: {json.dumps(rows)}" for name, rows in sorted(models.items())]
    others = [f"  {json.dumps(name)}: {json.dumps(known)}" for name, known in sorted(aliases.items())]
    source = json.dumps(f"genai-prices {version('genai-prices')}")
    head = f'{{\n "source": {source},\n "date": "{date.today().isoformat()}",\n'
    body = ' "models": {\n' + ",\n".join(lines) + '\n },\n "aliases": {\n' + ",\n".join(others) + "\n }\n}\n"
    TARGET.write_text(head + body, "utf-8")
    print(f"{len(models)} models and {len(aliases)} other names in {TARGET.name}")


def enter(model: Any, prefix: str, models: dict[str, list[dict[str, Any]]], aliases: dict[str, str]) -> None:
    """Add one model under its id, and its other names beside it; the first maker that names a model has it."""
    rows = [
        row | {"weekdays": True} if "minutes" in row and WEEKDAYS.match(normalize_model(model.id)) else row
        for row in priced(model.prices)
    ]
    names = [normalize_model(said) for said in (model.id, *spelled(model.match))]
    names = [name for name in names if name.startswith(prefix) and NAME.fullmatch(name)]
    if names and models.get(names[0]):  # a dated version that has a price of its own
        names = [] if models[names[0]] == rows else [strip_provider(model.id)]
    if not names or names[0] in models:
        return
    models[names[0]] = rows
    aliases.pop(names[0], None)
    for name in names[1:]:
        if name not in models:
            aliases.setdefault(name, names[0])


def priced(prices: Any) -> list[dict[str, Any]]:
    """The rows of one model: prices, since when, and between which minutes of the day (UTC)."""
    found = []
    for constraint, one in [(c.constraint, c.prices) for c in prices] if isinstance(prices, list) else [(None, prices)]:
        row = rates(one)
        if "input" not in row or "output" not in row:
            continue
        if isinstance(constraint, StartDateConstraint):
            row["since"] = constraint.start_date.isoformat()
        if isinstance(constraint, TimeOfDateConstraint):
            ends = (constraint.start_time, constraint.end_time)
            assert all(end.tzinfo is UTC for end in ends)
            row["minutes"] = [end.hour * 60 + end.minute for end in ends]
        found.append(row)
    return found


def rates(prices: Any) -> dict[str, Any]:
    """Dollars per million tokens, and the tiers above."""
    row: dict[str, Any] = {}
    tiers: dict[int, dict[str, float]] = {}
    for name, field in PAID.items():
        paid = getattr(prices, field, None)
        if paid is None:
            continue
        if isinstance(paid, TieredPrices):
            row[name] = float(paid.base)
            for tier in paid.tiers:
                tiers.setdefault(tier.start, {})[name] = float(tier.price)
        else:
            row[name] = float(paid)
    if tiers:
        flat = {name: row[name] for name in PAID if name in row}
        row["tiers"] = [{"over": start, **flat, **tier} for start, tier in sorted(tiers.items())]
    return row


if __name__ == "__main__":
    main()
