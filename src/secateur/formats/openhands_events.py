"""Which events of an OpenHands conversation are sent: condensations applied, the newest summary in its place.

A condensation names the events that are forgotten, and can have a summary with an offset among those kept.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from secateur.formats.session_files import as_list, as_string
from secateur.model import Path


class OpenHandsEvent(Struct, frozen=True):
    """One event: its place, its fields, and the whole of it."""

    path: Path
    fields: dict[str, Any]  # where a condensation keeps its own
    value: dict[str, Any]


def apply_condensations(
    events: list[OpenHandsEvent], forgets: Callable[[OpenHandsEvent], bool]
) -> list[OpenHandsEvent]:
    """Return the events that are sent, in order; `forgets` identifies condensations."""
    cuts = [event for event in events if forgets(event)]
    if not cuts:
        return events
    gone = [_get_forgotten(cut.fields) for cut in cuts]
    kept = [one for one in events if not forgets(one) and not any(_is_in(one.value.get("id"), some) for some in gone)]
    newest = next((cut for cut in reversed(cuts) if as_string(cut.fields.get("summary"))), None)
    offset = newest.fields.get("summary_offset") if newest is not None else None
    if newest is not None and isinstance(offset, int):
        place = max(0, min(offset, len(kept)))
        return [*kept[:place], newest, *kept[place:]]
    return kept


def _get_forgotten(fields: dict[str, Any]) -> tuple[list[Any], tuple[int, int]]:
    """Return the IDs that a condensation lists, and the ID range that it names."""
    first, last = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    ranged = (first, last) if isinstance(first, int) and isinstance(last, int) else (0, -1)
    return as_list(fields.get("forgotten_event_ids")), ranged


def _is_in(name: Any, gone: tuple[list[Any], tuple[int, int]]) -> bool:
    listed, (first, last) = gone
    return (name in listed and name is not None) or (isinstance(name, int) and first <= name <= last)
