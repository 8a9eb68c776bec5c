"""Media of a generateContent request that make it too large.

Rule G14: the oldest go first. A part becomes a text that says what stood there; in a response, which holds media beside
what it tells, that text joins what it tells.
"""

from typing import Any

from msgspec import Struct

from secateur.api.editable import Node
from secateur.api.gemini.repairs_contents import datum
from secateur.api.gemini.rules_request import BODY
from secateur.api.repair_run import Work
from secateur.api.replacement_texts import removed


class _Medium(Struct, eq=False):
    """Inline data: of a part, or of one that a response holds."""

    part: Node
    value: dict[str, Any]
    at: str = ""  # the name of the response it stands in


def mend_media(work: Work) -> None:
    """Let the body have no more bytes than the API takes."""
    most = work.settings.limits.body_bytes or BODY
    found = [one for _, part in work.blocks() for one in _within(part)]
    whole = work.bytes or sum(len(_data(one.value)) for one in found)
    for one in found:
        if whole <= most:
            return
        whole -= len(_data(one.value))
        _clear(work, one)


def _within(part: Node) -> list[_Medium]:
    kind, name = datum(part)
    value = part.get(name)
    if kind == "inlineData" and isinstance(value, dict):
        return [_Medium(part, value)]
    inner = value.get("parts") if kind == "functionResponse" and isinstance(value, dict) else None
    held = [_inline(one) for one in inner] if isinstance(inner, list) else []
    return [_Medium(part, one, name) for one in held if one]


def _inline(value: Any) -> dict[str, Any]:
    found = (value.get("inlineData") or value.get("inline_data")) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _data(value: dict[str, Any]) -> str:
    data = value.get("data")
    return data if isinstance(data, str) else ""


def _clear(work: Work, one: _Medium) -> None:
    mime = one.value.get("mimeType") or one.value.get("mime_type") or "media"
    text = removed(mime, _data(one.value), "the request had too many bytes")
    if one.at:
        _clear_held(one, text)
    else:
        one.part.put((), {"text": text})
    work.say("G14", one.part, text[1:-1])


def _clear_held(one: _Medium, text: str) -> None:
    """Take a medium out of a response."""
    held: dict[str, Any] = one.part.get(one.at)
    parts = [inner for inner in held["parts"] if _inline(inner) is not one.value]
    said = held.get("response")
    told: dict[str, Any] = said if isinstance(said, dict) else {}
    gone = "\n".join(filter(None, (told.get("removed"), text))) if isinstance(told.get("removed"), str | None) else text
    kept = {name: value for name, value in held.items() if name != "parts"} | ({"parts": parts} if parts else {})
    one.part.put((one.at,), kept | {"response": {**told, "removed": gone}})
