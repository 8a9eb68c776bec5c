"""Older work becomes digests where it is: stretches between the user's messages, as edits of the plan.

Rule: the user's messages stay where they are; so do calls that may still be answered, with their rounds. Results of
protected tools stay verbatim behind the digest of their stretch. A stretch that a digest would hardly shorten stays,
and a digest is never read again by the next one, so what is cached stays cached. A digest is written by code and adds
nothing: it names the tool, what the call was about and how it ended, with the lines by which to navigate a long result;
a short result stays whole. Prose keeps its beginning and its end. Secrets are removed. When it happens is not decided
here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.conversation import DIGEST, CompactionInput, ViewEntry, build_rows, is_round_split
from secateur.compaction.cut import HistoryCut, Span, expand_to_rounds, find_newest_user_row
from secateur.compaction.ledger import Ledger
from secateur.compaction.ledger.said import keep_ends
from secateur.compaction.names import DigestEntry, add_names
from secateur.compaction.outcome import Compacted, CompactionSkipped
from secateur.compaction.settings import Compaction, DigestSettings
from secateur.compaction.span import collect_carried, find_segments, keep_newest, replace_span
from secateur.compaction.waiting import find_pending_rows
from secateur.lineage import handle_of
from secateur.model import Message, NewMessage, Part, Replace
from secateur.redact import redact
from secateur.text.outline import outline_with_names
from secateur.text.own_text import DIGEST_BEGINS, replace_surrogates
from secateur.text.placeholder import describe_outcome, find_main_argument, shorten_line
from secateur.text.readback import describe_way_back, locate
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, build_action, get_output, pair_calls

ABOUT_CHARS = 160  # of what a call was about
RESULT_CHARS = 300  # a result that is not longer is there whole
ROOT_SHARE = 0.6  # of the absolute paths in calls: a folder that this share is in is stated once

BY = "digest"
NAMES_WINDOW_SHARE = 0.02  # of the window, at most, for the names of all digests that are made at once
MOST_SHARE, LEAST_TOKENS = 0.8, 100  # a stretch shrinks to less than this share, and by so much at least


def build_digest(messages: Sequence[Message], settings: DigestSettings, handle: str = "") -> str:
    """Digest these messages, which split no round; `handle` names the original where it can be read."""
    results = {id(call): result for call, result in pair_calls(messages)}
    root = _find_root(messages)
    entries = [entry for message in messages for entry in _iterate_entries(message, results, root, settings)]
    where = f"; paths are in {root}" if root else ""
    back = f"; {describe_way_back(handle)} shows it in full" if handle else ""
    lines = (f"{DIGEST_BEGINS}{where}{back}]", *add_names(entries, settings, root))
    return replace_surrogates("\n".join(lines))


def _iterate_entries(
    message: Message, results: dict[int, Part | None], root: str, settings: DigestSettings
) -> Iterator[DigestEntry]:
    for part in message.parts:
        if part.kind == "text" and part.text.strip():
            who = "" if message.role == "assistant" else "[host] "
            yield DigestEntry(who + _shorten_prose(part.text, settings.max_prose_chars))
        elif part.kind == "tool_call":
            entry = _call(part, results.get(id(part)), settings)
            yield replace(entry, text=entry.text.replace(f"{root}/", "")) if root else entry


@lru_cache(maxsize=4_096)
def _shorten_prose(text: str, chars: int) -> str:
    return redact(keep_ends(text.strip(), chars))


@lru_cache(maxsize=4_096)
def _call(call: Part, result: Part | None, settings: DigestSettings) -> DigestEntry:
    """One call and how it ended."""
    plan = detect_tool_kind(call.tool, call.text) == "plan"  # what is left to do is in the arguments themselves
    about = (
        shorten_line(call.text, settings.max_prose_chars)
        if plan
        else shorten_line(find_main_argument(call.text), ABOUT_CHARS)
    )
    line = f"- {call.tool or 'tool'} {about}".rstrip()
    if result is None:
        return DigestEntry(redact(f"{line} → (no result)"))
    action = build_action(call, result)
    output = get_output(action).strip()
    if len(output) <= RESULT_CHARS:
        return DigestEntry(redact(f"{line} → {_describe_status(action, output)}{output or '(nothing)'}"))
    said = ", ".join(filter(None, (f"{len(output):,} characters", shorten_line(describe_outcome(result), 100))))
    room = min(settings.max_outline_chars, max(settings.min_outline_chars, int(settings.outline_share * len(output))))
    shown = filter(None, (f"{line} → {said}", outline_with_names(output, room, redact)))
    return DigestEntry(redact("\n".join(shown)), output)


def _describe_status(action: Action, output: str) -> str:
    """What a short output does not show: that it is an error, and what the host said above it of how the call ended."""
    above = action.said.rpartition(output)[0] if output else action.said
    running = _RUNNING.search(above)
    code = f"exit code {action.exit}" if action.exit and above else ""
    failed = "error" if action.result and action.result.is_error else ""
    said = ", ".join(filter(None, (failed, code, running and running[0])))
    return f"{said}: " if said else ""


_RUNNING = re.compile(r"(?m)^Process running with [^\n]{1,80}$")


def _find_root(messages: Sequence[Message]) -> str:
    """Return the deepest folder that contains most absolute paths of the calls; "" if there is none."""
    found: Counter[str] = Counter()
    total = 0
    for folder in (
        at for one in messages for part in one.parts if part.kind == "tool_call" for at in _list_folders(part)
    ):
        total += 1
        while folder.count("/") >= 3:  # /home/me is too general
            found[folder] += 1
            folder = folder.rsplit("/", 1)[0]
    most = [folder for folder, times in found.items() if times >= max(2, ROOT_SHARE * total)]
    return max(most, key=len, default="")


@lru_cache(maxsize=4_096)
def _list_folders(call: Part) -> tuple[str, ...]:
    return tuple(folder.rstrip("/") for folder in _ABSOLUTE.findall(call.text))


_ABSOLUTE = re.compile(r"(?<![\w.])/(?:[\w.@+-]+/)+")


class _Stretch(Struct, frozen=True):
    """One stretch that becomes a digest."""

    edit: Replace
    text: str
    messages: int
    before: int  # tokens
    after: int
    blob: tuple[str, str] | None  # handle and text of the replaced part


def shorten(
    scene: CompactionInput, settings: Compaction, digest: DigestSettings, stretch: Span
) -> Compacted | CompactionSkipped:
    """Digests in place of the raw messages [first, last), where they shorten something; the tokens are the scene's."""
    rows = build_rows(scene.shown or scene.raw, scene.ranges, scene.count)
    start, end = (next((n for n, row in enumerate(rows) if row.first >= at), len(rows)) for at in stretch)
    while end > start and is_round_split(rows, end):
        end -= 1
    where = HistoryCut(start, end, expand_to_rounds(rows, start, end, (*_find_non_work(rows), *_find_waiting(rows))))
    digest = _limit_names(digest, sum(row.tokens for row in rows[start:end]), scene.window)
    made = [
        one for span in find_segments(where, rows) if (one := _shorten_stretch(scene, settings, digest, (rows, span)))
    ]
    if not made:
        return CompactionSkipped("no_gain", "a digest of the older work would hardly be shorter")
    return Compacted(
        edits=tuple(one.edit for one in made),
        rung="digest",
        summary="\n\n".join(one.text for one in made),
        ledger=Ledger(),
        messages=sum(one.messages for one in made),
        tokens_before=sum(one.before for one in made),
        tokens_after=sum(one.after for one in made),
        blobs=dict(one.blob for one in made if one.blob),
    )


def _limit_names(digest: DigestSettings, tokens: int, window: int) -> DigestSettings:
    """The settings for work of so many tokens: the names of all its results together must not crowd the window."""
    most = NAMES_WINDOW_SHARE * window / max(1, tokens) if window > 0 else 1.0
    return replace(digest, names_share=min(digest.names_share, most))


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
