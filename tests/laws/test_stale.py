"""Laws of what goes first: results only, shorter, never what is protected, once, and told alike however it grew."""

from hypothesis import given
from hypothesis import strategies as st

from conversation import assistant, result, talk, user
from secateur.bounds import find_boundary, find_working_set, is_eligible
from secateur.budget import Budget
from secateur.model import Message, Rewrite, Transcript
from secateur.protect import Protection
from secateur.strategies import Condense, Deduplicate, Excerpt, Strategy, Supersede

CODE = "\n".join(f"def step_{number}(): return {number}" for number in range(30))
CALLS = (
    ("look", '{"path": "a.py"}'),
    ("look", '{"path": "a.py", "limit": 5}'),
    ("look", '{"path": "b.py"}'),
    ("change", '{"path": "a.py", "oldText": "x", "newText": "y"}'),
    ("do", '{"command": "npm test"}'),
    ("do", '{"command": "cat b.py"}'),
    ("skill", "{}"),
    ("odd", "no json"),
)
TEXTS = ("", "ok", CODE, CODE + "\nend", "1 failed\n" * 40, "Exit code 1\n" + "x" * 900)
STEP = st.tuples(st.sampled_from(CALLS), st.sampled_from(TEXTS), st.booleans(), st.booleans())
PROTECT = st.builds(
    Protection,
    tools=st.sampled_from([(), ("skill",)]),
    tool_kinds=st.sampled_from([(), ("read",)]),
    last_turns=st.integers(0, 2),
    last_messages=st.integers(0, 3),
    recent_files=st.integers(0, 2),
    recent_file_chars=st.sampled_from([0, 300]),
    error_results=st.booleans(),
    unresolved_errors=st.booleans(),
)
STRATEGY: st.SearchStrategy[Strategy] = st.sampled_from(
    [
        Deduplicate(min_result_chars=0),
        Supersede(recent_files=0),
        Supersede(recent_files=2),
        Condense(),
        Excerpt(max_chars=500),
        Excerpt(by_price=True, all_tools=False),
    ]
)


def told(steps: list[tuple[tuple[str, str], str, bool, bool]]) -> Transcript:
    messages: list[Message] = [user()]
    for number, ((tool, arguments), said, error, turn) in enumerate(steps):
        messages += [assistant((f"c{number % 3}", tool, arguments)), result(said, tool, f"c{number % 3}", error)]
        messages += [user()] if turn else []
    return talk(*messages)


def budget(protect: Protection, edited: dict[str, str] | None = None) -> Budget:
    return Budget(
        window=2_000, tokens_used=0, count=lambda text: len(text) // 4, protect=protect, edited_by=edited or {}
    )


@given(st.lists(STEP, max_size=9), PROTECT, STRATEGY)
def test_what_goes_may_go_and_is_shorter(
    steps: list[tuple[tuple[str, str], str, bool, bool]], protect: Protection, strategy: Strategy
) -> None:
    talked = told(steps)
    parts = {part.key: (number, part) for number, one in enumerate(talked.messages) for part in one.parts}
    edits = [edit for edit in strategy(talked, budget(protect)) if isinstance(edit, Rewrite)]
    kept, inside = find_working_set(talked, protect, {}).keys, find_boundary(talked, protect)
    for edit in edits:
        number, part = parts[edit.key]
        assert is_eligible(talked, number, part, protect)
        assert len(edit.text) < len(part.text)
        if not isinstance(strategy, Excerpt):
            assert number in inside
            assert part.key not in kept
    assert len({edit.key for edit in edits}) == len(edits)


@given(st.lists(STEP, max_size=9), PROTECT, STRATEGY, st.integers(0, 30))
def test_a_history_that_grew_gives_the_same(
    steps: list[tuple[tuple[str, str], str, bool, bool]], protect: Protection, strategy: Strategy, cut: int
) -> None:
    whole = told(steps)
    at_once = list(strategy(whole, budget(protect)))
    begun = told(steps)
    list(strategy(talk(*begun.messages[:cut]), budget(protect)))
    assert list(strategy(begun, budget(protect))) == at_once


@given(st.lists(STEP, max_size=9), STRATEGY)
def test_what_went_does_not_go_again(steps: list[tuple[tuple[str, str], str, bool, bool]], strategy: Strategy) -> None:
    talked = told(steps)
    done = {edit.key: "done" for edit in strategy(talked, budget(Protection())) if isinstance(edit, Rewrite)}
    more = [edit for edit in strategy(talked, budget(Protection(), done)) if isinstance(edit, Rewrite)]
    assert not done.keys() & {edit.key for edit in more}
