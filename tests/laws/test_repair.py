"""Laws of repair: it ends, it pairs, mending twice changes nothing more, and nothing is lost."""

import json
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.api.repair import RepairOptions, repair
from secateur.errors import SecateurError
from secateur.jsontext import Text

IDS = st.sampled_from(["a", "b", "c", "", "x y", "a_2"]) | st.none()
SAID = st.sampled_from(["", " ", "hello", "hi \ud83d", "end  "])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SAID,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SAID, inner, max_size=3),
    max_leaves=5,
)
TEXT = st.fixed_dictionaries({"type": st.just("text"), "text": SAID})
IMAGE = st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}})
CALL = st.fixed_dictionaries({"type": st.just("tool_use"), "id": IDS, "name": st.just("bash"), "input": JSON})
RESULT = st.fixed_dictionaries(
    {"type": st.just("tool_result"), "tool_use_id": IDS, "content": SAID | st.lists(TEXT | IMAGE, max_size=2)},
    optional={"is_error": st.booleans()},
)
THOUGHT = st.fixed_dictionaries(
    {"type": st.just("thinking"), "thinking": st.sampled_from(["", "hm"]), "signature": st.sampled_from(["", "s"])}
)
BLOCKS = st.lists(TEXT | IMAGE | CALL | RESULT | THOUGHT, max_size=5)
ANTHROPIC = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "assistant", "user", "system"]), "content": SAID | BLOCKS}
    )
    | JSON,
    max_size=7,
)

ARGUMENTS = st.sampled_from(["{}", "", '{"a": 1', "no", '{"a": "\\ud83d"}'])
CHAT_CALL = st.fixed_dictionaries(
    {
        "id": IDS,
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": st.just("bash"), "arguments": ARGUMENTS | JSON}),
    }
)
CHAT = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": SAID | st.lists(TEXT, max_size=2)},
        optional={"tool_calls": st.lists(CHAT_CALL, max_size=3)},
    )
    | st.fixed_dictionaries(
        {
            "role": st.just("tool"),
            "tool_call_id": IDS,
            "content": SAID
            | st.lists(
                TEXT | st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}), max_size=2
            ),
        }
    )
    | JSON,
    max_size=7,
)
NAMED = st.sampled_from(["a", "b", "a_2"])
INPUT = st.fixed_dictionaries({"type": st.just("input_text"), "text": SAID})
ITEM = (
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": SAID})
    | st.fixed_dictionaries(
        {"type": st.just("function_call"), "call_id": NAMED, "name": st.just("b"), "arguments": ARGUMENTS | JSON}
    )
    | st.fixed_dictionaries(
        {"type": st.just("function_call_output"), "call_id": NAMED, "output": SAID | st.lists(INPUT, max_size=2) | JSON}
    )
    | st.fixed_dictionaries(
        {"type": st.just("reasoning"), "id": st.sampled_from(["rs_1", "rs_2", "x"]), "summary": st.just([])},
        optional={"content": st.lists(st.just({}), max_size=1)},
    )
    | JSON
)
RESPONSES = st.lists(ITEM, max_size=7)
CONVERSE_TEXT = st.fixed_dictionaries({"text": SAID})
CONVERSE_CALL = st.fixed_dictionaries({"toolUseId": IDS, "name": st.just("bash"), "input": JSON})
CONVERSE_RESULT = st.fixed_dictionaries(
    {"toolUseId": IDS, "content": st.lists(CONVERSE_TEXT, max_size=2)},
    optional={"status": st.sampled_from(["success", "error"])},
)
CONVERSE_BLOCK = (
    CONVERSE_TEXT
    | st.fixed_dictionaries({"toolUse": CONVERSE_CALL})
    | st.fixed_dictionaries({"toolResult": CONVERSE_RESULT})
)
CONVERSE = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "assistant", "user", "system"]),
            "content": SAID | st.lists(CONVERSE_BLOCK, max_size=5),
        }
    )
    | JSON,
    max_size=7,
)
FUNCTION = st.sampled_from(["read", "list", ""])
GEMINI_CALL = st.fixed_dictionaries({"name": FUNCTION}, optional={"id": IDS, "args": JSON})
GEMINI_RESPONSE = st.fixed_dictionaries(
    {"name": FUNCTION, "response": st.fixed_dictionaries({"output": SAID}) | JSON},
    optional={"id": IDS, "parts": st.lists(st.just({"inlineData": {"mimeType": "image/png", "data": "AA=="}}))},
)
GEMINI_PART = (
    st.fixed_dictionaries({"text": SAID}, optional={"thoughtSignature": st.just("c2ln"), "thought": st.just(True)})
    | st.fixed_dictionaries({"functionCall": GEMINI_CALL}, optional={"text": SAID})
    | st.fixed_dictionaries({"function_call": GEMINI_CALL})
    | st.fixed_dictionaries({"functionResponse": GEMINI_RESPONSE})
    | st.fixed_dictionaries({"codeExecutionResult": st.just({"outcome": "OUTCOME_OK"})})
    | st.sampled_from([{}, {"thought": True}, "hello"])
)
GEMINI = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "model", "model", "user", "assistant", "function"])},
        optional={"parts": st.lists(GEMINI_PART, max_size=5) | GEMINI_PART},
    )
    | JSON,
    max_size=7,
)
LAYOUT = st.sampled_from([{"separators": (",", ":")}, {"indent": 1}, {}])
SHAPES = {
    "anthropic_messages": ANTHROPIC,
    "bedrock_converse": CONVERSE,
    "gemini": GEMINI,
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
}
SETTINGS = st.builds(
    RepairOptions,
    model=st.sampled_from(["", "claude-opus-4-6", "gemini-3-pro"]),
    profile=st.sampled_from(["", "strict", "mistral"]),
)


