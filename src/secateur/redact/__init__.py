"""Secrets in text become `[redacted KIND]`, before the text reaches a summary, a receipt or a log.

Rule: it never fails and never changes anything else; the same text gives the same text everywhere, and one that is
redacted already stays as it is. Blobs keep exact bytes: this is for what is written about them. It finds tokens whose
shape is known, private keys, and values that look random after a telling name or in a telling notation; a secret that
is a plain word stays. It takes linear time on any text. The patterns of `detect-secrets` are used only on request
(`thorough=True`) and where that package is installed, since they take half a second per MB.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any

from secateur.memoizing import memoize_texts
from secateur.redact.assigned import MARKS as OF_NAMES
from secateur.redact.assigned import find_assigned
from secateur.redact.key_material import find_keys, find_manifest_secrets
from secateur.redact.notations import MARKS as OF_NOTATIONS
from secateur.redact.notations import find_noted
from secateur.redact.places import Marks, Span, replace_spans
from secateur.redact.shapes import find_dense_runs, find_shaped

SHORT = 2_000  # characters of a text that is first asked whether it could hold any credential at all
_TELLING = ("passw", "passphrase", "pwd", "secret", "token", "key", "credential", "auth", "cookie")
_RUN = re.compile(r"[^\s\"',;]{6}")  # a value has a run as long
_OURS = re.compile(r"[0-9a-f]{12,128}\Z")  # handles, keys, hashes of receipts: they are alone in their fields
_MARKS = Marks((*OF_NAMES, *OF_NOTATIONS))
_ROUNDS = 6  # a redaction may reveal what was after it; more than two rounds are unheard of

PASSED_BY = ("Public IP (ipv4)",)  # an address is not a credential


def redact(text: str, thorough: bool = False) -> str:
    """The text with every credential in it replaced by `[redacted KIND]`.

    `thorough` also asks the patterns of `detect-secrets`, where the extra `secrets` is installed: for texts that are
    written once, not for every request.
    """
    text = _redact_known(text)
    return redact_matches(text, make_placeholder) if thorough else text


def detect_kinds(text: str) -> tuple[str, ...]:
    """The kinds of credentials in a text, each once."""
    kinds: dict[str, str] = {}
    _without(text, lambda kind: kinds.setdefault(kind, make_placeholder(kind)))
    return tuple(kinds)


def redact_tree(value: Any) -> Any:
    """JSON-like data with every text in it redacted, names of fields too; hexadecimal hashes that are alone in a field
    stay.
    """
    if isinstance(value, str):
        return value if len(value) < 8 or _OURS.match(value) else redact(value)
    if isinstance(value, dict):
        return {_name(name): _redact_field(name, one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [redact_tree(one) for one in value]
    return value


def make_placeholder(kind: str) -> str:
    """The placeholder for a credential."""
    return f"[redacted {kind}]"


@lru_cache(maxsize=1_000)  # of all the records that are written the fields are few
def _name(name: Any) -> Any:
    return redact_tree(name)


def _has_word(words: tuple[str, ...], text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _redact_field(name: Any, value: Any) -> Any:
    """Redact a value whose name may reveal it."""
    if not isinstance(name, str) or not isinstance(value, str) or _OURS.match(value) or not _has_word(_TELLING, name):
        return redact_tree(value)
    before = f'{name}="'
    seen = redact(f'{before}{value}"')
    return seen[len(before) : -1] if seen.startswith(before) else redact(value)


@memoize_texts(4_096)  # each compaction reads the whole history again
def _redact_known(text: str) -> str:
    return _without(text, make_placeholder)


def _without(text: str, mark: Callable[[str], str]) -> str:
    for _ in range(_ROUNDS):
        clean = replace_spans(text, _find_spans(text), mark)
        if clean == text:
            break
        text = clean
    return text


def _find_spans(text: str) -> Iterator[Span]:
    if len(text) < SHORT and not _RUN.search(text):
        return
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
