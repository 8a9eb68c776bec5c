"""What the preset systems must do when they compact and continue, item by item: SV-S, SV-1, SV-2 and SV-4."""

import json
from pathlib import Path

import pytest

import secateur
from compactions import done, opened, refused, run, said, scene, texts, view
from conversation import assistant, result, talk, user
from native import Native
from native import assistant as native_assistant
from native import user as native_user
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.continuation import filter_visible, plan_continuation
from secateur.compaction.outcome import Layout, apply_layout, build_host_answer, get_status, parse_layout
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.template import get_template
from secateur.compaction.trigger import Load
from secateur.model import Epoch, Message, Part, Replace, Transcript
from secateur.plan import Plan
from secateur.policy import Policy, load
from secateur.tokens import get_counter

OPENCODE, KILOCODE, HERMES, PI = (load(name) for name in ("opencode", "kilocode", "hermes", "pi-auto-compressor"))
COMPACTION = {"compaction_continue": True}


def settings(policy: Policy) -> Compaction:
    assert policy.compaction
    return policy.compaction


def round_(id: str, text: str = "x" * 4_000) -> list[Message]:
    return [assistant((id, "bash", '{"command": "make"}')), result(text, call=id)]


def shown(*texts: str) -> Message:
    """A user message that ends in an image."""
    parts = [Part("text", (), text) for text in texts]
    return Message("user", (), (*parts, Part("media", (), "image/png cat.png", fingerprint="d")))


LONG = [m for n in range(40) for m in (user(f"request {n}"), *round_(f"c{n}"), assistant(text=f"answer {n}"))]


def after(talked: Transcript, policy: Policy, answer: SummaryAnswer | None = None) -> tuple[Message, ...]:
    """The view after a compaction that someone asks for."""
    given = scene(
        talked, window=200_000, protect=policy.protect, count=get_counter(policy.counter), asks=answer is not None
    )
    outcome, _ = run(given, settings(policy), policy.continuation, [answer] if answer else [])
    return view(talked, opened(talked, outcome))


# S: all of them


def test_SV_S_1_the_summarizer_reads_the_pruned_head_and_the_summary_is_a_system_message_before_the_tail() -> None:
    messages: list[Native] = []
    for n in range(6):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        asks = {"role": "assistant", "content": None, "tool_calls": [call]}
        messages += [native_user(f"request {n} " + "please " * 300), asks]
        messages += [{"role": "tool", "tool_call_id": f"c{n}", "content": f"output {n} " * 500}, native_assistant()]
    pruned = secateur.fit(messages, policy="opencode", now_ms=1)
    outcome, asked = run(
        scene(pruned.raw_transcript, pruned.plan, asks=True, window=200_000, protect=OPENCODE.protect),
        settings(OPENCODE),
        OPENCODE.continuation,
        [SummaryAnswer(said("opencode", discoveries="- There was some output"))],
    )
    assert "<tool-output-compacted />" in asked[0].text
    assert "output 1 output 1" not in asked[0].text
    plan = pruned.plan.with_epoch(Epoch(2, pruned.raw_transcript.messages[-1].key, "compaction", done(outcome).edits))
    native = secateur.fit(messages, policy="observe", plan=plan, now_ms=3).request
    assert native[0]["role"] == "system"
    assert native[1:-1] == messages[-8:]  # the last two turns
    assert native[-1] == {"role": "user", "content": "continue"}


def test_SV_S_1_the_continuation_is_decided_before_and_comes_last() -> None:
    talked = talk(*LONG, shown("what is this?"))
    outcome, _ = run(scene(talked, window=200_000), settings(OPENCODE), OPENCODE.continuation)
    assert done(outcome).continuation == plan_continuation(talked.messages, OPENCODE.continuation)
    last = done(outcome).edits[-1]
    assert isinstance(last, Replace)
    assert (last.strategy, last.after) == ("continue", talked.messages[-1].key)


