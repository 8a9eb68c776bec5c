"""Marks on statements that the history does not bear out."""

import pytest

from secateur.compaction.ledger import Ledger
from secateur.compaction.marks import NOTE, WHY_CHARS, add_mark, drop_marked, is_marked, strip_marks
from secateur.compaction.summary import merge_sections, write_within_budget
from secateur.compaction.template import get_template


@pytest.mark.parametrize(
    ("line", "sentence", "why", "marked"),
    [
        ("- The pool is full.", "The pool is full.", "", "- The pool is full. (unconfirmed)"),
        (
            "- It rains. It is cold.",
            "It rains.",
            "no one said so",
            "- It rains. (unconfirmed: no one said so) It is cold.",
        ),
        ("| vent | open |", "", "it is shut (since May)", "| vent | open (unconfirmed: it is shut [since May]) |"),
        ("- rain", "vent: open", "it\nis shut", "- rain (unconfirmed: it is shut)"),
    ],
)
def test_a_mark_stands_behind_its_sentence_and_can_be_taken_off(
    line: str, sentence: str, why: str, marked: str
) -> None:
    assert add_mark(line, sentence, why) == marked
    assert is_marked(marked)
    assert strip_marks(marked) == line


def test_a_mark_is_short_and_a_remark_is_none() -> None:
    assert len(add_mark("- rain", "", "so " * 100)) <= len("- rain (unconfirmed: )") + WHY_CHARS
    assert not is_marked("- The order (unconfirmed until May) is open")


def test_marked_lines_are_no_evidence() -> None:
    assert drop_marked(("- rain (unconfirmed)", "- wind\n- snow (unconfirmed: none fell)")) == ("", "- wind")


def test_a_line_that_was_borne_out_later_takes_the_place_of_the_marked_one() -> None:
    made = merge_sections({"discoveries": ("- It rains (unconfirmed)",)}, {"discoveries": ("- It rains",)})
    assert made == {"discoveries": ("- It rains",)}
    kept = merge_sections({"discoveries": ("- It rains",)}, {"discoveries": ("- It rains (unconfirmed)",)})
    assert kept == {"discoveries": ("- It rains",)}


@pytest.mark.parametrize("mark", ["", " (unconfirmed)"])
def test_the_head_says_what_a_mark_means_where_there_is_one(mark: str) -> None:
    prose = {"discoveries": (f"- It rains{mark}",)}
    text = write_within_budget(get_template("secateur"), prose, Ledger(), 2_000, len).text
    assert (NOTE in text.partition("\n")[0]) is bool(mark)
    assert f"- It rains{mark}" in text
