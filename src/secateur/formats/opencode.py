"""opencode sessions: what `opencode export` writes (`info` and `messages`), or the list of messages with their parts.

A call and its result stand in one part of type tool; what the model gets of a message is read as one assistant message
and one of results. Compactions are applied (`opencode_window`); an output that opencode cleared (`time.compacted`)
reads as its placeholder and stays. Files a person attached stay as they are: what stands in their place would need
opencode's own ids. Snapshots, patches, steps and the diffs of `summary` are not sent and left alone.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.appending import Appending
from secateur.formats.format import Format
from secateur.formats.logs import moment, no_new_message, stranger
from secateur.formats.native import canonical, medium, value_digest
from secateur.formats.opencode_entry import entries
from secateur.formats.opencode_window import window
from secateur.formats.session_files import body_of, elements, gathered, has, member, rows, some_of, table, word
from secateur.model import Message, NewMessage, Origin, Part, Path, Transcript

CLEARED = "[Old tool result content cleared]"  # what opencode sends in place of a cleared output
INTERRUPTED = "[Tool execution was interrupted]"  # and of a call that never ended
_FIXED = {  # parts of a person's message that opencode puts into its own words
    "compaction": "What did we do so far?",
    "subtask": "The following tool was executed by the user",
}
_UNSENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})


class OpenCode(Format):
    """Reader of opencode's sessions."""

    name = "opencode"
    log = False
    has_host_entry = True
    entry_words = _FIXED["compaction"]  # beside the summary, in the person's message

    def recognize(self, native: Any) -> str:
        """Messages of `info` and `parts`; an export without any by the id of its session."""
        some = some_of(native, "messages")
        if any(isinstance(one.get("info"), dict) and isinstance(one.get("parts"), list) for one in some):
            return "messages have `info` and `parts`"
        empty = not some and has(native, "info", "messages") and "projectID" in table(member(native, "info"))
        return "an export without messages" if empty else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript as opencode would send it; `known` is of no use here."""
        at, items = elements(native, "messages", need=self.name)
        reader = _Reader(model)
        sent = window(items)
        for number in sent:
            reader.step(table(items[number]), (*at, number))
        warnings = tuple(_doubled(items, sent))
        return gathered(at, reader.messages, model=model or reader.model, provider=reader.provider, warnings=warnings)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as outputs and texts are; arguments stay JSON."""
        return body_of(part, text)

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The messages that are opencode's own compaction (`opencode_entry`)."""
        at, items = elements(native, "messages", need=self.name)
        return entries(made, len(at), items)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        no_new_message(new, "opencode")


class _Reader:
    """Messages from opencode's, in order."""

    def __init__(self, model: str) -> None:
        self.messages: list[Message] = []
        self.model = ""
        self.provider = ""
        self._named = model

    def step(self, item: dict[str, Any], path: Path) -> None:
        """Read one message of opencode: one of a user, or one of an assistant and one of its results."""
        info = table(item.get("info"))
        parts = [(table(part), (*path, "parts", number)) for number, part in enumerate(rows(item.get("parts")))]
        time = table(info.get("time"))
        if info.get("role") != "assistant":
            at = moment(time.get("created"))
            self.messages.append(Message("user", path, tuple(_user(parts)), _origin(parts), recorded_ms=at))
            return
        self.model, self.provider = word(info.get("modelID")) or self.model, word(info.get("providerID"))
        if _failed(info, parts):
            return
        bound = is_bound(self._named or self.model)
        at = moment(time.get("completed")) or moment(time.get("created"))
        origin: Origin = "summary" if info.get("summary") is True else "user"
        self.messages.append(Message("assistant", path, tuple(_assistant(parts, bound)), origin, recorded_ms=at))
        found = tuple(one for part, where in parts if part.get("type") == "tool" for one in _result(part, where))
        self.messages.append(Message("tool", path, found, "harness", recorded_ms=at))


def _doubled(items: list[Any], sent: list[int]) -> Iterator[str]:
    """A warning for ids of parts, and of calls that are sent together, that are missing or not unique."""
    parts = [table(part) for item in items for part in rows(table(item).get("parts"))]
    named = [part["id"] for part in parts if isinstance(part.get("id"), str)]
    calls = [
        part.get("callID")
        for number in sent
        for part in map(table, rows(table(items[number]).get("parts")))
        if part.get("type") == "tool"
    ]
    strings = [one for one in calls if isinstance(one, str) and one]
    wrong = len(named) - len(set(named)) + len(calls) - len(set(strings))
    if wrong:
        yield f"{wrong:,} ids of parts or calls are missing or not unique: `secateur repair` gives each its own"


