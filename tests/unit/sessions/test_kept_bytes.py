"""What is kept of a part that leaves the view: its text, or the JSON that it is."""

import json

from secateur import documents
from secateur.sessions.receipt_log import make_blob
from secateur.stores.protocol import Blob

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
CALL = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "roses \ud800 and vines"}
BODY = {
    "model": "claude-opus-4-5",
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "look"}, IMAGE]},
        {"role": "assistant", "content": [THOUGHT, CALL]},
        {"role": "user", "content": [RESULT]},
    ],
}


def blobs(request: object) -> dict[str, Blob]:
    """What is kept of each part, by its kind."""
    read = documents.read(request, "anthropic_messages", "")
    parts = [part for message in read.transcript.messages for part in message.parts]
    found = {part.kind: make_blob(read, part) for part in parts}
    assert [one.key for one in found.values()] == [part.key for part in {part.kind: part for part in parts}.values()]
    return found


def test_a_text_is_kept_as_it_is() -> None:
    found = blobs(BODY)
    assert (found["text"].kind, found["text"].data) == ("text", b"look")
    assert (found["tool_result"].kind, found["tool_result"].data) == ("text", b"roses \xed\xa0\x80 and vines")
    assert found["tool_call"].kind == "text"


def test_what_is_no_text_is_kept_as_the_json_that_it_is() -> None:
    for request in (BODY, json.dumps(BODY).encode()):
        found = blobs(request)
        assert found["media"].kind == "media"
        assert json.loads(found["media"].data) == IMAGE
        assert found["reasoning"].kind == "json"
        assert json.loads(found["reasoning"].data) == THOUGHT
