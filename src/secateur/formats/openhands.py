"""OpenHands conversations: a list of events (or one a line), of version 0 (actions and observations) or of version 1.

Also an evaluation's `output.jsonl` line with its `history`. Version 1 keeps a conversation as a directory with a file
for each event: put together with `jq -s . event-*.json` it is read. Condensations are applied; what only the screen
shows is left alone. `openhands_v0` and `openhands_v1` say what an event is.
"""

from collections.abc import Iterator
from typing import Any

from secateur.errors import FormatError
from secateur.formats import openhands_v0, openhands_v1
from secateur.formats.format import Format
from secateur.formats.logs import open_log, read_first_lines, refuse_new_message
from secateur.formats.native import find_array, sample
from secateur.formats.openhands_events import OpenHandsEvent, apply_condensations
from secateur.formats.session_files import as_dict, as_list, get_elements, has, make_body, make_transcript
from secateur.model import Message, NewMessage, Part, Path, Transcript


class OpenHands(Format):
    """Reader of OpenHands' lists of events."""

    name = "openhands"
    log = False

    def recognize(self, native: Any) -> str:
        """The shape of the events."""
        found = find_array(native, "history")
        some = _flatten_events(sample(found[1], 2), ()) if found is not None else ()
        why = next((kind for _, event in some if (kind := _describe_kind(event))), "")
        if why and has(native, "history"):
            return f"`history` of {why}"
        return f"a list of {why}" if why else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the events; `known` is of no use here."""
        at, items = get_elements(native, "history", need=self.name)
        messages, named, fixed = _read(list(_flatten_events(items, at)), model)
        return make_transcript(at, messages, model=model or named, fixed_tokens=fixed)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string; a result of blocks becomes one block of text; arguments are JSON in a string here."""
        if part.path[-2:] == ("observation", "content"):
            return [{"type": "text", "text": text}]
        return text if part.kind == "tool_call" and part.path[-1] == "arguments" else make_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "OpenHands")


class OpenHandsLines(OpenHands):
    """Reader of OpenHands' events one a line, and of the one conversation of an `output.jsonl`."""

    name = "openhands_lines"
    log = True

    def recognize(self, native: Any) -> str:
        """The shape of the events, or lines that hold a history of them."""
        for entry in read_first_lines(native):
            inside = [event for _, event in _flatten_events(as_list(entry.get("history")), ())]
            why = _describe_kind(entry) or (_describe_kind(inside[0]) if inside else "")
            if why:
                return f"lines are {why}" if not inside else f"lines have a `history` of {why}"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the events; `known` is of no use here. Raises FormatError for several conversations."""
        log = open_log(native, self.name)
        whole = [line for line, entry in log.entries.items() if isinstance(entry.get("history"), list)]
        if len(whole) > 1:
            raise FormatError(
                f"this file holds {len(whole)} conversations, one per line: extract one and use that, for example with "
                f"sed -n {whole[0] + 1}p output.jsonl > run.jsonl"
            )
        events: list[tuple[Path, dict[str, Any]]] = [((line,), entry) for line, entry in log.entries.items()]
        for line in whole:
            events = list(_flatten_events(log.entries[line]["history"], (line, "history")))
        messages, named, fixed = _read(events, model)
        kept = [message for message in messages if message.parts]
        return log.make_transcript(kept, model=model or named, fixed_tokens=fixed)


def _describe_kind(event: dict[str, Any]) -> str:
    if isinstance(event.get("kind"), str) and event["kind"].endswith("Event") and "source" in event:
        return f"events of kind {event['kind']}"
    if isinstance(event.get("action"), str) and isinstance(event.get("args"), dict):
        return "actions with `args`"
    if isinstance(event.get("observation"), str) and isinstance(event.get("extras"), dict):
        return "observations with `extras`"
    return ""


def _flatten_events(items: list[Any], at: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the events with their paths; older histories hold pairs of an action and its observation."""
    for number, item in enumerate(items):
        if isinstance(item, list):
            yield from (((*at, number, place), as_dict(one)) for place, one in enumerate(item))
        else:
            yield (*at, number), as_dict(item)


def _read(events: list[tuple[Path, dict[str, Any]]], model: str) -> tuple[list[Message], str, int]:
    """Messages, the model that events name, and the tokens of its tools."""
    newer = any(isinstance(event.get("kind"), str) for _, event in events)
    version = openhands_v1 if newer else openhands_v0
    kept = apply_condensations(
        [OpenHandsEvent(path, version.get_fields(event), event) for path, event in events], version.is_condensation
    )
    return version.read_messages(kept, model), version.get_model(kept), version.count_tool_tokens(kept)
