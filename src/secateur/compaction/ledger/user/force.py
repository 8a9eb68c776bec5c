"""Which demands are shown, and in what order: those that forbid or command first, whoever printed them.

Rule: of the user's own demands all are shown but orders that were carried out ("run the tests again"), advice in a
pasted document, and what a request or another demand says as well; the ledger keeps them. Of a project's rules a
few firm ones are shown: those on how work ends and on what must stay as it is before others. Texts stay as they are.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest, mark
from secateur.compaction.ledger.user.constraints import clip_sentences, normalize_demand
from secateur.compaction.ledger.user.retractions import is_negative
from secateur.compaction.ledger.user.rules import is_procedure, is_prompt, is_rule_file
from secateur.memoizing import memoize_texts
from secateur.toolcalls.actions import collapse_whitespace

MOST_PROJECT_RULES, LEAST_PROJECT_RULES = 10, 4  # where there is room for all else, and where there is not
MOST_ADVICE = 3  # demands of one message without force, where many of it have it
MANY_FORCED = 4
RULING_CHARS = 400  # of a reply that rules on what the agent asked
RULE_CHARS = 240  # of a rule of the project, clipped where a sentence ends
REPEATED_CHARS = 120  # of a demand that is a whole request, and is not listed again


def select_constraints(
    entries: Sequence[Constraint], requests: Sequence[UserRequest], most_rules: int = LEAST_PROJECT_RULES
) -> tuple[Constraint, ...]:
    """Return the demands that are shown, by force, each in its own words."""
    own = _drop_advice([one for one in entries if one.scope != "project" and not _is_idle(one, requests)])
    rules = _list_rules(entries)[:most_rules]
    shown = sorted(_drop_repeats([*_shorten_blocks(own), *rules]), key=rank_constraint)
    return tuple(
        replace(one, text=clip_sentences(one.text, RULE_CHARS)) if one.scope == "project" else one for one in shown
    )


def is_ruling(one: Constraint) -> bool:
    """Whether a short reply says what something means, or how far it goes."""
    return bool(one.answers) and len(one.text) <= RULING_CHARS and _RULES.search(one.text) is not None


def list_opposed(entries: Iterable[Constraint]) -> list[tuple[Constraint, Constraint]]:
    """Return the rules of which one wants a push and one of another source forbids it, the ban first."""
    rules = [one for one in entries if one.scope == "project" and not one.replaced_by]
    bans = [one for one in rules if _FORBIDS_PUSH.search(one.text)]
    wants = [one for one in rules if is_push_demanded(one.text)]
    return [(ban, want) for ban in bans[:1] for want in wants[:1] if ban.source != want.source]


def is_push_demanded(text: str) -> bool:
    """Whether a rule wants work to be pushed."""
    return _WANTS_PUSH.search(text) is not None and _FORBIDS_PUSH.search(text) is None


def _tell_pushes_once(rules: Sequence[Constraint]) -> list[Constraint]:
    """Keep of the rules of one source that want a push only the first."""
    first = {one.source: one for one in reversed(rules) if is_push_demanded(one.text)}
    return [one for one in rules if not is_push_demanded(one.text) or one is first[one.source]]


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
    """Whether a shown request says a demand as well: one that is long, or one without force in an answered request."""
    text = collapse_whitespace(one.text)
    if one.replaced_by or one.scope == "project" or is_ruling(one):
        return False
    within = [request.state for request in shown if text in _collapse(request.text)]
    return bool(within) and (len(text) > REPEATED_CHARS or ("open" not in within and not is_forced(text)))


_collapse = memoize_texts(1_024)(collapse_whitespace)  # each demand is looked for in all requests


def count_left_out(entries: Iterable[Constraint], most_rules: int) -> int:
    """Count the rules of the project that have no room."""
    return max(0, len(_list_rules(entries)) - most_rules)


def _list_rules(entries: Iterable[Constraint]) -> list[Constraint]:
    return _tell_pushes_once(sorted(filter(is_rule, entries), key=_rank_rule))


def rank_constraint(one: Constraint) -> int:
    """Rank a demand by what it binds to: the user's own with force first, then without, then rules, then past ones."""
    if one.replaced_by:
        return 4
    if one.scope == "project":
        return 3
    return 0 if one.scope == "standing" or is_forced(one.text) else 1


