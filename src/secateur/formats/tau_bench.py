"""tau-bench and tau2-bench results: one conversation of them, as the agent had it.

A results file holds a run for each task, and each run is a conversation of its own. One is read where there is only
one; else `read` refuses and says how to take one out. In tau2 a person's simulator calls tools too: those calls and
their results were never in the agent's context and are left alone.
"""

from typing import Any

from msgspec import Struct

from secateur.errors import FormatError
from secateur.formats import openai_chat
from secateur.formats.format import Format
from secateur.formats.logs import parse_timestamp, refuse_new_message
from secateur.formats.native import Calls, dump_canonical, find_array
from secateur.formats.session_files import (
    as_dict,
    as_list,
    as_string,
    get_first_object,
    get_member,
    has,
    make_body,
    make_transcript,
    sample_objects,
)
from secateur.model import Message, NewMessage, Part, Path, Transcript


class _Run(Struct, frozen=True):
    """One conversation: where its messages are, and the messages."""

    at: Path
    messages: list[Any]


class TauBench(Format):
    """Reader of results of tau-bench and tau2-bench."""

    name = "tau_bench"
    log = False

    def recognize(self, native: Any) -> str:
        """The names of a results file, or of one run of it."""
        if has(native, "simulations", "tasks"):
            return "`simulations` and `tasks`"
        if has(native, "task_id", "traj"):
            return "a run with `task_id` and `traj`"
        if has(native, "task_id", "messages") and (has(native, "termination_reason") or has(native, "reward_info")):
            return "a simulation with `task_id` and `messages`"
        return "a list of runs with `traj`" if any("traj" in one for one in sample_objects(native, "")) else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the one run; `known` is of no use here. Raises FormatError where there are several."""
        run, calls = _get_only_run(native), Calls()
        messages = [
            _read_message(item, (*run.at, number), calls)
            for number, item in enumerate(map(as_dict, run.messages))
            if not _is_from_simulator(item)
        ]
        info = as_dict(as_dict(get_member(native, "info")).get("agent_info"))
        return make_transcript(run.at, messages, model=model or as_string(info.get("llm")))

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in Chat Completions; arguments that are an object stay JSON."""
        if part.kind == "tool_call" and "function" not in part.path:
            return make_body(part, text)
        return openai_chat.OpenAIChat().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "tau-bench")


def _get_only_run(native: Any) -> _Run:
    """Return the only conversation of a document. Raises FormatError if there are several, or none."""
    for name, inner in (("simulations", "messages"), ("", "traj")):
        found = (
            find_array(native, name)
            if (has(native, name) if name else "traj" in get_first_object(native, ""))
            else None
        )
        if found is not None:
            at, items = found
            if len(items) != 1:
                raise FormatError(_explain_several(len(items), name))
            return _Run((*at, 0, inner), as_list(get_first_object(native, name).get(inner)))
    for name in ("traj", "messages"):
        if has(native, name):
            return _Run((name,), as_list(get_member(native, name)))
    raise FormatError("tau_bench requires a results file with `simulations`, a list of runs, or one run of either")


def _explain_several(count: int, name: str) -> str:
    place = f".{name}[0]" if name else ".[0]"
    return (
        f"this results file holds {count} conversations: extract one and use that, for example with "
        f"jq '{place}' results.json > run.json"
    )


def _is_from_simulator(item: dict[str, Any]) -> bool:
    """Return whether a message is the simulated person's own use of tools."""
    if item.get("role") == "tool":
        return item.get("requestor") == "user"
    return item.get("role") == "user" and bool(item.get("tool_calls")) and not item.get("content")


def _read_message(item: dict[str, Any], path: Path, calls: Calls) -> Message:
    at = parse_timestamp(item.get("timestamp"))
    if item.get("role") == "tool" and "tool_call_id" not in item:
        calls.speaks("tool")
        call, content = as_string(item.get("id")), item.get("content")
        pinned = content is not None and not isinstance(content, str)
        text = dump_canonical(content) if pinned else content or ""
        error = item.get("error") is True
        part = Part("tool_result", (*path, "content"), text, calls.take(call), call, error, pinned=pinned)
        return Message("tool", path, (part,), "harness", recorded_ms=at)
    if item.get("role") == "assistant" and "function" not in as_dict((as_list(item.get("tool_calls")) or [{}])[0]):
        calls.speaks("assistant")
        content = as_string(item.get("content"))
        said = (Part("text", (*path, "content"), content),) if content else ()
        return Message("assistant", path, (*said, *_read_calls(item, path, calls)), recorded_ms=at)
    return openai_chat.read_message(item, path, calls)


def _read_calls(item: dict[str, Any], path: Path, calls: Calls) -> list[Part]:
    found = []
    for number, call in enumerate(map(as_dict, as_list(item.get("tool_calls")))):
        given, inside = call.get("arguments"), (*path, "tool_calls", number)
        tool, said = as_string(call.get("name")), as_string(call.get("id"))
        calls.add(said, tool)
        pinned = not isinstance(given, dict)
        where = inside if pinned else (*inside, "arguments")
        found.append(Part("tool_call", where, dump_canonical(given), tool, said, pinned=pinned))
    return found
