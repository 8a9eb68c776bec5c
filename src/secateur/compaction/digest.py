"""A digest: a stretch of the agent's work as what it said and one line for each call, written by code.

Rule: nothing in it is new. A line names the tool, what the call was about and how it ended, with the lines by which to
find one's way in a long result; a short result stands there whole. Prose keeps its beginning and its end. Secrets are
taken out. What the user said is never in it: it stays where it is. Which stretches become digests is not decided here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from secateur.acts.calls import pairs
from secateur.compaction.ledger.said import ends
from secateur.compaction.settings import DigestSettings
from secateur.model import Message, Part
from secateur.outline import outline
from secateur.own_text import DIGEST_BEGINS
from secateur.placeholder import ended, main_argument, short
from secateur.redact import redact
from secateur.roles import role_of

ABOUT_CHARS = 160  # of what a call was about
RESULT_CHARS = 300  # a result that is not longer stands there whole
OUTLINE_CHARS = 200  # that any outline may have
ROOT_SHARE = 0.6  # of the absolute paths in calls: a folder that so many are in is said once


def digested(messages: Sequence[Message], settings: DigestSettings, handle: str = "") -> str:
    """The digest of these messages, which split no round; `handle` names what it stands for, where it can be read."""
    results = {id(call): result for call, result in pairs(messages)}
    root = _root(messages)
    lines = [line for message in messages for line in _lines(message, results, root, settings)]
    where = f"; paths are in {root}" if root else ""
    back = f"; recall {handle} shows it in full" if handle else ""
    return _encodable("\n".join((f"{DIGEST_BEGINS}{where}{back}]", *lines)))


def _lines(message: Message, results: dict[int, Part | None], root: str, settings: DigestSettings) -> Iterator[str]:
    for part in message.parts:
        if part.kind == "text" and part.text.strip():
            who = "" if message.role == "assistant" else "[host] "
            yield who + _prose(part.text, settings.max_prose_chars)
        elif part.kind == "tool_call":
            said = _call(part, results.get(id(part)), settings)
            yield said.replace(f"{root}/", "") if root else said


def _encodable(text: str) -> str:
    """The text with a mark in place of each lone surrogate, which no summary holds."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=4_096)
def _prose(text: str, chars: int) -> str:
    return redact(ends(text.strip(), chars))


@lru_cache(maxsize=4_096)
def _call(call: Part, result: Part | None, settings: DigestSettings) -> str:
    """One call and how it ended."""
    plan = role_of(call.tool, call.text) == "plan"  # what is left to do stands in the arguments themselves
    about = short(call.text, settings.max_prose_chars) if plan else short(main_argument(call.text), ABOUT_CHARS)
    line = f"- {call.tool or 'tool'} {about}".rstrip()
    if result is None:
        return redact(f"{line} → (no result)")
    text = result.text.strip()
    if len(text) <= RESULT_CHARS:
        return redact(f"{line} → {'error: ' if result.is_error else ''}{text or '(nothing)'}")
    said = ", ".join(filter(None, (f"{len(text):,} characters", short(ended(result), 100))))
    room = min(settings.max_outline_chars, max(OUTLINE_CHARS, int(settings.outline_share * len(text))))
    return redact("\n".join(filter(None, (f"{line} → {said}", outline(result.text, room)))))


def _root(messages: Sequence[Message]) -> str:
    """The deepest folder that most absolute paths of the calls are in; "" where there is none."""
    found: Counter[str] = Counter()
    total = 0
    for folder in (at for one in messages for part in one.parts if part.kind == "tool_call" for at in _folders(part)):
        total += 1
        while folder.count("/") >= 3:  # /home/me is no place to find one's way in
            found[folder] += 1
            folder = folder.rsplit("/", 1)[0]
    most = [folder for folder, times in found.items() if times >= max(2, ROOT_SHARE * total)]
    return max(most, key=len, default="")


@lru_cache(maxsize=4_096)
def _folders(call: Part) -> tuple[str, ...]:
    return tuple(folder.rstrip("/") for folder in _ABSOLUTE.findall(call.text))


_ABSOLUTE = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)+")
