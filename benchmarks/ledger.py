"""How exact the ledger is on recorded sessions: files (F1), anchors (precision), constraints (survival), size.

    SECATEUR_CORPUS=... python benchmarks/ledger.py [--sessions N]

The truth about files is told by other means than the ledger's: by the names of hosts' tools, `shlex`, and plain
patterns; about how checks ended, by `outcomes`. An anchor is a path, id, number, error, address or hash in the rendered
ledger; it must be in the session. Constraints are planted as user messages into the sessions, and looked for after
five merges, spans being equal parts.
"""

import argparse
import gzip
import json
import re
import shlex
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from corpus import find_corpus
from outcomes import count_right, list_outcomes

from secateur import documents
from secateur.compaction.ledger import Ledger, build_ledger, merge, render_ledger
from secateur.errors import SecateurError
from secateur.identifiers import find_anchors
from secateur.model import Message, Part
from secateur.tokens import estimate

FAMILIES = ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl", "opencode_export_json",
            "mini_swe_agent_traj_json")  # fmt: skip
BARS = {"F1": 0.95, "precision": 1.0, "survival": 0.95}
PLANTED = (
    "Do not touch the files under tests/golden.",
    "Never push to main without asking me first.",
    "Always run the linter before you commit.",
    "From now on use tabs instead of spaces in Makefiles.",
    "The public API must stay as it is.",
    "Đừng sửa thư mục migrations.",
    "Không được dùng thư viện mới.",
    "Luôn luôn viết chú thích bằng tiếng Việt.",
    "不要修改配置文件。",
    "所有的提交都必须有测试。",
    "从现在开始只用中文回答。",
    "No borres los archivos de la carpeta datos.",
    "Nunca cambies el esquema de la base.",
    "Usa siempre comillas simples.",
)


class Files(NamedTuple):
    """Paths by what was done with them."""

    read: frozenset[str]
    changed: frozenset[str]


class Figures(NamedTuple):
    """What one session shows."""

    name: str
    messages: int
    read: tuple[float, float]  # precision, recall
    changed: tuple[float, float]
    artifacts: float  # F1 of all files, each with its kind of use, and of all checks, each as it ended
    checks: tuple[int, int, int]  # ended as the ledger has it, of those it has, of all
    anchors: int
    false: tuple[str, ...]
    survived: float
    tokens: int
    source_tokens: int
    ms: float


def sessions(corpus: Path, most: int) -> Iterator[tuple[str, tuple[Message, ...]]]:
    """The largest sessions of each family."""
    for family in FAMILIES:
        files = sorted(corpus.glob(f"{family}/*/*"), key=lambda file: -file.stat().st_size)
        for file in files[:most]:
            data = file.read_bytes()
            try:
                read = documents.read(gzip.decompress(data) if file.suffix == ".gz" else data).transcript
            except SecateurError:
                continue
            if len(read.messages) > 10:
                yield f"{family.split('_')[0]} {file.name[:24]}", read.messages


def truth(messages: Iterable[Message]) -> Files:
    """Files by the arguments of calls that succeeded: other code than the ledger's."""
    read, changed, staged = set[str](), set[str](), set[str]()
    for call, result in _paired(messages):
        if _refused(result):
            continue
        failed = result.is_error or bool(re.search(r"exited with code [1-9]|<returncode>[1-9]", result.text[:400]))
        given = _arguments(call.text)
        patch = given.get("patchText") or given.get("patch") or call.text
        path = given.get("file_path") or given.get("filePath") or given.get("path") or given.get("notebook_path")
        command = given.get("command") or given.get("cmd")
        name = call.tool.lower()
        if "*** Begin Patch" in str(patch) and not failed and name in ("apply_patch", "patch"):
            changed |= {
                found.strip()
                for found in re.findall(r"\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)", _told(patch))
            }
        elif (
            isinstance(path, str)
            and not failed
            and name in ("edit", "write", "multiedit", "notebookedit", "str_replace")
        ):
            changed.add(path)
        elif isinstance(path, str) and not failed and name in ("read", "view", "view_image", "read_file"):
            read |= set() if "<type>directory" in result.text[:300] else {path}
        elif command and name in ("bash", "shell", "exec_command", "execute_bash", "terminal"):
            line = command if isinstance(command, str) else str(command[-1]) if isinstance(command, list) else ""
            reads, writes = _shell(line)
            changed |= writes
            staged |= {word.strip("'\"") for word in _added(line)}
            if re.search(r"\bgit commit\b", line):
                took = re.search(r"^ ([0-9]+) files? changed", result.text, re.M)
                changed |= staged if took and int(took[1]) == len(staged) and not staged & {"-A", "."} else set()
                staged -= staged if took else set()
                changed |= set(re.findall(r"^ create mode [0-9]+ (.+)$", result.text, re.M))
            read |= set() if failed else reads
    clean = [frozenset(re.sub(r"^(\./)+", "", path) for path in found if path) for found in (read, changed)]
    return Files(*clean)


