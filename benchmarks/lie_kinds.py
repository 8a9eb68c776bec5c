"""What a lie alters in the true summary that it is made of: a number, a name, an outcome, who decided, and others.

Rule: this is told by code, from the words that differ, so that no one has to read the lies of the halves that are for
figures alone. The first kind that fits is taken, from the certain ones to `other words`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from secateur.compaction.judge.claims import is_done, split_claims
from secateur.compaction.judge.clauses import is_ahead, read_outcome
from secateur.compaction.judge.lexicon import ACCEPTS, DENIES, REFUSES, USER, build_pattern

OWN_TEXT, OTHER = "a text of its own", "other words"
_WORD = re.compile(r"[A-Za-z_\u00c0-\u024f\u0400-\u04ff\u1e00-\u1eff]+|\d+(?:[.,:]\d+)*|[\u3040-\u9fff\uac00-\ud7af]")
_NAME = re.compile(r"[^\W\d_]*(?:_|[a-z][A-Z])\w*|[A-Z]\w*")
_WHOSE = build_pattern(r"agent|assistant|i|we|my|our|proposed|suggested|wants?|wanted|asked|ordered|chose|decided|said")


def name_kind(base: str, text: str) -> str:
    """Name what a lie alters in a true summary."""
    if not base:
        return OWN_TEXT
    old, new = _list_new(base, text), _list_new(text, base)
    before, after = (Counter(_WORD.findall("\n".join(some))) for some in (old, new))
    gone, come = before - after, after - before
    kinds = _iterate_kinds("\n".join(old), "\n".join(new), tuple(gone), tuple(come))
    return next(kinds, OTHER)


def _iterate_kinds(old: str, new: str, gone: Sequence[str], come: Sequence[str]) -> Iterator[str]:
    if come and all(word[0].isdigit() for word in (*gone, *come)):
        yield "a number"
    if not gone and not come:
        yield "things exchanged"
    if come and all(map(_NAME.fullmatch, come)):
        yield "a name"
    if _differ(USER, old, new) or any(
        _differ(one, " ".join(gone), " ".join(come)) for one in (ACCEPTS, REFUSES, _WHOSE)
    ):
        yield "who said, wanted or decided"
    if read_outcome(old) != read_outcome(new):
        yield "an outcome"
    if (is_done(old), is_ahead(old)) != (is_done(new), is_ahead(new)):
        yield "done, or to be done"
    if len(DENIES.findall(old)) != len(DENIES.findall(new)):
        yield "a denial"


def _differ(pattern: re.Pattern[str], old: str, new: str) -> bool:
    return len(pattern.findall(old)) != len(pattern.findall(new))


def _list_new(text: str, other: str) -> list[str]:
    """Return the sentences of a text that the other one does not have."""
    known = set(split_claims(other.split("\n")))
    return [one for one in split_claims(text.split("\n")) if one not in known]
