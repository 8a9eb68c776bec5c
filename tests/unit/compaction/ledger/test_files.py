"""Files read and changed, as calls tell it."""

import json
from typing import Any

import pytest

from conversation import assistant, result, talk, user
from secateur.acts.files import parse_effects
from secateur.compaction.ledger import FileEntry, build_ledger
from secateur.model import Message


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
        ('bash -lc "cat foo.txt && cp x.py y.py"', ["read foo.txt", "created y.py"]),
        ("git checkout -- src/a.py", ["changed src/a.py"]),
        ("apply_patch <<'P'\n*** Begin Patch\n*** Update File: q.py\n@@\n*** End Patch\nP", ["changed q.py"]),
        ("python - <<'PY'\nopen('a.txt', 'w').write('x')\nPY", ["created a.txt"]),
        ("python - <<'PY'\nPath('b.md').write_text('')\nPY", ["created b.md"]),
        ("grep -rn needle src; ls; cat *.py $FILE; rm -rf $DIR", []),
        ("echo 'a > b' && git commit -m 'x > y'", []),
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
    ) == {"README.md": "changed", "/repo/src/a.py": "changed"}


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
