"""What became of one file: the names that edits added to it and took out of it, its lines, and what they were for.

Rule: as the texts of the edits say, in their order; which calls made them, and what was taken back, is not known here.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from secateur.compaction.ledger.files.net_changes import NetChanges, ShownTexts
from secateur.compaction.ledger.files.rewrites import (
    SEARCHED_CHARS,
    EditedText,
    classify_edit,
    find_lead,
    is_renamed,
    list_names_defined,
)

SAME_TITLE = 0.5  # of the words of two titles: one is the other, reworded


class FileChanges(Struct):
    """What became of one file so far."""

    number: int = -1  # the message with the newest edit
    added: dict[str, None] = {}
    removed: dict[str, None] = {}
    lead: str = ""  # what the file says of itself
    renamed: dict[str, str] = {}
    retitled: dict[str, str] = {}  # titles of tests and of parts of documents that were reworded
    twice: dict[str, None] = {}  # functions that two edits defined in the same words
    lines: set[str] = set()  # the lines with which functions begin, as they are now
    kinds: set[str] = set()
    net: NetChanges = field(default_factory=NetChanges)
    edits: list[tuple[int, EditedText]] = []  # with the numbers of their messages, since it was last written anew
    deeds: dict[str, int] = {}  # what the agent says that it did in edits, with the numbers of those messages
    meant: dict[str, int] = {}  # files that edits of this one were meant for, with the numbers of those messages
    is_unknown: bool = False  # a call changed it that does not say how
    expression: str = ""  # of the command that rewrote it
    is_reverted: bool = False  # the edits took back what git showed to be changed before them


def copy_changes(changes: FileChanges) -> FileChanges:
    """Return the same changes, to be continued apart."""
    values = {name: getattr(changes, name) for name in changes.__struct_fields__}
    return FileChanges(**{name: value.copy() if hasattr(value, "copy") else value for name, value in values.items()})


def is_reverse(one: NetChanges, other: NetChanges) -> bool:
    """Whether changes take back others, all of them."""
    is_same = one.added.keys() == other.removed.keys() and one.removed.keys() == other.added.keys()
    return is_same and bool(one.added or one.removed) and not one.is_guessed


def note_rewrite(changes: FileChanges, one: EditedText, number: int) -> None:
    """Add what one place of an edit added and removed."""
    old, new = list_names_defined(one.path, one.old), list_names_defined(one.path, one.new)
    if one.whole:
        changes.lead = find_lead(one.path, one.new)
        changes.added, changes.removed = {}, {}
    gone, new_ones = [name for name in old if name not in new], [name for name in new if name not in old]
    for title, retitled in list(_pair_titles([name for name in gone if name not in changes.added], new_ones)):
        gone.remove(title)
        new_ones.remove(retitled)
        changes.retitled[title] = retitled
    for name in gone:
        if name in changes.added:
            del changes.added[name]
        else:
            changes.removed[name] = None
    for name in new_ones:
        if name in changes.removed:
            del changes.removed[name]
        else:
            changes.added[name] = None
    if len(gone) == len(new_ones) == 1 and is_renamed(one, gone[0], new_ones[0]):
        changes.renamed[gone[0]] = new_ones[0]
    _note_definitions(changes, one)
    changes.kinds.add("whole" if one.whole else classify_edit(one.old, one.new))
    changes.number = max(changes.number, number)


def _pair_titles(gone: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield titles of tests and of parts of documents that an edit took out, each with the one that replaced it.

    Of one that was only reworded, what it stands above was changed, and nothing was added.
    """
    left = {name: {*_WORD.findall(name)} for name in new if name.startswith("“")}
    for name in gone:
        words = {*_WORD.findall(name)} if name.startswith("“") else set()
        shared = {one: len(words & its) / len(words | its) for one, its in left.items() if words & its}
        best = max(shared, key=lambda one: shared[one], default="")
        if best and shared[best] >= SAME_TITLE:
            del left[best]
            yield name, best


def list_lost(one: EditedText, shown: ShownTexts, changes: FileChanges) -> Sequence[str]:
    """Return the names that a file defined before it was written anew without them; not those that edits had added."""
    if len(one.new) >= SEARCHED_CHARS:
        return ()
    new = list_names_defined(one.path, one.new)
    known = dict.fromkeys(
        (*changes.removed, *(name for text in shown.texts for name in list_names_defined(one.path, text)))
    )
    return [name for name in known if name not in new and name not in changes.added]


def _note_definitions(changes: FileChanges, one: EditedText) -> None:
    """Note the functions that an edit defines in the very words in which an earlier one did."""
    if one.whole:
        changes.lines, changes.twice = set(), {}
    old = {hit[0]: hit["name"] for hit in _FUNCTION.finditer(one.old)}
    new = {hit[0]: hit["name"] for hit in _FUNCTION.finditer(one.new)}
    for line, name in old.items():
        if line not in new:
            changes.twice.pop(name, None)
            changes.lines.discard(line)
    for line, name in new.items():
        if line not in old and line in changes.lines:
            changes.twice[name] = None
    changes.lines |= new.keys()


_WORD = re.compile(r"\w+")
_FUNCTION = re.compile(r"^[ \t]*(?:async )?(?:def|func|fn|function) (?P<name>(?!__)\w+)\([^\n]*$", re.M)
