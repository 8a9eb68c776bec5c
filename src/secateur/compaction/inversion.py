"""Whether a summary turns the user's prohibitions and demands around, drops them or restates what was taken back.

Rule: a line is false only where the user spoke of the same thing and said otherwise. A later word of the user that
allows it, or a line that is hedged, is enough to let it stand.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.consent import CLAUSE, HEDGED, extract_words, list_claims
from secateur.compaction.evidence import Contradiction, Evidence
from secateur.compaction.ledger.constraints import is_demand
from secateur.compaction.ledger.retractions import find_alternatives, is_negative, is_retraction
from secateur.compaction.summary import Sections

LEAST_SHARED = 0.5  # of the words of what the user said
WHOLE_WORDS, WHOLE_SHARE = 3, 0.8  # of a prohibition, in a goal that turns it around


DEMANDING = ("constraints", "instructions")  # sections that say what the user demands


def find_inversion(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find a prohibition or a demand of the user that a summary turns around, or that the user took back."""
    wished = [line for id in DEMANDING for line in sections.get(id, ())]
    known = [line for id in ("goal", "discoveries", "next") for line in sections.get(id, ())]
    clauses = tuple(_list_clauses(evidence))
    for find in (_find_lost_negation, _find_added_negation, _find_other_number, _find_restated, _find_exchanged):
        if found := find(wished, evidence, clauses):
            return found
    every = [line for lines in sections.values() for line in lines]
    if found := _find_dropped(every, clauses) or _find_other_place(wished, clauses) or _find_allowed(every, clauses):
        return found
    allowed = [line for line in known if _PERMITS.search(line)]
    asked = [line for line in list_claims(sections.get("goal", ())) if _has_whole(line, clauses)]
    return _find_lost_negation([*allowed, *asked], evidence, clauses)


_PERMITS = re.compile(
    r"(?i)\b(?:may|must|always|allowed|permitted|can\s+(?:now\s+)?(?:be|use|add|change|edit|touch|run)|(?:is"
    r"|are)\s+(?:fine|ok(?:ay)?)|free\s+to"
    r"|darf|dürfen|immer|erlaubt|puede[ns]?|siempre|permitid[oa]s?|pode[m]?|sempre|permitid[oa]s?|peu[tvx]\w*"
    r"|toujours|autorisé\w*"
    r"|được\s+phép|luôn|можно|всегда|разрешен\w*)\b|可以|允许|必须|总是|してよい|必ず|해도|항상|반드시"
)


_GUARDED = re.compile(
    r"(?i)\b(?:nothing|none|off[\s-]limits|untouched|unchanged|intact|read-?only|forbid\w*|forbade|prohibit\w*"
    r"|banned|declined|refus\w*|refrain|except"
    r"|instead|rather|leave|leaves|keep|keeps|stays?|remains?|until|unless|ask|asks|only\s+(?:after|with|if)"
    r"|declines?|said\s+no"
    r"|bleib\w*|unberührt|unverändert|tabu|statt|außer|nur\s+(?:nach|mit|wenn)|untersagt|salvo|intact[oa]s?"
    r"|prohíbe\w*|interdit\w*|sauf|intacte?s?"
    r"|прежн\w*|кроме|нельзя|ngoại\s+trừ|giữ\s+nguyên)\b|除非|保持|除了|以外|そのまま|그대로|외에"
)


_MARKED = re.compile(
    r"(?i)\b(?:formerly|previous\w*|earlier|was|were|used\s+to|superseded|replaced|replaces|no\s+longer|instead"
    r"|rather|not|originally|at\s+first|then|now|later|but"
    r"|früher|zuvor|ersetzt|statt|anstatt|nicht|ursprünglich|zuerst|jetzt|später|antes|ya\s+no|en\s+vez"
    r"|en\s+lugar|ahora|em\s+vez|agora|avant"
    r"|au\s+lieu|désormais|maintenant|remplac\w*|trước|thay|giờ|раньше|вместо|теперь|больше)\b|以前|原先|改|不再|而不是"
    r"|现在|以前|代わり|なく|이전|대신|이제"
)


