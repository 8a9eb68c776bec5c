"""Files that hold several conversations, each taken out: results of a benchmark, one run a line, captured requests.

Rule: a conversation is handed on in the shape in which its format reads one. Of captured requests that grow out of each
other only the last counts: it holds what the others held. What is no such file is one conversation.
"""

from collections.abc import Iterator
from typing import Any

from secateur.errors import FormatError
from secateur.jsontext import Lines, Text
from secateur.simulate.requests import Recording, recorded


def recordings(data: bytes, *, model: str = "", compactions: bool = True) -> Iterator[Recording]:
    """The recording of each conversation in a file; settings as for `recorded`. Raises FormatError."""
    for one in conversations(data):
        yield recorded(one, model=model, compactions=compactions)


def conversations(data: bytes) -> Iterator[Any]:
    """Each conversation in a file, as a document of its own."""
    value = _whole(data)
    if isinstance(value, list) and value and all(isinstance(one, dict) and "traj" in one for one in value):
        yield from value
    elif isinstance(value, dict) and isinstance(value.get("simulations"), list):
        yield from ({**value, "simulations": [one]} for one in value["simulations"])
    elif value is None:
        yield from _lines(data)
    else:
        yield data


def _whole(data: bytes) -> Any:
    """The value that a file is; None for lines of JSON."""
    try:
        return Text.of(data).value()
    except FormatError:
        return None


def _lines(data: bytes) -> Iterator[Any]:
    lines = Lines.of(data)
    first = lines.line(0)
    if isinstance(first, dict) and isinstance(first.get("history"), list):
        for number in range(len(lines)):
            text = lines.child(number)
            if text is not None and text.raw.strip():
                yield text.raw
    elif _body(first):
        yield from _last_of_each([body for number in range(len(lines)) if (body := _body(lines.line(number)))])
    else:
        yield data


def _body(value: Any) -> dict[str, Any]:
    """The body of a captured request; {} where a line is none."""
    request = value.get("request") if isinstance(value, dict) else None
    body = request.get("body") if isinstance(request, dict) else None
    return body if isinstance(body, dict) and isinstance(body.get("messages"), list) else {}


def _last_of_each(bodies: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The last request of each conversation: a new one begins where there is less than before."""
    for before, after in zip(bodies, [*bodies[1:], None], strict=True):
        if after is None or len(after["messages"]) <= len(before["messages"]):
            yield before
