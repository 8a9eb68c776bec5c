"""Which demands are shown, and in what order: those that forbid or command first, whoever printed them.

Rule: of the user's own demands all are shown but orders that were carried out ("run the tests again"), advice in a
pasted document, and what a request or another demand says as well; the ledger keeps them. Of a project's rules a
few firm ones are shown: those on how work ends and on what must stay as it is before others. Texts stay as they are.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest, mark
from secateur.compaction.ledger.user.alternatives import has_choice
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.user.constraints import normalize_demand
from secateur.compaction.ledger.user.edit_bans import is_past_ban
from secateur.compaction.ledger.user.force_words import (
    LOUD,
    is_decision,
    is_forced,
    is_forced_otherwise,
    is_general,
    is_manner,
    is_preference,
    is_refusal,
    is_weak,
    list_manners,
)
from secateur.compaction.ledger.user.opposed_rules import mark_overruled
from secateur.compaction.ledger.user.order_words import is_complaint, is_format, is_one_off, is_work
from secateur.compaction.ledger.user.permissions import is_permission
from secateur.compaction.ledger.user.project_rules import LEAST_PROJECT_RULES, limit_rules, list_rules
from secateur.compaction.ledger.user.topics import is_negative
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import collapse_whitespace

MOST_ADVICE = 3  # demands of one message without force, where many of it have it
MANY_FORCED = 4
RULING_CHARS = 400  # of a reply that rules on what the agent asked
REPEATED_CHARS = 120  # of a demand that is a whole request, and is not listed again


def select_constraints(
    entries: Sequence[Constraint],
    requests: Sequence[UserRequest],
    most_rules: int = LEAST_PROJECT_RULES,
    work: str = "",
    acts: Collection[str] = (),
) -> tuple[Constraint, ...]:
    """Return the demands that are shown, by force, each in its own words.

    `work` names files and commands, `acts` what is left to do, as "push".
    """
    entries = mark_overruled(entries)
    heirs = {collapse_whitespace(one.replaced_by) for one in entries}
    own = _drop_advice(
        [
            one
            for one in entries
            if one.scope != "project" and (collapse_whitespace(one.text) in heirs or not _is_idle(one, requests))
        ]
    )
    rules = list_rules(entries, work, acts)
    shown = _drop_repeats([*_shorten_blocks(_tell_manners_once(own)), *rules])
    kept = {*limit_rules([one for one in shown if one.scope == "project"], most_rules, work, acts)}
    return tuple(sorted((one for one in shown if one.scope != "project" or one in kept), key=rank_constraint))


def _tell_manners_once(entries: Sequence[Constraint]) -> list[Constraint]:
    """Keep of demands on how work is to go those that say what no later one says, or what an earlier one says not."""
    manners = [frozenset() if one.replaced_by else list_manners(one.text) for one in entries]
    return [
        one
        for at, one in enumerate(entries)
        if not manners[at]
        or is_forced_otherwise(one.text)
        or not (any(manners[at] <= later for later in manners[at + 1 :]) or any(manners[at] < mine for mine in manners))
    ]


def is_ruling(one: Constraint) -> bool:
    """Whether a short reply says what something means, or how far it goes."""
    return bool(one.answers) and len(one.text) <= RULING_CHARS and _RULES.search(one.text) is not None


def _shorten_blocks(entries: Sequence[Constraint]) -> list[Constraint]:
    """Shorten each block of lines that another one of its message has mostly told to its opening and what differs."""
    made: list[Constraint] = []
    told: dict[str, set[str]] = {}
    for one in entries:
        opening, *lines = one.text.split("\n")
        known = told.setdefault(one.key, set())
        differing = [line for line in lines if line not in known]
        if len(lines) >= _FEWEST_LINES and 2 * len(differing) <= len(lines) + 1 and differing:
            one = replace(one, text="\n".join((opening, GAP, *differing)))
        known.update(lines)
        made.append(one)
    return made


def is_repeated(one: Constraint, shown: Iterable[UserRequest]) -> bool:
    """Whether a shown request says a demand as well: one that is long, or one without force in an answered request.

    A lasting ban is looked for among the demands, so it stands there unless an open request says it.
    """
    text = collapse_whitespace(one.text).removesuffix("[…]").rstrip()
    if one.replaced_by or one.scope == "project" or is_ruling(one) or is_refusal(one.text):
        return False
    within = [request.state for request in shown if text in _collapse(request.text)]
    if one.scope == "standing" and is_negative(text) and "open" not in within:
        return False
    return bool(within) and (
        len(text) > REPEATED_CHARS
        or ("open" not in within and not (is_forced(text) or is_decision(text) or is_preference(text)))
    )


_collapse = memoize_texts(1_024)(collapse_whitespace)  # each demand is looked for in all requests


def rank_constraint(one: Constraint) -> int:
    """Rank a demand by what it binds to: the user's own with force first, then without, then rules, then past ones."""
    if one.replaced_by:
        return 4
    if one.scope == "project":
        return 3
    return 0 if one.scope == "standing" or is_forced(one.text) else 1


