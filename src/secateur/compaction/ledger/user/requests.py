"""What the user asked for, whether it was answered, and what the agent asked in return.

Rule: a request is answered when the agent ends its turn with a text that asks nothing the work depends on; an offer to
do more is an answer too, and so are a call that hands the work in, and a question that the user passes over once the
agent told of work. Words at the end that only announce more work answer nothing. It is superseded when the user takes
it back before that, and deferred when the user refuses a call for it and puts the work off. Verbatim; only the user's
own messages are requests, and a host's order to go on while nothing follows it. What was done is not judged: an answer
that claims success counts as one.
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Question, Quote, RequestState, UserRequest
from secateur.compaction.ledger.pasted import cut_pasted
from secateur.compaction.ledger.said import (
    clean_words,
    describe_rejected,
    get_closing_text,
    get_nudge,
    get_reasoning,
    is_question,
)
from secateur.compaction.ledger.turns.announcements import is_breaking_off
from secateur.compaction.ledger.user.answers import (
    CLAUSES,
    QUESTION_CHARS,
    find_answered_question,
    find_closing_question,
    is_courtesy,
    is_offer,
)
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.choices import list_points
from secateur.compaction.ledger.user.demand_units import POINTS, strip_data
from secateur.compaction.ledger.user.demands import ASKS_UNMARKED
from secateur.compaction.ledger.user.order_words import is_errand
from secateur.compaction.ledger.user.taken_back import is_retracting
from secateur.compaction.ledger.user.typed_commands import read_own_words
from secateur.memoizing import memoize_texts
from secateur.model import Message
from secateur.redact import redact
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name

MAX_CHARS = 4_000  # of one request; of a longer one what says most of what is to be done


class UserRequests(Struct, frozen=True):
    """The user's requests with their states, and the question that stands open at the end, if one does."""

    requests: tuple[UserRequest, ...]
    questions: tuple[Question, ...]
    before: RequestState  # what became of requests that stood open before
    last_words: Quote | None = None  # the agent's newest text
    report: Quote | None = None  # the agent's text at the end of the newest turn that changed a file, if others follow
    thought: Quote | None = None  # its reasoning in its newest message, where it said nothing in that one


def extract_requests(messages: Sequence[Message]) -> UserRequests:
    """Return what was asked in these messages, by the user and of the user."""
    found: list[UserRequest] = [UserRequest("")]  # stands for what was asked before
    last = listed = ""  # how the agent's turn ended: its text; "" while it works; the newest text with numbered points
    key = ""
    said: Quote | None = None
    report: Quote | None = None
    thought: Quote | None = None
    has_worked = is_taken_up = False  # in this turn: a file was changed; the agent said or did something
    own = read_own_words(messages)
    for at, message in enumerate(messages):
        if message.origin == "summary":
            found = [replace(one, summarized=one.passed_over) for one in found]
        if message.role == "assistant" and message.parts:
            last, key, is_taken_up = _track_closing_text(message, last), message.key, True
            has_worked = has_worked or is_changing(message)
            reasoning = get_reasoning(message)
            thought = Quote(redact(reasoning), message.key) if reasoning else None
            if (words := clean_words(get_closing_text(message))) and (is_telling(words) or said is None):
                said = Quote(words, message.key)
                report = Quote(words, message.key, True) if last and has_worked else report
        elif (text := own.get(at, "")) not in _SLIPS:
            rejected = describe_rejected(message, messages[:at])
            listed = last if any(len(points) > 1 for points in list_points(last)) else listed
            answers = find_answered_question(text, last, listed) or rejected
            found = _update_states(found, last, text, bool(rejected))
            found = _close_replied(found, has_worked, bool(answers)) if last else found
            found[-1] = replace(found[-1], passed_over=not is_taken_up)
            request = condense_request(cut_pasted(_BLANKS.sub(" ", redact(text))), MAX_CHARS)
            found = [*_drop_beginning(found, request, is_taken_up), UserRequest(request, "open", message.key, answers)]
            said = replace(said, is_answered=True) if said else None
            last, thought, has_worked, is_taken_up = "", None, False, False
    closing = find_closing_question(last)
    asked = "" if is_courtesy(closing) else closing
    first, *rest = found if last and is_breaking_off(last) else _update_states(found, last, "")
    if nudge := _find_open_nudge(messages):
        rest.append(nudge)
        said = replace(said, is_answered=True) if said else None
    report = report if said and report and report.text != said.text else None
    thought = thought if thought and not (said and said.key == thought.key) else None
    questions = (Question(redact(asked), key),) if asked else ()
    return UserRequests(tuple(rest), questions, first.state, said, report, thought)


def _drop_beginning(found: list[UserRequest], request: str, is_taken_up: bool) -> list[UserRequest]:
    """Return the requests without those that nothing followed, and that were sent again: as a whole, or with more."""
    begun = found[-1].text.rstrip(" .…")
    is_begun = not is_taken_up and len(begun) >= _FEWEST_BEGUN and request.startswith(begun)
    found = found[:-1] if is_begun else found
    if len(request) < _FEWEST_BEGUN:
        return found
    return [one for one in found if not (one.passed_over and not one.summarized and one.text == request)]


