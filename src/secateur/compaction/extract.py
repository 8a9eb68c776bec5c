"""A summary without a model: the ledger, and the sentences of the agent that tell most.

Rule: it always works, and every word in it was said before; the same span gives the same summary. What is left out is
talk about the work ("Let me look at ...") before anything else: on agents' dialogue that filter matters more than how
the rest is ranked. Tool output has no sentences here, and nothing of it can become the user's words.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from secateur.compaction.ledger import Ledger, fit_ledger, render_ledger
from secateur.compaction.ledger.said import CONTRADICTS, get_agent_text, get_user_text, split_sentences
from secateur.compaction.overtaken import Statement, list_overtaken, trace_work
from secateur.compaction.template import SECTIONS
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import collapse_whitespace

LEDGER_SHARE = 0.75  # of the room; the sentences take what is left
MIN_CHARS, MAX_CHARS = 30, 400  # of a sentence
MOST = 60  # sentences
MOST_MIDWAY = 12  # of these, from the middle of work, where most is overtaken soon
SAME_SHARE = 0.88  # of a sentence's words that another has as well
LEAST_SCORE = 0.75  # of a sentence, if there are many; below, it adds nothing to the facts
MOST_OLD = 0.3  # subtracted from the score of the oldest sentence: later statements stay true longer


def extract(
    messages: Sequence[Message],
    ledger: Ledger,
    max_tokens: int,
    count: Callable[[str], int],
    quoted: Iterable[str] = (),
) -> dict[str, tuple[str, ...]]:
    """Lines by section id, at most `max_tokens` of them together by this counter, as far as one entry of a kind fits.

    `ledger` is that of the whole history so far, `messages` the span whose sentences are looked through. `quoted`: what
    the summary quotes in any case, so that no sentence of it is said again.
    """
    sections = render_ledger(fit_ledger(ledger, int(max_tokens * LEDGER_SHARE), count))
    room = max_tokens - sum(count(line) + 1 for lines in sections.values() for line in lines)
    told = {line: section for section, line in _choose_sentences(messages, room, count, quoted)}
    made = {id: (*sections.get(id, ()), *(line for line, home in told.items() if home == id)) for id in SECTIONS}
    return {id: lines for id, lines in made.items() if lines}


def list_quoted(ledger: Ledger, facts: Sequence[str]) -> list[str]:
    """Return what a summary with these facts quotes of the agent."""
    reported = (one for one in ledger.reported if any(one.text in fact for fact in facts))  # those that had room
    return [one.text for one in (ledger.last_words, ledger.report, *reported) if one]


class _Sentence(Struct, frozen=True):
    text: str
    at: int  # its place among all sentences
    score: float
    closing: bool  # its message closes a turn


def _choose_sentences(
    messages: Sequence[Message], room: int, count: Callable[[str], int], quoted: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield the best sentences that fit, in original order, each as a line of its section."""
    kept: list[tuple[int, str]] = []
    known = [frozenset(_extract_words(text)) for text in quoted]
    scored = [
        one
        for one in _score_sentences(messages)
        if not any(_is_said_by(frozenset(_extract_words(one.text)), words, True) for words in known)
    ]
    least = LEAST_SCORE if len(scored) > MOST else 0
    best = sorted((one for one in scored if one.score >= least), key=lambda one: (-one.score, -one.at))[: 4 * MOST]
    midway = 0
    for one in _drop_contained(best):
        if len(kept) == MOST or room <= 0:
            break
        midway += not one.closing
        if midway > MOST_MIDWAY and not one.closing:
            continue
        line = f"- {redact(one.text)}"
        tokens = count(line) + 1
        if tokens <= room:
            room -= tokens
            kept.append((one.at, line))
    for _, line in sorted(kept):
        yield "accomplished" if _is_accomplished(line) else "discoveries", line


def _is_accomplished(line: str) -> bool:
    """Whether a line reports something that was done, and neither supposes it nor attributes it to someone else."""
    if not _DONE.search(line) or _GUESS.search(line) or _SUPPOSED.search(line):
        return False
    return _DOES.match(line) is not None or _CONDITIONAL.search(line) is None