def _is_idle(one: Constraint, requests: Sequence[UserRequest]) -> bool:
    """Whether a demand stands in the requests anyway, or was carried out."""
    if one.replaced_by or is_ruling(one):
        return False
    if is_format(one.text) or is_permission(one.text) or _is_unasked(one, requests):
        return True
    states = {request.state for request in requests if mark(request.key) == mark(one.key)}
    is_answered = states <= {"done", "superseded"}
    if one.scope == "request" and is_past_ban(one.text, one.key, requests):
        return True
    if one.scope == "standing":
        return is_answered and is_complaint(one.text)
    if any(_is_said_whole(one.text, request) for request in requests):
        return True
    return is_answered and ((is_weak(one.text) and not has_choice(one.text)) or is_one_off(one.text))


def _is_said_whole(text: str, request: UserRequest) -> bool:
    """Whether a demand is all that a request says, and gives work rather than to say how work is to go."""
    if request.text != text:
        return False
    is_aim = request.goal and not is_forced(text)
    is_lasting = is_manner(text) or is_refusal(text) or is_general(text)
    return is_aim or is_work(text) or (len(text) > REPEATED_CHARS and not is_lasting)


def _is_unasked(one: Constraint, requests: Sequence[UserRequest]) -> bool:
    """Whether a demand holds for a push only, and only if the user asks for one, which no other message does."""
    if not _IF_ASKED.search(one.text.partition("\n")[0]):
        return False
    return not any(_PUSHES.search(other.text) for other in requests if mark(other.key) != mark(one.key))


def _drop_advice(entries: Sequence[Constraint]) -> list[Constraint]:
    """Keep few demands without force of a message that has many with it, and no advice."""
    kept = []
    for one in entries:
        if _ADVICE.search(one.text) and not LOUD.search(one.text) and not one.replaced_by:
            continue
        mine = [other for other in entries if other.key == one.key and not other.replaced_by]
        weak = [other for other in mine if not is_forced(other.text)]
        if one not in weak or len(mine) - len(weak) < MANY_FORCED or one in weak[:MOST_ADVICE]:
            kept.append(one)
    return kept


def _drop_repeats(entries: Sequence[Constraint]) -> list[Constraint]:
    """Drop demands whose telling words all stand in another that forbids or demands as they do."""
    words = [frozenset(filter(_TELLING.search, _WORD.findall(normalize_demand(one.text)))) for one in entries]

    def is_said(at: int, other: int) -> bool:
        if (
            at == other
            or entries[other].replaced_by
            or is_negative(entries[at].text) != is_negative(entries[other].text)
        ):
            return False
        return words[at] <= words[other] and (len(words[other]), other) > (len(words[at]), at)

    numbers = range(len(entries))
    return [
        one
        for at, one in enumerate(entries)
        if one.replaced_by or len(words[at]) < _FEWEST_WORDS or not any(is_said(at, other) for other in numbers)
    ]


_IF_ASKED = re.compile(r"(?i)\bpush(?:es|ing)?\b.{0,60}\bonly\b.{0,30}\bif (?:the user|i) asks?\b")
_PUSHES = re.compile(r"(?i)\bpush(?:ed|es|ing)?\b|\bpull requests?\b|\bmerge requests?\b|\bPRs?\b")
_RULES = re.compile(r"(?i)(?:\bis|\bare) best[- ]effort\b|\bmeans?\b(?! to\b)|\bcounts? as\b")
_FEWEST_LINES = 3  # of a block
_FEWEST_WORDS = 3  # shorter demands are compared whole when they are extracted
_WORD = re.compile(r"\w[\w./-]*\w|\w")
_TELLING = re.compile(r"\d|[^\W\d_]{4,}|[^\x00-\x7f]")
_ADVICE = re.compile(
    r"(?i)\bwe\s+recommend\b|\bit\s+(?:might|may|could)\s+be\s+(?:a\s+)?(?:good|useful|helpful)\b"
    r"|\bfeel\s+free\b|\bthat\s+you\s+(?:want|need)\.?$"
)
