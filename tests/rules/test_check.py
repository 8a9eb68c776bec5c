"""`check` itself: what it is told, what it stays silent about, and in which order it tells."""

from base64 import b64encode
from typing import Any

import pytest

from rules.anthropic import ROUND, assistant, body, result, text, use, user
from secateur import ConfigError
from secateur.api import FAMILIES, check, get_family, list_rules
from secateur.api.image_size import read_image_size
from secateur.api.unverifiable import UNVERIFIABLE


def told(*args: Any, **more: Any) -> list[tuple[str, str]]:
    return [(one.rule, one.where) for one in check(*args, **more)]


def test_violations_come_in_the_order_of_the_history_those_of_the_request_first() -> None:
    messages = [user("a", ""), assistant("b", ""), user(result("x"), text(" "))]
    assert told("anthropic", messages, {"tool_choice": {"type": "tool", "name": "x"}}) == [
        ("A33", "tool_choice"),
        ("A11", "messages.0.content.1"),
        ("A11", "messages.1.content.1"),
        ("A2", "messages.2.content.0"),
        ("A11", "messages.2.content.1"),
    ]


@pytest.mark.parametrize(
    ("family", "roles"),
    [
        ("anthropic", "role of user, assistant or system"),
        ("bedrock", "role of user or assistant"),
        ("openai_chat", "role of this API"),
    ],
)
def test_a_message_without_a_role_is_named_with_what_to_do(family: str, roles: str) -> None:
    texts = [one.text for one in check(family, [user("a"), {"content": []}])]
    assert f"a message has no {roles}: add one, or remove it" in texts


def test_a_window_is_not_asked_for_its_first_and_last_message() -> None:
    window = [assistant(use()), user(result()), assistant("b ")]
    assert told("anthropic", window, {"model": "claude-opus-4-6"}, whole=False) == []
    assert told("anthropic", window, {"model": "claude-opus-4-6"}) == [
        ("A7", "messages.0"),
        ("A13", "messages.2"),
        ("A14", "messages.2"),
    ]


def test_a_window_that_reaches_the_end_is_asked_for_its_last_message() -> None:
    window = [assistant(use()), user(result()), assistant("b ")]
    asked = told("anthropic", window, {"model": "claude-opus-4-6"}, whole=False, tail=True)
    assert asked == [("A13", "messages.2"), ("A14", "messages.2")]
    calls = [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]
    assert [told("gemini", calls, whole=False, tail=tail) for tail in (True, False)] == [[("G6", "contents.0")], []]


def test_a_window_is_asked_for_its_pairs() -> None:
    assert told("anthropic", [assistant(use()), user("stop")], {}, whole=False) == [("A1", "messages.0.content.0")]


def test_without_a_request_nothing_is_missing_from_it() -> None:
    messages = [*ROUND[:2], user(result(content=[{"type": "tool_reference", "tool_name": "edit"}]))]
    assert told("anthropic", messages) == []
    assert told("anthropic", messages, {}) == [("A32", "messages.2.content.0.content.0")]


def test_headers_unknown_are_no_headers_missing() -> None:
    wanted = body(user("a"), context_management={"edits": []})
    assert told("anthropic", wanted["messages"], wanted) == []
    assert told("anthropic", wanted["messages"], wanted, headers={"x-api-key": "k"}) == [("A65", "context_management")]


def test_a_thread_that_goes_on_may_begin_with_a_result() -> None:
    assert told("anthropic", [user(result())], {"thread": {"type": "continue"}}) == []


def test_a_profile_adds_rules() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    assert told("openai_chat", messages) == []
    assert told("openai_chat", messages, profile="strict") == [("O13", "messages.1")]


@pytest.mark.parametrize(
    ("family", "profile", "near"), [("antropic", None, "anthropic"), ("gemini", "mistrl", "mistral")]
)
def test_names_that_are_none_are_refused_with_the_nearest(family: str, profile: str | None, near: str) -> None:
    with pytest.raises(ConfigError, match=f"did you mean {near}"):
        check(family, [], profile=profile)


def test_formats_have_the_family_of_their_api() -> None:
    assert {get_family(name) for name in ("pi", "codex", "atif")} == {"transcript"}
    assert (get_family("anthropic_messages"), get_family("bedrock_converse")) == ("anthropic", "bedrock")


def test_every_rule_is_either_looked_for_or_said_to_be_unseen() -> None:
    looked_for = {one.id for family in FAMILIES for one in list_rules(family)}
    assert not looked_for & set(UNVERIFIABLE)
    known = {"A": (*range(1, 17), *range(20, 24), *range(25, 30), *range(31, 35), *range(40, 44), *range(50, 61))}
    known["A"] += (*range(65, 74),)
    known |= {"O": range(1, 18), "R": range(1, 21), "G": (*range(1, 8), *range(10, 17)), "B": range(1, 21)}
    ids = {f"{letter}{number}" for letter, numbers in known.items() for number in numbers}
    assert ids <= looked_for | set(UNVERIFIABLE)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x02\0\0\0\x05", (258, 5)),
        (b"GIF89a\x02\x01\x05\x00", (258, 5)),
        (b"RIFF____WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x01\0\x04\0\0", (258, 5)),
        (b"RIFF____WEBPVP8L\0\0\0\0\x2f\x01\x01\x01\x00", (258, 5)),
        (b"RIFF____WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x02\x01\x05\x00", (258, 5)),
        (b"\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x02\xff\xc0\0\x11\x08\0\x05\x01\x02\x03", (258, 5)),
        (b"\xff\xd8\xff\xe0", None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"%PDF-1.7", None),
    ],
)
def test_pictures_tell_their_size_in_the_first_bytes(head: bytes, size: tuple[int, int] | None) -> None:
    data = b64encode(head + bytes(-len(head) % 3)).decode()
    assert read_image_size(head) == read_image_size(data) == read_image_size(f"data:image/x;base64,{data}") == size


def test_what_is_no_base64_has_no_size() -> None:
    odd = ("é", "A", None, 3, b"RIFF____WEBPVP8?")
    assert [read_image_size(one) for one in odd] == [None] * 5


def test_calls_and_results_on_the_wrong_side_are_told_and_pair_with_nothing() -> None:
    assert told("anthropic", [user(use()), assistant(result(), "b"), user("c")]) == [
        ("A0", "messages.0.content.0"),
        ("A0", "messages.1.content.0"),
    ]


def test_inside_a_result_only_blocks_are_looked_at() -> None:
    assert told("anthropic", [*ROUND[:2], user(result(content={"text": ""}))]) == []
    assert told("anthropic", [*ROUND[:2], user(result(content=["", text("")]))]) == [
        ("A11", "messages.2.content.0.content.1")
    ]


def test_a_caller_s_own_objects_have_no_size_and_no_surrogates() -> None:
    assert told("anthropic", [user({"type": "text", "text": "a", "own": object()})], {}) == []


def test_a_custom_call_has_no_arguments() -> None:
    call = {"id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    assert told("openai_chat", [*messages, {"role": "tool", "tool_call_id": "a", "content": "ok"}]) == []


def test_an_empty_transcript_breaks_nothing() -> None:
    assert told("transcript", ()) == []
