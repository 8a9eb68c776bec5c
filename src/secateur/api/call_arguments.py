"""Arguments of calls that are not what the API wants: made an object, or a string that spells JSON.

Rule: arguments that break off are never guessed at: a path that was cut is a path to another file. All that was there
is kept under `_raw`, for the model to see what it wrote.
"""

import json
from typing import Any

from secateur.errors import FormatError
from secateur.formats.native import canonical
from secateur.jsontext import loads


def object_of(given: Any) -> dict[str, Any]:
    """Arguments as an object: those that a string spells, none for nothing, else all of it under `_raw`."""
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        try:
            found = loads(given.encode("utf-8", "surrogatepass"))
        except FormatError:
            found = None
        if isinstance(found, dict) and _is_strict(found):
            return found
    return {"_raw": given}


def arguments_of(given: Any) -> str | None:
    """The string that arguments are to be; None where they are one already. Nothing reads as `{}`."""
    if not isinstance(given, str):
        return "{}" if given is None else canonical(given)
    if not given.strip():
        return "{}"
    try:
        loads(given.encode("utf-8", "surrogatepass"))
    except FormatError:
        return canonical({"_raw": given})
    return None


def _is_strict(value: Any) -> bool:
    """Whether it can be written as JSON that everybody reads: no NaN, no infinities."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True