ARRAYS = {"openai_responses": "input", "gemini": "contents"}


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[Any]]:
    name = draw(st.sampled_from(sorted(SHAPES)))
    return name, draw(SHAPES[name])


def unpaired(name: str, messages: list[Any]) -> list[str]:
    """Calls and results that are no pair, by the plainest reading of the rule."""
    if name == "openai_responses":
        return unpaired_items(messages)
    if name == "bedrock_converse":
        return unpaired_turns(messages)
    if name == "gemini":
        return unpaired_contents(messages)
    wrong: list[str] = []
    open_: list[Any] = []
    for message in [*messages, {"role": "end"}]:
        asked, answered = said(name, message) if isinstance(message, dict) else ([], [])
        wrong += [f"result {one}" for one in answered if one not in open_]
        open_ = [one for one in open_ if one not in answered]
        goes_on = name == "openai_chat" and answered
        merged = name == "anthropic_messages" and not isinstance(message, dict) or message.get("role") == "assistant"
        if not goes_on and not (merged and not answered and open_ and asked):
            wrong += [f"call {one}" for one in open_ if not merged or name == "openai_chat"]
            open_ = open_ if merged and name == "anthropic_messages" else []
        open_ += asked
    return wrong


def unpaired_items(items: list[Any]) -> list[str]:
    """The same for items, whose outputs may stand anywhere behind their calls."""
    calls = [one["call_id"] for one in items if one.get("type") == "function_call"]
    outputs = [one["call_id"] for one in items if one.get("type") == "function_call_output"]
    return [one for one in calls if one not in outputs] + [one for one in outputs if one not in calls]


def unpaired_turns(messages: list[Any]) -> list[str]:
    """The same for Converse: the very next message answers each call once, and nothing else; a tool that the provider
    runs is answered behind its call in the same message."""
    wrong: list[str] = []
    waiting: list[str] = []
    for message in [*(one for one in messages if one.get("role") in ("user", "assistant", "system")), {}]:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        calls: list[str] = []
        answered: list[str] = []
        for one in blocks:
            if "toolUse" in one:
                calls.append(one["toolUse"]["toolUseId"])
            elif "toolResult" in one and message["role"] == "assistant" and one["toolResult"]["toolUseId"] in calls:
                calls.remove(one["toolResult"]["toolUseId"])
            elif "toolResult" in one:
                answered.append(one["toolResult"]["toolUseId"])
        wrong += waiting if sorted(answered) != sorted(waiting) else []
        wrong += answered if not waiting else []
        waiting = calls
    return wrong


