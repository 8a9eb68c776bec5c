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
from secateur.compaction.ledger.turns.progress import list_replies, list_told_steps
from secateur.compaction.overtaken import Statement, list_overtaken, trace_work
from secateur.compaction.sentences import (
    DONE,
    FIGURE,
    INSIGHT,
    NAMES,
    OWN_LIMIT,
    PLAIN,
    PRAISE,
    REASON,
    TELLS,
    UNPLAIN,
    collect_sentences,
    is_finding,
    is_telling,
)
from secateur.compaction.template import SECTIONS
from secateur.model import Message
from secateur.redact import redact

LEDGER_SHARE = 0.8  # of the room; the sentences take what is left
MOST = 60  # sentences
MOST_MIDWAY = 12  # of these, from the middle of work, where most is overtaken soon
MOST_FINDINGS, MOST_DEEDS = 12, 8  # of these; deeds only where no call tells what was done
SAME_SHARE = 0.88  # of a sentence's words that another has as well
LEAST_SCORE = 0.75  # of a sentence, if there are many; below, it adds nothing to the facts
LINES_AGE = 3  # requests later, what was said of a line by its number is no longer told
MOST_OLD = 0.3  # subtracted from the score of the oldest sentence: later statements stay true longer


class Known(Struct, frozen=True):
    """What is known around a span: what the summary quotes in any case, and the messages behind the span."""

    quoted: tuple[str, ...] = ()  # no sentence of it is said again
    later: tuple[Message, ...] = ()  # their work overtakes what the span says
    is_done_told: bool = False  # the summary tells from calls what was done: no sentence has to


def extract(
    messages: Sequence[Message],
    ledger: Ledger,
    max_tokens: int,
    count: Callable[[str], int],
    known: Known | None = None,
) -> dict[str, tuple[str, ...]]:
    """Lines by section id, at most `max_tokens` of them together by this counter, as far as one entry of a kind fits.

    `ledger` is that of the whole history so far, `messages` the span whose sentences are looked through.
    """
    fitted = fit_ledger(ledger, int(max_tokens * LEDGER_SHARE), count)
    sections = render_ledger(fitted)
    room = max_tokens - sum(count(line) + 1 for lines in sections.values() for line in lines)
    said = [hit[1] for line in sections.get("files", ()) for hit in _QUOTED.finditer(line)]
    said += list_replies(fitted)
    known = known or Known()
    around = Known((*known.quoted, *said), known.later, known.is_done_told or has_deeds(fitted))
    told = {line: section for section, line in _choose_sentences(messages, room, count, around)}
    made = {id: (*sections.get(id, ()), *(line for line, home in told.items() if home == id)) for id in SECTIONS}
    return {id: lines for id, lines in made.items() if lines}


def has_deeds(ledger: Ledger) -> bool:
    """Whether the ledger tells what was done: what sentences say of it stands there already."""
    is_changed = any(one.use != "read" for one in ledger.files)
    return is_changed or bool(ledger.reported) or bool(list_told_steps(ledger.requests))


def list_quoted(ledger: Ledger, facts: Sequence[str]) -> list[str]:
    """Return what a summary with these facts quotes of the agent."""
    reported = (one for one in ledger.reported if any(one.text in fact for fact in facts))  # those that had room
    return [*(one.text for one in (ledger.last_words, ledger.report, *reported) if one), *list_replies(ledger)]


class _Sentence(Struct, frozen=True):
    text: str
    at: int  # its place among all sentences
    score: float
    closing: bool  # its message closes a turn
    is_deed: bool = False  # it tells what was done