def told(ledger: Ledger) -> Files:
    """Files as the ledger has them."""
    changed = {
        path for one in ledger.files if one.use != "read" for path in (one.path, one.to) if path and path[-1] != "/"
    }
    return Files(frozenset(one.path for one in ledger.files if one.use == "read"), frozenset(changed))


def score(said: frozenset[str], true: frozenset[str]) -> tuple[float, float]:
    """Precision and recall; a relative path and an absolute one that ends in it are one file."""
    return _share(said, true), _share(true, said)


def f1(precision: float, recall: float) -> float:
    """Their harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def false_anchors(ledger: Ledger, messages: Iterable[Message]) -> tuple[int, tuple[str, ...]]:
    """How many anchors the rendered ledger has, and which of them the session lacks."""
    text = "\n".join(line for lines in render_ledger(ledger).values() for line in lines)
    mine = find_anchors(text)
    source = [one for message in messages for part in message.parts for one in {part.text, _as_shown(part.text)}]
    there = frozenset(one for said in source for one in find_anchors(said))
    values = {one.value for one in there}
    lost = [one.value for one in mine if one not in there and one.value not in values]
    whole = "\n".join(source) if lost else ""
    escaped = json.dumps(whole) if lost else ""
    return len(mine), tuple(sorted(one for one in lost if one not in whole and one not in escaped))


def survival(messages: tuple[Message, ...], rounds: int = 5) -> float:
    """The share of planted constraints that stand verbatim after so many merges."""
    ledger = merged(_with_planted(messages), rounds)
    kept = {one.text for one in ledger.constraints}
    return sum(one in kept for one in PLANTED) / len(PLANTED)


def merged(messages: tuple[Message, ...], rounds: int) -> Ledger:
    """The ledger of spans of equal length, merged one by one."""
    size = -(-len(messages) // rounds)
    ledger = Ledger()
    for at in range(0, len(messages), size):
        ledger = merge(ledger, build_ledger(messages[at : at + size]))
    return ledger


def rounds(ledgers: Iterable[Ledger]) -> list[int]:
    """Tokens after each merge of ledgers that have nothing in common."""
    sizes, whole = [], Ledger()
    for one in ledgers:
        whole = merge(whole, one)
        sizes.append(tokens_of(whole))
    return sizes


def tokens_of(ledger: Ledger) -> int:
    """Tokens of a ledger as it is rendered."""
    return estimate("\n".join(line for lines in render_ledger(ledger).values() for line in lines))


def figures(name: str, messages: tuple[Message, ...]) -> Figures:
    """Everything that is measured on one session."""
    start = time.process_time()
    ledger = build_ledger(messages)
    spent = (time.process_time() - start) * 1_000
    true, mine = truth(messages), told(ledger)
    only = true.read - _same(true.read, true.changed)
    all_true = frozenset(f"changed {path}" for path in true.changed) | {f"read {path}" for path in only}
    all_mine = frozenset(f"changed {path}" for path in mine.changed) | {f"read {path}" for path in mine.read}
    true_checks = list_outcomes(messages)
    right, known, checks = count_right(ledger, true_checks)
    precision = _divide(_count_shared(all_mine, all_true) + right, len(all_mine) + known)
    both = f1(precision, _divide(_count_shared(all_true, all_mine) + right, len(all_true) + checks))
    count, false = false_anchors(ledger, messages)
    source = sum(estimate(part.text) for message in messages for part in message.parts)
    return Figures(
        name, len(messages), score(mine.read, only), score(mine.changed, true.changed), both, (right, known, checks),
        count, false, survival(messages), tokens_of(ledger), source, spent,
    )  # fmt: skip


def main() -> None:
    """Print one line a session and the means; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=4, help="of each family")
    most = parser.parse_args().sessions
    all_ = list(sessions(find_corpus(), most))
    found = [figures(name, messages) for name, messages in all_]
    for one in found:
        print(f"{one.name:34}{one.messages:6} files F1 {one.artifacts:5.3f}", end="  ")
        print(
            *(f"{name} {p:4.2f}/{r:4.2f}" for name, (p, r) in (("changed", one.changed), ("read", one.read))), end="  "
        )
        print("checks {}/{}/{}".format(*one.checks), end="  ")
        print(f"anchors {one.anchors:4} false {len(one.false)}  survive {one.survived:4.2f}", end="  ")
        print(f"{one.tokens:5} of {one.source_tokens:7} tokens {one.ms:5.0f} ms")
        if one.false:
            print("    ", *one.false[:8])
    mean = sum(one.artifacts for one in found) / len(found)
    total = sum(one.anchors for one in found)
    precision = 1 - sum(len(one.false) for one in found) / max(1, total)
    survived = min(one.survived for one in found)
    sizes = rounds(merged(messages, 1) for _, messages in all_)
    print("tokens after each round of another session merged in:", *sizes)
    checks = [sum(one.checks[at] for one in found) for at in range(3)]
    print("checks: {} ended as the ledger has it, of {} that it has and {} there are".format(*checks))
    print("artifacts are files, each with its kind of use, and checks, each as it ended:")
    print(f"artifact F1 {mean:.3f}, anchor precision {precision:.4f} of {total}, least survival {survived:.2f}")
    raise SystemExit(mean < BARS["F1"] or precision < BARS["precision"] or survived < BARS["survival"])


