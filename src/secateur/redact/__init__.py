"""Secrets in text become `[redacted KIND]`, before the text reaches a summary, a receipt or a log.

Rule: it never fails and never changes anything else; the same text gives the same text everywhere, and one that is
redacted already stays as it is. Blobs keep exact bytes: this is for what is written about them. It finds tokens whose
shape is known, private keys, and values that look random after a telling name or in a telling notation; a secret that
is a plain word stays. It takes linear time on any text. The patterns are loaded with the first text: most requests
write nothing that has to be redacted. The patterns of `detect-secrets` are used only on request
(`thorough=True`) and where that package is installed, since they take half a second per MB.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from secateur.memoizing import memoize_texts
from secateur.redact.places import Span, replace_spans

SHORT = 2_000  # characters of a text that is first asked whether it could hold any credential at all
_TELLING = ("passw", "passphrase", "pwd", "secret", "token", "key", "credential", "auth", "cookie")
_RUN = re.compile(r"[^\s\"',;]{6}")  # a value has a run as long
_OURS = re.compile(r"[0-9a-f]{12,128}\Z")  # handles, keys, hashes of receipts: they are alone in their fields
_ROUNDS = 6  # a redaction may reveal what was after it; more than two rounds are unheard of


def redact(text: str, thorough: bool = False) -> str:
    """The text with every credential in it replaced by `[redacted KIND]`.

    `thorough` also asks the patterns of `detect-secrets`, where the extra `secrets` is installed: for texts that are
    written once, not for every request.
    """
    text = _redact_known(text)
    if not thorough:
        return text
    from secateur.redact.detection import redact_matches

    return redact_matches(text, make_placeholder)


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
        return iter(())
    from secateur.redact.detection import find_spans

    return find_spans(text)
