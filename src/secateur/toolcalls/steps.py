"""Which lines of a check, a build or an installation say no more than that one step succeeded.

Rule: the call must be one that only checks, builds or installs, as far as its words say; what it lists, prints or would
do was asked for, and is no step; so are tests that the call names. A line is a step that succeeded by the form that
its tool gives it; every other line is none: verdicts, failures and what belongs to them, warnings, totals. What is done
with the lines is decided elsewhere.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from secateur.model import Part
from secateur.toolcalls.actions import build_action
from secateur.toolcalls.commands import is_check
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix


def has_steps(call: Part, result: Part) -> bool:
    """Whether a call runs checks, builds or installations, and nothing whose output was asked for."""
    action = build_action(call, result)
    return action.kind == "run" and any(map(_is_stepwise, list_command_lines(action)))


def find_passed(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it says that one step succeeded."""
    found = [_is_passed(line) for line in lines]
    for place in range(len(lines) - 1, -1, -1):  # "=== RUN" belongs to the verdict that follows it
        if lines[place].startswith("=== RUN"):
            found[place] = place + 1 < len(lines) and found[place + 1]
    return found


@lru_cache(maxsize=1_024)
def _is_stepwise(line: str) -> bool:
    """Whether all programs of a command line are checks, builds, installations, or print nothing of their own."""
    if len(line) > _LONGEST:
        return False
    taken = parse_command_line(line)
    programs = [words for simple in taken.commands if (words := strip_program_prefix(simple.words))]
    doing = [words for words in programs if not _is_silent(words)]
    return bool(doing) and not taken.bodies and all(map(_is_step, doing))


_LONGEST = 2_000  # characters of a command line
_SILENT = frozenset({
    "cd", "export", "set", "true", "sleep", "source", ".", "mkdir", "rm", "cp", "mv", "touch", "ulimit", "umask",
    "pushd", "popd", "test", "[", "wait", "exit", "echo", "printf", "tee", "date", "pwd", "unset", "trap", "kill",
    "clear", "which",
})  # fmt: skip
_FILTERS = {"tail": 0, "head": 0, "cat": 0, "sort": 0, "uniq": 0, "ts": 0, "grep": 1, "egrep": 1, "sed": 1, "tr": 2}
_DRY = frozenset({"make", "gmake", "ninja"})  # what `-n` makes print instead of do
_INSTALLS = re.compile(
    r"(?:python[\d.]* -m )?pip[\d.]* (?:install|wheel|sync)\b|uv (?:sync|lock|add|pip (?:install|sync))\b"
    r"|(?:npm|pnpm|yarn|bun)(?: (?:i|ci|install|add|update|upgrade)\b|$)"
    r"|(?:apt|apt-get|dnf|yum|apk|brew|pacman|zypper) (?:-\S+ )*(?:install|update|upgrade|add|-S\w*)\b"
    r"|(?:poetry|pdm|composer|bundle|conda|mamba|pod|gem|cpanm|opam|rustup|mise) (?:-\S+ )*"
    r"(?:install|update|sync|lock|create)\b|cargo (?:-\S+ )*(?:install|fetch|update|build|add|check)\b"
    r"|go (?:mod (?:download|tidy)|get|install|build)\b|docker (?:compose |buildx )?(?:build|pull)\b|git clone\b"
    r"|mix (?:deps|compile)|terraform init\b|g?make\b|ninja\b|cmake\b|meson\b|scons\b|bazel (?:build|test)\b"
    r"|gradlew?\b|mvnw?\b|dotnet (?:build|restore|publish|test)\b|msbuild\b|xcodebuild\b|swift (?:build|test)\b"
    r"|sbt\b|webpack\b|rollup\b|esbuild\b|(?:next|nuxt|ng|vite) build\b|(?:npx|bunx|bundle exec) (?:--?\S+ )*"
    r"(?:jest|vitest|mocha|rspec|webpack|playwright test)\b|rspec\b|node (?:--\S+ )*--test\b|deno (?:test|cache)\b"
    r"|(?:zig|stack|cabal) (?:build|test)\b"
)
_ASKS = re.compile(  # makes such programs print what was asked for
    r"-(?:h|help|list)(?:=.*)?|--co|--(?:help|version|list|collect-only|fixtures|markers|setup-plan|dry-run|print|show"
    r"|json|query|message-format|output-format|format=json|reporter=json|graph|explain|diff|durations|listFiles"
    r"|listTests|just-print|question|benchmark|stats|trace|no-run)\S*|(?:help|list|ls|view|info|show|explain|tree"
    r"|outdated|audit|why|config|search|query|print|describe|tasks|dependencies|properties|metadata)"
    r"|(?:help|dependency):\S+",
    re.IGNORECASE,
)


_TESTS = re.compile(r"test|spec|mocha|unittest")
_SELECTS = re.compile(  # one file, one package, or tests by name
    r"-(?:k|t|run|Dtest|-filter|-tests?|-testNamePattern|-grep|-only\w*)(?:=|$)|.*::"
    r"|(?!-).*[\w-]\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|exs?|php|dart|swift)(?::\d+)*$|\.{1,2}/.*\w"
)


