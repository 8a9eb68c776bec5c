"""The user's messages that rendered lines say, each with what followed it.

Rule: words that stand under another heading are taken from there, and steps from the lines that begin with an arrow.
Fixed phrases of older summaries are read as those of today.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from msgspec.structs import replace

from secateur.compaction.ledger.course import (
    FOLLOWED,
    JOINT,
    MARK,
    PASSED_OVER,
    PLACES,
    REPLIED,
    SUMMARIZED,
    TOGETHER,
    UNDER_CONSTRAINTS,
    UNDER_GOAL,
    parse_group,
    split_gaps,
    split_led,
    split_question,
)
from secateur.compaction.ledger.entries import Constraint, Progress, RequestState, UserRequest
from secateur.compaction.ledger.turns.outcomes import SEPARATOR

_REPLIED = ("replied to", "answered")  # the second word is that of older summaries
_WORDS = rf"open|done|answered|replied to|superseded|deferred|{PASSED_OVER}|{SUMMARIZED}|{TOGETHER}\S*"
_SAID = re.compile(rf"\[(\S*), ({_WORDS})\] (.*)", re.S)
_REPLIED_TO = re.compile(rf"\[({MARK.pattern})()\] (.*)", re.S)  # the word for this state is left out

_OLDER_HEADS = {
    "asked for, and no call did it": "asked for, and not done yet",
    "called since": "then called",
    "carried out after that": "then called",
    "then carried out": "then called",
    "changed, and no call committed": "not committed",
    "committed, and no call pushed it": "committed, not pushed",
    "committed and pushed": "pushed",
    "dirty before the session's first edit": "uncommitted before the session began",
    "dirty as last seen, and no call made it so": "also uncommitted",
    "dirty as last seen, and no edit of it is known": "also uncommitted",
    "uncommitted, and no edit of it is known": "also uncommitted",
    "failed, and no later call did it": "failed, and not done since",
    "handed out, and nothing shows its end": "handed out, no result seen",
    "also asked": "the user also wrote",
}
_OLDER_HEAD = re.compile(rf"(?m)^- ({'|'.join(map(re.escape, sorted(_OLDER_HEADS, key=len, reverse=True)))})\b")
_OLDER_PLACE = re.compile(r"(?m)^(- \[[^\]\n]*\]) \(under (Goal|Constraints)\)")
_OLDER_COUNTS = re.compile(r"- not listed, for room: (.*)")
_OLDER_COUNT = re.compile(r"(\w+) (\d{1,2})")
_COUNTED_STEPS = re.compile(r"besides: .*|\[\d+ more\]")  # older summaries count steps that they do not tell


def replace_older(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a summary with the phrases of today."""
    for line in lines:
        if counted := _OLDER_COUNTS.fullmatch(line):
            yield f"- left out to save room: {', '.join(f'{n} {name}' for name, n in _OLDER_COUNT.findall(counted[1]))}"
        else:
            yield _OLDER_PLACE.sub(r"\1 (see \2)", _OLDER_HEAD.sub(lambda hit: f"- {_OLDER_HEADS[hit[1]]}", line))


def split_bullets(lines: Iterable[str]) -> Iterator[str]:
    """Yield each bullet, without its mark and the indents of its further lines."""
    held: list[str] = []
    for line in (one for entry in lines for one in entry.split("\n")):
        if line.startswith("- "):
            if held:
                yield "\n".join(held)
            held = [line[2:]]
        elif held and (line.startswith("    ") or not line.strip()):
            held.append(line[4:])
    if held:
        yield "\n".join(held)


def parse_requests(lines: Iterable[str]) -> Iterator[UserRequest]:
    """Parse requests that stand without what followed them."""
    for text in split_bullets(lines):
        if found := _SAID.fullmatch(text) or _REPLIED_TO.fullmatch(text):
            said, asked = split_led(found[3])
            yield _put_state(UserRequest(split_gaps(said), key=found[1], answers=asked), found[2] or _REPLIED[0])


def _put_state(one: UserRequest, word: str) -> UserRequest:
    is_together = word.startswith((PASSED_OVER, SUMMARIZED, TOGETHER))
    state: RequestState = "done" if is_together or word in _REPLIED else cast(RequestState, word)
    return replace(one, state=state, passed_over=is_together, summarized=word == SUMMARIZED)


def parse_course(
    lines: Iterable[str], goals: Mapping[str, UserRequest], demands: Sequence[Constraint]
) -> Iterator[UserRequest]:
    """Parse requests with what followed them; words that stand under another heading are taken from there."""
    told = {one.key: UserRequest(one.text, key=one.key, answers=one.answers) for one in reversed(demands)}
    for text in split_bullets(lines):
        yield from parse_group(text)
        if found := _SAID.fullmatch(text) or _REPLIED_TO.fullmatch(text):
            words, progress = _split_progress(found[3], not found[2])
            said, asked = split_question(words)
            elsewhere = {UNDER_GOAL: goals, UNDER_CONSTRAINTS: told}.get(words)
            own = UserRequest(split_gaps(said), key=found[1], answers=asked)
            known = own if elsewhere is None else elsewhere.get(found[1])
            if known:
                yield replace(_put_state(known, found[2] or _REPLIED[0]), progress=progress)


def _split_progress(text: str, is_joined: bool) -> tuple[str, Progress | None]:
    """Split what the user said from the lines that tell what followed, or from the steps in the same line."""
    is_joined = is_joined or text.startswith(tuple(f"{place}{JOINT}" for place in PLACES))
    if is_joined and "\n" not in text and JOINT in text:
        words, _, line = text.partition(JOINT)
        return words, Progress(tuple(line.split(SEPARATOR)))
    said = text.split("\n")
    followed: list[str] = []
    while len(said) > 1 and said[-1].startswith(FOLLOWED):
        followed.insert(0, said.pop().removeprefix(FOLLOWED))
    reply = followed.pop() if followed and followed[-1].startswith(REPLIED) else ""
    reply = reply.removeprefix(f"{REPLIED}“").removesuffix("”")
    steps = tuple(step for line in followed for step in line.split(SEPARATOR) if not _COUNTED_STEPS.fullmatch(step))
    return "\n".join(said), Progress(steps, reply) if steps or reply else None
