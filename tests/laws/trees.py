"""Request trees: a main line, forks, side calls, retries, rewinds and returns under one session name, from a seed.

Rule: what is held is told from the bodies alone. The request that another one continues from is the longest history
that was sent and that it begins with, of equal ones the last; as that was sent, so the view of the new one begins,
unless its own receipt says that an epoch was opened. Results that the model has not answered are in the view as
received; where a policy takes them, it is counted, and the receipt has to tell.
"""

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import takewhile
from random import Random
from typing import Any, NamedTuple

from laws.natives import elements
from laws.shapes import Shape, style
from laws.stories import Said, Story, story
from laws.trials import Trial, preset
from secateur import Engine, StillTooLong, View
from secateur.stores.memory import MemoryStore
from secateur.text.lossless import expand_repeats

PRESETS = ("balance", "kilocode", "opencode", "anthropic")
OURS = ("balance",)
TRIALS: dict[str, Trial] = {name: preset(name) for name in PRESETS}
_NOW = 1_700_000_000_000  # ms


class Asked(NamedTuple):
    """One request of a tree."""

    kind: str
    said: list[Said]
    idle_s: float


class Request(NamedTuple):
    """A request of a tree in the words of an API: what a client sends, and the elements of its history."""

    kind: str
    body: bytes
    raw: list[str]
    idle_s: float


class Sent(NamedTuple):
    """What was sent: the elements of the body as received, and of the view."""

    raw: list[str]
    view: list[str]
    added: int  # elements at the end of the view that a summary put behind the history


class Outcome:
    """What trees came to."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()  # (what, policy)
        self.findings: list[str] = []

    def note(self, policy: str, what: str, times: int = 1) -> None:
        if times:
            self.counts[what, policy] += times

    def found(self, policy: str, what: str, text: str) -> None:
        self.note(policy, what)
        self.findings.append(f"{what}: {text}")

    def add(self, other: "Outcome") -> None:
        self.counts += other.counts
        self.findings += other.findings


class _Grower:
    """Draws a tree: lines grow by stretches of stories, whose ids no other stretch has."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"tree {seed}")
        self.seed, self.stretches = seed, 0

    def stretch(self) -> list[Said]:
        """More of a conversation: it begins with the assistant."""
        self.stretches += 1
        told = next(one for one in self.stories() if not one.broken and len(one.said) > 3)
        said = deepcopy(told.said[1:])
        first = next((n for n, one in enumerate(said) if one.by == "assistant"), 0)
        for one in said:
            for block in one.blocks:
                if "id" in block:
                    block["id"] = f"{block['id']}x{self.stretches}"
                if block.get("is") == "thought":
                    block["sign"] = f"c2ln{self.stretches:04d}{block['sign'][8:]}"
        return said[first:]

    def stories(self) -> Iterator[Story]:
        while True:
            yield story(self.rng.randrange(1 << 40))

    def user(self, text: str) -> Said:
        return Said("user", [{"is": "text", "text": text, "number": 0}])


def ends(said: list[Said]) -> list[int]:
    """Where a client could send: before the assistant speaks."""
    inner = [n for n in range(1, len(said)) if said[n].by == "assistant" and said[n - 1].by != "assistant"]
    return [*inner, len(said)] if said[-1].by != "assistant" else inner


def tree(seed: int) -> list[Asked]:
    """The requests of a tree in the order in which they are sent."""
    grower = _Grower(seed)
    rng = grower.rng
    lines = [[grower.user("please begin"), *grower.stretch()]]
    asked = [Asked("main", lines[0][: ends(lines[0])[0]], 5.0)]
    at = [0]  # how far each line has come: an index into its ends
    for number in range(rng.randint(4, 9)):
        kind = rng.choices(("grow", "fork", "side", "title", "rewind", "retry"), (8, 3, 3, 1, 2, 1))[0]
        line = rng.choice((0, 0, len(lines) - 1))
        idle = rng.choice((5.0, 5.0, 5.0, 400.0, 5_000.0))
        here = ends(lines[line])[: at[line] + 1]
        if kind == "grow":
            asked += [Asked("main" if not line else "branch", one, idle) for one in _grown(grower, lines, at, line)]
        elif kind == "fork":
            cut = lines[line][: rng.choice(here)]
            lines.append([*cut, grower.user(f"another way {number}"), *grower.stretch()])
            at.append(ends(lines[-1]).index(len(cut) + 1) if len(cut) + 1 in ends(lines[-1]) else 0)
            asked.append(Asked("fork", lines[-1][: ends(lines[-1])[at[-1]]], idle))
        elif kind == "side":
            asked.append(Asked("side", [*lines[line][: here[-1]], grower.user(f"by the way {number}?")], idle))
        elif kind == "title":
            asked.append(Asked("title", [lines[0][0], grower.user("Give this a title.")], idle))
        else:
            end = here[-1] if kind == "retry" else rng.choice(here)
            asked.append(Asked(kind, lines[line][:end], idle))
    asked += [Asked("return", one, 5.0) for one in _grown(grower, lines, at, 0)]
    return asked


def _grown(grower: _Grower, lines: list[list[Said]], at: list[int], line: int) -> Iterator[list[Said]]:
    """A line goes on by one or two requests."""
    for _ in range(grower.rng.choice((1, 1, 2))):
        if at[line] + 1 >= len(ends(lines[line])):
            if lines[line][-1].by == "assistant":
                lines[line].append(grower.user("go on"))
            lines[line] += grower.stretch()
        at[line] = min(at[line] + 1, len(ends(lines[line])) - 1)
        yield lines[line][: ends(lines[line])[at[line]]]