_BOTH = re.compile(
    r"(?i)\b(?P<new>[\w@./-]{2,30}),?\s+(?:not|instead\s+of|rather\s+than|over|statt|anstatt|nicht|en\s+(?:vez"
    r"|lugar)\s+de|em\s+vez\s+de"
    r"|ao\s+invés\s+de|au\s+lieu\s+de|plutôt\s+que|thay\s+vì|а\s+не|вместо|而不是|不是)\s+(?:the\s+|on\s+|in\s+"
    r"|with\s+|use\s+)?(?P<old>[\w@./-]{2,30})"
)


def _list_clauses(evidence: Evidence) -> Iterator[str]:
    """Yield what the user said, clause by clause, each with words that say what it is about."""
    for reply in evidence.replies:
        for clause in CLAUSE.split(reply.text):
            if extract_words(clause):
                yield clause


def _is_about(clause: str, line: str) -> bool:
    """Whether a line is about what the user's clause is about."""
    own = extract_words(clause)
    shared = own & extract_words(line)
    return len(shared) >= min(2, len(own)) and len(shared) >= LEAST_SHARED * len(own)


def _has_whole(line: str, clauses: Sequence[str]) -> bool:
    """Whether a line holds nearly every word of a prohibition, three at least."""
    topics = (extract_words(clause) for clause in clauses if is_negative(clause))
    words = extract_words(line)
    return any(len(own & words) >= max(WHOLE_WORDS, WHOLE_SHARE * len(own)) for own in topics)


