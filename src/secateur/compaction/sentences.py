"""The sentences of an agent's text that say something.

Rule: left out are headings, tables, questions with the answers listed under them, lists of what is left or proposed,
fragments, talk about what comes next, thanks, and what was so at that moment only. A short list stays with its opening
line; of a longer one each item stands alone. Sentences stay as they were said; which are worth their room is decided
in `extract`.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.said import CONTRADICTS, FENCED, get_agent_text, get_user_text, split_sentences
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import collapse_whitespace

MIN_CHARS, MAX_CHARS = 30, 400  # of a sentence
LIST_CHARS = 200  # of a list that stays with its opening line
_FEWEST_LEAD_WORDS = 5  # of an opening line that says something


def list_sentences(text: str) -> Iterator[str]:
    """Yield the meaningful sentences of a text; of one that proposes something, no items but deeds."""
    is_proposal = _PROPOSES.match(text) is not None
    for sentence in split_sentences(_strip_open_lists(FENCED.sub("\n", text))):
        is_item = "\n" in sentence or _BULLET.match(sentence) is not None
        for said in _split_list(sentence):
            is_told = not is_item or (_is_done(said) if is_proposal else _is_telling_item(said))
            if is_told and _is_meaningful(said):
                yield said


def collect_sentences(messages: Sequence[Message]) -> Iterator[tuple[str, bool, int]]:
    """Yield each sentence once, at its last occurrence, whether its message closes a turn, and the message's number.

    Sentences of an answer that the user's next message contradicts are left out, and so are those of one behind which
    the user soon says that it is still as it was.
    """
    own = [(number, text) for number, one in enumerate(messages) if (text := get_user_text(one))]
    disputed = [  # from where to where an answer is meant
        (own[at - _SOON][0] if at >= _SOON else 0, number)
        for at, (number, text) in enumerate(own)
        if len(text) <= _STILL_CHARS and _STILL.search(text)
    ]
    found: dict[str, tuple[bool, int]] = {}
    for number, message in enumerate(messages):
        text = redact(get_agent_text(message))
        follows = messages[number + 1] if number + 1 < len(messages) else None
        closing = not any(part.kind == "tool_call" for part in message.parts) and (
            follows is None or follows.role == "user"
        )
        is_contradicted = closing and follows is not None and CONTRADICTS.match(get_user_text(follows)) is not None
        is_contradicted = is_contradicted or (closing and any(start <= number < end for start, end in disputed))
        for sentence in list_sentences(text):
            found.pop(sentence, None)
            if not is_contradicted:
                found[sentence] = closing, number
    return ((sentence, *place) for sentence, place in found.items())


def is_telling(text: str) -> bool:
    """Whether a sentence tells a deed, a finding, a reason or a figure, or names something; English ones only."""
    return NAMES.search(text) is not None or _ENGLISH.search(text) is None or _is_finding(text)


def is_finding(text: str) -> bool:
    """Whether a sentence that tells no deed is worth a summary: a cause, a limit, a figure, or what was learned.

    Steps of thinking, proposals, and choices before a decision are none, and neither is praise of a change. What
    something does not do is one only where it is named, and nothing is supposed.
    """
    if any(one.search(text) for one in (_STEP, _PROPOSAL, PRAISE)) or _PREDICATE.match(text):
        return False
    if any(one.search(text) for one in (INSIGHT, FIGURE, _FOREIGN, _LATIN)):
        return True
    if _SUPPOSES.search(text):
        return False
    return any(one.search(text) for one in (REASON, _REQUIRES)) or (NAMES.search(text) is not None and _is_limit(text))


def _is_limit(text: str) -> bool:
    return _LIMIT.search(text) is not None or _PLACE.search(text) is not None


def is_fragment(text: str) -> bool:
    """Whether a text is no sentence: next to nothing but names in code and what stands in parentheses."""
    return not _WIDE.search(text) and len(PLAIN.findall(UNPLAIN.sub(" ", text))) < _FEWEST_WORDS


def _is_meaningful(said: str) -> bool:
    size = len(said) * (2 if _WIDE.search(said) else 1)
    if size < MIN_CHARS or len(said) > MAX_CHARS or any(one.match(said) for one in (_TALK, _SUBORDINATE)):
        return False
    if _PASSING.search(said):
        return False
    return not _EMPTY.search(said) and (not is_fragment(said) or DONE.search(f"- {said}") is not None)


def _is_finding(text: str) -> bool:
    """Whether a text tells a deed, a finding, a reason or a figure; of one that is not English, that is not known."""
    if _FOREIGN.search(text) or DONE.search(f"- {text}"):
        return True
    return not _GOES_ON.match(text) and any(one.search(text) for one in (TELLS, REASON, FIGURE, _ADDRESS))


def _is_telling_item(text: str) -> bool:
    """Whether an item of a list tells something by itself: a deed, a reason, a figure or what something requires."""
    if not _is_finding(text):
        return False
    if _FOREIGN.search(text) or _is_done(text):
        return True
    return any(one.search(text) for one in (REASON, FIGURE, INSIGHT, _ADDRESS, _REQUIRES))


def _is_done(text: str) -> bool:
    return DONE.search(f"- {text}") is not None


def _strip_open_lists(text: str) -> str:
    """Return a text without lists under a question, or under one that speaks of what is left or could be."""
    kept = []
    is_open = False
    for line in text.split("\n"):
        if _ITEM.match(line) or (line[:1] in " \t" and line.strip()):
            if is_open:
                continue
        elif line.strip():
            lead = line.rstrip(" \t*_#")
            is_open = lead.endswith(("?", "？")) or (_is_lead_in(line) and _LEADS_TO_OPEN.search(lead) is not None)
        kept.append(line)
    return "\n".join(kept)


def _is_lead_in(line: str) -> bool:
    return line.rstrip(" \t*_").endswith((":", "：")) or _HEADING.match(line) is not None


def _split_list(sentence: str) -> Iterator[str]:
    """Yield a short list with its opening line, and the items of a long one, or under a mere heading, alone."""
    lead, *items = [_BULLET.sub("", collapse_whitespace(line)) for line in sentence.split("\n")]
    joined = collapse_whitespace(sentence)
    if items and (len(joined) > LIST_CHARS or len(lead.split()) < _FEWEST_LEAD_WORDS):
        yield from items
    else:
        yield _BULLET.sub("", joined)


_SOON = 2  # messages of the user behind an answer
_STILL_CHARS = 400  # of a message that says no more than that
_STILL = re.compile(
    r"(?i)\bstill (?:\w+ ){0,3}(?:same|broken|wrong|fails?|failing|not|crash\w*|happen\w*|hangs?|there)\b"
    r"|\bstill (?:do|does|is|are|can)n['’]t\b|\b(?:immer noch|noch immer) (?:\w+ ){0,3}(?:nicht|gleich|kaputt|falsch)\b"
    r"|\btoujours (?:pas|le même|la même)\b|\b(?:sigue|todavía) (?:\w+ ){0,2}(?:igual|sin|fallando|roto)\b"
    r"|\bвсё? (?:ещё|еще|равно) не\b|\bvẫn (?:không|lỗi|vậy)\b"
    r"|(?:还是|仍然)(?:不|一样|没)|まだ.{0,12}(?:ない|ません|同じ)|(?:아직|여전히)"
)
_PROPOSES = re.compile(  # how an answer begins that lays out what could be done
    r"(?i)\W*(?:(?:yes|yeah|sure|ok(?:ay)?|right|agreed|exactly|good|great|(?:that )?makes sense)\b[.,!:—–\s-]*){0,3}"
    r"(?:i['’]d\b|i would\b|we (?:could|can|should)\b|you (?:could|can)\b|i (?:suggest|propose|recommend)\b"
    r"|(?:here(?:['’]s| is)|below is|this is) (?:the|an?|my|how)\b[^.\n]{0,40}\b(?:plan|proposal|design|approach)\b"
    r"|(?:(?:the|my|a|proposed|implementation|suggested) ){0,3}(?:plan|proposal|design|recommendation)\b)"
)
_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s")
_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]{1,80}\*\*\s*$)")
_LEADS_TO_OPEN = re.compile(
    r"(?i)\b(?:options?|approaches|alternatives?|choices|possibilit\w+|next(?: steps?| up)?|what['’]s left|remaining"
    r"|to-?dos?|questions?|propos\w+|suggest\w*|recommend\w*|follow-?ups?|out of scope|could|would|should|later|plan"
    r"|helps? (?:us |you |to )?(?:diagnose|debug|detect|identify|catch|find|spot)|might|may|for example"
    r"|(?:issues|cases|problems|errors|failures|situations) (?:like|such as|where))\b"
)
_SUBORDINATE = re.compile(r"(?i)(?:because|whereas|which)\b[^,]*$")
_FEWEST_WORDS = 3  # of a sentence, beside names in code
PLAIN = re.compile(r"(?<![\w./-])[^\W\d_]{2,}(?![\w/]|\.\w|\()")
UNPLAIN = re.compile(r"`[^`]*`|\([^()]*\)")
_WIDE = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
_EMPTY = re.compile(  # headings, tables, questions
    r"^[#|]|[:：?？][*_]*$|^\**(?:location|file|next steps?|path|remaining)\b|^`[^`]+`\s[-–—:]\s[\w &]+$", re.I
)
_TALK = re.compile(
    r"(?i)(?:ok(?:ay)?|great|perfect|good|excellent|nice|sure|right|alright|now|next|then|first|finally|so|hmm|wait"
    r"|actually|yes|no|got it|done|thanks?|and)?[\s,.!:–—-]*(?:now |next |then |first |also )?"
    r"(?:let me\b|let['’]s\b|i['’]?ll\b|i will\b|i['’]?m (?:going|now|about)\b"
    r"|(?:i['’]?m|i am|we['’]?re) (?:also |now |just )?[\w-]+ing\b(?!.*\b(?:because|since)\b)"
    r"|(?:i|we) (?:need|want|should|can) (?:to )?(?:now )?(?:check|look|see|read|run|find|understand|verify|update"
    r"|add|fix|create)\b|(?:checking|looking|reading|running)\b|here(?:['’]s| is| are)\b|would you\b|feel free\b"
    r"|thanks?(?: you)?\b|(?:got it|right|makes sense)\s*[-–—]"
    r"|that['’]s (?:an? )?(?:good|great|fair|nice|interesting)\b"
    r"|instead of [^,;]{1,120}, (?:let['’]?s|i['’]?ll|i will|we['’]?ll|we (?:can|could|should))\b"
    r"|(?:that|this|it) (?:would|could|might)\b|you can see\b|\**recommend\w*\b"
    r"|want me to\b|shall i\b|should i\b|(?:a )?better (?:\w+ )?would\b|(?:good|great|fair) (?:point|question|catch)\b"
    r"|(?:pros?|cons?|options?|note|user)\b\s*[:(]|user runs\b|\**option\b"
    r"|(?:add|don['’]t|do not|queue|block|use|move|create|split|update|remove|check|run|fix|implement"
    r"|refactor|rename|keep"
    r"|make|set|change|replace|extract|consider|ensure|verify|write|test|call|handle"
    r"|introduce)\b(?!\s*[:=])|you['’]re (?:absolutely )?right\b|i (?:see|understand)\b[.!,]"
    r"|để (?:tôi|mình|em)\b|tôi sẽ\b|bây giờ\b|tiếp theo\b|hãy để\b"
    r"|(?:ahora )?voy a\b|d[ée]jame\b|perm[ií]teme\b|ahora voy\b|vamos a\b)"
    r"|(?:好的?[,，。!！]?)?(?:现在)?(?:让我|我来|我先|我将|我会|接下来|下面我)"
)
_PASSING = re.compile(  # true only at that moment
    r"(?i)\b(?:(?:is|are|still|now|currently) (?:still |now |currently |both |all )*(?:running|building|compiling"
    r"|installing|downloading|testing|passing|finishing|waiting|generating|indexing|in progress)|halfway|so far"
    r"|(?:closing|earlier|previous|your) (?:list|points?|passes)\b|(?:#\d+, )+#\d+|(?:full "
    r"|all )?(?:test )?suite (?:is )?green"
    r"|right now:|as (?:they|it) (?:runs?|goes?|go)|i['’]m (?:now |just )?(?:starting|beginning)"
    r"|ready to (?:start|begin)"
    r"|(?:issue|problem|bug|error) (?:is|was) still|now (?:fails|breaks|errors|raises)"
    r"|(?:output|log|result|response) (?:still )?(?:doesn['’]t|does not) (?:show|contain|print|say)"
    r"|i['’]ve (?:now )?(?:identified|found|located|picked) (?:the )?(?:first|next|open|remaining|relevant)"
    r" (?:\w+ ){0,2}(?:tasks?|steps?|items?|files?|places?|sections?)"
    r"|which will (?:help|allow|let|enable) us"
    r"|to help (?:us )?(?:diagnose|debug|understand|identify|track|see)"
    r"|so (?:that )?we can (?:see|debug|understand|check|verify)"
    r"|so i['’]ll|before (?:editing|finalizing|moving)|enough (?:structure|context|information) to)\b"
)
DONE = re.compile(
    r"(?i)(?:^- [*_]{0,2}(?:(?:i|we)(?:['’]ve| have)? )?(?:also |now |successfully |just )*"
    r"|\b(?:i|we|i['’]ve|we['’]ve|have|has|was|were|is|are|been) (?:also |now |successfully |just |all )*)"
    r"(?:fixed|added(?! (?:to|up)\b)|updated|implemented|created|removed|renamed|moved|refactored"
    r"|committed|pushed|replaced|resolved"
    r"|consolidated|deduplicated|extracted|simplified|cleaned up|documented|deleted|migrated|converted|rewrote|patched"
    r"|completed)\b|\b(?:now (?:passes|works|uses|handles)|all (?:tests|checks) pass\w*"
    r"|đã (?:sửa|thêm|xóa|xoá|cập nhật|tạo|hoàn thành|xong)"
    r"|(?:he )?(?:corregido|añadido|creado|eliminado|actualizado))\b"
    r"|已(?:修复|添加|完成|更新|删除|创建|提交)"
)
_ENGLISH = re.compile(r"(?i)\b(?:the|is|are|was|were|this|that|it|its)\b")
_GOES_ON = re.compile(r"(?:instead|rather|and|or|but|so|which|that)\b")  # an item that ends the sentence before it
_FOREIGN = re.compile(r"[^\x00-\x7f\u2000-\u2bff\ufe0f]")  # letters of other languages
INSIGHT = re.compile(  # the agent says that it found something out
    r"(?i)\b(?:what (?:i|we)['’]?(?:ve)? (?:have )?(?:learned|found|discovered)|lessons?(?: learned)?|key insight"
    r"|root cause|turns? out|turned out|i found (?:out )?that"
    r"|the (?:real |actual |underlying )?(?:cause|reason|culprit) (?:is|was)"
    r"|only (?:happens?|fails?|occurs?|breaks?|works?|appears?|affects?)|known (?:issue|bug|limitation)"
    r"|gotchas?|caveats?|reproduc(?:es|ed|ible)|separately|in isolation)\b"
)
_LIMIT = re.compile(  # what something requires, refuses, or never does
    r"(?i)\b(?:requires?|must(?: not)?|cannot|can['’]t|(?:does|do|did|is|are|was|were|will|would)(?:n['’]t| not)"
    r"|never|fails?|failed|reject\w*|breaks?|ignor(?:es|ed)|depends on|decided|decision|unsupported|no longer"
    r"|instead of|(?:been|was|were) (?:removed|deprecated|dropped) (?:in|since|as of|from))\b"
)
_SUPPOSES = re.compile(  # what would be, an item of a plan, or words that lean on what was said before
    r"(?i)\b(?:would|could|should|may|might)\b|^\W{0,2}\*\*"
    r"|^\W*(?:then|as (?:expected|introduced)|using|for|if|in this|low|medium|high)\b"
)
_LATIN = re.compile(r"\b(?:el|los|las|que|para|por|una?|uma|der|das|und|nicht|ist|ein|les|est|une|pour|dans)\b")
_PLACE = re.compile(  # where something is; where the agent's own work is, the files say
    r"(?i)(?<!logic )(?<!wiring )(?<!code )(?<!coverage )(?<!tests )(?<!parsing )(?<!docs )"
    r"\b(?:is|are|lives?|sits?|happens?) (?:in|at|under) (?:the )?`?[\w.-]{0,80}[/.]\w"
)
_REQUIRES = re.compile(r"(?i)\b(?:requires?|cannot|can['’]t|(?:does|do)(?:n['’]t| not) support|not allowed|rejects?)\b")
_STEP = re.compile(  # a step of thinking
    r"(?i)\bso (?:it |we |that |this )?(?:continue|stop|skip|return|proceed|doesn['’]t need|does not need)s?\b"
    r"|^\W*(?:for|with|at|when) [`'\"]?\w+[`'\"]? \(\w{1,12} ?={1,2} ?[^)]{1,20}\)"
    r"|\(?\bindex \d+\)|\[\d+\] (?:is|was)\b"
    r"|\b(?:doesn['’]t|does not|don['’]t|do not) need to (?:do anything|change|delete|move|touch)\b"
    r"|\bif\b.{1,120}\bthen\b|\bif (?:the|it|we|this|that)\b.{1,120}\b(?:there['’]s|there is|it['’]s|it is)\b"
    r"|\bwe['’]re (?:not )?\w+ing\b|\bi (?:just|had) \w+ed\b"
    r"|\b(?:sed|patch|edit|regex|heredoc) (?:command )?\w+n['’]t\b"
    r"|\bmust (?:be|have been) (?:coming|caused|something|because|happening)\b"
)
_PROPOSAL = re.compile(  # what could be, before it is decided or done
    r"(?i)\bthe choice is\b|\beither\b.{1,200}\bor\b|\b(?:i|we)['’]d\b|\b(?:i|we) would\b|\bmore work than\b"
    r"|\b(?:both|it|this|that|they|these|which) should\b|\b(?:i|we) (?:prefer|suggest|propose|recommend)\b"
    r"|^\W*now [a-z]+\b"
    r"|^\W*(?:so )?(?:the )?(?:short (?:version|answer)|yes|no|simplest|cleanest|easiest|safest|best)\b"
    r"|\bthe right (?:next )?(?:move|step)\b"
    r"|^\W*in [^,.]{1,60}, (?:if|when) [^,.]{1,60}, [a-z]+ (?:the|an?|it)\b|\b(?:a )?separate step\b"
    r"|^\W*(?:an )?easy way to\b"
    r"|^\*\*(?:scope|goals?|approach|options?|output|format|trade-?offs?|pros?|cons?|when|how|where)\b[^*]{0,40}\*\*"
)
PRAISE = re.compile(  # how good a change is
    r"(?i)\bthat['’]?s (?:better|cleaner|safer|simpler|nicer|easier)\b"
    r"|\bwork(?:s|ing) (?:nicely|smoothly|perfectly|great)\b|\bmuch more useful\b"
    r"|\b(?:is|are) (?:handled|placed) (?:gracefully|logically)\b|\b(?:maps|fits) cleanly\b"
    r"|^\W*(?:that|this|it) (?:now |also )?(?:makes|maps|fits|gives|gets|means)\b"
)
_PREDICATE = re.compile(  # an item without a subject
    r"(?:Doesn['’]t|Does|Isn['’]t|Is|Has|Uses|Debounced|Cached|Handles|Returns|Calls|Runs|Shows|Keeps|Adds|Makes|Supports)\b"
)
_ADDRESS = re.compile(r"https?://|#\d+\b")
NAMES = re.compile(r"`[^`]+`|\b[\w.-]+/[\w./-]+|\b\w+\.(?:py|ts|js|go|rs|md|json|toml|yaml)\b|\b\d{2,}\b")
OWN_LIMIT = re.compile(  # what the agent could not run or check just then: replies keep it where it still matters
    r"(?i)\bi (?:could|can|did|was)(?: ?not|n?['’]t)(?: (?:able to|fully|yet|really|actually)){0,2}"
    r" (?:run|verify|test|check|execute|confirm|reproduce|start|build)\b"
    r"|\b(?:gap|limit|blocker|problem) i(?:['’]ve| have)? hit\b"
)
FIGURE = re.compile(r"\d[\d,.]*\s?(?:%|(?:ms|[kMGT]i?B|\w+/s|fps|qps|seconds|times faster|x faster)\b)")  # measured
REASON = re.compile(r"(?i)\b(?:because|since|caused? by|due to|root cause)\b")
TELLS = re.compile(
    r"(?i)\b(?:because|root cause|caused? by|the (?:problem|issue|bug|reason|fix|error) (?:is|was)|turns out|decided"
    r"|decision|instead of|rather than|found (?:that|the)|means that|therefore|must|cannot|can['’]t|doesn['’]t|does not"
    r"|won['’]t|fails?|failed|works?|passes|rejected|requires?|depends|vì|do đó|nguyên nhân|lỗi|quyết định|porque|causa"
    r"|el (?:problema|error)|decid\w+|falla|funciona)\b|因为|原因|问题是|决定|导致|发现|错误|失败|必须"
)
