"""Which checks are none: scripts of the session's own that verify nothing, and probes.

Rule: a script counts as a check where it can change its own exit status: by an assertion, a test function, an
exception that it raises or an exit with a status. With a condition alone it counts where its run printed a verdict. One
that the session wrote and that holds none of these only prints, so a run of it that ends well says nothing. A run that
failed stays a check, and so does a run of a script whose text is not known whole.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.runs.checks import judge_run
from secateur.compaction.ledger.runs.probes import is_probe
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import ExecutedCommand, is_check
from secateur.toolcalls.file_effects import list_file_effects


def drop_empty_checks(ran: Sequence[ExecutedCommand], done: Iterable[Action]) -> Iterator[ExecutedCommand]:
    """Yield the runs; those of scripts that verify nothing are no checks any more."""
    scripts = {run.action.call.key: names for run in ran if run.check and (names := _list_scripts(run))}
    known = {name for some in scripts.values() for name in some}
    worded = {run.action.call.key for run in ran if run.action.call.key in scripts and judge_run(run).line}
    empty = set(_find_empty_runs(done, scripts, known, worded)) if known else set[str]()
    for run in ran:
        if is_probe(run):
            yield replace(run, check=None)
            continue
        is_empty = run.action.call.key in empty and run.check is not None and _list_scripts(run)
        yield replace(run, check=None) if is_empty and judge_run(run).ok else run


def _find_empty_runs(
    done: Iterable[Action], scripts: dict[str, tuple[str, ...]], names: set[str], worded: set[str]
) -> Iterator[str]:
    """Yield the keys of calls that ran only scripts whose text, as it was then, verifies nothing.

    `worded` are the keys of those that printed a verdict.
    """
    texts: dict[str, str] = {}
    for action in done:
        for effect in list_file_effects(action) if action.kind in ("run", "edit", "other") else ():
            name = posixpath.basename(effect.path)
            if name in names and effect.use == "created" and effect.whole:
                text = "\n".join(value for value in action.given.values() if isinstance(value, str))
                texts[name] = text if len(text) <= _MAX_CHARS else _UNKNOWN
            elif name in names and effect.use != "read":
                texts.pop(name, None)
        run = scripts.get(action.call.key, ())
        is_worded = action.call.key in worded
        if run and all(name in texts and not _is_verifying(texts[name], is_worded) for name in run):
            yield action.call.key


def _is_verifying(text: str, is_worded: bool) -> bool:
    return _EXITS.search(text) is not None or (is_worded and _BRANCHES.search(text) is not None)


def _list_scripts(run: ExecutedCommand) -> tuple[str, ...]:
    """Return the names of the scripts that a run checks with; none where another tool checks as well."""
    checks = [words for words in run.does if is_check(" ".join(words))]
    found = tuple(
        posixpath.basename(words[1]) for words in checks if len(words) > 1 and _INTERPRETER.fullmatch(words[0])
    )
    return found if len(found) == len(checks) else ()


_MAX_CHARS = 50_000  # of a script that is looked through
_UNKNOWN = "assert"  # in place of a longer one, which counts as a check
_INTERPRETER = re.compile(r"python[\d.]*")
_EXITS = re.compile(
    r"\bassert|\bdef test|\bclass \w{0,80}Test|\bunittest\b|\bpytest\b|\bexit\b|\b_exit\b|\braise\b|\bcheck_call\b"
    r"|check=True"
)
_BRANCHES = re.compile(r"\bexcept\b|^[ \t]*(?:el)?if (?!__name__)|\bif\b.{0,200}\belse\b|\bwhile\b", re.M)
