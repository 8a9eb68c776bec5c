"""A view that the provider would refuse is not sent: the newest edits are taken back, then all of them."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.case import ARRAYS, Case, judged
from rules.test_vectors import CASES
from secateur import Engine, fit
from secateur.api import check
from secateur.documents import read
from secateur.errors import FormatError
from secateur.model import Epoch, Remove, Rewrite
from secateur.patch import Op, apply_splices, compile_splices
from secateur.plan import REFUSED, Plan
from secateur.projection import Projection
from secateur.projection.message_index import Counting
from secateur.protect import Protection
from secateur.render.emitter import Emitter
from secateur.validation import can_violate

MODEL = "claude-opus-4-5"
ERROR = {"type": "tool_result", "tool_use_id": "c1", "content": "no such file " * 20, "is_error": True}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {}}]},
    {"role": "user", "content": [ERROR]},
    {"role": "assistant", "content": [{"type": "text", "text": "it is not there"}]},
    {"role": "user", "content": "go on"},
]


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": MODEL, "max_tokens": 9, "messages": messages}).encode()


def emptying(messages: list[dict[str, Any]]) -> Plan:
    """A plan that empties a block of text, which the API refuses (API rule A11)."""
    history = fit(body(messages), policy="observe").raw_transcript
    key = history.messages[3].parts[0].key
    return Plan((Epoch(1, history.messages[-1].key, "by hand", (Rewrite(key, "", strategy="hand"),)),))


def test_edits_that_the_provider_would_refuse_are_taken_back() -> None:
    view = fit(body(MESSAGES), policy="observe", plan=emptying(MESSAGES), now_ms=2)
    assert json.loads(view.request)["messages"] == MESSAGES
    assert REFUSED in view.receipt.skipped_reason
    assert [epoch.reason.startswith(REFUSED) for epoch in view.plan.epochs] == [False, True]


def test_and_stay_back_in_every_later_view() -> None:
    first = fit(body(MESSAGES), policy="observe", plan=emptying(MESSAGES), now_ms=2)
    longer = [*MESSAGES, {"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"}]
    later = fit(body(longer), policy="observe", plan=first.plan, now_ms=3)
    assert json.loads(later.request)["messages"] == longer
    assert later.plan == first.plan


def test_nobody_proposes_them_again() -> None:
    first = fit(body(MESSAGES), policy="observe", plan=emptying(MESSAGES), now_ms=2)
    key = first.raw_transcript.messages[3].parts[0].key
    work = Projection(Protection(), Counting.of(("estimate", "estimate")))
    work.ingest(read(body(MESSAGES)), 0, first.plan)
    assert work.edited[key] == REFUSED


def test_what_was_wrong_already_is_not_ours() -> None:
    """The first result is an orphan, which the API refuses; the second may be cleared all the same."""
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "lost", "content": "x"}]}
    messages = [MESSAGES[0], MESSAGES[3], orphan, *MESSAGES[1:]]
    eager = {"protect": {"last_messages": 2}, "prune": [{"type": "hard_clear"}], "schedule": {"type": "every_request"}}
    view = fit(body(messages), policy=eager, now_ms=2)
    assert view.receipt.opened
    assert view.receipt.skipped_reason == ""


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_session_that_grows_is_validated_as_it_grows(rounds: int) -> None:
    engine = Engine("observe")
    engine.fit(body(MESSAGES), session="s", plan=emptying(MESSAGES), now_ms=2)
    messages = list(MESSAGES)
    for number in range(rounds):
        messages += [{"role": "assistant", "content": f"step {number}"}, {"role": "user", "content": "and now"}]
        view = engine.fit(body(messages), session="s", now_ms=3 + number)
        assert json.loads(view.request)["messages"] == messages


@pytest.mark.parametrize(("text", "kept"), [("it is not here", True), ("it is not here ", False)])
def test_how_a_history_ends_is_looked_at_too(text: str, kept: bool) -> None:
    """API rule A13: a last text of the assistant must not end in white space; one in the middle may."""
    for messages, stays in ((MESSAGES[:4], kept), (MESSAGES, True)):
        key = fit(body(messages), policy="observe").raw_transcript.messages[3].parts[0].key
        plan = Plan((Epoch(1, key, "by hand", (Rewrite(key, text, strategy="hand"),)),))
        view = fit(body(messages), policy="observe", plan=plan, now_ms=2)
        assert (view.request != body(messages)) == stays
        assert (REFUSED in view.receipt.skipped_reason) != stays


def test_a_running_loop_that_would_lose_its_first_reasoning_keeps_it() -> None:
    """API rule A52, whoever proposes it: the rounds in between are in no window that is looked at."""
    messages = [MESSAGES[0]]
    for number in range(3):
        thought = {"type": "thinking", "thinking": "hm", "signature": f"c2ln{number}"}
        call, result = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {}}, dict(ERROR)
        messages.append({"role": "assistant", "content": [thought, call]})
        messages.append({"role": "user", "content": [result | {"tool_use_id": f"c{number}"}]})
    request = {"model": MODEL, "max_tokens": 9, "messages": messages}
    work = Projection(Protection(), Counting.of(("estimate", "estimate")))
    for thinking, rules in ({"type": "enabled", "budget_tokens": 1024}, ["A52"]), ({"type": "adaptive"}, []):
        work.ingest(read(request | {"thinking": thinking}), 0, Plan())
        first = work.document.transcript.messages[1].parts[0].key
        work.apply_epoch(Epoch(1, first, "by hand", (Remove(first, strategy="hand"),)))
        assert [one.rule for one in Emitter().find_new_violations(work)] == rules


@given(
    st.lists(st.tuples(st.integers(2, 20), st.sampled_from(["", " ", "x", "\ud800", 'a "b"\n'])), max_size=6),
    st.sampled_from([None, 1]),
)
def test_a_body_and_its_objects_are_found_to_break_the_same_rules(
    edits: list[tuple[int, str]], indent: int | None
) -> None:
    history = [message for _ in range(4) for message in MESSAGES]
    request = {"model": MODEL, "max_tokens": 9, "messages": history}
    found = []
    for native in (request, json.dumps(request, indent=indent).encode()):
        work = Projection(Protection(), Counting.of(("estimate", "estimate")))
        work.ingest(read(native), 0, Plan())
        parts = [part for message in work.document.transcript.messages for part in message.parts]
        texts = {parts[at % len(parts)].key: text for at, text in edits if parts[at % len(parts)].kind != "tool_call"}
        head = work.document.transcript.messages[-1].key
        work.apply_epoch(Epoch(1, head, "by hand", tuple(Rewrite(key, text, "hand") for key, text in texts.items())))
        found.append([(one.rule, one.path, one.text) for one in Emitter().find_new_violations(work)])
    assert found[0] == found[1]


def test_a_request_that_was_broken_before_us_is_mended_where_that_is_asked_for() -> None:
    broken = MESSAGES[:2] + MESSAGES[3:]
    as_it_came = fit(body(broken), policy="observe", now_ms=2)
    assert json.loads(as_it_came.request)["messages"] == broken
    assert as_it_came.receipt.repairs == ()
    mended = fit(body(broken), policy="observe", now_ms=2, repair=True)
    assert check("anthropic", broken)
    assert check("anthropic", json.loads(mended.request)["messages"]) == []
    assert mended.receipt.repairs


def test_a_sound_request_is_the_very_same_with_repair() -> None:
    data = body(MESSAGES)
    assert fit(data, policy="observe", now_ms=2, repair=True).request is data


@pytest.mark.parametrize(("said", "kept"), [("a table", True), ("reply in JSON", False)])
def test_the_word_json_stays_where_the_response_format_needs_it(said: str, kept: bool) -> None:
    """API rule O9: the result is the last to say it, unless the user does."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "answer as json, please " * 9},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "go on"},
    ]
    eager = {
        "protect": {"last_messages": 2},
        "prune": [{"type": "hard_clear", "placeholder": "[gone]"}],
        "schedule": {"type": "every_request"},
    }
    request = {"model": "gpt-5", "messages": messages, "response_format": {"type": "json_object"}}
    view = fit(request, policy=eager, now_ms=2)
    assert (view.request["messages"] == messages) == kept
    assert REFUSED not in view.receipt.skipped_reason
    assert fit(request | {"response_format": None}, policy=eager, now_ms=2).receipt.opened


