"""Whether one run of a check tells about an earlier one: the same tool, on the same files or on more of them.

Rule: what cannot be told apart by the words of the two commands counts as different. A run of one test says nothing of
the others; a run of all of them says something of each. A task of the project that checks all of it (`make lint`, `npm
run check`) tells about each check of its kinds, or about those that its output says it starts; a tool on all files
tells about the task that names its kind, and a kind of its own (`test:e2e`, `-race`) is told about by none but itself.
How either ended is not looked at.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from posixpath import normpath

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Command
from secateur.compaction.ledger.runs.kinds import find_kind
from secateur.toolcalls.commands import Check
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix


def is_overtaken(earlier: Command, later: Iterable[Command]) -> bool:
    """Whether runs checked at least what an earlier one did, by their words or by what they say that they started."""
    ran = [one for run in later for one in _parse_run(run.text, run.started)]
    if _DOES_NOT_COMPILE.search(earlier.told):
        ran += [replace(one, tool=tool, is_own=False) for one in ran for tool in _COMPILED_BY.get(one.tool, ())]
    return any(_is_all_covered(_list_known(text), ran) for text in (earlier.text, *earlier.started[-1:]))


def is_covering(later: str, earlier: str, line: str = "", started: Iterable[str] = ()) -> bool:
    """Whether a command checks at least what a check of an earlier one did, or the failing test that `line` names.

    `started`: what the output of the later one says that it started.
    """
    return any(_is_covered(old, new, line) for old in _list_known(earlier) for new in _parse_run(later, started))


def cut_chain(text: str) -> str:
    """Return a command line up to its first check, behind which nothing runs that is chained to it and failed."""
    links = text.split(" && ")
    first = next((at for at, link in enumerate(links) if any(one.kinds for one in _parse_checks(link))), len(links))
    return " && ".join(links[: first + 1])


def _parse_run(text: str, started: Iterable[str]) -> Sequence["_Check"]:
    """Return the programs of a command line and those that it started; these say what a task checks, not its name."""
    inner = [one for line in started for one in _parse_checks(line)]
    named = _parse_checks(text)
    return [*(replace(one, kinds=frozenset()) if inner and one.is_task else one for one in named), *inner]


def _is_all_covered(olds: Sequence["_Check"], news: Sequence["_Check"]) -> bool:
    return bool(olds) and all(any(_is_covered(old, new) for new in news) for old in olds)


def _list_known(text: str) -> Sequence["_Check"]:
    """Return the programs of a command line that are known as checks; all of them where none is."""
    found = _parse_checks(text)
    return [one for one in found if one.kinds] or found


def _is_covered(old: "_Check", new: "_Check", line: str = "") -> bool:
    is_same = new.tool == old.tool and (_is_wider(new, old) or _is_named(new, line))
    return is_same or _is_whole_kind(new, old)


def list_targets(text: str) -> tuple[str, ...]:
    """Return the files and folders that a command's programs are given."""
    return tuple(target for check in _parse_checks(text) for target in check.targets)


def name_command(text: str) -> str:
    """Return a command without what only says how much of its output was to be shown."""
    return _WAITS.sub("", _SHOWN.sub(lambda hit: hit[1] or "", text).strip())


class _Check(Struct, frozen=True):
    """One program of a command line: the tool, its folder, what it checks, and which tests it picks."""

    tool: str
    place: str
    targets: tuple[str, ...]
    filters: tuple[str, ...]
    kinds: frozenset[Check] = frozenset()
    is_task: bool = False  # the project says what it does
    is_own: bool = False  # of a kind of its own, of which a run of all others says nothing


_SHOWN = re.compile(  # redirections, and what a pipe leads to; quoted texts stay
    r"(\"[^\"]*\"|'[^']*')|\s*2>&1|\s*[12]?>\s*/dev/null"
    r"|\s*(?<!\|)\|(?!\|)(?:\"[^\"]*\"|'[^']*'|\|(?!\|)|&(?!&)|[^&;|])*(?<!\s)"
)
_WAITS = re.compile(r"^sleep \d[\d.]*[smh]? ?(?:&&|;) ")
_COMPILED_BY = {  # tools that cannot pass where another one says that the same files do not compile
    "go test": ("go vet", "go build"),
    "go vet": ("go build",),
    "go install": ("go build",),
    "cargo test": ("cargo check", "cargo build", "cargo clippy"),
    "cargo nextest": ("cargo check", "cargo build", "cargo clippy"),
    "cargo clippy": ("cargo check",),
    "cargo build": ("cargo check",),
}
_DOES_NOT_COMPILE = re.compile(
    r"\b(?:undefined:|unknown field\b|cannot use\b|no required module\b|declared and not used\b|missing return\b"
    r"|(?:not enough|too many) (?:arguments|return values)\b|is not in std\b|syntax error\b)|\berror\[E\d{4}\]"
)
_FORMATTERS = ("gofmt", "goimports", "prettier", "black", "isort", "rustfmt")  # `-w` writes, and takes nothing
_TOOLS = re.compile(
    r"(?:^|[\s/])(pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|playwright|tsc|tsgo|ruff check"
    rf"|{'|'.join(_FORMATTERS)}"
    r"|ruff format|mypy|pyright|flake8|pylint|eslint|biome|golangci-lint|shellcheck|go (?:test|build|vet|install)"
    r"|cargo (?:nextest|test|build|check|clippy))(?=\s|$)"
)
_FILTERS = frozenset({
    "-run", "--run", "-k", "-t", "-g", "--grep", "--filter", "--testNamePattern", "--test-name-pattern", "-m", "--test",
    "-p", "--package", "-w", "--workspace", "-n", "--project", "-c", "--config",
})  # fmt: skip
_RUNS = frozenset({"run", "exec", "-m", "-c", "-e", "x", "test", "compose"})
_INTERPRETERS = frozenset({"python", "python3", "node", "npx", "bunx", "bash", "sh", "ruby", "perl", "deno", "tsx"})
_EVERYTHING = frozenset({".", "--", "run", "check", "ci", "lint"})
_VERBS = frozenset({"run", "check", "ci", "lint"})  # of a tool, and no targets of it
_TASK = re.compile(
    r"(?:npm|pnpm|yarn|bun|deno|make|mise|just|task|rake|nx|turbo|hatch|pdm|poetry|uv)"
    r"(?: (?:run|run-script|exec|task|-\S+))*"
    r" ([a-z][\w:.-]*)$"
)
_TASK_KINDS: tuple[tuple[re.Pattern[str], frozenset[Check]], ...] = (
    (re.compile(r"(?:verify|validate|ci|all|preflight|pre-?commit)(?::\w+)?"), frozenset({"test", "build", "lint"})),
    (re.compile(r"check(?::all)?"), frozenset({"build", "lint"})),
    (re.compile(r"tests?(?::(?:all|ci))?"), frozenset({"test"})),
    (re.compile(r"lint(?::(?:all|ci|fix))?"), frozenset({"lint"})),
    (re.compile(r"(?:build|compile|type-?check)(?::(?:all|ci))?"), frozenset({"build"})),
)
_OWN_KIND = re.compile(
    r"(?i)e2e|integration|acceptance|smoke|\bbench|coverage|playwright|-race\b|-tags\b|-coverprofile"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:ms|[smhd])?")


