"""What a history's calls put into files, what they checked, did last, and did not do.

Rule: read from calls and their results alone. What the user and the agent said is read in `evidence`.
"""

import re
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.files.values import list_replacements
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import Check, ExecutedCommand, list_check_kinds


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


FAILED_CHARS = 8_000  # of what a tool that failed said


def list_failed(actions: Sequence[Action]) -> tuple[tuple[str, str], ...]:
    """Return the tools that say by their names what they do, and did not do it when they were last called."""
    last = {one.call.tool: one for one in actions if one.kind == "other" and one.result}
    return tuple((tool, one.said[:FAILED_CHARS]) for tool, one in last.items() if not one.ok)


def is_edited_last(actions: Sequence[Action]) -> bool:
    """Whether an edit went through behind the last command that commits."""
    marks = [one.kind == "edit" for one in actions if one.ok and (one.kind == "edit" or "commit" in one.call.text)]
    return bool(marks) and marks[-1]


def list_checks(run: ExecutedCommand) -> tuple[Check, ...]:
    """Return what a command checks, be it one that nothing is known about but its name."""
    named = () if run.looks else (kind for kind, pattern in _CHECKS if pattern.search(run.text))
    return list_check_kinds(run) or tuple(named)[:1]


_CHECKS: tuple[tuple[Check, re.Pattern[str]], ...] = (
    (
        "lint",
        re.compile(r"(?i)\b(?:rubocop|ktlint|detekt|checkstyle|phpcs|stylelint)\b"),
    ),
    ("lint", re.compile(r"(?i)\b(?:kubeconform|hadolint|yamllint|credo|swiftlint)\b")),
    ("lint", re.compile(r"(?i)\bgradlew?\b[^|;&]*\blint\w*")),
    ("build", re.compile(r"(?i)(?<![\w./-])(?:mkdocs|hugo|jekyll|eleventy|sphinx)\b[^|;&]*\bbuild\b")),
    ("test", re.compile(r"(?i)\b(?:mvnw?|gradlew?|sbt|bazel|dotnet|swift|ant)\b[^|;&]*(?<![a-z/.-])\w*test")),
    ("build", re.compile(r"(?i)\b(?:mvnw?|gradlew?|sbt|bazel|dotnet|swift)\b[^|;&]*\b(?:build|compil|packag|assembl)")),
)
