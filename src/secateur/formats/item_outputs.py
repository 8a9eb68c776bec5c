"""Outputs among the items of the Responses API: where the text of each kind is, and in which shape it is written.

Rule (API rule R12): an output keeps the shape that its kind must have. Functions and custom tools answer with a string
or a list of blocks, a shell with a list of streams and their outcome, the local shell with JSON in a string. Outputs of
a computer and of tools run by the API's own servers stay unchanged.
"""

import re
from typing import Any

from secateur.errors import FormatError
from secateur.formats.logs import make_result
from secateur.formats.native import Calls, MediaSource, dump_canonical, hash_value, make_medium
from secateur.jsontext import dumps, loads
from secateur.model import Part, Path
from secateur.tokens import estimate_media_tokens

_FREE = frozenset({"function_call_output", "custom_tool_call_output", "apply_patch_call_output"})
_MEDIA = {"input_image": "image", "input_file": "file", "input_audio": "audio"}
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})", re.MULTILINE)
_EXIT_WORDS = ("Process exited with code", "Exit code:")
_EXIT_FIELD = re.compile(r'"exit_code":\s*(-?\d{1,9})')
_FAILED = re.compile(r"[\w .-]{1,60} failed\b")


def is_output(kind: str) -> bool:
    """Whether items of this type answer a call."""
    return kind.endswith("_output")


def read_output(value: dict[str, Any], path: Path, calls: Calls) -> tuple[Part, ...]:
    """Read an output item as a result and the media inside it."""
    kind, call = str(value.get("type")), str(value.get("call_id") or value.get("id") or "")
    if kind == "local_shell_call_output" and not calls.waits(call):
        call = calls.oldest("local_shell_call") or call  # it may name the call by its item id
    tool = calls.take(call)
    inside: Path = (*path, "output")
    output = value.get("output")
    if kind == "shell_call_output" and isinstance(output, list) and output:
        return (_read_shell_output(output, inside, tool, call),)
    if kind == "local_shell_call_output" and isinstance(output, str):
        return (_read_wrapped_output(output, inside, tool, call),)
    if kind in _FREE:
        failed = value.get("status") == "failed" or (isinstance(output, str) and _has_failed(output))
        head = Part("tool_result", inside, "", tool, call, failed)
        return make_result(head, output, lambda block, where: read_item_medium(block, where, "result"))
    return (_shut(kind, value, path, Part("tool_result", inside, "", tool, call, pinned=True)),)


def make_output_body(part: Part, text: str) -> Any:
    """Build the value for a result that reads `text`. `part.digest` holds what its shape adds to the text."""
    if part.fingerprint.startswith("["):
        [outcome] = loads(part.fingerprint.encode())
        return [{"stdout": text, "stderr": "", "outcome": outcome}]
    if part.fingerprint.startswith("{"):
        rest = loads(part.fingerprint.encode())
        return dumps({"output": text} | rest).decode("utf-8", "surrogatepass")
    return text


def read_item_medium(block: Any, path: Path, within: str = "") -> Part | None:
    """Read a picture, a file or a sound; None for any other block."""
    kind = _MEDIA.get(str(block.get("type"))) if isinstance(block, dict) else None
    if kind is None:
        return None
    sound = block.get("input_audio")
    if isinstance(sound, dict):
        data = str(sound.get("data") or "")
        return make_medium(block, MediaSource(f"audio/{sound.get('format') or ''}", "", len(data)), path, within)
    name, data = str(block.get("filename") or block.get("file_id") or ""), str(block.get("file_data") or "")
    if data and not data.startswith("data:"):
        return make_medium(block, MediaSource(kind, name, len(data)), path, within)
    return make_medium(
        block,
        MediaSource.of(data or str(block.get("image_url") or block.get("file_url") or ""), kind, name),
        path,
        within,
    )


def _read_shell_output(output: list[Any], path: Path, tool: str, call: str) -> Part:
    """Read a shell's output. A single output without errors is edited in place, others become one."""
    chunks = [chunk for chunk in output if isinstance(chunk, dict)]
    texts = [chunk[name] for chunk in chunks for name in ("stdout", "stderr") if isinstance(chunk.get(name), str)]
    outcome = next((chunk.get("outcome") for chunk in chunks if _is_failure(chunk.get("outcome"))), None)
    error, text = outcome is not None, "\n".join(filter(None, texts))
    outcome = outcome or (chunks[-1].get("outcome") if chunks else None)
    odd = len(chunks) < len(output)
    said = f"[{dump_canonical(outcome)}]"
    if len(output) == 1 == len(chunks) and isinstance(chunks[0].get("stdout"), str) and not chunks[0].get("stderr"):
        path, text, said = (*path, 0, "stdout"), chunks[0]["stdout"], f"={dump_canonical(outcome)}"
    return Part("tool_result", path, text, tool, call, error, said, pinned=odd)


def _is_failure(outcome: Any) -> bool:
    if not isinstance(outcome, dict):
        return False
    return outcome.get("type") == "timeout" or outcome.get("exit_code") not in (None, 0)


def _read_wrapped_output(output: str, path: Path, tool: str, call: str) -> Part:
    """Read JSON in a string: the text is its `output`, and its other members are kept."""
    try:
        value = loads(output.encode("utf-8", "surrogatepass"))
    except FormatError:
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("output"), str):
        return Part("tool_result", path, output, tool, call, _has_failed(output))
    rest = dump_canonical({name: one for name, one in value.items() if name != "output"})
    return Part("tool_result", path, value["output"], tool, call, _has_failed(rest), rest)


def _shut(kind: str, value: dict[str, Any], path: Path, head: Part) -> Part:
    """What cannot change: a screenshot (no text can replace it), found tools, programs of the API."""
    name = next((name for name in ("output", "tools", "result") if name in value), "result")
    held = value.get(name)
    where: Path = (*path, name)
    if kind == "computer_call_output":
        picture = estimate_media_tokens("image", 0)
        return Part(
            "tool_result",
            where,
            "",
            head.tool,
            head.call_id,
            fingerprint=hash_value(held),
            pinned=True,
            tokens=picture,
        )
    text = held if isinstance(held, str) else dump_canonical(held)
    return Part("tool_result", where, text, head.tool, head.call_id, pinned=True)


def _has_failed(output: str) -> bool:
    """Return whether Codex states a failing exit code before the output or in a field; it sets no flag."""
    stated = _EXIT_FIELD.search(output) if output.startswith("{") else None
    head = output.partition("\nOutput:")[0]
    told = any(words in head for words in _EXIT_WORDS)  # a long output is not searched line by line
    found = stated or (_EXIT.search(head) if told else None)
    return int(found[1]) != 0 if found else _FAILED.match(output) is not None
