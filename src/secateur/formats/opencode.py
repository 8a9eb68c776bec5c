"""opencode sessions: what `opencode export` writes (`info` and `messages`), or the list of messages with their parts.

A call and its result are in one part of type tool; what the model gets of a message is read as one assistant message
and one of results. The newest finished compaction is applied: a person's message with a part of that name, answered by
a message with `summary`. What came before is left out, except a tail that the part names (`tail_start_id`), which
follows the summary. An output that opencode cleared (`time.compacted`) reads as its placeholder and stays. Files a
person attached stay unchanged, since a replacement would need opencode's own ids. Snapshots, patches, steps and the
diffs of `summary` are not sent and left alone.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.format import Appending, Format
from secateur.formats.logs import make_opaque, parse_timestamp, refuse_new_message
from secateur.formats.native import dump_canonical, hash_value, read_medium
from secateur.formats.opencode_entry import build_entries
from secateur.formats.session_files import (
    as_dict,
    as_list,
    as_string,
    get_elements,
    get_member,
    has,
    make_body,
    make_transcript,
    sample_objects,
)
from secateur.model import Message, NewMessage, Origin, Part, Path, Transcript

CLEARED = "[Old tool result content cleared]"  # what opencode sends in place of a cleared output
INTERRUPTED = "[Tool execution was interrupted]"  # and of a call that never ended
_FIXED = {  # parts of a person's message that opencode puts into its own words
    "compaction": "What did we do so far?",
    "subtask": "The following tool was executed by the user",
}
_UNSENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})


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


class OpenCode(Format):
    """Reader of opencode's sessions."""

    name = "opencode"
    log = False
    has_host_entry = True
    entry_words = _FIXED["compaction"]  # next to the summary, in the person's message

    def recognize(self, native: Any) -> str:
        """Messages of `info` and `parts`; an export without any by the id of its session."""
        some = sample_objects(native, "messages")
        if any(isinstance(one.get("info"), dict) and isinstance(one.get("parts"), list) for one in some):
            return "messages have `info` and `parts`"
        empty = not some and has(native, "info", "messages") and "projectID" in as_dict(get_member(native, "info"))
        return "an export without messages" if empty else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript as opencode would send it; `known` is of no use here."""
        at, items = get_elements(native, "messages", need=self.name)
        reader = _Reader(model)
        sent = find_window(items)
        for number in sent:
            reader.read_step(as_dict(items[number]), (*at, number))
        warnings = tuple(_warn_of_bad_ids(items, sent))
        info = as_dict(get_member(native, "info")) if has(native, "info") else {}
        return make_transcript(
            at,
            reader.messages,
            model=model or reader.model,
            provider=reader.provider,
            folder=as_string(info.get("directory")),
            warnings=warnings,
        )

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as outputs and texts are; arguments stay JSON."""
        return make_body(part, text)

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The messages that are opencode's own compaction (`opencode_entry`)."""
        at, items = get_elements(native, "messages", need=self.name)
        return build_entries(made, len(at), items)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "opencode")


class _Reader:
    """Messages from opencode's, in order."""

    def __init__(self, model: str) -> None:
        self.messages: list[Message] = []
        self.model = ""
        self.provider = ""
        self._named = model

    def read_step(self, item: dict[str, Any], path: Path) -> None:
        """Read one opencode message: a user's, or an assistant's with one of its results."""
        info = as_dict(item.get("info"))
        parts = [(as_dict(part), (*path, "parts", number)) for number, part in enumerate(as_list(item.get("parts")))]
        time = as_dict(info.get("time"))
        if info.get("role") != "assistant":
            at = parse_timestamp(time.get("created"))
            self.messages.append(Message("user", path, tuple(_read_user(parts)), _detect_origin(parts), recorded_ms=at))
            return
        self.model, self.provider = as_string(info.get("modelID")) or self.model, as_string(info.get("providerID"))
        if _is_omitted(info, parts):
            return
        bound = is_bound(self._named or self.model)
        at = parse_timestamp(time.get("completed")) or parse_timestamp(time.get("created"))
        origin: Origin = "summary" if info.get("summary") is True else "user"
        self.messages.append(Message("assistant", path, tuple(_read_assistant(parts, bound)), origin, recorded_ms=at))
        found = tuple(one for part, where in parts if part.get("type") == "tool" for one in _read_result(part, where))
        self.messages.append(Message("tool", path, found, "harness", recorded_ms=at))


def _warn_of_bad_ids(items: list[Any], sent: list[int]) -> Iterator[str]:
    """Warn of missing or duplicate IDs of parts and of calls that are sent together."""
    parts = [as_dict(part) for item in items for part in as_list(as_dict(item).get("parts"))]
    named = [part["id"] for part in parts if isinstance(part.get("id"), str)]
    calls = [
        part.get("callID")
        for number in sent
        for part in map(as_dict, as_list(as_dict(items[number]).get("parts")))
        if part.get("type") == "tool"
    ]
    strings = [one for one in calls if isinstance(one, str) and one]
    wrong = len(named) - len(set(named)) + len(calls) - len(set(strings))
    if wrong:
        yield f"{wrong:,} ids of parts or calls are missing or not unique: `secateur repair` assigns new ones"


