"""Grouping hits loses nothing: the text comes back character by character, whatever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.text.lossless import expand_hits, group_hits, is_grouped

PATHS = st.sampled_from(
    ["src/a.py", "src/a-1.py", "src/a-1-b.py", "./b c.py", "b.py", "@ c.py", "=d.py", "e", "7-8.py"]
)
NUMBERS = st.integers(0, 10**9).map(str)
TEXTS = st.one_of(st.text(max_size=12), st.sampled_from(["", "--", "@ x", "=", "12:13:", "3-4-", "\r", "a:1:b"]))
HITS = st.one_of(
    st.builds("{}:{}:{}".format, PATHS, NUMBERS, TEXTS),
    st.builds("{}-{}-{}".format, PATHS, NUMBERS, TEXTS),
    st.builds("{}:{}:{}".format, st.just("src/a.py"), NUMBERS, TEXTS),
    st.builds("{}-{}-{}".format, st.just("src/a.py"), NUMBERS, TEXTS),
    TEXTS,
)
MANY = [f"src/bed_{n // 9}.py:{n}:    prune(rose_{n})" for n in range(90)]


@given(st.lists(HITS, max_size=40).map("\n".join))
def test_what_is_grouped_comes_back(text: str) -> None:
    assert expand_hits(group_hits(text)) == text


@given(st.lists(HITS, max_size=9), st.lists(st.sampled_from(MANY), min_size=40, max_size=90))
def test_so_does_a_long_search_with_other_lines_around(odd: list[str], hits: list[str]) -> None:
    text = "\n".join([*odd, *sorted(hits), *odd])
    assert expand_hits(group_hits(text)) == text


@given(st.text())
def test_a_text_that_was_not_grouped_is_itself(text: str) -> None:
    assert expand_hits(text) == text or text.startswith("[secateur: ")


def test_the_path_stands_once_and_every_line_whole() -> None:
    made = group_hits("\n".join(MANY))
    head = "[secateur: 90 lines of a search, none left out: a path after @, then its lines]"
    assert made.startswith(f"{head}\n@ src/bed_0.py\n0:    prune(rose_0)\n")
    assert made.count("src/bed_3.py") == 1
    assert len(made) < 0.7 * len("\n".join(MANY))
    assert is_grouped(made)
    assert not is_grouped(made + "\none more")
    assert group_hits(made) == made


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"src/bed_{n}.py:{n}: one hit in each file" for n in range(90)),
        "\n".join(f"{n}:one file, so no path" for n in range(90)),
        "\n".join(f"10:0{n % 6}:30 a time of day is no path" for n in range(90)),
        "",
    ],
)
def test_what_has_nothing_to_group_stays(text: str) -> None:
    assert group_hits(text) == text


def test_context_belongs_to_its_hit_and_separators_stay() -> None:
    lines = [f"a/b-2.py{'-' if n % 3 else ':'}{n}{'-' if n % 3 else ':'}text {n}" for n in range(60)]
    text = "\n".join([*lines[:30], "--", *lines[30:]])
    made = group_hits(text)
    assert made.count("a/b-2.py") <= 3
    assert expand_hits(made) == text
