"""Files read and changed, as calls tell it."""

import json
from typing import Any

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import (
    FileEntry,
    Ledger,
    build_ledger,
    merge,
    read_back,
    render_ledger,
    settle_states,
)
from secateur.model import Message
from secateur.toolcalls.file_effects import parse_effects


def called(tool: str, said: str = "ok", error: bool = False, **given: Any) -> tuple[Message, Message]:
    return assistant((tool, tool, json.dumps(given))), result(said, tool, tool, error)


def files(*rounds: tuple[Message, Message]) -> dict[str, str]:
    messages = talk(user(), *(message for one in rounds for message in one)).messages
    return {one.path: one.use for one in build_ledger(messages).files}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("cat a.py b.md", ["read a.py", "read b.md"]),
        ("head -n 20 src/x.go | grep y", ["read src/x.go"]),
        ("sed -n '1,20p' a.py", ["read a.py"]),
        ("sed -i 's/a/b/' a.py", ["changed a.py"]),
        ("sed -i '' 's|x|y|g' a.ts", ["changed a.ts"]),
        ("perl -pi -e 's/x/y/' z.pl", ["changed z.pl"]),
        ("echo hi > out.txt; echo more >> log.md", ["created out.txt", "changed log.md"]),
        ("make 2>&1 >/dev/null | tee build.log", ["created build.log"]),
        ("cat > a/b.py <<'EOF'\nx > nothing.txt\nEOF\ncat c.py", ["created a/b.py", "read c.py"]),
        ("git mv a.go b.go && rm -f c.go", ["moved a.go b.go", "deleted c.go"]),
        ("mv a.py b.py lib/", ["moved a.py lib/", "moved b.py lib/"]),
        ("cp a.py b.py lib; cp c.py lib/", ["created lib/a.py", "created lib/b.py", "created lib/c.py"]),
        ('for f in a.ts b.ts; do cp "$f" lib/; done', ["created lib/a.ts", "created lib/b.ts"]),
        ('for f in a b; do echo hi > "out/${f}.md"; done; rm $f', ["created out/a.md", "created out/b.md"]),
        ("for d in a b; do for f in x.py; do rm $d/$f; done; done", ["deleted a/x.py", "deleted b/x.py"]),
        ("for f in *.py $MORE; do sed -i s/a/b/ $f; done", []),
        ("if [ -f x.py ]; then sed -i s/a/b/ x.py; fi", ["changed x.py"]),
        ('bash -lc "cat foo.txt && cp x.py y.py"', ["read foo.txt", "created y.py"]),
        ("git checkout -- src/a.py", ["restored src/a.py"]),
        ("apply_patch <<'P'\n*** Begin Patch\n*** Update File: q.py\n@@\n*** End Patch\nP", ["changed q.py"]),
        ("python - <<'PY'\nopen('a.txt', 'w').write('x')\nPY", ["created a.txt"]),
        ("python - <<'PY'\nPath('b.md').write_text('')\nPY", ["created b.md"]),
        ("grep -rn needle src; ls; cat *.py $FILE; rm -rf $DIR", []),
        ("echo 'a > b' && git commit -m 'x > y'", ["committed"]),
        ("echo \"it's > 'unclosed", []),
    ],
)  # fmt: skip
def test_a_command_line_says_what_it_does_to_files(line: str, told: list[str]) -> None:
    assert [" ".join(filter(None, (one.use, one.path, one.to))) for one in parse_effects(line)] == told


def test_tools_are_known_by_what_they_are_given() -> None:
    assert files(
        called("Zeichne", file_path="/r/a.py", old_string="x", new_string="y"),
        called("Lies", path="/r/b.py"),
        called("Schreib", path="/r/c.py", content="new"),
        called("patcher", patch="*** Begin Patch\n*** Add File: d.py\n+x\n*** Delete File: e.py\n*** End Patch"),
    ) == {"/r/a.py": "changed", "/r/b.py": "read", "/r/c.py": "created", "d.py": "created", "e.py": "deleted"}


