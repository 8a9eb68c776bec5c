"""The words by which a demand has force, and those by which it is for once: an order, a remark, a single change.

Rule: patterns only; a sentence is looked at alone. Which demands are shown is decided in `force`.
"""

import re

from secateur.compaction.ledger.user.retractions import is_negative
from secateur.memoizing import memoize_texts


@memoize_texts(4_096)
def is_forced(text: str) -> bool:
    """Whether a sentence forbids or commands in every case, and does not only wish or advise."""
    said = _ASIDE.sub(" ", text)
    if is_manner(said):
        return True
    return _FORCED.search(said) is not None and (not CASE.match(text) or LOUD.search(text) is not None)


def is_weak(text: str) -> bool:
    """Whether a sentence neither forbids nor commands, in any case, and neither prefers nor chooses one thing."""
    is_forcing = _FORCED.search(_ASIDE.sub(" ", text)) is not None or is_manner(text)
    return not (is_forcing or is_decision(text) or is_refusal(text) or is_preference(text) or _ATTENDS.search(text))


def is_preference(text: str) -> bool:
    """Whether a sentence says what is to stay as it is, or to be preferred, and names it."""
    return _PREFERS.search(_UNNAMED.sub(" ", text)) is not None


def is_decision(text: str) -> bool:
    """Whether a sentence puts one thing in the place of another one."""
    return _DECIDES.search(text) is not None


def is_manner(text: str) -> bool:
    """Whether a sentence says how the user wants work to go: what to commit when, and what to leave out."""
    return _MANNER.search(text) is not None


@memoize_texts(4_096)
def is_habit(text: str) -> bool:
    """Whether a text says how all work is to be committed or tested: in small commits, tests first."""
    return _HABIT.search(text) is not None


def list_manners(text: str) -> frozenset[str]:
    """Return the words by which a sentence says how work is to go."""
    return frozenset(" ".join(found[0].casefold().split()) for found in _MANNER.finditer(text))


def is_forced_otherwise(text: str) -> bool:
    """Whether a sentence forbids or commands in other words than those on how work is to go."""
    return _FORCED.search(_MANNER.sub(" ", text)) is not None


@memoize_texts(4_096)
def is_errand(text: str) -> bool:
    """Whether an English sentence is an order to be carried out once, and forbids nothing."""
    said = _SUBORDINATE.sub(" ", _ASIDE.sub(" ", text))
    return _ERRAND.match(said) is not None and not _FORCED.search(said) and not is_manner(said)


def is_order_for(text: str, end: int) -> bool:
    """Whether a text begins as an order, and what stands at this place belongs to what the order is for or about."""
    return _ERRAND.match(text) is not None and _SUBORDINATES.search(text, 0, end) is not None


def is_one_off(text: str) -> bool:
    """Whether a demand says nothing any more once it was answered: an order, a question, a remark, one change."""
    return (
        is_errand(text)
        or _is_task(text)
        or (_ONCE.search(text) is not None and not is_refusal(text))
        or is_undoing(text)
        or _SUBJECTLESS.match(text) is not None
        or _is_remark(text)
        or (not is_forced(text) and _is_single_change(text))
    )


def _is_task(text: str) -> bool:
    """Whether a long text begins as an order, and forbids nothing: what it demands is of that work."""
    return len(text) > _TASK_CHARS and _ERRAND.match(text) is not None and _FORBIDS.search(text) is None


def is_refusal(text: str) -> bool:
    """Whether a sentence says what the user does not want, whatever it asks besides."""
    return _REFUSES.search(text) is not None


def is_undoing(text: str) -> bool:
    """Whether an English sentence orders to go back to what was before."""
    return _UNDOES.match(text) is not None


def is_format(text: str) -> bool:
    """Whether an English sentence only says how calls and answers alternate, which a harness says again itself."""
    return _FORMAT.search(text) is not None


def is_complaint(text: str) -> bool:
    """Whether a sentence only says of what went wrong that it should never be so."""
    return _COMPLAINS.search(text) is not None


def is_work(text: str) -> bool:
    """Whether a sentence gives work, and sets it no limit."""
    return not is_forced(text) or (
        not is_manner(text) and _ERRAND.match(text) is not None and not is_negative(text) and not _LIMITS.search(text)
    )


def _is_remark(text: str) -> bool:
    """Whether a sentence corrects or remarks on what was just done, and forbids nothing later."""
    return (_REMARKS.match(text) is not None and _BANS.search(text) is None) or _MAYBE.search(text) is not None


def _is_single_change(text: str) -> bool:
    """Whether an English sentence asks for one change, in words that say nothing of later ones."""
    return _CHANGE.search(text) is not None and _LATER.search(text) is None


