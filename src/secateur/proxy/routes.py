"""Which API a request uses and what kind it is, from its path and headers alone.

Rule: a request is read and edited only on the routes of this table; every other one passes unchanged. Paths are matched
by their end, so an upstream can have a path of its own in front. A first step that names an API
(`/anthropic/v1/models`) decides if the path alone is ambiguous.
"""

import re
from typing import Literal
from urllib.parse import unquote

from msgspec import Struct

from secateur.proxy.settings import APIS, Api

Kind = Literal["generate", "count", "compact", "other"]
Headers = tuple[tuple[bytes, bytes], ...]


class Route(Struct, frozen=True):
    """Where a request goes, and what it contains."""

    api: Api
    kind: Kind
    path: bytes  # as it is sent on, behind the address of the upstream
    format: str = ""  # of the body; "" where it is not read
    model: str = ""  # where the path names it


_BEDROCK = r"/model/(?P<model>[^/]+)"
_CLAUDE = r"/model/(?P<model>[^/]*(?:anthropic|claude)[^/]*)"  # other models have bodies of their own
_VERTEX = r"/publishers/google/models/(?P<model>[^/]+)"
_CLAUDE_ON_VERTEX = r"/publishers/anthropic/models/(?P<model>[^/:]+):(?:rawPredict|streamRawPredict)$"
_COUNTING = r"/publishers/anthropic/models/count-tokens:rawPredict$"


class _Pattern(Struct, frozen=True):
    path: re.Pattern[str]
    api: Api
    kind: Kind
    format: str


_MODEL = r"/models/(?P<model>[^/]+)"
_PATTERNS = (
    _Pattern(re.compile(r"/messages$"), "anthropic", "generate", "anthropic_messages"),
    _Pattern(re.compile(r"/messages/count_tokens$"), "anthropic", "count", "anthropic_messages"),
    _Pattern(re.compile(r"/chat/completions$"), "openai", "generate", "openai_chat"),
    _Pattern(re.compile(r"/responses$"), "openai", "generate", "openai_responses"),
    _Pattern(re.compile(r"/responses/input_tokens(?:/count)?$"), "openai", "count", "openai_responses"),
    _Pattern(re.compile(r"/responses/compact$"), "openai", "compact", "openai_responses"),
    _Pattern(re.compile(_BEDROCK + r"/converse(?:-stream)?$"), "bedrock", "generate", "bedrock_converse"),
    _Pattern(re.compile(_CLAUDE + r"/invoke(?:-with-response-stream)?$"), "bedrock", "generate", "anthropic_messages"),
    _Pattern(re.compile(_COUNTING), "vertex", "count", "anthropic_messages"),
    _Pattern(re.compile(_CLAUDE_ON_VERTEX), "vertex", "generate", "anthropic_messages"),
    _Pattern(re.compile(_VERTEX + r":(?:generateContent|streamGenerateContent)$"), "vertex", "generate", "gemini"),
    _Pattern(re.compile(_VERTEX + r":countTokens$"), "vertex", "count", "gemini"),
    _Pattern(re.compile(_MODEL + r":(?:generateContent|streamGenerateContent)$"), "gemini", "generate", "gemini"),
    _Pattern(re.compile(_MODEL + r":countTokens$"), "gemini", "count", "gemini"),
)
_ANTHROPIC_HEADERS = (b"anthropic-version", b"anthropic-beta", b"x-api-key")
_MESSAGE_ROUTES = re.compile(r"/messages(?:/|$)|^/api/")


def find_route(method: str, raw_path: bytes, headers: Headers) -> Route:
    """The route of a request."""
    named, rest = _split_prefix(raw_path)
    path = rest.decode("ascii", "replace")
    if method == "POST":
        for pattern in _PATTERNS:
            found = pattern.path.search(path)
            if found and named in (pattern.api, None):
                model = unquote(found.groupdict().get("model") or "")
                return Route(pattern.api, pattern.kind, rest, pattern.format, model)
    return Route(named or _guess_api(path, headers), "other", rest)


def _split_prefix(raw_path: bytes) -> tuple[Api | None, bytes]:
    """The API that the first step of a path names, if it does, and the path behind it."""
    for api in APIS:
        prefix = b"/" + api.encode()
        if raw_path == prefix or raw_path.startswith(prefix + b"/"):
            return api, raw_path[len(prefix) :] or b"/"
    return None, raw_path


def _guess_api(path: str, headers: Headers) -> Api:
    """The API of a request whose path several have (`/v1/models`), or none (`/`)."""
    names = {name for name, _ in headers}
    if "/publishers/" in path:
        return "vertex"
    if path.startswith("/model/"):
        return "bedrock"
    if "/v1beta" in path or "/v1alpha" in path or b"x-goog-api-key" in names:
        return "gemini"
    agent = next((value for name, value in headers if name == b"user-agent"), b"").lower()
    if names & set(_ANTHROPIC_HEADERS) or b"claude" in agent or _MESSAGE_ROUTES.search(path):
        return "anthropic"
    return "openai"