def test_what_failed_or_has_no_result_changed_nothing() -> None:
    assert files(
        called("edit", "old text not found", error=True, path="a.py", oldText="x", newText="y"),
        called("read", "no such file", error=True, path="b.py"),
        called("bash", "The user does not want this", error=True, command="rm c.py"),
        called("bash", "Exit code 1\nFAIL", error=True, command="sed -i s/a/b/ d.py && go test"),
        (assistant(("x", "write", '{"path": "e.py", "content": ""}')), user("stop")),
    ) == {"d.py": "changed"}


def test_a_relative_and_an_absolute_path_are_one_file() -> None:
    assert files(
        called("bash", command="cd /repo && cat README.md"),
        called("edit", path="/repo/README.md", oldText="x", newText="y"),
        called("read", path="/repo/src/a.py"),
        called("bash", command="sed -i s/a/b/ ./src/a.py"),
    ) == {"/repo/README.md": "changed", "/repo/src/a.py": "changed"}


def test_a_file_that_a_call_names_by_its_absolute_path_stands_under_it_from_then_on() -> None:
    rounds = (
        called("bash", command="cd /repo/pkg && sed -i s/a/b/ core/a.py"),
        called("read", path="/repo/pkg/core/a.py"),
        called("bash", command="cd /repo/pkg && sed -i s/b/c/ core/a.py"),
    )
    made = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    assert [(one.path, one.use) for one in made.files] == [("/repo/pkg/core/a.py", "changed")]
    assert made.uncommitted == ("/repo/pkg/core/a.py",)


def test_the_strongest_use_stays_and_the_last_touched_stands_last() -> None:
    assert list(
        files(
            called("write", path="a.py", content="x"),
            called("read", path="b.py"),
            called("edit", path="a.py", oldText="x", newText="y"),
        ).items()
    ) == [("b.py", "read"), ("a.py", "created")]


def test_the_latest_version_is_where_it_was_seen_last() -> None:
    edit, wrote = called("edit", path="a.py", oldText="x", newText="y")
    read, seen = called("read", path="a.py")
    messages = talk(user(), edit, wrote, read, seen).messages
    (before,), (after,) = (build_ledger(messages[:end]).files for end in (3, 5))
    assert before == FileEntry("a.py", "changed", messages[1].parts[0].key)
    assert after == FileEntry("a.py", "changed", messages[4].parts[0].key)


EDIT: dict[str, Any] = {"old_string": "x", "new_string": "y"}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("git checkout a.py",), "restored"),
        (("git checkout -- a.py",), "restored"),
        (("git checkout HEAD -- a.py",), "restored"),
        (("git checkout .",), "restored"),
        (("git restore a.py",), "restored"),
        (("git restore .",), "restored"),
        (("git stash",), "restored"),
        (("git stash push -m 'half done'",), "restored"),
        (("git reset --hard",), "restored"),
        (("git checkout a.py", "sed -i s/a/b/ a.py"), "changed"),
        (("git stash && make test; git stash pop",), "changed"),
        (("git stash", "git stash drop"), "restored"),
        (("git checkout a.py", "git stash pop"), "restored"),
        (("git commit -am x", "git checkout a.py"), "changed"),
        (("git commit -am x", "git stash"), "changed"),
        (("git checkout topic -- a.py",), "changed"),
        (("git restore --staged a.py",), "changed"),
        (("git restore --source=topic a.py",), "changed"),
        (("git checkout topic",), "changed"),
        (("git checkout -b a.py",), "changed"),
        (("git reset --hard topic",), "changed"),
        (("git checkout b.py",), "changed"),
    ],
)
def test_a_file_that_was_taken_back_is_not_changed(lines: tuple[str, ...], told: str) -> None:
    edit = called("Edit", file_path="a.py", **EDIT)
    assert files(edit, *(called("bash", command=line) for line in lines))["a.py"] == told


def test_a_file_that_git_could_not_restore_stays_changed() -> None:
    edit = called("Edit", file_path="a.py", **EDIT)
    said = "Exit code 1\nerror: pathspec 'a.py' did not match any file(s) known to git"
    assert files(edit, called("bash", said, True, command="git checkout a.py")) == {"a.py": "changed"}


