"""Errors of the proxy itself, each in the shape of the API that the client speaks.

Rule: a client's error handling reads them as it reads its provider's; each says that the proxy refused, and what to do.
An error of the provider is never made here: it passes as received.
"""

import json

from msgspec import Struct

from secateur.proxy.settings import Api

_ANTHROPIC = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"}
_ANTHROPIC |= {404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error"}
_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_GEMINI = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_GEMINI |= {413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
RETRY_AFTER_S = 1


class Refusal(Exception):  # noqa: N818  (it is an answer, not a fault)
    """An answer that the proxy gives instead of the provider."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Answer(Struct, frozen=True):
    """A whole response of the proxy's own."""

    status: int
    body: bytes
    headers: list[tuple[bytes, bytes]]


def build_refusal(api: Api, refusal: Refusal) -> Answer:
    """The response that tells a client of this API why its request was rejected."""
    status, message = refusal.status, f"secateur: {refusal.message}"
    body: dict[str, object]
    if api == "anthropic":
        kind = _ANTHROPIC.get(status, "invalid_request_error" if status < 500 else "api_error")
        body = {"type": "error", "error": {"type": kind, "message": message}}
    elif api == "bedrock":
        body = {"message": message}
    elif api in ("gemini", "vertex"):
        body = {"error": {"code": status, "message": message, "status": _GEMINI.get(status, "INTERNAL")}}
    else:
        kind = _OPENAI.get(status, "invalid_request_error" if status < 500 else "server_error")
        body = {"error": {"message": message, "type": kind, "param": None, "code": "secateur_refused"}}
    answer = build_json(status, body)
    if status == 503:
        answer.headers.append((b"retry-after", str(RETRY_AFTER_S).encode()))
    if status == 426:
        answer.headers.extend([(b"connection", b"close"), (b"upgrade", b"HTTP/1.1")])
    return answer


def build_json(status: int, value: object) -> Answer:
    """A response with this value as JSON."""
    body = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    return Answer(status, body, headers)
