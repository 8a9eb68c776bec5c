"""Files of several conversations: each is taken out in the shape that its format reads."""

import json
from typing import Any

from secateur.simulate.several import read_recordings, split_conversations

SAID = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
MORE = [*SAID, {"role": "user", "content": "three"}]


def sizes(value: Any) -> list[int]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [len(one.segments[0].messages) for one in read_recordings(data)]


def captured(*bodies: list[dict[str, str]]) -> bytes:
    lines = [{"request": {"body": {"model": "claude-opus-4-5", "messages": body}}} for body in bodies]
    return "\n".join(map(json.dumps, lines)).encode()


def test_runs_of_a_benchmark() -> None:
    assert sizes([{"task_id": 0, "traj": SAID}, {"task_id": 1, "traj": MORE}]) == [2, 3]
    assert sizes({"tasks": [], "simulations": [{"id": "a", "messages": SAID}, {"id": "b", "messages": MORE}]}) == [2, 3]


def test_of_captured_requests_the_last_of_each_conversation_counts() -> None:
    assert sizes(captured(SAID[:1], MORE, SAID[:1], MORE, [*MORE, *SAID[1:]])) == [3, 4]


def test_one_run_a_line() -> None:
    lines = b"\n".join(json.dumps({"instance_id": name, "history": []}).encode() for name in "ab")
    assert list(split_conversations(lines + b"\n")) == lines.split(b"\n")


def test_any_other_file_is_one_conversation() -> None:
    log = b'{"type":"session","id":"s"}\n{"type":"message","message":{"role":"user","content":"hi"}}\n'
    body = json.dumps({"messages": MORE}).encode()
    assert list(split_conversations(log)) == [log]
    assert list(split_conversations(body)) == [body]
