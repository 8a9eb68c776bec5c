"""What a context is made of, in figures that can be added up by hand."""

from msgspec.structs import replace

from conversation import assistant, result, results, talk, user
from secateur.cli.composition import (
    KindShare,
    RepeatedOutput,
    ToolShare,
    TurnSummary,
    count_tokens,
    find_largest,
    find_repeated,
    group_by_kind,
    group_by_tool,
    group_by_turn,
)
from secateur.cli.inputs import count_parts
from secateur.model import Message, Transcript


def weighed(*messages: Message) -> Transcript:
    """One token a character."""
    return count_parts(talk(*messages), len)


SESSION = weighed(
    user("<reminder>", "harness"),
    user("fix it"),
    assistant(("c1", "read", "{}"), text="ok"),
    result("12345", tool="read", call="c1"),
    assistant(("c2", "bash", "{}{}")),
    result("fails", call="c2", error=True),
    user("go on"),
    assistant(text="done"),
)


def test_kinds_add_up_to_the_whole() -> None:
    kinds = group_by_kind(replace(SESSION, fixed_tokens=100))
    assert kinds == [
        KindShare("system prompt and tools", 1, 100),
        KindShare("user text", 2, 11),
        KindShare("harness text", 1, 10),
        KindShare("tool result", 2, 10),
        KindShare("assistant text", 2, 6),
        KindShare("tool call", 2, 6),
    ]
    assert sum(one.tokens for one in kinds) == count_tokens(replace(SESSION, fixed_tokens=100)) == 143


def test_tools_by_what_they_put_in() -> None:
    assert group_by_tool(SESSION) == [ToolShare("bash", 1, 1, 1, 4, 5), ToolShare("read", 1, 1, 0, 2, 5)]


def test_turns_begin_where_a_person_speaks() -> None:
    assert group_by_turn(SESSION) == [
        TurnSummary(0, 0, "", 1, 10),
        TurnSummary(1, 1, "fix it", 5, 24),
        TurnSummary(2, 6, "go on", 2, 9),
    ]


def test_no_turn_at_all() -> None:
    assert group_by_turn(weighed()) == []
    assert group_by_turn(weighed(assistant(text="hi"))) == [TurnSummary(0, 0, "", 1, 2)]


def test_the_largest_parts_with_their_place() -> None:
    assert [(one.message, one.kind, one.tokens) for one in find_largest(SESSION, 2)] == [
        (0, "harness text", 10),
        (1, "user text", 6),
    ]


def test_what_stands_there_twice_of_the_same_tool() -> None:
    session = weighed(results("same", "other", tool="read"), result("same", tool="read"), result("same", tool="bash"))
    assert find_repeated(session) == [RepeatedOutput("read", 2, 4, 4, (0, 1))]


def test_a_medium_counts_with_the_result_that_holds_it() -> None:
    held = result("text", tool="shot", image="hash")
    (message,) = count_parts(talk(held), len).messages
    parts = (message.parts[0], replace(message.parts[1], tokens=1600))
    session = Transcript((), (replace(message, parts=parts),))
    assert group_by_tool(session) == [ToolShare("shot", 0, 1, 0, 0, 1604)]
    assert group_by_kind(session) == [KindShare("media", 1, 1600), KindShare("tool result", 1, 4)]