@memoize_texts(4_096)
def is_forced(text: str) -> bool:
    """Whether a sentence forbids or commands in every case, and does not only wish or advise."""
    return _FORCED.search(_ASIDE.sub(" ", text)) is not None and (
        not _CASE.match(text) or _LOUD.search(text) is not None
    )


@memoize_texts(4_096)
def is_errand(text: str) -> bool:
    """Whether an English sentence is an order to be carried out once, and forbids nothing."""
    said = _ASIDE.sub(" ", text)
    return _ERRAND.match(said) is not None and not _FORCED.search(said)


def is_rule(one: Constraint) -> bool:
    """Whether a demand is a firm rule of the project that says something alone."""
    if one.scope != "project":
        return False
    is_firm = _FIRM.search(one.text) is not None and not _NO_RULE.search(one.text)
    return is_firm or (is_prompt(one.source) and is_procedure(one.text))


def _is_idle(one: Constraint, requests: Sequence[UserRequest]) -> bool:
    """Whether a demand stands in the requests anyway, or was carried out."""
    if one.replaced_by or is_ruling(one):
        return False
    states = {request.state for request in requests if mark(request.key) == mark(one.key)}
    is_answered = states <= {"done", "superseded"}
    if one.scope == "standing":
        return is_answered and _COMPLAINS.search(one.text) is not None
    if any(request.text == one.text for request in requests) and (len(one.text) > REPEATED_CHARS or _is_work(one.text)):
        return True
    return is_answered and (
        is_errand(one.text)
        or _ONCE.search(one.text) is not None
        or _SUBJECTLESS.match(one.text) is not None
        or _is_remark(one.text)
        or (not is_forced(one.text) and _is_single_change(one.text))
    )


def _is_remark(text: str) -> bool:
    """Whether a sentence corrects or remarks on what was just done, and forbids nothing later."""
    return (_REMARKS.match(text) is not None and _BANS.search(text) is None) or _MAYBE.search(text) is not None


def _is_single_change(text: str) -> bool:
    """Whether an English sentence asks for one change, in words that say nothing of later ones."""
    return _CHANGE.search(text) is not None and _LATER.search(text) is None


def _is_work(text: str) -> bool:
    """Whether a sentence gives work, and sets it no limit."""
    return not is_forced(text) or (
        _ERRAND.match(text) is not None and not is_negative(text) and not _LIMITS.search(text)
    )


def _drop_advice(entries: Sequence[Constraint]) -> list[Constraint]:
    """Keep few demands without force of a message that has many with it, and no advice."""
    kept = []
    for one in entries:
        if _ADVICE.search(one.text) and not _LOUD.search(one.text) and not one.replaced_by:
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


def _rank_rule(one: Constraint) -> tuple[bool, ...]:
    """The procedure of the prompt first, then the task's own document, how work ends, every case, and firm ones."""
    text = one.text[:RULE_CHARS]
    if is_prompt(one.source) and is_procedure(one.text):
        return ()
    return (
        is_rule_file(one.source) or "." not in one.source,
        _BEARS.search(text) is None,
        _CASE.match(text) is not None,
        _LOUD.search(text) is None,
        _FIRM.search(text) is None,
    )


