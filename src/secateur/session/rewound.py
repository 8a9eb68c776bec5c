"""What a history that was taken back shows again: parts that epochs ahead of it edited, and that are protected now.

Rule (SEEDS 2.5): of a history that goes on only what is new is looked at; the rest was settled when it came.
"""

from collections.abc import Mapping, Set

from secateur.bounds import guarded
from secateur.model import Remove, Rewrite, Transcript
from secateur.plan import Plan, alive
from secateur.protect import Protect


def edited_ahead(plan: Plan, ahead: Set[str], edited: Mapping[str, str]) -> set[str]:
    """Keys of what the epochs with these tips edited, by which strategy is in `edited`; what goes along stays out."""
    edits = [edit for epoch in alive(plan) if epoch.tip in ahead for edit in epoch.edits]
    keys = {edit.key for edit in edits if isinstance(edit, Rewrite | Remove)}
    return {key for key in keys if edited.get(key, "settle") != "settle"}


def protected_again(
    read: Transcript, first: int, protect: Protect, keys: Set[str], in_force: Set[str]
) -> frozenset[str]:
    """Those of these parts in messages from the `first` on; `in_force` are the keys of all edits in force."""
    here = {part.key for message in read.messages[first:] for part in message.parts}
    return guarded(read, protect, keys & here, in_force)
