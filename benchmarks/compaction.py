"""What compaction keeps: facts, constraints, anchors, size, secrets, and what tools say in the user's name.

    python benchmarks/compaction.py [--summarizer S] [--sessions N]

Transcripts are made from a seed; no network is used. Without --summarizer the summary is made without a model. A
planted fact counts as kept if its words are in the view, or behind a handle that the view names. With
SECATEUR_CORPUS set, anchors (paths, ids, numbers) of the summaries of recorded sessions are looked for in the sessions.

What a summary without a model costs, as a ratio to `json.loads` of the same body: `new process` with all that it loads,
`first` without that, `next` where a tenth of the session came after a summary. Of a made session, and of recorded ones
with SECATEUR_CORPUS set; each is measured in a process of its own.
"""

import argparse
import gzip
import json
import os
import random
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from engine import in_child, once

from secateur import Engine
from secateur.compaction.outcome import Compacted
from secateur.errors import SecateurError, StillTooLong
from secateur.identifiers import find_anchors
from secateur.stores import open_store
from secateur.stores.protocol import SessionId
from secateur.tokens import estimate

Native = dict[str, Any]
POLICY: Native = {
    "extends": "balance",
    "name": "sums",
    "prune": [],
    "on_arrival": None,
    "schedule": {"type": "every_request"},
}
WINDOW = 32_000
BARS = {"constraints": 0.95, "precision": 1.0}
FACT_BARS = {64_000: (0.85, 0.95), 16_000: (0.65, 0.9)}  # window: shares in the view, and with its handles
COST_BARS = {"new process": 100, "first": 50, "next": 25}  # of the median of recorded sessions
MADE_BARS = {"new process": 400, "first": 200, "next": 100}  # of a session whose every line is the total of a check
FAMILIES = ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl", "opencode_export_json")
CONSTRAINTS = (
    "Do not touch the files under tests/golden.",
    "Never push to main without asking me first.",
    "Always run the linter before you commit.",
    "From now on use tabs instead of spaces in Makefiles.",
    "The public API must stay as it is.",
    "Không được dùng thư viện mới.",
    "Luôn luôn viết chú thích bằng tiếng Việt.",
    "不要修改配置文件。",
    "所有的提交都必须有测试。",
    "No borres los archivos de la carpeta datos.",
    "Nunca cambies el esquema de la base.",
    "Usa siempre comillas simples.",
)


def said(role: str, text: str) -> Native:
    return {"role": role, "content": text}


def ran(number: int, command: str, output: str, text: str = "", tool: str = "bash") -> list[Native]:
    function = {"name": tool, "arguments": json.dumps({"command": command} if tool == "bash" else {"path": command})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    asked = {"role": "assistant", "content": text or f"Step {number}.", "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": f"c{number}", "content": output}]


def body(messages: Iterable[Native]) -> bytes:
    return json.dumps({"model": "gpt-5", "messages": list(messages)}).encode()


def planted(seed: int) -> tuple[list[Native], list[str]]:
    """A long session and the 40 facts in it: paths, ids, commands that worked, dead ends with reasons, numbers."""
    dice = random.Random(seed)
    messages, facts = [said("user", "Make the importer fast. The report goes to out/report.md.")], []
    kinds = ["path", "id", "command", "reject", "number"] * 8
    dice.shuffle(kinds)
    for number, kind in enumerate(kinds):
        tag = f"{dice.randrange(16**6):06x}"
        noise = "".join(f"row {dice.random():.6f} of the table\n" for _ in range(90))
        command, output, text, tool = f"ls dir{number}", noise, "", "bash"
        match kind:
            case "path":
                fact = command = f"src/importer/part_{tag}.py"
                tool = "read"
            case "id":
                fact = f"job-{tag}-{number}"
                output = f"started {fact}\n{noise}"
            case "command":
                fact = command = f"make fast-{tag}"
                output = "ok\n" + noise
            case "reject":
                fact = f"Caching by {tag} does not work, because the keys change on every run"
                text = f"{fact}."
            case _:
                fact = f"{dice.randrange(10_000, 99_999)} rows/s"
                text = f"The importer reaches {fact} now."
        facts.append(fact)
        messages += ran(number, command, output, text, tool)
    return [*messages, said("assistant", "The importer is faster."), said("user", "Now write the report.")], facts


