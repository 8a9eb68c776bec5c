"""A scripted upstream: a real server on this machine that gives prepared answers and records every request.

Answers to POST are given in order, the last one repeatedly; other methods get `other`. Replies have the shape of each
API; `model_server` has a model that plays a whole session.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from msgspec import Struct

Says = Callable[["Handler"], None]


class Received(Struct, frozen=True):
    """One request as it arrived."""

    method: str
    path: str  # with its query
    headers: dict[str, str]  # names in lower case; repeated ones joined by a comma
    raw: bytes  # the body as sent, without the chunks of its transfer
    body: bytes  # without its content encoding


class Upstream:
    """A running server: its address, and the requests so far."""

    def __init__(self, answers: tuple[Says, ...], other: Says) -> None:
        self.requests: list[Received] = []
        self.answers, self.other = answers, other
        self.lock = Lock()
        self.over = Event()
        self.url = ""

    @property
    def posts(self) -> list[Received]:
        """The requests that carry a body."""
        return [request for request in self.requests if request.method == "POST"]

    @property
    def bodies(self) -> list[str]:
        """The bodies of POST requests, as text."""
        return [request.body.decode() for request in self.posts]

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of POST requests."""
        return [request.headers for request in self.posts]

    @property
    def paths(self) -> list[str]:
        """The paths of POST requests."""
        return [request.path for request in self.posts]

    def record(self, request: Received) -> Says:
        """Record a request; return its answer."""
        with self.lock:
            self.requests.append(request)
            number = len(self.posts)
        return self.answers[min(number, len(self.answers)) - 1] if request.method == "POST" else self.other


@contextmanager
def upstream(*answers: Says, other: Says | None = None) -> Iterator[Upstream]:
    """A server that gives these answers."""
    held = Upstream(answers, other or says(404, "{}"))

    class BoundHandler(Handler):
        script = held

    server = ThreadingHTTPServer(("127.0.0.1", 0), BoundHandler)
    server.daemon_threads = True
    held.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield held
    finally:
        held.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def events(values: Iterable[Any], named: bool = False) -> bytes:
    """Server-sent events; `named`: each with its type in front."""
    lines = []
    for value in values:
        data = value if isinstance(value, str) else json.dumps(value)
        head = f"event: {value['type']}\n" if named and isinstance(value, dict) else ""
        lines.append(f"{head}data: {data}\n\n")
    return "".join(lines).encode()


def streams(body: bytes) -> Says:
    """A whole stream."""
    return says(200, body, "text/event-stream")


def says(status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> Says:
    """One answer, at once."""
    data = body.encode() if isinstance(body, str) else body

    def say(handler: "Handler") -> None:
        handler.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(b"" if handler.command == "HEAD" else data)

    return say


def drops(body: bytes) -> Says:
    """Half of a stream, and then nothing any more."""

    def say(handler: "Handler") -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])
        handler.close_connection = True

    return say


def hangs(handler: "Handler") -> None:
    """No answer, ever."""
    handler.script.over.wait(30)
    handler.close_connection = True


def streams_slowly(pieces: Iterable[bytes], kind: str = "text/event-stream", delay_s: float = 0.0) -> Says:
    """A stream sent in chunks, piece by piece, until it ends or the server stops."""

    def say(handler: "Handler") -> None:
        handler.send_response(200)
        for name, value in {"content-type": kind, "cache-control": "no-cache", "transfer-encoding": "chunked"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        for piece in pieces:
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            handler.wfile.flush()
            handler.script.over.wait(delay_s)
        handler.wfile.write(b"0\r\n\r\n")

    return say


class Handler(BaseHTTPRequestHandler):
    """One connection; `received` is the request being answered."""

    script: Upstream
    received: Received
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self._read_chunks() if "chunked" in self.headers.get("transfer-encoding", "") else self._read_length()
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
        body = decode(raw, headers.get("content-encoding", ""))
        self.received = Received(self.command, self.path, headers, raw, body)
        try:
            self.script.record(self.received)(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_DELETE = do_OPTIONS = do_POST

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def _read_length(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _read_chunks(self) -> bytes:
        pieces = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)


def decode(raw: bytes, encoding: str) -> bytes:
    """A body without its content encoding."""
    if encoding == "zstd":
        from backports import zstd

        return bytes(zstd.decompress(raw))
    return {"gzip": gzip.decompress, "deflate": zlib.decompress}.get(encoding, bytes)(raw)


def spoken(provider: str, text: str, finish: str = "", call: bool = False) -> bytes:
    """A text (and a tool call) as the API streams it. `finish`: the API's own word, if not its usual one."""
    half = len(text) // 2
    return _SPOKEN[provider]((text[:half], text[half:]), finish, call)


def _anthropic(texts: tuple[str, ...], finish: str, call: bool) -> bytes:
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    message |= {"stop_reason": None, "stop_sequence": None}
    block = {"type": "tool_use", "id": "t1", "name": "read", "input": {}} if call else {"type": "text", "text": ""}
    deltas = [{"type": "text_delta", "text": text} for text in texts if not call]
    return events(
        [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": finish or ("tool_use" if call else "end_turn"), "stop_sequence": None},
                "usage": {"output_tokens": 7},
            },
            {"type": "message_stop"},
        ],
        named=True,
    )


def _chat(texts: tuple[str, ...], finish: str, call: bool) -> bytes:
    frame = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    tool = {"index": 0, "id": "t1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    deltas: list[dict[str, Any]] = [{"tool_calls": [tool]}] if call else [{"content": text} for text in texts]
    ends = finish or ("tool_calls" if call else "stop")
    usage = {"prompt_tokens": 105, "completion_tokens": 7, "total_tokens": 112}
    usage |= {"prompt_tokens_details": {"cached_tokens": 10}}  # type: ignore[dict-item]
    chunks = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": ends}]})
    return events([*chunks, {**frame, "choices": [], "usage": usage}, "[DONE]"])


def _responses(texts: tuple[str, ...], finish: str, call: bool) -> bytes:
    usage = {"input_tokens": 105, "output_tokens": 7, "total_tokens": 112}
    details = {"input_tokens_details": {"cached_tokens": 10}, "output_tokens_details": {"reasoning_tokens": 0}}
    response: dict[str, Any] = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": []}
    response |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    ended = {**response, "status": "incomplete" if finish else "completed", "usage": usage | details}
    ended["incomplete_details"] = {"reason": finish} if finish else None
    item = {"type": "function_call", "id": "f1", "call_id": "t1", "name": "read", "arguments": "{}"}
    said = [
        {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text}
        for text in texts
    ]
    done = [{"type": "response.output_item.done", "output_index": 0, "item": item}]
    whole = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        *(done if call else said),
        {"type": f"response.{ended['status']}", "response": ended},
    ]
    return events([{**one, "sequence_number": number} for number, one in enumerate(whole)], named=True)


def _gemini(texts: tuple[str, ...], finish: str, call: bool) -> bytes:
    parts = [{"functionCall": {"name": "read", "args": {}}}] if call else [{"text": text} for text in texts]
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts
    ]
    chunks[-1]["candidates"][0]["finishReason"] = finish or "STOP"
    usage = {"promptTokenCount": 105, "cachedContentTokenCount": 10, "candidatesTokenCount": 4}
    chunks[-1]["usageMetadata"] = {**usage, "thoughtsTokenCount": 3, "totalTokenCount": 112}
    return events(chunks)


_SPOKEN: dict[str, Callable[[tuple[str, ...], str, bool], bytes]] = {
    "anthropic": _anthropic,
    "openai": _responses,
    "openai-chat": _chat,
    "gemini": _gemini,
}
