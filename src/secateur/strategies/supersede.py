"""Supersede: results that later ones made stale go first.

Rule: stale is what code can tell from calls and results, never from a tool's name: a read of a file that was shown
again, or written to since; a check, a look or a search that was made again; a failure after which the same thing went
well. As what is stale has been replaced, the newest tokens or results that a policy keeps do not protect here, while
its turns, tools, roles, pins and working set do. What ran only once is never stale.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from secateur.acts.history import Act, acts, recent, shown_again
from secateur.bounds import replaceable
from secateur.budget import Budget, handle_for, saves, settled
from secateur.model import Edit, Rewrite, Transcript
from secateur.placeholder import INSTEAD, informative
from secateur.protect import Count


class Supersede(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag="supersede", tag_field="do"
):
    """Stale results become a line that says what they were and why they went."""

    shown: bool = True  # reads of the same range of a file that was shown again
    written: bool = True  # reads of a file that was written to since
    files: Count = 5  # but not of the files worked with last: edits go on from what was read before them
    asked: bool = True  # checks, looks and searches that were made again
    resolved: bool = True  # failures after which the same thing went well

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        may_go = replaceable(transcript, budget, partial(settled, budget))
        for act, why in self._stale(acts(transcript.messages, budget.raw), budget):
            part = may_go.get(act.result.key)
            if part is not None:
                text = informative(act.result, act.call, handle_for(budget, act.result), INSTEAD[why])
                if saves(budget, text, part):
                    yield Rewrite(part.key, text, by="supersede")

    def _stale(self, history: Sequence[Act], budget: Budget) -> Iterator[tuple[Act, str]]:
        """What later acts replaced, newest first, and how: a word of `INSTEAD`."""
        in_use = recent(history, self.files)
        later = _Later()
        for act in reversed(history):
            why = self._why(act, later, in_use)
            if why:
                yield act, why
            later.add(act, not settled(budget, act.result))

    def _why(self, act: Act, later: "_Later", in_use: frozenset[str]) -> str:
        if self.shown and any(shown_again(act, one) for path in act.shows for one in later.shown.get(path, ())):
            return "shown"
        if self.asked and act.asks and later.asked.issuperset(act.asks):
            return "run"
        if self.resolved and not act.ok and not later.done.isdisjoint(act.tries):
            return "resolved"
        if self.written and act.shows & later.written and not act.shows & in_use:
            return "written"
        return ""


class _Later:
    """What was done later than the act that is looked at."""

    def __init__(self) -> None:
        self.shown: dict[str, list[Act]] = {}
        self.asked: set[str] = set()
        self.done: set[str] = set()
        self.written: set[str] = set()

    def add(self, act: Act, stands: bool) -> None:
        """One more, older than those before it; `stands`: the view still has its result."""
        self.written.update(act.writes)
        if act.ok:
            self.done.update(act.tries)
        if stands:
            self.asked.update(act.asks)
            for path in act.shows:
                self.shown.setdefault(path, []).append(act)
