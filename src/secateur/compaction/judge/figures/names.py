"""Whether a summary spells names as the history does: hashes, hosts, ports, tags, files, versions.

Rule: a name that the history does not have is false where the history has one like it, letter by letter nearly the
same: then one was taken for the other. A name like no other may be the summary's own word for something. What is
planned may have a new name.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence

LEAST_ALIKE = 0.72  # of two names, by their letters in order
FEWEST_CHARS, MOST_CHARS = 5, 120  # of a name that is compared
ENDS_CHARS = 3  # that two names that are alike share at one end
MOST_LONGER = 2  # characters by which two names that are alike differ in length


def _explain_near_name(claim: Claim, evidence: Evidence) -> str:
    """Name what the history has in place of a name that a claim has nearly right."""
    if claim.is_quoted or claim.is_question or (claim.section == "next" and not _PLACE.search(claim.text)):
        return ""
    for name in _list_names(claim.text):
        known = _read_names(evidence.story, evidence.kept)
        plain = _NO_LETTERS.sub("", name)
        if name in known.text or (plain and plain in known.letters):
            continue
        alike = (*known.begins.get(name[:ENDS_CHARS], ()), *known.ends.get(name[-ENDS_CHARS:], ()))
        if near := next((one for one in alike if _is_alike(name, one)), ""):
            return f"the history has {near}, not {name}"
    return ""


class _Names(Struct, frozen=True):
    """The names in a text, by their beginnings and by their ends."""

    text: str
    letters: str  # and digits of it, nothing else
    begins: dict[str, list[str]]
    ends: dict[str, list[str]]


def _list_names(text: str) -> Iterator[str]:
    for found in dict.fromkeys(_NAME.findall(text)):
        name = _LINE.sub("", found.strip(".,:;-/").casefold())
        if not _COMPOUND.fullmatch(name) and FEWEST_CHARS <= len(name) <= MOST_CHARS and _EXACT.search(name):
            yield name


@lru_cache(maxsize=2)
def _read_names(story: str, kept: str) -> _Names:
    text = f"{story}\n{kept}".casefold()
    begins: dict[str, list[str]] = {}
    ends: dict[str, list[str]] = {}
    for name in dict.fromkeys(_list_names(text)):
        begins.setdefault(name[:ENDS_CHARS], []).append(name)
        ends.setdefault(name[-ENDS_CHARS:], []).append(name)
    return _Names(text, _NO_LETTERS.sub("", text), begins, ends)


def _is_alike(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > MOST_LONGER:
        return False
    is_shaped = re.sub(r"[a-z0-9]+", "", name) == re.sub(r"[a-z0-9]+", "", other)
    return is_shaped and SequenceMatcher(None, name, other, autojunk=False).ratio() >= LEAST_ALIKE


_COMPOUND = re.compile(r"\d+-[a-z]+")  # `4-stage`
_NAME = re.compile(r"(?<![\w./:@-])[A-Za-z0-9][\w./:@-]*\w")
_NO_LETTERS = re.compile(r"[^a-z0-9]+")
_LINE = re.compile(r"(?<=\.[a-z]{2}):\d+$|(?<=\.[a-z]{3}):\d+$")
_PLACE = re.compile(r"(?i)\b(?:on|at|to|from|port|host|branch|commit)\b")
_EXACT = re.compile(  # it holds letters and digits, or it is a path, a host, or an address
    r"[a-z].*\d|\d.*[a-z]|^\d+(?:[.:-]\d+){2,}$|/.*/|\w\.[a-z]{2,8}$|@"
)


RULES = (ClaimRule("unsupported", _explain_near_name, strength="doubt"),)
