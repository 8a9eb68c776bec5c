"""Which messages of an opencode session are sent, and in which order: its newest finished compaction applied.

A compaction is a person's message that holds a part of that name, answered by a message with `summary`. What came
before is left out, but for a tail that the part names (`tail_start_id`), which then follows the summary. Nothing here
reads what is said.
"""

from typing import Any

from secateur.formats.session_files import as_dict, as_list, as_string


def find_window(items: list[Any]) -> list[int]:
    """Return the numbers of the messages that are sent, in sending order."""
    everything = list(range(len(items)))
    infos = [as_dict(as_dict(item).get("info")) for item in items]
    marks = {as_string(info.get("id")): number for number, info in enumerate(infos) if _mark(items[number])}
    for summary in reversed(everything):
        info = infos[summary]
        mark = marks.get(as_string(info.get("parentID")), -1)
        if _is_finished_summary(info) and 0 <= mark < summary:
            first = _find_tail(_mark(items[mark]), infos, mark)
            return [*everything[mark : summary + 1], *everything[first:mark], *everything[summary + 1 :]]
    return everything


def _is_finished_summary(info: dict[str, Any]) -> bool:
    return bool(
        info.get("role") == "assistant" and info.get("summary") and info.get("finish") and not info.get("error")
    )


def _mark(item: Any) -> dict[str, Any]:
    """The compaction part of a message; {} if it has none."""
    parts = (as_dict(part) for part in as_list(as_dict(item).get("parts")))
    return next((part for part in parts if part.get("type") == "compaction"), {})


def _find_tail(part: dict[str, Any], infos: list[dict[str, Any]], mark: int) -> int:
    """Return the first message of the kept tail, or the compaction itself if none was kept."""
    wanted = as_string(part.get("tail_start_id"))
    return next((number for number in range(mark) if wanted and infos[number].get("id") == wanted), mark)
