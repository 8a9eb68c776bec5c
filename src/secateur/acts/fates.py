"""When what an agent saw became stale: replaced by a later result, covered by a later read, or out of use.

Rule: a later act replaces an earlier one only where both say so: the same range of a file shown again, the same check
or look made again, the same thing tried again with success. All of it follows from the history alone, oldest act first,
so it is true from the message named on. Whether a stale result may be removed is decided elsewhere. A read is compared
only with earlier reads that share one of their longest lines, so a file read range by range costs the same per read.
"""

from collections.abc import Sequence
from math import ceil
from typing import Literal

from msgspec import Struct

from secateur.acts.history import SHOWN_AGAIN, Act, get_distinct_lines, is_shown_again

Why = Literal["same", "shown", "written", "run", "resolved"]


class _File:
    """The reads of one file that no later read covers, by the step that made them."""

    def __init__(self) -> None:
        self.reads: dict[int, Act] = {}
        self.last_write = -1  # step
        self.unused_since: int | None = None  # message; None: the file is in use
        self._waiting: list[int] = []  # reads that are not in the tables below yet
        self._by_line: dict[str, list[int]] = {}
        self._by_call: dict[str, list[int]] = {}

    def add(self, step: int, act: Act) -> None:
        self.reads[step] = act
        self._waiting.append(step)

    def find_similar(self, act: Act) -> set[int]:
        """Steps of all reads that this one may cover."""
        for step in self._waiting:
            if step in self.reads:
                self._index(step, self.reads[step])
        self._waiting.clear()
        found = {*self._prune_steps(self._by_call, act.call.text)}
        for line in get_distinct_lines(act.result.text) if self._by_line else ():
            if line in self._by_line:
                found.update(self._prune_steps(self._by_line, line))
        return found

    def _index(self, step: int, act: Act) -> None:
        self._by_call.setdefault(act.call.text, []).append(step)
        lines = get_distinct_lines(act.result.text)
        missing = len(lines) - ceil(SHOWN_AGAIN * len(lines))  # lines that a read which covers it may lack
        for line in sorted(lines, key=len)[-missing - 1 :]:
            self._by_line.setdefault(line, []).append(step)

    def _prune_steps(self, table: dict[str, list[int]], name: str) -> list[int]:
        steps = table.get(name, [])
        if not all(map(self.reads.__contains__, steps)):
            steps = table[name] = [step for step in steps if step in self.reads]
        return steps


class Reads:
    """All reads of a history, and which files are in use."""

    def __init__(self, covered: list[tuple[int, ...]] | None = None) -> None:
        """`covered` is what each step covers, as far as it is known: shared by those who take the same acts."""
        self._files: dict[str, _File] = {}
        self._step = 0
        self._covered = [] if covered is None else covered
        self._changed: set[str] = set()  # files since the two below were brought up to date
        self._unused: dict[str, int] = {}  # results that show no file in use, and the message since when
        self._outdated: dict[str, int] = {}  # those of them whose file was written to before

    def take(self, act: Act) -> list[Act]:
        """Add what an act reads; the earlier reads that it covers, which are dropped."""
        covered = self._find_covered(act)
        for step in sorted(covered):
            self._drop(step, covered[step])
        self._step += 1
        for path in act.shows:
            self._files[path].add(self._step, act)
        self._changed |= act.shows
        return [covered[step] for step in sorted(covered)]

    def _find_covered(self, act: Act) -> dict[int, Act]:
        files = [self._files.setdefault(path, _File()) for path in act.shows]
        if self._step < len(self._covered):
            known = self._covered[self._step]
            return {step: file.reads[step] for file in files for step in known if step in file.reads}
        covered: dict[int, Act] = {}
        for file in files:
            found = file.find_similar(act)
            covered |= {step: file.reads[step] for step in found if is_shown_again(file.reads[step], act)}
        self._covered.append(tuple(covered))
        return covered

    def write(self, path: str) -> list[str]:
        """A file is written to: what was read of it so far is outdated. Keys of the results that show it."""
        if path not in self._files:
            return []
        self._files[path].last_write = self._step
        self._changed.add(path)
        return [act.result.key for act in self._files[path].reads.values()]

    def use(self, path: str) -> None:
        """A file is in use again."""
        if path in self._files:
            self._files[path].unused_since = None
            self._changed.add(path)

    def leave(self, path: str, number: int) -> None:
        """A file is out of use, since this message."""
        if path in self._files:
            self._files[path].unused_since = number
            self._changed.add(path)

    def find_unused(self) -> tuple[dict[str, int], dict[str, int]]:
        """Keys of results that show no file in use, with the message since when; and the outdated ones of them."""
        for path in self._changed:
            for step, act in self._files[path].reads.items():
                self._update(step, act)
        self._changed.clear()
        return self._unused, self._outdated

    def _drop(self, step: int, act: Act) -> None:
        """Forget a read that a later one covers; whether its files were in use by then holds from now on."""
        self._update(step, act)
        for path in act.shows:
            del self._files[path].reads[step]

    def _update(self, step: int, act: Act) -> None:
        key, files = act.result.key, [self._files[path] for path in act.shows]
        known = [file.unused_since for file in files if file.unused_since is not None]
        self._unused.pop(key, None)
        self._outdated.pop(key, None)
        if len(known) == len(files):
            self._unused[key] = max(known)
            if any([file.last_write >= step for file in files]):
                self._outdated[key] = max(known)