def test_a_restored_folder_takes_its_files_back_and_leaves_what_the_session_created() -> None:
    assert files(
        called("Edit", file_path="src/a.py", **EDIT),
        called("Edit", file_path="lib/b.py", **EDIT),
        called("Write", file_path="src/c.py", content="x"),
        called("bash", command="git checkout -- src/"),
    ) == {"src/a.py": "restored", "lib/b.py": "changed", "src/c.py": "created"}


def listed(*rounds: tuple[Message, Message]) -> list[str]:
    messages = talk(user(), *(message for one in rounds for message in one)).messages
    return list(render_ledger(build_ledger(messages)).get("files", ()))


def test_scratch_files_that_are_gone_are_not_listed() -> None:
    made = (called("Write", file_path="s.py", content="x"), called("bash", command="echo x > t.py; touch d/u.py"))
    assert listed(*made, called("bash", command="rm s.py t.py && rm -r d")) == []
    assert listed(*made[:1], called("bash", command="rm s.py"), *made[:1]) == ["- created: s.py"]
    was_there = called("Read", file_path="s.py")
    assert listed(was_there, *made[:1], called("bash", command="rm s.py")) == ["- deleted: s.py"]


def test_scratch_files_are_forgotten_over_two_spans() -> None:
    first, second = called("Write", file_path="s.py", content="x"), called("bash", command="rm s.py")
    one, two = (build_ledger(talk(user(), *messages).messages) for messages in (first, second))
    assert [entry.use for entry in merge(one, two).files] == ["discarded"]
    whole = build_ledger(talk(user(), *first, *second).messages)
    assert "files" not in render_ledger(settle_states(one, whole))


def test_restored_files_are_read_back() -> None:
    ledger = Ledger(files=(FileEntry("a.py", "restored"),))
    assert render_ledger(ledger)["files"] == ("- restored: a.py",)
    assert read_back(render_ledger(ledger)) == ledger


DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+y\n"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (called("str_replace_editor", command="create", path="/w/a.py", file_text="x"), {"/w/a.py": "created"}),
        (
            called("str_replace_editor", command="str_replace", path="/w/a.py", old_str="x", new_str="y"),
            {"/w/a.py": "changed"},
        ),
        (
            called("str_replace_editor", command="create", path="/w/a.py", file_text="x", old_str=None, new_str=None),
            {"/w/a.py": "created"},
        ),
        (called("apply_patch", input="*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"), {"a.py": "created"}),
        (called("bash", command="cat > a.py << EOF\nx\nEOF"), {"a.py": "created"}),
        (called("bash", command="cat << 'EOF' > a.py\nx\nEOF"), {"a.py": "created"}),
        (called("bash", command=f"patch -p1 <<'EOF'\n{DIFF}EOF"), {"a.py": "changed", "n.py": "created"}),
        (called("bash", command=f"git apply <<'EOF'\n{DIFF}EOF"), {"a.py": "changed", "n.py": "created"}),
        (
            called("bash", "patching file a.py\npatching file b.py", command="patch -p1 < x.diff"),
            {"x.diff": "read", "a.py": "changed", "b.py": "changed"},
        ),
        (called("bash", "checking file a.py", command="patch -p1 --dry-run < x.diff"), {"x.diff": "read"}),
    ],
)
def test_every_way_to_write_a_file_is_counted(call: tuple[Message, Message], told: dict[str, str]) -> None:
    assert files(call) == told


SUMMARY = (
    "[topic 1234abc] Draw the icons\n 3 files changed, 2 insertions(+)\n create mode 100644 icons/cart.png\n"
    " create mode 100644 src/cart.py\n delete mode 100644 icons/cart.svg"
)


def test_files_that_only_a_commit_names_belong_to_the_work() -> None:
    written = called("Write", file_path="src/cart.py", content="x = 1\n")
    found = files(written, called("bash", SUMMARY, command="git add -A && git commit -m 'Draw the icons'"))
    assert found == {
        "src/cart.py": "created",
        "icons/cart.png": "created",
    }
    assert files(called("bash", SUMMARY, command="cat notes.md")) == {"notes.md": "read"}
    commit = called("bash", SUMMARY, command="git add -A && git commit -m 'Draw the icons'")
    assert files(written, commit, called("bash", command="rm icons/cart.png"))["icons/cart.png"] == "deleted"


