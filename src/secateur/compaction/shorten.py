"""Older work becomes digests where it stands: the stretches between what the user said, as edits of the plan.

Rule: the user's messages stay where they are; so do calls that may yet be answered, with their rounds. Results of
protected tools stand verbatim behind the digest of their stretch. A stretch that a digest would hardly shorten stays. A
digest is never read again by the next one: stretches that were replaced stay as they are, so that what is cached stays
cached. No model is asked. When it is done is not decided here.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from secateur.compaction.cut import HistoryCut, Span, expand_to_rounds, find_newest_user_row, find_pending_rows
from secateur.compaction.digest import build_digest
from secateur.compaction.edits import find_segments, replace_span
from secateur.compaction.outcome import Compacted, Refused
from secateur.compaction.rows import DIGEST, ViewEntry, build_rows, is_round_split
from secateur.compaction.scene import CompactionInput
from secateur.compaction.settings import Compaction, DigestSettings
from secateur.compaction.span import collect_carried, keep_newest
from secateur.lineage import handle_of
from secateur.model import Message, NewMessage, Replace
from secateur.readback import locate

BY = "digest"
MOST_SHARE, LEAST_TOKENS = 0.8, 100  # a stretch shrinks to less than this share, and by so much at least


class _Stretch(Struct, frozen=True):
    """One stretch that becomes a digest."""

    edit: Replace
    text: str
    messages: int
    before: int  # tokens
    after: int
    blob: tuple[str, str] | None  # handle and text of what gave way


def shorten(scene: CompactionInput, settings: Compaction, digest: DigestSettings, stretch: Span) -> Compacted | Refused:
    """Digests in place of the raw messages [first, last), where they shorten something; the tokens are the scene's."""
    rows = build_rows(scene.shown or scene.raw, scene.ranges, scene.count)
    start, end = (next((n for n, row in enumerate(rows) if row.first >= at), len(rows)) for at in stretch)
    while end > start and is_round_split(rows, end):
        end -= 1
    where = HistoryCut(start, end, expand_to_rounds(rows, start, end, (*_find_non_work(rows), *_find_waiting(rows))))
    made = [
        one for span in find_segments(where, rows) if (one := _shorten_stretch(scene, settings, digest, (rows, span)))
    ]
    if not made:
        return Refused("no_gain", "a digest of the older work would hardly be shorter")
    return Compacted(
        edits=tuple(one.edit for one in made),
        rung="digest",
        summary="\n\n".join(one.text for one in made),
        messages=sum(one.messages for one in made),
        tokens_before=sum(one.before for one in made),
        tokens_after=sum(one.after for one in made),
        blobs=dict(one.blob for one in made if one.blob),
    )


def _find_non_work(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Yield rows that are not the agent's work: user and system messages, earlier summaries and digests."""
    for number, row in enumerate(rows):
        message = row.message
        says = any(part.kind in ("text", "media") and not part.container_key for part in message.parts)
        spoken = message.role == "user" and message.origin == "user" and says
        if spoken or message.role == "system" or row.new is not None or row.is_summary:
            yield number


def _find_waiting(rows: Sequence[ViewEntry]) -> Iterator[int]:
    """Yield rows whose calls may yet be answered: not those without any result after which the user spoke."""
    spoken = find_newest_user_row(rows) or 0
    for place in find_pending_rows(rows):
        behind = rows[place + 1] if place + 1 < len(rows) else None
        answered = behind is not None and any(part.kind == "tool_result" for part in behind.message.parts)
        if answered or place > spoken:
            yield place


def _shorten_stretch(
    scene: CompactionInput, settings: Compaction, digest: DigestSettings, place: tuple[Sequence[ViewEntry], Span]
) -> _Stretch | None:
    """Shorten one stretch, if it becomes shorter."""
    rows, span = place
    mine = rows[span[0] : span[1]]
    raw = scene.raw[mine[0].first : mine[-1].last]
    full = _join_full_text(raw) if scene.handles else ""
    handle = handle_of(full) if full else ""
    text = build_digest(raw, digest, locate(handle, scene.recall_folder))
    kept = tuple(keep_newest(collect_carried(mine, scene.raw, settings, scene.protect, tools=True)))
    before = sum(row.tokens for row in mine)
    after = sum(scene.count(one) for one in (text, *(item.text for item in kept)))
    if after > MOST_SHARE * before or before - after < LEAST_TOKENS:
        return None
    items = (NewMessage("user", text, "summary", {DIGEST: len(raw)}), *kept)
    edit = replace_span(span, rows, scene.raw, items, BY)
    return _Stretch(edit, text, len(raw), before, after, (handle, full) if handle else None)


def _join_full_text(messages: Sequence[Message]) -> str:
    """Return the replaced messages as text."""
    return "\n\n".join(_iterate_texts(messages))


def _iterate_texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if part.text:
                yield f"[{message.role}] {part.text}"
