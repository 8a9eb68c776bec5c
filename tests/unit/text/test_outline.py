"""Outlines: the lines by which one finds one's way, by number, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.text.outline import MAX_LINE_CHARS, NAMES, iterate_rare_names, outline, outline_with_names, shift_numbers


def test_of_source_what_is_defined_and_imported_stays_less_deep_lines_first() -> None:
    text = "import os\n\nclass Rose:\n    def cut(self):\n        x = 1\n        return x\n\ndef prune():\n    pass\n"
    assert outline(text, 400) == "1: import os\n3: class Rose:\n4: def cut(self):\n8: def prune():"
    assert outline(text, 44) == "1: import os\n3: class Rose:\n8: def prune():"


def test_the_paths_in_a_block_of_imports_stay_and_other_quoted_paths_do_not() -> None:
    text = (
        'import (\n\t"fmt"\n\tbeds "example.org/garden/beds"\n\n\t"example.org/rose"\n)\n\nfunc cut() {\n\t"a/b"\n}\n'
    )
    imports = '2: "fmt"\n3: beds "example.org/garden/beds"\n5: "example.org/rose"'
    assert outline(text, 400) == f"1: import (\n{imports}\n8: func cut() {{"
    assert outline('{"files": [\n  "a",\n  "b/c"\n]}', 400) == ""
    assert outline('import "fmt"\n  "a/b"', 400) == '1: import "fmt"'


def test_a_listing_keeps_its_own_numbers() -> None:
    assert outline("    12\tdef cut():\n    13\t    pass\n", 400) == "12: def cut():"


def test_of_a_search_the_files_stay_and_of_a_document_its_headings() -> None:
    assert outline("src/a.py:1:x\nsrc/a.py:2:y\nsrc/b.py:7:z", 400) == "1: src/a.py\n3: src/b.py"
    assert outline("# Roses\n\nred\n\n## Vines\n\ngreen", 400) == "1: # Roses\n5: ## Vines"


@pytest.mark.parametrize(
    "said",
    ["ValueError: no such plant", "FAILED tests - assert 3 == 4", "go: downloading rose v1.18.7", "def x " * 500],
)
def test_what_a_text_only_tells_has_no_outline(said: str) -> None:
    assert outline(f"a rose is a rose\n{said}\nand so on", 400) == ""


def test_lines_behind_those_that_fill_the_room_change_nothing() -> None:
    text = "import os\n    import sys\n" + "".join(f"def cut_{n}():\n    def tie():\n" for n in range(9))
    assert outline(text, 50) == outline(f"{text}import re\n", 50) == "1: import os\n3: def cut_0():\n5: def cut_1():"


@given(st.text(st.sampled_from("abd ef\n:/.-@01 \tB_=#"), max_size=300), st.integers(0, 200))
def test_an_outline_fits_and_its_lines_are_the_texts(text: str, room: int) -> None:
    made = outline(text, room)
    assert len(made) <= room
    for line in made.split("\n") if made else ():
        assert line.partition(": ")[2][:MAX_LINE_CHARS] in text
    named = outline_with_names(text, room, str)
    assert len(named) <= room
    lines, _, names = named.rpartition(NAMES)
    assert all(name in text for name in names.split(" ")) if NAMES in named else named == made
    assert set(lines.split("\n")) <= {*made.split("\n"), ""} or NAMES not in named


def test_a_range_of_a_file_has_the_numbers_of_the_file() -> None:
    text = "class Rose:\n    x = 1\n    def cut(self):\n        pass"
    assert shift_numbers(outline(text, 400), 240, 0) == "240: class Rose:\n242: def cut(self):"
    header = "Chunk ID: 0a\nOutput:\n"
    assert shift_numbers(outline(header + text, 400), 240, 2) == "240: class Rose:\n242: def cut(self):"
    assert shift_numbers("1: x\n3: y", 240, 2) == "1: x\n240: y"  # a line of the host keeps its number
    assert shift_numbers("", 240, 0) == ""


@given(
    st.lists(
        st.sampled_from(
            [
                "def cut():",
                "  import os",
                "src/a.py:3: x",
                "## Vines",
                "x = 1",
                "",
                " 12\tclass Rose:",
                "\r",
                "a.py",
                "é {",
            ]
        ),
        max_size=8,
    ),
    st.lists(st.sampled_from(["def tie():", "src/b.py", "    7: fn grow()", "ivy"]), max_size=4),
)
def test_what_a_line_is_does_not_follow_from_those_around_it(lines: list[str], others: list[str]) -> None:
    def entries(some: list[str]) -> set[str]:
        return {line.partition(": ")[2] for line in outline("\n".join(some), 10_000).split("\n")}

    alone = set[str]().union(*[entries([line]) for line in (*lines, *others)])
    assert entries([*lines, *others]) <= alone | {""}


def test_names_that_are_like_no_others_stand_behind_the_lines() -> None:
    rows = [f"-rw-r--r-- 1 dev dev 4{n} Mar 1 10:0{n % 10} order_{'total' if n % 2 else 'plan'}.py" for n in range(40)]
    rows[17] = "-rw-r--r-- 1 dev dev 4333 Mar 1 10:04 order_zebrano.py"
    assert [*iterate_rare_names("\n".join(rows))] == ["order_zebrano"]


def test_a_name_within_a_sentence_is_told_and_what_encodes_bytes_is_not() -> None:
    said = "The depot is shared. Ask Pibakamu before the depot is shared again, and again Before."
    assert [*iterate_rare_names(said)] == ["Pibakamu"]
    assert [*iterate_rare_names("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj MzEfYyjiWA4R4")] == []


def test_a_name_that_a_line_shows_is_not_told_again() -> None:
    text = "def first_zebrano():\n    walnut_tray = 1\n"
    assert outline_with_names(text, 400, str) == "1: def first_zebrano():\nnames: walnut_tray"


def test_what_is_taken_out_of_its_line_is_no_name() -> None:
    text = "secret: walnut-tray-cedar\nplain: maple_board\n"
    assert outline_with_names(text, 200, str) == "names: walnut-tray-cedar maple_board"
    hidden = outline_with_names(text, 200, lambda line: line.replace("walnut-tray-cedar", "[REDACTED]"))
    assert hidden == "names: maple_board"


def test_constants_are_definitions() -> None:
    assert (
        outline("RATE_LIMIT = 39663048\nx = 1\nFOO_BAR: int = 2\n", 200)
        == "1: RATE_LIMIT = 39663048\n3: FOO_BAR: int = 2"
    )
