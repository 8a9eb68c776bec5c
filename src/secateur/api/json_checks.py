"""The rule of every API: the body is JSON that UTF-8 can encode."""

import json

import msgspec

from secateur.api.rule import Found, rule
from secateur.api.walker import Walker

_raw = msgspec.json.Decoder(msgspec.Raw)


@rule("A71", "no string contains half a surrogate pair", "docs; reported by users of every API")
def surrogates(history: Walker) -> Found:
    for path in history.find_surrogates():
        yield path, "a string contains half a surrogate pair, which UTF-8 cannot encode: replace it with U+FFFD"


def is_json(text: str) -> bool:
    """Whether a text is one JSON value for the stricter parser or that of the standard library."""
    try:
        _raw.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
    return True
