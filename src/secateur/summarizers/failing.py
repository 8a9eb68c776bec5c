"""What kind of failure an exception of a provider's client is.

Rule: told by status and by what the exception says of itself, along the chain of its causes, so that no client has to
be loaded for it. Texts are redacted: providers repeat keys in them.
"""

import json
import re
from collections.abc import Iterator

from secateur.compaction.ask import Failure
from secateur.redact import redact
from secateur.summarizers.protocol import Failed

RETRIED: tuple[Failure, ...] = ("unreachable", "dropped", "rate_limited", "overloaded")
_TOO_LONG = re.compile(r"context|too long|too large|maximum.{0,40}tokens|exceed", re.I)
_STATUS: dict[int, Failure] = {401: "auth", 403: "auth", 408: "unreachable", 413: "window", 429: "rate_limited"}
_TYPES: tuple[tuple[str, Failure], ...] = (  # names of exceptions, the first that one of the chain ends with
    ("ConnectTimeout", "unreachable"),
    ("TimeoutException", "timeout"),
    ("TimeoutError", "timeout"),
    ("RemoteProtocolError", "dropped"),
    ("ReadError", "dropped"),
    ("ValidationError", "malformed"),
    ("UnknownApiResponseError", "malformed"),
    ("ConnectError", "unreachable"),
    ("ConnectionError", "unreachable"),
)
_SAYS: tuple[tuple[str, Failure], ...] = (("rate_limit", "rate_limited"), ("overloaded", "overloaded"))
_MOST = 300  # characters of an error that are kept


def to_failed(error: BaseException) -> Failed:
    """Convert an exception to our `Failed`."""
    chain = tuple(_walk_causes(error))
    own = next((one for one in chain if isinstance(one, Failed)), None)
    if own is not None:
        return Failed(own.failure, _format_error(own), own.wait_s)
    status = _get_status(error)
    if status is not None and status >= 300:
        return Failed(_classify_status(status, str(error)), f"{status}: {_format_error(error)}", _wait_s(error))
    return Failed(_classify_chain(chain), f"{type(error).__name__}: {_format_error(error)}")


def _classify_status(status: int, text: str) -> Failure:
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:
        return "overloaded"
    return "window" if status == 400 and _TOO_LONG.search(text) else "refused"


def _classify_chain(chain: tuple[BaseException, ...]) -> Failure:
    said = str(chain[0])
    for word, failure in _SAYS:  # an error inside a stream that began well
        if word in said:
            return failure
    if any(isinstance(one, json.JSONDecodeError | UnicodeDecodeError) for one in chain):
        return "malformed"
    names = [kind.__name__ for one in chain for kind in type(one).__mro__]
    return next((failure for name, failure in _TYPES if any(one.endswith(name) for one in names)), "crashed")


def _walk_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _get_status(error: BaseException) -> int | None:
    """`status_code` of Anthropic's and OpenAI's exceptions, `code` of Google's."""
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def _wait_s(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except (TypeError, ValueError):
        return None


def _format_error(error: BaseException) -> str:
    return " ".join(redact(str(error)).split())[:_MOST]
