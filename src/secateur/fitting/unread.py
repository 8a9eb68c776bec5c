"""Results that the model has not answered yet, and what became of them in a view.

Rule: only an output of the model itself tells that something was read; what a plan or a host put there does not.
"""

from collections.abc import Iterator

from secateur.model import Part
from secateur.recalling import unread
from secateur.session import Session


def taken(work: Session) -> int:
    """How many of them are not in the view as they came; excerpts aside, which show their ends and what tells most."""
    fold, messages = work.fold, work.document.transcript.messages
    hidden = max((j for i, j, _ in work.ranges if i < j), default=0)
    count = 0
    for number in range(unread(messages), len(messages)):
        summed = number < hidden and any(i <= number < j for i, j, _ in work.ranges)
        count += sum(summed or _is_out(part, fold.parts.get(part.key)) for part in _results(messages[number].parts))
    return count


def told(count: int, policy: str) -> tuple[str, ...]:
    """What a receipt warns of."""
    if not count:
        return ()
    said = "1 result is" if count == 1 else f"{count} results are"
    return (f"{said} not in the view as it came, and the model has not read it: policy {policy} takes what is unread",)


def _results(parts: tuple[Part, ...]) -> Iterator[Part]:
    return (part for part in parts if part.kind == "tool_result")


def _is_out(part: Part, edit: object) -> bool:
    return edit is not None and getattr(edit, "by", "") != "excerpt"