def kept_facts(summarizer: str | None, window: int, seeds: int = 5) -> tuple[float, float]:
    """Share of planted facts in the view of a compaction, and in the view or behind a handle that it names."""
    plain = reached = total = 0
    for seed in range(seeds):
        messages, facts = planted(seed)
        store = open_store("memory://")
        engine = Engine(POLICY, window=window, store=store, recall_handles="on", summarizer=summarizer)
        view = engine.compact(body(messages), session="s", now_ms=1)
        assert isinstance(view.compaction, Compacted), view.compaction
        text = view.request.decode()
        named = set(re.findall(r"recall ([0-9a-f]{12})", text))
        held = [one.id for one in store.list_blobs(SessionId("s")) if one.id[:12] in named]
        behind = "\n".join(blob.data.decode() for one in held if (blob := store.get_blob("", one)))
        plain += sum(fact in text for fact in facts)
        reached += sum(fact in text or fact in behind for fact in facts)
        total += len(facts)
    return plain / total, reached / total


def rounds(count: int) -> Iterator[list[Native]]:
    """A session that grows: each step asks for more, demands something, and works."""
    messages: list[Native] = []
    for number in range(count):
        demands = CONSTRAINTS[number * 3 : number * 3 + 3]
        messages += [said("user", f"Step {number}: go on. {' '.join(demands)}")]
        for step in range(30):
            at = number * 100 + step
            messages += ran(at, f"pytest tests/test_{at}.py", f"{at} passed\n" * 300, f"I looked at module {at}.")
        messages += [said("assistant", f"Step {number} is done.")]
        yield messages


def survival(summarizer: str | None) -> tuple[float, list[int]]:
    """Share of constraints in the view after five compactions, and the size of each of ten summaries in tokens."""
    engine = Engine(POLICY, window=WINDOW, summarizer=summarizer)
    sizes, share = [], 0.0
    for number, messages in enumerate(rounds(10)):
        view = engine.compact(body(messages), session="s", now_ms=number)
        if isinstance(view.compaction, Compacted):
            sizes.append(estimate(view.compaction.summary))
        if number == 4:
            text = json.loads(view.request)["messages"]
            told = "\n".join(str(one["content"]) for one in text)
            share = sum(one in told for one in CONSTRAINTS) / len(CONSTRAINTS)
    return share, sizes


def sessions(most: int) -> Iterator[tuple[str, bytes]]:
    folder = os.environ.get("SECATEUR_CORPUS", "")
    if not folder:
        return
    entries = json.loads((Path(folder) / "MANIFEST.json").read_text())
    for family in FAMILIES:
        mine = sorted((e for e in entries if e["format"] == family), key=lambda e: -e["chars"])[:most]
        for entry in mine:
            data = (Path(folder) / entry["path"]).read_bytes()
            yield entry["path"], gzip.decompress(data) if entry["path"].endswith(".gz") else data


def precision(summarizer: str | None, most: int) -> tuple[int, float, int]:
    """Sessions, share of the summaries' anchors that are in their session, and views that did not fit."""
    right = told = count = too_long = 0
    for _, data in sessions(most):
        try:
            view = Engine(POLICY, window=60_000, summarizer=summarizer).compact(data, now_ms=0)
        except SecateurError:
            too_long += 1
            continue
        if not isinstance(view.compaction, Compacted):
            continue
        session = view.raw_transcript
        said = (part.text for message in session.messages for part in message.parts)
        source = "\n".join((session.folder, session.branch, *said))  # what its host recorded, and what was said
        for kind in find_anchors(view.compaction.summary.partition("\n")[2]):
            right += kind.value in source or kind.value.lower() in source.lower()
            told += 1
        count += 1
        too_long += view.receipt.tokens_view > 60_000
    return count, right / told if told else 1.0, too_long