def _origin(parts: list[tuple[dict[str, Any], Path]]) -> Origin:
    """Who speaks: a message of synthetic texts alone was put there by opencode."""
    texts = [part for part, _ in parts if part.get("type") == "text"]
    if any(word(part.get("type")) in _FIXED for part, _ in parts):
        return "synthetic"
    return "synthetic" if texts and all(part.get("synthetic") is True for part in texts) else "user"


def _failed(info: dict[str, Any], parts: list[tuple[dict[str, Any], Path]]) -> bool:
    """Whether opencode leaves an answer out: it ended in an error, or was broken off before anything was said."""
    error = info.get("error")
    if not isinstance(error, dict):
        return False
    said = any(part.get("type") not in ("step-start", "reasoning") for part, _ in parts)
    return error.get("name") != "MessageAbortedError" or not said


def _user(parts: list[tuple[dict[str, Any], Path]]) -> Iterator[Part]:
    for part, path in parts:
        kind = word(part.get("type"))
        if kind == "text":
            if part.get("ignored") is not True:
                yield Part("text", (*path, "text"), word(part.get("text")))
        elif kind == "file":
            if part.get("mime") not in ("text/plain", "application/x-directory"):  # their text stands beside them
                yield _medium(part, path)
        elif kind in _FIXED:
            yield Part("text", path, _FIXED[kind], pinned=True)
        elif kind not in _UNSENT:
            yield stranger(part, path)


def _assistant(parts: list[tuple[dict[str, Any], Path]], bound: bool) -> Iterator[Part]:
    for part, path in parts:
        kind, signed = word(part.get("type")), table(part.get("metadata"))
        if kind == "text":
            yield Part("text", (*path, "text"), word(part.get("text")))
        elif kind == "reasoning":
            said = value_digest([signed, part.get("text")]) if signed else ""  # parts of one thought share an id
            tied = bound and bool(table(signed.get("anthropic")).get("signature"))
            yield Part("reasoning", path, word(part.get("text")), fingerprint=said, pinned=True, prefix_bound=tied)
        elif kind == "tool":
            given = table(part.get("state")).get("input")
            pinned = not isinstance(given, dict) or "Signature" in canonical(signed)  # Gemini signs the call itself
            where = (*path, "state", "input") if isinstance(given, dict) else path
            yield Part("tool_call", where, canonical(given or {}), *_named(part), pinned=pinned)
        elif kind not in _UNSENT:
            yield stranger(part, path)


def _named(part: dict[str, Any]) -> tuple[str, str]:
    return word(part.get("tool")), word(part.get("callID"))


def _result(part: dict[str, Any], path: Path) -> Iterator[Part]:
    state, inside = table(part.get("state")), (*path, "state")
    tool, call = _named(part)
    status, time = state.get("status"), state.get("time")
    name = "output" if status == "completed" else "error"
    said = state.get(name)
    if status not in ("completed", "error"):
        yield Part("tool_result", inside, INTERRUPTED, tool, call, is_error=True, pinned=True)
    elif isinstance(time, dict) and time.get("compacted"):
        yield Part("tool_result", (*inside, name), CLEARED, tool, call, pinned=True)
    elif not isinstance(said, str):
        yield Part("tool_result", inside, "", tool, call, status == "error", value_digest(said), pinned=True)
    else:
        media = tuple(_media(state.get("attachments"), (*inside, "attachments"))) if name == "output" else ()
        stamp = (*inside, "time", "compacted") if name == "output" and isinstance(time, dict) else ()
        digest = "".join(one.fingerprint for one in media)
        cleared = CLEARED if stamp else ""
        where = (*inside, name)
        yield Part(
            "tool_result", where, said, tool, call, name == "error", digest, cleared_at_path=stamp, cleared=cleared
        )
        yield from media


def _media(attachments: Any, path: Path) -> Iterator[Part]:
    for number, file in enumerate(rows(attachments)):
        yield _medium(table(file), (*path, number), "result")


def _medium(file: dict[str, Any], path: Path, within: str = "") -> Part:
    url, mime = word(file.get("url")), word(file.get("mime"))
    source = {"media_type": mime, "data": url.partition(";base64,")[2] or url}
    block = {"type": "file", "source": source, "title": word(file.get("filename"))}
    part = medium(block, path, within)
    return Part(
        "media", path, part.text, fingerprint=part.fingerprint, container_key=within, tokens=part.tokens, pinned=True
    )
