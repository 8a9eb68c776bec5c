"""What a response without a call reads as in a generateContent request: a text, and the media it held beside it.

Rule: as for the other APIs (`texts`): nothing that the response said is lost, and nothing is said twice.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.replacement_texts import heading
from secateur.formats.gemini import text_of

_MEDIA = frozenset({"inlineData", "inline_data", "fileData", "file_data"})


def told(part: Node, at: str) -> list[Node]:
    """The parts that stand for a response, which stands in its part under the name `at`."""
    value: Any = part.get(at)
    call, name = value.get("id"), value.get("name")
    inner = value.get("parts") if isinstance(value.get("parts"), list) else []
    stays = part.path is not None and not any(op.path in ((), (at,)) for op in part.ops)
    path = (*(part.path or ()), at, "parts")
    media = [
        Node(one, (*path, number) if stays else None)
        for number, one in enumerate(inner)
        if isinstance(one, dict) and _MEDIA & one.keys()
    ]
    kept = {id(one.value) for one in media}
    others = [text_of(one) for one in inner if id(one) not in kept]
    texts = [heading(call, name if isinstance(name, str) else ""), text_of(value.get("response")), *others]
    return [Node({"text": "\n".join(filter(None, texts))}), *media]
