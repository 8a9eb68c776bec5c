"""Ranges of files that were read: which of them a later read covers, and since when their files are out of use.

A read is compared only with earlier reads that share one of their longest lines with it, so that a file that is read
range by range costs as much per read however many ranges came before.
"""

from math import ceil

from secateur.acts.history import SHOWN_AGAIN, Act, get_distinct_lines, is_shown_again


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
