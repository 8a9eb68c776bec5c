"""Which lines tell how it went, which are like others, and which are like none."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.text.gist import (
    EACH,
    MANY,
    STEMS,
    find_candidates,
    find_shared_shapes,
    find_stems,
    find_unique_lines,
    find_versions,
    get_shape,
    is_telling,
    limit_per_shape,
)
from secateur.text.gist.shapes import compute_shapes, get_listing_shape

WORDS = st.sampled_from([
    "error", "Error", "ERRORS", "0", "no", "failed", "/", "-", ":", "rose", "TypeError", "exit code", "1", "10.2.3",
    "v1.18.7", "=", "raise", "{", "✗", "err\u017for", "timed out", "src/errors.py", "returncodException", "\"id\": 7",
    "'ivy'", "camelCase", "\t", "fatal", "killed", "12:03", "\r", "4.5.6.7",
])  # fmt: skip
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(lambda words: " ".join(words)), max_size=12).map("\n".join)


@pytest.mark.parametrize(
    "said",
    [
        "0 errors, 0 warnings",
        "no failures",
        "errors: 0",
        "src/errors.py",
        "150\traise ValueError(text)",
        "   150→    return Error",
        "raise ValueError(text)",
        "    except KeyError as error:",
        "// an error is thrown here",
        't.Fatalf("unexpected error: %v", err)',
        "func cut() (Rose, error) {",
        "terror in the garden",
        "the exit is on the left",
    ],
)
def test_what_only_sounds_like_it_is_not(said: str) -> None:
    assert not is_telling(said.strip())


def test_lines_are_alike_that_differ_in_numbers_names_and_values() -> None:
    assert get_shape("tests/test_beds.py::test_cut PASSED [ 12%]") == get_shape(
        "tests/test_vines.py::test_tie PASSED [ 99%]"
    )
    assert get_shape("10:02:11 compiled src/rose.ts in 31 ms") == get_shape("10:02:14 compiled src/vine.ts in 7 ms")
    assert get_shape("compiled src/rose.ts in 31 ms") != get_shape("skipped src/rose.ts in 31 ms")
    assert get_shape('"id": 31, "sort": "climbing rose"') == get_shape('"id": 7, "sort": "trailing ivy"')


def test_a_state_is_told_by_its_word_and_a_name_by_its_form() -> None:
    assert get_shape('"state": "active"') != get_shape('"state": "withered"')
    assert get_shape('"on": "2026-03-04"') == get_shape('"on": "2025-11-30"') != get_shape('"on": "yesterday07"')


def test_a_shape_is_shared_by_four_lines_at_least() -> None:
    lines = ["cut rose_1", "cut rose_2", "cut rose_3", "water ivy_1", "cut rose_4"]
    assert [bool(one) for one in find_shared_shapes(lines)] == [True, True, True, False, True]
    assert not any(find_shared_shapes(lines[:4]))


def test_hits_are_alike_in_one_file_and_an_empty_line_is_like_the_one_before() -> None:
    assert [
        bool(one)
        for one in find_shared_shapes(
            [*(f"src/beds.ts:{n}: rose {n * 'a'}" for n in range(4)), "", "src/vines.ts:9: rose"]
        )
    ] == [
        *[True] * 5,
        False,
    ]


def test_words_that_few_lines_have_are_what_a_log_speaks_of() -> None:
    kinds = ("rose", "vine", "ivy", "box", "yew", "oak", "elm", "fir")
    lines = [f"10:02:{n} INFO cut {kinds[n % 8]} in bed 7 with care" for n in range(16)]
    assert len(set(find_shared_shapes(lines))) == 1
    assert [bool(one) for one in find_shared_shapes([*lines, "10:02:77 INFO the gate is open"])][-1] is False


def test_what_is_said_once_counts_where_most_is_said_again() -> None:
    lines = [f"cut rose_{n}" for n in range(9)]
    assert find_unique_lines([*lines, "the gate is open", ""]) == [*[False] * 9, True, False]
    assert not any(find_unique_lines(["roses", "the gate is open", "cut rose_1"]))
    assert not any(find_unique_lines([*lines, "x" * 2_000][:9]))


def test_in_a_very_long_list_the_paths_of_one_folder_are_alike() -> None:
    paths = [f"beds/{'ab'[n % 2]}/rose_{n}.ts" for n in range(MANY + 1)]
    assert len(set(find_shared_shapes(paths))) == 2
    assert not any(find_shared_shapes(paths[:-1]))
    assert len(set(find_shared_shapes([f"./beds/{n}:" for n in range(MANY + 1)]))) == 1


@pytest.mark.parametrize(
    "entry",
    [
        "  {n} src/bed_{n}.py",
        "M  src/bed_{n}.py",
        "1.5K\tsrc/bed_{n}.py",
        "-rw-r--r-- 1 me me {n} Nov 22 05:37 bed_{n}.py",
    ],
)
def test_what_a_list_names_is_like_nothing_else(entry: str) -> None:
    assert not any(find_shared_shapes([entry.format(n=n) for n in range(100, 160)]))


@settings(deadline=None)
@given(TEXTS)
def test_what_a_text_tells_is_what_its_lines_tell_one_by_one(text: str) -> None:
    lines = text.split("\n")
    judged = [at for at, line in enumerate(lines) if any(stem in line for stem in STEMS) and is_telling(line.strip())]
    assert {*judged} <= {*find_candidates(text, lines)}
    named = [at for at, line in enumerate(lines) if re.search(r"\w[ @=-]{1,2}v?\d+\.\d+\.\d+", line)]
    assert list(find_versions(text, lines)) == named


@settings(deadline=None)
@given(TEXTS)
def test_numbers_change_no_shape_and_three_of_a_shape_are_few(text: str) -> None:
    lines = [line.replace('"', "") for line in text.split("\n")]
    other = [line.translate(str.maketrans("123456789", "987654321")) for line in lines]
    assert list(map(get_shape, lines)) == list(map(get_shape, other))
    kept = list(limit_per_shape(lines, range(len(lines))))
    assert all(
        [get_shape(lines[at]) for at in kept].count(said) == min(EACH, list(map(get_shape, lines)).count(said))
        for said in map(get_shape, lines)
    )


@pytest.mark.parametrize(
    "said",
    ["returncodException: no rose", "0 errors, but 1 failure", "ERROR at 10:02", "the build was killed", "exit code 3"],
)
def test_what_it_tells_is_found_wherever_it_stands(said: str) -> None:
    assert is_telling(said)
    assert is_telling(f"at 10:02 {said}")


@pytest.mark.parametrize(
    "said", ["0 err\u017fors", "without any errors", "cut 3 roses; no failed cuts", "beds/error-page"]
)
def test_what_is_denied_is_not_told_however_it_is_spelled(said: str) -> None:
    assert not is_telling(said)


SIGNED = st.lists(
    st.lists(
        st.sampled_from([
            "rose", "the", "gate(", ")", "[x]", "a.b", "src/a.py:3:", "ab_c;", "'t", '"a b"', "12", "=", "{", "}",
            "\u00e9t\u00e9", "camelCase", "12345678", "", "don't", "a,b", "\u3000", "-", ":", '"id" :', '"', '"c d3 e"',
        ]),
        max_size=5,
    ).map(" ".join),
    max_size=14,
)  # fmt: skip


@given(SIGNED)
@settings(deadline=None)
def test_lines_have_the_shapes_together_that_each_has_alone(lines: list[str]) -> None:
    for line, said in zip(lines, compute_shapes(lines), strict=True):
        assert said == (get_listing_shape(line, False) or get_shape(line))


@given(
    st.lists(st.sampled_from([*STEMS, *map(str.upper, STEMS), "gate", " ", "_", "7", "\n"]), max_size=12).map("".join)
)
@settings(deadline=None)
def test_the_stems_of_a_text_are_those_that_stand_in_it(text: str) -> None:
    assert {*find_stems(text)} == {stem for stem in STEMS if stem in text}


@given(TEXTS)
def test_the_first_lines_of_each_shape_stay(text: str) -> None:
    lines = text.split("\n") * 2
    shapes = [get_shape(line) for line in lines]
    first = [place for place, shape in enumerate(shapes) if shapes[:place].count(shape) < EACH]
    assert list(limit_per_shape(lines, range(len(lines)))) == first