def _is_lasting(text: str) -> bool:
    """Whether a sentence in the middle of work says more than what was so just then: a finding, a reason, a deed."""
    if any(pattern.search(text) for pattern in (_PROGRESS, _MECHANICS, _GUESS, _BARE)):
        return False
    if _MEANWHILE.search(text) is not None:
        return _REASON.search(text) is not None
    return _TELLS.search(text) is not None or _FIGURE.search(text) is not None or _DONE.search(f"- {text}") is not None


def _drop_contained(sentences: Sequence[_Sentence]) -> Iterator[_Sentence]:
    """Yield the sentences whose words no other sentence has nearly all of; of those with the same words, the first."""
    words = [frozenset(_extract_words(one.text)) for one in sentences]
    for at, (one, mine) in enumerate(zip(sentences, words, strict=True)):
        if not any(_is_said_by(mine, other, at > before) for before, other in enumerate(words) if before != at):
            yield one


def _is_said_by(mine: frozenset[str], other: frozenset[str], is_later: bool) -> bool:
    if len(mine & other) < SAME_SHARE * len(mine):
        return False
    return len(mine) < len(other) or (len(mine) == len(other) and is_later)


def _score_sentences(messages: Sequence[Message]) -> list[_Sentence]:
    """Score every candidate sentence by its words, its names and what it is about."""
    said = list(_collect_sentences(messages))
    words = Counter(word for text, _, _ in said for word in set(_extract_words(text)))
    statements = [Statement(text, number, _is_accomplished(f"- {text}")) for text, _, number in said]
    overtaken = list_overtaken(statements, trace_work(messages))
    many = max(2, len(said) // 4)  # a word of every fourth sentence means nothing
    newest = {_find_frame(text): at for at, (text, closing, _) in enumerate(said) if not closing}
    return [
        _Sentence(text, at, _score(text, closing, words, many) - MOST_OLD * (1 - at / len(said)), closing)
        for at, (text, closing, _) in enumerate(said)
        if (closing or (_is_lasting(text) and newest[_find_frame(text)] == at)) and at not in overtaken
    ]


def _find_frame(text: str) -> str:
    """Return how a sentence about a deed begins, without adverbs and names in code; any other sentence, whole.

    In the middle of work, of sentences that begin alike only the newest is worth its room.
    """
    words = _PLAIN.findall(_UNPLAIN.sub(" ", _ADVERBS.sub("", text).casefold()))
    return " ".join(words[:_FRAME_WORDS]) if _DONE.search(f"- {text}") and len(words) > _FRAME_WORDS else text


def _collect_sentences(messages: Sequence[Message]) -> Iterator[tuple[str, bool, int]]:
    """Yield each sentence once, at its last occurrence, whether its message closes a turn, and the message's number.

    Sentences of an answer that the user's next message contradicts are left out.
    """
    found: dict[str, tuple[bool, int]] = {}
    for number, message in enumerate(messages):
        text = redact(get_agent_text(message))
        follows = messages[number + 1] if number + 1 < len(messages) else None
        closing = not any(part.kind == "tool_call" for part in message.parts) and (
            follows is None or follows.role == "user"
        )
        is_contradicted = closing and follows is not None and CONTRADICTS.match(get_user_text(follows))
        for sentence in _filter_sentences(text):
            found.pop(sentence, None)
            if not is_contradicted:
                found[sentence] = closing, number
    return ((sentence, *place) for sentence, place in found.items())


def _filter_sentences(text: str) -> Iterator[str]:
    """Yield meaningful sentences: no headings, tables, questions, talk about what comes next or what was under way."""
    for sentence in split_sentences(text):
        said = re.sub(r"^(?:[-*•+]|\d{1,2}[.)])\s+", "", collapse_whitespace(sentence))
        size = len(said) * (2 if _WIDE.search(said) else 1)
        is_sized = size >= MIN_CHARS and len(said) <= MAX_CHARS
        is_empty = _EMPTY.search(said) or (is_fragment(said) and not _DONE.search(f"- {said}"))
        if is_sized and not is_empty and not _TALK.match(said) and not _PASSING.search(said):
            yield said


def is_fragment(text: str) -> bool:
    """Whether a text is no sentence: next to nothing but names in code and what stands in parentheses."""
    return not _WIDE.search(text) and len(_PLAIN.findall(_UNPLAIN.sub(" ", text))) < _FEWEST_WORDS


def _score(text: str, closing: bool, words: Counter[str], many: int) -> float:
    known = [word for word in set(_extract_words(text)) if 2 <= words[word] <= many]
    score = len(known) / (8 + len(text) / 20)
    score += 0.8 * bool(_TELLS.search(text)) + 0.4 * bool(_NAMES.search(text) or _FIGURE.search(text)) + 0.6 * closing
    return score + 0.4 * bool(_DONE.search(text)) - bool(_PROGRESS.search(text)) - bool(_GUESS.search(text))


def _extract_words(text: str) -> Iterable[str]:
    return (word.casefold().rstrip("./-") for word in _WORD.findall(text))


_WORD = re.compile(r"[^\W\d_]{4,}|[\u4e00-\u9fff]{2}|[\w./-]*\d[\w./-]*")
_FEWEST_WORDS = 3  # of a sentence, beside names in code
_PLAIN = re.compile(r"(?<![\w./-])[^\W\d_]{2,}(?![\w/]|\.\w|\()")
_UNPLAIN = re.compile(r"`[^`]*`|\([^()]*\)")
_FRAME_WORDS = 5  # alike, with which sentences about the same deed begin
_ADVERBS = re.compile(r"(?i)\b(?:also|now|successfully|just|already) ")
_WIDE = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
_NAMES = re.compile(r"`[^`]+`|\b[\w.-]+/[\w./-]+|\b\w+\.(?:py|ts|js|go|rs|md|json|toml|yaml)\b|\b\d{2,}\b")
_EMPTY = re.compile(  # headings, tables, questions
    r"^[#|]|[:：?？]$|^\**(?:location|file|next steps?|path|remaining)\b|^`[^`]+`\s[-–—:]\s[\w &]+$", re.I
)
_TALK = re.compile(
    r"(?i)(?:ok(?:ay)?|great|perfect|good|excellent|nice|sure|right|alright|now|next|then|first|finally|so|hmm|wait"
    r"|actually|yes|no|got it|done|thanks?|and)?[\s,.!:–—-]*(?:now |next |then |first |also )?"
    r"(?:let me\b|let['’]s\b|i['’]?ll\b|i will\b|i['’]?m (?:going|now|about)\b"
    r"|(?:i['’]?m|i am|we['’]?re) (?:also |now |just )?\w+ing\b(?!.*\b(?:because|since)\b)"
    r"|(?:i|we) (?:need|want|should|can) (?:to )?(?:now )?(?:check|look|see|read|run|find|understand|verify|update"
    r"|add|fix|create)\b|(?:checking|looking|reading|running)\b|here(?:['’]s| is| are)\b|would you\b|feel free\b"
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
_PROGRESS = re.compile(  # what the agent is about to do, wherever in a sentence it says so
    r"(?i)\b(?:i['’]ll|i['’]m (?:now |also )?\w+ing|let me|i need (?:to|one)|waiting (?:on|for))\b"
)
_GUESS = re.compile(  # thinking aloud
    r"(?i)\bwould (?:be|have|mean)\b|\bshould (?:just |now |then |still |also )?(?:work|be|stay"
    r"|fix|solve|pass|do|have|make)\b"
    r"|\b(?:maybe|perhaps|might|probably|likely|seems?|suggests|what if|i (?:think|believe|suspect|guess)|unless)\b"
    r"|^(?:- )?(?:(?:an? )?easy way to\b|to (?:check|verify) (?:this|that|it)\b)"
    r"|^(?:- )?(?:wait|hmm|but\b|or\b|if\b|no,|actually|so (?:we|i|my)\b|that (?:matches|doesn))|doesn['’]t make sense"
    r"|好像|可能|也许|talvez|quizás?|vielleicht|có lẽ|peut-être"
)
_SUPPOSED = re.compile(  # what is wished, supposed, or the doing of something else
    r"(?i)\b(?:should|let['’]?s|let us|i think)\b|^- (?:when|whenever|if|once|unless)\b"
    r"|\b(?:was|were|is|are|been) (?:\w+ )?\w+ed by\b"
)
_CONDITIONAL = re.compile(r"(?i)\b(?:could|would)\b")
_MEANWHILE = re.compile(  # in the middle of work: what was so then, or was taken to be so
    r"(?i)\b(?:is|are) (?:now |also |still )?(?!being\b|missing\b|nothing\b)\w+ing\b|\b(?:still"
    r"|remaining|right now|at this point|not yet"
    r"|the (?:real |actual )?(?:issue|problem|bug|error|symptom|fix) (?:is|must|seems|here)|(?:we|i) (?:need|have) to"
    r"|to fix this|so the (?:issue|problem|bug)|i apologize|there (?:is|are|['’]s) still)\b"
)
_MECHANICS = re.compile(  # of how a file was edited, and of reading it
    r"(?i)\b(?:patch|edit|hunk|replacement|old[_ ]string|match)\b.{0,60}\b(?:apply|applied|fail\w*"
    r"|clean\w*|not found|match\w*)\b"
    r"|\bso i['’]?(?:m|ll)\b|\b(?:stale|remaining) (?:hits?|matches|mentions|references)\b"
    r"|\b(?:commits?|files?) on the branch\b"
)
_FIGURE = re.compile(r"\d[\d,.]*\s?(?:%|(?:ms|[kMGT]i?B|\w+/s|fps|qps|seconds|times faster|x faster)\b)")  # measured
_BARE = re.compile(  # it speaks of something that the sentence before it named, or proposes
    r"(?i)^\W*(?:and|or|when (?:it|they)|it|they|that|this|these|those|he|she|there|so|its)\b"
    r"|\b(?:another|one|a|an) (?:possible|alternative|different|other|simpler?|better)? ?(?:fix|way"
    r"|approach|solution|option)\b"
)
_REASON = re.compile(r"(?i)\b(?:because|since|caused? by|due to|root cause)\b")
_PASSING = re.compile(  # true only at that moment
    r"(?i)\b(?:(?:is|are|still|now|currently) (?:still |now |currently |both |all )*(?:running|building|compiling"
    r"|installing|downloading|testing|passing|finishing|waiting|generating|indexing|in progress)|halfway|so far"
    r"|(?:closing|earlier|previous|your) (?:list|points?|passes)\b|(?:#\d+, )+#\d+|(?:full "
    r"|all )?(?:test )?suite (?:is )?green"
    r"|right now:|as (?:they|it) (?:runs?|goes?|go)|i['’]m (?:now |just )?(?:starting|beginning)"
    r"|ready to (?:start|begin)"
    r"|so i['’]ll|before (?:editing|finalizing|moving)|enough (?:structure|context|information) to)\b"
)
_TELLS = re.compile(
    r"(?i)\b(?:because|root cause|caused? by|the (?:problem|issue|bug|reason|fix|error) (?:is|was)|turns out|decided"
    r"|decision|instead of|rather than|found (?:that|the)|means that|therefore|must|cannot|can['’]t|doesn['’]t|does not"
    r"|won['’]t|fails?|failed|works?|passes|rejected|requires?|depends|vì|do đó|nguyên nhân|lỗi|quyết định|porque|causa"
    r"|el (?:problema|error)|decid\w+|falla|funciona)\b|因为|原因|问题是|决定|导致|发现|错误|失败|必须"
)
_DONE = re.compile(
    r"(?i)(?:^- (?:(?:i|we)(?:['’]ve| have)? )?(?:also |now |successfully |just )*"
    r"|\b(?:i|we|i['’]ve|we['’]ve|have|has|was|were|is|are|been) (?:also |now |successfully |just |all )*)"
    r"(?:fixed|added|updated|implemented|created|removed|renamed|moved|refactored|committed|pushed|replaced|resolved"
    r"|completed)\b|\b(?:now (?:passes|works|uses|handles)|all (?:tests|checks) pass\w*"
    r"|đã (?:sửa|thêm|xóa|xoá|cập nhật|tạo|hoàn thành|xong)"
    r"|(?:he )?(?:corregido|añadido|creado|eliminado|actualizado))\b"
    r"|已(?:修复|添加|完成|更新|删除|创建|提交)"
)
_DOES = re.compile(  # it begins with what the agent did
    r"(?i)- (?:(?:i|we)(?:['’]ve| have)? )?(?:also |now |successfully |just ){0,3}(?:fixed|added|updated|implemented"
    r"|created|removed|renamed|moved|refactored|committed|pushed|replaced|resolved|completed)\b"
)