def test_SV_S_4_pis_tail_is_counted_as_pi_counts() -> None:
    assert settings(PI).counter == "chars/4-ceil"
    assert PI.counter == "chars/4-round+10"
    tail = [m for _ in range(3) for m in (user("x" * 40_000), assistant(text="y" * 40_000))]
    good = SummaryAnswer(said("pi-auto-compressor", discoveries="- Every make gave the same output"))
    made = after(talk(*LONG, *tail), PI, good)
    assert [one.origin for one in made[:4]] == ["user", "user", "harness", "summary"]
    assert texts(made)[4:] == texts(tail)[-2:]  # 20,000 are just enough


def test_SV_S_3_the_docs_say_what_pruning_costs() -> None:
    pages = (Path(__file__).parents[2] / "docs").rglob("*.md")
    assert any("cache" in text and "no model call" in text for text in (page.read_text() for page in pages))


# 001: kilocode, hermes


def test_SV_1_2_headings_and_closing_sentence() -> None:
    headings = ["## Goal", "## Instructions", "## Discoveries", "## Accomplished", "## Relevant files/directories"]
    made = after(talk(*LONG), KILOCODE)
    assert [line for line in texts(made)[0].split("\n") if line.startswith("## ")] == headings
    assert texts(made)[-1] == "Continue if you have next steps, or stop and ask for clarification."


def test_SV_1_2_a_model_is_told_the_bracket_hints() -> None:
    talked = talk(*LONG)
    given = scene(talked, window=200_000, asks=True, protect=KILOCODE.protect)
    _, asked = run(given, settings(KILOCODE), KILOCODE.continuation, [SummaryAnswer(error="down")])
    for hint in ("what the user is trying to accomplish", "standing instructions from the user"):
        assert hint in asked[0].text


@pytest.mark.parametrize(("tokens", "compacts"), [(85_000, False), (85_001, True)])
def test_SV_1_3_over_85_percent_of_the_window(tokens: int, compacts: bool) -> None:
    given = scene(talk(*LONG), window=100_000, load=Load(tokens), forced=False)
    outcome, _ = run(given, settings(HERMES), HERMES.continuation)
    assert (outcome.__class__.__name__ == "Compacted") is compacts


def test_SV_1_3_under_the_threshold_no_summary_is_asked_for() -> None:
    given = scene(talk(*LONG), window=100_000, load=Load(60_000), forced=False, asks=True)
    outcome, asked = run(given, settings(HERMES), HERMES.continuation, [SummaryAnswer("")])
    assert (refused(outcome).reason, asked) == ("under", [])


def test_SV_1_5_headings_first_three_and_last_four() -> None:
    wanted = ["Goal", "Standing Instructions", "Key Discoveries", "Accomplished So Far", "Relevant Files & Paths"]
    assert [one.heading for one in get_template("hermes").sections] == [*wanted, "Next Steps"]
    talked = talk(*[m for n in range(30) for m in (user(f"u{n} " + "x" * 400), assistant(text=f"a{n}"))])
    made = after(talked, HERMES)
    assert made[:3] == talked.messages[:3]
    assert made[3].origin == "summary"
    assert made[4:] == talked.messages[-4:]


def test_SV_1_5_head_and_tail_are_aligned_to_rounds() -> None:
    talked = talk(user("do it"), assistant(text="yes"), *round_("a"), *LONG, user("more"), *round_("b"), *round_("c"))
    made = after(talked, HERMES)
    assert made[:4] == talked.messages[:4]  # the third message's result goes with it
    assert made[-5:] == talked.messages[-5:]  # and so does the request of the last two rounds


# 002: pi-auto-compressor

NOT_COMPLETE = [
    SummaryAnswer(error="401 invalid x-api-key"),
    SummaryAnswer(error="the model raised an error"),
    SummaryAnswer(""),
    SummaryAnswer(said("pi-auto-compressor", goal="- request the"), "length"),
    SummaryAnswer(said("pi-auto-compressor", goal="- request the"), "toolUse"),
]


@pytest.mark.parametrize("answer", NOT_COMPLETE)
def test_SV_2_4_a_bad_answer_cancels_at_once(answer: SummaryAnswer) -> None:
    outcome, asked = run(scene(talk(*LONG), window=200_000, asks=True), settings(PI), PI.continuation, [answer])
    assert refused(outcome).reason == "cancelled"
    assert len(asked) == 1
    assert build_host_answer(outcome, "e1", 90_000) == {"cancel": True}
    assert get_status(outcome).startswith("cancelled: ")


