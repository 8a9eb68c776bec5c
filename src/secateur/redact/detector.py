"""A second pair of eyes: the patterns of `detect-secrets`, kept by others, where it is installed.

Rule: it is asked for, never assumed (`redact(text, thorough=True)`), since its patterns take half a second per MB and
what is installed differs from machine to machine. Without it, or if it fails, nothing more is found; nothing fails.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module

PASSED_BY = ("Public IP (ipv4)",)  # an address is no credential


def redact_matches(text: str, mark: Callable[[str], str]) -> str:
    """Replace every match of a pattern in the text; `mark` makes the placeholder for a kind."""
    for kind, pattern in _load_patterns():
        text = pattern.sub(partial(_cut, mark=mark, kind=kind), text)
    return text


def is_installed() -> bool:
    """Whether the optional detector is installed."""
    return bool(_load_patterns())


@cache
def _load_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    try:
        plugins = import_module("detect_secrets.core.plugins.util").get_mapping_from_secret_type_to_class()
        regular = import_module("detect_secrets.plugins.base").RegexBasedDetector
        kinds = {name: kind for name, kind in plugins.items() if issubclass(kind, regular) and name not in PASSED_BY}
        return tuple((_normalize_kind(name), one) for name, kind in sorted(kinds.items()) for one in kind().denylist)
    except Exception:  # another version of it, or none: a scanner never makes an operation fail
        return ()


def _normalize_kind(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _cut(found: re.Match[str], mark: Callable[[str], str], kind: str) -> str:
    """The match without the secret: its last group, where the pattern has groups, else all of it."""
    if "[redacted " in found[0]:
        return found[0]
    start, end = found.span(found.lastindex or 0)
    return found.string[found.start() : start] + mark(kind) + found.string[end : found.end()]
