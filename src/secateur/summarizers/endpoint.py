"""One model at one address: the connection to it, and its answer while it streams.

Rule: a key is named, never stored: it is read from the environment when a request is made, so no record, error or log
of an endpoint can show it. Redirects are not followed and local addresses are reached without a proxy, so nothing is
sent to a host that was not named; a local endpoint refuses any other before it connects. An answer without its
announced end is a dropped stream, however long it is. Tool calls are counted, never run; a model's thoughts are not
part of its answer.
"""

import os
import re
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from secateur.compaction.ask import SummaryAnswer, SummaryUsage
from secateur.errors import ConfigError
from secateur.redact import redact
from secateur.summarizers.protocol import Failed

CONNECT_S = 10.0
THINKING_TOKENS = 4_096  # more than was asked for, where reasoning counts as output
_SHOWN = 200  # characters of an answer that is none

MOST_CHARS = 1_000_000  # of an answer: several times the longest summary
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.S)  # as servers without a field for it send it


class Endpoint(Struct, frozen=True, kw_only=True):
    """`keys` are environment variables; the first that is set counts."""

    name: str
    provider: str
    model: str
    base_url: str
    keys: tuple[str, ...] = ()
    window_tokens: int = 0
    max_output: int = 0
    max_parallel: int = 1  # questions at a time

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.base_url).netloc

    @property
    def local(self) -> bool:
        """Whether it is on this machine."""
        return is_local(self.base_url)

    def get_key(self) -> str:
        """The API key; "" without one, which only a self-hosted server accepts."""
        return next((value for name in self.keys if (value := os.environ.get(name, "").strip())), "")

    def compute_max_tokens(self, wanted: int, thinking: bool = False) -> int:
        """The output tokens to allow if this many are wanted."""
        allowed = wanted + (THINKING_TOKENS if thinking and not self.local else 0)
        return min(allowed, self.max_output) if self.max_output else allowed


def is_local(url: str) -> bool:
    """Whether an address names this machine: by number, or as `localhost`; any other name may lead anywhere."""
    return is_local_host((urlsplit(url).hostname or "").rstrip("."))


def is_local_host(host: str) -> bool:
    """Whether a host is this machine, by number or as `localhost`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def make_http_client(to: Endpoint, seconds: float) -> Any:
    """An HTTP client (`httpx2.AsyncClient`) for the time one question takes."""
    try:
        import httpx2
    except ImportError as error:
        raise ConfigError(f"{to.name} needs more: pip install 'secateur[summarizers]'") from error

    home = httpx2.URL(to.base_url).netloc

    async def stays(request: httpx2.Request) -> None:
        if request.url.netloc != home:
            raise Failed("not_local", f"a request for {request.url.host} was stopped: {to.name} is at {to.host}")

    async def streams(response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "")
        if response.status_code == 200 and any(one in kind for one in ("text/html", "application/json")):
            await response.aread()
            shown = " ".join(redact(response.text).split())[:_SHOWN]
            raise Failed("malformed", f"{to.host} answered with {kind.partition(';')[0]}: {shown}")

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(seconds, connect=min(CONNECT_S, seconds)),
        follow_redirects=False,
        trust_env=not to.local,
        verify=load_tls_context(),
        event_hooks={"request": [stays], "response": [streams]},
    )


@cache
def load_tls_context() -> Any:
    """The certificates to trust for TLS, read once: an `ssl.SSLContext`."""
    import httpx2

    return httpx2.create_ssl_context()


class Heard:
    """What has been received so far."""

    def __init__(self) -> None:
        self.finish = ""  # as the provider says it
        self.spent = SummaryUsage()
        self._pieces: list[str] = []
        self._chars = 0
        self._calls: set[str] = set()

    def say(self, text: str | None) -> None:
        """Some text came."""
        if text:
            self._pieces.append(text)
            self._chars += len(text)
        if self._chars > MOST_CHARS:
            raise Failed("malformed", f"the answer exceeds the limit: {self._chars:,} characters")

    def call(self, id: object) -> None:
        """A tool call came, or a piece of one."""
        self._calls.add(str(id))

    def build_answer(self, by: str) -> SummaryAnswer:
        """The complete answer. Raises Failed if the stream has no end."""
        text = "".join(self._pieces)
        if not self.finish:
            raise Failed("dropped", f"the stream was cut off after {len(text):,} characters")
        return SummaryAnswer(_THOUGHT.sub("", text, count=1), self.finish, len(self._calls), by=by, spent=self.spent)
