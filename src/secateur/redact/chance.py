"""Whether a value looks drawn by chance: a UUID, a run of hexadecimal digits, or characters in no natural order.

Rule: what matters is the order of the characters, not whether the value could be a name. In words and in names made of
words most pairs of neighboring letters are common ones; in a random value most pairs are not, or they change between
letters and digits. Paths, versions, dates, placeholders and calls follow words and stay.
"""

import re
import string
from collections import Counter
from itertools import product
from math import log2
from operator import add
from typing import Literal

Class = Literal["", "hex", "mixed"]
"""`hex` covers UUIDs too: values that also identify commits, sessions and contents, so they need a stronger name."""

LEAST_CHARS = 12  # a shorter value holds too few pairs to tell
LEAST_HEX = 16
LEAST_BITS = 2.75  # of entropy per character: below it a value repeats itself
LEAST_DISTINCT_HEX = 6
ODD_SHARE = 0.4  # of the neighboring pairs that must be unusual
JUDGED = 80  # characters of a value that are looked at
_LEAST_PAIRS = 8

# Pairs that make up 95 % of the neighboring letters in the words of English prose and source code.
_FOLLOWERS = (
    *("a:bcdgiklmnprstuvy", "b:aeilorsu", "c:acehiklortu", "d:adeilosu", "e:acdefgilmnpqrstvwxy", "f:aefiloru"),
    *("g:ehilnrsu", "h:aeiot", "i:abcdefglmnoprstvxz", "j:aeou", "k:eis", "l:adeilostuy", "m:abeimopsu"),
    *("n:acdefgiklnostuv", "o:bcdfgiklmnoprstuvw", "p:aeiloprstuy", "q:u", "r:acdegikmnorstuy", "s:acehilopstuy"),
    *("t:acdehiloprstuy", "u:abcegilmnprst", "v:aei", "w:aehior", "x:ceipt", "y:pst", "z:e"),
)
_COMMON = frozenset(row[0] + one for row in _FOLLOWERS for one in row[2:])
_SMALL, _LARGE, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_COMPARED = frozenset(
    first + second
    for first, second in product(string.ascii_letters + _DIGITS, repeat=2)
    if not (first in _DIGITS and second in _DIGITS)
)
_UNUSUAL = frozenset(
    pair for pair in _COMPARED if pair.lower() not in _COMMON or (pair[0] in _SMALL and pair[1] in _LARGE)
)
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\Z", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z")
_PLACEHOLDER = re.compile(
    r"example|placeholder|change.?me|your.|dummy|sample|(?-i:x{4}|X{4})|\*\*\*|\.\.\.|redacted|<|1234567|abcdefg|deadbeef",
    re.IGNORECASE,
)
_KNOWN = re.compile(  # hashes that say so, ids of calls and messages, references to other values
    r"sha(?:1|224|256|384|512)[-:]|md5[-:]|blake\w{1,3}[-:]|h1:|data:|https?:|file:|[$%]?\{|\$\(|\$[A-Za-z_]+\Z|[./~]{1,2}/"
    r"|[0-9a-f]{6,40}\.\.|\d+(?:\.\d+)+|(?:toolu|srvtoolu|call|msg|req|resp|rs|fc|ctc|chatcmpl|item|run|thread|asst|sess|session|evt|event|prt|gen|cmp"
    r"|file|batch|functions|tool)_",
    re.IGNORECASE,
)
_HASHED = re.compile(r"(.{4,}[-_.:/@])[0-9a-f]{16,64}\Z")  # a name that ends in a hash
_JOINS = re.compile(r"[._-]+")
_HUMP = re.compile(r"[a-z][A-Z]")
_SEGMENT = re.compile(r"[A-Za-z]{4,}")


def classify_random(value: str) -> Class:
    """The class of random value; empty if it is none."""
    value = value[:JUDGED]
    if len(value) < LEAST_CHARS or _KNOWN.match(value):
        return ""
    if _UUID.match(value):
        return "hex" if len(set(value)) > LEAST_DISTINCT_HEX else ""
    if _HEX.match(value):
        return "hex" if _is_hex_drawn(value.removeprefix("0x")) and not _PLACEHOLDER.search(value) else ""
    odd, pairs = count_unusual_pairs(value)
    if pairs < _LEAST_PAIRS or odd < ODD_SHARE * pairs or _is_like_words(value):
        return ""
    ending = _HASHED.match(value)
    return "hex" if ending and not _is_odd(ending[1]) else "mixed"


def _is_like_words(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value)) or compute_entropy(value) < LEAST_BITS or _is_name(value) or _is_path(value)


def count_unusual_pairs(value: str) -> tuple[int, int]:
    """How many adjacent pairs are unlike words, and how many were compared; two digits do not count."""
    pairs = list(map(add, value, value[1:]))
    return sum(map(_UNUSUAL.__contains__, pairs)), sum(map(_COMPARED.__contains__, pairs))


def compute_entropy(value: str) -> float:
    """Bits per character, by character frequency (Shannon)."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())


def is_wordlike(piece: str) -> bool:
    """Whether a short piece could be a word: letters of one case, in usual pairs."""
    odd, pairs = count_unusual_pairs(piece)
    return piece.isalpha() and (piece[1:].islower() or piece.isupper()) and odd <= ODD_SHARE * pairs


def _is_hex_drawn(digits: str) -> bool:
    return (
        len(digits) >= LEAST_HEX
        and not digits.isdigit()
        and not digits.isalpha()
        and len(set(digits)) >= LEAST_DISTINCT_HEX
    )


def _is_odd(value: str) -> bool:
    odd, pairs = count_unusual_pairs(value)
    return odd >= ODD_SHARE * pairs


def _is_name(value: str) -> bool:
    """Whether words stand between the dots, dashes and underscores of a value, and there are any."""
    parts = _JOINS.split(value.strip("_"))
    return len(parts) > 1 and all(one.isalpha() and 4 * len(_HUMP.findall(one)) <= len(one) for one in parts)


def _is_path(value: str) -> bool:
    """Whether slashes part words: base64 has slashes too, but no words between them."""
    if value.count("/") < 2:
        return False
    parts = _SEGMENT.findall(value)
    return 2 * sum(is_wordlike(part) for part in parts) >= max(len(parts), 1)
