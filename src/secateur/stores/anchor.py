"""Where a chain of receipts begins after retention took its first ones: the last one that went.

Rule: what remains is proved from there on. The first receipt that remains is chained to the anchor's hash, so neither
of them can be changed alone; and the anchor keeps the hashes by which the receipts that went named their epochs, so
the whole plan is still proved. The newest receipts always stay: the next request goes on from the last view.
"""

from collections.abc import Iterable

import msgspec
from msgspec import UNSET, Struct, UnsetType

from secateur.chain import Link

LEAST = 10  # newest receipts of a session that stay however old they are: among them that of its last view


class Anchor(Struct, frozen=True):
    """The last receipt of a session that retention took."""

    number: int = -1  # -1: none went
    hash: str = ""
    seals: tuple[str, ...] = ()  # hashes of the epochs that the receipts that went were saved with, in order
    silent: bool = False  # one of them was written before receipts said anything of the plan


class _Named(Struct, frozen=True):
    """What a receipt says of the plan; unset where it was written before receipts said anything of it."""

    epoch_hashes: tuple[str, ...] | UnsetType = UNSET


def get_epoch_hashes(body: bytes) -> tuple[str, ...] | None:
    """The hashes of the epochs a receipt was saved with; None if it says nothing about the plan."""
    try:
        found = msgspec.json.decode(body, type=_Named).epoch_hashes
    except msgspec.MsgspecError:
        return None
    return None if found is UNSET else found


def advance_anchor(anchor: Anchor, gone: Iterable[Link]) -> Anchor:
    """The anchor after these receipts, which follow it, were removed too."""
    seals, silent, last = list(anchor.seals), anchor.silent, (anchor.number, anchor.hash)
    for link in gone:
        told = get_epoch_hashes(link.body)
        seals += told or ()
        silent, last = silent or told is None, (link.sequence, link.hash)
    return Anchor(*last, tuple(seals), silent)


def count_expired(times: Iterable[int], receipts: int, first: int, before: float) -> int:
    """How many receipts from number `first` on are older than that time, up to the first that is not.

    `times` are when they were saved, in order; `receipts` is how many the session ever had.
    """
    count = 0
    for at in times:
        if at >= before or first + count >= receipts - LEAST:
            break
        count += 1
    return count
