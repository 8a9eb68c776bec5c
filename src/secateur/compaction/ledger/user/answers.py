"""What a reply of the user's answers: a question of the agent's, an offer, or a numbered point of it.

Rule: only a message that begins as a reply answers anything: with a word of assent or refusal, with the number of a
point that the agent's last text has, or as a few words behind its closing question. One that only acknowledges and then
asks something of its own answers nothing. The agent's words are quoted.
"""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, UserRequest
from secateur.compaction.ledger.said import FENCED, REJECTED, split_sentences
from secateur.compaction.ledger.user.choices import find_picked, is_pick, list_points
from secateur.compaction.ledger.user.force import is_ruling
from secateur.compaction.ledger.user.order_words import is_errand
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text, collapse_whitespace

QUESTION_CHARS = 400
ANSWERED_CHARS = 200  # of the question that a reply answers
REPLY_CHARS = 60  # of a reply that says little but yes, no or which
OLD_CHARS = 120  # of the question that an older reply answers
_EXPLAINS = re.compile(r"[,;:](?=\s)|\s[–—-](?=\s)|\s\((?=\w)|\s·(?=\s)")
_TAIL_CHARS = 1_000  # in which a closing question stands


def find_closing_question(text: str) -> str:
    """Return the question with which a text ends, with the one before it if it begins with "or", or ""."""
    tail = [line.strip() for line in text[-_TAIL_CHARS:].split("\n") if line.strip()][-2:]
    for line in reversed(tail):
        if found := _CLOSING.search(line):
            start = found.start(1)
            if _OR.match(found[1]) and (before := _CLOSING.search(line[:start])):
                start = before.start(1)
            return clip_text(collapse_whitespace(line[start : found.end(1)]).strip(" *_#-"), QUESTION_CHARS)
    return ""


_CLOSING = re.compile(
    r"(?:^|[.!?:;。！？]\s*|\s[-–—]\s)([^.!?。！？\n]*(?:[.][^\s.!?][^.!?。！？\n]*)*[?？])[\s*_)\"'”]*$"
)
_OR = re.compile(r"(?i)\W*(?:or|oder|ou|или|hoặc|hay)\b|或者|还是|または|それとも|아니면|또는")


def add_questions(constraints: Iterable[Constraint], requests: Iterable[UserRequest]) -> tuple[Constraint, ...]:
    """Add to each demand that only answers the agent the question that its message answers."""
    asked = {one.key: one.answers for one in requests if one.answers}
    return tuple(
        replace(one, answers=asked[one.key])
        if one.key in asked and not one.answers and (_is_reply(one.text) or asked[one.key].endswith(REJECTED))
        else one
        for one in constraints
    )


def list_rulings(requests: Iterable[UserRequest]) -> list[Constraint]:
    """Return the short replies that rule on what the agent asked point by point, or say what something means."""
    said = (Constraint(one.text, "request", one.key, answers=one.answers) for one in requests if one.answers)
    return [one for one in said if is_ruling(one)]


def _is_reply(text: str) -> bool:
    return _ANSWERS.match(text) is not None or is_pick(text)


def is_taking_up(text: str) -> bool:
    """Whether a message takes up what the agent said: agrees, refuses, picks a point, or says to do "that"."""
    return _is_reply(text) or _REFERS.match(text) is not None


def is_urge(text: str) -> bool:
    """Whether a message only tells the agent to go on."""
    return len(text) <= _URGE_CHARS and _URGES.match(text) is not None


def find_answered_question(text: str, last: str, listed: str = "") -> str:
    """Return the question, the offer or the numbered points of the agent's last text that a reply answers.

    `listed` is the newest text of the agent's that numbers points, which a reply may name by their kind.
    """
    if picked := find_picked(text, last, listed, _find_list_question(last)):
        return picked
    if not last:
        return ""
    is_urging = is_urge(text)
    is_answer = _ANSWERS.match(text) and not (_ACKNOWLEDGES.match(text) and _ASKED.search(text))
    if not (is_urging or is_answer or _REFERS.match(text)):
        return _quote_question(last) if _is_brief_reply(text, last) else ""
    points = _POINT.findall(FENCED.sub("\n", last)) if _NUMBERED.match(text) else []
    if len(points) > 1:
        most = ANSWERED_CHARS // len(points[:_MOST_POINTS])
        return _quote(" · ".join(clip_text(collapse_whitespace(one), most) for one in points[:_MOST_POINTS]))
    question = find_closing_question(last) or _find_proposal(last, is_urging or _REFERS.match(text) is not None)
    if _WHICH.search(question):
        return _quote_question(last)
    steps = (list_proposed(last) or _list_meant(last, question)) if question and _is_assent(text) else ()
    return _quote_steps(steps, question) if steps else _quote(question)


