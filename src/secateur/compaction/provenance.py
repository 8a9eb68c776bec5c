"""Where each line of a summary comes from: its message or its call.

Rule: a fact is traced by the key of what it was read from, a quoted sentence by its words. A line that nothing in the
history contains word for word is labeled as what it is: counted from the history, kept from an earlier summary, or
written by a model. Nothing here changes a summary or judges it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger import Ledger, render_ledger
from secateur.compaction.ledger.course import MARK, NONE_OPEN, OLDER_GOALS, parse_group
from secateur.compaction.ledger.entries import mark
from secateur.compaction.ledger.files.lines import ROOT, complete_path, parse_files
from secateur.compaction.ledger.render import UNLISTED
from secateur.compaction.ledger.said import strip_file_links
from secateur.compaction.ledger.work.open_work import NEVER_COMMITTED, UNCOMMITTED
from secateur.compaction.ledger.work.verdict import is_verdict
from secateur.compaction.marks import is_marked, strip_marks
from secateur.compaction.summary import ELSEWHERE, NONE
from secateur.compaction.template import FORMERLY
from secateur.model import Message, Part
from secateur.redact import redact
from secateur.text.placeholder import find_main_argument
from secateur.toolcalls.actions import clip_text, collapse_whitespace, pair_calls

Speaker = Literal["user", "project", "agent", "call", "summary", "model", "counted", "none"]
MAX_CHARS = 120  # of a call's main argument


class LineSource(Struct, frozen=True):
    """One entry of a summary and its source. `messages` count from 0; () if no single message contains it."""

    section: str  # its heading
    text: str
    source: Speaker
    messages: tuple[int, ...] = ()
    call: str = ""  # the tool and what it was given

    @property
    def origin(self) -> str:
        """Return the source in words."""
        where = f"message {', '.join(map(str, self.messages[:6]))}" if self.messages else ""
        more = f" and {len(self.messages) - 6} more" if len(self.messages) > 6 else ""
        said = _WORDS[self.source] + (f" {self.call}" if self.call else "")
        said += ", unconfirmed" if is_marked(self.text) else ""
        return f"{where}{more}: {said}" if where else said


def trace_summary(
    summary: str, ledger: Ledger, messages: Sequence[Message], by: str = "", has_earlier: bool = True
) -> tuple[LineSource, ...]:
    """Return every entry of a summary with its source. `by` is the model that wrote the prose, if one did."""
    root = _ROOT.search(summary)
    trace = _Trace(ledger, messages, by, has_earlier, root[1] if root else "")
    return tuple(trace.find_source(section, text) for section, text in _split_entries(summary))


_WORDS: dict[Speaker, str] = {
    "user": "the user",
    "project": "the project's own rules",
    "agent": "the agent",
    "call": "a call",
    "summary": "an earlier summary",
    "model": "written by a model",
    "counted": "counted over the whole history",
    "none": "nothing to say",
}
_HEADING = re.compile(r"## (.+)")
_USER_ENTRY = re.compile(rf"- \[([^\s\],]*), ([a-z -]+)(?:: [^\]\n]+)?\] |- \[({MARK.pattern})\] ")
_LISTED = re.compile(rf"- (?:names|{UNCOMMITTED}|{NEVER_COMMITTED}): (.+)", re.S)
_ROOT = re.compile(rf"^- {ROOT}: (.+)$", re.M)
_FIELDS = (
    "requests",
    "commands",
    "failures",
    "tasks",
    "questions",
    "pending",
    "values",
    "undelivered",
    "tickets",
    "attempts",
)
_LEAST_CHARS = 12  # of a text that is looked for


def _split_entries(summary: str) -> Iterator[tuple[str, str]]:
    """Yield each entry with its section: a bullet with its further lines, or a line."""
    section, held = "", list[str]()
    for line in summary.split("\n")[1:]:
        heading = _HEADING.fullmatch(line)
        goes_on = held and held[0].startswith("- ") and (line.startswith("    ") or not line.strip())
        if heading or (line.strip() and not goes_on):
            if held:
                yield section, "\n".join(held).rstrip()
            held = [] if heading else [line]
            section = heading[1] if heading else section
        elif held and goes_on:
            held.append(line)
    if held:
        yield section, "\n".join(held).rstrip()


class _Trace:
    """What a history's keys and words lead to."""

    def __init__(self, ledger: Ledger, messages: Sequence[Message], by: str, has_earlier: bool, root: str) -> None:
        self._messages = messages
        self._by = by
        self._has_earlier = has_earlier
        self._root = root
        self._places = {key: number for number, message in enumerate(messages) for key in _list_keys(message)}
        self._calls = _name_calls(messages)
        self._keys = dict(_map_lines(ledger))
        self._paths = {one.path: one.key for one in ledger.files}

    def find_source(self, section: str, text: str) -> LineSource:
        """Return where an entry comes from."""
        made = LineSource(section, text, "counted")
        if text in (NONE, ELSEWHERE):
            return replace(made, source="none")
        if said := _USER_ENTRY.match(text):
            source: Speaker = "project" if "project" in (said[2] or "") else "user"
            return replace(made, source=source, messages=self._find_places([said[1] or said[3]]))
        if text in self._keys:
            return self._trace_key(made, self._keys[text])
        if asked := [one.key for one in parse_group(text.removeprefix("- "))]:
            return replace(made, source="user", messages=self._find_places(asked))
        names = [one.path for one in parse_files(text.removeprefix("- ").replace("\n    ", "\n"), self._root)]
        if not names and (listed := _LISTED.fullmatch(text)):
            names = [complete_path(name, self._root) for name in listed[1].split(" · ")]
        return self._trace_list(made, names) if names else self._trace_words(made)

    def _find_places(self, keys: Iterable[str]) -> tuple[int, ...]:
        return tuple(self._places[key] for key in keys if key in self._places)

    def _trace_key(self, made: LineSource, key: str) -> LineSource:
        place = self._places.get(key)
        if place is None:
            return replace(made, source="summary")
        role = self._messages[place].role
        if key in self._calls:
            return replace(made, source="call", messages=(place,), call=self._calls[key])
        return replace(made, source="user" if role == "user" else "agent", messages=(place,))

    def _trace_list(self, made: LineSource, names: list[str]) -> LineSource:
        keys = [self._paths[name] for name in names if name in self._paths]
        found = [self._places[key] for key in keys if key in self._places] or [
            place for name in names for place in self._find_words(name)[:1]
        ]
        return replace(made, source="call" if keys else "agent", messages=tuple(sorted({*found})))

    def _trace_words(self, made: LineSource) -> LineSource:
        """Look for the words of an entry, without its bullet and its label."""
        plain = re.sub(r"^- (?:(?:branch|commit|value|as of an earlier summary): )?", "", strip_marks(made.text))
        if made.text.startswith(FORMERLY.rstrip()):
            return replace(made, source="summary", messages=self._find_words(plain)[-1:])
        if is_verdict(made.text) or made.text.startswith(
            tuple(f"- {one}" for one in (NONE_OPEN, OLDER_GOALS, UNLISTED))
        ):
            return made
        found = self._find_words(plain)
        if found:
            message = self._messages[found[-1]]
            source: Speaker = "summary" if message.origin == "summary" else _SPEAKERS.get(message.role, "call")
            return replace(made, source=source, messages=found[-1:])
        if self._by:
            return replace(made, source="model", call=self._by)
        return replace(made, source="summary" if self._has_earlier else "counted")

    def _find_words(self, text: str) -> tuple[int, ...]:
        """Return the messages that say this, whatever their spacing."""
        words = collapse_whitespace(text)
        if len(words) < min(_LEAST_CHARS, len(text)):
            return ()
        return tuple(number for number, said in enumerate(self._get_texts()) if words in said)

    def _get_texts(self) -> list[str]:
        if not hasattr(self, "_texts"):
            self._texts = [
                collapse_whitespace(redact(strip_file_links("\n".join(part.text for part in message.parts))))
                for message in self._messages
            ]
        return self._texts


_SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "agent", "tool": "call"}


def _list_keys(message: Message) -> Iterator[str]:
    """Yield the keys by which entries name a message or one of its parts."""
    for key in (message.key, *(part.key for part in message.parts)):
        yield key
        yield mark(key)


def _name_calls(messages: Sequence[Message]) -> dict[str, str]:
    """Return the tool and its main argument for the key of each call and of its result."""
    found: dict[str, str] = {}
    for call, result in pair_calls(messages):
        name = _name_call(call)
        found |= {part.key: name for part in (call, result) if part is not None}
    return found


def _name_call(call: Part) -> str:
    about = clip_text(collapse_whitespace(redact(find_main_argument(call.text))), MAX_CHARS)
    return f"{call.tool} {about}".strip()


def _map_lines(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Yield each line that a ledger renders for one entry alone, with the entry's key."""
    alone: list[tuple[dict[str, Any], str]] = [
        ({name: (one,)}, one.key) for name in _FIELDS for one in getattr(ledger, name)
    ]
    if ledger.document:
        alone.append(({"document": ledger.document}, ledger.document.key))
    if ledger.last_words:
        alone.append(({"last_words": ledger.last_words}, ledger.last_words.key))
    if ledger.thought:
        alone.append(({"thought": ledger.thought}, ledger.thought.key))
    if ledger.lead:
        alone.append(({"lead": ledger.lead}, ledger.lead.key))
    for fields, key in alone:
        yield from ((line, key) for line in _render_lines(Ledger(**fields)))


def _render_lines(ledger: Ledger) -> Iterable[str]:
    return (redact(line) for lines in render_ledger(ledger).values() for line in lines if not is_verdict(line))
