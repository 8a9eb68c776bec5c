"""Facts as a person would plant them: each fits the text it is in, and is told by a word that stands nowhere else.

Rule: a name in a definition or in a row of data is changed where it stands; an error, a failed test, a version, a hit
of a search, a line of a log comes in as one more line like its neighbours. Only long results bear one, somewhere in
their middle. The same session gives the same facts.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from secateur.lineage import assign_keys
from secateur.model import Part
from secateur.simulate.replay import ReplayedTurn
from secateur.simulate.requests import Recording
from secateur.toolcalls.completed_calls import CompletedCall
from secateur.toolcalls.history import get_history

FACTS, LEAST_LINES = 32, 30
BACK = re.compile(r"handle=\w|hash=\w|Retrieve|recall ")  # how a text names what can be read back


class Fact(Struct, frozen=True):
    """What was planted, the word that tells it, and the result that it is in."""

    kind: str
    word: str
    key: str


def planted(recording: Recording, facts: int = FACTS) -> tuple[Recording, tuple[Fact, ...]]:
    """The session with facts in results all over it, kinds in turn."""
    [segment] = recording.segments
    completed_calls = [one for one in get_history(segment.messages).completed_calls if not one.result.pinned]
    sown: dict[str, str] = {}  # key of a result: its text
    told: list[Fact] = []  # by the keys as they were
    for number, (completed, kind) in enumerate(_places(completed_calls, facts)):
        random = Random(number)
        word = f"{random.choice(_WORDS)}{_TAILS[number % len(_TAILS)]}{number:02}"
        text = _KINDS[kind](sown.get(completed.result.key, completed.result.text), word, random)
        if text is not None:
            sown[completed.result.key] = text
            told.append(Fact(kind, word, completed.result.key))
    messages = [replace(one, parts=tuple(_sown(part, sown) for part in one.parts)) for one in segment.messages]
    grown = replace(segment, messages=assign_keys(messages), index=None)
    again = {
        old.key: new.key
        for was, now in zip(segment.messages, grown.messages, strict=True)
        for old, new in zip(was.parts, now.parts, strict=True)
    }
    found = [replace(one, key=again[one.key]) for one in told if one.word in sown[one.key]]  # a name may change twice
    return replace(recording, segments=(grown,)), tuple(found)


def shown(turn: ReplayedTurn, facts: tuple[Fact, ...], *, back: bool = False) -> list[Fact]:
    """The facts that a view shows; with `back` also those whose result says how to read it back, or is as received."""
    texts = [part.text for message in turn.seen for part in message.parts]
    there = {part.key: part.text for message in turn.seen for part in message.parts}
    whole = "\n".join(texts)
    return [one for one in facts if one.word in whole or (back and BACK.search(there.get(one.key, "")))]


def _places(completed_calls: list[CompletedCall], facts: int) -> list[tuple[CompletedCall, str]]:
    """So many results, evenly spread over the session, each with a kind of fact that fits it; some twice if need be."""
    once = [(completed, kinds) for completed in completed_calls if (kinds := _fit(completed))]
    fitting = [one for one in once for _ in range(-(-facts // max(1, len(once))))]
    chosen = [fitting[index * len(fitting) // facts] for index in range(facts)] if len(fitting) > facts else fitting
    used: dict[str, int] = {}
    found = []
    for completed, kinds in chosen:
        kind = min(kinds, key=lambda one: used.get(one, 0))
        used[kind] = used.get(kind, 0) + 1
        found.append((completed, kind))
    return found


def _fit(completed: CompletedCall) -> list[str]:
    """The kinds of facts that a result can bear."""
    text = completed.result.text
    if text.count("\n") < LEAST_LINES:
        return []
    random = Random(0)
    if completed.shows and not _JSON.search(text):
        return [kind for kind in ("function",) if _KINDS[kind](text, "x", random)]
    for kind in ("row", "hit", "path"):
        if _KINDS[kind](text, "x", random):
            return [kind]
    if _KINDS["function"](text, "x", random):
        return ["function"]
    return ["error", "test", "version", "line"]


def _sown(part: Part, sown: dict[str, str]) -> Part:
    return replace(part, text=sown.get(part.key, part.text), key="", local="")


_WORDS = ("quorum", "ledger", "tariff", "halyard", "cistern", "mortise", "plinth", "sextant")
_TAILS = ("Carry", "Settle", "Window", "Bridge", "Rollup")
_JSON = re.compile(r'^\s*"[\w-]+": ', re.MULTILINE)
_DEFINITION = re.compile(
    r"^[\s\d:|→\t-]*(?:export |async |pub |static )*(?:def|func|function|fn|class)\s+(\w{4,})", re.M
)
_VALUE = re.compile(r'"[\w-]+": ?(?:"(?P<said>[^"\n]{2,60})"|(?P<number>\d{2,}))')
_HIT = re.compile(r"^(?P<folder>(?:[\w.@-]*/)*)(?P<name>[\w.@-]+)(?P<rest>\.\w+:\d+[:-].*)$", re.M)
_PATH = re.compile(r"^(?P<folder>(?:[\w.@-]*/)+)(?P<name>[\w.@-]+)(?P<rest>(?:\.\w+)?)$", re.M)
_LIKE = 0.5  # of the lines: what a text is
_ERRORS = (
    "error: cannot find module '{}' imported from src/billing/index.ts",
    "ERROR: connection to {}:5433 refused after 3 attempts",
    "{}Error: expected 4182, got 4179",
    "fatal: could not read from '{}': permission denied",
)
_TESTS = (
    "FAILED tests/test_accounts.py::test_{} - assert 4182 == 4179",
    "--- FAIL: Test{} (0.03s)",
    " FAIL  src/accounts.test.ts > {} > keeps what was carried over",
)
_VERSIONS = (
    "Downloading {}-4.18.7-py3-none-any.whl (184 kB)",
    "go: downloading github.com/acme/{} v1.18.7",
    " + {}@4.18.7",
    "   Compiling {} v0.18.7",
)
_LINES = ("{} took 4182 ms, 17 retries", "[info] {} is served by node 7", "state of {}: suspended")


def _between(text: str, line: str, random: Random) -> str:
    """One more line in the middle."""
    lines = text.split("\n")
    at = random.randrange(len(lines) // 5, 4 * len(lines) // 5)
    return "\n".join((*lines[:at], line, *lines[at:]))


def _of(templates: tuple[str, ...]) -> Callable[[str, str, Random], str | None]:
    return lambda text, word, random: _between(text, random.choice(templates).format(word), random)


def _changed(shape: re.Pattern[str], groups: tuple[str | int, ...]) -> Callable[[str, str, Random], str | None]:
    """A name or a value in the middle becomes another."""

    def change(text: str, word: str, random: Random) -> str | None:
        found = [one for one in shape.finditer(text) if _middle(text, one)]
        if not found:
            return None
        one = random.choice(found)
        group = next(name for name in groups if one[name])
        said = word if group != "number" else f"{random.randrange(10**6, 10**7)}{word}"
        return text[: one.start(group)] + said + text[one.end(group) :]

    return change


def _rows(text: str, word: str, random: Random) -> str | None:
    many = len(_VALUE.findall(text)) > max(20, _LIKE * text.count("\n"))
    return _changed(_VALUE, ("said", "number"))(text, word, random) if many else None


def _copied(shape: re.Pattern[str]) -> Callable[[str, str, Random], str | None]:
    """One more line like those of this shape, of which the text mostly is; its name is another."""

    def copy(text: str, word: str, random: Random) -> str | None:
        found = list(shape.finditer(text))
        if len(found) < _LIKE * text.count("\n"):
            return None
        one = random.choice([one for one in found if _middle(text, one)] or found)
        return f"{text[: one.start()]}{one['folder']}{word}{one['rest']}\n{text[one.start() :]}"

    return copy


def _middle(text: str, one: re.Match[str]) -> bool:
    return len(text) // 5 < one.start() < 4 * len(text) // 5


_KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "error": _of(_ERRORS),
    "test": _of(_TESTS),
    "version": _of(_VERSIONS),
    "line": _of(_LINES),
    "row": _rows,
    "hit": _copied(_HIT),
    "path": _copied(_PATH),
    "function": _changed(_DEFINITION, (1,)),
}


def by_kind(facts: tuple[Fact, ...], found: list[Fact]) -> Iterator[str]:
    """Of each kind how many were found."""
    for kind in _KINDS:
        of = [one for one in facts if one.kind == kind]
        if of:
            yield f"{kind} {sum(one in found for one in of)}/{len(of)}"
