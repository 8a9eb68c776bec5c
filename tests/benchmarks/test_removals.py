"""What shortening took from a new result, and whether the next answers named it."""

import json
from typing import Any

from removals import find_removals, is_restorable

from secateur.policy import load
from secateur.simulate.replay import replay_policy
from secateur.simulate.requests import read_recording
from secateur.text.lossless import add_note, fold_repeats

LINES = [f"{n}: the gate in src/rose_{n}.py stands open" for n in range(10, 610)]
LOG = "\n".join(LINES)
CUTS = load({"extends": "observe", "on_arrival": {"max_chars": 2_000}, "schedule": {"type": "every_request"}})


def session(*answers: Any) -> bytes:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "./run.sh"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": LOG}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "prune"}, {"role": "assistant", "content": [call]}]
    messages.append({"role": "user", "content": [result]})
    for said in answers:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "go on"}]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 1, "messages": messages}).encode()


def named_in(*answers: Any) -> tuple[str, ...]:
    recording = read_recording(session(*answers))
    [found] = find_removals(recording, tuple(replay_policy(recording, CUTS, window=200_000, handles=True)))
    assert found.on_arrival
    assert found.distance == 1
    assert not found.is_lossless
    assert found.call.startswith("Bash ")
    assert found.saved > 1_000
    return found.named


def read(path: str, **given: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": "d", "name": "Read", "input": {"path": path, **given}}]


def test_what_the_next_answers_name_of_what_is_gone() -> None:
    assert "path src/rose_400.py" in named_in("Now src/rose_400.py.")
    assert "path src/rose_400.py" in named_in("I look.", read("src/rose_400.py"))
    assert named_in(read("a.py", offset=400)) == ("number 400", "line number 400")
    assert named_in(read("a.py", offset=77)) == ("line number 77",)
    assert named_in("All is well, as in src/rose_10.py.") == ()


def test_what_stands_elsewhere_and_what_is_named_late_is_not_lost() -> None:
    assert named_in("I look at beds.", [{"type": "text", "text": "I look at src/beds.py."}], read("src/beds.py")) == ()
    assert named_in("a", "b", "c", "d", "e", "Now src/rose_400.py.") == ()


def test_what_can_be_put_together_again_is_lossless() -> None:
    text = "the gate stands open\n" * 50
    assert is_restorable(text, fold_repeats(text))
    assert is_restorable(text.replace("gate", "\x1b[1mgate\x1b[0m"), add_note(fold_repeats(text), "3f2a9c"))
    assert not is_restorable(text, "the gate stands open\n")
