"""Which lines of a check, a build or an installation say no more than that one step succeeded.

Rule: the call must be one that only checks, builds or installs, as far as its words say; what it lists, prints, selects
or would do was asked for, and is no step; so are tests that the call names. A line is a step that succeeded by the form
that its tool gives it; a step that began did if another one follows, else its line says where the run ended. Every
other line is none: verdicts, failures and what belongs to them, warnings, totals. What is done with the lines is
decided elsewhere.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from secateur.model import Part
from secateur.toolcalls.actions import build_action
from secateur.toolcalls.commands import is_check
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.shell import parse_command_line, strip_program_prefix


def has_steps(call: Part) -> bool:
    """Whether a call runs checks, builds or installations, and nothing whose output was asked for."""
    action = build_action(call, None)
    return action.kind == "run" and any(map(_is_stepwise, list_command_lines(action)))


def find_passed(lines: Sequence[str]) -> list[bool]:
    """Of each line whether it says that one step succeeded."""
    found = [_is_passed(line) for line in lines]
    follows = False
    for place in range(len(lines) - 1, -1, -1):
        passed = found[place]
        if passed and not follows and _is_begun(lines[place]):
            found[place] = False
        follows = passed if lines[place].strip() else follows
    return found


@lru_cache(maxsize=1_024)
def _is_stepwise(line: str) -> bool:
    """Whether all programs of a command line are checks, builds, installations, or print nothing of their own."""
    if len(line) > _LONGEST:
        return False
    taken = parse_command_line(line)
    simples = [simple for simple in taken.commands if not simple.is_captured]
    programs = [words for simple in simples if (words := strip_program_prefix(simple.words))]
    logs = {path for simple in simples for path in (*simple.writes, *simple.appends)}
    logs.update(*[words[1:] for words in programs if words[0] == "tee"])
    doing = [words for words in programs if not _is_silent(words, logs)]
    return bool(doing) and not taken.bodies and all(map(_is_step, doing))


_LONGEST = 2_000  # characters of a command line
_SILENT = frozenset({
    "cd", "export", "set", "true", "sleep", "source", ".", "mkdir", "rm", "cp", "mv", "touch", "ulimit", "umask",
    "pushd", "popd", "test", "[", "wait", "exit", "echo", "printf", "tee", "date", "pwd", "unset", "trap", "kill",
    "clear", "which",
})  # fmt: skip
_FILTERS = {"tail": 0, "head": 0, "cat": 0, "sort": 0, "uniq": 0, "ts": 0, "grep": 1, "egrep": 1, "sed": 1, "tr": 2}
_INVERTS = re.compile(r"-\w*v|--invert-match")
_DRY = {  # the options that make these programs print something instead of do it
    "make": re.compile(r"-[BbdeikmrRsSvw]*[npq]\w*"),
    "gmake": re.compile(r"-[BbdeikmrRsSvw]*[npq]\w*"),
    "ninja": re.compile(r"-v?[nt]"),
    "cmake": re.compile(r"-[LENP]A?H?"),
    "ctest": re.compile(r"-V*N"),
    "go": re.compile(r"-n"),
    "apt": re.compile(r"-s"),
    "apt-get": re.compile(r"-s"),
    "tox": re.compile(r"-l"),
    "nox": re.compile(r"-l"),
}
_INSTALLS = re.compile(
    r"(?:python[\d.]* -m )?pip[\d.]* (?:install|wheel|sync)\b|uv (?:sync|lock|add|pip (?:install|sync))\b"
    r"|(?:npm|pnpm|yarn|bun)(?: (?:i|ci|install|add|update|upgrade)\b|$)"
    r"|(?:apt|apt-get|dnf|yum|apk|brew|pacman|zypper) (?:-\S+ )*(?:install|update|upgrade|add|-S\w*)\b"
    r"|(?:poetry|pdm|composer|bundle|conda|mamba|pod|gem|cpanm|opam|rustup|mise) (?:-\S+ )*"
    r"(?:install|update|sync|lock|create)\b|cargo (?:[+-]\S+ )*(?:install|fetch|update|build|add|check)\b"
    r"|go (?:mod (?:download|tidy)|get|install|build)\b|git clone\b"
    r"|docker (?:(?:compose|buildx) (?:-\S+ (?:[^-]\S* )?)*)?(?:build|pull)\b"
    r"|mix (?:deps|compile)|terraform init\b|g?make\b|ninja\b|cmake\b|meson\b|scons\b|bazel(?:isk)? (?:build|test)\b"
    r"|gradlew?\b|mvnw?\b|dotnet (?:build|restore|publish|test)\b|msbuild\b|xcodebuild\b|swift (?:build|test)\b"
    r"|sbt\b|webpack\b|rollup\b|esbuild\b|(?:next|nuxt|ng|vite) build\b|(?:npx|bunx|bundle exec) (?:--?\S+ )*"
    r"(?:jest|vitest|mocha|rspec|webpack|playwright (?:test|install))\b|rspec\b|node (?:--\S+ )*--test\b"
    r"|deno (?:test|cache)\b|(?:zig|stack|cabal|dune) (?:build|test|runtest)\b|prove\b|python[\d.]* -m build\b"
)
_ASKS = re.compile(  # makes such programs print what was asked for
    r"-(?:h|help|list)(?:=.*)?|--co|--(?:help|version|list|collect-only|fixtures|markers|setup-|dry|print|show"
    r"|json|query|message-format|output-format|format=json|reporter=json|graph|explain|diff|durations|listFiles"
    r"|listTests|just-print|question|benchmark|stat|trace|tree|no-run|nobuild|simulate|system-information)\S*"
    r"|-?(?:print|show|dump)\b.*|-(?:print|show|dump)\S*|(?:print|show|dump)[A-Z_-].*|(?:help|list|ls|view|info"
    r"|explain|tree|outdated|audit|why|config|configure|introspect|search|query|describe|tasks|dependencies|properties"
    r"|metadata|rule|json)|(?:help|dependency):\S+"
)
_TESTS = re.compile(r"test|spec|mocha|jest")
_SELECTS = re.compile(  # one file, one package, or tests by name
    r"-(?:k|t|R|g|E|run|Dtest|-filter|-testNamePattern|-grep|-only\w*)(?:=|$)|.*::|//\S*:\w"
    r"|(?!-).*[\w-]\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kt|exs?|php|dart|swift)(?::\d+)*$|\.{1,2}/.*\w"
)


def _is_silent(words: tuple[str, ...], logs: Set[str]) -> bool:
    """Whether a program prints nothing that was asked for; a filter passes on what others print into it or into a log.

    A filter that selects lines asks for them; one that takes lines away does not.
    """
    if words[0] not in _FILTERS:
        return words[0] in _SILENT
    options = [word for word in words[1:] if word.startswith("-")]
    operands = [word for word in words[1:] if not word.startswith("-") and not word.isdigit() and word not in logs]
    if len(operands) > _FILTERS[words[0]]:
        return False
    if words[0] == "sed":
        return not ("-n" in options and operands and operands[0].startswith("/"))
    return "grep" not in words[0] or any(map(_INVERTS.match, options))


def _is_step(words: tuple[str, ...]) -> bool:
    dry = _DRY.get(words[0])
    if any(map(_ASKS.fullmatch, words[1:])) or (dry is not None and any(map(dry.fullmatch, words[1:]))):
        return False
    line = " ".join(words[:12])
    if _TESTS.search(line) and (any(map(_SELECTS.match, words[1:])) or _has_test_names(words, line)):
        return False  # tests that were requested by name are not mere steps
    return is_check(line) or _INSTALLS.match(line) is not None


def _has_test_names(words: tuple[str, ...], line: str) -> bool:
    """Whether a word that is no option's value stands where the program takes names of tests."""
    if _NAMED.search(line):
        return True
    for place, word in enumerate(words):
        if word in _TAKE_NAMES:
            pairs = zip(words[place:], words[place + 1 :], strict=False)
            return any(_NAME.fullmatch(one) and _TAKES_NONE.fullmatch(before) for before, one in pairs)
    return False


