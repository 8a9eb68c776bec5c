"""Where each line of a summary comes from."""

import json

from compactions import done, run, scene
from conversation import assistant, result, summary, talk, user
from secateur.cli.compact import make_page
from secateur.compaction.ledger import build_ledger, render_ledger
from secateur.compaction.provenance import LineSource, trace_summary
from secateur.compaction.settings import Compaction
from secateur.model import Transcript

RULES = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nNever edit generated files.\n</INSTRUCTIONS>"


def ran(command: str, said: str, id: str) -> tuple[object, object]:
    return assistant((id, "bash", json.dumps({"command": command}))), result(said, "bash", id)


def traced(history: Transcript, by: str = "") -> dict[str, LineSource]:
    made = done(run(scene(history), Compaction(keep_turns=1, keep_tokens=0))[0])
    return {one.text: one for one in trace_summary(made.summary, made.ledger, history.messages, by)}


def history() -> Transcript:
    work = [
        one
        for n in range(20)
        for one in ran(f"pytest tests/test_{n}.py", f"1 {'failed' if n == 19 else 'passed'} in 1s\n" * 30, f"c{n}")
    ]
    read = [assistant(("r", "read", '{"path": "a.py"}')), result("x = 1\n" * 40, "read", "r")]
    return talk(
        user(RULES, "harness"),
        user("Fix the login. Never push to main."),
        *work,
        *read,
        assistant(text="The login fails because the token expires too early."),
        user("Now write the docs."),
    )


def test_each_line_has_its_message_or_its_call() -> None:
    found = {text.split("] ")[-1]: one for text, one in traced(history()).items()}
    assert (found["Never push to main."].source, found["Never push to main."].messages) == ("user", (1,))
    rule = found["Never edit generated files."]
    assert (rule.source, rule.messages) == ("project", (0,))
    test = next(one for text, one in found.items() if text.startswith("- test, failed: pytest tests/test_19.py"))
    assert (test.source, test.messages, test.call) == ("call", (41,), "bash pytest tests/test_19.py")
    assert test.origin == "message 41: a call bash pytest tests/test_19.py"
    assert (found["- read: a.py"].source, found["- read: a.py"].messages) == ("call", (43,))
    waits = found["Now write the docs."]
    assert (waits.source, waits.messages) == ("user", (45,))


def test_what_no_message_says_is_told_as_what_it_is() -> None:
    messages = talk(user("Fix it."), assistant(text="It is fixed now.")).messages
    text = (
        "[x]\n\n## Goal\n(none)\n\n## Discoveries\n- It was hard.\n\n## Next steps\n- where it stands: x; open: 1 task"
    )
    by_model = trace_summary(text, build_ledger(messages), messages, "anthropic:m")
    assert [(one.section, one.source) for one in by_model] == [
        ("Goal", "none"),
        ("Discoveries", "model"),
        ("Next steps", "counted"),
    ]
    kept = trace_summary(text, build_ledger(messages), (summary("- It was hard."), *messages))
    assert (kept[1].source, kept[1].messages) == ("summary", (0,))


def test_a_line_that_an_earlier_summary_said_leads_to_it() -> None:
    messages = talk(summary("- The token expires early."), user("Fix it."), assistant(text="It is fixed.")).messages
    text = "[x]\n\n## Discoveries\n- as of an earlier summary: The token expires early."
    (line,) = trace_summary(text, build_ledger(messages), messages)
    assert (line.source, line.messages) == ("summary", (0,))
    (line,) = trace_summary("[x]\n\n## Discoveries\n- It was hard.", build_ledger(messages), messages)
    assert (line.source, line.messages) == ("summary", ())  # no model wrote it, so the earlier one's ledger has it


def test_every_line_that_a_ledger_renders_is_traced() -> None:
    ledger = build_ledger(history().messages)
    lines = "\n\n".join(f"## {id}\n" + "\n".join(lines) for id, lines in render_ledger(ledger).items())
    sources = trace_summary(f"[x]\n\n{lines}", ledger, history().messages)
    assert {one.source for one in sources} <= {"user", "project", "agent", "call", "counted"}
    counted = [one.text for one in sources if one.source == "counted"]
    assert counted == [
        "- before that, the user asked:",
        "- where it stands: the user spoke last and waits for [bcdhbm]; open: 1 failing check",
    ]
    assert all(one.messages for one in sources if one.source != "counted")


def test_the_page_holds_text_and_no_markup_of_a_session() -> None:
    page = make_page([LineSource("Goal", "- [x] <script>alert(1)</script>", "user", (3,))], "a & b").decode()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Summary of a &amp; b" in page
    assert "message 3: the user" in page


def test_a_marked_line_is_traced_by_its_words_and_told_as_unconfirmed() -> None:
    messages = talk(user("Fix it."), assistant(text="The pool is never emptied.")).messages
    marked = "- The pool is never emptied. (unconfirmed)\n- The pool leaks (unconfirmed: no one said so)"
    text = f"[x]\n\n## Discoveries\n{marked}"
    one, other = trace_summary(text, build_ledger(messages), messages, "anthropic:m")
    assert (one.source, one.messages, one.origin) == ("agent", (1,), "message 1: the agent, unconfirmed")
    assert (other.source, other.origin) == ("model", "written by a model anthropic:m, unconfirmed")