@pytest.mark.parametrize(
    ("command", "said", "is_read"),
    [
        ("cat notes.md 2>/dev/null || echo 'no notes'", "no notes", False),
        ("cat notes.md 2>/dev/null || true", "", False),
        ("cat notes.md; true", "cat: notes.md: No such file or directory", False),
        ("cat notes.md 2>/dev/null || echo 'no notes'", "Buy bread.", True),
        ("cat notes.md", "", True),
        ("cat notes.md 2>/dev/null | head -20 || echo none", "\n<job 3 completed with exit code 0>", False),
        ("cat notes.md 2>/dev/null; cat rest.log", "Buy bread.", True),
        ("cat notes.md 2>/dev/null | wc -l > count", "", True),
    ],
)
def test_a_file_that_is_not_there_is_not_read(command: str, said: str, is_read: bool) -> None:
    assert files(called("bash", said, command=command)).get("notes.md") == ("read" if is_read else None)


def test_moves_that_follow_each_other_are_one_move() -> None:
    entries = build_ledger(
        talk(user(), *called("bash", command="mv a.py b.py"), *called("bash", command="mv b.py lib/c.py")).messages
    ).files
    assert [(one.path, one.to) for one in entries if one.use == "moved"] == [("a.py", "lib/c.py")]
    assert "b.py" not in [one.path for one in entries]
    back = files(called("bash", command="mv a.py lib/"), called("bash", command="cd /w && mv lib/a.py ."))
    assert back == {"a.py": "changed"}
    whole = build_ledger(
        talk(
            user(),
            *called("bash", command="cd /w/src && mv a.py lib/"),
            *called("edit", file_path="/w/src/lib/a.py", old_string="a", new_string="b"),
            *called("bash", command="cd /w/src && mv lib/a.py ."),
        ).messages
    ).files
    assert [(one.path, one.use, one.to) for one in whole] == [("/w/src/lib/a.py", "moved", "/w/src/")]


def test_a_destination_is_seen_from_the_folder_of_the_command() -> None:
    entries = build_ledger(
        talk(
            user(),
            *called("edit", file_path="/w/pkg/src/utils/config.ts", old_string="a", new_string="b"),
            *called("bash", command="cd /w/pkg/src && mv utils/config.ts ."),
        ).messages
    ).files
    assert [(one.path, one.to) for one in entries] == [("/w/pkg/src/utils/config.ts", "/w/pkg/src/")]


def test_a_file_that_a_commit_deletes_is_deleted() -> None:
    wrote = called("write", file_path="/w/a.py", content="x")
    said = "[main 1234abc] x\n 1 file changed\n delete mode 100644 a.py\n"
    assert files(wrote, called("bash", said, command="cd /w && git commit -am x")) == {"/w/a.py": "discarded"}
    read = called("read", file_path="/w/b.py")
    gone = "[main 1234abc] x\n delete mode 100644 b.py\n"
    assert files(read, called("bash", gone, command="cd /w && git commit -am x")) == {"/w/b.py": "deleted"}


@pytest.mark.parametrize("said", ["File does not exist.", "Error: ENOENT: no such file or directory, open '/w/a.py'"])
def test_a_file_that_a_reading_tool_did_not_find_is_not_read(said: str) -> None:
    assert files(called("read", said, file_path="/w/a.py")) == {}
    assert files(called("read", f"def load():\n    raise OSError('{said}')\n", file_path="/w/a.py")) == {
        "/w/a.py": "read"
    }


def test_one_long_line_takes_little_time_to_read() -> None:
    line = " create mode 100644 " + "a/" * 250_000
    assert files(called("bash", f"{line}\n[" + "a" * 500_000, command="git commit -m x")) == {}


