"""The settings of a proxy: where providers are, what it does to requests, and its limits.

Rule: frozen values, checked where they are made; every number has a unit and a reason.
"""

from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.summarizers.endpoint import is_local_host

Api = Literal["anthropic", "openai", "gemini", "bedrock", "vertex"]
Mode = Literal["observe", "prune", "full"]
Recall = Literal["auto", "files", "served"]
MODES: tuple[Mode, ...] = ("observe", "prune", "full")
RECALLS: tuple[Recall, ...] = ("auto", "files", "served")
APIS: tuple[Api, ...] = ("anthropic", "openai", "gemini", "bedrock", "vertex")
PROVIDERS: dict[Api, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
PORT = 8787  # that `secateur serve` listens on
_MIB = 1024 * 1024


class ModeRule(Struct, frozen=True, kw_only=True):
    """A mode for some of the requests."""

    kind: str  # api, model or tenant
    pattern: str  # a glob over it
    mode: Mode


class ProxyLimits(Struct, frozen=True, kw_only=True):
    """Limits for one client."""

    body_bytes: int = 64 * _MIB  # of one request, packed or unpacked; Anthropic takes 32 MB
    header_bytes: int = 64 * 1024  # of one request, its first line included
    header_s: float = 20.0  # until the headers of a request are complete
    client_s: float = 120.0  # without one byte of a body that a client is sending
    requests: int = 1_000  # in flight at once
    waiting: int = 256  # of them, that wait until the engine reads them
    held_bytes: int = 512 * _MIB  # bodies in memory at once
    cached_bytes: int = 256 * _MIB  # of memory for the last requests of sessions; others are read again
    stored_bytes: int = 8 * 1024 * _MIB  # that one tenant's sessions removed; then nothing more is removed
    connect_s: float = 10.0  # to reach a provider
    probe_s: float = 60.0  # after so long without an answer, the check of health asks a provider itself
    stall_s: float = 900.0  # without one byte of a provider: long thinking may be silent for minutes
    drain_s: float = 30.0  # for responses in flight when the proxy is stopped


class ProxySettings(Struct, frozen=True, kw_only=True):
    """All settings of `secateur serve`."""

    host: str = "127.0.0.1"
    port: int = 0  # 0: any that is free
    mode: Mode = "observe"
    rules: tuple[ModeRule, ...] = ()  # another mode for some requests; the first one that fits
    summarizers: tuple[str, ...] = ()  # that write summaries in `full`; without one they are made without a model
    policy: str = "balance"
    target_tokens: int | None = None  # views are kept under so many tokens; None: as the policy says
    store: str = ""  # the address of the store; "" for the default one
    recall: Recall = "auto"  # how models read back; files: from this machine's files; served: by a tool of the proxy's
    tenant: str | None = None  # who owns all sessions; None: each credential its own
    upstreams: dict[Api, str] = {}  # by API; what is not here is its provider's own address
    token: str = ""  # what clients have to know; "" on this machine only
    subscriptions: bool = False  # prune requests that a subscription pays, too
    traces: bool = False  # a span for each request, by OpenTelemetry
    workers: int = 1  # processes that share the port
    limits: ProxyLimits = ProxyLimits()

    @property
    def is_shared(self) -> bool:
        """Whether people who need not trust each other may use it: others than those of this machine, or by a token."""
        return bool(self.token) or not is_local_host(self.host)

    def find_upstream(self, api: Api) -> str:
        """The address for requests of an API, without a slash at its end; "" for a cloud without an address."""
        return self.upstreams.get(api) or PROVIDERS.get(api, "")


def check_mode(name: str) -> Mode:
    """A mode by its name. Raises ConfigError."""
    for mode in MODES:
        if mode == name:
            return mode
    raise ConfigError(f"{name!r:.80} is not a mode: choose from {', '.join(MODES)}")


def check_recall(name: str) -> Recall:
    """A way to read back by its name. Raises ConfigError."""
    for recall in RECALLS:
        if recall == name:
            return recall
    raise ConfigError(f"{name!r:.80} is not a way to read back: choose from {', '.join(RECALLS)}")


def check_upstream(address: str) -> str:
    """The address of a provider, as it is kept. Raises ConfigError."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
        usable = usable and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not address.isascii():
        raise ConfigError(f"{address!r:.80} is not an address of a provider: give one such as https://api.openai.com")
    return address.rstrip("/")
