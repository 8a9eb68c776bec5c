"""Results that the model has not answered yet: what became of them in a view, and what becomes of them where nothing
else is left to make it fit.

Rule: only an output of the model itself tells that something was read; what a plan or a host put there does not. The
oldest is shortened first, and no more than is needed.
"""

from collections.abc import Iterator

from secateur.acts.about import collect_relevant_names
from secateur.bounds import is_eligible
from secateur.budget import Budget, handle_for
from secateur.excerpt import excerpt
from secateur.model import Edit, Epoch, Part, Remove, Rewrite
from secateur.recalling import find_first_unread, is_recalled
from secateur.session import Projection

LEAST_CHARS = 2_000  # of a result that is shortened because the window is full
SLACK = 1.1  # of what is over: an excerpt's own notes take room too
_SHOWS_MOST = ("excerpt", "reduce_output")  # strategies that leave what tells most
ROUNDS = 3  # of cutting, where excerpts came out longer than their room


def shorten_unread(work: Projection, budget: Budget, excess: int) -> Epoch | None:
    """Return the epoch that shortens unread results by so many tokens, oldest first, or None."""
    now = {part.key: part for message in work.get_view().messages for part in message.parts}
    edits, most, wanted = list[Edit](), 0, excess * SLACK
    for _ in range(ROUNDS):
        cuts, freed = _make_cuts(work, budget, now, wanted)
        if freed <= most:
            break
        edits, most = cuts, freed
        if freed >= excess:
            break
        wanted += excess - freed
    if not edits:
        return None
    why = f"{excess:,} tokens are over the window, and nothing else may go: the oldest unread results become excerpts"
    return Epoch(budget.now_ms, work.document.transcript.messages[-1].key, why, tuple(edits))


def _make_cuts(work: Projection, budget: Budget, now: dict[str, Part], wanted: float) -> tuple[list[Edit], int]:
    """Return edits that shorten what is there now, and the tokens they free."""
    edits, left = list[Edit](), wanted
    for number, part in _find_unread_results(work):
        if left <= 0:
            break
        stands = now.get(part.key)
        if stands is None:
            continue
        text = _cut(work, budget, number, part, stands.tokens - left)
        freed = stands.tokens - work.count(text)
        if freed > 0 and len(text) < len(stands.text):
            edits.append(Rewrite(part.key, text, strategy="excerpt"))
            left -= freed
    return edits, round(wanted - left)


def _find_unread_results(work: Projection) -> Iterator[tuple[int, Part]]:
    """Yield the results that may be shortened with their message numbers, oldest first."""
    read = work.document.transcript
    for number in range(find_first_unread(read.messages), len(read.messages)):
        for part in _list_results(read.messages[number].parts):
            if is_eligible(read, number, part, work.protect) and not is_recalled(part):
                yield number, part


def _cut(work: Projection, budget: Budget, number: int, part: Part, tokens: float) -> str:
    """The excerpt of a result that leaves about so many tokens of it."""
    room = max(LEAST_CHARS, int(len(part.text) * tokens / max(1, part.tokens)))
    about = collect_relevant_names(work.document.transcript.messages, number, part, {})
    return excerpt(part.text, room, handle_for(budget, part), about)


def count_taken(work: Projection) -> int:
    """Count the unread results not in the view as they came, other than excerpts, which show their ends."""
    fold, messages = work.fold, work.document.transcript.messages
    hidden = max((j for i, j, _ in work.ranges if i < j), default=0)
    count = 0
    for number in range(find_first_unread(messages), len(messages)):
        summed = number < hidden and any(i <= number < j for i, j, _ in work.ranges)
        count += sum(summed or _is_out(fold.parts.get(part.key)) for part in _list_results(messages[number].parts))
    return count


def warn_of_unread(count: int, policy: str) -> tuple[str, ...]:
    """Return the warnings for a receipt."""
    if not count:
        return ()
    said = "1 result is" if count == 1 else f"{count} results are"
    return (f"{said} not in the view as it came, and the model has not read it: policy {policy} takes what is unread",)


def _list_results(parts: tuple[Part, ...]) -> Iterator[Part]:
    return (part for part in parts if part.kind == "tool_result")


def _is_out(held: tuple[Rewrite | Remove, int] | None) -> bool:
    return held is not None and held[0].strategy not in _SHOWS_MOST
