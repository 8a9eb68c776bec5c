"""Cache breakpoints in the request that opens an epoch: before its first edit, and before the next likely edit.

Rule: a function of history and plan. The request whose last message is the head of the newest epochs gets them, each
time it is sent; later ones do not need them, since they find what it left. Markers do not count as content, so they
change no key and no prefix. Which blocks can bear one is decided by the format (`formats.breakpoints`).
"""

from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import bounds
from secateur.budget import Budget
from secateur.documents import Document
from secateur.formats.breakpoints import MARKED, has_marks, place_breakpoints
from secateur.jsontext import Text
from secateur.model import Replace
from secateur.patch import apply
from secateur.projection import Projection
from secateur.projection.messages import locate_in_view
from secateur.render.emitter import Emitter
from secateur.strategy import is_final


class Rendered(Struct, frozen=True):
    """A view as it is sent."""

    native: Any
    active_edits: int = 0  # edits of the plan that apply to this history
    breakpoints: int = 0  # that were added to it


def render(emitter: Emitter, work: Projection, request: Any, on: bool) -> Rendered:
    """The view of a request. Breakpoints are added only if they are `on`, and to no view that is the request itself.

    They are where a schedule considers caches: presets of other systems send exactly what those send.
    """
    native, edits = emitter.emit(work, request), emitter.count_edits(work)
    document = work.document
    if on and native is not request and document.transcript.messages_path == (MARKED.get(document.format.name),):
        first = _find_first_edited(work)
        native, added = (native, 0) if first is None else _place_marks(work, native, first)
        return Rendered(native, edits, added)
    return Rendered(native, edits, 0)


def _place_marks(work: Projection, native: Any, first: int) -> tuple[Any, int]:
    text = _get_json(work.document, native)
    if text is not None and not has_marks(text):
        return native, 0
    body = Text.of(text).value() if text is not None else native
    places = _locate_elements(work, body)
    if places is None:
        return native, 0
    wanted = [locate_in_view(work.ranges, first), *find_breakpoint_targets(work)]
    ops = place_breakpoints(work.document.format.name, body, [places[number] for number in wanted if number])
    if not ops:
        return native, 0
    done = apply(body if text is None else Text.of(text), ops)
    return (work.document.encode_output(done.data) if isinstance(done, Text) else done), len(ops)


def _find_first_edited(work: Projection) -> int | None:
    """The first message edited by epochs opened for this request; None if there are none."""
    messages, epochs = work.document.transcript.messages, work.branch_plan.epochs
    tip = messages[-1].key if messages else ""
    keys: set[str] = set()
    ranges = []
    for epoch in reversed(epochs):
        if epoch.head_key != tip or not tip:
            break
        both = (epoch, epochs[epoch.reverts]) if epoch.reverts is not None else (epoch,)
        keys |= {edit.key for one in both for edit in one.edits if not isinstance(edit, Replace)}
        ranges += [edit for one in both for edit in one.edits if isinstance(edit, Replace)]
    found = [i for i, _, edit in work.ranges if edit in ranges]
    found += work.message_index.find(keys)[:1]
    return min(found, default=None)


def _get_json(document: Document, native: Any) -> bytes | None:
    """The view as JSON text; None if it consists of objects or an encoding that no API reads."""
    if isinstance(native, str):
        return native.encode("utf-8", "surrogatepass")
    if isinstance(native, bytes) and document.encoding == "utf-8":
        return native[len(document.bom) :]
    return None


def _locate_elements(work: Projection, body: Any) -> list[int] | None:
    """The position of each message of the view in its array, and the end; None if unknown."""
    if work.document.transcript.messages_path == ("input",):
        return _locate_items(work, body)
    raw = {message.key: message for message in work.document.transcript.messages}
    whole = work.document.format.must_alternate  # no message goes with its parts
    places, here = [], 0
    for message in work.get_view().messages:
        places.append(here)
        is_emptied = not message.parts and message.key in raw and bool(raw[message.key].parts)  # and went with them
        here += whole or not is_emptied
    items = body.get("messages") if isinstance(body, dict) else None
    return [*places, here] if isinstance(items, list) and len(items) == here else None


def _locate_items(work: Projection, body: Any) -> list[int] | None:
    """The same where a message may be several items: only known while each keeps its position."""
    items, raw = body.get("input"), work.document.transcript.messages
    steps = [message.path[1] for message in raw if len(message.path) > 1 and isinstance(message.path[1], int)]
    whole = isinstance(items, list) and len(steps) == len(raw) and not work.ranges and not work.fold.removed
    return [*steps, len(items)] if whole else None


def find_breakpoint_targets(work: Projection) -> tuple[int, ...]:
    """View messages before which a request that opens an epoch should leave a prefix; () without edits.

    Behind what a compaction put in, where the next one begins; before the first result, behind the newest edits, that
    may be removed later; and behind the message that began the running turn: once that is over its calls may be edited,
    and where a new turn strips reasoning it reads up to there. Once ranges are replaced, that slot is left to system
    prompt and tools: the next summary begins right behind them.
    """
    epochs, read = work.branch_plan.epochs, work.document.transcript
    mine = epochs[-1].edits if epochs else ()
    found = [j for i, j, edit in work.ranges if i < j and edit in mine][-1:]
    keys = {edit.key for edit in mine if not isinstance(edit, Replace)}
    first = next((n for n, message in enumerate(read.messages) if any(p.key in keys for p in message.parts)), None)
    if first is None:
        return tuple(_place_of(work, number) for number in found)
    index = work.index
    budget = Budget(
        window=0,
        tokens_used=0,
        count=work.gauge,
        protect=work.protect,
        edited_by=work.edited,
        own_keys=work.message_index.own,
    )
    behind = replace(read, index=replace(index, first_prunable=first))
    found.append(bounds.find_first_unspent(behind, work.protect, partial(is_final, budget)))
    if index.user_turns and index.user_turns[-1] >= first and not work.ranges:
        found.append(index.user_turns[-1] + 1)
    return tuple(_place_of(work, number) for number in found)


def _place_of(work: Projection, number: int) -> int:
    """The number in the view of a message of the history, or of the first one behind it that the view shows."""
    messages = work.get_view().messages
    later = {message.key for message in work.document.transcript.messages[number:]}
    return next((n for n, message in enumerate(messages) if message.key in later), len(messages))
