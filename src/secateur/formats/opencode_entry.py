"""opencode's own compaction, appended: a person's message that holds it, and the summary as its answer.

Rule: the tail is named where the part can name it (`tail_start_id`); else the kept messages are copied behind the
summary. opencode sorts by time, then by id, so each new message is later than the one before it, and its id sorts
behind all others. Usage in a copy is zero: it was counted once, and says nothing of the context that begins here.
"""

from typing import Any

from secateur.formats.format import Appending
from secateur.formats.session_files import as_dict, as_list, as_string
from secateur.model import Message, NewMessage

Entry = dict[str, Any]
_ZERO_USAGE: Entry = {"cost": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}}
_METADATA = ("compaction_continue", "had_media")  # what opencode reads of a message that makes it continue


def build_entries(made: Appending, at: int, items: list[Any]) -> list[Entry]:
    """Build the messages. `at` is the depth of the message list, `items` are those of the file."""
    writer = _Writer(made, items)
    kept, put_in = made.kept
    first = kept.path[at] if kept is not None else None
    tail = as_string(as_dict(as_dict(items[first]).get("info")).get("id")) if isinstance(first, int) else ""
    writer.compact(tail)
    if not tail:
        put_in = ()
        done: set[Any] = set()
        for item in made.rest:
            if isinstance(item, Message):
                place = item.path[at]
                if isinstance(place, int) and place not in done:  # a call and its result are one message of opencode
                    writer.copy(made.element(place))
                    done.add(place)
            else:
                writer.say(item)
    for new in put_in:
        writer.say(new)
    return writer.made


class _Writer:
    """Messages behind the newest one."""

    def __init__(self, made: Appending, items: list[Any]) -> None:
        self.made: list[Entry] = []
        self._view = made
        infos = [as_dict(as_dict(item).get("info")) for item in items]
        self._after = max((as_string(info.get("id")) for info in infos), default="msg_")
        self._user: Entry = next((info for info in reversed(infos) if info.get("role") == "user"), {})
        self._model: Entry = next((info for info in reversed(infos) if info.get("role") == "assistant"), {})
        times = [as_dict(info.get("time")) for info in infos]
        dates = [date for time in times for date in (time.get("created"), time.get("completed"))]
        self._start = max((date + 1 for date in dates if isinstance(date, int)), default=0)
        self._start = max(self._start, made.at)
        self._ids: dict[str, str] = {}  # of a message: of its copy

    def compact(self, tail: str) -> None:
        """The compaction and its answer."""
        part: Entry = {"type": "compaction", "auto": False, "overflow": False}
        mark = self._add(self._make_user_info(), [part | ({"tail_start_id": tail} if tail else {})])
        model: Entry = {
            name: self._model[name] for name in ("modelID", "providerID", "path", "sessionID") if name in self._model
        }
        info = {
            **model,
            "role": "assistant",
            "parentID": mark,
            "mode": "compaction",
            "agent": "compaction",
            "summary": True,
            "finish": "stop",
            **_ZERO_USAGE,
            "time": {"completed": 0},
        }
        self._add(info, [{"type": "text", "text": self._view.summary}])

    def say(self, new: NewMessage) -> None:
        """A message that is not in the history: the model reads it, the screen does not show it."""
        part: Entry = {"type": "text", "text": new.text, "synthetic": True}
        known = {name: new.meta[name] for name in _METADATA if name in new.meta}
        self._add(self._make_user_info(), [part | ({"metadata": known} if known else {})])

    def copy(self, item: Any) -> None:
        """A message that stays."""
        info = dict(as_dict(item.get("info")))
        info |= {name: value for name, value in _ZERO_USAGE.items() if name in info}
        if info.get("parentID") in self._ids:
            info["parentID"] = self._ids[info["parentID"]]
        old = as_string(info.get("id"))
        self._ids[old] = self._add(info, [_copy_part(as_dict(part)) for part in as_list(item.get("parts"))])

    def _make_user_info(self) -> Entry:
        known: Entry = {name: self._user[name] for name in ("sessionID", "agent", "model") if name in self._user}
        return {**known, "role": "user"}

    def _add(self, info: Entry, parts: list[Entry]) -> str:
        id, at = f"{self._after}{len(self.made):04d}", self._start + len(self.made)
        dated = {
            name: at for name in ("created", "completed") if name == "created" or name in as_dict(info.get("time"))
        }
        session = info.get("sessionID")
        named = {"messageID": id} | ({"sessionID": session} if session else {})
        made = [
            part | {"id": f"prt_{self._view.make_id(len(self.made), 20)}{n:03d}", **named}
            for n, part in enumerate(parts)
        ]
        self.made.append({"info": info | {"id": id, "time": dated}, "parts": made})
        return id


def _copy_part(part: Entry) -> Entry:
    return part | {name: value for name, value in _ZERO_USAGE.items() if name in part}
