"""Every recorded session of thirty requests or more, request by request: what moves between epochs, and how many.

    SECATEUR_CORPUS=DIR python benchmarks/replay.py [--policy P]... [--native] [--least 30] [NAME]...

For each policy (default: all presets) and session: the requests, the epochs, the tokens that went, and how often a
message of the view before reads otherwise without an epoch (bar: never; a host's own compaction and what a preset
without memory does aside). The number of epochs is bounded by the tokens that went over the policy's smallest batch.
With `--native` the engine itself is given the native document of each request (a log cut behind the request's last
line, a body with its first messages), and bytes are compared instead of messages.
"""

import argparse
import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

from corpus import find_corpus
from msgspec import Struct

from secateur import Engine
from secateur.jsontext import Lines, Text
from secateur.model import Message
from secateur.policy import Policy, list_preset_names, load
from secateur.schedule import BreakEven, Threshold
from secateur.simulate.replay import ReplayedTurn, iterate_moments, replay_policy
from secateur.simulate.requests import Recording

sys.path.insert(0, str(Path(__file__).parent))
from balance import sessions

WINDOW = 200_000
ANY = 1  # of a policy that asks for no batch: then the number of epochs has no bar


class Replayed(Struct, frozen=True):
    """One session under one policy."""

    requests: int
    epochs: int
    freed: int  # tokens that its edits took out
    batch: int  # the smallest that the policy makes
    moved: int  # requests without an epoch that do not continue from the one before

    @property
    def bound(self) -> int:
        """The most epochs that so much can take."""
        return ceil(self.freed / self.batch)

    @property
    def holds(self) -> bool:
        return not self.moved and (self.batch == ANY or self.epochs <= self.bound)


