"""No credential reaches a summarizer, a summary or a log, wherever in the history it stands."""

import json
import logging

import msgspec
import pytest
from msgspec.structs import replace

from compactions import done, scene
from conversation import assistant, result, summary, talk, user
from credentials import PLANTED
from secateur.compaction.settings import Compaction, Continuation
from secateur.summarizers import parse
from secateur.summarizers.run import CompactionTask, compact_history
from upstream import spoken, streams, upstream

LINES = [frame.format(secret) for _, frame, secret in PLANTED]
SECRETS = [secret for *_, secret in PLANTED]
HEADINGS = (
    *("Goal", "Instructions", "Constraints", "Discoveries"),
    *("Accomplished", "Relevant files", "Open questions", "Next steps"),
)


def test_there_are_thirty_shapes() -> None:
    assert len({kind for kind, *_ in PLANTED}) >= 30


PLACES = ("output", "arguments", "file name", "focus", "summary before", "answer", "cut", "agent", "user")


@pytest.mark.parametrize("place", PLACES)
def test_no_credential_goes_on(place: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = "\n".join(f"- {line}" for line in LINES)
    answer = "\n".join(f"## {one}\n- The deploy is done." for one in HEADINGS)
    if place == "answer":
        answer = answer.replace("## Accomplished", f"{told}\n## Accomplished")
    with upstream(streams(spoken("openai-chat", answer))) as server:
        conversation = talk(user("Deploy it. Never push to main."), *_history(place), user("Go on."))
        given = scene(conversation, focus=told if place == "focus" else "")
        task = CompactionTask(given, Compaction(keep_turns=1, keep_tokens=0), Continuation())
        made = compact_history(task, parse(f"{server.url}/v1?window=200000#m", local_only=True))
    outcome = done(made.outcome)
    assert server.bodies
    kept = msgspec.json.encode((replace(outcome, blobs={}), made.answers)).decode()
    everything = "\n".join((*server.bodies, outcome.summary, kept, caplog.text))
    pieces = [piece for secret in SECRETS for piece in secret.split("\n") if len(piece) > 5]
    pieces += [piece for piece in pieces if len(piece) >= 40 for piece in (piece[:24], piece[-24:])]  # if it was cut
    assert [piece for piece in pieces if piece in everything or json.dumps(piece)[1:-1] in everything] == []
    assert "[redacted " in everything


def _history(place: str):  # type: ignore[no-untyped-def]
    """Work in which every credential is at this place."""
    if place == "summary before":
        yield summary("## Discoveries\n" + "\n".join(f"- {line}" for line in LINES))
    for number, line in enumerate(LINES):
        id = f"c{number}"
        command = {"command": f"deploy {line if place == 'arguments' else number}"}
        if place == "file name":
            command = {"file_path": f"/srv/app/{line}"}
        output = (
            f"{'. ' * (425 + number)}{line} {'. ' * 4_000}"
            if place == "cut"
            else line
            if place == "output"
            else f"ok {number}"
        )
        yield assistant((id, "bash" if "command" in command else "read", json.dumps(command)))
        yield result(f"{output}\n" + "done in 2 s\n" * 40, call=id)
    yield assistant(text=f"It is deployed with {chr(10).join(LINES)}" if place == "agent" else "It is deployed.")
    if place == "user":
        for line in LINES:
            yield user(f"Always use {line} for it.")