_SLIPS = ("", "/", ".", ",", ";", "\\", "`")  # of the keyboard
_FEWEST_BEGUN = 12  # characters


def close_open(requests: Sequence[UserRequest]) -> tuple[UserRequest, ...]:
    """Return the requests, those that were open answered: by the agent's closing text, or by handing the work in."""
    return tuple(replace(one, state="done") if one.state == "open" else one for one in requests)


def _find_open_nudge(messages: Sequence[Message]) -> UserRequest | None:
    """Return the host's order to go on that ends these messages, as a request; None if something else ends them."""
    if not messages or not (text := get_nudge(messages[-1])):
        return None
    return UserRequest(condense_request(redact(text), MAX_CHARS), "open", messages[-1].key)


@memoize_texts(4_096)
def is_substantial(text: str) -> bool:
    """Whether a request says what is to be done, and does not just agree or urge the agent on."""
    said = text.strip()
    return len(text) > _SHORT_CHARS or (_AGREES.fullmatch(said) is None and _ONE_WORD.fullmatch(said) is None)


@memoize_texts(4_096)  # asked of the same requests for each length that a summary tries
def is_task(text: str) -> bool:
    """Whether a request gives work: several words, and not questions alone."""
    said = strip_data(text).strip()
    if ASKS_UNMARKED.match(said) or not is_substantial(said) or (len(said) <= _SHORT_CHARS and _REPLIES.match(said)):
        return False
    clauses = (one.strip() for one in CLAUSES.split(said))
    return any(_count_words(one) >= _FEWEST_WORDS and not one.endswith(("?", "？")) for one in clauses)


def is_review(text: str) -> bool:
    """Whether a long request is a pasted review: findings that report defects, and no order before them."""
    opening = text.strip().partition("\n")[0]
    if len(text) <= _SHORT_CHARS or is_errand(opening):
        return False
    return _REVIEW.search(text) is not None or (
        _FINDING.match(opening) is not None and len(POINTS.findall(text)) >= _FEWEST_POINTS
    )


def _count_words(text: str) -> int:
    """Count the words; in scripts without spaces, pairs of letters."""
    return max(len(text.split()), len(_WIDE.findall(text)))


def is_telling(text: str) -> bool:
    """Whether the agent's words say more than that it has heard."""
    return len(_LETTERS.findall(text)) >= _FEWEST_LETTERS


def extract_question(action: Action) -> str:
    """Return what a call that waits for the user asks; "" if it asks nothing."""
    found = [
        text
        for name, value in action.given.items()
        if normalize_name(name) in _ASKING
        for text in _collect_questions(value)
    ]
    return redact(clip_text(collapse_whitespace(" ".join(found)), QUESTION_CHARS))


_DEEPEST = 4  # lists and objects in each other
_ASKING = frozenset({"question", "questions"})
_SHORT_CHARS = 60
_FEWEST_WORDS = 3  # of a request that gives work
_FEWEST_LETTERS = 4  # of words of the agent that say anything
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST_POINTS = 2  # at lines of files, in a pasted review
_FINDING = re.compile(r"\s*(?:[-*]|\d{1,2}[.)])\s")
_REVIEW = re.compile(
    r"(?im)\A\s*(?:first|second|third|fourth|fifth|another|final|new) (?:pass|review)\b"
    r"|^\W{0,4}(?:critical|high|medium|low) severity\W{0,4}$"
    r"|^#{1,4} (?:new |code |review )*findings?\b|^#{1,4} corrections to \w+ review"
    r"|^\s*(?:[-*]|\d{1,2}[.)])\s+\W{0,3}(?:critical|high|medium|low|minor|major|nit|P[0-4])\W{0,3}:"
)
_BLANKS = re.compile(r"(?<=\S)[ \t]{8,}(?=\S)")  # of a screen that was copied
_WIDE = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]{2}|[\u0e00-\u0eff]{4}")
_REPLIES = re.compile(r"(?i)(?:yes|yeah|yep|no|nope|but|so|and|ja|nein|oui|non|sí|sim|não|да|нет)\b(?!,)")
_ONE_WORD = re.compile(r"[a-z]{1,4}[.!]*")  # "yo", "ls"
_AGREES = re.compile(
    r"(?i)(?:(?:(?:yes|yeah|yep|yup|sure|ok|okay|k|no|nope|great|perfect|nice|cool|good|thanks?|thank you|please|go on"
    r"|go ahead|go|continue|proceed|keep going|next|do it|ship it|sounds good|looks good|lgtm|right|correct|exactly"
    r"|agreed|done|y|n|\d|what['’]?s next|and|just|now|weiter|ja|nein|gut|oui|non|continuez?|sí|si|sigue|contin[uú]a"
    r"|hi|hello|hey|hallo|yo|wow|whoa|awesome|amazing|excellent|jesus|lol|haha|hm+|oh|ah|ty|thx"
    r"|well done|good job|love it|go for it|works for me|makes sense|fair enough|fair|i see|i agree|same here"
    r"|let['’]?s (?:do|go|try|continue|keep|proceed|implement|build|add|fix|start|ship|finish)"
    r"(?: (?:going|ahead|on|with|for|through))*(?: (?:it|this|that|these|those|them|all|everything|both))*|then"
    r"|(?:do|add|build|fix|implement|patch|try|keep|continue) (?:it|this|that|these|those|them|both)(?: all| too)?"
    r"|(?:it|that|this|everything)(?: all)? works|you(?: a|['’])re? (?:an? )?\w+"
    r"|(?:you )?can leave it|leave it|fine|danke|merci"
    r"|sim|não|вперёд|да|нет|продолжай|дальше|tiếp tục|tiếp|vâng|được|ừ|có|làm đi|đồng ý)(?!\w)"
    r"|はい|いいえ|続けて|お願いします|네|예|아니요|계속|继续|好的?|是的?|不是|可以)[\s,.!?…。！？]*)+"
)
_PUTS_OFF = re.compile(  # in rejecting a call: the work is not to be done now
    r"(?i)\b(?:(?:in|as)\s+an?\s+(?:separate|different|another|own|new)\b|later\b|some\s+other\s+time|another\s+time"
    r"|not\s+now\b)"
)
_CANCELS = re.compile(  # in rejecting a call: the work is not to be done
    r"(?i)\b(?:skip\b|leave\s+(?:it|this|that)\b|don['’]?t\s+(?:do|need|want)\b)"
)
_BACK = re.compile(
    r"(?i)\W*(?:(?:no|ok|okay|hey|wait|please)\W+)*(?:stop(?=\s*(?:$|[.,!;:…—-]|(?:that|it|this|now"
    r"|here|for|please|and|working|doing|what|everything)\b))"
    r"|never\s?mind|nevermind|undo|revert|cancel"
    r"|forget\s+(?:it|that|about)|scratch\s+that|abort"
    r"|thôi\b|dừng|bỏ\s+qua|hủy|huỷ|停|算了|取消|别做了|撤销|olv[ií]da|cancela|detente|para\b(?!\s+\w+r\b))"
)