def _quote_question(last: str) -> str:
    """Quote the closing question of a text, with the points between which it lets the user choose."""
    question = find_closing_question(last)
    points = _quote_points(last) if _WHICH.search(question) else ""
    return redact(f"{_quote(question)} {points}".strip())


def _quote_points(last: str) -> str:
    """Quote how the points begin between which a closing question lets the user choose; "" where it has no list."""
    points = [one for some in list_points(last[-_PROPOSAL_CHARS:])[-1:] for one in some]
    most = ANSWERED_CHARS // max(1, len(points))
    told = (f"{one.number}) {clip_text(collapse_whitespace(one.text).replace('**', ''), most)}" for one in points)
    return "; ".join(told) if 1 < len(points) <= _MOST_STEPS else ""


def _find_list_question(last: str) -> str:
    """Return the question that the points of a text are answers to: the closing one, or one before the first point.

    A heading between the two is what the points stand under.
    """
    points = list_points(last)
    said = FENCED.sub("\n", last)
    before = said[: said.find(points[0][0].text)].splitlines() if points else []
    above = [one for one in before if _ASKED.search(one) or _HEADING.fullmatch(one)]
    is_asked = any(map(_ASKED.search, above))
    return find_closing_question(said) or (collapse_whitespace(above[-1]) if is_asked else "")


def _find_proposal(last: str, is_bare: bool) -> str:
    """Return the last sentence by which the agent asked or offered something; `is_bare`: or proposed something."""
    clauses = [one for sentence in split_sentences(last) for one in CLAUSES.split(sentence)]
    asking = (one for one in reversed(clauses) if _ASKED.search(one) or _is_offering(one, is_bare))
    return next(asking, "")


def _is_offering(clause: str, is_bare: bool) -> bool:
    """Whether a clause offers something, or proposes it."""
    return (is_bare and _PROPOSED.search(clause) is not None) or is_offer(clause)


def _is_assent(text: str) -> bool:
    """Whether a reply does little more than to agree."""
    return len(text) <= REPLY_CHARS and _AGREES_TO.match(text) is not None


def _quote_steps(steps: Iterable[str], question: str) -> str:
    quoted = " · ".join((*steps, clip_text(collapse_whitespace(question).strip(" *_#-"), ANSWERED_CHARS)))
    return redact(quoted)


def _list_meant(last: str, question: str) -> tuple[str, ...]:
    """Return how the points begin that a closing question only points to ("want me to fix these?")."""
    points = [one for some in list_points(last)[-1:] for one in some] if _POINTS_TO.search(question) else []
    told = tuple(clip_text(collapse_whitespace(one.text).replace("**", ""), _STEP_CHARS) for one in points)
    return told if 1 < len(told) <= _MOST_STEPS else ()


def list_proposed(text: str) -> tuple[str, ...]:
    """Return the steps that a closing text lists under a line that announces them, before it asks whether to go on."""
    lines = [line.rstrip() for line in text[-_PROPOSAL_CHARS:].split("\n") if line.strip()]
    found: list[str] = []
    is_code = is_announced = False
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif is_code or _STEP.match(line):
            found.insert(0, clip_text(collapse_whitespace(_STEP.sub("", line, 1)), _STEP_CHARS))
        elif found and line.endswith((":", "：")):
            is_announced = is_announced or _ANNOUNCES.search(line) is not None
        elif found or len(lines) - at > _MOST_CLOSING:
            break
    is_told = is_announced and not is_code and 1 < len(found) <= _MOST_STEPS
    return tuple(found) if is_told else ()


