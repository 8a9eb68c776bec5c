"""The agent's last words: whole where they have room, else what tells most."""

import json
import re

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, read_back, render_ledger
from secateur.compaction.ledger.bounded import limit_ledger
from secateur.compaction.ledger.entries import Quote
from secateur.compaction.ledger.said import CODE_LINES, clean_words
from secateur.compaction.ledger.turns.last_words import DELIVERY_CHARS, LEAST_CHARS, MOST_CHARS, condense_words
from secateur.compaction.ledger.user.brief_units import GAP

FILLER = [f"The module of part {number} reads its rows from the table of part {number}." for number in range(80)]


def quote(text: str) -> str:
    words = build_ledger(talk(user("Do the parts."), assistant(text=text)).messages).last_words
    assert words is not None
    return words.text


def test_words_that_have_room_are_quoted_whole() -> None:
    text = "\n".join(FILLER[:15])
    assert LEAST_CHARS < len(text) < MOST_CHARS
    assert quote(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "- `make test`: 14 passed, 1 skipped",
        "The push is blocked by the rule on branches.",
        "Committed as `1234abc`.",
        "Which of the two tables should stay?",
        "I did not touch the importer yet.",
    ],
)
def test_results_of_checks_questions_and_what_is_left_stay_of_long_words(line: str) -> None:
    said = quote("\n".join([*FILLER[:40], line, *FILLER[40:]]))
    assert line in said.split("\n")
    assert len(said) <= MOST_CHARS
    assert said.split("\n")[0] == FILLER[0]
    assert said.split("\n")[-1] == FILLER[-1]


def test_what_stands_under_a_heading_about_checks_stays_and_no_two_marks_follow_each_other() -> None:
    said = quote(
        "\n".join([*FILLER[:40], "## Verification", "- `./cart --dry-run`", "- the page by hand", "", *FILLER[40:]])
    )
    assert "## Verification\n- `./cart --dry-run`\n- the page by hand" in said
    assert "[…]\n[…]" not in condense_words(said, LEAST_CHARS)
    assert "- the page by hand" in condense_words(said, LEAST_CHARS)


def test_short_code_is_kept_and_long_code_is_marked() -> None:
    code = "```\n" + "{}" + "\n```"
    assert clean_words("The score:\n" + code.format("passed: 1/2")) == "The score:\n\n    passed: 1/2"
    assert clean_words("The code:\n" + code.format("x = 1\n" * (CODE_LINES + 1))) == "The code:\n\n[code]"


def test_last_words_become_shorter_only_where_other_entries_have_little_room() -> None:
    ledger = Ledger(last_words=Quote("\n".join(FILLER[:16])))
    assert limit_ledger(ledger, 0.15).last_words == ledger.last_words
    little = limit_ledger(ledger, 0.01).last_words
    assert little is not None
    assert LEAST_CHARS // 2 < len(little.text) <= LEAST_CHARS
    assert read_back(render_ledger(ledger)).last_words == ledger.last_words


@pytest.mark.parametrize("text", ["", "…", "x" * 50_000, "a. " * 20_000, "\n" * 50_000, "- " * 30_000, "**" * 20_000])
def test_odd_texts_are_condensed_at_once(text: str) -> None:
    assert len(condense_words(clean_words(text), LEAST_CHARS)) <= LEAST_CHARS


def test_of_a_long_listing_the_first_items_stay_and_what_is_left_open() -> None:
    items = [f"- `part{n}` - the part of row {n}" for n in range(40)]
    text = "\n".join(["Found:", *items[:20], "- `part99` was not committed", *items[20:], "Reuse them."])
    lines = condense_words(text, 4_000).split("\n")
    assert lines == ["Found:", *items[:11], "[…]", "- `part99` was not committed", "[…]", "Reuse them."]
    short = "\n".join(["Found:", *items[:14], "Reuse them."])
    assert condense_words(short, 4_000) == short


