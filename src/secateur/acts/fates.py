"""What became of what an agent saw: when a result was replaced by a later one, and when its file fell out of use.

Rule: a later act replaces an earlier one only where both say so: the same range of a file shown again, the same check
or look made again, the same thing tried again with success. All is told from the history alone, oldest act first, so
that it holds from the message named on. Whether what was replaced may go is decided above.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from secateur.acts.history import Act
from secateur.acts.reads import Reads

Why = Literal["same", "shown", "written", "run", "resolved"]


class Fate(Struct, frozen=True):
    """Why a result is stale, and the message since when."""

    why: Why
    since: int


class Fates:
    """What became of each act taken so far, by the keys of results.

    `files` is how many of them are in use at a time; `covered` is shared by all who take the same acts (`Reads`).
    """

    def __init__(self, files: int, covered: list[tuple[int, ...]] | None = None) -> None:
        self.same: dict[str, Fate] = {}  # the same call gave the same text
        self.shown: dict[str, Fate] = {}  # the same range of its files was shown
        self.run: dict[str, Fate] = {}  # the same was asked
        self.resolved: dict[str, Fate] = {}  # it had failed, and went well
        self.tried: dict[str, int] = {}  # it had failed, and was tried again: since which message
        self.shows: set[str] = set()
        self.failed: set[str] = set()
        self.refused: set[str] = set()  # the user refused the call and said why: these words are nowhere else
        self.changed: set[str] = set()  # a file that it shows was written to since
        self._taken = 0
        self._files = files
        self._in_use: list[str] = []  # the file worked with last at the end
        self._given: dict[tuple[str, str, str], str] = {}
        self._asked: dict[tuple[str, ...], str] = {}
        self._failing: dict[str, list[Act]] = {}
        self._reads = Reads(covered)
        self._unused: tuple[int, dict[str, int], dict[str, Fate]] = (-1, {}, {})
        self._held: dict[tuple[bool, bool], tuple[int, Retained]] = {}

    def take(self, history: Sequence[Act]) -> None:
        """Go on with the acts that this history has more than the one taken before, which it goes on from."""
        for act in history[self._taken :]:
            self._apply_act(act)
        self._taken = len(history)

    @property
    def unused(self) -> dict[str, int]:
        """Results whose files are not in use any more, and the message since when."""
        return self._get_unused()[0]

    @property
    def written(self) -> dict[str, Fate]:
        """Those of them whose file was written to before it fell out of use."""
        return self._get_unused()[1]

    def get_held_keys(self, reads: bool, failures: bool) -> "Retained":
        """Return the parts held by the acts taken so far (`get_working_set`)."""
        made = self._held.get((reads, failures))
        if made is None or made[0] != self._taken:
            made = self._held[reads, failures] = self._taken, _collect_held(self, reads, failures)
        return made[1]

    def _apply_act(self, act: Act) -> None:
        if act.shows:
            self.shows.add(act.result.key)
        if not act.ok:
            self.failed.add(act.result.key)
        self._record_repeat(act)
        self._record_attempt(act)
        for path in act.writes:
            self.changed.update(self._reads.write(path))
        for before in self._reads.take(act) if act.shows else ():
            self.shown.setdefault(before.result.key, Fate("shown", act.number))
        for path in sorted(act.touches):
            if path in self._in_use:
                self._in_use.remove(path)
            else:
                self._reads.use(path)
            self._in_use.append(path)
        while len(self._in_use) > self._files:
            self._reads.leave(self._in_use.pop(0), act.number)

    def _get_unused(self) -> tuple[dict[str, int], dict[str, Fate]]:
        if self._unused[0] != self._taken:
            unused, outdated = self._reads.find_unused()
            self._unused = self._taken, unused, {key: Fate("written", since) for key, since in outdated.items()}
        return self._unused[1:]

    def _record_repeat(self, act: Act) -> None:
        if _is_refused_with_words(act.result.text):
            self.refused.add(act.result.key)
        given = (act.call.tool, act.call.text, act.result.text)
        if given in self._given:
            self.same[self._given[given]] = Fate("same", act.number)
        self._given[given] = act.result.key
        if act.asks and act.asks in self._asked:
            self.run[self._asked[act.asks]] = Fate("run", act.number)
        if act.asks and act.result.key not in self.refused:
            self._asked[act.asks] = act.result.key

    def _record_attempt(self, act: Act) -> None:
        for what in act.tries:
            # of those that failed again all but the last are known to be tried again
            for before in self._failing.pop(what, []) if act.ok else self._failing.get(what, [])[-1:]:
                self.tried.setdefault(before.result.key, act.number)
                if act.ok:
                    self.resolved.setdefault(before.result.key, Fate("resolved", act.number))
            if not act.ok and act.result.key not in self.refused:
                self._failing.setdefault(what, []).append(act)


_WORDS = ("the user said:", "with the following feedback:", "provided the following feedback:")
_WORDS_WITHIN = 1_000  # characters


def _is_refused_with_words(text: str) -> bool:
    head = text[:_WORDS_WITHIN].lower()
    return any([words in head for words in _WORDS])


class Retained(Struct, frozen=True):
    """Results that stay for what was done since, and those that do so no more with the message since when."""

    keys: frozenset[str] = frozenset()
    left: dict[str, int] = {}


def get_working_set(fates: Fates, *, reads: bool, failures: bool) -> Retained:
    """Return fresh reads of the files in use, failures that were not retried, or both."""
    return fates.get_held_keys(reads, failures)


def _collect_held(fates: Fates, reads: bool, failures: bool) -> Retained:
    keys: set[str] = set(fates.refused)
    left: dict[str, int] = {}
    if reads:
        left = {key: fate.since for key, fate in fates.shown.items()} | fates.unused
        keys |= fates.shows - left.keys()
    if failures:
        keys |= fates.failed - fates.tried.keys()
        left |= {key: max(since, left.get(key, 0)) for key, since in fates.tried.items()} if left else fates.tried
    return Retained(frozenset(keys), left)