def write_requests(seed: int, shape: Shape, tree: list[Asked]) -> list[Request]:
    """A tree in the words of an API, as every policy is asked it."""
    written: list[Request] = []
    for asked in tree:
        body = shape.body(Story(asked.said, 0, True, False, False, False), len(asked.said), style(shape, seed))
        written.append(Request(asked.kind, json.dumps(body).encode(), elements(body[shape.array]), asked.idle_s))
    return written


class Player:
    """One tree played in one API's words under one policy."""

    def __init__(self, seed: int, shape: Shape, policy: str, kept: bool) -> None:
        self.name = f"tree {seed}, {shape.format} under {policy}{', kept' if kept else ''}"
        self.rng = Random(f"{self.name}")
        self.shape, self.policy, self.kept = shape, policy, kept
        self.model = style(shape, seed).model
        self.store = MemoryStore() if kept else None
        self.window = self.rng.choice((None, 400, 1_200, 4_000))
        self.sends = self.rng.random() < 0.5
        self.engine = self.made()
        self.sent: list[Sent] = []

    def made(self) -> Engine:
        return Engine(
            TRIALS[self.policy].policy,
            self.model,
            window=self.window,
            format=self.shape.format,
            store=self.store,
            too_long="send" if self.sends else "raise",
        )

    def play(self, requests: list[Request], outcome: Outcome) -> None:
        now = _NOW
        for number, one in enumerate(requests):
            now += int(one.idle_s * 1000)
            if self.kept and self.rng.random() < 0.3:
                self.engine = self.made()
            outcome.note(self.policy, "requests")
            try:
                view = self.engine.fit(one.body, session="s", now_ms=now, idle_s=one.idle_s)
            except StillTooLong:
                outcome.note(self.policy, "too long")
                continue
            self.look(f"{self.name}, request {number} ({one.kind})", one.raw, view, outcome)

    def look(self, name: str, raw: list[str], view: View[Any], outcome: Outcome) -> None:
        """Hold one view to the laws."""
        seen = elements(view.request)
        last = find_parent(self.sent, raw)
        outcome.note(self.policy, "epochs", view.receipt.opened)
        if last is not None and not stands(last, raw, seen):
            outcome.note(self.policy, "moves")
            if not view.receipt.opened:
                outcome.found(self.policy, "unrecorded moves", name)
        lost, excerpts = unread(view)
        outcome.note(self.policy, "excerpts of unread results", excerpts)
        if lost:
            outcome.note(self.policy, "results lost unread", lost)
            if self.policy in OURS:
                outcome.found(self.policy, "lost by ours", name)
            if view.receipt.unread < lost:
                outcome.found(self.policy, "untold", f"{name}: {lost}, and {view.receipt.unread} told")
        added = len(list(takewhile(lambda one: one.is_put_in, reversed(view.transcript.messages))))
        self.sent.append(Sent(raw, seen, added))


def find_parent(sent: list[Sent], raw: list[str]) -> Sent | None:
    """The request that a history continues from: the longest that it begins with, of equal ones the last.

    Two of as many messages may differ in how far the last message had grown; the one that had grown further is longer.
    """
    before = [one for one in sent if goes_on(one.raw, raw)]
    return max(reversed(before), key=lambda one: (len(one.raw), len(one.raw[-1])), default=None)


def goes_on(sent: list[str], raw: list[str]) -> bool:
    """Whether a history begins with one that was sent; the last message of that may have grown."""
    end = len(sent) - 1
    return raw[:end] == sent[:end] and len(raw) > end and grown(json.loads(sent[end]), json.loads(raw[end]))


def grown(old: Any, new: Any) -> bool:
    """Whether a message is another one, with more behind it or not."""
    if old == new:
        return True
    inner = next((name for name in ("content", "parts") if isinstance(old.get(name), list)), None)
    if old.get("role") != new.get("role"):
        return False
    if isinstance(old.get("content"), str) and isinstance(new.get("content"), list):  # a lone text is a block
        return bool(new["content"]) and new["content"][0].get("text") == old["content"]
    if inner is None or not isinstance(new.get(inner), list):
        return False
    return bool(old[inner] == new[inner][: len(old[inner])])


def stands(last: Sent, raw: list[str], seen: list[str]) -> bool:
    """Whether a view begins as what it continues from was sent; a message that has grown is not asked."""
    same = raw[: len(last.raw)] == last.raw
    end = len(last.view) if same else len(last.view) - last.added - 1
    return seen[:end] == last.view[:end]


def unread(view: View[Any]) -> tuple[int, int]:
    """Results behind the last answer that are not in the view as received: those that went, and excerpts.

    Repetition that is written once, with its count, is the same text: it expands to that character by character.
    """
    messages = view.raw_transcript.messages
    last = max((n for n, one in enumerate(messages) if one.role == "assistant"), default=-1)
    shown = {part.key: part.text for message in view.transcript.messages for part in message.parts}
    changed = [
        part.key
        for message in messages[last + 1 :]
        for part in message.parts
        if part.kind == "tool_result" and not _is_whole(part.text, shown.get(part.key))
    ]
    excerpts = sum(_is_excerpt(view, key) for key in changed if key in shown)
    return len(changed) - excerpts, excerpts


def _is_whole(came: str, seen: str | None) -> bool:
    return seen is not None and (seen == came or expand_repeats(seen) == came)


def _is_excerpt(view: View[Any], key: str) -> bool:
    edits = [edit for epoch in view.plan.epochs for edit in epoch.edits if getattr(edit, "key", "") == key]
    return bool(edits) and edits[-1].strategy == "excerpt"
