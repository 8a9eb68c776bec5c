"""Which runs a clause speaks of: those of a command, a path, a tool or a kind of check, and what they say of a name.

Rule: what a clause names most exactly decides. The words of a command go before a path in it, a path before a tool, a
tool before a kind of check; of several runs, those whose command shares most words with the clause are meant.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from secateur.compaction.judge.claims import extract_words
from secateur.compaction.judge.clauses import read_outcome
from secateur.compaction.judge.evidence import CheckRun, Evidence
from secateur.compaction.judge.lexicon import TEST, build_pattern

MOST_COMMANDS = 4  # of a kind, among which a clause that names no tool may mean any
SHORT_CLAUSE = 6  # words of a clause that tells of the checks as a whole
FEWEST_WORDS = 2  # of a command in a code span

_BUILD = build_pattern(
    r"build\w*|compil\w*|kompil\w*|type-?\s?check\w*|сборк\w*|tsc|gradle|maven|mvn|construcción",
    "构建|编译|ビルド|빌드",
)
_LINT = build_pattern(r"lint\w*|style\s+checks?|eslint|ruff|mypy|pyright|clippy|flake8|biome|rubocop|go\s+vet|vet")
_RUN = build_pattern(r"runs?|lauf|läufe|ejecución|exécution|execução|прогон|checks?", "运行|実行|실행")
_KINDS = (("test", TEST), ("build", _BUILD), ("lint", _LINT), ("test", _RUN))
TOOL = re.compile(
    r"(?i)(?<![\w./-])(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|junit|gradlew?|maven|mvn|sbt|go\s+(?:test|vet|build)"
    r"|cargo\s+(?:test|clippy|build|check)|clippy|tsc|mypy|pyright|ruff|eslint|flake8|pylint|biome|rubocop|shellcheck"
    r"|golangci-lint|phpstan|prettier|webpack|vite\s+build|npm\s+(?:test|run\s+\w+)|make\s+\w+|-race)(?![\w/])"
)
_NAMES = {"maven": "mvn", "gradle": "gradlew"}
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?<![\w./-])(?:[\w.@-]+/)*[\w.@-]*(?:\w/|\.(?:py|tsx?|jsx?|go|rs|java|rb|kt|c|cpp|php|sh)\b)")


def has_subject(clause: str) -> bool:
    """Whether a clause names a tool, a kind of check, or a test."""
    return any(pattern.search(clause) for pattern in (TOOL, NAME, *(pattern for _, pattern in _KINDS)))


def select_runs(clause: str, evidence: Evidence) -> list[CheckRun]:
    """Return the runs that a clause speaks of, none where that is not clear."""
    runs = [run for run in evidence.checks if run.ok is not None and not _ELSEWHERE.search(run.text)]
    for one in _CODE.findall(clause):
        if len(one.split()) >= FEWEST_WORDS and (same := _select_command(one, runs)):
            return same
    tools = {_normalize(one.group()) for one in TOOL.finditer(clause)}
    if tools:
        runs = [run for run in runs if any(tool in _normalize(run.text) for tool in tools)]
    is_about_checks = tools or any(pattern.search(clause) for _, pattern in _KINDS)
    paths = [one.rstrip("/") for one in _PATH.findall(_CODE.sub(r" \1 ", clause)) if is_about_checks]
    about = [run for run in runs if any(path in run.text for path in paths)]
    if tools or about:
        return about or runs
    return [] if _SPECIFIC.search(clause) else _select_kind(clause, runs)


# A run on another state of the files than the one that is left
_ELSEWHERE = re.compile(
    r"\bgit stash(?! (?:pop|apply|drop|list))|\bgit (?:switch|checkout) (?:-q )?(?:main|master|develop)\b"
)
# A name that is neither a tool nor part of a command
_SPECIFIC = re.compile(
    r"\btest_\w+|\bTest[A-Z]\w+|::\w+|[\w-]+\.(?:py|tsx?|jsx?|go|rs|java|rb|kt|c|cpp)\b|`[^`]+`|\b[a-z]+[A-Z]\w+"
)


def _select_command(command: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    """Return the runs of the command that has all words of a code span, and fewest others."""
    words = set(command.split())
    more = {run.text: len(set(run.text.split()) - words) for run in runs if words <= set(run.text.split())}
    fewest = min(more.values(), default=0)
    return [run for run in runs if more.get(run.text) == fewest]


def _select_kind(clause: str, runs: Sequence[CheckRun]) -> list[CheckRun]:
    kinds = [kind for kind, pattern in _KINDS[:-1] if pattern.search(clause)]
    kinds = kinds or [kind for kind, pattern in _KINDS[-1:] if pattern.search(clause)]
    if _LINTER.search(clause):
        runs = [run for run in runs if not _TYPES.search(run.text) or _LINT.search(_TYPES.sub(" ", run.text))]
    some = [run for run in runs if run.kind in kinds or ("build" in kinds and _BUILT.search(run.output))]
    if len({run.text for run in some}) > MOST_COMMANDS and len(clause.split()) > SHORT_CLAUSE:
        return []  # a long clause on one of many checks
    words = extract_words(TEST.sub(" ", clause))
    shared = [len(words & _read_words(run.text)) for run in some]
    most = max(shared, default=0)
    return [run for run, count in zip(some, shared, strict=True) if not most or count == most]


_BUILT = re.compile(r"\bBUILD (?:FAIL|SUCCESS)")  # a build tool that ran the tests
_LINTER = re.compile(r"(?i)\blint(?:er)?\b")
_TYPES = re.compile(r"\b(?:mypy|pyright|tsc)\b")


def list_ends(runs: Sequence[CheckRun]) -> list[bool]:
    """Return how each command ended last, those left out that a later run of the same tool and of as much passed."""
    last = {run.text: (at, run) for at, run in enumerate(runs)}
    return [
        bool(run.ok)
        for at, run in last.values()
        if run.ok or not any(one.ok and _is_covering(one, run) for one in runs[at + 1 :])
    ]


def _is_covering(later: CheckRun, run: CheckRun) -> bool:
    """Whether a later run tells of all that an earlier one tells of: it is of the same command, or it passed."""
    if later.text == run.text:
        return True
    tools = {_normalize(one) for one in TOOL.findall(run.text)}
    is_same = bool(later.ok and tools & {_normalize(one) for one in TOOL.findall(later.text)})
    return is_same and all(word in run.text for word in later.text.split() if _NARROWS.search(word))


_NARROWS = re.compile(r"/\w|::|^-(?:k|run|t)$|\.\w{1,4}$")


def _normalize(text: str) -> str:
    plain = " ".join(text.casefold().split())
    return _NAMES.get(plain, plain)


@lru_cache(maxsize=256)
def _read_words(command: str) -> frozenset[str]:
    return extract_words(re.sub(r"[-_/.:=]+", " ", command))


NAME = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:[a-z]\w*?[A-Z]\w*|Test[A-Z]\w+|[a-z]+(?:_\w+)+|[A-Za-z]\w*(?:::\w+)+|[A-Z]{2}\d{3,})(?![\w./-]*\w)"
    r"|(?<![\w/.-])[A-Za-z]\w+[ ]+(?:#\d+|\d+/\d+(?![\w/]))|(?<![\w/.-])[A-Za-z]+(?:-\w+)+(?![\w/.-]|\()"
    r"|(?<![\w/.-])[A-Za-z]\w+(?=\s+job\b)"
)


def list_names(clause: str) -> list[str]:
    """Return the tests and jobs that a clause names, be it by a plain word: `the login test`."""
    words = [one["before"] or one["behind"] for one in _TEST_WORD.finditer(clause)]
    return [*NAME.findall(clause), *(one for one in words if not _ANY_TEST.fullmatch(one))]


_TEST_WORD = re.compile(
    r"(?<![\w-])(?P<before>[a-z]{4,}) tests?(?![\w-])|(?<![\w-])Test (?P<behind>[\w-]{4,})(?![\w-])"
)
_ANY_TEST = re.compile(
    r"(?i)unit|integration|smoke|regression|acceptance|system|snapshot|property|other|same|th(?:is|at|ese|ose)|which|both|failing"
    r"|passing|broken|flaky|last|first|second|next|more|some|with|from|only|every|each|existing|related|whole|full|their"
    r"|your|local|manual|final|suite|slow|fast|many|most|further|remaining|affected|single"
)


def list_states(name: str, evidence: Evidence) -> list[bool]:
    """Return whether what a name stands for passed, each time that it was told of, the last time last.

    A test is told of in the lines of a run, and passed if a later run of the same command does not tell of it. A row
    of a report begins with the name.
    """
    states: list[bool] = []
    last = None
    for run in evidence.checks:
        told = _read_lines(name, run.output)
        if told is not None:
            states, last = [*states, told], run
        elif last is not None and run.ok is not None and _is_covering(run, last):
            states.append(True)
    return states or _read_rows(name, evidence.outputs)


def _read_lines(name: str, output: str) -> bool | None:
    beside = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return _join((line for line in output.split("\n") if beside.search(line)), name)


@lru_cache(maxsize=256)
def _read_rows(name: str, outputs: tuple[str, ...]) -> list[bool]:
    row = re.compile(rf"(?m)^\W*{re.escape(name).replace(chr(92) + ' ', '[ ]+')}(?![\w/]).*$")
    rows = [found.group() for text in outputs for found in row.finditer(text)]
    told = {outcome for one in rows if (outcome := read_outcome(one.replace(name, " "))) is not None}
    return list(told) if len(told) == 1 else []


def _join(lines: Iterable[str], name: str) -> bool | None:
    """Return what the lines about a name say together: failed, if one does."""
    told = {outcome for line in lines if (outcome := _read_line(line.replace(name, " "))) is not None}
    return all(told) if told else None


def _read_line(line: str) -> bool | None:
    if _FAILED.search(line):
        return False
    return True if _PASSED.search(line) else read_outcome(line)


_FAILED = re.compile(r"[✗✘×●]|\bnot ok\b|\bFAIL|(?i:\berror\b|\bexpected\b|but was)")
_PASSED = re.compile(r"[✓✔]|\bok\b|\bPASS")
