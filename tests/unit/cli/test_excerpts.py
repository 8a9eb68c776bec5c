"""The first lines of a difference: bounded, and honest about what it leaves out."""

from secateur.cli.excerpts import excerpt


def test_a_cleared_output_shows_its_first_lines_and_what_stands_there_now() -> None:
    old = "\n".join(f"line {n}" for n in range(10))
    assert list(excerpt(old, "[gone]", 2)) == ["-line 0", "-line 1", "- … 8 more lines", "+[gone]"]


def test_lines_that_stay_are_context() -> None:
    old = "head\na\nb\ntail"
    assert list(excerpt(old, "head\n...\ntail", 4)) == [" head", "-a", "-b", "+...", " tail"]


def test_one_line_more_is_singular() -> None:
    assert list(excerpt("a\nb", "c", 1)) == ["-a", "- … 1 more line", "+c"]


def test_long_lines_are_cut_and_say_how_long_they_are() -> None:
    assert list(excerpt("x" * 10_000_000, "", 1)) == ["-" + "x" * 200 + "… (10,000,000 characters)", "+"]


def test_texts_of_many_lines_are_compared_as_far_as_anybody_reads() -> None:
    told = list(excerpt("a\n" * 1_000_000, "b", 1))
    assert told == ["-a", "- … 999 more lines", "+b", "  … 999,001 more lines, not compared"]


def test_no_difference_has_no_lines() -> None:
    assert list(excerpt("a", "a", 4)) == []
