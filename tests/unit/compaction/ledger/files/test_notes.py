"""What each changed file now has, and the lines about files."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Command, FileEntry, Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.files.aims import drop_told_aims
from secateur.compaction.ledger.files.rewrites import list_names_defined
from secateur.compaction.ledger.files.short_notes import drop_idle_notes, drop_reported, limit_notes, shorten_committed
from secateur.model import Message


def called(tool: str, text: str = "", **given: Any) -> tuple[Message, Message]:
    return assistant((tool, tool, json.dumps(given)), text=text), result("ok", tool, tool)


def edited(path: str, old: str, new: str, text: str = "") -> tuple[Message, Message]:
    return called("edit", text, file_path=path, old_string=old, new_string=new)


def notes(*messages: Message) -> dict[str, str]:
    return {one.path: one.about for one in build_ledger(talk(user(), *messages).messages).files}


@pytest.mark.parametrize(
    ("path", "old", "new", "note"),
    [
        ("a.py", "x = 1", "def load(path):\n    return 1\n\nclass Reader:\n    pass", "adds Reader, load"),
        ("a.py", "def load(path):\n    return 1", "def read(path):\n    return 1", "renames load to read"),
        ("a.py", "def load(path):\n    return 1", "def read(rows):\n    return rows", "adds read; drops load"),
        ("a.json", '"gray": 8,\n"red": 1', '"gray": "#333",\n"red": 2,\n"blue": 1', '`"gray": 8` → `"gray": "#333"` …'),
        ("a.py", "def f(a):\n    pass", "def f(a):\n    return a", "changes f: `pass` → `return a`"),
        (
            "a.md",
            "# Colors (6 of them)\n\nred",
            "# Colors (7 of them)\n\nred\nblue",
            "changes “Colors (7 of them)”: adds `blue`",
        ),
        ("a.md", "# Colors\n\nred", "# Names of the boats\n\nred", "adds “Names of the boats”; drops “Colors”"),
        (
            "a.py",
            "def f(a):\n    b()\n    c()",
            "def f(a):\n    x(1)\n    y(2)",
            "changes f: adds `x(1)` and `y(2)`",
        ),
        ("a.md", "# One\ntext", "# One\nother", "changes “One”: `text` → `other`"),
        ("a.go", "", "func (p *Pusher) Push(ctx context.Context) error {\n}", "adds Push"),
        ("a.ts", "x", "  private showStatus(text: string): void {\n  }", "adds showStatus"),
        ("a.ts", "x", "export const parse = (text: string) => text;", "adds parse"),
        ("a.test.ts", "", "it('keeps the order', () => {});", "adds “keeps the order”"),
        ("README.md", "text", "## Install\n\ntext", "adds “Install”"),
        ("a.ts", "import { a } from './a';", "import { a, b } from '../b';", "imports only"),
        ("a.py", "from a import b\n", "from a import (\n    b,\n    c,\n)\n", "imports only"),
        ("a.py", "f(a,b)", "f(\n    a, b\n)", "layout only"),
        ("a.py", "x = 1", "x = 1 if y else 2", "`x = 1` → `x = 1 if y else 2`"),
        ("a.py", "x = 1\n", "# why\nx = rows(2)\ny = rows(3)\n", "`x = 1` → `x = rows(2)`, adds `y = rows(3)`"),
        ("a.ts", "  }, [rows]);", "  }, [rows, width]);", "`}, [rows]);` → `}, [rows, width]);`"),
        (
            "a.c",
            "static bool take(node_t* at)\n{\n  one();\n  two();\n}",
            "static bool take(node_t* at)\n{\n  six();\n}",
            "changes take: `one();` → `six();`, drops `two();`",
        ),
        (
            "a.java",
            "  public int size(List<Row> rows) {\n    return 1;\n  }",
            "  public int size(List<Row> rows) {\n    return 2;\n  }",
            "changes size: `return 1;` → `return 2;`",
        ),
        (
            "a.ts",
            "const onRow = useCallback(\n  (row) => {\n    a();\n    b();\n  }",
            "const onRow = useCallback(\n  (row) => {\n    c();\n    d();\n  }",
            "changes onRow: `a();` → `c();`, `b();` → `d();`",
        ),
    ],
)
def test_an_edit_tells_what_it_added_and_removed(path: str, old: str, new: str, note: str) -> None:
    assert notes(*edited(path, old, new)) == {path: note}


LONG_OLD = 'return Path(folder).resolve() / "carts" / name_of(cart, suffix)'


@pytest.mark.parametrize(
    ("new", "note"),
    [
        (LONG_OLD.replace("carts", "orders"), '`/ "carts"` → `/ "orders"`'),
        (LONG_OLD.replace(", suffix", ""), "`name_of(cart, suffix)` → `name_of(cart)`"),
        (
            LONG_OLD.replace("Path(", "Path(root, ").replace("cart,", "cart, True,"),
            f'`{LONG_OLD}` → `return Path(root, folder).resolve() / "carts" / name_of(cart, True, suffix)`',
        ),
    ],
)
def test_of_a_long_line_the_words_that_differ_are_shown(new: str, note: str) -> None:
    assert notes(*edited("a.py", LONG_OLD, new)) == {"a.py": note}


def test_a_change_that_many_lines_have_in_common_is_told_once() -> None:
    lines = 'open_cart(1, "v1")\nclose_cart("v1", 2)\nx = price("v1")\n'
    same = edited("a.py", lines, lines.replace("v1", "v2"))
    assert notes(*same) == {"a.py": '`"v1"` → `"v2"` in several lines'}
    other = "def f():\n    a = 1\n    b = two()\n    c = 3\n"
    varied = edited("a.py", other, other.replace("a = 1", "a = 7").replace("two()", "six()").replace("3", "three"))
    assert notes(*varied) == {"a.py": "changes f, such as `a = 1` → `a = 7`"}
    letters = edited("a.py", other, other.replace("a =", "x =").replace("b =", "y =").replace("c =", "z ="))
    assert notes(*letters) == {"a.py": "changes f"}
    unlike = edited(
        "a.py", "def f():\n    one()\n    two()\n    six()\n", "def f():\n    x = [ham]\n    egg += 1\n    del jam\n"
    )
    assert notes(*unlike) == {"a.py": "changes f"}


OLD = "def f():\n    a = 1\n    b = two()\n    c = 3\n"
NEW = OLD.replace("a = 1", "a = 7").replace("two()", "six()").replace("3", "three")


def test_the_agents_own_words_stand_for_one_line_of_several() -> None:
    own = assistant(text="I fixed the rounding of sums and their signs.")
    assert notes(*edited("a.py", OLD, NEW), own) == {
        "a.py": "changes f; “I fixed the rounding of sums and their signs.”"
    }
    told = assistant(text="- `a.py` – sums are rounded and keep their signs")
    assert notes(*edited("a.py", OLD, NEW), told) == {"a.py": "changes f; “sums are rounded and keep their signs”"}
    one = edited("a.py", "a = 1", "a = 7")
    assert notes(*one, own) == {"a.py": "`a = 1` → `a = 7`"}
    said = assistant(text="Set `most_rows = 7` in `a.py`.")
    assert notes(*edited("a.py", "", "most_rows = 7"), said) == {"a.py": "“Set `most_rows = 7`”"}
    assert notes(*edited("a.py", "most_rows = 1", "most_rows = 7"), said) == {
        "a.py": "`most_rows = 1` → `most_rows = 7`"
    }
    old, new = (text.replace("f()", "round_sums()") + text.replace("f()", "sort_rows()") for text in (OLD, NEW))
    restated = (*edited("a.py", old, new), assistant(text="I updated round_sums and sort_rows."))
    assert notes(*restated) == {"a.py": "changes sort_rows, round_sums, such as `a = 1` → `a = 7`"}


def test_of_a_test_no_line_is_an_example() -> None:
    assert notes(*edited("tests/test_a.py", OLD, NEW)) == {"tests/test_a.py": "changes f"}


def test_a_directive_for_a_tool_is_not_what_a_file_says_of_itself() -> None:
    assert notes(*called("write", file_path="a.go", content="//go:build slow\n\npackage a\n")) == {"a.go": ""}
    told = notes(*called("write", file_path="a.go", content="// Carts are kept here.\n\npackage a\n"))
    assert told == {"a.go": "“Carts are kept here.”"}


def test_a_function_that_moved_or_went_again_is_not_told() -> None:
    moved = (*edited("a.py", "def f():\n    pass\n", ""), *edited("a.py", "x\n", "x\n\ndef f():\n    pass\n"))
    assert notes(*moved) == {"a.py": ""}
    gone = (*edited("a.py", "x", "def trial():\n    pass"), *edited("a.py", "def trial():\n    pass", "y"))
    assert notes(*gone) == {"a.py": ""}


WHOLE = """class Table:
    def load(self):
        one()
        two()

    def save(self):
        one()
        six()
