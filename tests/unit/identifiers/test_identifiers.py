"""Two texts that name one thing share an identifier, however it is written."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.identifiers import Identifier, find_anchors, find_identifiers


def of(text: str, kind: str, cwd: str = "") -> set[str]:
    return {one.value for one in find_identifiers(text, cwd) if one.kind == kind}


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("see https://Docs.Example.org/a/b?x=1, please.", "url", {"https://docs.example.org/a/b?x=1"}),
        ("src/app/main.py:12:5: bad", "path", {"src/app/main.py"}),
        ("src/app/main.py:12:5: bad", "file", {"main.py"}),
        ("'./src/x.ts',", "path", {"src/x.ts"}),
        (r"open C:\work\new\table.csv now", "path", {"C:/work/new/table.csv"}),
        ("<div>text</div> and // note", "path", set()),
        ("at 3f2a91c, not deadbeef nor 1234567", "hash", {"3f2a91c"}),
        ("0190A7C2-1111-7000-8000-00000000000f", "hash", {"0190a7c2-1111-7000-8000-00000000000f"}),
        ("pkg.errors.TimeoutError TS2304: ENOENT", "error", {"TimeoutError", "TS2304", "ENOENT"}),
        ("Command exited with code 127; 64 left", "error", {"exit 127"}),
        ("self.max_tokens = parseInt(x) or plain", "symbol", {"self.max_tokens", "max_tokens", "parseInt"}),
        ("paid $1,234.50, then 12.0 and 7, id 00421", "number", {"1234.5", "12", "00421", "234.5"}),
        (
            "flight HAT012 of ABC-42, #17, v1.2.3, mia_li_3668",
            "id",
            {"HAT012", "ABC-42", "#17", "v1.2.3", "mia_li_3668"},
        ),
        ("write to a.b@example.org", "id", {"a.b@example.org"}),
        ('she said "never on a Sunday" twice', "quoted", {"never on a Sunday"}),
        ("don't do what I can't", "quoted", set()),
    ],
)
def test_what_a_text_names(text: str, kind: str, values: set[str]) -> None:
    assert of(text, kind) == values


def test_a_line_is_the_same_with_and_without_what_tools_put_before_it() -> None:
    line = "return engine.run(session, budget)"
    written = (
        line,
        f"\t{line}",
        f"   12→{line}",
        f"+    {line}",
        f"src/a.py:12:    {line}",
        f"src/a.py:12:7: {line}\r",
    )
    assert all(of(one, "line") == {line} for one in written)


def test_line_numbers_are_no_numbers() -> None:
    assert of("  1200→import os", "number") == set()


def test_json_is_read_before() -> None:
    code = 'if name == "x":\n\tprint("first\\n", total_cost)\n'
    said = '{"path": "src/a.py", "newText": "if name == \\"x\\":\\n\\tprint(\\"first\\\\n\\", total_cost)\\n"}'
    assert find_identifiers(code) <= find_identifiers(said)


def test_names_of_members_belong_to_a_result_and_not_to_arguments() -> None:
    given = '{"card_4421": {"max_amount": 900}}'
    assert Identifier("symbol", "max_amount") in find_identifiers(given)
    assert find_identifiers(given, names=False) == {Identifier("number", "900")}


def test_lines_of_json_and_escapes_inside_other_text() -> None:
    assert of('log:\n{"file": "src\\/a.py"}\n', "path") == {"src/a.py"}
    assert "b.py" in of(r"failed: {\"msg\": \"see\nb.py\"}", "file")


def test_relative_paths_are_resolved() -> None:
    home = "/home/ann/project"
    same = ("src/a.py", "./src/a.py", "/home/ann/project/src/a.py", "~/project/src/a.py", "src/b/../a.py")
    assert all(of(one, "path", home) == {"/home/ann/project/src/a.py"} for one in same)


def test_anchors_are_facts() -> None:
    text = "read/write access to src/a.py failed 3 of 1,200 times with KeyError, see max_tokens"
    assert find_anchors(text) == {
        Identifier("path", "src/a.py"),
        Identifier("number", "1200"),
        Identifier("number", "200"),
        Identifier("error", "KeyError"),
    }


TEXT = st.text(st.sampled_from("aZ09_./\\:-\"'`{}[],;#@~ \n\t→é中$%+"), max_size=200) | st.text(max_size=50)


@given(TEXT, st.sampled_from(["", "/home/u/p"]))
def test_any_text_is_read_the_same_twice(text: str, cwd: str) -> None:
    found = find_identifiers(text, cwd)
    assert found == find_identifiers(text, cwd)
    assert find_anchors(text, cwd) <= found
    assert all(one.value and "\n" not in one.value for one in found)


@given(TEXT, TEXT)
def test_lines_added_below_take_nothing_away(first: str, second: str) -> None:
    plain = first.replace('"', "").replace("{", "").replace("[", "")
    kinds = ("quoted", "line")
    before = {one for one in find_identifiers(plain) if one.kind not in kinds}
    assert before <= find_identifiers(f"{plain}\n.\n{second}")


PIECES = [
    "a",
    "1",
    "1,",
    ".",
    "/",
    "\\",
    "'",
    '"',
    "`",
    "-",
    "a-",
    "1:",
    "a/",
    "a.",
    "_",
    "A1",
    "0a",
    "{",
    "[",
    '{"',
    " ",
    "\n",
    "→",
]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), st.sampled_from(["", "{", '["', "a" * 30])
)
def test_no_repetition_makes_a_pass_slower_than_linear(piece: str, head: str) -> None:
    short, long = (spent(head + piece * (size // len(piece))) for size in (3_000, 60_000))
    assert long < 120 * max(short, 0.0002), "20 times the text took far more than 20 times as long"


def spent(text: str) -> float:
    """Seconds of this process for one pass, the best of a few."""
    times = []
    for _ in range(3):
        start = process_time()
        find_identifiers(text)
        times.append(process_time() - start)
    return min(times)
