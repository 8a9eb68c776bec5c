"""What holds for every API: the body is JSON that UTF-8 can carry, and so are the arguments in it."""

import json

import msgspec

from secateur.api.rule import Found, rule
from secateur.api.walker import History

_raw = msgspec.json.Decoder(msgspec.Raw)


@rule("A71", "no string holds half a surrogate pair", "docs; reported by users of every API")
def surrogates(history: History) -> Found:
    for path in history.surrogates():
        yield path, "a string holds half a surrogate pair, which no UTF-8 can carry: put U+FFFD in its place"


def is_json(text: str) -> bool:
    """Whether a text is one JSON value, by the stricter reader or by that of the standard library."""
    try:
        _raw.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
    return True
