"""Whether a change may be saved: it was made from what is stored, and its receipts go on where the chain ends.

Rule: every store asks this inside the transaction that saves the change. Nothing is written here.
"""

from secateur.chain import find_break
from secateur.stores.protocol import Conflict, Rejected, SessionUpdate, State


def check_admission(revision: int, state: State, change: SessionUpdate) -> None:
    """Let a change pass that was made from what is stored.

    Raises Conflict if the session is at another revision than the state, Rejected if the receipts do not follow.
    """
    name = f"session {state.who.session!r}" + (f" of tenant {state.who.tenant!r}" if state.who.tenant else "")
    if revision != state.revision:
        raise Conflict(
            f"{name} is at revision {revision}, not at {state.revision} from which this change was made: "
            "another process saved it meanwhile; load it again"
        )
    wrong = find_break(change.receipts, state.head, sequence=state.receipts)
    if wrong:
        raise Rejected(f"the receipts for {name} do not continue its chain: {wrong}")
    if change.manifest and change.manifest.sequence >= state.receipts + len(change.receipts):
        raise Rejected(f"{name} has no receipt {change.manifest.sequence} that a manifest could belong to")


def parse_handle(handle: str) -> str:
    """Parse a handle: hex digits, at least four. Raises Rejected for anything else."""
    plain = handle.strip().lower()
    if len(plain) < 4 or set(plain) - set("0123456789abcdef"):
        raise Rejected(f"{handle!r} is no handle: give at least 4 of its hex digits, as they stand in a placeholder")
    return plain


def make_ambiguous_error(handle: str, ids: list[str]) -> Rejected:
    """The error for a handle that several blobs match."""
    return Rejected(f"{handle!r} is the beginning of {len(ids)} handles or more: give one of {', '.join(ids)}")
