"""Which calls are still pending.

Rule: a call is pending while it has no result, or only one that announces a later result. A call whose result comes at
once was interrupted if the user and then the agent have written since: nothing will answer it any more. Other calls (an
approval, a job, an agent) can be answered at any time.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from secateur.compaction.conversation import ViewEntry
from secateur.model import Part
from secateur.tool_kinds import detect_tool_kind

_INTERIM = re.compile(
    r'"?(?:status|state)"?\s*[:=]\s*"?(?:pending|running|in[_ -]?progress|queued|awaiting[_ a-z]*)\b', re.I
)
_INTERIM_CHARS = 400  # a result that only says that it is not there yet is short
_AT_ONCE = ("run", "edit", "read", "search")  # calls that have their result at once, or never


def find_pending_rows(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Yield rows with calls that have no result yet or only an interim one."""
    for place, row in enumerate(rows):
        calls = [part for part in row.message.parts if part.kind == "tool_call"]
        if row.message.role == "assistant" and calls:
            given: dict[str, list[Part]] = {}
            for part in (part for other in _iterate_answers(rows, place) for part in other.message.parts):
                if part.kind == "tool_result":
                    given.setdefault(part.call_id, []).append(part)
            is_waiting = any(_is_waiting(given.get(call.call_id, ())) for call in calls)
            if is_waiting and not _is_answered_later(rows, place, calls) and not _is_abandoned(rows, place, given):
                yield place


def is_interim(text: str) -> bool:
    """Whether a result says that it is still to come."""
    return len(text) <= _INTERIM_CHARS and _INTERIM.search(text) is not None


def _iterate_answers(rows: Sequence[ViewEntry], place: int) -> Iterator[ViewEntry]:
    """Yield the rows that may answer this row's calls: those before the model speaks again."""
    for number in range(place + 1, len(rows)):
        row = rows[number]
        if row.message.role == "assistant":
            return
        yield row


def _is_waiting(results: Sequence[Part]) -> bool:
    """Return whether a call with these results has no final one yet."""
    return all(is_interim(part.text) for part in results)


def _is_answered_later(rows: Sequence[ViewEntry], place: int, calls: Sequence[Part]) -> bool:
    """Return whether later results with the same, non-empty IDs say how all of these calls ended."""
    ids = {part.call_id for part in calls if part.call_id}
    later = [part for row in rows[place + 1 :] for part in row.message.parts if part.kind == "tool_result"]
    ended = {part.call_id for part in later if part.call_id in ids and not is_interim(part.text)}
    return len(ids) == len(calls) and ended == ids


def _is_abandoned(rows: Sequence[ViewEntry], place: int, given: Mapping[str, Sequence[Part]]) -> bool:
    """Whether a call was interrupted: it has no result, and the user and then the agent have spoken since."""
    if any(given.values()) or not all(
        detect_tool_kind(part.tool, part.text) in _AT_ONCE
        for part in rows[place].message.parts
        if part.kind == "tool_call"
    ):
        return False
    has_asked = False
    for row in rows[place + 1 :]:
        texts = any(part.kind == "text" and part.text.strip() for part in row.message.parts)
        if row.message.role == "user" and row.message.origin == "user" and texts:
            has_asked = True
        elif row.message.role == "assistant" and has_asked and row.message.parts:
            return True
    return False