def _track_closing_text(message: Message, before: str) -> str:
    """Return the agent's closing text so far; a call reopens the turn, reasoning alone changes nothing."""
    if any(part.kind == "tool_call" for part in message.parts):
        return ""
    return get_closing_text(message) or before


def is_changing(message: Message) -> bool:
    """Whether a message calls something that changes files or commits them."""
    calls = (part for part in message.parts if part.kind == "tool_call")
    return any(detect_tool_kind(part.tool, part.text) == "edit" or _COMMITS.search(part.text) for part in calls)


_COMMITS = re.compile(r"\bgit\b[^\n]{0,40}\bcommit\b|\*\*\* Begin Patch")


def _update_states(found: list[UserRequest], last: str, text: str, is_rejection: bool = False) -> list[UserRequest]:
    """Update the states of requests by the end of a turn or the user's next words."""
    if last and (not (asked := find_closing_question(last)) or is_offer(asked) or is_courtesy(asked)):
        return [*close_open(found)]
    if last or not text:
        return found
    state: RequestState = "open"
    if is_rejection and _PUTS_OFF.search(text):
        state = "deferred"
    elif _BACK.match(text) or is_retracting(text) or (is_rejection and _CANCELS.search(text)):
        state = "superseded"
    return [replace(one, state=state) if one.state == "open" else one for one in found]


def _close_replied(found: list[UserRequest], has_worked: bool, is_answer: bool) -> list[UserRequest]:
    """Close what the agent replied to with a question of its own, once the user wrote on behind that.

    All of it where the agent told of work and the user's words answer nothing; else the newest request, if it only
    asked, or gave no work and the user did not answer. Work that waits for an answer stays open.
    """
    if has_worked and not is_answer:
        return [*close_open(found)]
    asked = found[-1].text
    asks_only = is_question(asked) and not (is_errand(asked) or _ASKS_FOR_WORK.search(asked))
    is_replied = asks_only or not (is_answer or is_task(asked) or is_question(asked))
    return [*found[:-1], *close_open(found[-1:])] if asked and is_replied else found


_ASKS_FOR_WORK = re.compile(  # in the form of a question
    r"(?i)\b(?:(?:can|could|would|will) (?:you|we|i)|should (?:we|i)|please|let['’]?s|bitte|kannst|könn\w+"
    r"|puede\w*|podr\w+|peux|pouvez|pourr\w+|puoi|pode\w*|можешь|можете|мож[её]м|có thể|hãy|giúp)\b"
    r"|请|帮|能不能|可以.{0,20}吗|ください|くれ|もらえ|줘|주세|줄래"
)


def _collect_questions(value: Any, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and depth < _DEEPEST:
        return [text for one in value for text in _collect_questions(one, depth + 1)]
    if isinstance(value, dict) and depth < _DEEPEST:
        return [
            text
            for name, one in value.items()
            if normalize_name(name) in _ASKING
            for text in _collect_questions(one, depth + 1)
        ]
    return []
