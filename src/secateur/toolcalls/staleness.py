"""When tool results became stale: replaced by a later result, covered by a later read, or about files out of use.

Rule: a later call replaces an earlier one only if both show it: the same range of a file read again, the same check or
query run again, the same attempt repeated with success. It follows from the history alone, oldest call first, so it is
true from the named message on. Whether a stale result may be removed is decided elsewhere. A read is compared only with
earlier reads that share one of their longest lines, so a file read range by range costs the same per read.
"""

from collections.abc import Sequence
from math import ceil
from typing import Literal

from msgspec import Struct

from secateur.toolcalls.completed_calls import SHOWN_AGAIN, CompletedCall, get_distinct_lines, is_shown_again

Why = Literal["same", "shown", "written", "run", "resolved"]


class _File(Struct, eq=False):
    """The reads of one file that no later read covers, by the step that made them."""

    reads: dict[int, CompletedCall] = {}
    last_write: int = -1  # step
    unused_since: int | None = None  # message; None: the file is in use
    waiting: list[int] = []  # reads that are not in the tables below yet
    by_line: dict[str, list[int]] = {}
    by_call: dict[str, list[int]] = {}

    def find_similar(self, completed: CompletedCall) -> set[int]:
        """Steps of all reads that this one may cover."""
        for step in self.waiting:
            if step in self.reads:
                self._index(step, self.reads[step])
        self.waiting.clear()
        found = {*self._prune_steps(self.by_call, completed.call.text)}
        for line in self.by_line.keys() & get_distinct_lines(completed.result.text) if self.by_line else ():
            found.update(self._prune_steps(self.by_line, line))
        return found

    def _index(self, step: int, completed: CompletedCall) -> None:
        self.by_call.setdefault(completed.call.text, []).append(step)
        lines = get_distinct_lines(completed.result.text)
        missing = len(lines) - ceil(SHOWN_AGAIN * len(lines))  # lines that a read which covers it may lack
        for line in sorted(lines, key=len)[-missing - 1 :]:
            self.by_line.setdefault(line, []).append(step)

    def _prune_steps(self, table: dict[str, list[int]], name: str) -> list[int]:
        steps = table.get(name, [])
        if not all(map(self.reads.__contains__, steps)):
            steps = table[name] = [step for step in steps if step in self.reads]
        return steps


