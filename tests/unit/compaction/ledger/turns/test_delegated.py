"""What another agent did at the agent's request is told by its report."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, read_back, render_ledger

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
