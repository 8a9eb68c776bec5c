"""Laws of compaction: rounds stay whole, the newest request as received, what was kept is not lost, nothing grows."""

import json
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import secateur
from compactions import done, opened, run, said, scene, view
from conversation import assistant, result, talk, user
from laws.histories import anthropic, openai
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.ledger.turns.last_words import condense_words
from secateur.compaction.outcome import Compacted
from secateur.compaction.settings import Compaction, Continuation
from secateur.model import Epoch, Message
from secateur.plan import REFUSED, Plan, decode, encode
from secateur.tokens import estimate

FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

LAYOUTS = st.builds(
    Compaction,
    layout=st.sampled_from(["tail", "middle"]),
    head_messages=st.integers(0, 3),
    keep_turns=st.integers(0, 3),
    keep_tokens=st.integers(0, 200),
    keep_messages=st.integers(0, 4),
    cut_at=st.sampled_from(["turns", "rounds"]),
    summary_role=st.sampled_from(["user", "system"]),
)
AFTER = st.builds(
    Continuation, mode=st.sampled_from(["branches", "sentence", "none"]), when_idle=st.sampled_from(["always", "never"])
)
ANSWERS = st.builds(
    SummaryAnswer, st.sampled_from(["", "no", said(), said(discoveries="- hm"), "{}", "<html>"]) | st.text()
)


def pairs(messages: tuple[Message, ...]) -> list[tuple[list[str], list[str]]]:
    """Of each assistant message the ids it calls, and those that are answered before the next one."""
    made: list[tuple[list[str], list[str]]] = []
    for message in messages:
        if message.role == "assistant":
            made.append(([part.call_id for part in message.parts if part.kind == "tool_call"], []))
        elif made:
            made[-1][1].extend(part.call_id for part in message.parts if part.kind == "tool_result")
    return made


@FEW
@given(st.one_of(anthropic(), openai()), st.tuples(LAYOUTS, AFTER), ANSWERS, st.booleans(), st.data())
def test_rounds_stay_whole_and_the_newest_request_as_it_came(
    messages: list[dict[str, Any]],
    policy: tuple[Compaction, Continuation],
    answer: SummaryAnswer,
    asks: bool,
    data: Any,
) -> None:
    before = json.dumps(messages)
    plan = Plan()
    read = secateur.fit(messages, policy="observe", now_ms=1).raw_transcript
    for size in sorted(data.draw(st.sets(st.integers(1, len(messages)), max_size=2)) | {len(messages)}):
        read = secateur.fit(messages[:size], policy="observe", now_ms=1).raw_transcript
        outcome, _ = run(scene(read, plan, asks=asks), *policy, [answer])
        if not isinstance(outcome, Compacted):
            continue
        assert outcome.tokens_after < outcome.tokens_before
        plan = opened(read, outcome, plan)
        shown = view(read, plan)
        assert all(one in pairs(read.messages) for one in pairs(shown))
        newest = [one for one in read.messages if one.role == "user" and one.origin == "user" and _says(one)][-1:]
        assert [one for one in newest if one in shown] == newest
    sent = secateur.fit(messages, policy="observe", plan=plan, now_ms=2)
    assert REFUSED not in sent.receipt.skipped_reason
    assert json.dumps(messages) == before
    assert view(read, decode(encode(plan))) == view(read, plan)


@FEW
@given(ANSWERS)
def test_history_is_as_it_was_after_a_rejection(answer: SummaryAnswer) -> None:
    talked = talk(user("do it"), *_rounds(6, "a"), user("next"))
    cancels = Compaction(keep_turns=1, keep_tokens=0, on_bad_summary="cancel")
    outcome, asked = run(scene(talked, asks=True), cancels, answers=[answer])
    assert len(asked) == 1
    if not isinstance(outcome, Compacted):
        assert outcome.reason == "cancelled"
    assert talked == talk(user("do it"), *_rounds(6, "a"), user("next"))


