"""What can happen to files, and how patches and git's own commands do it: moves, removals, and taking files back.

Rule: a file is restored where git takes it back to the last commit; another commit's version is a change. Only what is
certain from the words of the command. What other programs do to files is not read here.
"""

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from secateur.toolcalls.actions import collapse_whitespace

Use = Literal["read", "created", "changed", "moved", "deleted", "restored", "discarded"]


class Effect(Struct, frozen=True, gc=False):
    """What happened to one file. `whole`: it was rewritten, so its earlier text does not matter.

    `formatted`: a formatter was to write it, whose words do not say whether it found anything to change.
    """

    path: str  # "": all files that were changed
    use: Use | Literal["committed", "stashed", "reapplied"]
    to: str = ""
    whole: bool = False
    formatted: bool = False


def is_pathlike(word: str) -> bool:
    """Return whether this word can only be a file name."""
    return (
        len(word) <= 400
        and collapse_whitespace(word) == word
        and not _NOT_A_PATH.search(word)
        and word.strip(".-~/") != ""
    )


def parse_patch_effects(body: str) -> Iterator[Effect]:
    """Yield the effects of a `*** Begin Patch` patch or a unified diff."""
    before = ""
    for found in _PATCH.finditer(body):
        verb, path = found["verb"], collapse_whitespace(found["path"] or found["new"])
        if verb == "Move to":
            yield Effect(before, "moved", to=path)
        elif verb:
            yield Effect(path, _VERBS[verb], whole=verb == "Add File")
        else:
            old = collapse_whitespace(found["old"])
            used: Use = "created" if old == "/dev/null" else "deleted" if path == "/dev/null" else "changed"
            yield Effect(re.sub(r"^[ab]/", "", old if used == "deleted" else path), used)
        before = path


def parse_git_effects(rest: tuple[str, ...]) -> Iterator[Effect]:
    verb, operands = rest[0], [word for word in _list_words(rest[1:]) if is_pathlike(word)]
    if verb == "mv" and len(operands) == 2:
        yield Effect(operands[0], "moved", to=operands[1])
    elif verb == "rm" and "--cached" not in rest:
        yield from (Effect(path, "deleted") for path in operands)
    elif verb in ("checkout", "restore"):
        yield from _parse_restored(verb, rest[1:])
    elif verb == "stash":
        yield from _parse_stashed(rest[1:])
    elif verb == "commit" and "--dry-run" not in rest:
        yield Effect("", "committed")
    elif verb == "clone":
        yield from (Effect(path, "created") for path in _find_clone(rest[1:]))
    elif verb == "reset" and "--hard" in rest and {*rest[1:]} <= {"--hard", "-q", "--quiet", "HEAD"}:
        yield Effect("", "restored")


def _find_clone(rest: tuple[str, ...]) -> Iterator[str]:
    """Yield the folder that a repository is cloned into, if the command names it."""
    named = [word for word, before in zip(rest, ("", *rest), strict=False) if before not in _VALUED_BY_CLONE]
    operands = [word for word in named if not word.startswith("-")]
    if len(operands) == 2 and is_pathlike(operands[1].rstrip("/")):
        yield operands[1].rstrip("/")


def _parse_restored(verb: str, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the files that are taken back to the last commit, or changed to what another one has."""
    options, paths = _split_at_dashes(rest)
    trees = [word for word in options if not word.startswith("-")] if "--" in rest else []
    if verb == "restore":
        options, trees = tuple(word for word in rest if word.startswith("-")), []
        paths = tuple(word for word in rest if not word.startswith("-"))
        if {*options} & {"--staged", "-S"} and not {*options} & {"--worktree", "-W"}:
            return
    elif "--" not in rest:
        paths = tuple(word for word in rest if word in (".", "./") or _FILE_OR_FOLDER.search(word))
        paths = paths if len(paths) == sum(not word.startswith("-") for word in rest) else ()
    plain = {word for word in options if word.startswith("-")} <= _PLAIN and trees in ([], ["HEAD"])
    for path in (word.removeprefix("./").rstrip("/") for word in paths):
        if path in ("", "."):
            yield from (Effect("", "restored"),) if plain else ()
        elif is_pathlike(path) and (plain or "--" in rest):
            yield Effect(path, "restored" if plain else "changed")


def _parse_stashed(rest: tuple[str, ...]) -> Iterator[Effect]:
    verb = next((word for word in rest if not word.startswith("-")), "push")
    if verb in ("pop", "apply"):
        yield Effect("", "reapplied")
    elif "--" in rest:
        yield from (Effect(path.rstrip("/"), "stashed") for path in _split_at_dashes(rest)[1])
    elif verb in ("push", "save") and not {*rest} & {"--staged", "-S", "-p", "--patch"}:
        named = [word for word, before in zip(rest[1:], rest, strict=False) if before not in ("-m", "--message")]
        paths = [word.rstrip("/") for word in named if not word.startswith("-")] if verb == "push" else []
        yield from (Effect(path, "stashed") for path in paths or [""])


def _split_at_dashes(rest: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split words at `--`; all are options where there is none."""
    at = rest.index("--") if "--" in rest else len(rest)
    return rest[:at], rest[at + 1 :]


def _list_words(rest: tuple[str, ...]) -> list[str]:
    """Return the words that are not options."""
    options, paths = _split_at_dashes(rest)
    return [*(word for word in options if not word.startswith("-") or word == "-"), *paths]


_PATCH = re.compile(
    r"^\*\*\* (?P<verb>Add File|Update File|Delete File|Move to): (?P<path>[^\n]+)"
    r"|^--- (?P<old>[^\t\n]+)[^\n]*\n\+\+\+ (?P<new>[^\t\n]+)",
    re.M,
)
_VERBS: dict[str, Use] = {"Add File": "created", "Update File": "changed", "Delete File": "deleted"}
_NOT_A_PATH = re.compile(r"[$*?\[\]{}<>|;&`\"'\n!^=,()\\]|^-|^\d+$|^/dev/|://|^[.~]?/?$|/$")
_FILE_OR_FOLDER = re.compile(r"[^/]\.[A-Za-z]\w*$|.\/$")
_VALUED_BY_CLONE = frozenset(
    {"--depth", "-b", "--branch", "-o", "--origin", "--filter", "--reference", "-c", "--config", "-j", "--jobs"}
)
_PLAIN = frozenset({"-f", "--force", "-q", "--quiet", "--worktree", "-W", "--staged", "-S", "--source=HEAD"})
