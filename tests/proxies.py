"""A running proxy: the real server, in a thread of its own, in front of upstreams that a test starts."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from secateur.proxy.background import start_in_thread
from secateur.proxy.settings import ProxyLimits, ProxySettings


@contextmanager
def proxy(upstream: str, limits: dict[str, Any] | None = None, **settings: Any) -> Iterator[str]:
    """The address of a proxy that sends everything to one upstream. Without a `store` it has one for itself."""
    upstreams = dict.fromkeys(("anthropic", "openai", "gemini", "bedrock", "vertex"), upstream)
    with TemporaryDirectory() as folder:
        given = {"upstreams": upstreams, "store": f"sqlite://{Path(folder) / 'kept.db'}", **settings}
        with start_in_thread(ProxySettings(limits=ProxyLimits(**(limits or {})), **given)) as running:
            yield running.address


def ask(address: str, path: str, body: bytes = b"", method: str = "POST", **headers: str) -> tuple[int, dict, bytes]:
    """One request and its response: status, headers, body. Underscores in names of headers are dashes."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    connection.request(method, path, body or None, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, data


def read_status(address: str) -> dict[str, Any]:
    """What the proxy says of itself."""
    return json.loads(ask(address, "/_secateur/status", method="GET")[2])
