"""Which kind of check a run is told as: a test, a build or a linter.

Rule: a command line tells it by its words. Where these run several kinds, or are a task that the project only calls
"check", the line that tells of the failure says which of them it was, else what the output says that the task starts.
"""

import re

from secateur.compaction.ledger.runs.starts import list_started
from secateur.toolcalls.commands import Check, ExecutedCommand, find_check_kind, list_check_kinds
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix


def name_kind(run: ExecutedCommand, told: str) -> Check | None:
    """Return the kind of check that a run is told as; `told` is the line that tells of its failure, if it failed."""
    kinds = {*list_check_kinds(run)}
    is_vague = any(_VAGUE.search(" ".join(words[:4])) for words in run.does)
    if run.check is None or not (is_vague or len(kinds) > 1):
        return run.check
    kinds |= {*_list_started_kinds(run.action.said)} if is_vague else set()
    failed = next((kind for kind, words in _TELLING if words.search(told)), None) if told else None
    if failed and (failed in kinds or is_vague):
        return failed
    left = kinds - {"build"} if is_vague else kinds  # of its name only
    return "lint" if left == {"lint"} else run.check


def find_kind(words: str) -> Check | None:
    """Return the kind of check that a program with these words is, also of linters that few projects call by name."""
    return find_check_kind(words) or ("lint" if _LINTS.match(words) else None)


def _list_started_kinds(output: str) -> list[Check]:
    """Return the kinds of the checks that a runner of tasks says that it starts."""
    programs = [
        " ".join(words[:12])
        for line in list_started(output)
        for simple in parse_command_line(line).commands
        if (words := strip_program_prefix(simple.words))
    ]
    return [kind for line in programs if (kind := find_kind(line))]


_VAGUE = re.compile(r"(?:^|[\s:])check(?::all)?$")
_LINTS = re.compile(
    r"(?:npx |bunx |pnpm exec |yarn )?(?:@biomejs/biome|biome|ultracite|oxlint|stylelint|xo|prettier|rubocop|ktlint"
    r"|swiftlint|detekt|hadolint|black|isort|dprint|gofmt|deno lint)\b"
)
_TELLING: tuple[tuple[Check, re.Pattern[str]], ...] = (
    ("build", re.compile(r"\berror TS\d+|\bcould not compile\b|\berror\[E\d{4}\]|\bundefined: \w|\[build failed\]")),
    (
        "lint",
        re.compile(
            r"Found \d+ (?:errors?|problems?|warnings?)\.(?:$| · )|\bproblems? \(\d+ error"
            r"|\bFormatter would have printed"
            r"|\((?:[a-z]+check|[a-z]+lint|[a-z]{3,20}-[a-z-]{2,30})\)$|\blint/\w+/\w+|\b[EFW]\d{3,4}\b|^\d+ issues[.:]"
        ),
    ),
    (
        "test",
        re.compile(
            r"\b[1-9]\d* (?:tests? )?(?:failed|failing|passed)\b|--- FAIL: |^FAIL\b|^FAILED\b|\bAssertionError\b"
        ),
    ),
)
