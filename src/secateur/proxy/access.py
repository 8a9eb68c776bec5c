"""Access control of the proxy.

Rule: on this machine, programs have access, and web pages do not; on any other address, clients need the token. A page
in a browser can reach this machine's ports under a host name of its own, so the names of host and origin are checked.
"""

import hmac
from urllib.parse import urlsplit

from msgspec.structs import replace

from secateur.proxy.headers import find_header
from secateur.proxy.inbound import Request
from secateur.proxy.refusals import Refusal
from secateur.proxy.settings import ProxySettings
from secateur.summarizers.endpoint import is_local_host

_TOKEN = b"x-secateur-token"
_KEY_PATH = b"/_secateur/key/"


class Access:
    """Which requests are admitted."""

    def __init__(self, settings: ProxySettings) -> None:
        self._token = settings.token.encode()
        self._loopback = is_local_host(settings.host)

    def check(self, request: Request, key: bytes) -> None:
        """Raise Refusal unless the request may be served; `key` is the token that was in its path."""
        if self._token:
            given = key or find_header(request.headers, _TOKEN).encode("latin-1")
            if not hmac.compare_digest(given, self._token):
                raise Refusal(401, "give the proxy's token: as the header x-secateur-token, or in the base URL")
        elif self._loopback:
            _check_local(request)


def split_key(request: Request) -> tuple[bytes, Request]:
    """The token in a request's path, and the request without it."""
    if not request.path.startswith(_KEY_PATH):
        return b"", request
    key, _, rest = request.path[len(_KEY_PATH) :].partition(b"/")
    return key, replace(request, path=b"/" + rest)


def _check_local(request: Request) -> None:
    """Raise Refusal for a request that a web page may have made."""
    origin = find_header(request.headers, b"origin")
    for name in filter(None, (f"//{find_header(request.headers, b'host')}", origin)):
        if not is_local_host(_find_hostname(name)):
            raise Refusal(403, "this proxy serves only programs on this machine: address it as 127.0.0.1 or localhost")


def _find_hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
