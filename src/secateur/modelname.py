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


def normal(model: str) -> str:
    """A model's name without provider, region, date and version tail; dots are dashes.

    A model that somebody tuned (OpenAI: `ft:BASE:WHOSE:...`) stays another than the one it was made from.
    """
    name = spelled_out(model, dots=True)
    if name.startswith(TUNED):
        return TUNED + normal(name.split(":")[1].rstrip("-"))
    name = _TAIL.sub("", _DATE.sub("", _HEAD.sub("", name)))
    return name.replace(".", "-").replace("_", "-")


def spelled_out(model: str, *, dots: bool = False) -> str:
    """A model's name with its date and tail, without provider."""
    name = model.strip().lower().rpartition("/")[2]
    return name if dots else name.replace(".", "-").replace("_", "-")


def known_as(model: str, names: Container[str]) -> str | None:
    """Under which of these normal names a model is known; None if under none."""
    name = normal(model)
    if name in names:
        return name
    while "-" in name:  # a variant of a known model: another word behind its name, never another version
        name, _, word = name.rpartition("-")
        if not word.isalpha():
            return None
        if name in names:
            return name
    return None
