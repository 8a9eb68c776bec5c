"""The requests of the user as lines: what was asked, in order, each with what followed it.

Rule: words that stand under the goal or the constraints are not said again, and the agent's last words of all stand
under what is next. A line on what followed begins with an arrow, so that it is told from the user's words; where the
words are one line without an arrow, and so are the steps, both stand in one. A request without a word for its state is
one that the agent replied to.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from secateur.compaction.ledger.entries import Constraint, Ledger, UserRequest, mark
from secateur.compaction.ledger.turns.outcomes import READ_ONLY, SEPARATOR
from secateur.compaction.ledger.user.answers import is_confirming
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.user.goals import list_goals
from secateur.compaction.ledger.work.verdict import is_done
from secateur.toolcalls.actions import clip_text, collapse_whitespace

STATE_WORDS = {"open": "open", "done": "replied to", "superseded": "superseded", "deferred": "deferred"}
SUMMARIZED = "before an earlier summary"
TOGETHER = f"{STATE_WORDS['done']} with "  # goes before the mark of the request that was replied to
PASSED_OVER = "no reply of its own"  # as older summaries have it
MOST_PASSED_OVER = 3  # neighbors of which nothing followed that are quoted: the last ones
PASSED_OVER_GROUP = "the user also wrote"  # begins a line on those that came before the agent said or did anything
PASSED_OVER_CHARS = 120  # of one among several
LED = "asked “"  # goes before the question that a goal answers
NONE_OPEN = "every request was answered"
OLDER_GOALS = "before that, the user asked:"  # stands between the newest goal and the others
IN_ANSWER = " — in answer to: “"
_LEAD_CHARS = 20  # of a line before a list; less, as "Medium:", stands before much else
_KNOWN_CHARS = 60  # by which a reply is known in the words that it is taken from
_PASSED_OVER = re.compile(r"\[(\S*)\] “(.*?)”(?=(?: · |\n)\[\S*\] “|$)", re.S)
_GROUP = re.compile(
    rf"(?:{PASSED_OVER_GROUP}(?:( {SUMMARIZED})| before \[\S*\])?|asked, and {PASSED_OVER}):\s(?=\[\S*\] “)"
)
_LED = re.compile(rf"{LED}(.*?)”: (.*)", re.S)
_LINE_GAP = re.compile(r" \[…\]$", re.M)
_LIST = re.compile(r"(?<=[:：]) |; ")
UNDER_GOAL = "(see Goal)"  # in place of the words of a request that stand there
UNDER_CONSTRAINTS = "(see Constraints)"
PLACES = (UNDER_GOAL, UNDER_CONSTRAINTS)
FOLLOWED = "→ "  # begins a line on what followed a request
JOINT = f" {FOLLOWED}"  # between words and steps that stand in one line
REPLIED = "replied: "
LINE_CHARS = 130  # of several short steps
JOINED_CHARS = 240  # of a request and its steps in one line
MARK = re.compile(r"[bcdf-hj-np-t]{6}")  # of a key


def render_course(ledger: Ledger, constraints: Sequence[Constraint]) -> Iterator[str]:
    """Render the requests in order, each with what followed it; words that stand under another heading are not said."""
    goals = {*list_goals(ledger)}
    elsewhere = {id(one): UNDER_GOAL for one in ledger.requests if one in goals}
    demands = {collapse_whitespace(one.text): one.key for one in constraints if not one.replaced_by}
    for one in ledger.requests:
        if demands.get(collapse_whitespace(one.text)) == one.key:
            elsewhere.setdefault(id(one), UNDER_CONSTRAINTS)
    told = [one for one in ledger.requests if is_in_course(one) and (one.progress or id(one) not in elsewhere)]
    for kind, grouped in groupby(told, _find_group):
        group = list(grouped)
        if kind:
            lead = f"{kind}:{' ' if len(group) == 1 else chr(10)}"
            yield format_bullet(lead + "\n".join(map(_quote_passed_over, group[-MOST_PASSED_OVER:])))
        else:
            yield from (line for one in group for line in _render_told(ledger, one, elsewhere))


def _render_told(ledger: Ledger, one: UserRequest, elsewhere: Mapping[int, str]) -> Iterator[str]:
    """Render a request with what followed it, if there is something to tell."""
    text = elsewhere.get(id(one), f"{one.text}{quote_question(one)}")
    followed = list(_list_followed(ledger, one))
    if len(followed) == 1 and not followed[0].startswith(FOLLOWED + REPLIED) and _is_joinable(one, text, followed[0]):
        yield format_bullet(f"{_name_told(one)} {text} {followed[0]}")
    elif followed:
        yield format_bullet("\n".join((f"{_name_told(one)} {text}", *followed)))
    elif id(one) not in elsewhere:
        yield format_bullet(f"{_name_told(one, _is_arrowed(text))} {text}")


def _find_group(one: UserRequest) -> str:
    """Return how the line begins that a request shares with its neighbors; "" if it has lines of its own."""
    is_without_result = one.passed_over and one.state == "done" and one.progress is None and not one.answers
    kind = f"{PASSED_OVER_GROUP} {SUMMARIZED}" if one.summarized else PASSED_OVER_GROUP
    return kind if is_without_result else ""


def parse_group(text: str) -> Iterator[UserRequest]:
    """Yield the requests that a line on several tells; none of another line."""
    if begins := _GROUP.match(text):
        for hit in _PASSED_OVER.finditer(text, begins.end()):
            yield UserRequest(hit[2], "done", hit[1], passed_over=True, summarized=bool(begins[1]))


def _quote_passed_over(one: UserRequest) -> str:
    text = collapse_whitespace(one.text)
    return f"[{mark(one.key)}] “{text if len(text) <= PASSED_OVER_CHARS else clip_text(text, PASSED_OVER_CHARS)}”"


def _list_followed(ledger: Ledger, one: UserRequest) -> Iterator[str]:
    """Yield the lines on what followed a request; the agent's last words stand under what is next."""
    if one.progress is None:
        return
    steps = [step for step in one.progress.steps if step != READ_ONLY or one.state == "open"]  # has it been begun?
    yield from (FOLLOWED + line for line in _fill_lines(steps))
    if one.progress.reply and not _is_quoted(one.progress.reply, ledger):
        yield f"{FOLLOWED}{REPLIED}“{collapse_whitespace(one.progress.reply)}”"