FORMATS = {  # in which a result can be a string; Gemini has objects
    "anthropic": "anthropic_messages",
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
    "bedrock": "bedrock_converse",
}


def shortened(family: str, case: Case, request: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """The violations of a request before and after a shorter string took the place of a result, unvalidated."""
    whole = request if isinstance(request, dict) else {ARRAYS.get(family, "messages"): request}
    try:
        document = read(json.dumps(whole, default=str), FORMATS[family])
    except FormatError:  # so broken that it looks like another format's
        return
    parts = [part for message in document.transcript.messages for part in message.parts]
    for part in [part for part in parts if part.kind == "tool_result"]:
        for text in ("[", "[gone]", "."):
            cuts = compile_splices(document.native, [Op(part.path, document.format.replacement_body(part, text))])
            if not can_violate(document.native, [part], cuts):
                after = json.loads(apply_splices(document.native.data, cuts))
                bodies = (json.loads(document.native.data), after)
                before, now = (judged(family, body, case.profile, case.headers) for body in bodies)
                yield [(one.rule, one.path) for one in before], [(one.rule, one.path) for one in now]


@pytest.mark.parametrize("family", FORMATS)
def test_no_rule_is_broken_by_a_shorter_string_in_place_of_a_result(family: str) -> None:
    """In whatever history, valid or not: so edits like this one need no validation."""
    found = [
        pair for case in CASES[family] for one in (case.breaks, case.passes) for pair in shortened(family, case, one)
    ]
    assert [Counter(now) - Counter(before) for before, now in found] == [Counter()] * len(found)
    assert len(found) > 5


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\ud800", "longer than the result", "\n"])
def test_but_may_tell_one_that_is_blank_or_longer_or_no_unicode(text: str) -> None:
    request = body([MESSAGES[0], MESSAGES[1], {"role": "user", "content": [ERROR | {"content": "0123456789"}]}])
    document = read(request)
    part = document.transcript.messages[2].parts[0]
    assert can_violate(document.native, [part], compile_splices(document.native, [Op(part.path, text)]))
    assert not can_violate(document.native, [part], compile_splices(document.native, [Op(part.path, "gone")]))
    assert can_violate(document.native, [], [])