class Reads:
    """All reads of a history, and which files are in use; reads of more than `longest` characters never are."""

    def __init__(self, covered: list[tuple[int, ...]] | None = None, longest: int = 0) -> None:
        """`covered` has what each step covers, as far as known: shared by all readers of the same calls."""
        self._longest = longest  # characters; 0: any length
        self._files: dict[str, _File] = {}
        self._step = 0
        self._covered = [] if covered is None else covered
        self._changed: set[str] = set()  # files since the two below were brought up to date
        self._unused: dict[str, int] = {}  # results that show no file in use, and the message since when
        self._outdated: dict[str, int] = {}  # those of them whose file was written to before

    def take(self, completed: CompletedCall) -> list[CompletedCall]:
        """Add what a call reads; return the earlier reads that it covers, which are dropped."""
        covered = self._find_covered(completed)
        for step in sorted(covered):  # each stays in or out of use as its files are now
            self._update(step, covered[step])
            for path in covered[step].shows:
                del self._files[path].reads[step]
        self._step += 1
        for path in completed.shows:
            self._files[path].reads[self._step] = completed
            self._files[path].waiting.append(self._step)
        self._changed |= completed.shows
        return [covered[step] for step in sorted(covered)]

    def _find_covered(self, completed: CompletedCall) -> dict[int, CompletedCall]:
        files = [self._files.setdefault(path, _File()) for path in completed.shows]
        if self._step < len(self._covered):
            known = self._covered[self._step]
            return {step: file.reads[step] for file in files for step in known if step in file.reads}
        covered: dict[int, CompletedCall] = {}
        for file in files:
            found = file.find_similar(completed)
            covered |= {step: file.reads[step] for step in found if is_shown_again(file.reads[step], completed)}
        self._covered.append(tuple(covered))
        return covered

    def write(self, path: str) -> list[str]:
        """Mark earlier reads of a file as outdated because it is written to; return the keys of their results."""
        if path not in self._files:
            return []
        self._files[path].last_write = self._step
        self._changed.add(path)
        return [completed.result.key for completed in self._files[path].reads.values()]

    def use(self, path: str) -> None:
        """Mark a file as in use again."""
        if path in self._files:
            self._files[path].unused_since = None
            self._changed.add(path)

    def leave(self, path: str, number: int) -> None:
        """Mark a file as out of use since this message."""
        if path in self._files:
            self._files[path].unused_since = number
            self._changed.add(path)

    def find_unused(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return the keys of results that show no file in use, with the message since when; and the outdated ones."""
        for path in self._changed:
            for step, completed in self._files[path].reads.items():
                self._update(step, completed)
        self._changed.clear()
        return self._unused, self._outdated

    def _update(self, step: int, completed: CompletedCall) -> None:
        key, files = completed.result.key, [self._files[path] for path in completed.shows]
        known = [file.unused_since for file in files if file.unused_since is not None]
        self._unused.pop(key, None)
        self._outdated.pop(key, None)
        if 0 < self._longest < len(completed.result.text):
            known = [completed.number] * len(files)
        if len(known) == len(files):
            self._unused[key] = max(known)
            if any([file.last_write >= step for file in files]):
                self._outdated[key] = max(known)


class Staleness(Struct, frozen=True, gc=False):
    """Why a result is stale, and since which message."""

    why: Why
    since: int


class Repeats:
    """Which calls were repeated or retried, by the keys of their results, whatever files are in use."""

    def __init__(self) -> None:
        self.same: dict[str, Staleness] = {}  # the same call gave the same text
        self.run: dict[str, Staleness] = {}  # the same check was run again
        self.resolved: dict[str, Staleness] = {}  # it had failed, and a retry succeeded
        self.tried: dict[str, int] = {}  # it had failed, and was retried: since which message
        self.failed: set[str] = set()
        self.refused: set[str] = set()  # the user refused the call and said why: these words exist only there
        self._taken = 0
        self._given: dict[tuple[str, str, str], str] = {}
        self._asked: dict[tuple[str, ...], str] = {}
        self._failing: dict[str, list[CompletedCall]] = {}

    def take(self, history: Sequence[CompletedCall]) -> None:
        """Continue with the acts that this history has beyond the one taken before."""
        for completed in history[self._taken :]:
            if not completed.ok:
                self.failed.add(completed.result.key)
            self._record_repeat(completed)
            self._record_attempt(completed)
        self._taken = len(history)

    def _record_repeat(self, completed: CompletedCall) -> None:
        head = completed.result.text[:_WORDS_WITHIN].lower()
        if any([words in head for words in _WORDS]):
            self.refused.add(completed.result.key)
        given = (completed.call.tool, completed.call.text, completed.result.text)
        if given in self._given:
            self.same[self._given[given]] = Staleness("same", completed.number)
        self._given[given] = completed.result.key
        if completed.asks and completed.asks in self._asked:
            self.run[self._asked[completed.asks]] = Staleness("run", completed.number)
        if completed.asks and completed.result.key not in self.refused:
            self._asked[completed.asks] = completed.result.key

    def _record_attempt(self, completed: CompletedCall) -> None:
        for what in completed.tries:
            # of those that failed again all but the last are known to be tried again
            for before in self._failing.pop(what, []) if completed.ok else self._failing.get(what, [])[-1:]:
                self.tried.setdefault(before.result.key, completed.number)
                if completed.ok:
                    self.resolved.setdefault(before.result.key, Staleness("resolved", completed.number))
            if not completed.ok and completed.result.key not in self.refused:
                self._failing.setdefault(what, []).append(completed)


class StalenessIndex:
    """Which results so far are stale, by the keys of the results.

    `files` is how many files count as in use at a time, and `longest` how many characters of a read keep it in use;
    `covered` and `repeats` are shared by all readers of the same calls.
    """

    def __init__(
        self,
        files: int,
        covered: list[tuple[int, ...]] | None = None,
        repeats: Repeats | None = None,
        longest: int = 0,
    ) -> None:
        self.repeats = repeats or Repeats()
        self.shown: dict[str, Staleness] = {}  # the same range of its files was shown
        self.shows: set[str] = set()
        self.changed: set[str] = set()  # a file that it shows was written to since
        self._taken = 0
        self._files = files
        self._in_use: list[str] = []  # the file worked with last at the end
        self._reads = Reads(covered, longest)
        self._unused: tuple[int, dict[str, int], dict[str, Staleness]] = (-1, {}, {})
        self._held: dict[tuple[bool, bool], tuple[int, Retained]] = {}

    def take(self, history: Sequence[CompletedCall]) -> None:
        """Continue with the acts that this history has beyond the one taken before."""
        self.repeats.take(history)
        for completed in history[self._taken :]:
            self._apply_call(completed)
        self._taken = len(history)

    @property
    def unused(self) -> dict[str, int]:
        """Results whose files are no longer in use, and since which message."""
        return self._get_unused()[0]

    @property
    def written(self) -> dict[str, Staleness]:
        """Those unused results whose file was written to before it fell out of use."""
        return self._get_unused()[1]

    def get_held_keys(self, reads: bool, failures: bool) -> "Retained":
        """Return fresh reads of the files in use, failures that were not retried, or both."""
        made = self._held.get((reads, failures))
        if made is None or made[0] != self._taken:
            made = self._held[reads, failures] = self._taken, _collect_held(self, reads, failures)
        return made[1]

    def _apply_call(self, completed: CompletedCall) -> None:
        if completed.shows:
            self.shows.add(completed.result.key)
        for path in completed.writes:
            self.changed.update(self._reads.write(path))
        for before in self._reads.take(completed) if completed.shows else ():
            self.shown.setdefault(before.result.key, Staleness("shown", completed.number))
        for path in sorted(completed.shows | completed.writes):
            if path in self._in_use:
                self._in_use.remove(path)
            else:
                self._reads.use(path)
            self._in_use.append(path)
        while len(self._in_use) > self._files:
            self._reads.leave(self._in_use.pop(0), completed.number)

    def _get_unused(self) -> tuple[dict[str, int], dict[str, Staleness]]:
        if self._unused[0] != self._taken:
            unused, outdated = self._reads.find_unused()
            self._unused = self._taken, unused, {key: Staleness("written", since) for key, since in outdated.items()}
        return self._unused[1:]


_WORDS = ("the user said:", "with the following feedback:", "provided the following feedback:")
_WORDS_WITHIN = 1_000  # characters


class Retained(Struct, frozen=True):
    """Results that are still needed, and those that no longer are, with the message since when."""

    keys: frozenset[str] = frozenset()
    left: dict[str, int] = {}


def _collect_held(staleness: StalenessIndex, reads: bool, failures: bool) -> Retained:
    keys: set[str] = set(staleness.repeats.refused)
    left: dict[str, int] = {}
    if reads:
        left = {key: one.since for key, one in staleness.shown.items()} | staleness.unused
        keys |= staleness.shows - left.keys()
    if failures:
        keys |= staleness.repeats.failed - staleness.repeats.tried.keys()
        tried = staleness.repeats.tried
        left |= {key: max(since, left.get(key, 0)) for key, since in tried.items()} if left else tried
    return Retained(frozenset(keys), left)
