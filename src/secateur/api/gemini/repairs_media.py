"""Removes media from a body that is too large, the oldest first.

Rule: a part becomes a text that says what it was. In a response, which has its media beside its data, that text is
added to the data.
"""

from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.api.gemini.repairs_contents import get_datum
from secateur.api.gemini.rules_contents import BODY
from secateur.api.repair_run import RepairRun, register_repair
from secateur.api.replacement_texts import describe_removed


class _Medium(Struct, eq=False):
    """Inline data of a part, or of a part that a response contains."""

    part: Node
    value: dict[str, Any]
    at: str = ""  # the name of its response


@register_repair("G14")
def repair_media(repair: RepairRun) -> None:
    """Remove media until the body has no more bytes than the API accepts."""
    most = repair.options.limits.body_bytes or BODY
    found = [one for _, part in repair.iterate_blocks() for one in _find_media(part)]
    whole = repair.bytes or sum(len(_get_data(one.value)) for one in found)
    for one in found:
        if whole <= most:
            return
        whole -= len(_get_data(one.value))
        _clear(repair, one)


def _find_media(part: Node) -> list[_Medium]:
    kind, name = get_datum(part)
    value = part.get(name)
    if kind == "inlineData" and isinstance(value, dict):
        return [_Medium(part, value)]
    inner = value.get("parts") if kind == "functionResponse" and isinstance(value, dict) else None
    held = [_get_inline_data(one) for one in inner] if isinstance(inner, list) else []
    return [_Medium(part, one, name) for one in held if one]


def _get_inline_data(value: Any) -> dict[str, Any]:
    found = (value.get("inlineData") or value.get("inline_data")) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _get_data(value: dict[str, Any]) -> str:
    data = value.get("data")
    return data if isinstance(data, str) else ""


def _clear(repair: RepairRun, one: _Medium) -> None:
    mime = one.value.get("mimeType") or one.value.get("mime_type") or "media"
    text = describe_removed(mime, _get_data(one.value), "the request had too many bytes")
    if one.at:
        _clear_in_response(one, text)
    else:
        one.part.put((), {"text": text})
    repair.record("G14", one.part, text[1:-1])


def _clear_in_response(one: _Medium, text: str) -> None:
    """Remove a medium from a response."""
    held: dict[str, Any] = one.part.get(one.at)
    parts = [inner for inner in held["parts"] if _get_inline_data(inner) is not one.value]
    said = held.get("response")
    response: dict[str, Any] = said if isinstance(said, dict) else {}
    gone = (
        "\n".join(filter(None, (response.get("removed"), text)))
        if isinstance(response.get("removed"), str | None)
        else text
    )
    kept = {name: value for name, value in held.items() if name != "parts"} | ({"parts": parts} if parts else {})
    one.part.put((one.at,), kept | {"response": {**response, "removed": gone}})