def test_files_that_a_commit_takes_by_name_are_changed_though_no_call_shows_how() -> None:
    add = called("bash", command="git add src/table.py src/row.py && git status --short")
    told = "[main 1234abc] Add a table\n 2 files changed, 4 insertions(+)"
    commit = called("bash", told, command="git commit -m 'Add a table'")
    read = called("read", file_path="/w/src/table.py")
    assert files(add, commit) == {"src/table.py": "changed", "src/row.py": "changed"}
    assert files(read, add, commit) == {"/w/src/table.py": "changed", "src/row.py": "changed"}
    assert files(called("bash", command="git add src/other.py"), add, commit) == {}  # it took fewer than were named
    assert files(called("bash", command="git add -A"), add, commit) == {}
    assert files(add, called("bash", "nothing to commit", command="git status")) == {}


def test_a_folder_that_was_cloned_anew_is_not_deleted_and_one_of_unknown_files_is_not_uncommitted() -> None:
    line = "rm -rf /tmp/site && git clone --depth 1 -b main https://example.org/a/site.git /tmp/site"
    assert files(called("bash", command=line)) == {"/tmp/site": "created"}
    gone = (called("bash", command="rm -rf lib/.cache"), called("bash", command="rm lib/old.py"))
    assert files(*gone) == {"lib/.cache": "deleted", "lib/old.py": "deleted"}
    messages = talk(user(), *(message for one in gone for message in one)).messages
    assert build_ledger(messages).uncommitted == ("lib/old.py",)


def test_a_new_file_that_was_put_over_another_changed_that_one() -> None:
    read, wrote = called("read", file_path="a.py"), called("write", file_path="a.py.new", content="x = 1")
    moved = called("bash", command="mv a.py.new a.py")
    for rounds, uses in (
        ((read, wrote, moved), {"a.py.new": "discarded", "a.py": "changed"}),
        ((wrote, moved), {"a.py.new": "moved", "a.py": "created"}),
    ):
        files = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages).files
        assert {one.path: one.use for one in files} == uses


def test_what_a_run_made_again_and_a_call_deleted_again_is_nothing_to_know() -> None:
    status = called("bash", "?? lib/made.d/\n", command="git status -s")
    gone = called("bash", command="rm -rf lib/made.d")
    for rounds, use in (((status, gone), "deleted"), ((status, gone, gone), "deleted"),
                        ((status, gone, status, gone), "discarded")):  # fmt: skip
        ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
        assert [(one.path, one.use) for one in ledger.files] == [("lib/made.d", use)]


def test_what_git_never_had_and_no_call_worked_with_is_not_left_to_commit() -> None:
    def list_left(*rounds: tuple[Message, Message]) -> tuple[str, ...]:
        return build_ledger(talk(user(), *(message for one in rounds for message in one)).messages).uncommitted

    status = called("bash", " M lib/row.py\n?? out.log\n?? lib/made.d/\n?? lib/new.py\n", command="git status -s")
    gone = called("bash", command="rm -rf lib/made.d out.log lib/old.py")
    assert list_left(status, gone) == ("lib/old.py",)
    assert list_left(gone, status) == ("lib/made.d", "out.log", "lib/old.py")
    read = called("read", file_path="lib/new.py")
    assert list_left(status, read, called("bash", command="rm lib/new.py")) == ("lib/new.py",)


def committed(hash_: str) -> tuple[Message, Message]:
    return called("bash", f"[main {hash_}] x\n 1 file changed", command="git add -A && git commit -m x")


def reset(how: str) -> tuple[Message, Message]:
    return called("bash", "HEAD is now at 0000000 begin", command=f"git reset {how}")


EDIT_A = called("edit", file_path="/r/a.py", old_string="x", new_string="y")
MADE_B = called("write", file_path="/r/b.py", content="x = 1")