def _detect_origin(parts: list[tuple[dict[str, Any], Path]]) -> Origin:
    """Return who speaks: opencode inserts messages of only synthetic texts."""
    texts = [part for part, _ in parts if part.get("type") == "text"]
    if any(as_string(part.get("type")) in _FIXED for part, _ in parts):
        return "synthetic"
    return "synthetic" if texts and all(part.get("synthetic") is True for part in texts) else "user"


def _is_omitted(info: dict[str, Any], parts: list[tuple[dict[str, Any], Path]]) -> bool:
    """Return whether opencode omits an answer that ended in an error or was aborted before any output."""
    error = info.get("error")
    if not isinstance(error, dict):
        return False
    said = any(part.get("type") not in ("step-start", "reasoning") for part, _ in parts)
    return error.get("name") != "MessageAbortedError" or not said


def _read_user(parts: list[tuple[dict[str, Any], Path]]) -> Iterator[Part]:
    for part, path in parts:
        kind = as_string(part.get("type"))
        if kind == "text":
            if part.get("ignored") is not True:
                yield Part("text", (*path, "text"), as_string(part.get("text")))
        elif kind == "file":
            if part.get("mime") not in ("text/plain", "application/x-directory"):  # their text is in a part of its own
                yield _read_medium(part, path)
        elif kind in _FIXED:
            yield Part("text", path, _FIXED[kind], pinned=True)
        elif kind not in _UNSENT:
            yield make_opaque(part, path)


def _read_assistant(parts: list[tuple[dict[str, Any], Path]], bound: bool) -> Iterator[Part]:
    for part, path in parts:
        kind, signed = as_string(part.get("type")), as_dict(part.get("metadata"))
        if kind == "text":
            yield Part("text", (*path, "text"), as_string(part.get("text")))
        elif kind == "reasoning":
            said = hash_value([signed, part.get("text")]) if signed else ""  # parts of one thought share an id
            tied = bound and bool(as_dict(signed.get("anthropic")).get("signature"))
            yield Part("reasoning", path, as_string(part.get("text")), fingerprint=said, pinned=True, prefix_bound=tied)
        elif kind == "tool":
            given = as_dict(part.get("state")).get("input")
            pinned = not isinstance(given, dict) or "Signature" in dump_canonical(
                signed
            )  # Gemini signs the call itself
            where = (*path, "state", "input") if isinstance(given, dict) else path
            yield Part("tool_call", where, dump_canonical(given or {}), *_get_tool_and_id(part), pinned=pinned)
        elif kind not in _UNSENT:
            yield make_opaque(part, path)


def _get_tool_and_id(part: dict[str, Any]) -> tuple[str, str]:
    return as_string(part.get("tool")), as_string(part.get("callID"))


def _read_result(part: dict[str, Any], path: Path) -> Iterator[Part]:
    state, inside = as_dict(part.get("state")), (*path, "state")
    tool, call = _get_tool_and_id(part)
    status, time = state.get("status"), state.get("time")
    name = "output" if status == "completed" else "error"
    said = state.get(name)
    if status not in ("completed", "error"):
        yield Part("tool_result", inside, INTERRUPTED, tool, call, is_error=True, pinned=True)
    elif isinstance(time, dict) and time.get("compacted"):
        yield Part("tool_result", (*inside, name), CLEARED, tool, call, pinned=True)
    elif not isinstance(said, str):
        yield Part("tool_result", inside, "", tool, call, status == "error", hash_value(said), pinned=True)
    else:
        media = tuple(_read_media(state.get("attachments"), (*inside, "attachments"))) if name == "output" else ()
        stamp = (*inside, "time", "compacted") if name == "output" and isinstance(time, dict) else ()
        digest = "".join(one.fingerprint for one in media)
        cleared = CLEARED if stamp else ""
        where = (*inside, name)
        yield Part(
            "tool_result", where, said, tool, call, name == "error", digest, cleared_at_path=stamp, cleared=cleared
        )
        yield from media


def _read_media(attachments: Any, path: Path) -> Iterator[Part]:
    for number, file in enumerate(as_list(attachments)):
        yield _read_medium(as_dict(file), (*path, number), "result")


def _read_medium(file: dict[str, Any], path: Path, within: str = "") -> Part:
    url, mime = as_string(file.get("url")), as_string(file.get("mime"))
    source = {"media_type": mime, "data": url.partition(";base64,")[2] or url}
    block = {"type": "file", "source": source, "title": as_string(file.get("filename"))}
    part = read_medium(block, path, within)
    return Part(
        "media", path, part.text, fingerprint=part.fingerprint, container_key=within, tokens=part.tokens, pinned=True
    )