def _fill_lines(steps: Sequence[str]) -> Iterator[str]:
    """Yield lines of steps, each of as many as have room."""
    line = ""
    for step in steps:
        if line and len(line) + len(SEPARATOR) + len(step) > LINE_CHARS:
            yield line
            line = step
        else:
            line = f"{line}{SEPARATOR}{step}" if line else step
    if line:
        yield line


def _is_quoted(reply: str, ledger: Ledger) -> bool:
    """Whether a reply is what the agent said last, or its newest report, which stand under what is next."""
    said = collapse_whitespace(reply)
    lead = _LIST.split(said)[0]
    begins = (lead if len(lead) >= _LEAD_CHARS else said)[:_KNOWN_CHARS]
    return any(
        begins in collapse_whitespace(one.text) for one in (ledger.last_words, ledger.report, ledger.basis) if one
    )


def is_in_course(one: UserRequest) -> bool:
    """Whether a request is told with what followed it."""
    return one.state != "open" or one.progress is not None


def render_goals(ledger: Ledger) -> Iterator[str]:
    """Render the goals, each with its end: the newest first, then those before it as they came."""
    has_ended = is_done(ledger)
    goals = [_render_goal(one, ledger, has_ended) for one in list_goals(ledger)]
    if has_ended:
        yield f"- {NONE_OPEN}"
    yield from goals[-1:]
    if len(goals) > 1:
        yield f"- {OLDER_GOALS}"
        yield from goals[:-1]


def _render_goal(one: UserRequest, ledger: Ledger, has_ended: bool) -> str:
    is_led = is_confirming(one) and not {*"“”"} & {*one.answers}
    text = f"{LED}{one.answers}”: {one.text}" if is_led else f"{one.text}{quote_question(one)}"
    word = _name_end(one, ledger.requests)
    is_plain = has_ended and word == STATE_WORDS["done"]
    return format_bullet(f"{_name_told(one) if is_plain else f'[{mark(one.key)}, {word}]'} {text}")


def _name_end(one: UserRequest, requests: Sequence[UserRequest]) -> str:
    """Say what became of a goal."""
    if one.summarized and one.state == "done":
        return SUMMARIZED
    later = requests[requests.index(one) + 1 :] if one.passed_over and one.state == "done" else ()
    joined = next((other.key for other in later if not other.passed_over), "")
    return f"{TOGETHER}{mark(joined)}" if joined else STATE_WORDS[one.state]


def split_led(text: str) -> tuple[str, str]:
    """Split what the user said from the quoted question before it or behind it, as a goal has it."""
    if (hit := _LED.fullmatch(text)) and is_confirming(UserRequest(hit[2], answers=hit[1])):
        return hit[2], hit[1]
    return split_question(text)


def render_request(one: UserRequest) -> str:
    """Render a request without what followed it."""
    return format_bullet(_name_request(one, f"{one.text}{quote_question(one)}"))


def quote_question(one: UserRequest | Constraint) -> str:
    """Quote the question that a request or a demand answers."""
    return f"{IN_ANSWER}{one.answers}”" if one.answers else ""


def split_question(text: str) -> tuple[str, str]:
    """Split what the user said from the quoted question that it answers."""
    said, _, asked = text.rpartition(IN_ANSWER)
    return (said, asked.removesuffix("”")) if said and asked.endswith("”") else (text, "")


def format_bullet(text: str) -> str:
    """Format one entry as a bullet, with further lines indented; a mark of what is left out ends the line before it."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip() == GAP and lines and lines[-1].strip() and not lines[-1].lstrip().startswith(("```", "~~~")):
            lines[-1] += "" if lines[-1].endswith(GAP) else f" {GAP}"
        else:
            lines.append(line.rstrip())
    return "- " + "\n    ".join(lines)


def split_gaps(text: str) -> str:
    """Return a text of several lines with each mark of what is left out in a line of its own, as it was made."""
    return _LINE_GAP.sub(f"\n{GAP}", text) if "\n" in text else text


def _name_request(one: UserRequest, text: str) -> str:
    return f"[{mark(one.key)}, {STATE_WORDS[one.state]}] {text}"


def _name_told(one: UserRequest, with_state: bool = False) -> str:
    """Return the mark of a request, with its state unless the agent replied to it, which most have."""
    word = STATE_WORDS[one.state]
    is_plain = word == STATE_WORDS["done"] and MARK.fullmatch(mark(one.key)) is not None and not with_state
    return f"[{mark(one.key)}]" if is_plain else f"[{mark(one.key)}, {word}]"


def _is_joinable(one: UserRequest, text: str, followed: str) -> bool:
    """Whether a request and its one line of steps can stand in one line, and be told apart there."""
    if text in PLACES:
        return True
    has_room = len(text) + len(followed) <= JOINED_CHARS
    return has_room and not _is_arrowed(text) and "\n" not in text and "," not in _name_told(one)


def _is_arrowed(text: str) -> bool:
    """Whether words of one line could be taken for words with the steps behind them."""
    return JOINT in text
