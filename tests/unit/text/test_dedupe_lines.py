"""Folds: the text's own lines, with a note where repetitions stood; source keeps its text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from secateur.text.dedupe_lines import LEAST_CHARS, LEAST_LINES, fold

NOTE = re.compile(r"\[secateur: lines (\d+)-(\d+)(?: of (\d+))? left out(?:: more of the like(?:, recall \w+)?)?\]")
LINES = st.sampled_from(
    [
        "tests/test_beds.py::test_rose_{} PASSED",
        "compiled src/rose_{}.ts in {} ms",
        "",
        "error: thorn {}",
        "the gate",
        "{}",
    ]
)


def log(said: dict[int, str] | None = None, lines: int = 60) -> str:
    return "\n".join((said or {}).get(n, f"compiled src/rose_{n}.ts in {n} ms") for n in range(1, lines + 1))


def test_repetitions_give_way_to_a_note_and_the_first_and_the_last_lines_stay() -> None:
    assert fold(log()).split("\n") == [
        "compiled src/rose_1.ts in 1 ms",
        "compiled src/rose_2.ts in 2 ms",
        "[secateur: lines 3-57 of 60 left out: more of the like]",
        *(f"compiled src/rose_{n}.ts in {n} ms" for n in (58, 59, 60)),
    ]


def test_the_first_note_says_how_to_read_back() -> None:
    made = fold(log({30: "the gate is open"}), "3f2a9c")
    assert "[secateur: lines 3-29 of 60 left out: more of the like, recall 3f2a9c]\nthe gate is open\n" in made
    assert "\n[secateur: lines 31-57 left out]\n" in made


def test_what_is_said_once_what_went_wrong_and_what_is_asked_for_stay() -> None:
    said = {20: "state of the hedge: withered", 30: "error: src/rose_30.ts in 30 ms"}
    made = fold(log(said), about=("rose_40.",))
    for number in (20, 30, 40):
        assert log(said).split("\n")[number - 1] in made.split("\n")


def test_one_error_after_another_stays_but_for_the_same_in_other_places() -> None:
    files = [f"src/{'ab'[n % 2] * (n + 1)}.ts(3,5): error TS2322: not a rose" for n in range(30)]
    assert fold("\n".join(files)) == "\n".join(files)
    same = [f"src/beds.ts({n},5): error TS2322: not a rose" for n in range(60)]
    assert "lines 5-57 of 60 left out" in fold("\n".join(same))


def test_of_a_search_the_first_hits_in_each_file_stay() -> None:
    hits = [f"src/{file}.ts:{n}:  prune(rose, {n})" for file in ("beds", "vines") for n in range(20)]
    made = fold("\n".join(hits)).split("\n")
    assert made[:3] == hits[:3]
    assert made[4:7] == hits[20:23]


def test_short_stretches_stay() -> None:
    few = [f"compiled src/rose_{n}.ts in {n} ms" for n in range(LEAST_LINES + 4)]
    assert fold("\n".join(few)) == "\n".join(few)
    short = "\n".join(str(n) for n in range(LEAST_CHARS // 8))
    assert fold(short) == short


@given(st.lists(LINES, max_size=80), st.booleans())
def test_a_fold_is_exact_says_what_it_left_out_and_is_left_alone(shapes: list[str], handle: bool) -> None:
    text = "\n".join(one.format(n, n) for n, one in enumerate(shapes))
    made = fold(text, "3f2a9c" if handle else "")
    assert len(made) <= len(text)
    lines, at = text.split("\n"), 0
    for line in made.split("\n") if made != text else ():
        if note := NOTE.fullmatch(line):
            assert at + 1 == int(note[1])
            at = int(note[2])
        else:
            assert line == lines[at]
            at += 1
    assert made == text or at == len(lines)
    assert fold(made) == made
