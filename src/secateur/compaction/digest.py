"""A digest: a stretch of the agent's work as what it said and one line for each call, written by code.

Rule: nothing in it is new. A line names the tool, what the call was about and how it ended, with the lines by which to
find one's way in a long result; a short result stands there whole. Prose keeps its beginning and its end. Secrets are
taken out. What the user said is never in it: it stays where it is. Which stretches become digests is not decided here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from secateur.acts.calls import pair_calls
from secateur.compaction.ledger.said import keep_ends
from secateur.compaction.settings import DigestSettings
from secateur.model import Message, Part
from secateur.outline import outline
from secateur.own_text import DIGEST_BEGINS
from secateur.placeholder import describe_outcome, find_main_argument, shorten_line
from secateur.readback import describe_way_back
from secateur.redact import redact
from secateur.roles import detect_role

ABOUT_CHARS = 160  # of what a call was about
RESULT_CHARS = 300  # a result that is not longer stands there whole
OUTLINE_CHARS = 200  # that any outline may have
ROOT_SHARE = 0.6  # of the absolute paths in calls: a folder that so many are in is said once


def build_digest(messages: Sequence[Message], settings: DigestSettings, handle: str = "") -> str:
    """Digest these messages, which split no round; `handle` names the original where it can be read."""
    results = {id(call): result for call, result in pair_calls(messages)}
    root = _find_root(messages)
    lines = [line for message in messages for line in _iterate_lines(message, results, root, settings)]
    where = f"; paths are in {root}" if root else ""
    back = f"; {describe_way_back(handle)} shows it in full" if handle else ""
    return _replace_surrogates("\n".join((f"{DIGEST_BEGINS}{where}{back}]", *lines)))


def _iterate_lines(
    message: Message, results: dict[int, Part | None], root: str, settings: DigestSettings
) -> Iterator[str]:
    for part in message.parts:
        if part.kind == "text" and part.text.strip():
            who = "" if message.role == "assistant" else "[host] "
            yield who + _shorten_prose(part.text, settings.max_prose_chars)
        elif part.kind == "tool_call":
            said = _call(part, results.get(id(part)), settings)
            yield said.replace(f"{root}/", "") if root else said


def _replace_surrogates(text: str) -> str:
    """Replace each lone surrogate with a mark, since no summary may contain one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=4_096)
def _shorten_prose(text: str, chars: int) -> str:
    return redact(keep_ends(text.strip(), chars))


@lru_cache(maxsize=4_096)
def _call(call: Part, result: Part | None, settings: DigestSettings) -> str:
    """One call and how it ended."""
    plan = detect_role(call.tool, call.text) == "plan"  # what is left to do stands in the arguments themselves
    about = (
        shorten_line(call.text, settings.max_prose_chars)
        if plan
        else shorten_line(find_main_argument(call.text), ABOUT_CHARS)
    )
    line = f"- {call.tool or 'tool'} {about}".rstrip()
    if result is None:
        return redact(f"{line} → (no result)")
    text = result.text.strip()
    if len(text) <= RESULT_CHARS:
        return redact(f"{line} → {'error: ' if result.is_error else ''}{text or '(nothing)'}")
    said = ", ".join(filter(None, (f"{len(text):,} characters", shorten_line(describe_outcome(result), 100))))
    room = min(settings.max_outline_chars, max(OUTLINE_CHARS, int(settings.outline_share * len(text))))
    return redact("\n".join(filter(None, (f"{line} → {said}", outline(result.text, room)))))


def _find_root(messages: Sequence[Message]) -> str:
    """Return the deepest folder that contains most absolute paths of the calls; "" if there is none."""
    found: Counter[str] = Counter()
    total = 0
    for folder in (
        at for one in messages for part in one.parts if part.kind == "tool_call" for at in _list_folders(part)
    ):
        total += 1
        while folder.count("/") >= 3:  # /home/me is no place to find one's way in
            found[folder] += 1
            folder = folder.rsplit("/", 1)[0]
    most = [folder for folder, times in found.items() if times >= max(2, ROOT_SHARE * total)]
    return max(most, key=len, default="")


@lru_cache(maxsize=4_096)
def _list_folders(call: Part) -> tuple[str, ...]:
    return tuple(folder.rstrip("/") for folder in _ABSOLUTE.findall(call.text))


_ABSOLUTE = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)+")
