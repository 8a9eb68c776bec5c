"""FM-20: thirty screenshots make a body that is refused for its bytes; resending them helps no one."""

import json
from typing import Any

from secateur.api.repair import RepairLimits, RepairOptions, repair


def screenshot(number: int) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": f"{number:04}" * 2_500}
    return {
        "role": "user",
        "content": [{"type": "image", "source": source}, {"type": "text", "text": f"shot {number}"}],
    }


def test_the_oldest_pictures_become_text_until_the_body_fits() -> None:
    body = json.dumps({"messages": [screenshot(number) for number in range(30)]}).encode()
    done = repair(body, "anthropic_messages", RepairOptions(limits=RepairLimits(body_bytes=200_000)))
    kinds = [message["content"][0]["type"] for message in json.loads(done.document)["messages"]]
    assert len(done.document) <= 200_000
    assert kinds == ["text"] * kinds.count("text") + ["image"] * kinds.count("image")
    assert kinds.count("image") >= 18
    assert json.loads(done.document)["messages"][0]["content"][1]["text"] == "shot 0"