def _choose_sentences(
    messages: Sequence[Message], room: int, count: Callable[[str], int], around: Known
) -> Iterator[tuple[str, str]]:
    """Yield the best sentences that fit, in original order, each as a line of its section."""
    kept: list[tuple[int, str, str]] = []
    quoted = around.quoted
    known = [frozenset(_extract_words(text)) for text in quoted]
    named = {_name_deed(text) for text in quoted} - {""}
    begun = [text.removesuffix(" …") for text in quoted if text.endswith(" …")]  # of which a note has the beginning
    scored = [
        one
        for one in _score_sentences(messages, around.later)
        if not any(_is_said_by(frozenset(_extract_words(one.text)), words, True) for words in known)
        and not any(one.text.startswith(text) for text in begun)
        and _name_deed(one.text) not in named
    ]
    least = LEAST_SCORE if len(scored) > MOST // 3 else 0
    best = sorted((one for one in scored if one.score >= least), key=lambda one: (-one.score, -one.at))[: 4 * MOST]
    midway = findings = deeds = 0
    most_deeds = 0 if around.is_done_told else MOST_DEEDS
    for one in _drop_contained(best):
        if len(kept) == MOST or room <= 0:
            break
        midway += not one.closing
        findings += not one.is_deed
        deeds += one.is_deed
        many = deeds > most_deeds if one.is_deed else findings > MOST_FINDINGS
        if many or (midway > MOST_MIDWAY and not one.closing):
            continue
        text = redact(one.text)
        line = f"- “{text}”"
        tokens = count(line) + 1
        if tokens <= room:
            room -= tokens
            kept.append((one.at, "accomplished" if _is_accomplished(f"- {text}") else "discoveries", line))
    for _, section, line in sorted(kept):
        yield section, line


def _is_accomplished(line: str) -> bool:
    """Whether a line reports something that was done, and neither supposes it nor attributes it to someone else."""
    if not DONE.search(line) or _GUESS.search(line) or _SUPPOSED.search(line):
        return False
    return _DOES.match(line) is not None or _CONDITIONAL.search(line) is None


def _is_lasting(text: str) -> bool:
    """Whether a sentence in the middle of work says more than what was so just then: a finding, a reason, a deed."""
    if any(pattern.search(text) for pattern in (_PROGRESS, _MECHANICS, _GUESS, OWN_LIMIT)):
        return False
    if (_BARE.search(text) or _NOT_YET.search(text)) and not INSIGHT.search(text):
        return False
    if _MEANWHILE.search(text) is not None:
        return REASON.search(text) is not None
    return any(one.search(text) for one in (TELLS, FIGURE, INSIGHT)) or DONE.search(f"- {text}") is not None


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


