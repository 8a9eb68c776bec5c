"""The protocol of the bridge: one JSON object a line in, one a line out.

    plugin  {"id": 1, "method": "fit", "params": {"session": "s", "messages": [...]}}
    bridge  {"id": 1, "result": {"messages": [...], ...}}
    bridge  {"id": 2, "error": {"kind": "ConfigError", "message": "..."}}
    bridge  {"ask": {"id": 1, "system": "...", "text": "...", "max_tokens": 4096}}
    plugin  {"answer": {"id": 1, "text": "...", "finish": "stop"}}

Rule: every line that is not empty gets one answer, in order; what cannot be read is answered with `id` null. A
parameter that is not known is ignored, so that a newer plugin can talk to an older bridge; a method that is not known
is an error. While a method runs, the bridge may ask the host's model, if the plugin said that it can.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, BinaryIO, TypeVar

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import fields

from secateur.decoding import prepare_type
from secateur.errors import FormatError, SecateurError
from secateur.jsontext import Text, convert_recursion_error, dumps
from secateur.redact import redact

PROTOCOL = 1
MAX_ERROR_CHARS = 2_000
T = TypeVar("T", bound=Struct)
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


class HostQuestion(Struct, frozen=True):
    """A question for the host's own model."""

    id: int
    system: str
    text: str
    max_tokens: int  # of the answer


class HostAnswer(Struct, frozen=True):
    """The answer of the host's model."""

    id: int
    text: str = ""
    finish: str = "stop"  # anything else: the text is not whole
    error: str = ""  # why there is no answer
    model: str = ""


class _QuestionLine(Struct, frozen=True):
    ask: HostQuestion


class _AnswerLine(Struct, frozen=True):
    answer: HostAnswer


Method = Callable[[Raw], Any]


class Channel:
    """Both directions of a plugin's pipe. Lines are read in a thread, so that answers come while a method runs."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target = source, target
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._asked: dict[int, Future[HostAnswer]] = {}
        self._lock = Lock()
        self._next = 1
        self._ended = False

    def serve(self, methods: Mapping[str, Method]) -> bool:
        """Answer lines until the input ends, or until the output is closed: then false."""
        Thread(target=self._read, name="secateur-bridge", daemon=True).start()
        while (line := self._lines.get()) is not None:
            try:
                self._write(answer_line(line, methods))
            except OSError:
                return False
        return True

    def ask(self, system: str, text: str, max_tokens: int) -> "Future[HostAnswer]":
        """Ask the host's model. The answer has an `error` if the plugin goes away."""
        asked: Future[HostAnswer] = Future()
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._asked[number] = asked
        try:
            self._write(msgspec.json.encode(_QuestionLine(HostQuestion(number, system, text, max_tokens))))
        except OSError:
            self._end()
        if self._ended:
            self._end()
        return asked

    def _read(self) -> None:
        with suppress(OSError):  # an input that cannot be read has ended
            for line in iter(self._source.readline, b""):
                if line.strip() and not (self._asked and self._settle(line)):
                    self._lines.put(line)
        self._end()
        self._lines.put(None)

    def _settle(self, line: bytes) -> bool:
        """Whether the line answers a question."""
        try:
            answer = msgspec.json.decode(line, type=prepare_type(_AnswerLine)).answer
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return False
        with self._lock:
            asked = self._asked.pop(answer.id, None)
        if asked is not None:
            _resolve(asked, answer)
        return True

    def _end(self) -> None:
        """Stop answering."""
        self._ended = True
        with self._lock:
            waiting, self._asked = self._asked, {}
        for number, asked in waiting.items():
            _resolve(asked, HostAnswer(number, error="the host has ended"))

    def _write(self, line: bytes) -> None:
        with self._lock:
            self._target.write(line + b"\n")
            self._target.flush()


def answer_line(line: bytes, methods: Mapping[str, Method]) -> bytes:
    """The answer to one line. Never raises."""
    number = _NULL
    try:
        with convert_recursion_error():
            call = read_parameters(line, BridgeCall)
            number = msgspec.json.encode(call.id)
            method = methods.get(call.method)
            if method is None:
                return _make_error(number, "MethodError", _describe_unknown(call.method, methods))
            return b'{"id":' + number + b',"result":' + _encode(method(call.params)) + b"}"
    except (msgspec.MsgspecError, UnicodeError) as error:
        return _make_error(number, "ParameterError", f"{error}: docs/reference/bridge.md lists methods and parameters")
    except SecateurError as error:
        return _make_error(number, type(error).__name__, str(error))
    except Exception as error:  # in any case, the plugin gets an answer and continues without the bridge
        return _make_error(number, "InternalError", f"{type(error).__name__}: {error}; continue without secateur")


def read_parameters(given: bytes | Raw, type: type[T]) -> T:
    """Read an object's members as a struct; those of type `Raw` keep their bytes.

    JavaScript can write half of a surrogate pair as an escape that is not text; it is accepted. Raises FormatError.
    """
    try:
        return msgspec.json.decode(given, type=prepare_type(type))
    except msgspec.ValidationError:
        raise
    except (msgspec.MsgspecError, UnicodeError):
        text = Text.of(bytes(given) or b"null")
        if text.kind != "{":
            raise FormatError("not a JSON object: docs/reference/bridge.md describes what a line contains") from None
        found: dict[str, Any] = {}
        for field in fields(type):
            child = text.child(field.encode_name)
            if child is not None:
                found[field.name] = Raw(child.raw) if field.type is Raw else child.value()
        return msgspec.convert(found, prepare_type(type))


def _resolve(asked: "Future[HostAnswer]", answer: HostAnswer) -> None:
    if asked.set_running_or_notify_cancel():
        asked.set_result(answer)


def _encode(result: Any) -> bytes:
    """A result on one line. Texts with lone surrogates keep them as escapes."""
    try:
        return msgspec.json.encode(result)
    except UnicodeEncodeError:
        return dumps(msgspec.to_builtins(result))


def _make_error(number: bytes, kind: str, message: str) -> bytes:
    error = BridgeError(kind, redact(message)[:MAX_ERROR_CHARS].encode("utf-8", "replace").decode())
    return b'{"id":' + number + b',"error":' + msgspec.json.encode(error) + b"}"


def _describe_unknown(name: str, methods: Mapping[str, Method]) -> str:
    return f"there is no method {name[:100]!r} in protocol {PROTOCOL}: there are {', '.join(sorted(methods))}"