def _find_lost_negation(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that orders or allows what the user forbade and never allowed."""
    forbidden = [clause for clause in clauses if is_negative(clause)]
    for line in list_claims(lines):
        if " ".join(line.split()) in evidence.user:
            continue  # verbatim
        if is_negative(line) or _GUARDED.search(line) or line.rstrip().endswith("?") or line[:1] in "\"'“„":
            continue
        against = next((clause for clause in forbidden if _is_about(clause, line)), None)
        if against is None:
            continue
        if not any(_is_about(line, one) or _is_about(one, line) for one in clauses if not is_negative(one)):
            return Contradiction("inverted", f"the user said {against.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


def _find_dropped(lines: Sequence[str], clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that says that a demand no longer holds, where the user took nothing of it back."""
    for line in list_claims(lines):
        words = extract_words(line)
        if not _DROPS.search(line) or line.rstrip().endswith("?"):
            continue
        about = [one for one in clauses if len(extract_words(one) & words) >= 2]
        if about and not any(map(is_retraction, about)) and all(map(is_demand, about)):
            return Contradiction("inverted", f"the user never took this back: {line[:120]}")
    return None


def _find_allowed(lines: Sequence[str], clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that allows to change a path that the user forbade to touch, and never allowed."""
    for line in list_claims(lines):
        if not _ALLOWS.search(line) or is_negative(line) or HEDGED.search(line) or _GUARDED.search(line):
            continue
        for path in (word for word in extract_words(line) if "/" in word):
            about = [one for one in clauses if path in extract_words(one)]
            if about and all(map(is_negative, about)) and not any(map(is_retraction, about)):
                return Contradiction("inverted", f"the user forbade this: {line[:120]}")
    return None


def _find_other_place(lines: Sequence[str], clauses: Sequence[str]) -> Contradiction | None:
    """Find a prohibition for one place that the user spoke of another: staging for production."""
    forbidden = [one for one in clauses if is_negative(one) and _PLACE.search(one)]
    for line in filter(is_negative, list_claims(lines)):
        named = {one.casefold()[:4] for one in _PLACE.findall(line)}
        for clause in forbidden:
            places = {one.casefold()[:4] for other in forbidden for one in _PLACE.findall(other)}
            shared = extract_words(_PLACE.sub(" ", clause)) & extract_words(_PLACE.sub(" ", line))
            if named and not named & places and len(shared) >= 2:
                return Contradiction("inverted", f"the user said {clause.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


_PLACE = re.compile(
    r"(?i)\b(?:production|prod|staging|development|testing|frontend|backend|client|server|main|master|develop)\b"
)


_ALLOWS = re.compile(
    r"(?i)\b(?:may\s+(?:now\s+)?be|(?:is|are)\s+(?:now\s+)?(?:ok|okay|fine|allowed|permitted|free)|you\s+may|can\s+now\s+be)\b"
)


_DROPS = re.compile(
    r"(?i)\b(?:may|can)\s+be\s+(?:dropped|ignored|skipped|relaxed|disregarded|waived)|\bno\s+longer\s+(?:needs?"
    r"|has|have|required|applies|necessary|holds)"
    r"|\b(?:is|are)\s+no\s+longer\s+(?:required|needed|necessary|in\s+force)|\b(?:restriction|rule|ban"
    r"|requirement|limit)\s+(?:was|has\s+been|is)\s+(?:lifted|dropped|waived)"
    r"|\bgilt\s+nicht\s+mehr|\bya\s+no\s+(?:hace\s+falta|aplica)|\bne\s+s['’]applique\s+plus"
    r"|больше\s+не\s+(?:нужн|действ)\w*|不再需要|不再适用"
)


def _find_added_negation(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that forbids what the user demands, in nearly all of its words."""
    wanted = [clause for clause in clauses if not is_negative(clause) and len(extract_words(clause)) >= 2]
    for line in list_claims(lines):
        if not is_negative(line) or _GUARDED.search(line) or _BOUND.search(line) or line in evidence.user:
            continue
        words = extract_words(line)
        if any(_is_about(clause, line) for clause in clauses if is_negative(clause)):
            continue
        against = next(
            (one for one in wanted if len(extract_words(one) & words) >= WHOLE_SHARE * len(extract_words(one))), None
        )
        if against:
            return Contradiction("inverted", f"the user said {against.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


def _find_other_number(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a demand with another number than the user's, which nothing in the history holds."""
    known = set(
        _NUMBER.findall("\n".join((evidence.user, evidence.agent, evidence.calls, evidence.kept, *evidence.outputs)))
    )
    for line in list_claims(lines):
        numbers = set(_NUMBER.findall(line))
        if not numbers or numbers & known:
            continue
        for clause in clauses:
            own = _NUMBER.findall(clause)
            if own and not numbers & set(own) and _is_about(_NUMBER.sub(" ", clause), line):
                return Contradiction("inverted", f"the user said {clause.strip()[:80]!r}, and the summary: {line[:80]}")
    return None


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


_BOUND = re.compile(
    r"(?i)\b(?:before|without|unless|until|after|when|while|if|vor|bevor|ohne|wenn|antes|sin|sem|avant|sans"
    r"|trước|без|если|что)\b|[,;:]|之前|前に|전에"
)


def _find_restated(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find a line that states as current what the user took back."""
    for constraint in evidence.constraints:
        if not constraint.replaced_by:
            continue
        old = find_alternatives(constraint.text)
        new = find_alternatives(constraint.replaced_by) - old
        for line in list_claims(lines):
            named = find_alternatives(line)
            if new and old & named and not new & named and not _MARKED.search(line) and not is_negative(line):
                return Contradiction("inverted", f"the user took this back: {line[:120]}")
    return None


def _find_exchanged(lines: Sequence[str], evidence: Evidence, clauses: Sequence[str]) -> Contradiction | None:
    """Find `Y, not X` where the user said `X, not Y`."""
    pairs = set(map(_get_pair, _BOTH.finditer(evidence.user)))
    for line in list_claims(lines):
        for pair in map(_get_pair, _BOTH.finditer(line)):
            if pair[::-1] in pairs and pair not in pairs:
                return Contradiction("inverted", f"the user said it the other way around: {line[:120]}")
    return None


def _get_pair(found: re.Match[str]) -> tuple[str, str]:
    """Return what is wanted, and what is not."""
    return found["new"].casefold().strip("./-"), found["old"].casefold().strip("./-")
