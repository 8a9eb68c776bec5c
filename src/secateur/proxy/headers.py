"""Headers on their way through: what concerns one connection only stays behind, all else passes in its order.

Rule: names and values are never changed, and nothing that a client sent is written to a log.
"""

from collections.abc import Iterable

from secateur.proxy.routes import Headers

OWN = b"x-secateur"  # headers of ours begin with it; none is sent to a provider, and none of a provider's is passed on
_HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_FOR_US = frozenset((b"host", b"expect", b"content-length"))  # headers of a request that are created again


def find_header(headers: Headers, name: bytes) -> str:
    """The value of a header, several joined as HTTP joins them; "" without one."""
    return ", ".join(value.decode("latin-1") for known, value in headers if known == name)


def has_header(headers: Headers, name: bytes) -> bool:
    """Whether there is such a header."""
    return any(known == name for known, _ in headers)


def select_request_headers(
    headers: Headers, dropped: Iterable[bytes] = (), keep_length: bool = False
) -> list[tuple[str, str]]:
    """The headers of a request as they are sent on; `dropped` are those that do not hold for its new body.

    `keep_length` is for a body that is sent on while it arrives.
    """
    out = {*_HOP_BY_HOP, *_FOR_US, *_list_connection_names(headers), *dropped}
    if keep_length and not has_header(headers, b"transfer-encoding"):
        out.discard(b"content-length")
    kept = [(name, value) for name, value in headers if name not in out and not name.startswith(OWN)]
    return [(name.decode("latin-1"), _decode(value)) for name, value in kept]


def select_response_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of a response as they are sent back."""
    lowered = tuple((name.lower(), value) for name, value in headers)
    out = _HOP_BY_HOP | _list_connection_names(lowered)
    return [(name, value) for name, value in lowered if name not in out and not name.startswith(OWN)]


def _list_connection_names(headers: Headers) -> set[bytes]:
    """The headers that the connection's own header names: they end here too."""
    values = [value for name, value in headers if name == b"connection"]
    return {token.strip().lower() for value in values for token in value.split(b",")}


def _decode(value: bytes) -> str:
    """The text that is written as the same bytes, if they are UTF-8."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
