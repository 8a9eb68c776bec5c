"""ATIF trajectories (Harbor, Terminal-Bench): `steps`, each with a message and, for an agent, its calls and results.

A step of the agent is read as one assistant message and one of its results. An agent that writes its commands as text
has no calls: there the message is the call, and stays. Results that only point to another trajectory hold nothing.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.format import Format
from secateur.formats.logs import get_block_text, make_opaque, make_result, parse_timestamp, refuse_new_message
from secateur.formats.native import Calls, count_fixed_tokens, dump_canonical, read_medium
from secateur.formats.session_files import (
    as_dict,
    as_list,
    as_string,
    get_elements,
    get_member,
    has,
    make_body,
    make_transcript,
)
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

_SPEAKERS: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}


class ATIF(Format):
    """Reader of ATIF trajectories."""

    name = "atif"
    log = False

    def recognize(self, native: Any) -> str:
        """The version that the document states."""
        stated = as_string(get_member(native, "schema_version")) if has(native, "schema_version", "steps") else ""
        return f"`schema_version` is {stated}" if stated.startswith("ATIF") else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the steps; `known` is of no use here."""
        at, items = get_elements(native, "steps", need=self.name)
        agent, calls = as_dict(get_member(native, "agent")), Calls()
        named, messages = as_string(agent.get("model_name")), list[Message]()
        for number, step in enumerate(map(as_dict, items)):
            named = as_string(step.get("model_name")) or named
            messages += _read_messages(step, (*at, number), calls)
        fixed = count_fixed_tokens(agent, "tool_definitions")
        there = as_string(get_member(native, "continued_trajectory_ref"))
        more = (f"the conversation continues in {there}",) if there else ()
        return make_transcript(at, messages, model=model or named, fixed_tokens=fixed, warnings=more)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as messages and results are; arguments stay JSON; a medium becomes a text."""
        return {"type": "text", "text": text} if part.kind == "media" else make_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "an ATIF trajectory")


def _read_messages(step: dict[str, Any], path: Path, calls: Calls) -> Iterator[Message]:
    role, at = _SPEAKERS.get(as_string(step.get("source")), "user"), parse_timestamp(step.get("timestamp"))
    calls.speaks(role)
    seen = as_dict(step.get("observation"))
    found = [(as_dict(one), (*path, "observation", "results", n)) for n, one in enumerate(as_list(seen.get("results")))]
    found = [(one, where) for one, where in found if one.get("content") is not None]
    parts = tuple(_read_agent_text(step, path))
    asked = tuple(_read_calls(step, path, calls))
    if role == "assistant" and found and not asked:
        calls.add("", "")
        parts = tuple(_as_call(part) for part in parts)
    origin: Origin = "harness" if role == "system" else "user"
    yield Message(role, path, parts + asked, origin, recorded_ms=at)
    if role == "assistant":
        ids = [part.call_id for part in asked]
        results = tuple(
            part
            for place, (one, where) in enumerate(found)
            for part in _read_result(one, where, calls, ids[place] if place < len(ids) else "")
        )
        yield Message("tool", path, results, "harness", recorded_ms=at)
    else:
        shown = tuple(part for one, where in found for part in _read_content(one["content"], (*where, "content")))
        yield Message("user", path, shown, "harness", recorded_ms=at)


def _read_agent_text(step: dict[str, Any], path: Path) -> Iterator[Part]:
    thought = as_string(step.get("reasoning_content"))
    if thought:
        yield Part("reasoning", (*path, "reasoning_content"), thought, pinned=True)
    yield from _read_content(step.get("message"), (*path, "message"))


def _as_call(part: Part) -> Part:
    return Part("tool_call", part.path, part.text, pinned=True) if part.kind == "text" else part


def _read_content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part("text", path, content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            said = get_block_text(block)
            if said is not None:
                yield Part("text", (*path, number, "text"), said)
            else:
                yield _read_medium(block, (*path, number)) or make_opaque(block, (*path, number))
    elif content is not None:
        yield make_opaque(content, path)


def _read_calls(step: dict[str, Any], path: Path, calls: Calls) -> Iterator[Part]:
    for number, call in enumerate(map(as_dict, as_list(step.get("tool_calls")))):
        given, inside = call.get("arguments"), (*path, "tool_calls", number)
        tool, said = as_string(call.get("function_name")), as_string(call.get("tool_call_id"))
        calls.add(said, tool)
        pinned = not isinstance(given, dict)
        where = inside if pinned else (*inside, "arguments")
        yield Part("tool_call", where, dump_canonical(given), tool, said, pinned=pinned)


def _read_result(one: dict[str, Any], path: Path, calls: Calls, in_turn: str) -> tuple[Part, ...]:
    """Read a result of the call it names, or else of the next call in turn."""
    said = as_string(one.get("source_call_id")) or in_turn
    head = Part("tool_result", (*path, "content"), "", calls.take(said), said)
    return make_result(head, one.get("content"), lambda block, where: _read_medium(block, where, "result"))


def _read_medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    source = as_dict(block.get("source"))
    shaped = {"media_type": source.get("media_type"), "data": source.get("data"), "url": source.get("path")}
    return read_medium({"type": "image", "source": shaped}, path, within)
