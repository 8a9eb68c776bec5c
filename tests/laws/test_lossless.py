"""Shorter forms that hold everything: each is turned back into what it was made of."""

import json
import random
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from law_examples import examples
from secateur.text.lossless import (
    clean,
    decode_tables,
    encode_tables,
    expand_repeats,
    expand_templates,
    fold_repeats,
    fold_templates,
    is_log,
    is_tables,
    is_templated,
    write_json_as_tables,
)
from secateur.text.lossless.tables import HEAD
from secateur.text.own_text import is_folded

STRINGS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", " ", "a|b", "true", "null", "1e5", "-0", "<table 1>", "<table 2>\nx", '"', "[", "{}", "a=b", "=", "*3"]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), STRINGS)
NAMES = st.one_of(
    st.sampled_from(["id", "name", "a.b", "user", "a=b", "x|y", "", "*2", "[", "a b", "1"]), st.text(max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=40,
)


@st.composite
def rows(draw: st.DrawFn) -> list[Any]:
    """Objects that share most of their members."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    made = []
    for _ in range(draw(st.integers(3, 6))):
        has = [name for name in names if draw(st.integers(0, 5))]
        made.append({name: draw(VALUES if draw(st.booleans()) else SCALARS) for name in has})
    return made


JSON = st.one_of(VALUES, rows(), st.builds(lambda some, more: {"items": some, "next": more}, rows(), VALUES))


def spell(value: Any) -> str:
    """One spelling for each value: 1, 1.0 and true are not the same."""
    return json.dumps(value, sort_keys=True)


@given(JSON)
@examples(80)
def test_tables_are_turned_back_into_the_same_values(value: Any) -> None:
    assert spell(decode_tables(encode_tables(value))) == spell(value)


@given(JSON, st.sampled_from([None, 1, 2]), st.sampled_from(["", "exit code: 0\n"]))
@examples(50)
def test_json_in_a_text_becomes_tables_that_hold_it(value: Any, indent: int | None, before: str) -> None:
    written = json.dumps(value, indent=indent)
    text = f"{before}{written}\n"
    made = write_json_as_tables(text, "3f2a9c")
    if made == text:
        return
    assert made.startswith(before + HEAD)
    inside = made[len(before) :].partition("]\n")[2].removesuffix("\n")
    assert spell(decode_tables(inside)) == spell(value)
    assert is_tables(made)
    assert write_json_as_tables(made, "3f2a9c") == made


LINES = st.one_of(
    st.sampled_from(["", "A", "A 1", "=", "=A", "A: {}", "x {} y", "the gate", "\t", "  "]),
    st.builds("2026-03-04T10:{:02}:{:02}Z INFO compiled src/rose_{}.ts in {} ms".format, *[st.integers(0, 59)] * 4),
    st.builds("2026-03-04T10:{:02}:{:02}Z WARN  [{}] request={:x} slow".format, *[st.integers(0, 59)] * 4),
    st.builds("[{}/900] Building {}.o".format, st.integers(1, 900), st.text("abc", min_size=1, max_size=3)),
    st.text(max_size=20),
)
LOGGED = st.one_of(
    st.builds("2026-03-04T10:{:02}:{:02}Z INFO compiled src/rose_{}.ts in {} ms".format, *[st.integers(0, 59)] * 4),
    st.builds(
        "lint\tstep\t2026-03-04T10:0{}:{:02}.5Z {}".format, st.integers(0, 1), st.integers(0, 59), st.text("ab {}|")
    ),
    st.builds("10:{:02}:{:02} WARN  [{}] request={:x} slow".format, *[st.integers(0, 59)] * 4),
)
TEXTS = st.lists(st.one_of(LOGGED, LOGGED, LINES), min_size=8, max_size=60).map("\n".join)


CUT = [  # words of which templates share a beginning, an end or all; a space may be in one
    *('"w-1":', '"w-2":', '="1', "a=b", "a=c", "k=2026-03-04", "(a)", "a)", "{", "INFO", "", "Z", "ZZ", "9Z", "1ms"),
    *(
        "10:03:12",
        "10:03:13",
        "10:04:13",
        "[10:03:12]",
        "#10:03:04",
        "\u0661\u0660:\u0660\u0663:\u0660\u0661",
        "Mar  4",
    ),
    *("2026-03-04", "2026-03-05T10:03:01Z", "04/Mar/2026:10:03:01", "04/Mar/2026:10:03:02", "x/2026", "\u00e9a", "the"),
]
BEGINS, ENDS = ("", "k=", "10:03:", '"'), ("", "Z", ":")


def log_of(seed: int) -> str:
    """Lines of a few words each, of which some places have few words, and others many values."""
    made = random.Random(seed)
    places = [
        made.sample(CUT, made.randrange(1, 5)) if made.random() < 0.7 else [] for _ in range(made.randrange(1, 7))
    ]
    lines = []
    for _ in range(made.randrange(8, 30)):
        values = (f"{made.choice(BEGINS)}{made.randrange(50)}{made.choice(ENDS)}" for _ in places)
        words = [made.choice(some) if some else value for some, value in zip(places, values, strict=True)]
        lines.append(" ".join(words[: made.randrange(1, len(words) + 1)] if made.random() < 0.2 else words))
    return "\n".join(lines)


@given(st.one_of(st.integers(0, 1 << 32).map(log_of), TEXTS))
@examples(60)
def test_logs_are_turned_back_into_the_same_characters(text: str) -> None:
    made = fold_templates(text)
    assert expand_templates(made) == text
    assert made == text or is_templated(made)
    assert fold_templates(made) == made


@given(st.lists(st.tuples(LINES, st.integers(1, 12)), max_size=20))
@examples(60)
def test_equal_lines_are_turned_back_and_the_notes_number_them(runs: list[tuple[str, int]]) -> None:
    text = "\n".join(line for line, count in runs for _ in range(count))
    made = fold_repeats(text)
    assert expand_repeats(made) == text
    assert len(made) <= len(text)
    assert made == text or is_folded(made)
    assert fold_repeats(made) == made


@given(
    st.lists(
        st.one_of(LINES, st.sampled_from(["\x1b[1mred\x1b[0m", "1%\r2%\r3%\r100%", "a\r", "a\rb\rc"])), max_size=20
    )
)
@settings(deadline=None)
def test_what_a_terminal_shows_stays_line_by_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    shown = clean(text)
    assert shown.count("\n") == text.count("\n")
    assert clean(shown) == shown
    if not re.search("[\x1b\r]", text):
        assert shown == text


LINES = {
    "10:03:12 the gate opens": True,
    "[2026-03-04T10:03:12] the gate opens": True,
    "\u0663\u0663:\u0664\u0664:\u0665\u0665 the gate opens": True,  # digits of another script
    "garden INFO opened": True,
    "level=warn rose=3": True,
    "[12/40] cut the rose": True,
    " 45%|####": True,
    "src/beds/rose.py": False,
    "beds[1] = 3/4": False,
    "ratio 1/2] of roses": False,
    "open at 10:03": False,
    "INFORMED": False,
}


@given(st.lists(st.sampled_from([*LINES, ""]), max_size=24))
@settings(deadline=None)
def test_a_log_is_a_text_of_which_most_lines_tell_a_time_a_level_or_how_far_something_is(lines: list[str]) -> None:
    telling = [LINES[line] for line in lines if line]
    assert is_log("\n".join(lines)) == (len(telling) >= 8 and 2 * sum(telling) >= len(telling))