def shorten_question(quoted: str) -> str:
    """Return what a reply of long ago answers without the steps before the question, and without explanations."""
    last = quoted.rpartition(" · ")[2]
    said = last if last.endswith(("?", "？")) else quoted
    if len(said) <= OLD_CHARS:
        return said
    ends = [hit.start() for hit in _EXPLAINS.finditer(said[:OLD_CHARS]) if hit.start() >= OLD_CHARS // 3]
    return f"{said[: ends[-1]] if ends else clip_text(said, OLD_CHARS)} …"


def is_choice(one: UserRequest) -> bool:
    """Whether a request chooses one of the numbered points that the agent asked about."""
    return bool(one.answers) and is_pick(one.text)


def is_confirming(one: UserRequest) -> bool:
    """Whether a request does little more than to answer the agent, and gives no work of its own."""
    is_reply = _AGREES_TO.match(one.text) is not None or not is_errand(one.text)
    return is_choice(one) or (bool(one.answers) and len(one.text) <= REPLY_CHARS and is_reply)


def _is_brief_reply(text: str, last: str) -> bool:
    """Whether a few words behind a question of the agent's answer it, and neither ask nor order anything."""
    question = find_closing_question(last)
    is_brief = len(text) <= REPLY_CHARS and "\n" not in text.strip() and not _ASKED.search(text)
    if _TURNS_AWAY.match(text):
        return False
    return is_brief and bool(question) and not is_offer(question) and not is_errand(text)


def _quote(text: str) -> str:
    return redact(clip_text(collapse_whitespace(text).strip(" *_#-"), ANSWERED_CHARS))


def is_offer(question: str) -> bool:
    """Whether a closing question only offers to do more."""
    return _OFFERS.search(question) is not None


def is_courtesy(question: str) -> bool:
    """Whether a closing question only asks whether there is anything else, and waits for nothing."""
    return _COURTESY.search(question) is not None


_COURTESY = re.compile(
    r"(?i)\b(?:is|was) there (?:anything|something) (?:else|more|further)(?=\W*$|\s+(?:that\s+)?(?:you|i|we)\b)"
    r"|^\W*(?:anything|what) else(?: (?:you['’]?d|you would|i can|can i|may i|would you|do you|to) [^?？]{0,80})?[?？]$"
    r"|\b(?:need|want|like|require) (?:me to do )?anything (?:else|more|further)\b"
    r"|\b(?:what|how) (?:else )?(?:can|may) i (?:help|assist|do for)\b|\banything (?:else|more) (?:that )?i can\b"
    r"|(?:还有|還有)(?:什么|其他|别的)[^。\n]{0,30}(?:吗|嗎)?[?？]$|\b(?:sonst )?noch etwas[^.\n]{0,60}\?$"
)
_ANSWERS = re.compile(  # how a message begins that only answers the agent
    r"(?i)\s*(?:\(?\d{1,2}\s?[:.)]\s*)?(?:(?:yes|yeah|yep|yup)\b"
    r"|(?:no|nope|sure|ok|okay|right|correct|agreed|exactly"
    r"|both|neither|go ahead|do it|sounds good|ja|nein|oui|non|s[ií]|sim|não|да|нет|vâng|không|có)"
    r"(?=\s{0,3}(?:[,.!;:—–-]|$))"
    r"|はい|いいえ|好的|是的|不是|네|아니요)"
)
_ACKNOWLEDGES = re.compile(r"(?i)\s*(?:ok(?:ay)?|right|sure|correct|exactly)\b")  # and goes on with something else
_TURNS_AWAY = re.compile(  # how a few words begin that ask, add, cry out or call the host, and answer nothing
    r"(?i)\W*(?:(?:so|and|but|ok|okay|hm+|oh|wait|whoa|wow)[,\s]+){0,3}(?:wh(?:ere|y|o) \w"
    r"|how (?:do|did|does|is|are|come|can)|what (?:do|did|does|is|are|was|were)"
    r"|(?:jesus|wow|whoa|wait|hm+|lol|haha\w*|hold on|never ?mind|also|btw|by the way)\b)|\s*/\w"
)
_REFERS = re.compile(  # "let's do this then", "ok let's add that", "do it"
    r"(?i)\s*(?:(?:ok|okay|alright|yes|yeah|nah|no|great|cool|nice|good|sure|well|then|so|and|now|please)[\s,.!]+){0,4}"
    r"(?:(?:let['’]?s|(?:can|could)\s+(?:we|you)|go\s+ahead\s+and)\s+)?"
    r"(?:(?:do|try|add|implement|build|fix|tackle|start|use|take|go\s+with)\s+(?:this|that|it|these|those|them|both|all)\b)"
    r"(?=\W*(?:$|[.,;!?\n]|then\b|first\b|now\b|too\b|and\b))"
)
_WHICH = re.compile(
    r"(?i)\b(?:which|prefer|welche[nrs]?|lequel|laquelle|cuál|qual|quel(?:le)?|какой|какую)\b|哪|どちら|どれ|어느"
)
_PROPOSED = re.compile(
    r"(?i)\bi(?:['’]d|\s+would|\s+can|\s+could)\s+(?:\w+\s+)?(?:pick|take|do|start|go|suggest|recommend|propose|tackle|add|make"
    r"|implement|build|choose|fix|write|run|focus|move|keep)\b|\bi\s+(?:suggest|propose|recommend)\b|\bmy\s+(?:\w+\s+)?recommendation\b"
    r"|\b(?:next|remaining)\s+(?:[\w-]+\s+){0,2}(?:steps?|thing|piece|improvement|task|change|increment|item|move)s?\b"
    r"|^\W*(?:next|up next|remaining)(?: up)?[:,]"
)
_URGE_CHARS = 80  # of a message that only tells the agent to go on
_URGES = re.compile(  # "ok, now continue", "just keep going, ..."
    r"(?i)\W*(?:(?:ok(?:ay)?|yes|yeah|great|good|cool|nice|perfect|now|then|and|so|just|please|ja|oui|s[ií]|sim|да)[\s,.!]+){0,4}"
    r"(?:let['’]?s\s+)?(?:continue|go\s+on|keep\s+going|proceed|carry\s+on|go\s+ahead|next(?=\W*$)|(?:mach\s+)?weiter|fahr\s+fort"
    r"|continuez?|poursui[st]|sigue|contin[uú]a|prossiga|продолжай\w*|дальше|tiếp\s+tục|làm\s+tiếp)(?!\w)"
    r"|\s*(?:好的?[，,]?\s*)?(?:继续|繼續|続けて|계속)"
)
_AGREES_TO = re.compile(r"(?i)\s*(?:yes|yeah|yep|yup|sure)\b")  # whatever follows
_PROPOSAL_CHARS = 1_500  # in which the steps stand that a text proposes, at its end
_STEP_CHARS, _MOST_STEPS = 80, 9
_MOST_CLOSING = 4  # lines behind the steps
_STEP = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_ANNOUNCES = re.compile(
    r"(?i)\b(?:steps?|plan|would|will|could|propos\w+|suggest\w*|recommend\w*|options?|next|going to|want to"
    r"|to do|gaps?|missing|remaining|left)\b"
)
_POINTS_TO = re.compile(r"(?i)\b(?:these|those|them|both|all (?:two|three|four|five|six|of))\b(?! (?:tests|files)\b)")
_NUMBERED = re.compile(r"\s*\(?\d{1,2}\s?[:.)]")
_POINT = re.compile(r"(?:(?<=\()|^[ \t*]{0,8})(\d{1,2}[.):][^\n;]{1,400})", re.M)
_MOST_POINTS = 3  # of the agent's, which a numbered reply answers
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s.*|\*\*[^*]+\*\*:?\s*)")
_ASKED = re.compile(r"[?？](?=[\s*_)\"'”]|$)")
CLAUSES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_OFFERS = re.compile(
    r"(?i)would you like|do you want (?:me )?to|want me to|shall i (?:also|continue|proceed|go on)|let me know"
    r"|should i (?:also|continue|go on|proceed)|if you(?:['’]d)? (?:like|want)|anything else|would it help"
    r"|ready (?:for|to)|need anything|what(?:['’]s| is| would you like) next|soll ich|möchtest du|souhaitez|voulez"
    r"|quieres que|deseas|gostaria|quer que|хотите|нужно ли|bạn (?:có )?muốn|có cần"
    r"|よろしいですか|しましょうか|할까요|원하시|要我|需要我|是否(?:需要|要)|还需要"
)
