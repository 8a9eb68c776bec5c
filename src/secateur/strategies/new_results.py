"""New results, as the strategies meet them that shorten what arrives: which ones may be shortened, and what is known
of each.

Rule: a new result may be shortened whatever its age and whatever follows it; tools, roles, pins, errors, media and the
head protect it. Results that the model read back, and results that were edited before, stay unchanged. A text that
depends only on a result and what precedes it is made once per session, under the name of the form that it has.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from secateur.bounds import find_boundary, find_call, get_index, is_eligible
from secateur.budget import Budget, handle_for
from secateur.model import Part, Transcript
from secateur.text.readback import is_recalled
from secateur.toolcalls.task_terms import collect_relevant_names, has_media_inside

_MAX_MEMOIZED = 1_024  # texts of one session


class NewResult(Struct, frozen=True):
    """One result, and what precedes it."""

    transcript: Transcript
    number: int
    part: Part
    budget: Budget
    holds_media: bool = False

    @property
    def tokens(self) -> int:
        return self.part.tokens or self.budget.count(self.part.text)

    @property
    def handle(self) -> str:
        return handle_for(self.budget, self.part)

    @property
    def call(self) -> Part | None:
        return find_call(self.transcript, self.number, self.part)

    def find_names(self) -> tuple[str, ...]:
        """Collect what the task is about: names in the user's last messages and in the latest calls."""
        turns = get_index(self.transcript).user_turns
        return collect_relevant_names(self.transcript.messages, self.number, self.part, self.budget.originals, turns)

    def remember(self, form: str, make: Callable[[], str]) -> str:
        """The text of this form, made once: a result's key names the result and all that precedes it."""
        derived = get_index(self.transcript).derived
        if derived is None or not self.part.key:
            return make()
        name = form, self.part.key, self.handle
        found = derived.folds.get(name)
        if found is None:
            found = make()
            if len(derived.folds) >= _MAX_MEMOIZED:
                derived.folds.clear()
            derived.folds[name] = found
        return found


def find_new_results(transcript: Transcript, budget: Budget, min_chars: int) -> Iterator[NewResult]:
    """Results with at least this many characters that may be shortened on arrival, oldest first."""
    first = max(get_index(transcript).first_prunable, find_boundary(transcript, budget.protect).start)
    for number in range(first, len(transcript.messages)):
        for part in transcript.messages[number].parts:
            if part.kind != "tool_result" or part.pinned or len(part.text) < min_chars:
                continue
            if part.key in budget.edited_by or part.key in budget.own_keys or is_recalled(part):
                continue
            if is_eligible(transcript, number, part, budget.protect):
                holds_media = has_media_inside(transcript.messages[number], part)
                yield NewResult(transcript, number, part, budget, holds_media)
