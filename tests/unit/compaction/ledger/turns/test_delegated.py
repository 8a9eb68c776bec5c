"""What another agent did at the agent's request is told by its report."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, fit_ledger, read_back, render_ledger
from secateur.model import Message
from secateur.tokens import estimate

PROMPT = "Weave the rim of the basket, and then tell how it went."
REPORT = "I wove the rim in three rounds of reed. The handle is not yet done."


def told(tool: str, given: dict[str, str], said: str) -> str:
    call = assistant(("1", tool, json.dumps(given)))
    lines = render_ledger(build_ledger(talk(user("Change the basket."), call, result(said, tool, "1")).messages))
    assert render_ledger(read_back(lines)) == lines
    return "\n".join((*lines.get("accomplished", ()), lines["next"][0]))


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("Task", REPORT),
        ("task", f"task_id: t7 (to go on)\n\n<task_result>\n{REPORT}\n</task_result>"),
        ("Agent", f"{REPORT}\nagentId: a7 (to go on)"),
    ],
)
def test_the_report_of_another_agent_is_quoted(tool: str, said: str) -> None:
    made = told(tool, {"description": "Weave the rim", "prompt": PROMPT}, said)
    assert f"agent: Weave the rim → said: {REPORT}" in made
    assert "no call edited a file" not in made


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        (
            "Task",
            {"description": "Weave the rim", "prompt": PROMPT},
            "Async agent launched successfully, with the id a7.",
        ),
        ("Task", {"description": "Weave the rim"}, REPORT),
        ("ask_oracle", {"prompt": PROMPT}, REPORT),
    ],
)
def test_a_start_and_any_other_call_have_no_report(tool: str, given: dict[str, str], said: str) -> None:
    assert "agent: " not in told(tool, given, said)


def start(name: str, message: str) -> tuple[Message, Message]:
    call = assistant((f"s{name}", "spawn_agent", json.dumps({"message": message})))
    return call, result(json.dumps({"agent_id": name, "nickname": "Reed"}), "spawn_agent", f"s{name}")


def wait(said: str) -> tuple[Message, Message]:
    call = assistant(("w", "wait_agent", json.dumps({"targets": ["a7", "a8"]})))
    return call, result(said, "wait_agent", "w")


def list_done(*messages: Message) -> str:
    fitted = fit_ledger(build_ledger(talk(*messages).messages), 4_000, estimate)
    return "\n".join(render_ledger(fitted).get("accomplished", ()))


def test_a_report_that_a_later_call_waited_for_stands_beside_what_was_handed_out() -> None:
    states = {"a7": {"completed": f"{REPORT} See [rim.md](/b/rim.md:3)."}, "a8": "running", "a9": {"completed": REPORT}}
    made = list_done(
        user("Change the basket."), *start("a7", PROMPT), *start("a8", PROMPT), *wait(json.dumps({"status": states}))
    )
    assert f"agent: Weave the rim of the basket, and then tell how it went. → said: {REPORT} See rim.md:3." in made
    assert f"agent: another agent → said: {REPORT}" in made
    assert made.count("agent: ") == 2


@pytest.mark.parametrize(
    "said", ['{"status": {', '{"status": {"a7": {"completed": 1}}}', '{"status": []}', "[]", REPORT]
)
def test_what_is_no_report_that_was_waited_for_is_none(said: str) -> None:
    assert "agent: " not in list_done(user("Change the basket."), *start("a7", PROMPT), *wait(said))


def test_behind_the_reply_that_sums_them_up_reports_are_no_steps() -> None:
    call = assistant(("1", "Task", json.dumps({"description": "Weave the rim", "prompt": PROMPT})))
    turn = (user("Change the basket."), call, result(REPORT, "Task", "1"))
    reply = assistant(text="The rim is woven, the handle is left for tomorrow.")
    assert "agent: Weave the rim" in list_done(*turn, user("What is a basket made of?"))
    asked = [
        one for name in "abcd" for one in (user(f"What is reed {name}?"), assistant(text=f"Reed {name} is grass."))
    ]
    made = list_done(*turn, reply, *asked)
    assert "agent: Weave the rim" not in made
    assert "the handle is left for tomorrow" in made
