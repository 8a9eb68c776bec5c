"""Lines in, lines out: whatever comes is answered in one line, and the host's model can be asked meanwhile."""

import io
import json
import os
from concurrent.futures import Future
from threading import Thread
from typing import Any, BinaryIO

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from secateur.bridge.protocol import Channel, HostAnswer, answer_line
from secateur.errors import ConfigError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def fail_with(error: Exception) -> Any:
    def method(given: Raw) -> None:
        raise error

    return method


METHODS = {
    "echo": lambda given: Raw(bytes(given)),
    "number": lambda given: msgspec.json.decode(given, type=dict[str, int]),
    "refuse": fail_with(ConfigError("give a session")),
    "crash": fail_with(ZeroDivisionError("oops")),
    "lone": lambda given: {"text": "a\udc80b"},
}


def answer(line: bytes) -> Any:
    made = answer_line(line, METHODS)
    assert b"\n" not in made
    return json.loads(made)


@settings(deadline=None)
@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_every_line_is_answered_by_one_line(line: bytes) -> None:
    made = answer(line.replace(b"\n", b" "))
    assert set(made) in ({"id", "result"}, {"id", "error"})


@settings(deadline=None)
@given(JSON, st.integers(-(2**53), 2**53) | st.text())
def test_a_result_comes_back_under_its_id(value: Any, number: int | str) -> None:
    line = json.dumps({"method": "echo", "params": value, "id": number}).encode()
    made = answer_line(line, METHODS)
    assert json.dumps(json.loads(made)) == json.dumps({"id": number, "result": value})


def test_errors_say_what_to_do_and_never_show_a_traceback() -> None:
    assert answer(b'{"id": 1, "method": "refuse"}') == {
        "id": 1,
        "error": {"kind": "ConfigError", "message": "give a session"},
    }
    unknown = answer(b'{"id": 2, "method": "nonsense"}')["error"]
    assert unknown["kind"] == "MethodError"
    assert "there are crash, echo" in unknown["message"]
    assert answer(b'{"id": 3, "method": "number", "params": {"a": "x"}}')["error"]["kind"] == "ParameterError"
    assert answer(b'{"id": 4, "method": "crash"}')["error"]["message"].endswith("continue without secateur")
    assert answer(b"[" * 100_000)["error"]["kind"] in ("ParameterError", "FormatError")
    deep = b'{"id": 6, "method": "echo", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert answer(deep)["error"]["kind"] == "FormatError"
    assert answer(b'{"id": 7, "params": "\\ud800"}')["error"]["kind"] == "ParameterError"
    assert answer(b'{"id": 5, "method": "lone"}')["result"] == {"text": "a\udc80b"}
    assert answer(b'{"method": 7}')["id"] is None


def test_a_credential_in_an_error_is_not_repeated() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    assert secret not in answer_line(json.dumps({"method": f"{secret}"}).encode(), METHODS).decode()


class Plugin:
    """The other end of the pipes."""

    def __init__(self, methods: dict[str, Any]) -> None:
        asks, self._to = os.pipe()
        self._from, says = os.pipe()
        self.source, self.target = os.fdopen(asks, "rb"), os.fdopen(says, "wb")
        self.write: BinaryIO = os.fdopen(self._to, "wb", buffering=0)
        self.read: BinaryIO = os.fdopen(self._from, "rb")
        self.channel = Channel(self.source, self.target)
        self.served = Thread(target=self.channel.serve, args=(methods,))
        self.served.start()

    def send(self, value: Any) -> None:
        self.write.write(json.dumps(value).encode() + b"\n")

    def end(self) -> None:
        if not self.write.closed:
            self.write.close()
        self.served.join(10)
        assert not self.served.is_alive()
        for pipe in (self.source, self.target, self.read):
            pipe.close()


def test_the_hosts_model_is_asked_while_a_method_runs() -> None:
    asked: list[Future[HostAnswer]] = []

    def ask(given: Raw) -> str:
        asked.append(plugin.channel.ask("be brief", "what was done?", 50))
        return asked[-1].result(10).text

    plugin = Plugin({"ask": ask, "echo": METHODS["echo"]})
    plugin.send({"id": 1, "method": "ask"})
    question = json.loads(plugin.read.readline())["ask"]
    assert question == {"id": 1, "system": "be brief", "text": "what was done?", "max_tokens": 50}
    plugin.send({"id": 2, "method": "echo", "params": {"answer": 1}})  # not an answer: waits for its turn
    plugin.send({"answer": {"id": 1, "text": "all of it"}})
    assert json.loads(plugin.read.readline()) == {"id": 1, "result": "all of it"}
    assert json.loads(plugin.read.readline()) == {"id": 2, "result": {"answer": 1}}
    plugin.send({"id": 3, "method": "ask"})
    plugin.read.readline()
    plugin.write.close()  # the host ends without an answer
    plugin.end()
    assert asked[-1].result(0).error == "the host has ended"


def test_it_ends_when_nobody_reads_the_answers() -> None:
    source, target = os.pipe()
    os.close(source)
    with os.fdopen(target, "wb", buffering=0) as closed:
        Channel(io.BytesIO(b'{"id": 1, "method": "echo"}\n' * 3), closed).serve(METHODS)