def batch(policy: Policy) -> int:
    """The smallest batch that a policy makes, in tokens."""
    if isinstance(policy.schedule, BreakEven):
        return policy.schedule.min_tokens_freed
    if isinstance(policy.schedule, Threshold):
        marked = policy.schedule.over_prunable_tokens or 0  # placeholders stay of what is marked
        return max(ANY, policy.schedule.clear_at_least, marked // 2)
    return ANY


def replay(recording: Recording, policy: Policy) -> Replayed:
    """By the views of a replay."""
    turns = list(replay_policy(recording, policy, window=WINDOW))
    moved = freed = 0
    before: ReplayedTurn | None = None
    for turn in turns:
        goes_on = before is not None and before.request.segment == turn.request.segment
        shown = before.seen if before is not None and goes_on else ()
        if turn.opened:
            freed += _freed(recording, turn, shown)
        elif not _extends(shown, turn.seen):
            moved += 1
        before = turn
    return Replayed(len(turns), sum(turn.opened for turn in turns), freed, batch(policy), moved)


def _extends(shorter: tuple[Message, ...], longer: tuple[Message, ...]) -> bool:
    """Whether a view continues from another: each message is the same, or reads the same."""
    if len(shorter) > len(longer):
        return False
    return all(one is other or _said(one) == _said(other) for one, other in zip(shorter, longer, strict=False))


def _said(message: Message) -> Any:
    return message.role, [
        (part.kind, part.text, part.tool, part.call_id, part.is_error, part.fingerprint) for part in message.parts
    ]


def _freed(recording: Recording, turn: ReplayedTurn, shown: tuple[Message, ...]) -> int:
    """The tokens that the epoch of a turn took out: of what was shown before, and of what came new."""
    was = sum(_tokens(message) for message in shown)
    new = (
        recording.get_context(turn.request)[_known(recording, turn) :] if shown else recording.get_context(turn.request)
    )
    return was + sum(map(_tokens, new)) - sum(map(_tokens, turn.seen))


def _known(recording: Recording, turn: ReplayedTurn) -> int:
    """Messages that the request before held."""
    return max(
        (one.answer for one in recording.requests[: turn.request.number] if one.segment == turn.request.segment),
        default=0,
    )


def _tokens(message: Message) -> int:
    return sum(part.tokens for part in message.parts)


def native(recording: Recording, policy: Policy) -> Replayed | None:
    """By the bytes that the engine makes of native documents; None where requests cannot be cut out of this one."""
    format = recording.document.format.name
    engine, moved, epochs, freed = Engine(policy, window=WINDOW, format=format, compact=False, too_long="send"), 0, 0, 0
    before, keys = list[bytes](), list[str]()
    for (_, at, idle_s), body in zip(iterate_moments(recording), _bodies(recording), strict=False):
        if body is None:
            return None
        view = engine.fit(body, session="s", now_ms=at, idle_s=idle_s)
        shown, now = _pieces(view.request), [message.key for message in view.raw_transcript.messages]
        stands = now[: len(keys)] == keys  # else a line that came behind cleared older ones: the host did that
        if view.receipt.opened:
            epochs += 1
            freed += sum(entry.tokens_before - entry.tokens_after for entry in view.receipt.edits)
        elif stands and shown[: len(before)] != before:
            moved += 1
        before, keys = shown, now
    return Replayed(len(recording.requests), epochs, freed, batch(policy), moved)


def _bodies(recording: Recording) -> Iterator[bytes | None]:
    """The native document of each request."""
    document, whole = recording.document, recording.document.native
    if len(recording.segments) > 1:
        yield None
    for request in recording.requests:
        held = recording.get_context(request)
        if isinstance(whole, Lines):
            last = max(max(message.lines, default=0) for message in held)
            text = whole.child(last)
            yield whole.data[: text.end] + b"\n" if text is not None else None
        elif isinstance(whole, Text) and document.transcript.messages_path == ("messages",):
            items = whole.at(("messages",))
            step = held[-1].path[1]
            assert items is not None
            assert isinstance(step, int)
            yield b'{"model":"%s","messages":[%s]}' % (
                recording.model.encode(),
                b",".join(item.raw for number in range(step + 1) if (item := items.child(number)) is not None),
            )
        else:
            yield None


def _pieces(data: bytes) -> list[bytes]:
    """The lines of a log, or the messages of a body, as they stand."""
    if data.startswith(b'{"model":') and data.rstrip().endswith(b"]}"):
        items = Text.of(data).at(("messages",))
        assert items is not None
        found: list[bytes] = []
        while (item := items.child(len(found))) is not None:
            found.append(item.raw)
        return found
    return data.splitlines()


def main() -> int:
    """Print a line a policy, and one for each session that breaks a bar; 1 if one does, 2 without sessions."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*", help="only sessions whose name holds one of these")
    asked.add_argument("--policy", action="append", help="default: all presets that edit")
    asked.add_argument("--native", action="store_true")
    asked.add_argument("--least", type=int, default=30, help="requests")
    given = asked.parse_args()
    corpus = find_corpus()
    policies = [load(one) for one in given.policy or [name for name in list_preset_names() if name != "observe"]]
    wanted = [
        (name, one)
        for name, one in sessions(corpus)
        if len(one.requests) >= given.least and any(part in name for part in given.names or ("",))
    ]
    print(f"{len(wanted)} sessions of at least {given.least} requests")
    return int(not all([told(policy, wanted, given.native) for policy in policies]))


def told(policy: Policy, wanted: list[tuple[str, Recording]], by_bytes: bool) -> bool:
    """Print the sums of a policy over all sessions; whether its bars are met."""
    found: list[Replayed] = []
    for name, recording in wanted:
        one = native(recording, policy) if by_bytes else replay(recording, policy)
        if one is None:
            continue
        found.append(one)
        if not one.holds:
            print(f"  {policy.name}: {name}: {one.moved} moved, {one.epochs} epochs, at most {one.bound}")
    requests, epochs, freed = (sum(getattr(one, what) for one in found) for what in ("requests", "epochs", "freed"))
    print(
        f"{policy.name:20} {len(found):4} sessions {requests:7,} requests {epochs:6,} epochs, at most "
        f"{sum(one.bound for one in found):9,} ({freed:12,} tokens went, batches of {batch(policy):,} or more); "
        f"{sum(one.moved for one in found)} prefixes moved without one",
        flush=True,
    )
    return all(one.holds for one in found)


if __name__ == "__main__":
    raise SystemExit(main())
