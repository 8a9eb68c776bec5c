"""What the agent is told after a compaction."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.continuation import (
    CLOSING,
    Branch,
    Next,
    build_continuation_edits,
    filter_visible,
    is_idle,
    plan_continuation,
)
from secateur.compaction.settings import Continuation
from secateur.model import Message, NewMessage, Part, Replace, Rewrite
from secateur.policy import load

OPENCODE = load("opencode").continuation
OURS = Continuation(mode="branches", describe_media=True, when_idle="never")


def shown(*texts: str, media: str = "image/png cat.png", digest: str = "d") -> Message:
    """A user message with a medium between its texts."""
    parts = [Part("text", (), text) for text in texts]
    return Message("user", (), (*parts[:1], Part("media", (), media, fingerprint=digest), *parts[1:]))


def branch(settings: Continuation, *messages: Message) -> Branch:
    return plan_continuation(talk(*messages).messages, settings).branch


CALL = assistant(("c", "bash", "{}"))
DONE = result("ok", call="c")


@pytest.mark.parametrize(
    ("messages", "seed", "ours"),
    [
        ([shown("look")], "media", "media"),
        ([shown("look"), assistant(text="a cat")], "media", "idle"),
        ([user("q")], "unanswered", "unanswered"),
        ([user("q"), CALL, DONE], "mid_task", "mid_task"),
        ([CALL, DONE], "mid_task", "mid_task"),
        ([user("q"), CALL, DONE, assistant(text="Shall I drop the old database?")], "mid_task", "idle"),
        ([user("q"), assistant(text="done"), user("reminder", "harness")], "mid_task", "idle"),
        ([user("q"), CALL], "waiting", "waiting"),
    ],
)
def test_the_branch(messages: list[Message], seed: Branch, ours: Branch) -> None:
    assert branch(OPENCODE, *messages) == seed
    assert branch(OURS, *messages) == ours


def test_each_medium_is_named_where_a_policy_says_so() -> None:
    talked = talk(shown("what", "is this?"))
    assert plan_continuation(talked.messages, OURS).text == "[Resuming] what is this?\n[Attached image/png: cat.png]"
    assert plan_continuation(talked.messages, OPENCODE).text == "[Resuming] what is this?"


def test_half_a_surrogate_pair_is_not_said_again() -> None:
    """What came so may stay, but a message of our own that repeats it would be refused for it."""
    talked = talk(shown("what\ud800", "is this?", media="image/png c\udc00at.png"))
    text = plan_continuation(talked.messages, OURS).text
    assert text == "[Resuming] what\ufffd is this?\n[Attached image/png: c\ufffdat.png]"
    repeat = user(text, "synthetic")
    assert repeat not in filter_visible([*talked.messages, repeat])


def test_media_are_in_no_view_after_it() -> None:
    talked = talk(shown("what is this?"))
    step = plan_continuation(talked.messages, OPENCODE)
    rewrite, insertion = build_continuation_edits(talked.messages, step)
    assert rewrite == Rewrite(talked.messages[0].parts[1].key, "[Attached image/png: cat.png]", strategy="continue")
    assert isinstance(insertion, Replace)
    assert (insertion.after, insertion.through) == (talked.messages[-1].key, talked.messages[-1].key)
    assert insertion.messages == (NewMessage("user", "[Resuming] what is this?", "synthetic", step.meta),)


def test_nothing_comes_between_a_call_and_its_result() -> None:
    two = assistant(("a", "bash", "{}"), ("b", "bash", "{}"))
    for settings in (OPENCODE, OURS, load("kilocode").continuation):
        step = plan_continuation(talk(user("q"), two, result("one", call="a")).messages, settings)
        assert step == Next("waiting", put_in=False)


def test_the_closing_sentence() -> None:
    step = plan_continuation(talk(user("q"), assistant(text="done")).messages, load("kilocode").continuation)
    assert (step.branch, step.text, step.meta) == ("sentence", CLOSING, {"compaction_continue": True})


@pytest.mark.parametrize("messages", [[CALL, DONE], [user("q"), CALL, DONE]])
def test_the_message_that_goes_on_is_marked_whoever_spoke_first(messages: list[Message]) -> None:
    step = plan_continuation(talk(*messages).messages, OPENCODE)
    assert (step.branch, step.meta) == ("mid_task", {"compaction_continue": True})


def test_text_is_a_setting() -> None:
    step = plan_continuation(talk(user("q"), CALL, DONE).messages, Continuation(mode="branches", text="weiter"))
    assert step.text == "weiter"


def test_who_awaits_the_user() -> None:
    assert is_idle(talk(user("q"), assistant(text="done")).messages)
    assert not is_idle(talk(user("q"), CALL, DONE).messages)
    assert not is_idle(())


def test_a_person_sees_no_synthetic_message_but_a_request_shown_nowhere_else() -> None:
    asked, told = user("draw a cat"), user("[Resuming] draw a cat", "synthetic")
    go_on = user("continue", "synthetic")
    assert filter_visible((asked, told, go_on)) == (asked,)
    assert filter_visible((told, go_on)) == (told,)
