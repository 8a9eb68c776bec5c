"""Law of twice is once: pruning or compacting its own output changes no byte, under every preset and in every format.

The output is read back like any other document: no plan is passed in, and no session is named.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import recorded
from cli_runs import secateur
from every_format import FORMATS_OF_ALL, Step, Turn, document
from every_format.drawn import FAILED, FOUND, LOG, PASSED, QUOTING, SOURCE, TABLE, TURNS
from law_examples import examples
from laws.trials import BIRTH, CLEAR, CONDENSE, INPUTS, SAME, STALE, TRIM, own, preset
from secateur import Engine, StillTooLong, fit
from secateur import documents as documents
from secateur.api import check, get_family
from secateur.compaction.outcome import Compacted
from secateur.errors import FormatError
from secateur.model import Part
from secateur.policy import PRESETS, Policy, load
from secateur.text.dedupe_lines import fold
from secateur.text.excerpt import excerpt, trim_text
from secateur.text.outline import outline
from secateur.text.own_text import is_own, is_summary
from secateur.text.placeholder import describe_removed

OWN = own("everything", SAME, STALE, TRIM, CLEAR, INPUTS, on_arrival=BIRTH, protect={"last_messages": 2})
OUTLINES = own("outlines", CONDENSE, INPUTS, on_arrival=BIRTH | {"dedupe_lines": True}, protect={"last_results": 1})
POLICIES = (*(preset(name) for name in PRESETS), OWN, OUTLINES)
IDLE = st.sampled_from([None, 5.0, 400.0, 90_000.0])


# Shortened on arrival, and stale at once: all that is stale together would leave too little to be cached.
TOO_LITTLE_LEFT = [
    Turn("please go on", (Step("read", '{"file_path": "src/a.py"}', output, output == FAILED),))
    for output in (FAILED, LOG, FAILED, FAILED)
]


def pruned(raw: Any, policy: str | Policy, idle_s: float | None, window: int | None = None) -> tuple[bytes, int]:
    """The document as it is pruned, and how many edits that took."""
    try:
        view = fit(raw, policy=policy, idle_s=idle_s, window=window, compact=False)
    except StillTooLong as error:
        view = error.view
    return view.request, len(view.receipt.edits)


@pytest.mark.parametrize("trial", POLICIES, ids=lambda trial: trial.name)
@examples(16)
@given(st.sampled_from(FORMATS_OF_ALL), TURNS, IDLE)
@example("codex", TOO_LITTLE_LEFT, None)
def test_pruning_what_was_pruned_changes_no_byte(trial: Any, format: str, turns: Any, idle_s: float | None) -> None:
    once, _ = pruned(document(format, turns), trial.policy, idle_s)
    assert pruned(once, trial.policy, idle_s) == (once, 0)


@pytest.mark.parametrize("format", FORMATS_OF_ALL)
@examples(2)
@given(TURNS)
def test_in_every_format(format: str, turns: Any) -> None:
    for trial in POLICIES:
        once, _ = pruned(document(format, turns), trial.policy, 400.0)
        assert pruned(once, trial.policy, 400.0) == (once, 0), trial.name


def recorded_conversation(path: str) -> bytes:
    """A recorded session; skips the test where the file does not hold exactly one conversation."""
    raw = recorded.data(path)
    try:
        fit(raw, policy="observe")
    except FormatError:
        pytest.skip("several conversations, or none")
    return raw


def list_settings(path: str) -> list[tuple[str, int | None]]:
    """Every preset in one of two windows, by turns, so that over the sessions each is played in both."""
    windows = (None, 30_000)
    turn = len(path) % 2
    return [
        (name, window)
        for number, name in enumerate(PRESETS)
        for window in (windows if recorded.WHOLE else [windows[(number + turn) % 2]])
    ]


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(500_000))
def test_of_recorded_sessions(path: str) -> None:
    raw = recorded_conversation(path)
    for name, window in list_settings(path):
        once, edits = pruned(raw, load(name), 400.0, window)
        assert not edits or pruned(once, load(name), 400.0, window) == (once, 0), (name, window)


COLD_S, NOW = 90_000.0, 1_800_000_000_000
WRITTEN = st.sampled_from(["", "## Goal\n- finish the report\n\n## Next Steps\n- run the tests"])


def compacted(
    raw: Any, policy: Policy, window: int | None, summary: str = "", force: bool = True
) -> tuple[bytes, bool]:
    """The document as it is compacted, and whether a summary was added."""
    try:
        view = Engine(policy, window=window).compact(raw, summary=summary, force=force, idle_s=COLD_S, now_ms=NOW)
    except StillTooLong as error:
        view = error.view
    return view.request, isinstance(view.compaction, Compacted)


def refused(raw: bytes) -> Counter[str]:
    """The rules that a recorded session breaks as its host would send it."""
    read = documents.read(raw)
    if get_family(read.format.name) != "transcript":
        return Counter()
    return Counter(one.rule for one in check("transcript", read.transcript.messages) if one.severity == "error")


def compacted_twice(raw: Any, policy: Policy, window: int | None, summary: str = "", force: bool = True) -> bool:
    """Compact, check that the output is left alone, and say whether there was anything to check."""
    once, done = compacted(raw, policy, window, summary, force)
    if not done:
        return False
    assert not refused(once) - refused(raw)
    # The continuation begins a turn, so arguments and results of the turn before it may be cleared once.
    once, _ = pruned(once, policy, COLD_S, window)
    if policy.protect.count_all_user_messages:  # SEEDS S.5: it counts among the turns that stay, too
        once, _ = compacted(once, policy, window, summary, force)
    assert compacted(once, policy, window, summary, force) == (once, False), (policy.name, window)
    messages = documents.read(once).transcript.messages
    own = [one for one in messages if any(is_summary(part.text) for part in one.parts)]
    assert own
    assert all(one.origin == "summary" for one in own)
    return True


@pytest.mark.parametrize("format", FORMATS_OF_ALL)
@examples(2)
@given(TURNS, st.sampled_from([None, 20_000, 100_000]), WRITTEN, st.booleans())
def test_compacting_what_was_compacted_changes_no_byte(
    format: str, turns: Any, window: int | None, summary: str, force: bool
) -> None:
    for name in PRESETS:
        compacted_twice(document(format, [*turns, *turns]), load(name), window, summary, force)


@pytest.mark.parametrize("name", PRESETS)
@examples(6)
@given(st.sampled_from(FORMATS_OF_ALL), TURNS, st.sampled_from([3_000, 6_000, 12_000]), st.booleans())
def test_compacting_twice_in_small_windows(name: str, format: str, turns: Any, window: int, running: bool) -> None:
    turns = [*turns, Turn("and then", turns[0].steps, "")] if running else turns
    compacted_twice(document(format, turns), load(name), window, "## Goal\n- finish the report")


COMPACTED = (
    *("anthropic_messages", "bedrock_converse", "gemini", "openai_chat", "openai_responses", "pi_messages"),
    *("claude_code", "codex", "opencode", "openclaw", "pi"),
)


@pytest.mark.parametrize("format", COMPACTED)
def test_every_format_with_a_place_for_a_summary_is_compacted_once(format: str) -> None:
    steps = [Step(tool, '{"name": "a"}', text) for tool in ("skill", "bash") for text in (LOG, SOURCE, "ok", TABLE)]
    turns = [Turn(f"please do number {n}", tuple(steps), "Done." if n < 3 else "") for n in range(4)]
    for name in ("balance", "kilocode", "hermes", "opencode"):
        assert compacted_twice(document(format, turns), load(name), 20_000), name


LOGS = ("claude_code", "codex", "opencode", "openclaw", "pi")


@pytest.mark.parametrize("format", LOGS)
@examples(4)
@given(st.integers(1, 5), st.sampled_from([LOG, SOURCE, TABLE]), st.sampled_from([None, 20_000]))
def test_a_tail_that_splits_a_turn_begins_with_the_user(format: str, steps: int, output: str, window: Any) -> None:
    long = Turn("do it", tuple(Step("bash", '{"command": "make"}', output * 4) for _ in range(steps)))
    raw = document(format, [long, long, Turn("and then?", ())])
    for name in PRESETS:
        once, _ = compacted(raw, load(name), window, "## Goal\n- finish the report")
        assert not refused(once), name


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(500_000))
def test_compacting_recorded_sessions_twice(path: str) -> None:
    raw = recorded_conversation(path)
    for name, window in list_settings(path):
        compacted_twice(raw, load(name), window)


@pytest.mark.parametrize("name", ["balance", "opencode", "pi-auto-compressor"])
def test_by_the_command(tmp_path: Path, name: str) -> None:
    source = Path(__file__).parents[2] / "sessions" / "claude_code.jsonl"
    once, twice = tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    for before, after in ((source, once), (once, twice)):
        done = secateur("prune", before, "--policy", name, "-o", after)
        assert done.code == 0, done.err
    assert once.read_bytes() != source.read_bytes()
    assert twice.read_bytes() == once.read_bytes()


def result(text: str) -> Part:
    return Part("tool_result", (), text, "bash")


LINES = st.lists(
    st.sampled_from(["a line", "ERROR: it broke", "é" * 40, "", "  x", "INFO 17 done", "\r", "[secateur: "])
)
LONG = st.sampled_from([LOG, SOURCE, FAILED, FOUND, TABLE, PASSED]) | LINES.map(lambda lines: "\n".join(lines * 40))
HANDLE = st.sampled_from(["", "0123456789ab"])


@settings(deadline=None)
@given(LONG, st.integers(400, 4_000), HANDLE, st.lists(st.sampled_from(["request", "line"])))
def test_what_we_write_is_known_for_ours(text: str, room: int, handle: str, about: list[str]) -> None:
    call = Part("tool_call", (), '{"command":"make"}', "bash")
    line = describe_removed(result(text), call, handle)
    numbered = outline(text, room)
    for made in (
        excerpt(text, room, handle, about),
        fold(text, handle, about),
        trim_text(text, room, room),
        line,
        f"{line}\n{numbered}" if numbered else line,
    ):
        outlined = numbered and made == f"{line}\n{numbered}"
        if made != text and (len(made) < len(text) or not outlined):  # no outline stands where it would be longer
            assert is_own(result(made))


@settings(deadline=None)
@given(LONG, st.integers(400, 4_000), st.sampled_from(["$ cat page\n", "\n\n", "1: x\n"]))
def test_what_quotes_our_text_is_an_output_like_any_other(text: str, room: int, before: str) -> None:
    for made in (excerpt(text, room), fold(text), trim_text(text, room, room), describe_removed(result(text))):
        assert not is_own(result(before + made))
    assert not is_own(result(QUOTING))
    assert not is_own(Part("text", (), describe_removed(result(text))))


def test_a_page_that_quotes_a_placeholder_goes_like_any_other() -> None:
    turns = [Turn("go", (Step("bash", "{}", QUOTING),)), Turn("on", (Step("bash", "{}", "ok"),)), Turn("end", ())]
    once, edits = pruned(document("openai_chat", turns), "opencode", None)
    assert edits == 1
    assert b"How a placeholder looks" not in once