def test_SV_2_4_no_model_or_too_short_a_history_cancels() -> None:
    for talked, asks in ((talk(*LONG), False), (talk(user("hi"), assistant(text="hello")), True)):
        outcome, asked = run(
            scene(talked, window=200_000, asks=asks), settings(PI), PI.continuation, [SummaryAnswer("")]
        )
        assert build_host_answer(outcome, "e1", 9) == {"cancel": True}
        assert asked == []


def test_SV_2_4_a_full_result_keeps_everything_with_the_host() -> None:
    tail = [m for n in range(25) for m in (user(f"later {n}"), *round_(f"d{n}"))]
    good = SummaryAnswer(said("pi-auto-compressor", discoveries="- Every make gave the same output"))
    talked = talk(*LONG, *tail)
    outcome, _ = run(scene(talked, window=200_000, asks=True), settings(PI), PI.continuation, [good])
    made = build_host_answer(outcome, "e1", 90_000)["compaction"]
    assert made["firstKeptEntryId"] == "e1"
    assert set(made) == {"summary", "firstKeptEntryId", "tokensBefore", "details"}
    layout = parse_layout(json.loads(json.dumps(made["details"])))
    assert layout
    assert (layout.head, layout.compacted) == (3, len(talked.messages))
    after_it = view(talked, opened(talked, outcome))
    assert len(after_it) == layout.head + 1 + layout.tail
    assert apply_layout([*talked.messages], after_it[layout.head], layout) == list(after_it)
    assert get_status(outcome) == "override"


def test_SV_2_6_head_summary_tail() -> None:
    layout = Layout(head=2, tail=2, compacted=6)
    prefix = ["head-1", "head-2", "m1", "m2", "tail-1", "tail-2"]
    assert apply_layout(prefix, "summary", layout) == ["head-1", "head-2", "summary", "tail-1", "tail-2"]
    wanted = ["head-1", "head-2", "summary", "tail-1", "tail-2", "after-new"]
    assert apply_layout([*prefix, "after-new"], "summary", layout) == wanted


def test_SV_2_6_the_same_from_a_conversation() -> None:
    users = [user(f"{n} " + "x" * 4_000) for n in range(6)]
    outcome, _ = run(
        scene(talk(*users), window=200_000),
        Compaction(layout="middle", head_messages=2, keep_messages=2, keep_tokens=0),
    )
    made = view(talk(*users), opened(talk(*users), outcome))
    assert [one.origin for one in made] == ["user", "user", "summary", "user", "user"]
    assert done(outcome).layout == Layout(2, 2, 6)
    longer = talk(*users, user("after-new"))
    made = view(longer, opened(talk(*users), outcome))
    assert texts(made)[-1] == "after-new"
    assert len(made) == 6


# 004: continuation


def test_SV_4_1_media_before_unanswered_before_mid_task() -> None:
    opencode = OPENCODE.continuation
    assert plan_continuation(talk(shown("look")).messages, opencode).branch == "media"
    assert plan_continuation(talk(shown("look"), assistant(text="ok")).messages, opencode).branch == "media"
    assert plan_continuation(talk(user("q")).messages, opencode).branch == "unanswered"
    assert plan_continuation(talk(user("q"), *round_("c")).messages, opencode).branch == "mid_task"
    assert plan_continuation(talk(*round_("c")).messages, opencode).branch == "mid_task"
    assert plan_continuation((), opencode).branch == "mid_task"


def test_SV_4_2_a_request_that_held_media() -> None:
    step = plan_continuation(talk(shown(" what is", "this? ")).messages, OPENCODE.continuation)
    assert step.text == "[Resuming] what is this?"
    assert step.meta == COMPACTION | {"had_media": True}
    alone = plan_continuation(talk(shown()).messages, OPENCODE.continuation)
    assert alone.text == "[Resuming — previous message had media attachments]"


def test_SV_4_2_the_other_wording() -> None:
    anatomy = Continuation(mode="branches", wording="anatomy")
    assert plan_continuation(talk(shown("what?")).messages, anatomy).text == "[Continuing from compaction] what?"
    alone = "[Continuing task — previous message contained media attachments]"
    assert plan_continuation(talk(shown()).messages, anatomy).text == alone


