"""Detectors of credentials: known shapes, notations and names, and on request the patterns of another package.

Rule: this only finds. It loads all patterns, so that it is imported with the first text that may hold a credential.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module

from secateur.redact.assigned import MARKS as OF_NAMES
from secateur.redact.assigned import find_assigned
from secateur.redact.key_material import find_keys, find_manifest_secrets
from secateur.redact.notations import MARKS as OF_NOTATIONS
from secateur.redact.notations import find_noted
from secateur.redact.places import Marks, Span
from secateur.redact.shapes import find_dense_runs, find_shaped

PASSED_BY = ("Public IP (ipv4)",)  # an address is not a credential
_MARKS = Marks((*OF_NAMES, *OF_NOTATIONS))


def find_spans(text: str) -> Iterator[Span]:
    """Yield where the credentials of a text are, by all that is known of them."""
    data = text.encode("utf-8", "surrogatepass")
    dense = " ".join(find_dense_runs(data))
    marked = _MARKS.find_places(text, data)
    yield from find_shaped(text, dense)
    yield from find_keys(text, dense)
    yield from find_noted(text, marked)
    yield from find_manifest_secrets(text)
    yield from find_assigned(text, marked)


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
