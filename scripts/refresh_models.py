"""Write the registry of context windows, src/secateur/policy/windows.json, from the genai-prices package.

    pip install genai-prices && python scripts/refresh_models.py

Names are those that `secateur.pricing.model_names.normalize_model` makes. A maker's own statement beats a reseller's;
where only resellers speak, the largest window counts, since a smaller one is the reseller's limit and not the model's.
"""

import json
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices.data import providers

from secateur.pricing.model_names import normalize_model

TARGET = Path(__file__).parents[1] / "src" / "secateur" / "policy" / "windows.json"
MAKERS = {
    "anthropic": "claude",
    "openai": "",
    "google": "gem",
    "mistral": "",
    "deepseek": "",
    "x-ai": "grok",
    "moonshotai": "",
    "zai": "",
    "zhipuai": "",
    "minimax": "",
    "meta": "",
    "cohere": "",
}
RESELLERS = ("openrouter",)
NAME = re.compile(r"(?:ft:)?[a-z0-9][a-z0-9-]+")  # ft: a model that someone tuned


def main() -> None:
    """Makers first; resellers fill what is missing."""
    windows: dict[str, int] = {}
    for provider in providers:
        if provider.id in MAKERS:
            for name, tokens in stated(provider, MAKERS[provider.id]):
                windows.setdefault(name, tokens)
    others: dict[str, int] = {}
    for provider in providers:
        if provider.id in RESELLERS:
            for name, tokens in stated(provider, ""):
                others[name] = max(tokens, others.get(name, 0))
    windows = dict(sorted((others | windows).items()))
    made = {"source": f"genai-prices {version('genai-prices')}", "date": date.today().isoformat(), "windows": windows}
    TARGET.write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    print(f"{len(windows)} models in {TARGET.name}")


def stated(provider: Any, prefix: str) -> list[tuple[str, int]]:
    """Normal names and windows of a provider's models, under their ids and every name that their match spells out."""
    found = []
    for model in provider.models:
        if model.context_window:
            for said in (model.id, *spelled(model.match)):
                name = normalize_model(said)
                if name.startswith(prefix) and NAME.fullmatch(name):
                    found.append((name, model.context_window))
    return found


def spelled(clause: Any) -> list[str]:
    """The names that a match clause spells out."""
    own = [getattr(clause, kind, None) for kind in ("equals", "starts_with")]
    inner = [name for one in getattr(clause, "or_", ()) for name in spelled(one)]
    return [name for name in own if name] + inner


if __name__ == "__main__":
    main()
