"""The protocol of the bridge: one JSON object a line in, one a line out, in the same order.

    {"id": 1, "method": "fit", "params": {"session": "s", "messages": [...]}}
    {"id": 1, "result": {"messages": [...], ...}}
    {"id": 2, "error": {"kind": "ConfigError", "message": "..."}}

Rule: every line that is not empty gets one answer; what cannot be read is answered with `id` null. A parameter that is
not known is ignored, so that a newer plugin can talk to an older bridge; a method that is not known is an error.
"""

from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import Raw, Struct

from secateur.errors import SecateurError
from secateur.nesting import convert_recursion_error
from secateur.redact import redact

PROTOCOL = 1
MAX_ERROR_CHARS = 2_000
_NULL, _NOTHING = b"null", Raw(b"{}")


class BridgeCall(Struct, frozen=True):
    """One line of a plugin."""

    method: str
    id: int | str | None = None
    params: Raw = _NOTHING


class BridgeError(Struct, frozen=True):
    """Why a line has no result, and what to do about it."""

    kind: str  # the class of the error
    message: str


Method = Callable[[Raw], Any]


def serve_lines(source: BinaryIO, target: BinaryIO, methods: Mapping[str, Method]) -> None:
    """Answer lines until the input ends or nobody reads the answers any more."""
    for line in iter(source.readline, b""):
        if not line.strip():
            continue
        try:
            target.write(answer_line(line, methods) + b"\n")
            target.flush()
        except BrokenPipeError:
            return


def answer_line(line: bytes, methods: Mapping[str, Method]) -> bytes:
    """The answer to one line. Never raises."""
    number = _NULL
    try:
        call = msgspec.json.decode(line, type=BridgeCall)
        number = msgspec.json.encode(call.id)
        method = methods.get(call.method)
        if method is None:
            return _make_error(number, "MethodError", _describe_unknown(call.method, methods))
        with convert_recursion_error():
            return b'{"id":' + number + b',"result":' + _encode(method(call.params)) + b"}"
    except msgspec.MsgspecError as error:
        return _make_error(number, "ParameterError", f"{error}: see the methods in docs/reference/bridge.md")
    except SecateurError as error:
        return _make_error(number, type(error).__name__, str(error))
    except Exception as error:  # whatever it is, the plugin is answered and goes on without us
        return _make_error(
            number, "InternalError", f"{type(error).__name__}: {error}; the host goes on without secateur"
        )


def _encode(result: Any) -> bytes:
    """A result on one line. Texts with lone surrogates keep them as escapes."""
    try:
        return msgspec.json.encode(result)
    except UnicodeEncodeError:
        from secateur.jsontext import dumps

        return dumps(msgspec.to_builtins(result))


def _make_error(number: bytes, kind: str, message: str) -> bytes:
    error = BridgeError(kind, redact(message)[:MAX_ERROR_CHARS].encode("utf-8", "replace").decode())
    return b'{"id":' + number + b',"error":' + msgspec.json.encode(error) + b"}"


def _describe_unknown(name: str, methods: Mapping[str, Method]) -> str:
    return f"there is no method {name[:100]!r} in protocol {PROTOCOL}: there are {', '.join(sorted(methods))}"
