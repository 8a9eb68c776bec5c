"""Makes the arguments of calls what an API accepts: an object, or a string of JSON.

Rule: arguments that are cut off are never completed, because a path that was cut is the path of another file. All of
the original is kept under `_raw`, so that the model sees what it wrote.
"""

import json
from typing import Any

from secateur.errors import FormatError
from secateur.formats.native import dump_canonical
from secateur.jsontext import loads


def parse_object(given: Any) -> dict[str, Any]:
    """Arguments as an object: parsed from a string, empty for nothing, and otherwise all of it under `_raw`."""
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


def fix_arguments(given: Any) -> str | None:
    """The string that arguments must be, or None if they already are one. Nothing becomes `{}`."""
    if not isinstance(given, str):
        return "{}" if given is None else dump_canonical(given)
    if not given.strip():
        return "{}"
    try:
        loads(given.encode("utf-8", "surrogatepass"))
    except FormatError:
        return dump_canonical({"_raw": given})
    return None


def _is_strict(value: Any) -> bool:
    """Whether a value can be written as strict JSON, without NaN and infinities."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True