"""


def test_the_function_around_an_edit_is_found_in_what_was_shown_before() -> None:
    shown = "\n".join(f"{at:6}\t{line}" for at, line in enumerate(WHOLE.split("\n"), 1))
    read = (assistant(("r", "read", json.dumps({"file_path": "/w/t.py"}))), result(shown, "read", "r"))
    body = edited("/w/t.py", "        six()\n", "        six(1)\n        six(2)\n")
    assert notes(*read, *body) == {"/w/t.py": "changes save: `six()` → `six(1)`, adds `six(2)`"}
    assert notes(*body) == {"/w/t.py": "`six()` → `six(1)`, adds `six(2)`"}
    twice = edited("/w/t.py", "        one()\n", "        one(1)\n        one(2)\n")  # it stands in two functions
    assert "load" not in notes(*read, *twice)["/w/t.py"]


def test_the_function_around_an_edit_is_found_in_what_the_session_wrote_and_above_the_hunk_of_a_patch() -> None:
    hunk = "@@ def save(self):\n         one()\n-        six()\n+        ten()\n"
    patch = f"*** Begin Patch\n*** Update File: t.py\n{hunk}*** End Patch"
    assert notes(*called("apply_patch", patch=patch)) == {"t.py": "changes save: `six()` → `ten()`"}
    line = "cat > t.py <<'EOF'\n" + WHOLE + "EOF"
    assert "changes" not in notes(*called("bash", command=line), *called("apply_patch", patch=patch))["t.py"]


def test_what_a_later_edit_took_back_is_not_told() -> None:
    there = edited("a.py", "def f():\n    limit = 10\n", "def f():\n    limit = compute(10)\n")
    back = edited("a.py", "    limit = compute(10)\n", "    limit = 10\n")
    other = edited("a.py", "def g():\n    stop()\n", "def g():\n    go()\n")
    assert notes(*there, *other, *back) == {"a.py": "changes g: `stop()` → `go()`"}
    assert notes(*there, *back) == {"a.py": ""}


def test_what_git_took_back_is_not_told_and_what_was_committed_before_is() -> None:
    def ran(line: str) -> tuple[Message, Message]:
        return called("bash", command=line)

    kept = edited("a.py", "x = 1\n", "def kept():\n    pass\n")
    tried = edited("a.py", "y = 1\n", "def tried():\n    pass\n")
    assert notes(*kept, *ran("git commit -am one"), *tried, *ran("git checkout -- a.py"))["a.py"] == "adds kept"
    assert notes(*kept, *ran("git stash && make test; git stash pop"))["a.py"] == "adds kept"
    wrote = called("write", file_path="b.py", content="def new(): ...\n")
    assert notes(*wrote, *kept, *ran("git checkout -- ."))["b.py"] == "has new"
    undo = called("str_replace_editor", command="undo_edit", path="a.py")
    assert notes(*kept, *edited("a.py", "y = 1\n", "def tried():\n    pass\n"), *undo)["a.py"] == "adds kept"


def test_a_file_that_a_script_rewrote_is_told_by_the_diff_that_git_printed() -> None:
    diff = (
        "diff --git a/lib/a.py b/lib/a.py\nindex 1..2 100644\n--- a/lib/a.py\n+++ b/lib/a.py\n"
        "@@ -1,4 +1,4 @@ def total(rows):\n     start()\n-    return len(rows)\n+    return sum(rows)\n"
    )
    wrote = called("bash", command="python - <<'EOF'\nopen('lib/a.py', 'w').write('x')\nEOF")
    shown = (assistant(("d", "bash", json.dumps({"command": "git diff"}))), result(diff, "bash", "d"))
    note = "changes total: `return len(rows)` → `return sum(rows)`"
    assert notes(*wrote, *shown) == {"lib/a.py": note}
    assert notes(*shown) == {}
    assert notes(*edited("lib/a.py", "", "def f(): ..."), *shown) == {"lib/a.py": "adds f"}


@pytest.mark.parametrize(
    ("command", "note"),
    [
        ("git diff HEAD", "changes total: `return len(rows)` → `return sum(rows)`"),
        ("git diff main", ""),
        ("git diff main...HEAD", ""),
        ("git show abc1234", ""),
    ],
)
def test_a_diff_of_commits_tells_nothing_of_what_the_session_changed(command: str, note: str) -> None:
    diff = (
        "diff --git a/lib/a.py b/lib/a.py\n--- a/lib/a.py\n+++ b/lib/a.py\n"
        "@@ -1,4 +1,4 @@ def total(rows):\n     start()\n-    return len(rows)\n+    return sum(rows)\n"
    )
    wrote = called("bash", command="python - <<'EOF'\nopen('lib/a.py', 'w').write('x')\nEOF")
    shown = (assistant(("d", "bash", json.dumps({"command": command}))), result(diff, "bash", "d"))
    assert notes(*wrote, *shown) == {"lib/a.py": note}
    assert notes(*shown, *wrote)["lib/a.py"] == ""  # shown before the session changed anything


def test_an_expression_is_not_told_once_a_copy_put_the_file_back() -> None:
    kept = called("bash", command="cp a.py a.py.bak")
    wrong = called("bash", command="sed -i '7,9s|rows|columns|' a.py")
    back = called("bash", command="cp a.py.bak a.py")
    assert "columns" in notes(*kept, *wrong)["a.py"]
    assert notes(*kept, *wrong, *back, *edited("a.py", "x = 1", "def load():\n    pass"))["a.py"] == "adds load"


def test_a_line_that_was_only_moved_is_told_as_that() -> None:
    old = "def load(rows):\n    found = read(rows)\n    try:\n        use()\n"
    new = "def load(rows):\n    try:\n        found = read(rows)\n        use()\n"
    assert notes(*edited("a.py", old, new)) == {"a.py": "changes load: moves `found = read(rows)`"}
    assert notes(*edited("a.py", old, new), *edited("a.py", "use()", "run()"))["a.py"].startswith("changes load")


def test_an_edit_of_counted_lines_is_compared_with_what_stood_in_them() -> None:
    window = "[File: /w/t.py (8 lines total)]\n" + "\n".join(
        f"{at}:{line}" for at, line in enumerate(WHOLE.split("\n"), 1)
    )
    opened = (assistant(("o", "open", "open t.py")), result(window, "open", "o"))
    call = assistant(("e", "edit", "edit 6:8\n    def save(self):\n        one()\n        ten()\nend_of_edit"))
    assert notes(*opened, call, result(window, "edit", "e")) == {"/w/t.py": "changes save: `six()` → `ten()`"}
    blind = assistant(("e", "edit", "edit 60:80\n    def save(self):\n        one()\n        ten()\nend_of_edit"))
    assert notes(*opened, blind, result(window, "edit", "e")) == {"/w/t.py": "changes save"}
    given = json.dumps({"input": "edit 6:8\n    def save(self):\n        one()\n        ten()\nend_of_edit"})
    assert notes(*opened, assistant(("e", "edit", given)), result(window, "edit", "e")) == {
        "/w/t.py": "changes save: `six()` → `ten()`"
    }


def test_a_line_of_code_in_a_note_is_cut_whole() -> None:
    about = "changes load, save: `first_line(of, the, code)` → `second_line(of, the, code)`"
    assert limit_notes([FileEntry("a.py", "changed", about=about)], 60)[0].about == "changes load, save"


def test_a_new_file_is_told_by_what_it_says_of_itself() -> None:
    text = '"""Reads rows of a table. More about it."""\n\ndef rows(): ...\n'
    assert notes(*called("write", file_path="r.py", content=text)) == {"r.py": "“Reads rows of a table.”; has rows"}
    line = "cat > doc.md <<'EOF'\n# The plan\n\n## Steps\nEOF"
    assert notes(*called("bash", command=line)) == {"doc.md": "“The plan”"}


def test_what_edits_changed_in_a_file_that_the_session_created_is_what_it_has() -> None:
    made = called("bash", command="touch rows.py")
    first = edited("rows.py", "", "def rows():\n    return 1\n")
    other = edited("rows.py", "def rows():\n    return 1\n", "def rows():\n    return 2\n")
    assert notes(*made, *first, *other) == {"rows.py": "has rows"}
    assert notes(*other) == {"rows.py": "changes rows: `return 1` → `return 2`"}


def test_a_line_behind_the_function_that_a_hunk_names_is_not_in_it() -> None:
    diff = (
        "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n"
        "@@ -9,6 +9,6 @@ func total(rows int) int {\n }\n \n-// load is slow.\n+// load is fast.\n func load() {\n"
    )
    wrote = called("bash", command="python - <<'EOF'\nopen('a.go', 'w').write('x')\nEOF")
    shown = (assistant(("d", "bash", json.dumps({"command": "git diff"}))), result(diff, "bash", "d"))
    assert notes(*wrote, *shown) == {"a.go": "`// load is slow.` → `// load is fast.`"}


def test_the_newest_sentence_behind_the_last_edit_is_quoted_and_an_older_one_is_not() -> None:
    work = edited("lib/a.py", "1", "2", "Let me fix the rounding of prices in `a.py`:")
    assert notes(*work) == {"lib/a.py": ""}  # an intent is no deed
    told = assistant(text="Done.\n\n- `a.py`: prices are rounded to two places\n- Let me look at b.py now")
    assert notes(*work, told) == {"lib/a.py": "“prices are rounded to two places”"}
    again = edited("lib/a.py", "2", "3")
    assert notes(*work, told, user("Again."), *again) == {"lib/a.py": ""}


def test_a_sentence_about_two_files_is_told_only_where_nothing_else_is_known() -> None:
    told = assistant(text="`a.py` and `b.py` now share one parser of dates.")
    work = (*edited("a.py", "1", "2"), *edited("b.py", "1", "def f(): ..."), told)
    assert notes(*work) == {"a.py": "“`a.py` and `b.py` now share one parser of dates.”", "b.py": "adds f"}


def test_what_the_agent_says_that_it_did_comes_before_what_it_set_out_to_do() -> None:
    work = edited("a.py", "1", "2", "Let's modify it to round every price of the list.")
    told = assistant(text="The changes look good. We've added rounding to the list, which will help the tests.")
    assert notes(*work) == {"a.py": ""}
    assert notes(*work, told) == {"a.py": "“We've added rounding to the list”"}


def test_a_command_that_rewrote_imports_says_so_and_another_shows_its_expression() -> None:
    line = "sed -i 's|\"./config.js\"|\"../config.js\"|' src/a.ts src/b.ts && sed -i 's/cats/dogs/g' src/c.ts"
    assert notes(*called("bash", command=line)) == {
        "src/a.ts": "imports only",
        "src/b.ts": "imports only",
        "src/c.ts": "“s/cats/dogs/g”",
    }


def test_where_nothing_is_said_later_the_last_two_deeds_stand_and_those_of_several_files_do_not() -> None:
    steps = [
        (*edited("a.py", str(at), str(at + 1)), assistant(text=f"I've added the rule number {at} to the table."))
        for at in range(3)
    ]
    assert notes(*(one for step in steps for one in step)) == {
        "a.py": "“I've added the rule number 2 to the table.”; “I've added the rule number 1 to the table.”"
    }
    both = [json.dumps({"file_path": path, "old_string": "1", "new_string": "2"}) for path in ("a.py", "b.py")]
    call, told = assistant(("1", "edit", both[0]), ("2", "edit", both[1])), assistant(text="I've added the new rule.")
    assert notes(call, result("ok", "edit", "1"), result("ok", "edit", "2"), told) == {"a.py": "", "b.py": ""}


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("Prices are rounded to two places in `lib/a.py`.", "“Prices are rounded to two places”"),
        ("Prices are rounded to two places, via [lib/a.py](/w/lib/a.py).", "“Prices are rounded to two places”"),
        ("Prices in `a.py` are rounded twice before.", "“Prices in `a.py` are rounded twice before.”"),
        ("- a short note on prices in lib/a.py", ""),
        ("- a short note on prices for whoever rounds them again in lib/a.py",
         "“a short note on prices for whoever rounds them again”"),
    ],
)  # fmt: skip
def test_words_that_only_repeat_the_name_of_the_file_are_left_out(said: str, note: str) -> None:
    assert notes(*edited("lib/a.py", "1", "2"), assistant(text=f"Done.\n\n{said}")) == {"lib/a.py": note}


def test_what_was_said_of_an_edit_that_was_replaced_is_not_told() -> None:
    old, lines = "\n".join("abc"), "row(1)\nrow(2)\nrow(3)"
    first = (*edited("a.py", old, lines), assistant(text="I've added three rows to the table."))
    assert "three rows" in notes(*first)["a.py"]
    second = (
        *edited("a.py", lines, "column(1)\ncolumn(2)\ncolumn(3)"),
        assistant(text="I've added three columns to the table."),
    )
    assert "rows" not in notes(*first, *second)["a.py"]
    assert "columns" in notes(*first, *second)["a.py"]
    whole = called("write", file_path="a.py", content="x = 1\n")
    assert notes(*first, *whole) == {"a.py": ""}


def typed(path: str, text: str, said: str) -> tuple[Message, Message]:
    """An edit of the open file, whose call names none."""
    shown = f"[File: {path} (1 lines total)]\n1:{text}"
    return assistant(("e", "edit", f"edit 1:1\n{text}\nend_of_edit"), text=said), result(shown, "edit", "e")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Instead of that, we'll modify our `trial.py` script.", True),
        ("Let's edit the `trial.py` file:", True),
        ("Let's edit the `setup.py` file:", False),
        ("Let's edit `trial.py` like `setup.py`:", False),
        ("Let's edit a file that nobody knows, `other.py`:", False),
        ("The rows come from `trial.py`.", False),
    ],
)
def test_an_edit_that_was_meant_for_another_file_is_told(said: str, told: bool) -> None:
    there = called("write", file_path="/w/trial.py", content="x = 1\n")
    about = notes(*there, *typed("/w/setup.py", "row(1)", said))["/w/setup.py"]
    assert ("an edit meant for trial.py landed here" in about) is told
    named = edited("/w/setup.py", "a", "b", said)  # its call says which file
    assert "landed here" not in notes(*there, *named)["/w/setup.py"]
    copied = (assistant(("c", "bash", json.dumps({"command": "cp /w/old.py /w/setup.py"}))), result("", "bash", "c"))
    assert "landed here" not in notes(*there, *typed("/w/setup.py", "row(1)", said), *copied)["/w/setup.py"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The `trial.py` file prints each row once.", True),
        ("It seems that the `trial.py` script prints no rows.", False),
        ("It looks like `trial.py` was cut at the first row.", False),
    ],
)
def test_a_supposition_about_a_file_is_no_note(said: str, told: bool) -> None:
    there = called("write", file_path="/w/trial.py", content="x = 1\n")
    assert ("“" in notes(*there, assistant(text=said))["/w/trial.py"]) is told


def test_a_file_whose_edits_were_taken_back_is_as_it_was() -> None:
    there, back = edited("a.py", "limit = 10", "limit = 20"), edited("a.py", "limit = 20", "limit = 10")
    ledger = build_ledger(talk(user(), *there, *back).messages)
    assert ([one.use for one in ledger.files], ledger.uncommitted) == (["restored"], ())
    commit = called("bash", command="git commit -am x")
    assert build_ledger(talk(user(), *there, commit[0], result("[main 1234abc] x", "bash", commit[0].parts[0].call_id),
                             *back).messages).uncommitted == ("a.py",)  # fmt: skip
    for more in (called("bash", command="sed -i 's/a/b/' a.py"), edited("a.py", "size = 1", "size = 2")):
        assert [one.use for one in build_ledger(talk(user(), *there, *back, *more).messages).files] == ["changed"]


def test_names_that_tell_most_come_first_and_imported_types_are_none() -> None:
    names = ("close", "TestRounds", "_half", "rounds", "Prices", "read", "test_more")
    text = "".join(f"def {name}():\n    pass\n" for name in names)
    assert notes(*edited("a.py", "", text)) == {"a.py": "adds test_more, Prices, TestRounds, rounds …"}
    imported = edited("a.ts", "  x,\n", "  x,\n  type Row,\n  type Column\n")
    assert "Row" not in notes(*imported).get("a.ts", "").partition("`")[0]
    assert notes(*edited("a.ts", "", "type Row = string;\nexport type Cell<T> = T;\n")) == {"a.ts": "adds Cell, Row"}


def test_a_file_that_was_written_anew_tells_which_functions_are_gone() -> None:
    read = (assistant(("r", "read", json.dumps({"file_path": "/w/t.py"}))), result(WHOLE, "read", "r"))
    anew = called("write", file_path="/w/t.py", content="class Table:\n    def load(self):\n        pass\n")
    assert notes(*read, *anew) == {"/w/t.py": "drops save; has Table, load"}
    assert notes(*anew) == {"/w/t.py": "has Table, load"}
    cut = called("write", file_path="/w/t.py", content="class Table:\n" + "    pass\n" * 4_000)  # not searched whole
    assert "drops" not in notes(*read, *cut)["/w/t.py"]


def test_an_edit_that_its_tool_refused_in_words_changes_nothing() -> None:
    call, _ = edited("a.py", "x", "def f(): ...", "Let me add the missing function here:")
    assert notes(call, result("ERROR:\nNo replacement was performed", "edit", "edit")) == {}
    typed = assistant(("e", "edit", "edit 1:1\ndef g(): ...\nend_of_edit"))
    for words in ("Your proposed edit has introduced new syntax error(s).", "Your changes have NOT been applied."):
        shown = f"{words}\n[File: /w/b.py (3 lines total)]\n1:def g(): ...\n"
        assert notes(typed, result(shown, "edit", "e")) == {}
    assert notes(typed, result("[File: /w/b.py (3 lines total)]\n1:def g(): ...\n", "edit", "e")) != {"/w/b.py": ""}


def test_a_failed_edit_and_a_secret_leave_no_note() -> None:
    failed = (assistant(("e", "edit", json.dumps({"path": "a.py", "old_string": "", "new_string": "def f(): ..."}))),)
    assert notes(*failed, result("no match", "edit", "e", True)) == {}
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    told = assistant(text=f"In `a.py` the client now signs with {key} at every call.")
    assert key not in notes(*edited("a.py", "1", "2"), told)["a.py"]


FILES = (
    FileEntry("/srv/app/src/a.ts", "changed", about="imports only"),
    FileEntry("lib/x.ts", "changed"),
    FileEntry("/srv/app/src/b.ts", "changed", about="imports only"),
    FileEntry("/srv/app/doc/c.md", "created", about="“The plan”"),
    FileEntry("/etc/hosts", "read", named=True),
    FileEntry("a.ts", "moved", to="lib/"),
    FileEntry("b.ts", "moved", to="lib/"),
    FileEntry("/tmp/t.py", "created", scratch=True),
)


def test_files_are_listed_below_one_root_and_read_back_whole() -> None:
    lines = render_ledger(Ledger(files=FILES))
    assert lines["files"] == (
        "- common folder: /srv/app",
        "- changed: lib/x.ts",
        "- changed: ./src/a.ts · ./src/b.ts — imports only",
        "- moved: a.ts · b.ts → lib/",
        "- created: ./doc/c.md — “The plan”",
        "- scratch files: /tmp/t.py",
        "- read: /etc/hosts",
    )
    back = read_back(lines)
    assert {(one.path, one.use, one.to, one.about) for one in back.files} == {
        (one.path, one.use, one.to, one.about) for one in FILES
    }
    assert render_ledger(back) == lines


def test_files_of_one_folder_stand_behind_its_name_and_relative_paths_below_the_root() -> None:
    paths = ("/w/app/src/a.ts", "/w/app/src/b.ts", "src/c.ts", "other/d.ts", "other/e, f.ts", "/w/app/g.ts")
    lines = render_ledger(Ledger(files=tuple(FileEntry(path, "changed") for path in paths)))["files"]
    assert lines == (
        "- common folder: /w/app",
        "- changed: ./src/: a.ts, b.ts, c.ts · other/d.ts · other/e, f.ts · ./g.ts",
    )
    earlier = read_back({"files": lines})
    assert {one.path for one in earlier.files} == {*paths, "/w/app/src/c.ts"} - {"src/c.ts"}
    later = Ledger(files=(FileEntry("src/c.ts", "changed"), FileEntry("g.ts", "read")))
    assert len(merge(earlier, later).files) == len(paths)


def test_a_folder_for_temporary_files_is_no_root() -> None:
    files = tuple(FileEntry(f"/tmp/shots/{name}.png", "read", named=True) for name in "ab")
    assert render_ledger(Ledger(files=files))["files"] == ("- read: /tmp/shots/a.png · /tmp/shots/b.png",)


def test_the_later_note_wins_and_a_later_reading_keeps_the_earlier_one() -> None:
    one = Ledger(files=(FileEntry("a.py", "changed", about="adds f"),))
    assert merge(one, Ledger(files=(FileEntry("a.py", "read"),))).files[0].about == "adds f"
    assert merge(one, Ledger(files=(FileEntry("a.py", "changed", about="adds g"),))).files[0].about == "adds g"


def test_where_notes_have_no_room_newer_files_keep_theirs_and_all_files_stay() -> None:
    files = [
        FileEntry(f"{at}.py", "changed", about=f"adds alpha{at}, beta{at}; drops {'gamma, ' * 20}") for at in range(20)
    ]
    kept = limit_notes(files, 300)
    assert [one.path for one in kept] == [one.path for one in files]
    assert sum(len(one.about) for one in kept) <= 300
    assert kept[-1].about == "adds alpha19, beta19; drops gamma …"
    assert kept[0].about == ""


def test_a_sentence_that_stands_in_a_line_quoted_elsewhere_is_not_said_again() -> None:
    said = "“The sum was wrong for carts without rows”"
    file = FileEntry("a.py", "changed", about=f"changes total; {said}")
    other = "Fixed: `a.py` next; The sum was wrong for carts without rows."
    assert (
        drop_reported((file,), ["- **Now**: The sum was **wrong** for carts without rows."])[0].about == "changes total"
    )
    assert drop_reported((file,), [other])[0].about == "changes total"
    assert drop_reported((file,), ["The sum was right."]) == (file,)


@pytest.mark.parametrize(
    ("about", "kept"),
    [
        ("changes f, g: `a` → `b`; “It is done.”", ""),
        ("adds g; changes f, such as `a` → `b`", "adds g"),
        ("has f: `a`; drops g", "has f"),
        ("adds `max_rows = 7`", ""),
        ("`a` → `b` in several lines; changes f", ""),
        ("“The plan of the shop”", "“The plan of the shop”"),
        ("“The sums are rounded to two places, and they keep their signs where there are any.”", ""),
        ("“The sums of `cart` are rounded.”", ""),
        ("adds “Install”; changes “Usage”", "adds “Install”"),
        ("imports only", "imports only"),
        ("", ""),
    ],
)
def test_of_a_committed_file_the_names_of_what_is_new_stay(about: str, kept: str) -> None:
    file, other = FileEntry("a.py", "changed", about=about), FileEntry("b.py", "changed", about=about)
    assert shorten_committed((file, other), ["b.py"]) == (replace(file, about=kept), other)


def test_a_quotation_that_is_cut_is_closed() -> None:
    files = [FileEntry(f"{at}.py", "created", about=f"“{'Reads all rows of the table ' * 4}{at}”") for at in range(2)]
    assert {one.about for one in limit_notes(files, 90)} == {"“Reads all rows of the table Reads …”"}


def test_a_function_that_two_edits_define_in_the_same_words_has_two_definitions() -> None:
    first = edited("a.py", "x = 1\n", "x = 1\n    def load_rows(self, path):\n        return 1\n")
    second = edited("a.py", "y = 1\n", "y = 1\n    def load_rows(self, path):\n        return 2\n")
    back = (assistant(("g", "bash", json.dumps({"command": "git checkout -- a.py"}))), result("ok", "bash", "g"))
    assert "two definitions of load_rows" in notes(*first, *second)["a.py"]
    assert "two definitions" not in notes(*first, *back, *second).get("a.py", "")
    taken = edited("a.py", "    def load_rows(self, path):\n        return 1\n", "")
    assert "two definitions" not in notes(*first, *taken, *second)["a.py"]


def test_many_files_with_nothing_but_other_imports_are_counted() -> None:
    messages = [one for n in range(9) for one in edited(f"src/m{n}.py", "import a\n", "import b\n")]
    lines = render_ledger(build_ledger(talk(user(), *messages).messages))["files"]
    assert lines == ("- changed: src/: m6.py, m7.py, m8.py · 6 more — imports only",)
    assert [one.path for one in read_back({"files": lines}).files] == [f"src/m{n}.py" for n in range(6, 9)]


def test_files_of_one_folder_with_notes_stand_under_its_name() -> None:
    names = {"rows.py": "adds sort_rows", "cart.py": "", "menu.py": "changes print_menu; drops Menu"}
    entries = [FileEntry(f"/w/src/{name}", "changed", about=about) for name, about in names.items()]
    moved = [FileEntry(f"/w/lib/{n}.py", "moved", to=f"/w/lib/new_{n}.py") for n in range(3)]
    away = [FileEntry(f"/w/lib/{n}.py", "moved", to=f"/w/old/{n}.py") for n in range(3, 5)]
    single = FileEntry("/w/docs/a.md", "created", about="has “Rows”")
    ledger = Ledger(root="/w", files=(*entries, *moved, *away, single))
    lines = render_ledger(ledger)["files"]
    assert lines == (
        "- root: /w",
        "- moved: ./lib/3.py → ./old/3.py",
        "- moved: ./lib/4.py → ./old/4.py",
        "- changed in ./src/:\n    rows.py — adds sort_rows\n    cart.py\n    menu.py — changes print_menu; drops Menu",
        "- moved in ./lib/:\n    0.py → new_0.py · 1.py → new_1.py · 2.py → new_2.py",
        "- created: ./docs/a.md — has “Rows”",
    )
    again = read_back({"files": lines})
    assert {(one.path, one.use, one.to, one.about) for one in again.files} == {
        (one.path, one.use, one.to, one.about) for one in ledger.files
    }
    assert render_ledger(again)["files"] == lines


@pytest.mark.parametrize(
    ("about", "kept"),
    [
        ("changes render", ""),
        ("changes render, sort_rows", "changes render, sort_rows"),
        ("“s/Row()/Row(cart)/g”", "`Row()` → `Row(cart)`"),
        (r"“s/new Row(\(.*\))/Row(\1)/g”", ""),
        ("adds sort_rows; “s/a.*b/c/g”", "adds sort_rows"),
        ("“so/that it sorts”", "“so/that it sorts”"),
    ],
)
def test_notes_that_say_nothing_are_left_out(about: str, kept: str) -> None:
    assert drop_idle_notes([FileEntry("a.py", "changed", about=about)])[0].about == kept


def test_a_window_behind_a_warning_shows_what_an_edit_of_counted_lines_replaced() -> None:
    window = "[File: /w/t.py (3 lines total)]\n1:def load():\n2:    one()\n3:    two()"
    made = assistant(("c", "create", "create t.py"))
    first = assistant(("e", "edit", "edit 1:1\ndef load():\n    one()\n    two()\nend_of_edit"))
    second = assistant(("f", "edit", "edit 1:3\ndef save():\n    six()\n    two()\nend_of_edit"))
    after = window.replace("load", "save").replace("one", "six")
    told = notes(
        made, result("[File: /w/t.py (1 lines total)]\n1:", "create", "c"),
        first, result(f"SyntaxError: a warning\n{window}", "edit", "e"),
        second, result(f"SyntaxError: a warning\n{after}", "edit", "f"),
    )  # fmt: skip
    assert told == {"/w/t.py": "has save"}


def test_an_expression_of_short_words_is_a_note_like_any_other() -> None:
    made = notes(user("Mend it."), *called("bash", "ok", command="sed -i 's/np.Inf/np.inf/g' rows.py columns.py"))
    assert made == {"rows.py": "“s/np.Inf/np.inf/g”", "columns.py": "“s/np.Inf/np.inf/g”"}


def test_a_file_of_which_a_tool_shows_that_most_is_gone_says_so() -> None:
    def shown(lines: int, tool: str, **given: Any) -> tuple[Message, Message]:
        said = f"[File: /w/rows.py ({lines} lines total)]\n1:a = 1"
        return assistant((tool, tool, json.dumps({"path": "/w/rows.py", **given}))), result(said, tool, tool)

    opened, edit = shown(1241, "open"), {"old_string": "a = 1", "new_string": "b = 1"}
    told = notes(user("Mend it."), *opened, *shown(122, "edit", **edit))["/w/rows.py"]
    assert told.startswith("most of it is gone: 1,241 lines before, 122 now")
    assert "gone" not in notes(user("Mend it."), *opened, *shown(1239, "edit", **edit))["/w/rows.py"]


def test_a_call_that_is_given_a_function_defines_nothing() -> None:
    names = list_names_defined("cart_test.go", "runForAll(t, func(t *testing.T, cart *Cart) {\n\tsum()\n})\n")
    assert not names
    assert not list_names_defined("cart.ts", "this.subscribe((event) => {\n  sum();\n});\n")
    typed = "  pickColor(level: Level): (text: string) => string {\n    return dim;\n  }\n"
    assert [*list_names_defined("cart.ts", typed)] == ["pickColor"]
    local = "class Cart {\n  sum() {\n    if (x) {\n      const done = () => {\n      };\n    }\n  }\n}\n"
    assert "done" not in list_names_defined("cart.ts", local)
    assert [*list_names_defined("cart.ts", "const total = (rows) => {\n};\n")] == ["total"]


BODY = "".join(f"    step_{number} = paint(hull, {number})\n" for number in range(9))
BEFORE, AFTER = f"class Sail:\n{BODY}", BODY.replace("paint", "varnish") + "def furl():\n    pass\n"


CHANGED = "adds furl; `paint` → `varnish` in several lines; drops Sail"


def shown(path: str, text: str) -> tuple[Message, Message]:
    call = assistant(("r", "Read", json.dumps({"file_path": path})))
    return call, result(text, "Read", "r")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"import hull\n{BEFORE}", ("restored", "")),
        (f"import hull\n{BEFORE}".replace("(hull, 3)", "(hull, 30)"), ("restored", "")),  # not quite as it was
        (f"import hull\n{AFTER}", ("changed", CHANGED)),
        (AFTER.replace("(hull, 3)", "(hull, 30)"), ("changed", CHANGED)),
        ("import hull\n", ("changed", CHANGED)),  # a part of the file
    ],
)
def test_an_edit_is_not_told_where_the_file_shows_what_stood_there_before(text: str, told: tuple[str, str]) -> None:
    messages = (user(), *edited("a.py", BEFORE, AFTER), user("I undid that, try again"), *shown("a.py", text))
    [one] = build_ledger(talk(*messages).messages).files
    assert (one.use, one.about) == told


def test_of_an_edit_that_someone_undid_a_later_one_tells_only_its_own() -> None:
    undone = (*edited("a.py", BEFORE, AFTER), *shown("a.py", BEFORE))
    again = edited("a.py", "step_3 = paint(hull, 3)", "step_3 = sand(hull, 3)")
    assert notes(*undone, *again) == {"a.py": "`step_3 = paint(hull, 3)` → `step_3 = sand(hull, 3)`"}


def test_an_edit_that_takes_back_what_git_showed_to_be_changed_before_leaves_nothing_to_commit() -> None:
    diff = (
        "diff --git a/boat.json b/boat.json\n--- a/boat.json\n+++ b/boat.json\n@@ -1,3 +1,3 @@\n {\n"
        '-  "length": "twelve",\n+  "length": "seven",\n }\n'
    )
    looked = (assistant(("d", "bash", json.dumps({"command": "git diff"}))), result(diff, "bash", "d"))
    for new, use in (("twelve", "restored"), ("thirteen", "changed")):
        back = edited("boat.json", '"length": "seven"', f'"length": "{new}"')
        ledger = build_ledger(talk(user(), *looked, *back).messages)
        assert ([one.use for one in ledger.files], bool(ledger.uncommitted)) == ([use], use == "changed")


def test_a_comma_behind_the_last_entry_is_no_change() -> None:
    old, new = '"mast": "tall"\n', '"mast": "tall",\n"sail": "white",\n"flag": "red",\n"hull": "blue"\n'
    assert notes(*edited("boat.json", old, new)) == {"boat.json": 'adds `"sail": "white"` …'}


def test_a_name_that_the_file_still_defines_is_not_dropped() -> None:
    text = "class Mast:\n    def draw(self):\n        pass\n\nclass Sail:\n    def draw(self):\n        pass\n"
    gone = edited("a.py", "class Mast:\n    def draw(self):\n        pass\n", "")
    assert notes(*shown("a.py", text), *gone) == {"a.py": "changes draw; drops Mast"}


def test_a_call_does_not_repeat_the_note_of_its_file() -> None:
    told = [Command("edit a.py: `one()` → `two()`, drops `six()`"), Command("edit b.py: adds `x`"), Command("ls: all")]
    files = [FileEntry("a.py", "changed", about="changes f: `one()` → `two()`, drops `six()`")]
    assert [one.text for one in drop_told_aims(told, files)] == ["edit a.py", "edit b.py: adds `x`", "ls: all"]
