"""Files that hold several conversations, each taken out: results of a benchmark, one run a line, captured requests.

Rule: a conversation is handed on in the shape in which its format reads one. Of captured requests that grow out of each
other only the last counts: it holds what the others held. What is no such file is one conversation.
"""

from collections.abc import Iterator
from typing import Any

from secateur.errors import FormatError
from secateur.jsontext import Lines, Text
from secateur.simulate.requests import Recording, read_recording


def read_recordings(data: bytes, *, model: str = "", compactions: bool = True) -> Iterator[Recording]:
    """The recording of each conversation in a file; settings as in `read_recording`. Raises FormatError."""
    for one in split_conversations(data):
        yield read_recording(one, model=model, compactions=compactions)


def split_conversations(data: bytes) -> Iterator[Any]:
    """Each conversation in a file, as its own document."""
    value = _decode_whole(data)
    if isinstance(value, list) and value and all(isinstance(one, dict) and "traj" in one for one in value):
        yield from value
    elif isinstance(value, dict) and isinstance(value.get("simulations"), list):
        yield from ({**value, "simulations": [one]} for one in value["simulations"])
    elif value is None:
        yield from _split_lines(data)
    else:
        yield data


def _decode_whole(data: bytes) -> Any:
    """The value of a file; None for lines of JSON."""
    try:
        return Text.of(data).value()
    except FormatError:
        return None


def _split_lines(data: bytes) -> Iterator[Any]:
    lines = Lines.of(data)
    first = lines.line(0)
    if isinstance(first, dict) and isinstance(first.get("history"), list):
        for number in range(len(lines)):
            text = lines.child(number)
            if text is not None and text.raw.strip():
                yield text.raw
    elif _get_body(first):
        yield from _keep_last_requests(
            [body for number in range(len(lines)) if (body := _get_body(lines.line(number)))]
        )
    else:
        yield data


def _get_body(value: Any) -> dict[str, Any]:
    """The body of a captured request; {} if a line is not one."""
    request = value.get("request") if isinstance(value, dict) else None
    body = request.get("body") if isinstance(request, dict) else None
    return body if isinstance(body, dict) and isinstance(body.get("messages"), list) else {}


def _keep_last_requests(bodies: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The last request of each conversation: a new one begins where there are fewer messages than before."""
    for before, after in zip(bodies, [*bodies[1:], None], strict=True):
        if after is None or len(after["messages"]) <= len(before["messages"]):
            yield before
