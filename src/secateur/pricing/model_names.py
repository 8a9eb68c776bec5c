"""Names of models: one normal form for what providers, regions and hosts call the same model.

Rule: a name is cut down to what it says, and never guessed at: a variant of a known model (another word behind its
name) is that model, another version is not.
"""

import re
from collections.abc import Container

TUNED = "ft:"
_DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?=$|-)")
_TAIL = re.compile(r"(?:-latest|-v\d+|:[\w.-]+)+$")
_HEAD = re.compile(
    r"^(?:(?:us|eu|apac|global|au|jp)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\."
)


def normalize_model(model: str) -> str:
    """Strip provider, region, date and version suffix from a model's name; dots become dashes.

    A model that someone tuned (OpenAI: `ft:BASE:WHOSE:...`) stays another than the one it was made from.
    """
    name = strip_provider(model, dots=True)
    if name.startswith(TUNED):
        return TUNED + normalize_model(name.split(":")[1].rstrip("-"))
    name = _TAIL.sub("", _DATE.sub("", _HEAD.sub("", name)))
    return name.replace(".", "-").replace("_", "-")


def strip_provider(model: str, *, dots: bool = False) -> str:
    """A model's name with its date and suffix, without the provider."""
    name = model.strip().lower().rpartition("/")[2]
    return name if dots else name.replace(".", "-").replace("_", "-")


def match_known_name(model: str, names: Container[str]) -> str | None:
    """Return the one of these normalized names that matches a model; None if none does."""
    name = normalize_model(model)
    if name in names:
        return name
    while "-" in name:  # a variant of a known model: another word behind its name, never another version
        name, _, word = name.rpartition("-")
        if not word.isalpha():
            return None
        if name in names:
            return name
    return None
