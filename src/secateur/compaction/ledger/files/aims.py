"""What a single edit is for: in the words that its call gives for it, else the lines that it changes.

Rule: words are quoted from an argument that is made for them, and lines from the old and the new text. A call that
writes a whole file, or that edits several, is told by its files alone, and so is one that the note of its file tells.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Command, FileEntry
from secateur.compaction.ledger.files.net_changes import NetChanges
from secateur.compaction.ledger.files.rewrites import EditedText, list_names_defined, list_rewrites
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name

AIM_CHARS, LEAST_AIM = 200, 15
MOST_NAMES = 5
_ARGUMENTS = frozenset({"instruction", "instructions", "explanation"})  # normalized names
_SENTENCE = re.compile(r".{20,}?[.!?](?= |$)")


def describe_aim(action: Action) -> str:
    """Return what an edit is for, behind a colon and a blank; "" of any other call and where nothing tells it."""
    if action.kind != "edit":
        return ""
    aim = _quote_words(action) or _quote_lines(action)
    return f": {aim}".replace(" — ", " – ").replace(" · ", " - ") if aim else ""


def drop_told_aims(calls: Sequence[Command], files: Sequence[FileEntry]) -> tuple[Command, ...]:
    """Return the calls, an edit without what it is for where the note of its file has the same words."""
    notes = "\n".join(one.about for one in files)

    def shorten(call: Command) -> Command:
        head, _, aim = call.text.partition(": ")
        return replace(call, text=head) if len(aim) >= LEAST_AIM and aim in notes else call

    return tuple(map(shorten, calls)) if notes else tuple(calls)


def _name_added(edits: Sequence[EditedText]) -> str:
    """Name what the edits define; "" where they also take definitions away, which may be the same under other names."""
    old = {name for one in edits for name in list_names_defined(one.path, one.old)}
    new = dict.fromkeys(name for one in edits for name in list_names_defined(one.path, one.new))
    names = [name for name in new if name not in old]
    return f"adds {', '.join(names[:MOST_NAMES])}" if names and old <= new.keys() else ""


def _quote_words(action: Action) -> str:
    """Quote the first sentence of what the call says that it is for."""
    given = (value for name, value in action.given.items() if normalize_name(name) in _ARGUMENTS)
    said = next((redact(collapse_whitespace(value)) for value in given if isinstance(value, str)), "")
    first = hit[0] if (hit := _SENTENCE.match(said)) else said
    clipped = clip_text(first, AIM_CHARS)
    return f"“{clipped}{'' if clipped == first else ' …'}”" if clipped else ""


def _quote_lines(action: Action) -> str:
    """Quote the lines that an edit of one file changes; of many, what they define, else the first."""
    edits = list_rewrites(action)
    if not edits or len({one.path for one in edits}) > 1 or any(one.whole or one.lines[0] for one in edits):
        return ""
    net = NetChanges()
    for one in edits:
        net.note(one, [])
    told = redact(net.quote_all() or _name_added(edits) or net.quote())
    return told if len(told) <= 2 * AIM_CHARS else ""
