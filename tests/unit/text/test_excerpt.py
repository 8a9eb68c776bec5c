"""Excerpts: exact, never longer, honest about what is left out; and the trimmed form that OpenClaw uses."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from secateur.text.excerpt import LEAST_CHARS, excerpt, split_head_tail, trim_text

NOTE = re.compile(r"\[secateur: characters (\d+)-(\d+) of (\d+)(?:, lines (\d+)-(\d+) of (\d+))? left out(.*)\]")
TEXTS = st.text(st.sampled_from("ab \n\r.é🌹\ud83c\udf39") | st.characters(), max_size=60)
LINES = st.sampled_from(["rose\n", "error: thorn\n", "ok\r\n", "exit code 3\n", "0 errors\n", "Traceback 🌹 " * 30])


def log(lines: int, said: dict[int, str]) -> str:
    return "".join(said.get(number, f"plant {number} grew on and on") + "\n" for number in range(1, lines + 1))


def test_a_short_text_is_left_as_it_is() -> None:
    text = "x" * 1_000
    assert excerpt(text, 1_000) is text
    assert excerpt("y" * LEAST_CHARS, 3) == "y" * LEAST_CHARS


def test_ends_error_lines_and_exit_status_stay_with_their_line_numbers() -> None:
    text = log(300, {120: "ERROR: the hedge fell over", 200: "Process exited with code 1"})
    assert excerpt(text, 700) == (
        "".join(f"plant {number} grew on and on\n" for number in range(1, 11))
        + "[secateur: characters 232-7146 of 7396, lines 11-290 of 300 left out; among them, by line number:]\n"
        + "120: ERROR: the hedge fell over\n"
        + "200: Process exited with code 1\n"
        + "[secateur: end of these lines]\n"
        + "".join(f"plant {number} grew on and on\n" for number in range(291, 301))
    )


def test_a_handle_stands_in_the_note() -> None:
    assert ", recall 3f2a9c left out" not in excerpt(log(99, {}), 500)
    assert " left out, recall 3f2a9c]" in excerpt(log(99, {}), 500, handle="3f2a9c")


@pytest.mark.parametrize(
    "said",
    [
        "src/beds.ts(3,5): error TS2322: not a rose",
        "E   AssertionError: 3 != 4",
        "ValueError: no such plant",
        "FAILED tests/test_beds.py::test_cut",
        "bash: secateur: command not found",
        "thread 'main' panicked at beds.rs:4",
        "Segmentation fault (core dumped)",
        "mkdir: cannot create directory: Permission denied",
        "2 failed, 3 passed",
        "Exit code 137",
        "<returncode>2</returncode>",
        '  "exit_code": 1,',
        "✗ cuts the hedge",
    ],
)
def test_what_went_wrong_is_kept(said: str) -> None:
    assert f"\n150: {said.strip()}\n" in excerpt(log(300, {150: said}), 800)


def test_what_a_log_says_once_is_kept_and_what_a_text_without_repetitions_says_is_not() -> None:
    assert "\n150: 0 errors so far\n" in excerpt(log(300, {150: "0 errors so far"}), 800)
    prose = "\n".join(f"{'of ' * (number % 40)}roses {'and ' * (number // 40)}thorns" for number in range(300))
    assert "150:" not in excerpt(prose, 800)


def test_many_errors_keep_the_first_and_the_last_and_repeated_ones_once() -> None:
    text = log(2_000, {number: f"error: thorn {number}" for number in range(100, 1_900)})
    kept = [int(number) for number in re.findall(r"^(\d+): error: thorn \1$", excerpt(text, 4_000), re.MULTILINE)]
    assert kept[0] < 200
    assert kept[-1] > 1_800
    assert 20 < len(kept) < 50
    assert kept == sorted(kept)
    same = log(2_000, dict.fromkeys(range(100, 1_900), "error: thorn"))
    assert len(re.findall(r"^\d+: error: thorn$", excerpt(same, 4_000), re.MULTILINE)) == 1


def test_of_a_huge_text_a_million_characters_at_either_end_are_looked_through() -> None:
    text = log(
        200_000, {9_000: "error: early", 100_000: "error: amid", 190_000: "error: late", 190_001: "error: later"}
    )
    assert re.findall(r"^(\d+): (.*)$", excerpt(text, 2_000), re.MULTILINE) == [
        ("9000", "error: early"),
        ("190000", "error: late"),
        ("190001", "error: later"),
    ]


def test_of_a_long_line_a_piece_around_the_error_is_shown() -> None:
    text = "{" + "'rose': 1, " * 300 + "'error': 'thorn', " + "'vine': 2, " * 300 + "}"
    shown = re.search(r"^1: (…?)(.*?)(…?)$", excerpt(text, 900), re.MULTILINE)
    assert shown is not None
    assert (shown[1], shown[3]) == ("…", "…")
    assert "'error': 'thorn'" in shown[2]
    assert shown[2] in text
    assert len(shown[2]) <= 200


def test_line_ends_stay_as_they_are() -> None:
    text = "a rose is a rose\r\n" * 200
    made = excerpt(text, 600)
    note = NOTE.search(made)
    assert note is not None
    assert text.startswith(made[: note.start()])
    assert text.endswith(made[note.end() + 1 :])
    assert made.count("\r\n") == made.count("\r") == made.count("rose is")


@given(st.lists(LINES | TEXTS, min_size=1, max_size=60).map("".join), st.integers(1, 9), st.integers(0, 2_000))
@example("error: x\n" * 90, 9, 0)
@example("\ud83c\udf39" * 400, 1, 401)
@example("\r\n" * 900, 1, 500)
def test_an_excerpt_is_exact_and_says_what_it_left_out(text: str, times: int, max_chars: int) -> None:
    text *= times
    made = excerpt(text, max_chars)
    assert len(made) <= len(text)
    assert made == excerpt(text, max_chars)
    if made == text:
        return
    assert len(made) <= max(max_chars, LEAST_CHARS)
    assert excerpt(made, max_chars) == made
    note = next(NOTE.finditer(made))
    start, end, total = int(note[1]) - 1, int(note[2]), int(note[3])
    tail = text[end:]
    assert total == len(text)
    assert made.startswith(text[:start])
    assert made.endswith("\n" + tail)
    assert not _parted(text, start)
    assert not _parted(text, end)
    if note[4]:
        assert int(note[4]) == text.count("\n", 0, start) + 1
        assert int(note[6]) == len(text.removesuffix("\n").split("\n"))
    between = made[note.end() + 1 : len(made) - len(tail)]
    for number, _, said in re.findall(r"^(\d+): (…?)(.*?)…?$", between, re.MULTILINE):
        assert said in text.split("\n")[int(number) - 1]


def _parted(text: str, at: int) -> bool:
    return bool(re.fullmatch("[\ud800-\udbff][\udc00-\udfff]|\r\n", text[max(at - 1, 0) : at + 1]))


@pytest.mark.parametrize(
    ("text", "head", "tail", "made"),
    [
        (
            "AAAAA\nBBBBB",
            7,
            3,
            "AAAAA\nB\n...\nBBB\n\n[Tool result trimmed: kept first 7 chars and last 3 chars of 11 chars.]",
        ),
        (
            "ab\ncd\nef",
            3,
            4,
            "ab\n\n...\nd\nef\n\n[Tool result trimmed: kept first 3 chars and last 4 chars of 8 chars.]",
        ),
        ("rose", 1, 0, "r\n...\n\n\n[Tool result trimmed: kept first 1 chars and last 0 chars of 4 chars.]"),
        ("rose", 2, 2, "rose"),
        ("", 0, 0, ""),
    ],
    ids=["CL-10", "CL-11", "no tail", "CL-12", "empty"],
)
def test_trimmed_is_openclaws_form(text: str, head: int, tail: int, made: str) -> None:
    assert trim_text(text, head, tail) == made


def test_trimmed_sizes_of_openclaws_vectors() -> None:
    assert len(trim_text("x" * 5_000, 1_500, 1_500)) == 3_086  # CL-2
    assert len(trim_text("x" * 4_001, 1_500, 1_500)) == 3_086  # CL-3
    assert len(trim_text("AAAAA\nBBBBB", 7, 3)) == 88  # CL-10


def test_trimmed_takes_another_note() -> None:
    assert trim_text("roses", 1, 1, "({tail}/{head} of {chars}, {other} {})") == "r\n...\ns\n\n(1/1 of 5, {other} {})"


@given(TEXTS, st.integers(0, 70), st.integers(0, 70))
@example("\ud83c\udf39\ud83c\udf39", 1, 1)
def test_ends_are_exact_and_part_no_character(text: str, head: int, tail: int) -> None:
    first, last = split_head_tail(text, head, tail)
    assert text.startswith(first)
    assert text.endswith(last)
    if head + tail >= len(text):
        assert (first, last) == (text, "")
    else:
        assert head - 1 <= len(first) <= head
        assert tail - 1 <= len(last) <= tail
        pair = re.compile("[\ud800-\udbff][\udc00-\udfff]")
        assert not pair.fullmatch(text[max(len(first) - 1, 0) : len(first) + 1])
        assert not pair.fullmatch(text[max(len(text) - len(last) - 1, 0) : len(text) - len(last) + 1])
