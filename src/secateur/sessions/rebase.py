"""Histories that a client rewrote itself: what of a plan still holds for the parts that it left as they were.

Rule: keys hold only where everything before them holds, so a client that clears or truncates its own history leaves a
plan's edits without their parts. A part that says the same still, found by its hash without lineage, gets the edit
again; a range gets its summary again where all its messages say the same. Nothing is carried to what says otherwise.
"""

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from secateur.bounds import find_protected_keys
from secateur.lineage import hash_contents, hash_text
from secateur.model import Edit, Epoch, Message, Remove, Replace, Rewrite
from secateur.plan import Plan, list_active_epochs
from secateur.protect import Protection
from secateur.session import Projection

REWRITTEN = "the history was rewritten by the client"


class MissingParts(Struct, frozen=True):
    """Edits in force whose parts are not in the history, by these parts' keys; and the same ones, by the keys of parts
    that say what theirs said."""

    gone: dict[str, Rewrite | Remove] = {}
    found: dict[str, Rewrite | Remove] = {}


def with_local(epoch: Epoch, messages: tuple[Message, ...]) -> Epoch:
    """The epoch with the hashes by which its parts and ranges are found again."""
    keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
    said: dict[str, str] = {}
    for message in messages if keys else ():
        if any([part.key in keys for part in message.parts]):
            said |= {
                part.key: one
                for part, one in zip(message.parts, hash_contents(message), strict=True)
                if part.key in keys
            }
    places = {message.key: number for number, message in enumerate(messages, 1)} | {"": 0}
    for edit in epoch.edits:
        if isinstance(edit, Replace) and edit.after in places and edit.through in places:
            said[_format_range(edit)] = _run(
                [_hash_message(one) for one in messages[places[edit.after] : places[edit.through]]]
            )
    return replace(epoch, content_hashes=said) if said else epoch


def find_lost_edits(work: Projection, known: MissingParts) -> MissingParts:
    """Edits of the plan without a part in this history. For a continued history only new messages are read."""
    parts, first = work.fold_all().parts, work.known
    if not parts or (first and not known.gone):
        return MissingParts()
    fresh = work.document.transcript.messages[first:]
    here = {part.key for message in fresh for part in message.parts}
    by_local = _map_content_hashes(work.plan)
    before = known.gone if first else parts
    gone = {key: parts[key][0] for key in before if key in parts and key in by_local and key not in here}
    said = {by_local[key]: edit for key, edit in gone.items()}
    found = dict(known.found) if first else {}
    for message in fresh if gone else ():
        for part, one in zip(message.parts, hash_contents(message), strict=True):
            if one in said:
                found[part.key] = replace(said[one], key=part.key)
    return MissingParts(gone, {key: edit for key, edit in found.items() if key not in work.edited})


def carry_over_edits(work: Projection, lost: MissingParts, protection: Protection) -> dict[str, Edit]:
    """Lost edits allowed at their parts' new places, and summaries whose range is complete."""
    made: dict[str, Edit] = {}
    if lost.found:
        stays = find_protected_keys(work.get_view(), protection, lost.found.keys(), work.fold.parts.keys())
        made |= {key: edit for key, edit in lost.found.items() if key not in stays}
    return made | _find_summary_runs(work)


def _map_content_hashes(plan: Plan) -> dict[str, str]:
    named: dict[str, str] = {}
    for epoch in list_active_epochs(plan):
        if not isinstance(epoch.content_hashes, UnsetType):
            named |= epoch.content_hashes
    return named


def _find_summary_runs(work: Projection) -> dict[str, Edit]:
    """Summaries whose range is missing from this history, applied to messages with the same content."""
    if not work.fold_all().ranges:
        return {}
    messages, by_local = work.document.transcript.messages, _map_content_hashes(work.plan)
    places = {message.key for message in messages} | {""}
    stand = [edit for edit, _ in work.fold_all().ranges if edit.after in places and edit.through in places]
    runs = {by_local.get(_format_range(edit), "") for edit in stand}
    found: dict[str, Edit] = {}
    said: list[str] = []
    for edit, _ in work.fold_all().ranges:
        run = by_local.get(_format_range(edit), "")
        if edit in stand or run in runs or not run:
            continue
        said = said or [_hash_message(message) for message in messages]
        at, count = _place(said, run), int(run.partition(" ")[0])
        if at is not None:
            moved = replace(edit, after=messages[at - 1].key if at else "", through=messages[at + count - 1].key)
            found[_format_range(moved)] = moved
            runs.add(run)
    return found


def _hash_message(message: Message) -> str:
    """The hash of a message without lineage; reasoning is left out, as in the chain."""
    parts = zip(message.parts, hash_contents(message), strict=True)
    return hash_text("\0".join([message.role, *(one for part, one in parts if part.kind != "reasoning")]))


def _run(said: list[str]) -> str:
    """A run of messages by its length, its first message and all of them; "" for none."""
    return f"{len(said)} {said[0]} {hash_text(chr(0).join(said))}" if said else ""


def _place(said: list[str], run: str) -> int | None:
    count, first = int(run.split(" ")[0]), run.split(" ")[1]
    starts = (at for at, one in enumerate(said) if one == first and at + count <= len(said))
    return next((at for at in starts if _run(said[at : at + count]) == run), None)


def _format_range(edit: Replace) -> str:
    return f"{edit.after} {edit.through}"
