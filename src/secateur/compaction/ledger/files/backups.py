"""Copies that calls made of files before they changed them, and patches of the changes: either can be put back.

Rule: a copy is one of the file as it was where no call changed the file before it, nor the copy since; put back, it
takes the changes back. A patch that git wrote brings those changes again that were taken back, where it is applied.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.paths import find_known_path
from secateur.compaction.ledger.work.patches import list_written_patches
from secateur.toolcalls.actions import Action
from secateur.toolcalls.effects import Effect, is_pathlike
from secateur.toolcalls.file_effects import list_command_lines, list_file_effects
from secateur.toolcalls.shell import parse_command_line


class Backups:
    """The copies of files as they were, by their paths, and the effects of calls that put them back."""

    def __init__(self) -> None:
        self.settled: dict[str, tuple[Effect, ...]] = {}  # by the keys of these calls
        self._originals: dict[str, str] = {}
        self._patches: dict[str, frozenset[str]] = {}  # with the names of their files; none where of all

    def settle_effects(self, action: Action, found: dict[str, FileEntry], roots: dict[str, None]) -> Iterator[Effect]:
        """Yield the effects of a call on files; a copy that is put back restores its original, a patch changes it."""
        effects, made = list_file_effects(action), list[Effect]()
        for effect in self._settle(action, effects, found, roots):
            made.append(effect)
            yield effect
        if (*made,) != effects:
            self.settled[action.call.key] = tuple(made)

    def _settle(
        self, action: Action, effects: Sequence[Effect], found: dict[str, FileEntry], roots: dict[str, None]
    ) -> Iterator[Effect]:
        if action.kind == "run" and any(word in action.call.text for word in ("apply", "patch", "diff")):
            yield from self._list_applied(action, found)
        is_copying = action.kind == "run" and action.ok and any(one.use in _COPYING for one in effects)
        if not is_copying and not self._originals:
            yield from effects
            return
        copied, back = self._note_copies(action, found, roots) if is_copying else (set[str](), dict[str, str]())
        for effect in effects:
            path = find_known_path(found, effect.path, roots)
            if effect.use == "moved" and effect.path in back:
                yield from _restore(back[effect.path], found, roots)
                yield Effect(effect.path, "deleted")
            elif effect.use == "created" and effect.path in back.values():
                yield from _restore(effect.path, found, roots)
            else:
                yield effect
                if effect.use != "read" and path not in copied:
                    self._originals.pop(path, None)

    def _list_applied(self, action: Action, found: dict[str, FileEntry]) -> list[Effect]:
        """Note the patches that git wrote, and return what applying one of them changes again."""
        effects: list[Effect] = []
        for line in list_command_lines(action) if action.ok else ():
            self._patches |= dict(list_written_patches(line))
            for hit in _APPLIES.finditer(line) if not _APPLIES_NOTHING.search(line) else ():
                names = self._patches.get(hit["git"] or hit["other"])
                back = [one.path for one in found.values() if one.use == "restored"] if names is not None else []
                effects += [Effect(one, "changed") for one in back if not names or posixpath.basename(one) in names]
        return effects

    def _note_copies(
        self, action: Action, found: dict[str, FileEntry], roots: dict[str, None]
    ) -> tuple[set[str], dict[str, str]]:
        """Note the copies that a call made, and return them with those that it put back, by what each was put over."""
        copied: set[str] = set()
        back: dict[str, str] = {}
        for verb, source, target in _list_copies(action):
            one, other = (find_known_path(found, path, roots) for path in (source, target))
            if one in self._originals and _is_same(self._originals[one], other):
                back[source] = target
            elif verb == "cp" and (one not in found or found[one].use in ("read", "restored")):
                self._originals[other] = one
                copied.add(other)
        return copied, back


def _restore(target: str, found: dict[str, FileEntry], roots: dict[str, None]) -> Iterator[Effect]:
    """Yield the effect of a copy that is put back; none where nothing was changed."""
    known = found.get(find_known_path(found, target, roots))
    if known and known.use not in ("read", "restored"):
        yield Effect(target, "restored")


def _list_copies(action: Action) -> Iterator[tuple[str, str, str]]:
    """Yield the copies and moves of one file to another: verb, source and target."""
    for line in list_command_lines(action):
        for simple in parse_command_line(line).commands:
            paths = [word for word in simple.words[1:] if not word.startswith("-")]
            if simple.words[:1] in (("cp",), ("mv",)) and len(paths) == 2 and all(map(is_pathlike, paths)):
                yield simple.words[0], paths[0], paths[1]


def _is_same(one: str, other: str) -> bool:
    """Whether two paths are of one file: one may be written without the folder that it is in."""
    return f"/{one}".endswith(f"/{other.lstrip('/')}") or f"/{other}".endswith(f"/{one.lstrip('/')}")


_APPLIES = re.compile(
    r"\bgit (?:-C \S+ )?apply (?:-\S+ )*(?P<git>[^\s;&|]+)|\bpatch\b[^\n;&|]{0,80}?(?:<|-i) ?(?P<other>[^\s;&|]+)"
)
_APPLIES_NOTHING = re.compile(r"\s(?:-R|--reverse|--check|--stat|--dry-run)\b")
_COPYING = ("created", "moved")
