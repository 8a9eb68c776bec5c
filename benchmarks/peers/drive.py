"""A peer over a recorded session: what it would have sent for each request, in its own environment.

Rule: as for our own policies: the peer sees the history up to the request, and keeps the state that it keeps; the agent
is assumed to act as it did. The environment gets no network and no keys: it is a process that answers lines.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lineup import Peer
from pieces import Placed, Views, pieces
from setup import note_of, python_of

from secateur.model import Message
from secateur.simulate.bill import ExtraCall
from secateur.simulate.cache import CachedPrompt
from secateur.simulate.replay import ReplayedTurn, iterate_moments
from secateur.simulate.requests import Recording

ADAPTERS = Path(__file__).parent / "adapters"
_CLOSED = {  # no package may look for anything outside
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "HEADROOM_TELEMETRY": "off",
    "DO_NOT_TRACK": "1",
    "PYTHONHASHSEED": "0",
}


LIMIT_S = 600.0  # of CPU time: a session that takes longer is given up


class Absent(Exception):
    """The peer cannot run here; says why."""


def replayed(recording: Recording, peer: Peer) -> Iterator[tuple[ReplayedTurn, float]]:
    """Each request as the peer would send it, and the CPU milliseconds that it took. Raises Absent."""
    note = note_of(peer.name)
    if not note.get("ok"):
        raise Absent(str(note.get("why") or "not installed: python benchmarks/peers/setup.py"))
    with subprocess.Popen(
        [python_of(peer.name), ADAPTERS / f"on_{peer.name}.py", json.dumps(peer.settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "HOME": str(python_of(peer.name).parents[1]), **_CLOSED},
    ) as process:
        try:
            yield from _asked(recording, process)
        finally:
            process.kill()


def _asked(recording: Recording, process: "subprocess.Popen[str]") -> Iterator[tuple[ReplayedTurn, float]]:
    segment = recording.segments[0]
    placed = pieces(segment.messages)
    views = Views(segment.messages, placed, recording.tally)
    done, tokens, output = 0, 0, 0
    last: tuple[Message, ...] = ()
    spent = 0.0
    for request, at, idle_s in iterate_moments(recording):
        new = _held(placed, done, request.answer)
        asked = {"new": new, "prompt_tokens": tokens, "output_tokens": output, "idle_s": idle_s}
        answer = _answer(process, asked)
        spent += answer["ms"]
        if spent > LIMIT_S * 1_000:
            raise Absent(f"given up after {LIMIT_S:.0f} s at request {request.number} of {len(recording.requests)}")
        done += len(new)
        seen = views.of(answer["sent"], request.answer)
        calls = tuple(_call(recording, *one) for one in answer["calls"])
        changed = not _goes_on(last, seen)
        yield ReplayedTurn(request, at, seen, segment.fixed_tokens, changed, calls=calls), answer["ms"]
        last = seen
        tokens = segment.fixed_tokens + sum(part.tokens for message in seen for part in message.parts)
        output = request.output


def _goes_on(last: tuple[Message, ...], seen: tuple[Message, ...]) -> bool:
    """Whether a view only grew: of one that did not, the last block that stayed what it was is marked, as for ours."""
    return len(last) <= len(seen) and all(
        one is other or one.parts == other.parts for one, other in zip(last, seen, strict=False)
    )


def _held(placed: Placed, done: int, size: int) -> list[dict[str, Any]]:
    """The pieces from number `done` on that stand before message `size`."""
    found = []
    for piece, number in zip(placed.pieces[done:], placed.of[done:], strict=True):
        if number >= size:
            break
        found.append(piece)
    return found


def _answer(process: "subprocess.Popen[str]", asked: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it said why before it went
    line = process.stdout.readline()
    answer: dict[str, Any] = json.loads(line) if line else {"error": "it ended without a word"}
    if "error" in answer:
        raise Absent(answer["error"])
    return answer


def _call(recording: Recording, asked: str, said: str) -> ExtraCall:
    """A summary call, paid as plain input: another prompt than the session's."""
    return ExtraCall(CachedPrompt(0, 0, recording.tally(asked)), recording.tally(said))
