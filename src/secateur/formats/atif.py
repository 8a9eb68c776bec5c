"""ATIF trajectories (Harbor, Terminal-Bench): `steps`, each with a message and, for an agent, its calls and results.

A step of the agent is read as one assistant message and one of its results. An agent that writes its commands as text
has no calls: there the message is the call, and stays. Results that only point to another trajectory hold nothing.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.format import Format
from secateur.formats.logs import moment, no_new_message, result, stranger, text_of
from secateur.formats.native import Calls, canonical, fixed_tokens, medium
from secateur.formats.session_files import body_of, elements, gathered, has, member, rows, table, word
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

_SPEAKERS: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}


class ATIF(Format):
    """Reader of ATIF trajectories."""

    name = "atif"
    log = False

    def recognize(self, native: Any) -> str:
        """The version that the document states."""
        stated = word(member(native, "schema_version")) if has(native, "schema_version", "steps") else ""
        return f"`schema_version` is {stated}" if stated.startswith("ATIF") else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the steps; `known` is of no use here."""
        at, items = elements(native, "steps", need=self.name)
        agent, calls = table(member(native, "agent")), Calls()
        named, messages = word(agent.get("model_name")), list[Message]()
        for number, step in enumerate(map(table, items)):
            named = word(step.get("model_name")) or named
            messages += _messages(step, (*at, number), calls)
        fixed = fixed_tokens(agent, "tool_definitions")
        there = word(member(native, "continued_trajectory_ref"))
        more = (f"the conversation goes on in {there}",) if there else ()
        return gathered(at, messages, model=model or named, fixed_tokens=fixed, warnings=more)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as messages and results are; arguments stay JSON; a medium becomes a text."""
        return {"type": "text", "text": text} if part.kind == "media" else body_of(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        no_new_message(new, "an ATIF trajectory")


def _messages(step: dict[str, Any], path: Path, calls: Calls) -> Iterator[Message]:
    role, at = _SPEAKERS.get(word(step.get("source")), "user"), moment(step.get("timestamp"))
    calls.speaks(role)
    seen = table(step.get("observation"))
    found = [(table(one), (*path, "observation", "results", n)) for n, one in enumerate(rows(seen.get("results")))]
    found = [(one, where) for one, where in found if one.get("content") is not None]
    parts = tuple(_said(step, path))
    asked = tuple(_calls(step, path, calls))
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
            for part in _result(one, where, calls, ids[place] if place < len(ids) else "")
        )
        yield Message("tool", path, results, "harness", recorded_ms=at)
    else:
        shown = tuple(part for one, where in found for part in _content(one["content"], (*where, "content")))
        yield Message("user", path, shown, "harness", recorded_ms=at)


def _said(step: dict[str, Any], path: Path) -> Iterator[Part]:
    thought = word(step.get("reasoning_content"))
    if thought:
        yield Part("reasoning", (*path, "reasoning_content"), thought, pinned=True)
    yield from _content(step.get("message"), (*path, "message"))


def _as_call(part: Part) -> Part:
    return Part("tool_call", part.path, part.text, pinned=True) if part.kind == "text" else part


def _content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part("text", path, content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            said = text_of(block)
            if said is not None:
                yield Part("text", (*path, number, "text"), said)
            else:
                yield _medium(block, (*path, number)) or stranger(block, (*path, number))
    elif content is not None:
        yield stranger(content, path)


def _calls(step: dict[str, Any], path: Path, calls: Calls) -> Iterator[Part]:
    for number, call in enumerate(map(table, rows(step.get("tool_calls")))):
        given, inside = call.get("arguments"), (*path, "tool_calls", number)
        tool, said = word(call.get("function_name")), word(call.get("tool_call_id"))
        calls.add(said, tool)
        pinned = not isinstance(given, dict)
        where = inside if pinned else (*inside, "arguments")
        yield Part("tool_call", where, canonical(given), tool, said, pinned=pinned)


def _result(one: dict[str, Any], path: Path, calls: Calls, in_turn: str) -> tuple[Part, ...]:
    """A result, of the call it names, else of the one whose turn it is."""
    said = word(one.get("source_call_id")) or in_turn
    head = Part("tool_result", (*path, "content"), "", calls.take(said), said)
    return result(head, one.get("content"), lambda block, where: _medium(block, where, "result"))


def _medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    source = table(block.get("source"))
    shaped = {"media_type": source.get("media_type"), "data": source.get("data"), "url": source.get("path")}
    return medium({"type": "image", "source": shaped}, path, within)
