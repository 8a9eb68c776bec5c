"""OpenClaw's session files: Pi's lines, and the line that says when the model was last called."""

from typing import Any

import pytest

from secateur import documents
from secateur.errors import EditError
from secateur.formats.openclaw import OpenClaw
from secateur.formats.pi import Pi
from secateur.model import NewMessage
from session_lines import log, said

HOST = OpenClaw()
HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "1970-01-01T00:00:00Z", "cwd": "/"}


def entry(name: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"id": name, "parentId": parent, "timestamp": "1970-01-01T00:00:05Z", **more}


def custom(name: str, parent: str, kind: str, **data: Any) -> dict[str, Any]:
    return entry(name, parent, type="custom", customType=kind, data=data)


ASKED = entry("a", None, type="message", message={"role": "user", "content": "go"})
SPOKEN = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "provider": "openai", "model": "gpt-5"}
SAID = entry("b", "a", type="message", message=SPOKEN)


def test_the_last_call_is_the_one_that_openclaw_recorded() -> None:
    first = custom("c", "b", "openclaw.cache-ttl", timestamp=1000, provider="openai", modelId="gpt-5")
    last = custom("d", "c", "openclaw.cache-ttl", timestamp=9000, provider="anthropic", modelId="claude-sonnet-4-5")
    read = HOST.read(log(HEADER, ASKED, SAID, first, last))
    assert said(read) == [("user", "go"), ("assistant", "ok")]
    assert (read.last_call_ms, read.provider, read.model) == (9000, "anthropic", "claude-sonnet-4-5")
    assert HOST.read(log(HEADER, ASKED, SAID, last), model="mine").model == "mine"


def test_without_such_a_line_it_reads_as_pi_does() -> None:
    native = log(HEADER, ASKED, SAID, custom("c", "b", "model-snapshot", modelId="gpt-5"))
    assert HOST.read(native) == Pi().read(native)


@pytest.mark.parametrize(
    ("kind", "name"), [("openclaw.cache-ttl", "openclaw"), ("model-snapshot", "openclaw"), ("my-extension", "pi")]
)
def test_it_is_told_from_pi_by_its_own_lines(kind: str, name: str) -> None:
    assert documents.read(log(HEADER, ASKED, SAID, custom("c", "b", kind)).data).format.name == name


def test_a_new_message_is_refused_by_its_name() -> None:
    with pytest.raises(EditError, match="OpenClaw's own compaction entry"):
        HOST.new_message(NewMessage("user", "continue"))
