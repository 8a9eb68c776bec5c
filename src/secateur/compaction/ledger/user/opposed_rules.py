"""Rules of which one wants a push and another one forbids it, and which of them holds.

Rule: what the user says himself holds, whatever a file of the project says of it: the file's rule is marked as
replaced, and so is what he said before. Which of two files holds nobody knows but the user: their rules are quoted
together, once.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.rules import is_prompt
from secateur.compaction.ledger.user.topics import is_negative
from secateur.toolcalls.actions import clip_text, collapse_whitespace

OPPOSED_CHARS = 160  # of each of the rules that oppose each other


def mark_overruled(entries: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return the demands; what a demand of the user's own contradicts, of the project or older, names it."""
    entries = _mark_older(tuple(entries))
    own = [one for one in entries if _is_own(one)]
    bans = [one.text for one in own if is_push_banned(one)]
    wants = [one.text for one in own if one.scope == "standing" and is_push_demanded(one)]
    if not bans and not wants:
        return entries
    return tuple(_mark(one, bans, wants) if one.scope == "project" and not one.replaced_by else one for one in entries)


def _mark_older(entries: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
    """Mark what the user wanted to be pushed before he forbade every push in a later message."""
    last = max((at for at, one in enumerate(entries) if _is_own(one) and is_push_banned(one)), default=-1)
    if last < 0:
        return entries
    ban = entries[last]
    return tuple(
        replace(one, replaced_by=collapse_whitespace(ban.text))
        if at < last and one.key != ban.key and _is_own(one) and _PUSH.search(one.text) and not is_negative(one.text)
        else one
        for at, one in enumerate(entries)
    )


def _is_own(one: Constraint) -> bool:
    return one.scope != "project" and not one.replaced_by


def _mark(rule: Constraint, bans: Sequence[str], wants: Sequence[str]) -> Constraint:
    others = bans if is_push_demanded(rule) else wants if is_push_banned(rule) else []
    return replace(rule, replaced_by=collapse_whitespace(others[-1])) if others else rule


def list_opposed(entries: Iterable[Constraint]) -> list[Constraint]:
    """Return a rule that forbids a push and, behind it, those of other sources that want one; none if all agree."""
    rules = [one for one in entries if one.scope == "project" and not one.replaced_by]
    ban = next(filter(is_push_banned, rules), None)
    wants = {one.source: one for one in reversed(rules) if ban and one.source != ban.source and is_push_demanded(one)}
    return [ban, *reversed(wants.values())] if ban and wants else []


def quote_opposed(entries: Iterable[Constraint]) -> str:
    """Quote the rules that oppose each other, each with where it stands; "" if all agree."""
    return SEPARATOR.join(
        f"“{clip_text(collapse_whitespace(one.text), OPPOSED_CHARS)}” ({one.source})" for one in list_opposed(entries)
    )


def parse_opposed(text: str) -> list[Constraint]:
    """Return the rules that such a quote names."""
    found = (_QUOTED.fullmatch(part) for part in text.split(SEPARATOR))
    return [Constraint(hit["text"], "project", source=hit["source"]) for hit in found if hit]


def is_push_banned(one: Constraint) -> bool:
    """Whether a demand forbids every push."""
    return _FORBIDS_PUSH.search(one.text) is not None


def has_push_demand(text: str) -> bool:
    """Whether words of a text want work to be pushed."""
    return _WANTS_PUSH.search(text) is not None


def is_push_demanded(one: Constraint) -> bool:
    """Whether a demand wants work to be pushed."""
    is_step = is_prompt(one.source) and _PUSHES.match(one.text) is not None
    return (is_step or has_push_demand(one.text)) and not is_push_banned(one)


SEPARATOR = " · "
_QUOTED = re.compile(r"“(?P<text>.+)” \((?P<source>[^()]+)\)")
_PUSH = re.compile(r"(?i)\bpush\b(?!\s+(?:to|on|onto)\b)")
_PUSHES = re.compile(r"(?i)\W*push\s+to\b")
_FORBIDS_PUSH = re.compile(
    r"(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|may\s+not|not)\s+(?:\w+\s+){0,2}?push\b"
    r"(?!\s+(?:\w+\s+)?(?:until|before|without|directly|(?:straight\s+)?(?:to|on|onto)\b))"
)
_WANTS_PUSH = re.compile(
    r"(?i)\b(?:must|always|mandatory|required|need(?:s)?\s+to)\b[^.;]{0,60}\bpush(?:ed|ing)?\b"
    r"|\bpush(?:ed|ing)?\b[^.;]{0,60}\b(?:must|mandatory|required|succeeds?)\b"
    r"|\b(?:never|not)\s+(?:stop|finish|end|done|complete)\b[^.;]{0,30}\bpush(?:ed|ing)?\b"
)