_NAMED = re.compile(r" --tests?[= ](?!-)\S")
_TAKE_NAMES = frozenset({"nextest", "jest", "vitest", "playwright", "unittest", "cargo", "bun", "manage.py"})
_NAME = re.compile(r"(?!(?:run|nextest|t|tests?|watch|discover|src|lib|app|spec|e2e|unit|packages)$)[A-Za-z_][\w.:-]*")
_TAKES_NONE = re.compile(
    r"(?!-).*|-[vqip]+|--|--package|--(?:lib|release|verbose|run|workspace|all\S*|nocapture|ci|watch|no-\S+)"
)


def _is_passed(line: str) -> bool:
    if not line or len(line) > _WIDEST:
        return False
    return _TEST_PASSED.match(line) is not None or _is_begun(line)


def _is_begun(line: str) -> bool:
    """Whether a line tells of a step, and not how it ended."""
    line = _LAYER.sub("", line, count=1) if line[0] == "#" else line
    return _TEST_BEGUN.match(line) is not None or (_STEP.match(line) is not None and _GUARD.search(line) is None)


_WIDEST = 1_000  # characters of a line
_LAYER = re.compile(r"#\d+ [\d.]+ ")  # before each line of an image's build
_TEST_PASSED = re.compile(
    r"(?:"
    r"\S+::.* PASSED(?: +\[ *\d+%\])?|\[gw\d+\] \[ *\d+%\] PASSED .*|PASSED \S+::.*"  # pytest
    r"|.* \.\.\. ok(?: \(\d+m?s\))?"  # unittest, cargo, deno
    r"| *--- PASS: .*|ok  ?\t?\S+\s+(?:[\d.]+s|\(cached\))"  # go
    r"|\s*PASS \[ *[\d.]+s\] .*"  # nextest
    r"|\s*[✓✔√] .*(?<!skipped\))"  # jest, vitest, mocha, playwright
    r"| *\d+/\d+ Test +#\d+: .* Passed +[\d.]+ sec"  # ctest
    r"|\S.{0,300} > .{1,300} PASSED"  # gradle
    r"|\s*ok \d+\b(?!.*# (?:SKIP|TODO)).*"  # TAP
    r"|\(pass\) .*"  # bun
    r"|\s+Passed \S.* \[.{0,20}\]|Test Case '.*' passed.*"  # dotnet, swift
    r"|\[INFO\] Tests run: \d+, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: .* --? in .*"
    r"|//\S*:\S+\s+(?:\(cached\) )?PASSED in [\d.]+s"  # bazel
    r")\s*"
    r"$",
)
_TEST_BEGUN = re.compile(
    r"(?:=== (?:RUN|PAUSE|CONT) +\S+|\s*Start +\d+: .*|Test Case '.*' started.*|\[INFO\] Running \S+"
    r"|\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: (?!.*\[E\]).*"  # dart
    r")\s*$"
)
_STEP = re.compile(
    r"(?:"
    r"\s+(?:Compiling|Checking|Downloaded|Downloading|Fresh|Adding|Locking) \S+ v\d\S*.*"  # cargo
    r"|\[ *[\d,]+ ?/ ?[\d,]+\] .*|\[ *\d+%\] (?:Building|Built|Linking|Generating) .*"  # ninja, swift, bazel, cmake
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
    r"|Progress: resolved \d+, reused \d+, downloaded \d+, added \d+"  # pnpm
    r"|[0-9a-f]{12}: (?:Pull complete|Already exists|Waiting|Download complete|Pulling fs layer|Verifying Checksum"
    r"|Extracting|Downloading)\b.*"
    r")\s*$"
)
_GUARD = re.compile(r"(?i)\berror|\bfail|\bwarn|\bdenied|\bconflict|\babort|\bdeprecat|\bmissing")
