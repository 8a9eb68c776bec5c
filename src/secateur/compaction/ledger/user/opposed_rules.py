"""Rules of which one wants a push or commits and another one forbids them, and which of them holds.

Rule: what the user says himself holds, whatever a file of the project says of it: the file's rule is marked as
replaced, and so is what he said before. Which of two files holds nobody knows but the user: their rules are quoted
together, once.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint
from secateur.compaction.ledger.user.force_words import is_habit
from secateur.compaction.ledger.user.rules import is_prompt
from secateur.compaction.ledger.user.topics import is_negative
from secateur.toolcalls.actions import clip_text, collapse_whitespace

OPPOSED_CHARS = 160  # of each of the rules that oppose each other


class Act(Struct, frozen=True):
    """What one rule wants to be done and another one forbids."""

    forbids: re.Pattern[str]  # every such act
    wants: re.Pattern[str]
    names: re.Pattern[str]  # in the user's words, which a later ban takes back
    begins: re.Pattern[str]  # a step of a host's procedure


def mark_overruled(entries: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Return the demands; what a demand of the user's own contradicts, of the project or older, names it."""
    made = tuple(entries)
    for act in ACTS:
        made = _mark_overruled(_mark_older(made, act), act)
    return made


def _mark_overruled(entries: tuple[Constraint, ...], act: Act) -> tuple[Constraint, ...]:
    own = [one for one in entries if _is_own(one)]
    bans = [one.text for one in own if is_banned(one, act)]
    wants = [one.text for one in own if (one.scope == "standing" or is_habit(one.text)) and is_wanted(one, act)]
    if not bans and not wants:
        return entries
    return tuple(
        _mark(one, bans, wants, act) if one.scope == "project" and not one.replaced_by else one for one in entries
    )


def _mark_older(entries: tuple[Constraint, ...], act: Act) -> tuple[Constraint, ...]:
    """Mark what the user wanted to be done before he forbade every such act in a later message."""
    last = max((at for at, one in enumerate(entries) if _is_own(one) and is_banned(one, act)), default=-1)
    if last < 0:
        return entries
    ban = entries[last]
    return tuple(
        replace(one, replaced_by=collapse_whitespace(ban.text))
        if at < last
        and one.key != ban.key
        and _is_own(one)
        and act.names.search(one.text)
        and not is_negative(one.text)
        else one
        for at, one in enumerate(entries)
    )


def _is_own(one: Constraint) -> bool:
    return one.scope != "project" and not one.replaced_by


def _mark(rule: Constraint, bans: Sequence[str], wants: Sequence[str], act: Act) -> Constraint:
    others = bans if is_wanted(rule, act) else wants if is_banned(rule, act) else []
    return replace(rule, replaced_by=collapse_whitespace(others[-1])) if others else rule


def find_ban(entries: Iterable[Constraint], act: Act) -> Constraint | None:
    """Return the first rule of the project in force that forbids every such act; None if none does."""
    rules = (one for one in entries if one.scope == "project" and not one.replaced_by)
    return next((one for one in rules if is_banned(one, act)), None)


def list_opposed(entries: Iterable[Constraint], act: Act) -> list[Constraint]:
    """Return a rule that forbids an act and, behind it, those of other sources that want it; none if all agree."""
    rules = [one for one in entries if one.scope == "project" and not one.replaced_by]
    ban = find_ban(rules, act)
    wants = {one.source: one for one in reversed(rules) if ban and one.source != ban.source and is_wanted(one, act)}
    return [ban, *reversed(wants.values())] if ban and wants else []


def quote_opposed(entries: Iterable[Constraint], act: Act) -> str:
    """Quote the rules that oppose each other, each with where it stands; "" if all agree."""
    return SEPARATOR.join(map(quote_rule, list_opposed(entries, act)))


def quote_rule(one: Constraint) -> str:
    """Quote how a rule begins, with where it stands."""
    return f"“{clip_text(collapse_whitespace(one.text), OPPOSED_CHARS)}” ({one.source})"


def parse_opposed(text: str) -> list[Constraint]:
    """Return the rules that such a quote names."""
    found = (_QUOTED.fullmatch(part) for part in text.split(SEPARATOR))
    return [Constraint(hit["text"], "project", source=hit["source"]) for hit in found if hit]


def is_banned(one: Constraint, act: Act) -> bool:
    """Whether a demand forbids every such act."""
    return act.forbids.search(one.text) is not None


def is_wanted(one: Constraint, act: Act) -> bool:
    """Whether a demand wants such an act."""
    is_step = is_prompt(one.source) and act.begins.match(one.text) is not None
    return (is_step or act.wants.search(one.text) is not None) and not is_banned(one, act)


def has_push_demand(text: str) -> bool:
    """Whether words of a text want work to be pushed."""
    return PUSH.wants.search(text) is not None


SEPARATOR = " · "
_QUOTED = re.compile(r"“(?P<text>.+)” \((?P<source>[^()]+)\)")
_NOT = r"(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|may\s+not|not)\s+(?:\w+\s+){0,2}?"
PUSH = Act(
    re.compile(rf"{_NOT}push\b(?!\s+(?:\w+\s+)?(?:until|before|without|directly|(?:straight\s+)?(?:to|on|onto)\b))"),
    re.compile(
        r"(?i)\b(?:must|always|mandatory|required|need(?:s)?\s+to)\b[^.;]{0,60}\bpush(?:ed|ing)?\b"
        r"|\bpush(?:ed|ing)?\b(?!\s+fails?\b)[^.;]{0,60}\b(?:must|mandatory|required|succeeds?)\b"
        r"|\b(?:never|not)\s+(?:stop|finish|end|done|complete)\b[^.;]{0,30}\bpush(?:ed|ing)?\b"
    ),
    re.compile(r"(?i)\bpush\b(?!\s+(?:to|on|onto)\b)"),
    re.compile(r"(?i)\W*push\s+to\b"),
)
_COMMITS = re.compile(
    r"(?i)\bcommits?\b[^.;\n]{0,30}\b(?:after|at|for|with)\s+(?:each|every|any|all|major)\b"
    r"|\b(?:after|at|for)\s+(?:each|every|any|all|major)\b[^.;\n]{0,40}\bcommit\b"
    r"|\b(?:must|always)\s+(?:\w+\s+)?commit\b(?!\s+(?:messages?|subjects?|titles?)\b)"
    r"|\bcommit\s+(?:(?:it|them|things?|changes|work)\s+)?(?:meaningful\w*|often|regularly|individual\w*|separate\w*|as\s+you\s+go"
    r"|on\s+the\s+go)\b|\bdo\s+(?:\w+\s+){0,2}commits\b"
)
COMMIT = Act(
    re.compile(
        rf"{_NOT}commit\b(?=\W*\Z|\s*[.;,(–—]|\s+(?:unless|except|if|yourself|anything|on\s+your\s+own|changes)\b)"
        r"(?!\s+\w+\s+(?:to|on|into)\b)"
    ),
    _COMMITS,
    _COMMITS,
    re.compile(r"(?i)\W*commit\s+using\b"),
)
ACTS = (PUSH, COMMIT)
