"""Identifiers that are one word: each distinct word of a text is typed once.

Rule: the first type that fits the whole word wins, and every pattern is bounded or unambiguous. Nothing here knows
lines, quotations or where the text comes from.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from posixpath import normpath
from typing import Literal, NamedTuple

Kind = Literal["url", "path", "file", "hash", "error", "symbol", "number", "id", "quoted", "line"]
_MAX_WORD = 300  # longer words are data


class Identifier(NamedTuple):
    """One thing a text names. `value` is normalized: no line suffix, no separators in numbers, `/` in every path."""

    kind: Kind
    value: str


def find_words(text: str) -> Iterator[Identifier]:
    """Yield identifiers that are one word, in their order."""
    for word in dict.fromkeys(_WORD.findall(text)):
        yield from _classify_word(word)
    if "xit" in text:
        yield from (Identifier("error", f"exit {code}") for code in set(_EXIT.findall(text)))


# fmt: off
_EXTENSIONS = (
    "asm|astro|bash|bat|bib|bin|c|cc|cfg|cjs|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|dat|db|diff|dll|env|erl|ex|exe|"
    "exs|fish|gif|go|gradle|graphql|gz|h|hh|hpp|hs|htm|html|ini|ipynb|j2|java|jpeg|jpg|js|json|json5|jsonl|jsx|kt|kts|"
    "less|lock|log|lua|md|mdx|mjs|npy|parquet|patch|pdf|php|pkl|pl|png|properties|proto|ps1|py|pyi|rb|rs|rst|scala|"
    "scss|sh|snap|so|sql|sqlite|svelte|svg|swift|tar|tex|tf|tgz|toml|ts|tsv|tsx|txt|vue|wasm|webp|whl|xml|yaml|yml|zip"
)
_ERRNO = (
    "EACCES|EADDRINUSE|EAGAIN|EBADF|EBUSY|ECONNABORTED|ECONNREFUSED|ECONNRESET|EEXIST|EHOSTUNREACH|EINVAL|EIO|EISDIR|"
    "ELOOP|EMFILE|ENAMETOOLONG|ENOENT|ENOMEM|ENOSPC|ENOTDIR|ENOTEMPTY|ENOTFOUND|EPERM|EPIPE|EROFS|ETIMEDOUT|EXDEV"
)
# fmt: on
_WORD = re.compile(
    r"</[\w.:-]*"  # a closing tag, which is not a path
    r"|(?:https?|wss?|ftp|file|s3|gs|git|ssh)://[^\s\"'`<>\\()\[\]{}|“”]{1,2000}"
    r"|\d{1,6}→"  # a line's number
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!,?\w)"
    r"|(?:[A-Za-z]:(?=[\\/]))?[\w.\-/\\~@#]+(?::\d+){0,2}"
)
_EXIT = re.compile(r"[Ee]xit(?:ed)?(?: with)?(?: code| status)?[:=]? ?(\d{1,3})\b")
_FILE = re.compile(rf"[\w.\-@~]*\.(?:{_EXTENSIONS})|\.(?:gitignore|dockerignore|npmrc|env)|(?:Make|Docker|Gem)file")
_TYPES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("hash", re.compile(r"[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}")),
    ("hash", re.compile(r"(?:0x)?(?=[a-fA-F]*\d)(?=\d*[a-fA-F])[\da-fA-F]{7,128}")),
    ("file", _FILE),
    ("error", re.compile(rf"\w+(?:Error|Exception|Warning)|E\d{{3,5}}|TS\d{{3,5}}|ERR_\w+|{_ERRNO}")),
    ("number", re.compile(r"\d{3,30}|\d{1,15}\.\d{1,15}")),
    ("id", re.compile(r"#\d{1,12}|[A-Z][A-Z\d]+-\d+|v?\d+(?:\.\d+){2,}[\w.\-]*|\d{4}-\d\d-\d\d")),
    ("id", re.compile(r"(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{5,}|(?=\D*\d{4})(?=[\d_]*[^\W\d_])\w{5,}")),
    ("id", re.compile(r"(?=\D*\d)(?=.*-)[^\W_][\w.\-]{4,}|[\w.\-]+@[\w\-]+\.[\w.\-]+")),
    ("symbol", re.compile(r"(?=\w*[._\d]|\w*[a-z][A-Z])[A-Za-z_][\w.]{3,}")),
)


@lru_cache(maxsize=16_384)
def _classify_word(found: str) -> tuple[Identifier, ...]:
    if found[0] == "<" or found[-1] == "→":
        return ()
    if "://" in found[:9]:
        return (Identifier("url", _normalize_url(found)),)
    if "," in found:  # 1,234,567 or a list without spaces: both readings
        parts = [part for part in found.split(",") if len(part) >= 3]
        return tuple(Identifier("number", _number(one)) for one in (found.replace(",", ""), *parts))
    drive, rest = (found[:2], found[2:]) if found[1:2] == ":" and found[2:3] in "\\/" else ("", found)
    word, *places = rest.split(":")
    typed = _parse_word(drive + word)
    if not any(one.kind in ("path", "file") for one in typed):
        typed += tuple(Identifier("number", place) for place in places if 3 <= len(place) <= 30)
    return typed


def _normalize_url(found: str) -> str:
    scheme, _, rest = found.rstrip(".,;:!?/").partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.lower()}{slash}{path}"


def _number(digits: str) -> str:
    """12.50 and 12.5 are one number; 007 is not 7."""
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _parse_word(word: str) -> tuple[Identifier, ...]:
    if len(word) > _MAX_WORD:
        return ()
    if "/" in word or "\\" in word:
        return _parse_path(word)
    word = word.lstrip("-@~").rstrip(".-~@#")
    if not word or (word.isalpha() and word.islower()):
        return ()
    for kind, shape in _TYPES:
        if shape.fullmatch(word):
            return _make_identifiers(kind, word)
    return tuple(one for part in re.split(r"[\-#@.~]", word) if part != word for one in _parse_word(part))


def _make_identifiers(kind: Kind, word: str) -> tuple[Identifier, ...]:
    if kind == "number":
        return (Identifier(kind, _number(word)),)
    if kind == "hash":
        return (Identifier(kind, word.lower()),)
    if kind != "symbol" or "." not in word:
        return (Identifier(kind, word),)
    parts = [one for part in word.split(".") for one in _parse_word(part) if one.kind != "number"]
    return (Identifier(kind, word.rstrip(".")), *parts)


_WINDOWS = re.compile(rf"[A-Za-z]:[\\/].*|\\\\[\w.].*|(?:[\w.\-]+\\){{2,}}[\w.\-]+\.(?:{_EXTENSIONS})")
_ESCAPED = re.compile(r"\\[nrtbf\"]?")
_DATE = re.compile(r"\d{1,4}/\d{1,2}/\d{1,4}")


def _parse_path(word: str) -> tuple[Identifier, ...]:
    if "\\" in word and not _WINDOWS.fullmatch(word):
        return tuple(one for part in _ESCAPED.split(word) for one in _parse_word(part))
    value = word.replace("\\", "/").rstrip(".-~@#")
    if value.startswith("//"):  # a comment, not a path
        return _parse_word(value.lstrip("/"))
    if not re.search(r"[^\W\d_]", value):
        return (Identifier("id", value),) if _DATE.fullmatch(value) else ()
    value = normpath(value.lstrip("-@")) + ("/" if value.endswith("/") else "")
    name = value.rstrip("/").rpartition("/")[2]
    last = (Identifier("file", name),) if len(name) >= 3 and name != value else ()
    return (Identifier("path", value), *last)