def unpaired_contents(contents: list[Any]) -> list[str]:
    """The same for Gemini: the turn behind one of calls holds one response for each, in order of names, and no more."""
    wrong: list[str] = []
    waiting: list[str] = []
    for role, run in groupby(contents, lambda content: content.get("role") == "model"):
        parts = [part for content in run for part in content["parts"]]
        calls = [
            call["name"] for part in parts for call in [part.get("functionCall") or part.get("function_call")] if call
        ]
        answers = [
            one["name"]
            for part in parts
            for one in [part.get("functionResponse", part.get("function_response"))]
            if one
        ]
        wrong += waiting + answers if sorted(answers) != sorted(waiting) or (role and answers) else []
        wrong += calls if not role else []
        waiting = calls
    return wrong + waiting


def said(name: str, message: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The ids called and the ids answered in one message."""
    if name == "openai_chat":
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        mine = [call["id"] for call in calls or ()]
        return mine, [message.get("tool_call_id")] if message.get("role") == "tool" else []
    content = message.get("content")
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    role = message.get("role")
    asked = [one["id"] for one in blocks if one.get("type") == "tool_use" and role == "assistant"]
    return asked, [one["tool_use_id"] for one in blocks if one.get("type") == "tool_result"]


@given(histories(), LAYOUT, SETTINGS)
def test_mending_twice_changes_nothing_more(
    history: tuple[str, list[Any]], layout: dict[str, Any], settings: RepairOptions
) -> None:
    name, messages = history
    once = repair(json.dumps({"model": "", ARRAYS.get(name, "messages"): messages}, **layout).encode(), name, settings)
    twice = repair(once.document, name, settings)
    assert twice.repairs == ()
    assert twice.document == once.document


@given(histories(), LAYOUT, SETTINGS)
def test_objects_and_text_are_mended_alike(
    history: tuple[str, list[Any]], layout: dict[str, Any], settings: RepairOptions
) -> None:
    name, messages = history
    messages = json.loads(json.dumps(messages))
    text = repair(Text.of(json.dumps(messages, **layout).encode()), name, settings)
    objects = repair(messages, name, settings)
    assert repr(text.document.value()) == repr(objects.document)
    assert text.repairs == objects.repairs
    assert text.remaining == objects.remaining


@given(histories(), SETTINGS)
def test_every_call_and_every_result_is_in_a_pair(history: tuple[str, list[Any]], settings: RepairOptions) -> None:
    name, messages = history
    done = repair(json.loads(json.dumps(messages)), name, settings)
    if all(isinstance(one, dict) for one in messages):
        assert unpaired(name, done.document) == []


@given(histories(), SETTINGS)
def test_no_rule_refuses_what_was_mended(history: tuple[str, list[Any]], settings: RepairOptions) -> None:
    name, messages = history
    told = [one for one in json.loads(json.dumps(messages)) if isinstance(one, dict) and one.keys() & {"role", "type"}]
    told = [one for one in told if one.get("role") == "assistant" or "tool_calls" not in one]
    hi = {"role": "user"} | ({"parts": [{"text": "hi"}]} if name == "gemini" else {"content": "hi"})
    done = repair([hi, *told], name, settings)
    assert done.remaining == ()


@given(
    JSON | ANTHROPIC | CHAT | GEMINI,
    st.sampled_from([None, "anthropic_messages", "openai_chat", "gemini", "opencode", "pi", "codex", "claude_code"]),
)
def test_whatever_comes_in_only_our_own_errors_come_out(value: Any, name: str | None) -> None:
    for document in (value, json.dumps(value).encode(), json.dumps(value)):
        try:
            repair(document, name)
        except SecateurError:
            continue


@given(histories(), SETTINGS)
def test_what_a_message_said_is_still_said(history: tuple[str, list[Any]], settings: RepairOptions) -> None:
    name, messages = history
    kept = json.dumps(repair(json.loads(json.dumps(messages)), name, settings).document)
    for text in ("hello", "hi "):
        assert json.dumps(messages).count(text) <= kept.count(text)


@pytest.mark.parametrize("name", ["anthropic_messages", "openai_chat", "gemini"])
def test_a_sound_history_is_the_very_same(name: str) -> None:
    messages: list[Any] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    if name == "gemini":
        messages = [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "ho"}]}]
    assert repair(messages, name).document is messages