_ASIDE = re.compile(r"\([^()]*\)")
_TASK_CHARS = 200
_FORBIDS = re.compile(
    r"(?i)\b(?:do\s+not|don['’]?t|never|must\s+not|may\s+not|under\s+no\s+circumstances|from\s+now\s+on|always|whenever)\b"
)
_CLAUSE = r"\b(?:whether|what|how|why|because|since|so\s+(?:that|it|we|they)|so\s+\w+\s+(?:is|are))\b"
_CASES = r"\bif:\s*\n"  # points of a case that is thought through
_SUBORDINATES = re.compile(rf"(?i){_CLAUSE}|{_CASES}")
_SUBORDINATE = re.compile(rf"(?is){_CASES}.*|{_CLAUSE}(?:(?!\b(?:and|but|if:))[^,;.:\n])*")
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
_HABITS = (  # how work is to be committed and tested, whatever it is
    r"\b(?:do|make|use|in|with|as)\s+(?:[\w-]+\s+){0,2}(?:meaningful|individual|separate|small\w*|atomic|logical|single)\s+commits?\b"
    r"|\bcommit\s+(?:(?:it|them|things?|stuff|changes|work)\s+)?(?:meaningful\w*|often|individual\w*|separate\w*|as\s+you\s+go"
    r"|on\s+the\s+go|in\s+between|(?:after|at)\s+each)\b"
    r"|\b(?:i['’]d\s+(?:like|prefer)|let['’]?s|use|follow|with|want|do)\b[^.;\n]{0,40}\b(?:tdd|test[- ]driven)\b"
    r"|\bwrite\s+(?:the\s+)?tests?\s+first\b"
    r"|\b(?:sinnvolle|aussagekräftige|einzelne|kleine|getrennte|separate|atomare)n?\s+commits?\b"
    r"|\bcommitte\w*\s+(?:einzeln|regelmäßig|kleinschrittig|getrennt|nach\s+jede\w+)\b"
    r"|\b(?:petits|vrais)\s+commits\b|\bcommits\s+(?:atomiques|séparés|distincts|parlants|réguliers)\b"
    r"|\bcommits\s+(?:pequeñ[oa]s|pequenos|separados|at[óô]micos|individua(?:les|is)|significativos|frecuentes|frequentes)\b"
    r"|\b(?:отдельн|небольш|маленьк|атомарн|осмысленн)\w+\s+коммит\w*|\bcommit\s+(?:riêng|nhỏ|từng|thường\s+xuyên)\b"
    r"|(?:分开|分别|分批|逐个|小步|单独)提交|(?:有意义|独立|小)的?提交|(?:こまめに|小さく|個別に|分けて)コミット|(?:意味のある|個別の|小さな)コミット"
    r"|(?:의미\s*있는|작은|개별)\s*커밋|(?:나눠서?|따로|자주)\s*커밋"
)
_HABIT = re.compile(rf"(?i){_HABITS}")
_MANNER = re.compile(
    rf"(?i){_HABITS}|\b(?:meaningful|individual|separate|small\w*|atomic|logical|single)\s+commits?\b"
    r"|\b(?:after|before|with|for|at|on)\s+(?:each|every)\b|\bin\s+the\s+mean\s?time\b"
    r"|\b(?:so|and|but|please|just)\s+(?:ignore|skip)\s+(?:it|this|that|the|them|these|those)\b"
    r"|\blet['’]?s\s+(?:skip|ignore|leave|not)\b|\bno\s+(?:need\s+for|(?:more|need\s+to)\s+keep)\b"
    r"|\b(?:in|as|into|on)\s+(?:an?\s+|its\s+|their\s+)?(?:separate|own|different|another)\s+"
    r"(?:task|pr|pull\s+request|branch|commit|issue|ticket)s?\b"
    r"|\btdd\b|\btest[- ]driven\b"
)
_PREFERS = re.compile(
    r"(?i)\bprefer\w*|\brather\b|\bkeep\b|\bleave\b|\bstick (?:to|with)\b|\blieber\b|\bpréf\w+|\bplutôt\b"
    r"|\bprefier\w+|\bprefir\w+|\bпредпоч\w+|\bưu tiên\b|优先|できれば"
)
_UNNAMED = re.compile(r"(?i)\b(?:prefer|keep|leave)\s+(?:it|that|this|them|these|those)(?=\W*(?:\Z|[.,;!?]))")
_ATTENDS = re.compile(r"(?i)\b(?:make sure|ensure|remember|each|every|whenever)\b")
_DECIDES = re.compile(  # one thing in the place of another one
    r"(?i)\binstead\b|\buse\b[^.;\n]{1,80}?,? (?:no|not)\b|\b(?:let['’]?s|we should) (?:use|call|name|go with)\b"
    r"|\bgo with\b|\bstatt\b|\bau lieu de\b|\ben vez de\b|\bem vez de\b|\bвместо\b|\bthay vì\b|而不是|代わりに|대신"
)
_SUBJECTLESS = re.compile(
    r"(?i)\s*(?:should|must|shall)\s+(?:also\s+)?be\b"
)  # it says nothing without what it is about
_FORMAT = re.compile(
    r"(?i)\b(?:your|each|every)\s+(?:response|reply|message|answer|turn)s?\b[^.\n]{0,40}\b(?:must|should|has\s+to|needs?\s+to)\b"
    r"[^.\n]{0,60}\b(?:tool\s+calls?|bash|commands?|thoughts?)\b"
    r"|\bwait\s+for\s+(?:the\s+)?(?:feedback|output|results?)\b"
)
_COMPLAINS = re.compile(  # "the list broke, that should never happen"
    r"(?i)\b(?:got|gets?|saw|see|had|was|crash\w*|exploded|happened|broke|failed|fails)\b[^\n]*"
    r"\b(?:should|must|may|can)(?:\s+(?:never|not)|n['’]t)\s+(?:ever\s+)?(?:happen|be\s+(?:possible|so|like\s+that))\W*$"
)
_ONCE = re.compile(  # a question, a remark that trails off, a report to look into, and to go back: done once answered
    r"(?i)[?？]\W*$|\b(?:must|should|needs?\s+to)\b[^\n]*(?:\.{3}|…)\W*$"
    r"|^\W*(?:please\s+|but\s+)?(?:do\s+not|don['’]t)\s+(?:edit|make|change|modify|write)\s+(?:(?:any|the)\s+)?"
    r"(?:files?|changes|code|anything)\W*$|^\W*(?:please\s+)?(?:(?:report|give|list|return)\s+)?(?:only\s+)?(?:concrete\s+)?findings\s+only\b"
    r"|\b(?:investigate|look\s+into\s+(?:it|this|that)|check\s+(?:it|this|that))\W*$"
)
_REFUSES = re.compile(
    r"(?i)\b(?:i|we)\s+(?:do\s+not|don['’]?t)\s+want\b"
    r"|\b(?:i|we)\s+want\b[^.,;\n]{1,60}\bto\s+(?:not|never)\b|\bich\s+(?:will|möchte)\s+(?:\w+\s+){0,3}(?:nicht|kein\w*)\b"
    r"|\bje\s+ne\s+veux\s+pas\b|\bno\s+quiero\b|\bnão\s+quero\b|\bя\s+не\s+хочу\b|\b(?:tôi|mình)\s+không\s+muốn\b"
    r"|我不(?:想|要|希望)|たくない|원하지\s*않"
)
_UNDOES = re.compile(
    r"(?i)^\W*(?:(?:nah|no|nope|ok|okay|hm+|well|yeah|yes)[\s,.]+)*(?:let['’]?s\s+)?"
    r"(?:roll\s*(?:it\s+|this\s+|that\s+)?back|revert|undo|go\s+back)\b"
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
LOUD = re.compile(r"\b(?:NEVER|MUST|DO NOT|Do NOT|DON'T|ALWAYS|ONLY|CRITICAL|REQUIRED|Never|Always|Do not|Don't)\b")
_ERRAND = re.compile(
    r"(?i)\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?"
    r"(?:(?:please|now|then|next|also|and|so|ok(?:ay)?|alright|yes|yeah|great|good|sure|finally|again|first"
    r"|(?:after|once|when)\s+(?:you|that|it|this)\b[^,.;]{0,60}|(?:can|could)\s+(?:you|we)|let['’]?s|go\s+ahead\s+and"
    r"|(?:you|we)\s+(?:can|should)|i\s+(?:want|need)\s+you\s+to)[\s,:]+){0,4}"
    r"(?:re-?run|run|commit|push|pull|merge|rebase|remo?ve?|delete|add|move|rename|start|continue|finish|fix|release|update"
    r"|check|look|show|tell|explain|write|create|implement|read|investigate|build|test|try|open|close|kill|spawn|make\s+an?|do\s+it"
    r"|review|focus|revert|undo|install|publish|deploy|tackle|go\s+on|give|list|print|find|search|rewrite|split|refactor|drop|put|hide|swap|adjust|adapt|convert|extend|replace|change(?!\s+(?:nothing|no|only)\b))\b"
)
CASE = re.compile(
    r"(?i)\W*(?:[^:.\n]{1,40}:[*_]*\s+)?(?:when|if|where|for|in case"
    r"|note(?!\s+(?:\w+\s+)?that\s+you\s+(?:cannot|can['’]t|must|may\s+not)))\b"
)
