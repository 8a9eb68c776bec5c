"""What summaries say of recorded sessions that the sessions contradict.

    SECATEUR_CORPUS=... python benchmarks/truth.py [--window N] [--draw N --seed S]

Every session is compacted without a model. Four kinds of statements are checked against the whole session, by other
means than the summary's: that the user waits for something, while a later message of the user is there; that an error
or a check is open, while the same command succeeded later; a goal that a host wrote; and whose turn it is. Each is
printed with the messages behind it. `--draw` prints so many statements, drawn by seed, with what followed, for reading.
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from corpus import find_corpus
from msgspec import Struct

from secateur import Engine
from secateur.compaction.ledger.said import get_user_text
from secateur.compaction.outcome import Compacted
from secateur.errors import SecateurError, StillTooLong
from secateur.model import Message
from secateur.toolcalls.actions import list_actions
from secateur.toolcalls.commands import iterate_runs

SKIPPED = ("vcr_", "aider_", "tau")  # requests of a few messages, and files of many conversations
NEXT = ("the user waits for: ", "test, failed", "build, failed", "lint, failed")
NEXT += ("the agent said last: ", "task, open: ", "task, in progress: ", "where it stands: ")
HOSTS = re.compile(
    r"# (?:AGENTS\.md|Files mentioned|Context from my IDE|Maestro|Context\b)|</?(?:environment_context"
    r"|recommended_plugins"
    r"|system-reminder|turn_aborted|command-name|user_instructions|skill)\b|Caveat: The messages below"
    r"|This session is being continued|Please continue working on the task on whatever approach"
)


class Statement(Struct, frozen=True):
    """One line of a summary that says how things are."""

    session: str
    kind: str  # waits, stands, open, goal, next
    line: str
    is_false: bool
    behind: tuple[str, ...]  # the session's own words that judge it


def sessions(corpus: Path) -> Iterator[tuple[str, bytes]]:
    """Every recorded session once."""
    for entry in json.loads((corpus / "MANIFEST.json").read_text()):
        if not entry["format"].startswith(SKIPPED):
            data = (corpus / entry["path"]).read_bytes()
            yield entry["path"], gzip.decompress(data) if entry["path"].endswith(".gz") else data


def summarize(data: bytes, window: int) -> tuple[str, tuple[Message, ...]]:
    """The summary without a model and the messages; "" where there is none."""
    try:
        view = Engine("balance", window=window).compact(data, now_ms=0)
    except StillTooLong as error:
        view = error.view
    summary = view.compaction.summary if isinstance(view.compaction, Compacted) else ""
    return summary, view.raw_transcript.messages


def bullets(summary: str, section: str) -> list[str]:
    """The entries under one heading."""
    body = summary.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^- ((?:.*)(?:\n(?: {4}.*|\s*))*)", body, re.M)


def judge(name: str, summary: str, messages: tuple[Message, ...]) -> Iterator[Statement]:
    """Every statement of a summary that this command judges."""
    said = [
        " ".join("\n".join(part.text for part in message.parts if part.kind == "text").split())
        for message in messages
        if message.role == "user" and message.origin == "user"
    ]
    for line in bullets(summary, "Next steps"):
        if waited := _find_waited(line, summary):
            yield _judge_waited(name, line, waited, said)
        if line.startswith("where it stands: "):
            yield Statement(name, "stands", line, _is_turn_false(line, messages), ())
    for line in (*bullets(summary, "Discoveries"), *bullets(summary, "Next steps")):
        if re.match(r"(?:error, open|(?:test|build|lint), failed)(?: \(-?\d+\))?(?: \(edited since\))?: ", line):
            yield from _judge_open(name, line, messages)
    for line in bullets(summary, "Goal"):
        found = HOSTS.match(re.sub(r"^\[[^\]]*\] ", "", line).lstrip('"'))
        yield Statement(name, "goal", line, bool(found), ())


def _find_waited(line: str, summary: str) -> str:
    """What a line says that the user waits for, up to the first gap, which is verbatim; "" if it says nothing of it."""
    if line.startswith("the user waits for: "):
        return " ".join(line.partition(": ")[2].split()).partition(" […]")[0]
    stands = r"where it stands: the (?:agent is in the middle of its work on|user spoke last and waits for) \[(\w+)\]"
    named = re.match(stands, line)
    goals = bullets(summary, "Goal") if named else []
    found = next((one for one in goals if named and one.startswith(f"[{named[1]}")), "")
    text = re.sub(r"^\[[^\]]*\] (?:asked “[^”]*”: )?", "", found).partition("\n")[0]
    return " ".join(text.split()).partition(" […]")[0]


def _judge_waited(name: str, line: str, text: str, said: list[str]) -> Statement:
    place = max((n for n, one in enumerate(said) if text[:80] in one), default=-1)
    behind = tuple(one for one in said[place + 1 :] if not re.fullmatch(r"(?i)\W*(?:yes|ok|go on|continue)\W*", one))
    return Statement(name, "waits", line, place < 0 or bool(behind), behind)


def _is_turn_false(line: str, messages: tuple[Message, ...]) -> bool:
    """Whether somebody else spoke or called last than a line on whose turn it is says."""
    acts = (
        (n, one.role, one.origin, {part.kind for part in one.parts} & {"text", "tool_call"})
        for n, one in enumerate(messages)
    )
    last = max((n for n, *who, kinds in acts if who == ["assistant", "user"] and kinds), default=-1)
    has_called = last >= 0 and any(part.kind == "tool_call" for part in messages[last].parts)
    has_user_spoken = any(get_user_text(one) for one in messages[last + 1 :])
    if "the agent ended its turn" in line:
        return has_called or has_user_spoken
    if "the user spoke last" in line:
        return not has_user_spoken
    return "in the middle of its work" in line and (has_user_spoken or not has_called)


def _judge_open(name: str, line: str, messages: tuple[Message, ...]) -> Iterator[Statement]:
    """Whether the last run of the same command passed by what it printed."""
    during = line.rpartition(" — during: ")[2] if " — during: " in line else line.partition(": ")[2]
    during = plain(during.partition(" — said: ")[0])
    last = ""
    for run in iterate_runs(list_actions(messages)):
        if plain(run.text) == during:
            last = run.action.said
    passed = bool(re.search(r"\b[1-9]\d* (?:passed|passing)\b|^ok\b|test result: ok|All checks passed", last, re.M))
    failed = bool(re.search(r"\b[1-9]\d* (?:failed|failing|errors?)\b|^(?:--- )?FAIL|error TS|Traceback", last, re.M))
    yield Statement(name, "open", line, passed and not failed, (last[-400:],))


def plain(command: str) -> str:
    """A command without what only picks lines of its output."""
    return " ".join(re.split(r"\s*(?:2>&1|\|(?!\|)|>\s*/dev/null)", command, maxsplit=1)[0].split())


def draw(found: list[tuple[str, str, tuple[Message, ...]]], count: int, seed: int) -> Iterator[str]:
    """So many lines of Goal and Next steps, each with the end of its session."""
    lines = [
        (name, section, line, messages)
        for name, summary, messages in found
        for section in ("Goal", "Next steps")
        for line in bullets(summary, section)
    ]
    for name, section, line, messages in random.Random(seed).sample(lines, min(count, len(lines))):
        tail = []
        for message in messages[-400:]:
            text = " ".join(" ".join(part.text for part in message.parts if part.kind == "text").split())
            if text and message.role in ("user", "assistant"):
                tail.append(
                    f"    {message.role}/{message.origin}: {text[:160]} … {text[-200:] if len(text) > 360 else ''}"
                )
        yield "\n".join((f"{name} [{section}]", f"  {' '.join(line.split())[:600]}", *tail[-3:], ""))


def main() -> int:
    """Print false statements and their number; exit 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--window", type=int, default=60_000)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found: list[tuple[str, str, tuple[Message, ...]]] = []
    for path, data in sessions(find_corpus()):
        try:
            summary, messages = summarize(data, asked.window)
        except SecateurError:
            continue
        if summary:
            found.append((path, summary, messages))
    statements = [one for entry in found for one in judge(*entry)]
    for one in statements:
        if one.is_false:
            print(
                f"{one.session}\n  {one.kind}: {one.line[:300]}\n"
                + "".join(f"    {text[:300]}\n" for text in one.behind[:4])
            )
    for text in draw(found, asked.draw, asked.seed):
        print(text)
    print(f"{len(found)} summaries")
    for kind, what in (("waits", "waits for what a later message answers"), ("open", "open, and its last run passed"),
                       ("goal", "goals that a host wrote"), ("stands", "somebody else was last")):  # fmt: skip
        mine = [one for one in statements if one.kind == kind]
        print(f"{sum(one.is_false for one in mine):4} of {len(mine):4}  {what}")
    return int(any(one.is_false for one in statements))


if __name__ == "__main__":
    sys.exit(main())
