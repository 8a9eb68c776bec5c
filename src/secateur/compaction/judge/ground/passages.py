"""The history as passages that can be found again by their words: who said each, and what stands beside it.

Rule: a passage is a sentence of the user or of the agent, a line of a call's arguments, or a line of an output. It is
found by the stems that it shares with a claim, the rare ones counting most. Passages of one step (what was said, the
calls, their outputs) make a group: what stands nowhere in one sentence may still stand together there. The newest
part of a long history is read, and a stem that stands everywhere finds nothing, so that a search is bounded.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from math import log
from typing import Literal

from msgspec import Struct

from secateur.compaction.judge.ground.stems import get_stems
from secateur.model import Message, Part

MOST_CHARS = 3_000_000  # of the history, the newest
PASSAGE_CHARS = 600
MOST_PLACES = 1_500  # of a stem that finds anything
MOST_FOUND = 60  # passages of one search
UNSPACED, FEWEST_PAIRS = "\u3040", 3  # pairs of letters of scripts without spaces that make two texts alike

Speaker = Literal["user", "agent", "host", "call", "output"]


class Passage(Struct, frozen=True):
    """One place of the history."""

    text: str
    speaker: Speaker
    group: int


class Match(Struct, frozen=True):
    """A passage, and the share of what was looked for that it holds, by weight."""

    share: float
    passage: Passage


class PassageIndex:
    """The passages of a history by their stems."""

    def __init__(self, passages: Sequence[Passage] = ()) -> None:
        self.passages = tuple(passages)
        self._sets: dict[str, frozenset[int]] = {}
        self._named: dict[str, tuple[int, ...]] = {}

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self.passages):
            for stem in get_stems(one.text):
                found[stem].append(number)
        return found

    @cached_property
    def groups(self) -> dict[int, str]:
        """The text of each group."""
        found: defaultdict[int, list[str]] = defaultdict(list)
        for one in self.passages:
            found[one.group].append(one.text)
        return {group: "\n".join(texts) for group, texts in found.items()}

    @cached_property
    def group_stems(self) -> dict[int, frozenset[str]]:
        """The stems of each group."""
        found: defaultdict[int, set[str]] = defaultdict(set)
        for stem, places in self._places.items():
            for number in places:
                found[self.passages[number].group].add(stem)
        return {group: frozenset(stems) for group, stems in found.items()}

    def list_groups(self, name: str) -> tuple[int, ...]:
        """Return the groups in whose text a name stands."""
        if name not in self._named:
            self._named[name] = tuple(group for group, text in self.groups.items() if name in text)
        return self._named[name]

    def weigh(self, stem: str) -> float:
        """Return how telling a stem is: one that the history does not hold as much as the rarest."""
        return log((len(self.passages) + 1) / (len(self._places.get(stem, ())) + 0.5))

    def has(self, stem: str) -> bool:
        """Whether a stem stands anywhere."""
        return stem in self._places

    def has_together(self, stem: str, other: str) -> bool:
        """Whether two stems stand in one passage."""
        return not self._get_set(stem).isdisjoint(self._get_set(other))

    def _get_set(self, stem: str) -> frozenset[int]:
        if stem not in self._sets:
            self._sets[stem] = frozenset(self._places.get(stem, ()))
        return self._sets[stem]

    def find(self, stems: Collection[str], speakers: Collection[Speaker] = ()) -> tuple[Match, ...]:
        """Find the passages that hold most of these stems, the best first."""
        total = sum(map(self.weigh, stems)) or 1.0
        shares: defaultdict[int, float] = defaultdict(float)
        for weight, places in self._list_places(stems):
            for number in places:
                shares[number] += weight / total
        best = sorted(shares.items(), key=lambda one: (-one[1], one[0]))
        matches = (Match(share, self.passages[number]) for number, share in best)
        kept = (one for one in matches if not speakers or one.passage.speaker in speakers)
        return tuple(one for one, _ in zip(kept, range(MOST_FOUND), strict=False))

    def measure_groups(self, stems: Collection[str], speakers: Collection[Speaker] = ()) -> dict[int, float]:
        """Return which share of these stems each group holds."""
        total = sum(map(self.weigh, stems)) or 1.0
        shares: defaultdict[int, float] = defaultdict(float)
        for weight, places in self._list_places(stems):
            chosen = (self.passages[number] for number in places)
            for group in {one.group for one in chosen if not speakers or one.speaker in speakers}:
                shares[group] += weight / total
        return shares

    def measure_likeness(self, stems: frozenset[str], others: frozenset[str]) -> float:
        """Return how like a claim a statement is, by the weight of what they share of each.

        Stems of the claim that the history does not hold count for nothing: it may use other words.
        """
        shared = stems & others
        if all(one[0].isdigit() for one in shared - _LIGHT) or (len(shared) < FEWEST_PAIRS and min(shared) >= UNSPACED):
            return 0.0
        weight = sum(map(self.weigh, shared))
        own = weight / (sum(self.weigh(one) for one in stems if one in self._places) or 1.0)
        theirs = weight / (sum(map(self.weigh, others)) or 1.0)
        return max(own, theirs) * (1 + min(own, theirs)) / 2

    def _list_places(self, stems: Iterable[str]) -> Iterator[tuple[float, list[int]]]:
        for stem in stems:
            places = self._places.get(stem, [])
            if len(places) <= MOST_PLACES:
                yield self.weigh(stem), places


# Stems that go with anything
_LIGHT = get_stems("use make work change thing file code new run add set do need first last step user agent")


def build_passages(messages: Sequence[Message], kept: Sequence[str] = ()) -> PassageIndex:
    """Build the index of a history. `kept`: what is known beside it."""
    found: list[list[Passage]] = [
        [Passage(line, "host", 0) for text in kept for line in text.split("\n") if line.strip()]
    ]
    room = MOST_CHARS
    for group, message in reversed(list(number_steps(messages))):
        for part in reversed(message.parts):
            texts = list(_split(part))
            room -= sum(map(len, texts))
            found.append([Passage(text, get_speaker(message, part), group) for text in texts])
            if room < 0:
                break
        if room < 0:
            break
    return PassageIndex([one for some in reversed(found) for one in some])


def number_steps(messages: Sequence[Message]) -> Iterator[tuple[int, Message]]:
    """Yield each message with the number of its step: an answer with its calls and their outputs is one."""
    step = 0
    for message in messages:
        has_result = any(part.kind == "tool_result" for part in message.parts)
        step += not has_result
        yield step, message


def get_speaker(message: Message, part: Part) -> Speaker:
    """Return who said a part."""
    if part.kind == "tool_call":
        return "call"
    if part.kind == "tool_result":
        return "output"
    if message.role == "assistant":
        return "agent"
    return "user" if message.role == "user" and message.origin == "user" else "host"


def _split(part: Part) -> Iterator[str]:
    """Yield the sentences or the lines of a part."""
    if part.kind in ("reasoning", "media"):
        return
    text = _ESCAPES.sub("\n", part.text) if part.kind == "tool_call" else part.text
    head = f"{part.tool} " if part.kind == "tool_call" else ""
    for line in (_SENTENCE if part.kind == "text" else _LINE).split(text[-MOST_CHARS:]):
        for at in range(0, len(line), PASSAGE_CHARS):
            if line[at : at + PASSAGE_CHARS].strip():
                yield head + line[at : at + PASSAGE_CHARS]


_ESCAPES = re.compile(r"\\[nt]")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"(?<=[^.\s][.!?])\s+(?=[^a-z\s])|(?<=\w\w\w[.!?])\s+|(?<=[。！？；])|\n")


@lru_cache(maxsize=1_024)
def get_claim_stems(text: str) -> frozenset[str]:
    """Return the stems of a part of a claim, which several rules ask for."""
    return get_stems(text)
