"""Who may use the proxy.

Rule: on this machine, programs of this machine and no web page; on any other address, who knows the token. A page in
a browser may reach this machine's ports under a name of its own, so the names of host and origin are checked.
"""

import hmac
from urllib.parse import urlsplit

from msgspec.structs import replace

from secateur.proxy.headers import find_header
from secateur.proxy.inbound import Request
from secateur.proxy.refusals import Refusal
from secateur.proxy.settings import ProxySettings, is_loopback

_TOKEN = b"x-secateur-token"
_KEY_PATH = b"/_secateur/key/"


class Access:
    """What requests are let in."""

    def __init__(self, settings: ProxySettings) -> None:
        self._token = settings.token.encode()
        self._loopback = is_loopback(settings.host)

    def admit(self, request: Request) -> Request:
        """The request, without the token in its path. Raises Refusal."""
        given, path = _split_key(request.path)
        if self._token:
            given = given or find_header(request.headers, _TOKEN).encode("latin-1")
            if not hmac.compare_digest(given, self._token):
                raise Refusal(401, "give the proxy's token: as the header x-secateur-token, or in the base URL")
        elif self._loopback:
            _check_local(request)
        return replace(request, path=path)


def _split_key(path: bytes) -> tuple[bytes, bytes]:
    """The token in a path, and the path behind it."""
    if not path.startswith(_KEY_PATH):
        return b"", path
    key, _, rest = path[len(_KEY_PATH) :].partition(b"/")
    return key, b"/" + rest


def _check_local(request: Request) -> None:
    """Raise Refusal for a request that a web page may have made."""
    origin = find_header(request.headers, b"origin")
    for name in filter(None, (f"//{find_header(request.headers, b'host')}", origin)):
        if not is_loopback(_find_hostname(name)):
            raise Refusal(403, "this proxy serves programs of this machine alone: address it as 127.0.0.1 or localhost")


def _find_hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