GAP = "[…]"
_RULES = re.compile(r"(?i)(?:\bis|\bare) best[- ]effort\b|\bmeans?\b(?! to\b)|\bcounts? as\b")
_FEWEST_LINES = 3  # of a block
_FORBIDS_PUSH = re.compile(
    r"(?i)\b(?:never|do\s+not|don['’]?t|must\s+not|may\s+not|not)\s+(?:\w+\s+){0,2}?push\b"
    r"(?!\s+(?:until|before|without|directly|(?:straight\s+)?(?:to|on|onto)\b))"
)
_WANTS_PUSH = re.compile(
    r"(?i)\b(?:must|always|mandatory|required|need(?:s)?\s+to)\b[^.;]{0,60}\bpush(?:ed|ing)?\b"
    r"|\bpush(?:ed|ing)?\b[^.;]{0,60}\b(?:must|mandatory|required|succeeds?)\b"
    r"|\b(?:never|not)\s+(?:stop|finish|end|done|complete)\b[^.;]{0,30}\bpush(?:ed|ing)?\b"
)
_FEWEST_WORDS = 3  # shorter demands are compared whole when they are extracted
_WORD = re.compile(r"\w[\w./-]*\w|\w")
_TELLING = re.compile(r"\d|[^\W\d_]{4,}|[^\x00-\x7f]")
_ASIDE = re.compile(r"\([^()]*\)")
_FORCED = re.compile(
    r"(?i)\b(?:never|must(?:\s+not|n['’]t)?|do\s+not|don['’]?t|dont|may\s+not|can(?:not|['’]t|\s+only)|always|only|exactly"
    r"|at\s+(?:least|most)|no\s+(?:more|less|fewer|longer)\b|no\s+(?:new|changes?)|without|avoid|forbidden|prohibited"
    r"|required?|mandatory|under\s+no\s+circumstances|from\s+now\s+on|should\s+(?:not|never|only|always)|stop\s+\w+ing"
    r"|niemals|nie|immer|nicht|muss|musst|müssen|darf|dürfen|nur|kein\w*|ohne|mindestens|höchstens|genau"
    r"|jamais|toujours|ne\s+\S+\s+(?:pas|plus|rien)|doit|doivent|seulement|uniquement|sans|au\s+(?:moins|plus)|interdit\w*"
    r"|nunca|siempre|sempre|jam[aá]s|debe\w*|dev(?:e|em)|s[oó]lo|só|apenas|sin|sem|al\s+menos|pelo\s+menos|prohibid\w+|proibid\w+"
    r"|no\s+\w+(?:es|as|en|an)|não\s+\w+|никогда|нельзя|всегда|не\s+\w+|только|должн\w+|обязательно|без|запрещ\w+"
    r"|đừng|không\s+(?:được|bao\s+giờ|nên)|phải|luôn|chỉ|cấm|bắt\s+buộc|tuyệt\s+đối|ít\s+nhất|tối\s+đa)\b"
    r"|不要|不能|不得|不准|禁止|严禁|必须|必須|务必|总是|始终|只(?!要|有|是)|至少|最多|一律"
    r"|ないで|禁止|必ず|絶対|常に|のみ|だけ|しない|以内|以上|지\s*마|금지|항상|반드시|절대|만\s|이하|이상"
)
_SUBJECTLESS = re.compile(
    r"(?i)\s*(?:should|must|shall)\s+(?:also\s+)?be\b"
)  # it says nothing without what it is about
_COMPLAINS = re.compile(  # "the list broke, that should never happen"
    r"(?i)\b(?:got|gets?|saw|see|had|was|crash\w*|exploded|happened|broke|failed|fails)\b[^\n]*"
    r"\b(?:should|must|may|can)(?:\s+(?:never|not)|n['’]t)\s+(?:ever\s+)?(?:happen|be\s+(?:possible|so|like\s+that))\W*$"
)
_ONCE = re.compile(  # a question, a remark that trails off, a report to look into, and to go back: done once answered
    r"(?i)[?？]\W*$|\b(?:must|should|needs?\s+to)\b[^\n]*(?:\.{3}|…)\W*$"
    r"|\b(?:investigate|look\s+into\s+(?:it|this|that)|check\s+(?:it|this|that))\W*$"
    r"|^\W*(?:(?:nah|no|nope|ok|okay|hm+|well|yeah|yes)[\s,.]+)*(?:let['’]?s\s+)?(?:roll\s*(?:it\s+|this\s+|that\s+)?back|revert|undo|go\s+back)\b"
)
_CHANGE = re.compile(
    r"(?i)\b(?:we|you)\s+should\s+(?:(?:also|now|then|probably|just)\s+)?"
    r"(?:have|add|drop|remove|move|put|show|see|hide|get|rename|replace|change|swap|place|combine|merge|split|include)\b"
    r"|\bshould\s+(?:also|now|then)\s|\bshould\s+be\s+(?:the\s+)?(?:same|like|as|at|more|less|\w+er)\b"
    r"|\b(?:we|i)\s+(?:also\s+|still\s+|now\s+)?need\s+(?!you\b)|\b(?:maybe|perhaps)\s+(?:we|you)\s+(?:(?:can|could|should)\s+)?"
    r"(?:drop|remove|move|put|hide|rename|replace|change|swap|place|combine|merge|split)\b"
)
_REMARKS = re.compile(  # "no, the frame should be wider", "ok, i think the list is broken, look into it"
    r"(?i)\W*(?:no|nope|ok|okay|hm+|actually|well|wait|dude|alright|nah)\b[\s,.:!]+(?=[^\n]*\b(?:should|i think)\b)"
    r"(?![^\n]*\b(?:always|never|instead|each|every|whenever|from now on)\b)"
)
_BANS = re.compile(
    r"(?i)(?:^|[,.;:]\s*|\b(?:but|and|please|so)\s+)(?:do\s+not|don['’]?t|dont|avoid|only|stop|without)\b"
)
_MAYBE = re.compile(
    r"(?i)\b(?:maybe|perhaps)\s+(?:we|you)\s+(?:(?:can|could|should)\s+)?"
    r"(?:drop|remove|move|put|hide|rename|replace|change|swap|place|combine|merge|split)\b"
)
_LATER = re.compile(
    r"(?i)\b(?:make\s+sure|ensure|be\s+(?:sure|careful)|remember|when(?:ever)?|prefer\w*|stick|keep|leave|each|every|any|all"
    r"|ask|rather|instead|before|after|until|while|stay|remain|in\s+general|usually|generally)\b"
)
_LIMITS = re.compile(r"(?i)\b(?:only|exactly|at\s+(?:least|most)|never|no\s+(?:more|less|fewer))\b")
_LOUD = re.compile(r"\b(?:NEVER|MUST|DO NOT|Do NOT|DON'T|ALWAYS|ONLY|CRITICAL|REQUIRED|Never|Always|Do not|Don't)\b")
_ERRAND = re.compile(
    r"(?i)\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?"
    r"(?:(?:please|now|then|next|also|and|so|ok(?:ay)?|alright|yes|yeah|great|good|sure|finally|again|first"
    r"|(?:after|once|when)\s+(?:you|that|it|this)\b[^,.;]{0,60}|(?:can|could)\s+(?:you|we)|let['’]?s|go\s+ahead\s+and"
    r"|(?:you|we)\s+(?:can|should)|i\s+(?:want|need)\s+you\s+to)[\s,:]+){0,4}"
    r"(?:re-?run|run|commit|push|pull|merge|rebase|remo?ve?|delete|add|move|rename|start|continue|finish|fix|release|update"
    r"|check|look|show|tell|explain|write|create|implement|read|investigate|build|test|try|open|close|kill|spawn|make\s+an?|do\s+it"
    r"|review|revert|undo|install|publish|deploy|tackle|go\s+on|give|list|print|find|search|rewrite|split|refactor|drop|put|hide|swap)\b"
)
_FIRM = re.compile(
    r"(?i)\b(?:never|must(?:\s+not|n['’]t)?|do\s+not|don['’]t|always|only|forbidden|prohibited|required|may\s+not|cannot"
    r"|niemals|nie|immer|nicht|jamais|toujours|nunca|siempre|sempre|никогда|нельзя|всегда)\b|不要|禁止|必须|必須|必ず|절대|반드시"
)
_NO_RULE = re.compile(  # the head of a list, a value, a heading, what a command does, what is allowed
    r"[:：]\s*[*_]*$|^\W*(?:[\w-]+\s){0,5}[\w-]+\s?:\W*\w+\W*$|^#|^\W*`[^`]+`\W*\s[-–—]?\s*|^\W*`[^`]+`\s*:"
    r"|\b(?:no|not)\s+\w+\s+required\b|\balways\s+(?:permitted|allowed|possible|present)\b"
)
_CASE = re.compile(
    r"(?i)\W*(?:[^:.\n]{1,40}:[*_]*\s+)?(?:when|if|where|for|in case"
    r"|note(?!\s+(?:\w+\s+)?that\s+you\s+(?:cannot|can['’]t|must|may\s+not)))\b"
)
_BEARS = re.compile(  # on how work ends, where it is done, and what must stay as it is
    r"\b(?:NEVER|MUST NOT|DO NOT|NOT)\b"
    r"|(?i:\b(?:submit\w*|commit\w*|push\w*|merg(?:e|ing)|force-push|interactive|comments?"
    r"|only\s+(?:write|edit|change|touch)"
    r"|(?:not|never|n['’]t)\s+(?:touch|edit|modify|change|delete)"
    r"|(?:run|pass)\s+(?:all\s+)?(?:the\s+)?(?:tests?|checks?|lint))\b)"
)
_ADVICE = re.compile(
    r"(?i)\bwe\s+recommend\b|\bit\s+(?:might|may|could)\s+be\s+(?:a\s+)?(?:good|useful|helpful)\b"
    r"|\bfeel\s+free\b|\bthat\s+you\s+(?:want|need)\.?$"
)
