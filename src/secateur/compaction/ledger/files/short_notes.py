"""Notes on changed files made short: to a room, without what other lines tell, and without what says nothing.

Rule: a note is cut behind one of its parts, and never in the middle of a name or a line of code. Of files that a commit
took the title stays, or the names of what was added or dropped: its subject tells the rest.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.notes import ANY_NAME, clip_note
from secateur.compaction.ledger.files.rewrites import IMPORTS_ONLY, LAYOUT_ONLY
from secateur.toolcalls.actions import collapse_whitespace

_SHARED = ("", IMPORTS_ONLY, LAYOUT_ONLY)  # notes that files have in common take no room of their own
_CAPS = (180, 150, 120, 90, 60, 40)  # characters of one note, where not all have room


def limit_notes(files: Sequence[FileEntry], max_chars: int) -> tuple[FileEntry, ...]:
    """Return the files with notes of at most so many characters together: shorter ones, then those of newer files."""
    lengths = [len(one.about) for one in files if one.about not in _SHARED]
    if sum(lengths) <= max_chars:
        return tuple(files)
    each = next((cap for cap in _CAPS if sum(min(cap, length) for length in lengths) <= max_chars), _CAPS[-1])
    left, kept = max_chars, list[FileEntry]()
    for one in reversed(files):
        if one.about in _SHARED:
            kept.append(one)
            continue
        about = clip_note(one.about, each)
        about = about if len(about) <= left else ""
        left -= len(about)
        kept.append(replace(one, about=about))
    return tuple(reversed(kept))


def drop_reported(files: Sequence[FileEntry], reported: Iterable[str]) -> tuple[FileEntry, ...]:
    """Return the files, their notes without the agent's sentences that are listed as reported."""
    items = tuple(collapse_whitespace(item.replace("**", "")) for item in reported)

    def strip_quotes(about: str) -> str:
        parts = [part for part in _PARTS.split(about) if not _is_quote_of(part, items)]
        return "; ".join(parts)

    return tuple(replace(one, about=strip_quotes(one.about)) if "“" in one.about else one for one in files)


def drop_idle_notes(files: Sequence[FileEntry]) -> tuple[FileEntry, ...]:
    """Return the files, without notes that name one thing that any file has, and with replaced text in plain form."""
    told = ("" if _IDLE.fullmatch(one.about) else _EXPRESSION.sub(_show_replacement, one.about) for one in files)
    return tuple(replace(one, about=about.strip("; ")) for one, about in zip(files, told, strict=True))


def shorten_committed(files: Sequence[FileEntry], uncommitted: Iterable[str]) -> tuple[FileEntry, ...]:
    """Return the files, of those that are committed the notes with a few names only: the commit tells the rest."""
    left = {*uncommitted}
    return tuple(
        one if one.path in left or one.use == "read" else replace(one, about=_keep_names(one.about)) for one in files
    )


def _keep_names(about: str) -> str:
    """Return the names of what is new or gone that a note begins with, or the title; "" where it begins otherwise."""
    names = _LEADS_TO_CODE.sub("", about.partition("; ")[0].partition("`")[0])
    if about in _SHARED or names.startswith("changes ") or names.count("“") != names.count("”"):
        return about if about in _SHARED else ""
    return "" if names.startswith("“") and len(names) > _TITLE_CHARS else clip_note(names, _TITLE_CHARS)


def _show_replacement(found: re.Match[str]) -> str:
    """Show what an expression of sed puts in whose place, if both are plain and short; "" if not."""
    old, new = (part.replace("\\", "") for part in (found["old"], found["new"]))
    is_plain = max(len(old), len(new)) <= _REPLACED_CHARS and not _PATTERN.search(found["old"])
    return f"`{old}` → `{new}`" if is_plain and old and "`" not in old + new else ""


def _is_quote_of(part: str, items: Iterable[str]) -> bool:
    """Whether a part of a note is a quoted sentence, or the beginning of one, that is in one of these."""
    quoted = _QUOTED.fullmatch(part)
    said = quoted[1].removesuffix(" …").removesuffix("…").rstrip(". ") if quoted else ""
    return len(said) >= _FEWEST_CHARS and any(said in item for item in items)


_EXPRESSION = re.compile(r"“s(?P<by>[/|#@])(?P<old>[^”]*?)(?P=by)(?P<new>[^”]*?)(?:(?P=by)[gimp0-9]*[^”]*)?”")
_PATTERN = re.compile(r"[*+?^$\[\]]|\\[\d(wsb|nt]|\.\*")  # in an expression: more than plain text
_REPLACED_CHARS = 60
_FEWEST_CHARS = 15  # of a quoted sentence
_TITLE_CHARS = 80
_LEADS_TO_CODE = re.compile(r"(?:(?:, such as|:)? ?(?:(?:adds|drops|renames|moves) ?)?)$")
_PARTS = re.compile(r"; (?=“)|(?<=”); ")
_QUOTED = re.compile(r"“([^”]+)”(?: …)?")
_IDLE = re.compile(rf"(?:adds|changes|has) (?:{ANY_NAME}|constructor|[Ii]ndex)")
