"""A conversation as a new request body, whatever document it was read from.

Rule: for hosts whose session files have no place for a summary: a body of one of the usual APIs can be compacted, sent
and read by anything. Texts, calls and results are kept; media are named in words, reasoning is left out, since it is
bound to the provider that wrote it. A call without a result gets one that says so, and a result without a call becomes
text, so that the API takes the body. Tool definitions are not in a session: whoever sends the body adds them. Messages
of a demonstration keep their place; Chat Completions names their speakers by the convention for examples. Why a harness
ended the run, which it says in the agent's name, becomes a reminder behind the last message.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from secateur.formats.openai_chat import EXAMPLES
from secateur.model import Message, Part, Transcript
from secateur.text.own_text import NO_RESULT
from secateur.tool_kinds import detect_tool_kind

Body = dict[str, Any]
TARGETS = ("openai_chat", "anthropic_messages")
MAX_TOKENS = 4_096  # of the answer, which Anthropic's API wants to be told
REMINDER = "<system-reminder>\n{}\n</system-reminder>"  # which nobody takes for the user's words
_NOT_IN_IDS = re.compile(r"[^a-zA-Z0-9_-]")


def build_request_body(transcript: Transcript, target: str, model: str = "") -> bytes:
    """Return the conversation as JSON in this format, one of `TARGETS`."""
    steps = list(_with_missing_results(list(_list_steps(transcript.messages))))
    build = {"openai_chat": _build_chat, "anthropic_messages": _build_messages}[target]
    return json.dumps(build(steps, model or transcript.model or "unknown"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


class _Step:
    """One turn of a speaker: texts, calls, and results of calls of the step before."""

    def __init__(self, role: str, is_example: bool = False) -> None:
        self.role = role
        self.is_example = is_example
        self.texts: list[str] = []
        self.calls: list[tuple[str, Part]] = []
        self.results: list[tuple[str, Part]] = []


def _list_steps(messages: Sequence[Message]) -> Iterator[_Step]:
    """Yield the steps; consecutive messages of one speaker are one, and results stand right behind their calls."""
    answered = _pair_parts(messages)
    shown = _find_demonstration(messages)
    step: _Step | None = None
    for number, message in enumerate(messages):
        role = "user" if message.role == "tool" else message.role
        is_example = number in shown and role != "system"
        if message.role == "assistant" and message.origin == "harness" and not is_example:
            if number + 1 < len(messages) or not (told := _find_text(message)):
                continue
            message, role = Message("user", (), (Part("text", (), REMINDER.format(told)),)), "user"
        has_result = message.role != "assistant" and any(
            (number, place) in answered for place in range(len(message.parts))
        )
        is_later_result = has_result and step is not None and bool(step.texts)
        if step is None or step.role != role or step.is_example != is_example or is_later_result:
            if step is not None:
                yield step
            step = _Step(role, is_example)
        for place, part in enumerate(message.parts):
            _add_part(step, part, answered.get((number, place), ""))
    if step is not None:
        yield step


def _find_text(message: Message) -> str:
    return "\n\n".join(part.text for part in message.parts if part.kind == "text" and part.text.strip())


def _find_demonstration(messages: Sequence[Message]) -> range:
    """Return the messages of a demonstration at the beginning: all before the user, if an agent speaks there."""
    end = next((at for at, one in enumerate(messages) if one.role in ("user", "assistant") and one.origin == "user"), 0)
    is_shown = any(one.role == "assistant" for one in messages[:end])
    return range(end if is_shown else 0)


def _with_missing_results(steps: list[_Step]) -> Iterator[_Step]:
    """Yield the steps, with a result behind each call that has none."""
    for number, step in enumerate(steps):
        yield step
        following = steps[number + 1] if number + 1 < len(steps) else None
        given = {id for id, _ in following.results} if following else set()
        missing = [(id, Part("tool_result", (), NO_RESULT)) for id, _ in step.calls if id not in given]
        if missing and following is not None and following.role == "user":
            following.results += missing
        elif missing:
            yield _with_results(missing)


def _with_results(results: list[tuple[str, Part]]) -> _Step:
    step = _Step("user")
    step.results += results
    return step


def _has_result(message: Message) -> bool:
    return any(part.kind == "tool_result" for part in message.parts)


def _pair_parts(messages: Sequence[Message]) -> dict[tuple[int, int], str]:
    """Return an ID of its own for each call, and for the result that directly follows its message, by their places."""
    found: dict[tuple[int, int], str] = {}
    waiting: list[tuple[tuple[int, int], Part]] = []
    for number, message in enumerate(messages):
        if message.role == "assistant" and any(part.kind == "tool_call" for part in message.parts):
            previous = messages[number - 1] if number else None
            waiting = waiting if previous is not None and previous.role == "assistant" else []
        elif message.role in ("user", "assistant", "system") and not _has_result(message):
            waiting = [] if message.role != "system" else waiting
        for place, part in enumerate(message.parts):
            if part.kind == "tool_call":
                waiting.append(((number, place), part))
                found[number, place] = f"{_NOT_IN_IDS.sub('_', part.call_id)[:40] or 'call'}_{len(found)}"
            elif part.kind == "tool_result":
                open_ = next((one for one in waiting if one[1].call_id == part.call_id), None)
                if open_ is not None:
                    waiting.remove(open_)
                    found[number, place] = found[open_[0]]
    return found


def _add_part(step: _Step, part: Part, id: str) -> None:
    if part.kind == "text" and part.text and not part.container_key:
        step.texts.append(part.text)
    elif part.kind == "media":
        mime, _, name = part.text.partition(" ")
        step.texts.append(f"[Attached {mime or 'file'}: {name or 'file'}]")
    elif part.kind == "tool_call":
        step.calls.append((id, part))
    elif part.kind == "tool_result":
        if id:
            step.results.append((id, part))
        else:
            step.texts.append(f"[A result of {part.tool or 'a call'}]\n{part.text}")


def _build_chat(steps: Sequence[_Step], model: str) -> Body:
    """OpenAI's Chat Completions."""
    made: list[Body] = []
    for step in steps:
        made += [{"role": "tool", "tool_call_id": id, "content": part.text} for id, part in step.results]
        calls = [
            {"id": id, "type": "function", "function": {"name": _clean_name(part), "arguments": _dump_input(part)}}
            for id, part in step.calls
        ]
        text = "\n\n".join(step.texts)
        speaker = {"role": step.role, **({"name": EXAMPLES[step.role]} if step.is_example else {})}
        if calls:
            made.append({**speaker, "content": text or None, "tool_calls": calls})
        elif text:
            made.append({**speaker, "content": text})
    return {"model": model, "messages": made}


