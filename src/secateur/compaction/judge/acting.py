"""What a history's calls put into files, what they did last, and what they did not do.

Rule: read from calls and their results alone. What the user and the agent said is read in `evidence`.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.files.values import list_blocks, list_replacements
from secateur.toolcalls.actions import Action


def list_strings(given: object) -> Iterator[str]:
    """Yield the texts and the numbers of a call's arguments."""
    if isinstance(given, dict | list):
        for one in given.values() if isinstance(given, dict) else given:
            yield from list_strings(one)
    elif given is not None:
        yield str(given)


def list_written(action: Action) -> Iterator[str]:
    """Yield the texts that an edit put into a file."""
    replaced = [new for _, new in list_replacements(action)]
    yield from replaced or (one for one in list_strings(action.given) if "\n" in one or "=" in one or ":" in one)


def name_act(action: Action) -> str:
    """Return a call without what it read, searched for or put into a file."""
    if action.kind not in ("edit", "read", "search", "plan"):
        return f"{action.call.tool} {action.call.text}"
    return f"{action.call.tool} delete" if "*** Delete File" in action.call.text else action.call.tool


def is_planned_last(actions: Sequence[Action]) -> bool:
    """Whether nothing was changed or run since the plan was told."""
    kinds = [one.kind for one in actions if one.kind in ("edit", "run", "plan")]
    return bool(kinds) and kinds[-1] == "plan"


def list_placed(actions: Sequence[Action]) -> Iterator[tuple[str, str, str]]:
    """Yield the edits that went through, each with the file that it changed."""
    for one in actions:
        if one.kind == "edit" and one.ok:
            path = " ".join(str(value) for name, value in one.given.items() if "path" in name or "file" in name)
            replaced = [*list_replacements(one), *list_blocks(one)]
            yield from ((path or _get_head(one), old, new) for old, new in replaced)


def _get_head(action: Action) -> str:
    """Return the files that a patch names, or else the beginning of a call's arguments."""
    return " ".join(_PATCHED.findall(action.call.text)) or action.call.text[:PLACE_CHARS]


PLACE_CHARS = 300
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\]{1,200})")


def list_final(actions: Sequence[Action], acting: frozenset[str]) -> tuple[str, ...]:
    """Return the calls since the last edit that went through and may have done something."""
    at = max((number for number, one in enumerate(actions) if one.kind == "edit"), default=-1)
    some = (one for one in actions[at + 1 :] if one.ok and one.result and one.call.key in acting)
    return tuple(f"{one.call.tool} {one.call.text}"[:ACT_CHARS] for one in some)


ACT_CHARS = 400  # of a call
FAILED_CHARS = 8_000  # of what a tool that failed said


def list_failed(actions: Sequence[Action]) -> tuple[tuple[str, str], ...]:
    """Return the tools that say by their names what they do, and did not do it when they were last called."""
    last = {one.call.tool: one for one in actions if one.kind == "other" and one.result}
    return tuple((tool, one.said[:FAILED_CHARS]) for tool, one in last.items() if not one.ok)


def is_edited_last(actions: Sequence[Action]) -> bool:
    """Whether an edit went through behind the last command that commits."""
    marks = [one.kind == "edit" for one in actions if one.ok and (one.kind == "edit" or "commit" in one.call.text)]
    return bool(marks) and marks[-1]
