"""Secrets that only their name gives away: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`, `-u user:…`.

Rule: a value goes only if it could not be a word, a variable, a call or a blank to fill in: it mixes letters and
digits, or signs, as chance does. A person's password made of plain words stays, since code is full of such lines.
"""

import re
from collections import Counter
from collections.abc import Callable
from math import log2

from secateur.redact.places import Becomes, replaced

LEAST_BITS = 3.0  # of entropy per character: below it a value repeats itself
LEAST_CHARS = 16  # of a token, key or secret
PASSWORD_CHARS = 6

_NAMES = ("passw", "passphrase", "pwd", "secret", "token", "key", "credential", "auth")
_NAMED = re.compile(
    rf"(?P<kept>(?P<name>{'|'.join(_NAMES)})[\w-]{{0,40}}"
    r"(?:\\{0,3}[\"'])?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}(?:\\{0,3}[\"'])?)"
    r"(?P<value>[^\s\"'`,;<>(){}\[\]\\]{6,512})",
    re.IGNORECASE,
)
_SCHEMES = ("bearer ", "basic ", "token ")
_HEADER = re.compile(r"(?<!\w)(?P<kept>(?:bearer|basic|token) {1,3})(?P<value>[\w.~+/=-]{16,})", re.IGNORECASE)
_COOKIES = ("cookie",)
_COOKIE = re.compile(
    r"(?P<kept>cookie(?:\\{0,3}[\"'])?: {0,3}(?:\\{0,3}[\"'])?)(?P<value>[^\s=]{1,64}=[^\r\n\"'\\]{8,4096})", re.I
)
_USERS = ("-u ", "--user ", "--user=")
_CURL = re.compile(r"(?P<kept>(?:-u|--user)[ =][\"']?[\w.@-]{1,64}:)(?P<value>[^\s\"'$@<{\\]{4,128})")
_WORDS = re.compile(
    r"example|placeholder|change.?me|your|dummy|sample|xxx|\*\*\*|\.\.\.|redacted|<|test.?(?:key|token)|1234567|abcdef",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[$%@{&!~]|(?:[a-z_]\w*[.:/-])*[a-z_]\w*\Z|\.{0,2}/|https?:|[\w.]*(?:environ|env\.|config)", re.I
)
_HASH = re.compile(r"[0-9a-f-]{7,64}\Z|sha(?:1|256|512)[-:]", re.IGNORECASE)  # UUIDs too


def hidden(text: str, mark: Callable[[str], str]) -> str:
    """The text without the values that are secret by their name; `mark` says what stands for a kind."""
    rules: tuple[tuple[tuple[str, ...], re.Pattern[str], Becomes], ...] = (
        (_NAMES, _NAMED, lambda found: _named(found, mark)),
        (_SCHEMES, _HEADER, lambda found: _by(found, mark("bearer-token")) if chance(found["value"]) else found[0]),
        (_COOKIES, _COOKIE, lambda found: _by(found, mark("cookie"))),
        (_USERS, _CURL, lambda found: _by(found, mark("password"))),
    )
    for marks, pattern, becomes in rules:
        lowered = text.lower()
        if len(lowered) == len(text):
            text = replaced(text, lowered, marks, (pattern, becomes))
        else:  # some letters take more room in lower case, so the places are not the same
            text = pattern.sub(becomes, text)
    return text


def chance(value: str) -> bool:
    """Whether a value looks drawn by chance: letters and digits mixed, no word to fill in, entropy enough."""
    if len(value) < LEAST_CHARS or _WORDS.search(value):
        return False
    letters, digits = any(one.isalpha() for one in value), any(one.isdigit() for one in value)
    return letters and digits and entropy(value) >= LEAST_BITS


def entropy(value: str) -> float:
    """Bits per character, by how often each occurs in it (Shannon)."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())


def _named(found: re.Match[str], mark: Callable[[str], str]) -> str:
    value, name = found["value"], found["name"].lower()
    if _WORDS.search(value) or (_REFERENCE.match(value) and not _mixed(value)):
        return found[0]
    if name in ("passw", "passphrase", "pwd"):
        odd = sum(not one.isalpha() for one in value)
        return _by(found, mark("password")) if len(value) >= PASSWORD_CHARS and odd else found[0]
    if name == "key" and _HASH.match(value):  # of a cache, of content
        return found[0]
    return _by(found, mark(name)) if chance(value) else found[0]


def _mixed(value: str) -> bool:
    """Whether a value that could be a name has digits among its letters again and again, as no name has."""
    return len(re.findall(r"\d+(?=[A-Za-z])", value)) >= 3


def _by(found: re.Match[str], marked: str) -> str:
    return found["kept"] + marked
