"""Whether calls show that nothing is left of the work.

Rule: that nothing is open is said only where a check passed behind the newest change of code, or no code was changed;
of a session without any change it is said that there is none. What the agent says does not count, and neither does that
its turn ended.
"""

from collections.abc import Iterable, Iterator

from secateur.compaction.ledger.entries import Ledger, Standing
from secateur.compaction.ledger.work.circumstances import is_project_change
from secateur.compaction.ledger.work.code_changes import is_code
from secateur.compaction.ledger.work.standing import ALL_NEW, NOTHING_CHANGED, NOTHING_OPEN


def list_settled(ledger: Ledger, standing: Iterable[Standing]) -> Iterator[Standing]:
    """Yield what the calls show of it; nothing where they show neither. `standing`: how the work stands otherwise."""
    if any(one.kind == "unchecked" or (one.kind == "edits" and one.text != ALL_NEW) for one in standing):
        return
    changed = [one for one in ledger.files if is_project_change(one)]
    if not (changed or ledger.commits):
        yield Standing("settled", NOTHING_CHANGED)
        return
    is_proven = any(one.check and one.ok and not one.edited_since for one in ledger.commands)
    if is_proven or not any(is_code(one.path) for one in changed):
        yield Standing("settled", NOTHING_OPEN)