@FEW
@given(st.lists(st.sampled_from(["", "one lock is held for each table", "nothing was done"]), min_size=2, max_size=5))
def test_what_an_earlier_compaction_kept_is_kept(proses: list[str]) -> None:
    wishes = [f"Never use library{chr(97 + n)} here." for n in range(len(proses))]
    messages: list[Message] = []
    plan, told = Plan(), []
    for n, prose in enumerate(proses):
        messages += [user(wishes[n]), *_rounds(4, f"r{n}"), assistant(text=f"Step {n} is done, all tests pass.")]
        talked = talk(*messages, user(f"go on with {n}"))
        answer = SummaryAnswer(said(discoveries=f"- In step {n}: {prose}") if prose else "")
        outcome, _ = run(scene(talked, plan, asks=True), Compaction(keep_turns=1, keep_tokens=0), answers=[answer])
        plan = opened(talked, outcome, plan)
        told += [prose] if done(outcome).rung == "model" else []
        text = done(outcome).summary
        assert all(wish in text for wish in wishes[: n + 1])
        assert all(prose in text for prose in told)
        assert all(re.search(rf"(?<=src/)(?:: [^·\n]*)?\br{m}_3\.py", text) for m in range(n + 1))


@FEW
@given(st.sampled_from([8_000, 32_000, 200_000]), st.booleans())
def test_a_summary_is_bounded_over_ten_rounds(window: int, asks: bool) -> None:
    messages: list[Message] = []
    plan, sizes = Plan(), []
    for n in range(10):
        messages += [user(f"request {n}: " + "please mind every word of it " * 20), *_rounds(12, f"r{n}")]
        talked = talk(*messages, assistant(text="done"), user("go on"))
        lines = "\n".join(f"- Finding {m} of round {n} was {'much ' * 30}" for m in range(8))
        given_ = scene(talked, plan, asks=asks, window=window, count=estimate)
        outcome, _ = run(
            given_, Compaction(keep_turns=1, keep_tokens=0), answers=[SummaryAnswer(said(discoveries=lines))]
        )
        if isinstance(outcome, Compacted):
            plan = plan.with_epoch(Epoch(n, talked.messages[-1].key, "compaction", outcome.edits))
            sizes.append(estimate(outcome.summary))
    assert len(sizes) >= 5
    assert max(sizes) <= max(900, min(13_000, int(0.055 * window)))


def _rounds(count: int, tag: str) -> list[Message]:
    made = []
    for n in range(count):
        args = json.dumps({"path": f"src/{tag}_{n}.py", "old_string": "a", "new_string": "b"})
        made += [assistant((f"c{tag}{n}", "edit", args)), result("The file was edited.\n" * 20, "edit", f"c{tag}{n}")]
    return made


def _says(message: Message) -> bool:
    return any(part.text and part.kind == "text" for part in message.parts)


HEADS = ["Before:", "After:", "## What it does", "**Results**", "Still open:"]
SENTENCES = [
    "was built",
    "was not tested",
    "passed 12 tests",
    "is blocked",
    "can be read. It has a table. It is long enough",
]


def find_heads(text: str) -> dict[str, str]:
    """For each numbered line of a text the heading above it, if there is one; a short list may stand in its line."""
    head, found = "", {}
    for line in text.split("\n"):
        own = next((one for one in HEADS if line.startswith(one)), head)
        found |= dict.fromkeys(re.findall(r"part \d+", line), own)
        head = "" if own != head and line != own else own
    return found


@FEW
@given(
    st.lists(
        st.tuples(st.sampled_from(HEADS), st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6)),
        min_size=2,
        max_size=8,
    ),
    st.integers(80, 900),
    st.booleans(),
)
def test_no_quoted_line_stands_below_the_heading_of_another(
    parts: list[tuple[str, list[str]]], room: int, are_items: bool
) -> None:
    number = 0
    lines = ["This is what came of it."]
    for head, sentences in parts:
        lines += ["", head]
        for sentence in sentences:
            number += 1
            lines.append(f"{'- ' * are_items}The part {number} of the ship {sentence}.")
    before = find_heads("\n".join(lines))
    text = condense_words("\n".join(lines), room)
    assert len(text) <= room or text == "\n".join(lines)
    assert all(head in ("", before[name]) for name, head in find_heads(text).items())
