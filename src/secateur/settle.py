"""Close a set of edits: what else must go when this goes.

Rule (wire rules A54-A56): reasoning that is bound to its prefix is void once anything before it changes, so all bound
reasoning behind the first edit is removed in the same epoch, for good. Reasoning made later, under the new view, stays.
"""

from collections.abc import Iterable, Set

from secateur.model import Edit, Message, Remove, Replace


def with_dependents(
    messages: tuple[Message, ...], edits: tuple[Edit, ...], out: Set[str] = frozenset()
) -> tuple[Edit, ...]:
    """The edits, and a `Remove` for each bound part behind the first of them. `out`: keys that are removed already.

    Reasoning that goes from the start voids nothing; but a message of which nothing is left goes, or something else
    stands in its place, and that is an edit of what is before the rest.
    """
    keys = {edit.key for edit in edits if not isinstance(edit, Replace)}
    edges = {edit.after for edit in edits if isinstance(edit, Replace)}
    gone = {edit.key for edit in edits if isinstance(edit, Remove)} | (out - keys)
    open_ = "" in edges
    kept = False  # some bound reasoning stays: what goes behind it leaves a gap, before it none (wire rule A54)
    void: list[Edit] = []
    for message in messages:
        for part in message.parts:
            if open_ and part.prefix_bound and part.key not in gone:
                void.append(Remove(part.key, strategy="settle"))
            kept = kept or (part.prefix_bound and part.key not in gone)
            open_ = open_ or (part.key in keys and (part.kind != "reasoning" or kept or part.key not in gone))
        open_ = open_ or message.key in edges or _is_emptied(message, keys, gone)
    return (*edits, *void)


def _is_emptied(message: Message, keys: Set[str], gone: Set[str]) -> bool:
    """Whether these edits remove the last part of a message."""
    mine = {part.key for part in message.parts}
    return bool(mine) and mine <= gone and not mine.isdisjoint(keys)


def is_in_running_round(messages: tuple[Message, ...], edits: Iterable[Edit]) -> bool:
    """Whether `edits` remove bound reasoning of the tool loop still in progress (wire rules A51, A59)."""
    removed = {edit.key for edit in edits if isinstance(edit, Remove)}
    if not removed or not messages or not _has_results(messages[-1]):
        return False
    for message in reversed(messages):
        if message.role == "user" and not _has_results(message):
            return False
        if any(part.prefix_bound and part.key in removed for part in message.parts):
            return True
    return False


def _has_results(message: Message) -> bool:
    """Whether a message holds results: user text beside them continues the turn."""
    return any(part.kind == "tool_result" for part in message.parts)


def is_missing_reasoning(raw: tuple[Message, ...], shown: tuple[Message, ...], turn: int) -> bool:
    """Whether the turn at message `turn` lost the reasoning its first answer begins with (A52).

    Only a turn that goes on with results has to begin with it: one that ends in an answer is over.
    """
    if not raw or not _has_results(raw[-1]):
        return False
    for came, seen in zip(raw[turn:], shown[turn:], strict=True):
        if came.role == "assistant" and came.parts:
            return came.parts[0].kind == "reasoning" and not (seen.parts and seen.parts[0].kind == "reasoning")
    return False