def _paired(messages: Iterable[Message]) -> Iterator[tuple[Part, Part]]:
    calls: dict[str, Part] = {}
    for message in messages:
        for part in message.parts:
            if part.kind == "tool_call":
                calls[part.call_id] = part
            elif part.kind == "tool_result" and part.call_id in calls:
                yield calls.pop(part.call_id), part


def _refused(result: Part) -> bool:
    """What a host did not let run."""
    return result.is_error and not re.search(
        r"(?i)exit(?:ed with)? code|<returncode>", result.text[:800] + result.text[-800:]
    )


def _as_shown(text: str) -> str:
    """The text as a terminal shows it, without the colors that may stand within a number and its unit."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _arguments(text: str) -> dict[str, object]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _told(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _added(line: str) -> list[str]:
    """The words that `git add` is given, quoted ones whole."""
    words = [word for named in re.findall(r"\bgit add ([^;&|\n]+)", line) for word in _WORD.findall(named)]
    return [word for word in words if word not in ("--", "-f", "--force")]


_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s'\"]+")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?([^\n]*)\n.*?^\s*\1\s*$", re.S | re.M)
_PATH = re.compile(r"[\w./~@+\- ]*[\w]")


def _shell(line: str) -> tuple[set[str], set[str]]:
    """Files that a command line reads and writes, by shlex."""
    patched = (
        set(re.findall(r"\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)", line))
        if "apply_patch" in line
        else set()
    )
    scripted = set(re.findall(r"open\(['\"]([^'\"]+)['\"], ?['\"][wa]", line))
    scripted |= set(re.findall(r"Path\(['\"]([^'\"]+)['\"]\)\.write_text", line))
    line = re.sub(r"^\s*#.*$", "", line, flags=re.M)
    lexer = shlex.shlex(
        _HEREDOC.sub(r"\2\n", line).replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=";|&<>()"
    )
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = [word for word in lexer if word]
    except ValueError:
        return set(), patched | scripted
    reads, writes = set[str](), patched | scripted
    command: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set(";|&()") and word:
            _command(command, reads, writes)
            command = []
        else:
            command.append(word)
    return {one for one in reads if _is_path(one)}, {one for one in writes if _is_path(one)}


def _command(words: list[str], reads: set[str], writes: set[str]) -> None:
    plain: list[str] = []
    skip = ""
    for word in words:
        if skip in (">", ">>", "<"):
            (reads if skip == "<" else writes).add(word)
        if skip:
            skip = ""
        elif set(word) <= set("<>&"):
            skip = word
        else:
            plain.append(word)
    while plain and (re.match(r"\w+=|\d+$", plain[0]) or plain[0] in _BEFORE):
        plain.pop(0)
    if plain:
        rest = [word for word in plain[1:] if not word.startswith("-")]
        _program(plain[0].rpartition("/")[2], plain, rest, (reads, writes))


_BEFORE = ("sudo", "env", "time", "timeout", "exec", "command")
_READ = ("cat", "head", "tail", "nl", "less", "tac", "xxd", "od", "strings")


def _program(name: str, words: list[str], rest: list[str], found: tuple[set[str], set[str]]) -> None:
    reads, writes = found
    if name in _READ:
        reads.update(word for word in rest if not word.isdigit())
    elif name in ("sed", "awk", "perl"):
        inside = any(re.match(r"-[a-z]*i", word) for word in words[1:]) and name != "awk"
        (writes if inside else reads).update(rest[1:])
    elif name in ("rm", "tee", "touch"):
        writes.update(rest)
    elif name in ("mv", "cp") and len(rest) >= 2:
        writes.update(rest[:-1] if name == "mv" else [])
        writes.update(rest[-1:] if len(rest) == 2 else [])
    elif name == "git" and rest[:1] in (["mv"], ["rm"]):
        writes.update(rest[1:])
    elif name == "git" and rest[:1] == ["clone"] and not re.search(r"://|@|\.git$", rest[-1]):
        writes.add(rest[-1])


def _is_path(word: str) -> bool:
    return (
        bool(_PATH.fullmatch(word))
        and not word.startswith(("/dev/", "-"))
        and not word.isdigit()
        and word.strip("./~") != ""
    )


def _share(some: frozenset[str], others: frozenset[str]) -> float:
    return len(_same(some, others)) / len(some) if some else 1.0


def _same(some: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Those of `some` that are among `others`, one the end of the other."""
    whole = frozenset(others)
    ends = {tuple(path.split("/")[-2:]) for path in whole}
    names = {path for path in whole if not path.startswith("/")}
    return frozenset(
        path
        for path in some
        if path in whole
        or any(
            other.endswith("/" + path) or path.endswith("/" + other) for other in (whole if path[:1] != "/" else names)
        )
        or (
            path.count("/") > 1
            and tuple(path.split("/")[-2:]) in ends
            and any(other.endswith(path.lstrip("/")) for other in whole)
        )
    )


def _count_shared(some: frozenset[str], others: frozenset[str]) -> int:
    """How many of `some` are among `others`, with kinds: `changed PATH`, `read PATH`."""
    hits = 0
    for kind in ("changed ", "read "):
        mine = [one.removeprefix(kind) for one in some if one.startswith(kind)]
        hits += len(_same(mine, [one.removeprefix(kind) for one in others if one.startswith(kind)]))
    return hits


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _with_planted(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The session with a planted constraint behind messages all over it."""
    made = list(messages)
    for number, text in enumerate(PLANTED):
        at = (number * 2 + 1) * len(messages) // (2 * len(PLANTED))
        while at < len(messages) and messages[at].role != "assistant":
            at += 1
        said = Message("user", (), (Part("text", (), text, key=f"{number:032x}"),), key=f"{number:032x}")
        made.insert(at + number, said)
    return tuple(made)


if __name__ == "__main__":
    main()
