"""Whether a number or a path of a summary stands in the history where the rest of its clause stands.

Rule: the words of a claim lead to the passages that are most like it. Where they hold another thing of the same kind,
and no step with the claim's own one is nearly as much like it, the thing was exchanged or made up. A number is bound to
the words beside it: it is false only where the history has other numbers beside the same words, and never this one.
Numbers of lines, tasks and steps, and places in a list, name nothing.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.clauses import split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.figures.support import COUNTED, has_measure
from secateur.compaction.judge.ground.passages import Match, Speaker, get_claim_stems
from secateur.compaction.judge.ground.stems import COUNTS, get_stems, read_count

FEWEST_STEMS = 2  # beside a thing, by which it is looked for
WHOLE_SHARE = 0.9  # of the weight of a clause, in a passage that says all of it but the thing
MOST_THINGS = 8  # of one clause
NEAR_BEFORE, NEAR_BEHIND = 3, 2  # words to which a number is bound
NEAR_CHARS = 60  # in which they are
MOST_TERMS, MOST_DIGITS = 24, 12  # numbers of which sums and differences are made, and their length
KNOWN_DIGITS = 3  # of a number that cannot be new where the history has it anywhere
_ANYONE: tuple[Speaker, ...] = ()
# Of the weight of a claim, in a passage that holds another thing; and by how much more that is than its own has
SMALL_SHARE = 0.8  # the same for a number that a reader of the history may have counted
_SHARES = {"number": (0.5, 0.3), "path": (0.6, 0.3)}


class _Thing(Struct, frozen=True):
    """A number or a path at its place in a text."""

    kind: str
    value: str
    start: int
    end: int
    near: frozenset[str] = frozenset()  # the stems beside a number
    unit: str = ""


def _explain_elsewhere(claim: Claim, evidence: Evidence) -> str:
    """Quote a passage that holds another thing in place of one of a claim."""
    if claim.is_quoted or claim.is_question or claim.section == "next":
        return ""
    return next(
        filter(None, (_explain_clause(_BECAUSE.split(one)[0], evidence) for one in split_clauses(claim.text))), ""
    )


def _explain_clause(clause: str, evidence: Evidence) -> str:
    things = _list_things(clause)
    for thing in things[:MOST_THINGS]:
        rest = _NUMBER.sub(" ", f"{clause[: thing.start]} {clause[thing.end :]}")
        stems = get_claim_stems(_COUNT.sub(" ", rest)) - get_stems(thing.value)
        if len(stems) < FEWEST_STEMS or _is_known_number(thing, evidence):
            continue
        matches = evidence.passages.find(stems)
        match = None if _is_derived(thing, matches) else _find_other(matches, thing, things, stems)
        if match is not None and match.share - _measure_own(thing, stems, match, evidence) >= _SHARES[thing.kind][1]:
            return f"the history says {match.passage.text.strip()[:80]!r}, and nothing like it of {thing.value}"
    return ""


def _is_known_number(thing: _Thing, evidence: Evidence) -> bool:
    """Whether a telling number stands anywhere in the history, or a short one beside the same words."""
    if thing.kind != "number":
        return False
    is_telling = len(thing.value) >= KNOWN_DIGITS
    if not thing.near or ((is_telling or thing.unit) and has_measure(thing.value, thing.unit, evidence.texts)):
        return True
    if len(thing.value) > 1:  # what a call wrote may have replaced another number
        written = evidence.passages.find({thing.value}, _ANYONE if is_telling else ("call",))
        if any(thing.value == one.value for match in written for one in _read_numbers(match)):
            return True
    beside = evidence.passages.find({thing.value, *thing.near})
    return any(thing.value == one.value and one.near & thing.near for match in beside for one in _read_numbers(match))


def _is_derived(thing: _Thing, matches: tuple[Match, ...]) -> bool:
    """Whether a number is the sum or the difference of two that stand in passages like its clause."""
    if thing.kind != "number" or not _PLAIN.fullmatch(thing.value) or len(thing.value) > MOST_DIGITS:
        return False
    found = (one.value for match in matches[:MOST_TERMS] for one in _read_numbers(match) if _PLAIN.fullmatch(one.value))
    known = sorted({Decimal(one) for one in found if len(one) <= MOST_DIGITS})[:MOST_TERMS]
    value = Decimal(thing.value)
    return any(value in (a + b, a - b) for a in known for b in known if a != b or a + b == value)


def _read_numbers(match: Match) -> tuple[_Thing, ...]:
    return tuple(one for one in _list_things(match.passage.text) if one.kind == "number")


def _find_other(
    matches: tuple[Match, ...], thing: _Thing, named: tuple[_Thing, ...], stems: frozenset[str]
) -> Match | None:
    """Return the first passage that holds another thing of the kind, unless one before it holds this one."""
    values = {one.value for one in named if one.kind == thing.kind}
    for match in matches:
        if match.share < (SMALL_SHARE if _is_small(thing) else _SHARES[thing.kind][0]):
            return None
        here = [one for one in _list_things(match.passage.text) if one.kind == thing.kind]
        if any(one.value == thing.value for one in here):
            return None
        if any(one.value not in values and _is_alike(one, thing) for one in here):
            return match if len(stems & get_stems(match.passage.text)) >= FEWEST_STEMS else None
    return None


def _is_alike(one: _Thing, other: _Thing) -> bool:
    """Whether one thing can stand for another: numbers only beside the same words, in one unit."""
    if one.kind != "number":
        return True
    places = [len(value.partition(".")[2]) for value in (one.value, other.value)]
    return bool(one.near & other.near) and places[0] == places[1] and one.unit == other.unit


def _is_small(thing: _Thing) -> bool:
    """Whether a number may be counted by whoever wrote the summary."""
    return thing.kind == "number" and thing.value.isdigit() and len(thing.value) <= 2 and int(thing.value) <= COUNTED


def _measure_own(thing: _Thing, stems: frozenset[str], match: Match, evidence: Evidence) -> float:
    """Return how much of a clause stands in a step that holds its thing; in one passage, where a match says it all."""
    index = evidence.passages
    if match.share >= WHOLE_SHARE and thing.kind == "path" and len(stems) > FEWEST_STEMS:
        return next((one.share for one in index.find(stems) if _has(thing, one.passage.text)), 0.0)
    shares = sorted(index.measure_groups(stems).items(), key=lambda one: -one[1])
    return next((share for group, share in shares if _has(thing, index.groups[group])), 0.0)


def _has(thing: _Thing, text: str) -> bool:
    if thing.kind != "number":
        return thing.value in text
    return any(one.kind == "number" and one.value == thing.value for one in _list_things(text))


@lru_cache(maxsize=4_096)
def _list_things(text: str) -> tuple[_Thing, ...]:
    """Return what a text names exactly, paths by their last part."""
    return tuple(_iterate_things(text))


def _iterate_things(text: str) -> Iterator[_Thing]:
    for found in _PATH.finditer(text):
        yield _Thing("path", found.group().rsplit("/", 1)[-1], found.start(), found.end())
    for pattern in (_NUMBER, _COUNT):
        for found in pattern.finditer(text):
            start, end = found.span()
            words = text[max(0, start - NEAR_CHARS) : start].split()[-NEAR_BEFORE:]
            words += text[end : end + NEAR_CHARS].split()[:NEAR_BEHIND]
            near = frozenset(one for one in get_stems(" ".join(words)) if not one[0].isdigit())
            unit = _UNIT.match(text, end)
            yield _Thing("number", read_count(found.group()), start, end, near, unit["unit"] if unit else "")


_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_BECAUSE = re.compile(r"(?i)\s(?:because|since|weil|parce\s+qu\w*|porque)\s")
_PATH = re.compile(
    r"(?<![\w.-])(?:[\w.@~-]*/)*[\w-]+\.(?:py|tsx?|jsx?|go|rs|rb|java|php|ya?ml|toml|json|md|sql|sh|c|h|cpp|kt|html?|css|vue"
    r"|lock)\b"
)
_NUMBER = re.compile(
    r"(?<![\w.,/:#§@-])(?<!(?i:line) )(?<!(?i:lines) )(?<!(?i:task) )(?<!(?i:step) )(?<!(?i:phase) )(?<!(?i:item) )"
    r"\d+(?:[.,]\d+)*(?![\w,:/-]*\d|[.)]\s+\S|[.)]?[\"”])"
)
_UNIT = re.compile(r"\s?(?P<unit>ms|s|min|hours?|minutes?|seconds?|[KMGT]i?B|bytes?)\b")
_COUNT = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(sorted(COUNTS.keys() - {'one', 'both', 'null'}))})(?![\w-])")

RULES = (ClaimRule("unsupported", _explain_elsewhere, strength="doubt"),)
