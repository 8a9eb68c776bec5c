"""Which summaries are believed: true ones in the styles of several hosts, and ones that lie, over small histories.

    python benchmarks/judging.py [--half open|kept] [--show]

The cases are in benchmarks/measures/summaries, a file for each history, written before the judge or by someone who
had not read it; `why` says what makes a lie one. One half, `kept`, is for the figures alone: whoever works on the judge
reads the other half. A true summary has to stand (`GOOD`); one that lies has to be rejected (`BAD`). The exit status
is 1 below a bar. `--show` lists what went wrong.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from secateur.compacting import CompactionTask, compact_history
from secateur.compaction.ask import Ask
from secateur.compaction.outcome import Compacted
from secateur.compaction.scene import CompactionInput
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.trigger import Load
from secateur.session import document
from secateur.summarizers.own import Function
from secateur.tokens import estimate

GOOD, BAD = 0.95, 0.90  # of the true summaries stand, of those that lie are rejected
FOLDER = Path(__file__).parent / "measures" / "summaries"


class Case(Struct, frozen=True):
    """One summary of one history."""

    history: str
    what: str  # its style, or its lie
    is_true: bool
    text: str
    turns: tuple[dict[str, Any], ...]
    why: str = ""  # it is a lie


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--half", choices=("open", "kept"), action="append", help="both without it")
    options.add_argument("--show", action="store_true", help="list each summary that was judged wrongly, and why")
    asked = options.parse_args()
    missed = False
    for half in asked.half or ("open", "kept"):
        missed |= report(half, list(read_cases(FOLDER / half)), show=asked.show)
    return 1 if missed else 0


def report(half: str, cases: list[Case], *, show: bool) -> bool:
    """Print one half; whether a bar was missed."""
    verdicts = [(case, judge(case)) for case in cases]
    shares = []
    for is_true, right, bar in ((True, "true, and stand", GOOD), (False, "lie, and are rejected", BAD)):
        some = [(case, reason) for case, reason in verdicts if case.is_true == is_true]
        good = sum((not reason) == is_true for _, reason in some)
        shares.append(good / len(some) >= bar)
        print(f"{half}: {good} of {len(some)} {right} ({good / len(some):.1%}, bar {bar:.0%})")
        for case, reason in some if show else ():
            if (not reason) != is_true:
                print(f"   {case.history}, {case.what}: {reason or f'it stands ({case.why})'}")
    if show:
        for case, reason in verdicts:
            if reason and not case.is_true:
                print(f"   rejected: {case.history}, {case.what}: {reason[:160]}")
    return not all(shares)


def judge(case: Case) -> str:
    """Why a summary is rejected; "" where it stands."""
    transcript = document.read(build_body(case.turns)).transcript
    load = Load(sum(estimate(part.text) for message in transcript.messages for part in message.parts))
    scene = CompactionInput(raw=transcript.messages, count=estimate, window=0, load=load, forced=True)
    settings = Compaction(keep_turns=1, keep_tokens=1, max_summary_tokens=2_000)

    def answer(_: Ask) -> str:
        return case.text

    task = CompactionTask(scene, settings, Continuation())
    outcome = compact_history(task, [Function("written", answer)], 20.0).outcome
    if isinstance(outcome, Compacted) and outcome.rung == "model":
        return ""
    return next((f"{one.reason}: {one.text}" for one in outcome.attempts), "") or f"no compaction: {outcome}"


def read_cases(folder: Path) -> Iterator[Case]:
    """All cases of a folder. A lie that names a true summary (`of`, from 1) is that one with words replaced."""
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        turns = tuple(table["history"])
        for one in table["good"]:
            yield Case(table["name"], one["style"], True, one["text"].strip(), turns)
        for one in table["bad"]:
            text = one["text"] if "text" in one else table["good"][one["of"] - 1]["text"]
            for old, new in one.get("replace", ()):
                if old not in text:
                    raise ValueError(f"{path.name}, {one['lie']}: {old!r} does not occur")
                text = text.replace(old, new)
            yield Case(table["name"], one["lie"], False, text.strip(), turns, one.get("why", ""))


def build_body(turns: tuple[dict[str, Any], ...]) -> bytes:
    """A Messages request with a history, and a newest message of the user behind it."""
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate((*turns, {"user": "Status?"})):
        if "user" in turn:
            messages.append({"role": "user", "content": [{"type": "text", "text": turn["user"]}]})
        elif "assistant" in turn:
            messages.append({"role": "assistant", "content": [{"type": "text", "text": turn["assistant"]}]})
        else:
            more = "".join(turn.get("more", "").format(n=one) + "\n" for one in range(turn.get("times", 0)))
            failed = bool(turn.get("error") or turn.get("exit"))
            code = f"Exit code {turn['exit']}\n" if turn.get("exit") else ""
            call = {"type": "tool_use", "id": f"call_{number}", "name": turn["call"], "input": turn["input"]}
            result = {"type": "tool_result", "tool_use_id": f"call_{number}", "is_error": failed}
            result["content"] = code + more + turn["result"].lstrip("\n")
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    merged: list[dict[str, Any]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"] += message["content"]
        else:
            merged.append(message)
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 1_000, "messages": merged}).encode()


if __name__ == "__main__":
    sys.exit(main())
