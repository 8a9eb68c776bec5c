"""Summaries are read in whatever form their headings have."""

import pytest

from secateur.compaction.headings import parse_answer
from secateur.compaction.summary import parse_sections, render_sections
from secateur.compaction.template import FORMERLY, OURS, get_template

EXPECTED = {"goal": ("Ship the parser",), "accomplished": ("The lexer works",), "next": ("Write the parser",)}


@pytest.mark.parametrize(
    "text",
    [
        "# Goal\nShip the parser\n# Progress\nThe lexer works\n# Next Steps\nWrite the parser",
        "#### Objective\nShip the parser\n#### Work Completed\nThe lexer works\n#### TODO\nWrite the parser",
        "**Goal:** Ship the parser\n\n**Done**: The lexer works\n\n**Next steps:** Write the parser",
        "**Task**\nShip the parser\n**Current Status**\nThe lexer works\n**Remaining**\nWrite the parser",
        "1. Primary Request and Intent: Ship the parser\n2. Current Work: The lexer works\n"
        "3. Pending Tasks: Write the parser",
        "1. **Objective:** Ship the parser\n2. **Progress:** The lexer works\n3. **Next:** Write the parser",
        "Goal: Ship the parser\nStatus: The lexer works\nNext: Write the parser",
        "<overall_goal>Ship the parser</overall_goal>\n<recent_actions>\nThe lexer works\n</recent_actions>\n"
        "<current_plan>Write the parser</current_plan>",
        "<analysis>\n## Goal\nthinking\n</analysis>\n<summary>\n## Goal\nShip the parser\n## Done\nThe lexer works\n"
        "## What remains\nWrite the parser\n</summary>",
        "## Ziel\nShip the parser\n## Bisheriger Stand\nThe lexer works\n## Offene Aufgaben\nWrite the parser",
        "## 目标\nShip the parser\n## 进展\nThe lexer works\n## 下一步计划\nWrite the parser",
        "=== Goal ===\nShip the parser\n=== Progress ===\nThe lexer works\n=== Next Steps ===\nWrite the parser",
        "1) Goal\nShip the parser\n2) Accomplished\nThe lexer works\n3) Next Steps\nWrite the parser",
        "- Goal:\nShip the parser\n- Progress:\nThe lexer works\n- Next steps:\nWrite the parser",
        "**Objetivo:** Ship the parser\n**Completado:** The lexer works\n**Pendiente:** Write the parser",
    ],
)
def test_every_common_form_is_read(text: str) -> None:
    assert parse_answer(text) == EXPECTED


def test_stages_stay_within_their_section() -> None:
    found = parse_answer("## Progress\n### Done\n- [x] lexer\n### In Progress\n- [ ] parser\n## Next Steps\n1. parser")
    assert found["accomplished"] == ("### Done", "- [x] lexer", "### In Progress", "- [ ] parser")
    assert found["next"] == ("1. parser",)


def test_a_section_of_another_name_holds_findings() -> None:
    assert parse_answer("## Goal\nx\n## Miscellany\n- y")["discoveries"] == ("- y",)


@pytest.mark.parametrize(
    "text",
    [
        "Sure, I will go on with the parser.",
        "Error: 529 overloaded",
        "Note: nothing\n- a",
        "Goal\nShip it",
        "- tests\n- files\n- plans",
        "",
    ],
)
def test_prose_has_no_sections(text: str) -> None:
    assert parse_answer(text) == {}


def test_what_an_earlier_summary_said_stands_under_one_lead_and_is_read_line_by_line() -> None:
    lines = (f"{FORMERLY}The cache is old.", f"{FORMERLY}The parser is new.", "- It was slow.", f"{FORMERLY}Alone.")
    text = render_sections(OURS, {"discoveries": lines})
    assert text.split("\n") == [
        "## Discoveries",
        "- as of an earlier summary:",
        "    - The cache is old.",
        "    - The parser is new.",
        "- It was slow.",
        "- as of an earlier summary: Alone.",
    ]
    assert parse_sections(text) == {"discoveries": lines}


def test_a_heading_with_nothing_below_it_is_left_out_of_our_own_template_only() -> None:
    assert "(none)" not in render_sections(OURS, {"goal": ["- x"]})
    assert render_sections(get_template("opencode"), {"goal": ["- x"]}).count("(none)") == 6