class Fate(Struct, frozen=True, gc=False):
    """Why a result is stale, and the message since when."""

    why: Why
    since: int


class Repeats:
    """Which acts were repeated or tried again, by the keys of results, whatever files are in use."""

    def __init__(self) -> None:
        self.same: dict[str, Fate] = {}  # the same call gave the same text
        self.run: dict[str, Fate] = {}  # the same was asked
        self.resolved: dict[str, Fate] = {}  # it had failed, and went well
        self.tried: dict[str, int] = {}  # it had failed, and was tried again: since which message
        self.failed: set[str] = set()
        self.refused: set[str] = set()  # the user refused the call and said why: these words are nowhere else
        self._taken = 0
        self._given: dict[tuple[str, str, str], str] = {}
        self._asked: dict[tuple[str, ...], str] = {}
        self._failing: dict[str, list[Act]] = {}

    def take(self, history: Sequence[Act]) -> None:
        """Continue with the acts that this history has beyond the one taken before."""
        for act in history[self._taken :]:
            if not act.ok:
                self.failed.add(act.result.key)
            self._record_repeat(act)
            self._record_attempt(act)
        self._taken = len(history)

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


class Fates:
    """What became of each act taken so far, by the keys of results.

    `files` is how many of them are in use at a time; `covered` and `repeats` are shared by all who take the same acts.
    """

    def __init__(
        self, files: int, covered: list[tuple[int, ...]] | None = None, repeats: Repeats | None = None
    ) -> None:
        self.repeats = repeats or Repeats()
        self.shown: dict[str, Fate] = {}  # the same range of its files was shown
        self.shows: set[str] = set()
        self.changed: set[str] = set()  # a file that it shows was written to since
        self._taken = 0
        self._files = files
        self._in_use: list[str] = []  # the file worked with last at the end
        self._reads = Reads(covered)
        self._unused: tuple[int, dict[str, int], dict[str, Fate]] = (-1, {}, {})
        self._held: dict[tuple[bool, bool], tuple[int, Retained]] = {}

    def take(self, history: Sequence[Act]) -> None:
        """Continue with the acts that this history has beyond the one taken before."""
        self.repeats.take(history)
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
    keys: set[str] = set(fates.repeats.refused)
    left: dict[str, int] = {}
    if reads:
        left = {key: fate.since for key, fate in fates.shown.items()} | fates.unused
        keys |= fates.shows - left.keys()
    if failures:
        keys |= fates.repeats.failed - fates.repeats.tried.keys()
        tried = fates.repeats.tried
        left |= {key: max(since, left.get(key, 0)) for key, since in tried.items()} if left else tried
    return Retained(frozenset(keys), left)