@pytest.mark.parametrize(
    ("how", "uncommitted", "uses"),
    [
        ("--soft HEAD~1", ("/r/b.py",), {"/r/a.py": "changed", "/r/b.py": "created"}),
        ("HEAD~2", ("/r/a.py", "/r/b.py"), {"/r/a.py": "changed", "/r/b.py": "created"}),
        ("--hard HEAD^", (), {"/r/a.py": "changed", "/r/b.py": "discarded"}),
        ("--hard HEAD~2", (), {"/r/a.py": "restored", "/r/b.py": "discarded"}),
        ("--hard aaaaaaa", (), {"/r/a.py": "changed", "/r/b.py": "discarded"}),
        ("--hard origin/main", (), {"/r/a.py": "changed", "/r/b.py": "created"}),
        ("-- a.py", (), {"/r/a.py": "changed", "/r/b.py": "created"}),
    ],
)
def test_a_reset_leaves_uncommitted_or_takes_back_what_the_commits_it_undid_took(
    how: str, uncommitted: tuple[str, ...], uses: dict[str, str]
) -> None:
    rounds = (EDIT_A, committed("aaaaaaa"), MADE_B, committed("bbbbbbb"), reset(how))
    ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    assert ledger.uncommitted == uncommitted
    assert {one.path: one.use for one in ledger.files} == uses


def test_what_lies_outside_of_every_repository_is_not_left_to_commit() -> None:
    own = called("write", file_path="/home/u/.claude/skills/x/SKILL.md", content="x")
    ledger = build_ledger(talk(user(), *EDIT_A, *own).messages)
    assert ledger.uncommitted == ("/r/a.py",)
    assert build_ledger(talk(user(), *own).messages).uncommitted == ("/home/u/.claude/skills/x/SKILL.md",)
    of_git = called("write", file_path="/r/.git/info/exclude", content="x")
    assert build_ledger(talk(user(), *EDIT_A, *of_git).messages).uncommitted == ("/r/a.py",)


def line(command: str, said: str = "") -> tuple[Message, Message]:
    return called("bash", said, command=f"cd /r && {command}")


KEPT = line("cp a.py a.py.bak")


@pytest.mark.parametrize(
    ("rounds", "uses"),
    [
        ((KEPT, EDIT_A, line("cp a.py.bak a.py")), {"/r/a.py": "restored", "a.py.bak": "created"}),
        ((KEPT, EDIT_A, line("mv a.py.bak a.py")), {"/r/a.py": "restored", "a.py.bak": "discarded"}),
        ((KEPT, EDIT_A, line("cp a.py.bak a.py && sed -i 's/x/z/' a.py")),
         {"/r/a.py": "changed", "a.py.bak": "created"}),
        ((KEPT, line("cp a.py.bak a.py")), {"a.py.bak": "created"}),
        ((KEPT, EDIT_A, line("rm a.py && cp a.py.bak a.py")), {"/r/a.py": "restored", "a.py.bak": "created"}),
        ((KEPT, EDIT_A, line("rm a.py"), line("cp a.py.bak a.py")), {"/r/a.py": "restored", "a.py.bak": "created"}),
        ((EDIT_A, KEPT, EDIT_A, line("cp a.py.bak a.py")), {"/r/a.py": "changed", "a.py.bak": "created"}),
        ((KEPT, EDIT_A, line("sed -i 's/x/z/' a.py.bak"), line("cp a.py.bak a.py")),
         {"/r/a.py": "changed", "a.py.bak": "created"}),
        ((KEPT, EDIT_A, line("cp a.py.bak b.py")), {"/r/a.py": "changed", "a.py.bak": "created", "b.py": "created"}),
    ],
)  # fmt: skip
def test_a_copy_of_a_file_as_it_was_restores_it(
    rounds: tuple[tuple[Message, Message], ...], uses: dict[str, str]
) -> None:
    assert files(*rounds) == uses


STASH = line("git stash", "Saved working directory and index state WIP on main: 1234abc x")


@pytest.mark.parametrize(
    ("later", "use", "about"),
    [
        ((), "restored", "its changes are in a git stash"),
        ((line("git stash drop", "Dropped refs/stash@{0}"),), "restored", ""),
        ((line("git stash pop", "On branch main"),), "changed", ""),
    ],
)
def test_changes_that_are_left_in_a_stash_are_said_to_be_there(
    later: tuple[tuple[Message, Message], ...], use: str, about: str
) -> None:
    rounds = (EDIT_A, STASH, *later)
    ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    (one,) = ledger.files
    assert (one.use, one.about) == (use, about)
    taken_back = [standing.text for standing in ledger.standing if standing.kind == "edits"]
    assert bool(taken_back) == (use == "restored" and not about)


