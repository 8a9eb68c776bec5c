"""Which response answers which call: by id where both have one, else by name and order (wire rule G3).

Rule: a call is answered once; an id on both sides that differs is no match, whatever the names say.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from secateur.api.accessors import word


def matched(calls: Sequence[Any], responses: Sequence[Any]) -> list[int | None]:
    """For each response the number of its call; None where it answers none of them."""
    waiting: dict[tuple[str, str], deque[int]] = defaultdict(deque)
    for number, call in enumerate(calls):
        name, id = word(call.get("name")), word(call.get("id"))
        waiting["id" if id else "no id", id or name].append(number)
        waiting["name", name].append(number)
    found: list[int | None] = [None] * len(responses)
    taken: set[int] = set()
    for by_id in (True, False):
        for number, response in enumerate(responses):
            id = word(response.get("id"))
            if found[number] is None and bool(id) >= by_id:
                kind = "id" if by_id else "no id" if id else "name"
                found[number] = _next(waiting[kind, id if by_id else word(response.get("name"))], taken)
    return found


def _next(queue: deque[int], taken: set[int]) -> int | None:
    """The first that nobody has taken."""
    while queue:
        number = queue.popleft()
        if number not in taken:
            taken.add(number)
            return number
    return None
