"""Recorded sessions under every preset: each clears exactly the results that a plain reading of its rules names.

The rules are written out a second time here, message by message and without an index, from what the systems do. The
window is small, so that the presets act. SECATEUR_CORPUS names the folder that holds the sessions.
"""

import gzip
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import carried
import secateur
from secateur.model import Message, Part, Transcript

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
FOLDERS = ("pi_session_jsonl", "claude_code_jsonl", "codex_rollout_jsonl")
MIN_BYTES = 300_000  # in smaller sessions few presets act
WINDOW = 32_000
LONG_AFTER = 4_000_000_000_000  # ms: later than any call by more than any ttl
TINY = 200  # characters: a placeholder that says what went may be longer than such a result

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def sessions() -> list[Path]:
    files = sorted(file for folder in FOLDERS for file in (Path(CORPUS) / folder).rglob("*.jsonl*")) if CORPUS else []
    return [file for file in files if len(read(file)) > MIN_BYTES][::3]


def opencode(read: Transcript) -> set[str]:
    stop = last_two_turns(read, every=True)
    return {part.key for number, part in results(read) if number < stop and part.tool.lower() != "skill"}


def kilocode(read: Transcript) -> set[str]:
    inside = [part for part in newest_first(read, last_two_turns(read, every=True)) if not part.is_error]
    marked = beyond([part for part in inside if part.tool.lower() != "skill"], rounded, 40_000)
    return {part.key for part in marked} if sum(map(rounded, marked)) > 20_000 else set()


def hermes(read: Transcript) -> set[str]:
    used = read.fixed_tokens
    for message in read.messages:
        used += sum(part.tokens if part.kind == "media" else ceiling(part) for part in message.parts)
    spared = ("clarify", "memory", "skill_view", "todo")
    inside = [part for part in newest_first(read, last_two_turns(read, every=False)) if part.tool.lower() not in spared]
    marked = beyond(inside, ceiling, 10_000)
    acts = used > 0.85 * WINDOW and sum(map(ceiling, marked)) > 5_000
    return {part.key for part in marked} if acts else set()


def pi_auto_compressor(read: Transcript) -> set[str]:
    first = 3 + (read.messages[0].role == "system")
    spared = ("compress", "write", "edit")
    return {
        part.key
        for number, part in results(read)
        if first <= number < len(read.messages) - 20 and part.tool.lower() not in spared and len(part.text) >= 200
    }


def openclaw(read: Transcript) -> set[str]:
    """Trimmed or cleared: those that are over 4,000 characters, and the oldest while the window is half full."""
    assistants = [number for number, message in enumerate(read.messages) if message.role == "assistant"]
    users = [number for number, message in enumerate(read.messages) if speaks(message)]
    if read.provider not in ("anthropic", "openai") or len(assistants) < 3 or not users:
        return set()
    inside = [
        part
        for number, part in results(read)
        if users[0] <= number < assistants[-3] and not holds_media(read.messages[number], part)
    ]
    weighs = sum(map(weight, read.messages))
    if weighs / (WINDOW * 4) < 0.3:
        return set()
    sizes = {part.key: trimmed(len(part.text)) for part in inside}
    touched = {part.key for part in inside if sizes[part.key] != len(part.text)}
    weighs -= sum(len(part.text) - sizes[part.key] for part in inside)
    if sum(sizes.values()) >= 50_000:
        for part in inside:
            if weighs / (WINDOW * 4) < 0.5:
                break
            weighs += len("[Old tool result content cleared]") - sizes[part.key]
            touched.add(part.key)
    return touched


def anthropic(read: Transcript) -> set[str]:
    """All but the newest three; whether they go is told by the tokens in use."""
    return {part.key for _, part in list(results(read))[:-3]}


RULES: tuple[tuple[str, Callable[[Transcript], set[str]]], ...] = (
    ("opencode", opencode),
    ("kilocode", kilocode),
    ("hermes", hermes),
    ("pi-auto-compressor", pi_auto_compressor),
    ("openclaw", openclaw),
)


@pytest.mark.parametrize("file", sessions(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_each_preset_edits_what_its_rules_name(file: Path) -> None:
    data = read(file)
    fit = partial(carried.fit, data, window=WINDOW, now_ms=LONG_AFTER, model="claude-sonnet-4-5", compact=False)
    for name, rule in RULES:
        view = fit(policy=name)
        named, done = rule(view.raw_transcript), edited(view)
        texts = {part.key: part.text for _, part in results(view.raw_transcript)}
        short = {key for key in named - done if name == "kilocode" and len(texts[key]) <= TINY}
        assert done == named - short, name
    view = fit(policy="anthropic")
    assert edited(view) == (anthropic(view.raw_transcript) if view.receipt.tokens_raw > 100_000 else set())


def results(read: Transcript) -> list[tuple[int, Part]]:
    """All results that are the host's to change, oldest first."""
    numbered = enumerate(read.messages)
    return [(n, part) for n, m in numbered for part in m.parts if part.kind == "tool_result" and not part.pinned]


def newest_first(read: Transcript, stop: int) -> list[Part]:
    """Results before message `stop` and behind the newest summary before it."""
    start = max([n for n, message in enumerate(read.messages[:stop]) if message.origin == "summary"], default=0)
    return [part for number, part in reversed(results(read)) if start <= number < stop]


def speaks(message: Message) -> bool:
    held = any(part.kind == "tool_result" for part in message.parts)
    return message.role == "user" and (message.origin == "user" or not held)


def last_two_turns(read: Transcript, every: bool) -> int:
    """Where the last two turns begin; 0 if there are fewer."""
    places = [n for n, m in enumerate(read.messages) if speaks(m) and (every or m.origin == "user")]
    return places[-2] if len(places) > 1 else 0


def beyond(parts: list[Part], count: Callable[[Part], int], keep: int) -> list[Part]:
    """Those that lie behind the newest `keep` tokens, the one that crosses the line included."""
    total, marked = 0, []
    for part in parts:
        total += count(part)
        marked += [part] if total > keep else []
    return marked


def code_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def rounded(part: Part) -> int:
    return (code_units(part.text) + 2) // 4


def ceiling(part: Part) -> int:
    return (len(part.text) + 3) // 4


def trimmed(chars: int) -> int:
    note = f"\n\n[Tool result trimmed: kept first 1500 chars and last 1500 chars of {chars} chars.]"
    return 3_000 + len("\n...\n") + len(note) if chars > 4_000 else chars


def holds_media(message: Message, result: Part) -> bool:
    return any(part.container_key == result.key for part in message.parts)


def weight(message: Message) -> int:
    if message.role == "system" or message.origin == "summary":
        return 256
    return sum(8_000 if part.kind == "media" else len(part.text) for part in message.parts)


def edited(view: secateur.View) -> set[str]:
    """Keys of the results that read otherwise than they came; bound reasoning that goes with them aside (SEEDS S.2)."""
    pairs = zip(view.raw_transcript.messages, view.transcript.messages, strict=True)
    shown = [(before, {part.key: part.text for part in after.parts}) for before, after in pairs]
    changed = [part for before, texts in shown for part in before.parts if texts.get(part.key) != part.text]
    assert all(part.kind == "tool_result" or part.prefix_bound or part.container_key for part in changed)
    return {part.key for part in changed if part.kind == "tool_result"}