@pytest.mark.parametrize("wrap", [False, True])
def test_a_command_line_that_is_a_call_of_its_own_writes_its_file(wrap: bool) -> None:
    def bare(tool: str, text: str) -> tuple[Message, Message]:
        prompt = "ran\n(Open file: n/a)\n(Current directory: /r)\nbash-$"
        return assistant((tool, tool, json.dumps({"input": text}) if wrap else text)), result(prompt, tool, tool)

    written = bare("cat", "cat << EOF > a.py\nx = 1 > 0\nEOF")
    assert files(written) == {"a.py": "created"}
    assert files(EDIT_A, written) == {"/r/a.py": "changed"}
    assert files(bare("cat", "cat a.py"), bare("echo", "echo 1")) == {}


def test_a_formatter_changes_no_file_that_nothing_else_changed() -> None:
    formatted = called("bash", command="gofmt -w a.go b.go")
    assert files(called("bash", command="cat a.go"), formatted) == {"a.go": "read"}
    assert files(called("edit", file_path="a.go", old_string="x", new_string="y"), formatted) == {"a.go": "changed"}


def test_a_file_that_one_command_deletes_and_writes_anew_was_not_deleted() -> None:
    rounds = called("bash", command="cat a.py"), called("bash", command="rm -f a.py && cat > a.py <<'EOF'\nx\nEOF")
    ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    assert [one.use for one in ledger.files] == ["changed"]
    assert ledger.requests[0].progress is not None
    assert ledger.requests[0].progress.steps == ("changed a.py",)
    assert files(called("bash", command="cat a.py"), called("bash", command="echo x > a.py; rm a.py")) == {
        "a.py": "deleted"
    }


def test_steps_tell_a_copy_that_was_put_back_as_that() -> None:
    rounds = KEPT, EDIT_A, line("rm a.py"), line("cp a.py.bak a.py")
    ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    assert ledger.requests[0].progress is not None
    assert [one for one in ledger.requests[0].progress.steps if " a.py" in one][-1] == "restored a.py"
    assert not any(one.startswith("deleted") for one in ledger.requests[0].progress.steps)


def test_a_migration_that_a_command_says_it_wrote_is_a_new_file() -> None:
    said = "Migrations for 'shop':\n  shop/migrations/0002_basket.py\n    - Create model Basket"
    assert files(called("bash", said, command="python manage.py makemigrations")) == {
        "shop/migrations/0002_basket.py": "created"
    }
    assert files(called("bash", said, command="python manage.py makemigrations --dry-run")) == {}
    assert files(called("bash", "  shop/migrations/0002_basket.py", command="python show.py")) == {}


def test_a_path_above_the_folder_that_the_call_went_to_is_told_with_its_place() -> None:
    assert files(called("Bash", command="cd /repo/src/tui && cp a.ts ../modes/a.ts")) == {
        "/repo/src/modes/a.ts": "created"
    }


@pytest.mark.parametrize(
    ("line", "said", "is_left"),
    [
        ("git status --short", "", False),
        ("git status --porcelain=v1", "Exit code: 0\nOutput:\n", False),
        ("git status -s", " M other.py\n", True),
        ("git status --short -- docs", "", True),
        ("git -C /q status --short", "", True),
        ("git status --short | head -0", "", True),
        ("git status --short", "fatal: not a git repository", True),
    ],
)
def test_behind_a_short_status_that_prints_nothing_nothing_is_left_to_commit(
    line: str, said: str, is_left: bool
) -> None:
    rounds = (EDIT_A, called("bash", said, error=said.startswith("fatal"), command=line))
    ledger = build_ledger(talk(user(), *(message for one in rounds for message in one)).messages)
    assert ledger.uncommitted == (("/r/a.py",) if is_left else ())