def test_SV_4_3_an_unanswered_request_is_replayed_verbatim() -> None:
    step = plan_continuation(talk(*LONG, user("  and now\nthis ")).messages, OPENCODE.continuation)
    assert (step.text, step.meta) == ("  and now\nthis ", COMPACTION)


def test_SV_4_4_mid_task() -> None:
    step = plan_continuation(talk(*LONG, user("q"), *round_("z")).messages, OPENCODE.continuation)
    assert (step.text, step.meta, step.put_in) == ("continue", COMPACTION, True)


def test_SV_4_5_what_the_tail_ends_with_is_marked_and_not_repeated() -> None:
    talked = talk(*LONG, user("and now this"))
    outcome, _ = run(scene(talked, window=200_000), settings(OPENCODE), OPENCODE.continuation)
    made = view(talked, opened(talked, outcome))
    assert texts(made).count("and now this") == 1
    assert made[-1] is talked.messages[-1]
    marks = [
        new.meta["continuation"] for edit in done(outcome).edits if isinstance(edit, Replace) for new in edit.messages
    ]
    assert marks == [{"branch": "unanswered", "of": talked.messages[-1].key}]


def test_SV_4_5_media_are_not_in_the_tails_copy_either() -> None:
    made = after(talk(*LONG, shown("what is this?")), OPENCODE)
    assert texts(made)[-2:] == ["what is this?[Attached image/png: cat.png]", "[Resuming] what is this?"]


def test_SV_4_6_metadata_stays_in_the_plan() -> None:
    messages = [m for n in range(9) for m in (native_user(f"u{n} " + "x" * 900), native_assistant("a" * 900))]
    messages.append({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.org/cat.png"}}]})
    read = secateur.fit(messages, policy="observe", now_ms=1).raw_transcript
    outcome, _ = run(scene(read, window=200_000), settings(OPENCODE), OPENCODE.continuation)
    plan = Plan((Epoch(1, read.messages[-1].key, "compaction", done(outcome).edits),))
    native = secateur.fit(messages, policy="observe", plan=plan, now_ms=2).request
    assert native[-1] == {"role": "user", "content": "[Resuming — previous message had media attachments]"}
    assert '"type": "image_url"' not in json.dumps(native)
    assert "compaction_continue" not in json.dumps(native)
    last = plan.epochs[0].edits[-1]
    assert isinstance(last, Replace)
    assert last.messages[0].meta == COMPACTION | {"had_media": True}


def test_SV_4_6_a_person_does_not_see_what_was_put_in() -> None:
    talked = talk(*LONG, user("q"), *round_("z"))
    made = after(talked, OPENCODE)
    assert made[-1].origin == "synthetic"
    assert texts(filter_visible(made)) == texts(made)[:-1]
    asked = talk(*LONG, shown("what is this?"))
    assert not any(text.startswith("[Resuming]") for text in texts(filter_visible(after(asked, OPENCODE))))
    replay = after(asked, OPENCODE)[-1:]
    assert texts(filter_visible(replay)) == ["[Resuming] what is this?"]  # where nothing else shows the request


def test_SV_4_7_who_is_told_to_go_on() -> None:
    finished = talk(*LONG)
    assert plan_continuation(finished.messages, OPENCODE.continuation).text == "continue"
    assert plan_continuation(finished.messages, KILOCODE.continuation).branch == "sentence"
    for policy in (HERMES, PI, load("openclaw")):
        assert plan_continuation(finished.messages, policy.continuation).branch == "none"
    ours = plan_continuation(finished.messages, load("balance").continuation)
    assert (ours.branch, ours.put_in) == ("idle", False)
    asked = talk(*LONG, user("clean up"), assistant(text="Shall I drop the old database?"))
    assert not plan_continuation(asked.messages, load("balance").continuation).put_in


def test_SV_4_7_text_is_configurable_and_the_branch_is_told() -> None:
    policy = load({"extends": "opencode", "continuation": {"text": "tiếp tục"}})
    outcome, _ = run(scene(talk(*LONG), window=200_000), settings(policy), policy.continuation)
    assert (done(outcome).continuation.branch, done(outcome).continuation.text) == ("mid_task", "tiếp tục")