def test_of_many_lines_short_lists_stand_in_the_line_that_leads_to_them() -> None:
    text = "\n".join([*FILLER[:12], "Checked:", "- `make a`", "- `make b`.", "", "Open:", "", "    a: 1", "    b: 2"])
    lines = condense_words(text, MOST_CHARS).split("\n")
    assert lines == [*FILLER[:12], "Checked: `make a`; `make b`", "", "Open: a: 1; b: 2", ""][: len(lines)]
    few = "\n".join([*FILLER[:4], "Checked:", "- `make a`", "- `make b`"])
    assert condense_words(few, MOST_CHARS) == few


def test_of_many_lines_what_stands_under_a_heading_on_open_work_stays_and_no_line_leads_to_nothing() -> None:
    open_ = [
        "What is still open:",
        *(f"- the {name} of the menu, as it has no table" for name in ("lid", "row", "end")),
    ]
    open_[1] += " and nobody has found out where the old one was put, which the cook has to say first of all"
    changed = ["What changed:", *(f"- the part of row {n} reads its rows from the new table, {n}" for n in range(9))]
    lines = condense_words("\n".join(["It stands.", *changed, *open_, "", *FILLER[:9]]), MOST_CHARS).split("\n")
    assert [line for line in lines if line in open_] == open_
    short = condense_words("\n".join(["It stands.", *changed, *open_, "", *FILLER[:9]]), 600).split("\n")
    assert [line for line in short if line in open_] == open_
    assert "What changed:" not in short


def test_a_table_of_few_rows_is_not_parted_and_a_heading_goes_with_its_list() -> None:
    table = ["| part | reads |", "|---|---|", *(f"| row {n} | the table of part {n} |" for n in range(6))]
    items = [f"- the part of row {n} reads its rows from the new table of all the parts, {n}" for n in range(9)]
    lines = condense_words(
        "\n".join(["It stands.", *table, "**Parts:**", *items, "", *FILLER[:9], "Go on?"]), 1_000
    ).split("\n")
    assert [line for line in lines if line.startswith("|")] in (table, [])
    assert ("**Parts:**" in lines) == (items[0] in lines)
    wide = condense_words("\n".join(["It stands.", *FILLER[:12], *table, "Go on?"]), 1_200).split("\n")
    assert [line for line in wide if line.startswith("|")] == table


def test_an_opening_that_only_announces_is_not_quoted() -> None:
    assert quote("Now I have the full picture. Let me summarize what is there.\n\nIt reads rows.") == "It reads rows."
    assert quote("Now I have a complete picture. The reader fails.") == "The reader fails."
    assert quote("Now I have the full picture.") == "Now I have the full picture."


def test_a_sentence_that_speaks_of_one_that_is_left_out_is_left_out_as_well() -> None:
    filler = [f"Part {n} of the ferry is described in the manual of the yard." for n in range(30)]
    text = "\n".join(
        ["The cause is the valve.", *filler, "This was checked: all 12 tests passed.", *filler, "It is mended."]
    )
    said = condense_words(text, 200)
    assert "This was checked" not in said
    assert said.startswith("The cause is the valve.")


def test_a_report_of_changes_has_less_room_than_an_answer_and_keeps_what_is_open() -> None:
    words = "\n".join(
        [*map(" ".join, zip(FILLER[:12], FILLER[12:24], strict=True)), "The push is blocked by the rule on branches."]
    )
    edit = (
        assistant(("e", "Write", json.dumps({"file_path": "/w/a.py", "content": "a = 1\n"}))),
        result("ok", "Write", "e"),
    )
    made = build_ledger(talk(user("Do the parts."), *edit, assistant(text=words)).messages).last_words
    assert made is not None
    assert len(made.text) <= DELIVERY_CHARS < len(quote(words))
    assert "The push is blocked" in made.text


def test_a_number_stays_with_the_sentence_that_it_leads_to() -> None:
    rest = "It is called twice for each row of the table, and the second call throws the sum of the first away. " * 3
    text = "\n".join(f"{n}. High: the total of carts is wrong in case {n}. {rest}" for n in range(1, 8))
    kept = condense_words(text, 900)
    assert GAP in kept
    assert not any(re.fullmatch(r"\d\.(?: \[…\])?", line.strip()) for line in kept.split("\n"))
    assert "1. High: the total of carts is wrong in case 1." in kept