def _score_sentences(messages: Sequence[Message], later: Sequence[Message]) -> list[_Sentence]:
    """Score every candidate sentence by its words, its names and what it is about."""
    said = list(collect_sentences(messages))
    words = Counter(word for text, _, _ in said for word in set(_extract_words(text)))
    behind = [(text, closing, number + len(messages)) for text, closing, number in collect_sentences(later)]
    statements = [
        Statement(text, number, _is_accomplished(f"- {text}"), not closing)
        for text, closing, number in (*said, *behind)
    ]
    overtaken = list_overtaken(statements, trace_work((*messages, *later)))
    many = max(2, len(said) // 4)  # a word of every fourth sentence means nothing
    asked = [n for n, one in enumerate((*messages, *later)) if one.role == "user" and one.origin == "user"]
    newest = {_find_frame(text): at for at, (text, closing, _) in enumerate(said) if not closing}
    return [
        _Sentence(text, at, _score(text, closing, words, many) - MOST_OLD * (1 - at / len(said)), closing, one.is_deed)
        for at, ((text, closing, _), one) in enumerate(zip(said, statements, strict=False))
        if (not PRAISE.search(text) if one.is_deed else is_finding(text) and not _is_guess(text))
        and (_is_closing(text, one.is_deed) if closing else (_is_lasting(text) and newest[_find_frame(text)] == at))
        and at not in overtaken
        and not (_PLACE.search(text) and sum(n > one.number for n in asked) >= LINES_AGE)
    ]


def _is_closing(text: str, is_deed: bool) -> bool:
    """Whether a sentence at the end of a turn tells a deed, or what holds beyond that moment and the talk about it."""
    if not is_telling(text):
        return False
    return is_deed or not any(one.search(text) for one in (_BARE, _TO_USER, _JUST_NOW, _NOT_YET, OWN_LIMIT))


def _is_guess(text: str) -> bool:
    return _GUESS.search(text) is not None and INSIGHT.search(text) is None


def _name_deed(text: str) -> str:
    """Return what a sentence says was done, without its details; "" if it tells no deed."""
    deed = _DETAILS.split(text.replace("**", ""))[0].strip(" .:").casefold()
    return deed if DONE.search(f"- {text}") and len(deed) >= _DEED_CHARS else ""


def _find_frame(text: str) -> str:
    """Return how a sentence about a deed begins, without adverbs and names in code; any other sentence, whole.

    In the middle of work, of sentences that begin alike only the newest is worth its room.
    """
    words = PLAIN.findall(UNPLAIN.sub(" ", _ADVERBS.sub("", text).casefold()))
    return " ".join(words[:_FRAME_WORDS]) if DONE.search(f"- {text}") and len(words) > _FRAME_WORDS else text


def _score(text: str, closing: bool, words: Counter[str], many: int) -> float:
    known = [word for word in set(_extract_words(text)) if 2 <= words[word] <= many]
    score = len(known) / (8 + len(text) / 20)
    score += (
        0.6 * bool(INSIGHT.search(text))
        + 0.8 * bool(TELLS.search(text))
        + 0.4 * bool(NAMES.search(text) or FIGURE.search(text))
        + 0.6 * closing
    )
    return score + 0.4 * bool(DONE.search(text)) - bool(_PROGRESS.search(text)) - bool(_GUESS.search(text))


def _extract_words(text: str) -> Iterable[str]:
    return (word.casefold().rstrip("./-") for word in _WORD.findall(text))


_PLACE = re.compile(r"\w\.\w{1,5}:\d")
_QUOTED = re.compile(r"“([^”]{20,})”")
_WORD = re.compile(r"[^\W\d_]{4,}|[\u4e00-\u9fff]{2}|[\w./-]*\d[\w./-]*")
_DEED_CHARS = 15
_DETAILS = re.compile(r"\s[-–—(]|[:;]\s")
_FRAME_WORDS = 5  # alike, with which sentences about the same deed begin
_ADVERBS = re.compile(r"(?i)\b(?:also|now|successfully|just|already) ")
_PROGRESS = re.compile(  # what the agent is about to do, wherever in a sentence it says so
    r"(?i)\b(?:i['’]ll|i['’]m (?:now |also )?[\w-]+ing|let me|let['’]s|we['’]ll|we (?:can|could|should|need to)"
    r"|i need (?:to|one)|waiting (?:on|for))\b"
)
_TO_USER = re.compile(r"(?i)\b(?:you|your|yours|you['’](?:re|ve|ll|d))\b")  # it explains something to the user
_JUST_NOW = re.compile(  # what was done or said at that moment, or a point of a review
    r"(?i)\bi (?:just|then)\b|\bi['’]ve\b|\bnow (?:fixed|its own|mostly)\b"
    r"|^\W*(?:critical|high|medium|low|minor|major|nit)\b[^:]{0,20}:|^\W*\*\*[^*]{1,40}:\*\*"
)
_NOT_YET = re.compile(r"(?i)\b(?:not|\w+n['’]t)\b.{1,80}\byet\b")
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
    r"|\bbeen \w+ed (?:in|since|as of|from) (?:\w+ )?(?:newer|older|recent|later|latest|versions?|releases?|v?\d)"
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
    r"|\badded (?:[\w-]+ ){0,4}(?:logging|debug|debugging|prints?)\b"
    r"|\bso i['’]?(?:m|ll)\b|\b(?:stale|remaining) (?:hits?|matches|mentions|references)\b"
    r"|\b(?:commits?|files?) on the branch\b"
)
_BARE = re.compile(  # it speaks of something that the sentence before it named, or proposes
    r"(?i)^\W*(?:and|or|the (?:output|result|response|log)|when (?:it|they)|it|they|that|this|these|those|he|she|there"
    r"|so|its)\b|\b(?:another|one|a|an) (?:possible|alternative|different|other|simpler?|better)? ?(?:fix|way"
    r"|approach|solution|option)\b"
)
_DOES = re.compile(  # it begins with what the agent did
    r"(?i)- [*_]{0,2}(?:(?:i|we)(?:['’]ve| have)? )?(?:also |now |successfully |just ){0,3}"
    r"(?:fixed|added|updated|implemented|created|removed|renamed|moved|refactored|committed|pushed|replaced|resolved|completed)\b"
)