def _build_messages(steps: Sequence[_Step], model: str) -> Body:
    """Anthropic's Messages; the first message is the user's, and system texts stand apart."""
    made: list[Body] = []
    system = "\n\n".join(text for step in steps if step.role == "system" for text in step.texts)
    for step in steps:
        blocks: list[Body] = [_build_result(id, part) for id, part in step.results]
        blocks += [{"type": "text", "text": text} for text in step.texts if text.strip()]
        blocks += [
            {"type": "tool_use", "id": id, "name": _clean_name(part), "input": json.loads(_dump_input(part))}
            for id, part in step.calls
        ]
        if step.role == "system" or not blocks:
            continue
        if made and made[-1]["role"] == step.role:
            made[-1]["content"] += blocks
        else:
            made.append({"role": step.role, "content": blocks})
    if made and made[0]["role"] != "user":
        made.insert(0, {"role": "user", "content": [{"type": "text", "text": "continue"}]})
    body: Body = {"model": model, "max_tokens": MAX_TOKENS, "messages": made}
    return {**body, "system": system} if system else body


def _build_result(id: str, part: Part) -> Body:
    made: Body = {"type": "tool_result", "tool_use_id": id, "content": part.text}
    return {**made, "is_error": True} if part.is_error else made


def _clean_name(part: Part) -> str:
    return _NOT_IN_IDS.sub("_", part.tool)[:64] or "tool"


def _dump_input(part: Part) -> str:
    """Return the arguments as a JSON object; what is none is put under one name: a command line, or any other input."""
    try:
        given = json.loads(part.text)
    except (ValueError, RecursionError):
        given = None
    if isinstance(given, dict):
        return part.text
    name = "command" if detect_tool_kind(part.tool, part.text) == "run" else "input"
    return json.dumps({name: part.text})