def _is_silent(words: tuple[str, ...]) -> bool:
    """Whether a program prints nothing that was asked for; a filter without a file passes on what others print."""
    if words[0] in _FILTERS:
        operands = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
        return len(operands) <= _FILTERS[words[0]]
    return words[0] in _SILENT


def _is_step(words: tuple[str, ...]) -> bool:
    if any(map(_ASKS.fullmatch, words[1:])) or (words[0] in _DRY and "-n" in words):
        return False
    line = " ".join(words[:12])
    if _TESTS.search(line) and any(map(_SELECTS.match, words[1:])):
        return False  # tests that were requested by name are not mere steps
    return is_check(line) or _INSTALLS.match(line) is not None


def _is_passed(line: str) -> bool:
    if not line or len(line) > _WIDEST:
        return False
    line = _LAYER.sub("", line, count=1) if line[0] == "#" else line
    if _TEST_PASSED.match(line) is not None:
        return True
    return _STEP_DONE.match(line) is not None and _GUARD.search(line) is None


_WIDEST = 1_000  # characters of a line
_LAYER = re.compile(r"#\d+ [\d.]+ ")  # before each line of an image's build
_TEST_PASSED = re.compile(
    r"(?:"
    r"\S+::.* PASSED(?: +\[ *\d+%\])?|\[gw\d+\] \[ *\d+%\] PASSED .*|PASSED \S+::.*"  # pytest
    r"|.* \.\.\. ok(?: \(\d+m?s\))?"  # unittest, cargo, deno
    r"| *--- PASS: .*|=== (?:RUN|PAUSE|CONT) +\S+|ok  ?\t?\S+\s+(?:[\d.]+s|\(cached\))"  # go
    r"|\s*PASS \[ *[\d.]+s\] .*"  # nextest
    r"|\s*[✓✔√] .*(?<!skipped\))"  # jest, vitest, mocha, playwright
    r"|\s*Start +\d+: .*| *\d+/\d+ Test +#\d+: .* Passed +[\d.]+ sec"  # ctest
    r"|\S.{0,300} > .{1,300} PASSED"  # gradle
    r"|\s*ok \d+\b(?!.*# (?:SKIP|TODO)).*"  # TAP
    r"|\(pass\) .*"  # bun
    r"|\s+Passed \S.* \[.{0,20}\]|Test Case '.*' (?:passed|started).*"  # dotnet, swift
    r"|\[INFO\] Running \S+|\[INFO\] Tests run: \d+, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: .* --? in .*"
    r")\s*"
    r"$",
)
_STEP_DONE = re.compile(
    r"(?:"
    r"\s+(?:Compiling|Checking|Downloaded|Downloading|Fresh|Adding|Locking) \S+ v\d\S*.*"  # cargo
    r"|\[ *\d+/\d+\] .*|\[ *\d+%\] (?:Building|Built|Linking|Generating) .*"  # ninja, swift, cmake
    r"|(?:\S*/)?(?:[\w-]+-)?(?:g?cc|[cg]\+\+|clang(?:\+\+)?) .* -c .*|\s+(?:CC|CXX|LD|AR|CCLD|GEN|CP)\s+\S+"
    r"|g?make(?:\[\d+\])?: (?:Entering|Leaving) directory .*"
    r"|> Task :\S+ (?:UP-TO-DATE|FROM-CACHE|NO-SOURCE)"  # gradle
    r"|(?:\[INFO\] )?(?:Downloading|Downloaded) from \S+: .*"  # Maven
    r"|\s*(?:\[[^\]]{1,80}\] )?\S+ [\d.]+ (?:bytes|[KM]iB|[kKM]B) .*\[built\].*"  # webpack
    r"|(?:[\w-]+\.)+[a-z]{2,10}/[\w./-]+"  # go build -v
    r"|\s+Restored \S+ \(in .*\)\.|\s+\S+ -> \S+\.dll"  # dotnet
    r"|\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Preparing metadata"
    r"|Installing build dependencies|Getting requirements|Created wheel|Stored in directory)\b.*"  # pip
    r"|(?:Get|Hit|Ign):\d+ .*|Selecting previously unselected .*|Preparing to unpack .*|Unpacking .*|Setting up .*"
    r"|npm (?:http|sill|timing|verb) .*|(?:Using|Fetching|Installing) \S+ \d[\w.-]*"  # npm, bundler
    r"|\s+[-•] (?:Installing|Downloading|Updating|Syncing|Locking) .*"  # poetry, composer
    r"| \+ \S+==\S+|go: (?:downloading|extracting) .*"  # uv, go
    r"|[0-9a-f]{12}: (?:Pull complete|Already exists|Waiting|Download complete|Pulling fs layer|Verifying Checksum"
    r"|Extracting|Downloading)\b.*"
    r")\s*$"
)
_GUARD = re.compile(r"(?i)\berror|\bfail|\bwarn|\bdenied|\bconflict|\babort|\bdeprecat|\bmissing")
