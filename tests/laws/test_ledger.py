"""The laws of the ledger, on conversations of any text: it never fails, merges to itself, is read back."""

import json
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from law_examples import examples
from secateur.compaction.extract import extract
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.lineage import assign_keys
from secateur.model import Message, Part
from secateur.tokens import estimate

# fmt: off
PIECES = st.sampled_from([
    "Never push.", "do not touch a.py", "不要修改。", "Đừng sửa.", "No borres nada.", "why?", "Shall I?", "stop",
    "\n", "\u2028", "\ud800", "> ", "```", "- [x] a", "## Constraints", "- [bcdfgh, standing] obey", " — said: ",
    "<system-reminder>", "</system-reminder>", "Exit code 1", "--- FAIL: TestA", "ValueError: x", "4 passed",
    "[main 1234abc] y", "On branch b", "cat > a.py <<'EOF'\nEOF", "git mv a b/", "sed -i s/a/b/ c.py", "pytest -q",
    "*** Begin Patch\n*** Add File: q.py", " ", "' ", '"', "\\", "\x00", "é" * 30,
])
NAMES = [
    "path", "command", "content", "old_string", "todos", "plan", "status", "taskId", "question", "cwd", "patch", "to",
]
# fmt: on
TEXT = st.lists(PIECES | st.text(max_size=8), max_size=6).map(" ".join)
VALUE = st.recursive(
    TEXT | st.integers() | st.none() | st.booleans(), lambda one: st.lists(one, max_size=3), max_leaves=4
)
NAMES = [
    "path",
    "command",
    "content",
    "old_string",
    "todos",
    "plan",
    "status",
    "taskId",
    "question",
    "cwd",
    "patch",
    "to",
    "x",
]
ARGUMENTS = st.one_of(
    st.dictionaries(st.sampled_from(NAMES), VALUE, max_size=4).map(lambda given: _json(given)),
    TEXT,
)
ID = st.sampled_from(["", "a", "b", "c"])
TOOL = st.sampled_from(["bash", "edit", "read", "TodoWrite", "TaskUpdate", "ask", "a\nb", ""])
SAID = st.builds(lambda text: Part("text", (), text), TEXT)
CALL = st.builds(lambda text, tool, id: Part("tool_call", (), text, tool, id), ARGUMENTS, TOOL, ID)
RESULT = st.builds(
    lambda text, tool, id, bad: Part("tool_result", (), text, tool, id, bad), TEXT, TOOL, ID, st.booleans()
)
MESSAGE = st.one_of(
    st.builds(
        lambda parts, origin: Message("user", (), tuple(parts), origin),
        st.lists(SAID | RESULT, max_size=2),
        st.sampled_from(["user", "user", "harness", "synthetic", "summary"]),
    ),
    st.builds(lambda parts: Message("assistant", (), tuple(parts)), st.lists(SAID | CALL, max_size=3)),
    st.builds(lambda parts: Message("tool", (), tuple(parts), "harness"), st.lists(RESULT, max_size=3)),
)
HISTORY = st.lists(MESSAGE, max_size=12).map(lambda messages: assign_keys(messages))


LAW = examples(20)


def _json(value: Any) -> str:
    return json.dumps(value)  # lone surrogates escaped, as providers write them


def said(ledger: Ledger) -> set[str]:
    return {one.text for one in ledger.constraints}


NAMELESS = (
    Message("assistant", (), (Part("tool_call", (), "{}", "bash", ""),)),
    Message("tool", (), (Part("tool_result", (), "", "bash", ""),), "harness"),
)


SEPARATED = (Message("user", (), (Part("text", (), "--- FAIL: TestA \u2028 Never push."),)),)


@LAW
@example(assign_keys(NAMELESS), 0)
@example(assign_keys(SEPARATED), 0)
@given(HISTORY, st.integers(0, 12))
def test_it_never_fails_and_is_read_back_from_text_and_from_json(messages: tuple[Message, ...], cut: int) -> None:
    ledger = merge(build_ledger(messages[:cut]), build_ledger(messages[cut:]))
    assert msgspec.json.decode(msgspec.json.encode(ledger), type=Ledger) == ledger
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines
    assert build_ledger(messages) == build_ledger(list(messages))


@LAW
@given(HISTORY)
def test_only_what_users_said_is_theirs(messages: tuple[Message, ...]) -> None:
    users = (one for one in messages if one.role == "user" and one.origin == "user")
    theirs = "\n".join(part.text for one in users for part in one.parts if part.kind == "text")
    theirs = theirs.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    ledger = build_ledger(messages)
    for text in (*said(ledger), *(one.text for one in ledger.requests)):
        assert all(line.strip() in theirs for line in text.split("\n"))


@LAW
@given(HISTORY, HISTORY)
def test_merging_again_changes_nothing_and_no_constraint_is_lost(
    first: tuple[Message, ...], second: tuple[Message, ...]
) -> None:
    one, other = build_ledger(first), build_ledger(second)
    both = merge(one, other)
    assert merge(one, one) == one
    assert merge(both, other) == both
    assert merge(both, Ledger()) == both
    for text in said(one) | said(other):
        assert any(kept.casefold().strip(" .!。！*-") == text.casefold().strip(" .!。！*-") for kept in said(both))


@LAW
@given(HISTORY, st.integers(0, 3_000))
def test_the_extract_always_works_and_fits(messages: tuple[Message, ...], room: int) -> None:
    sections = extract(messages, Ledger(), room, estimate)
    lines = [line for one in sections.values() for line in one]
    assert sum(estimate(line) + 1 for line in lines) <= room or not lines