@lru_cache(maxsize=2_048)
def _parse_checks(line: str) -> tuple[_Check, ...]:
    place = ""
    found: list[_Check] = []
    for simple in parse_command_line(line).commands:
        words = strip_program_prefix(simple.words)
        if words[:1] == ("cd",) and len(words) > 1:
            place = words[1]
        elif words:
            found.append(_parse_check(words, place))
    return tuple(found)


def _parse_check(words: tuple[str, ...], place: str) -> _Check:
    named = _TOOLS.search(" ".join(words[:6]))
    count = 3 if len(words) > 2 and (words[1] in _RUNS or words[0] in _INTERPRETERS) else 2
    tool = named[1] if named else " ".join(words[:count])
    rest = words[_count_words(words, tool) :]
    targets: list[str] = []
    filters: list[str] = []
    takes = False
    for word in rest:
        option, _, value = word.partition("=")
        if takes or (option in _FILTERS and value):
            filters.append(value if not takes else word)
            takes = False
        elif word in _FILTERS and tool not in _FORMATTERS:
            takes = True
        elif not word.startswith("-") and not _NUMBER.fullmatch(word) and not (word in _VERBS and not targets):
            targets.append(_clean_target(word))
    kind = find_kind(" ".join(words[:12]))
    kinds: frozenset[Check] = frozenset({kind} if kind else ())
    task = _TASK.match(" ".join(words[:6]))
    name = task[1] if task else ""
    kinds = next((some for shape, some in _TASK_KINDS if shape.fullmatch(name)), kinds) if name else kinds
    is_own = any(map(_OWN_KIND.search, words))
    return _Check(tool, place, tuple(targets), tuple(filters), kinds, bool(name), is_own)


def _is_whole_kind(new: _Check, old: _Check) -> bool:
    """Whether a check looked at all files, and at all of an earlier one's kind."""
    is_here = not new.place or new.place == old.place or (new.place.startswith("/") and not old.place.startswith("/"))
    is_whole = not new.filters and {*new.targets} <= _EVERYTHING and is_here
    is_of_kind = bool(old.kinds) and old.kinds <= new.kinds and (new.is_own or not old.is_own)
    return is_whole and is_of_kind and (new.is_task or old.is_task)


def _count_words(words: tuple[str, ...], tool: str) -> int:
    """Return how many words come before what the tool is given."""
    last = tool.rpartition(" ")[2]
    return next((n + 1 for n, word in enumerate(words[:6]) if word == last or word.endswith("/" + last)), len(words))


def _clean_target(word: str) -> str:
    """A file that was given another kind of its language, as `.tsx` for `.ts`, is the same file."""
    return normpath(word.removesuffix("...")) if word.endswith("/...") else re.sub(r"(?<=\.[jt]s)x$", "", word)


def _is_wider(new: _Check, old: _Check) -> bool:
    if new.place and old.place and new.place != old.place:
        return False
    if new.filters and not (
        old.filters and all(any(_is_picked(one, other) for other in new.filters) for one in old.filters)
    ):
        return False
    return not new.targets or (
        bool(old.targets) and all(any(_is_under(one, other) for other in new.targets) for one in old.targets)
    )


def _is_picked(one: str, other: str) -> bool:
    """Whether a filter picks what another picks: `TestCart` and the tests whose names begin so."""
    return re.match(rf"{re.escape(other)}(?:$|[_/:A-Z])", one) is not None


def _is_under(one: str, other: str) -> bool:
    one, other = normpath(one), normpath(other)
    return other == "." or one == other or one.startswith((f"{other}/", f"{other}::"))


def _is_named(new: _Check, line: str) -> bool:
    """Whether what a run picks is what a failing line names."""
    return any(len(one) > 3 and normpath(one) in line for one in (*new.targets, *new.filters))