def growing(most: int) -> Iterator[tuple[str, bytes, bytes]]:
    """Sessions with their first nine tenths: a made one, and those recorded whose host writes line by line."""
    *_, before, after = (body(messages) for messages in rounds(10))
    yield "made", before, after
    for name, data in sessions(most):
        lines = data.splitlines(keepends=True)
        if ".jsonl" in name:
            yield name, b"".join(lines[: len(lines) * 9 // 10]), data


def summarize(engine: Engine, data: bytes, now_ms: int) -> None:
    with suppress(StillTooLong):  # it is summarized, and what is left is too long
        engine.compact(data, session="s", now_ms=now_ms)


def first(data: bytes) -> float:
    """Ratio of a summary of a session that this process has not seen."""
    return once(partial(summarize, Engine("balance", window=60_000), data, 0)) / loading(data)


def next_one(before: bytes, after: bytes) -> float:
    """Ratio of the summary of a session that grew after one."""
    engine = Engine("balance", window=60_000)
    summarize(engine, before, 0)
    return once(partial(summarize, engine, after, 1)) / loading(after)


def loading(data: bytes) -> float:
    """Seconds of `json.loads` of a body, or of each line of a session file."""
    bodies = [line for line in data.splitlines() if line]
    return min(once(lambda: [json.loads(one) for one in bodies]) for _ in range(3))


def measure_costs(most: int) -> dict[str, list[float]]:
    """The ratios of each kind, one for each session."""
    cases = list(growing(most))
    found = {"new process": [in_child(partial(first, after)) for _, _, after in cases]}
    summarize(Engine("balance", window=60_000), body(next(islice(rounds(10), 3, None))), 0)
    found["first"] = [in_child(partial(first, after)) for _, _, after in cases]
    found["next"] = [in_child(partial(next_one, before, after)) for _, before, after in cases]
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--summarizer")
    parser.add_argument("--sessions", type=int, default=3)
    asked = parser.parse_args()
    costs = measure_costs(asked.sessions)  # before anything else has loaded what a summary needs
    facts = {window: kept_facts(asked.summarizer, window) for window in FACT_BARS}
    share, sizes = survival(asked.summarizer)
    print(f"rung                {'a model: ' + asked.summarizer if asked.summarizer else 'extract'}")
    for window, (plain, reached) in facts.items():
        bars = "{} and {}".format(*FACT_BARS[window])
        print(f"facts at {window:,}     {plain:.3f} in the view, {reached:.3f} with its handles (bars {bars})")
    print(f"constraints         {share:.3f} after five compactions (bar {BARS['constraints']})")
    print(f"summary tokens      {sizes} (bound {int(WINDOW * 0.08)} + what gave way once)")
    failed = any(share < bar for window in facts for share, bar in zip(facts[window], FACT_BARS[window], strict=True))
    failed = failed or share < BARS["constraints"] or max(sizes[5:]) > 2 * max(sizes[:5])
    count, exact, long = precision(asked.summarizer, asked.sessions)
    if count:
        print(f"anchors             {exact:.4f} of those in {count} summaries stand in the session (bar 1.0)")
        print(f"views over 60,000   {long}")
        failed = failed or exact < BARS["precision"] or long > 0
    for kind, (made, *recorded) in costs.items():
        print(f"{kind:<20}{made:.0f} x json.loads of a made session (bar {MADE_BARS[kind]})")
        failed = failed or made > MADE_BARS[kind]
        if recorded:
            middle = median(recorded)
            told = f"{middle:.0f} x in the median of {len(recorded)} recorded sessions (bar {COST_BARS[kind]})"
            print(f"{'':<20}{told}, at most {max(recorded):.0f} x")
            failed = failed or middle > COST_BARS[kind]
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
