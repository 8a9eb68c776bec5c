"""Files in folders that were moved, files that only a commit tells of, and files that a command did not show."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, render_ledger, settle_states
from secateur.model import Message

Ran = tuple[Message, Message]


def ran(command: str, said: str = "") -> Ran:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1")


def written(path: str, text: str = "# Ferry\n") -> Ran:
    given = {"file_path": path, "content": text}
    return assistant(("w", "Write", json.dumps(given))), result("ok", "Write", "w")


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(user("Sort the timetables."), *messages).messages)


def list_files(ledger: Ledger) -> list[str]:
    lines = render_ledger(ledger).get("files", ())
    return [line.removeprefix("- ") for line in lines if line.startswith(("- created", "- changed", "- moved"))]


MOVED = ran("mkdir -p lines/north && mv ferry lines/north/ferry")


def test_a_file_in_a_folder_that_was_moved_says_where_it_is() -> None:
    span = read(*written("ferry/tides.md", "# Tides\n## North\n"))
    whole = read(*written("ferry/tides.md", "# Tides\n## North\n"), *MOVED)
    told = [
        "moved: ferry → lines/north/ferry",
        "created: ferry/tides.md — moved along with its folder to lines/north/ferry; “Tides”",
    ]
    assert list_files(whole) == told
    assert list_files(settle_states(span, whole)) == told
    assert "moved along with" in {one.path: one.about for one in merge(span, read(*MOVED)).files}["ferry/tides.md"]


def test_a_file_in_a_folder_that_was_moved_has_the_name_that_a_later_call_gives_it() -> None:
    given = {"file_path": "lines/north/ferry/tides.md", "old_string": "# Tides", "new_string": "# All tides"}
    later = assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")
    span = read(*written("ferry/tides.md", "# Tides\n## North\n"))
    whole = read(*written("ferry/tides.md", "# Tides\n## North\n"), *MOVED, *later)
    told = [
        "moved: ferry → lines/north/ferry",
        "created: lines/north/ferry/tides.md — “Tides”",
    ]
    assert list_files(whole) == told
    assert list_files(settle_states(span, whole)) == told


def test_what_is_left_to_commit_of_a_moved_folder_is_its_new_place() -> None:
    lines = render_ledger(read(*ran("git status -sb", "## main"), *ran("git mv ferry pier")))["next"]
    assert "- not committed: pier" in lines


COMMITTED = (
    "[main 1a2b3c4] Add tides\n 2 files changed, 9 insertions(+)\n"
    " create mode 100644 ferry/map.png\n create mode 100644 .hooks/pre-push\n"
)


def test_a_file_that_only_a_commit_names_is_not_told_as_the_sessions_work() -> None:
    drawn = ran("draw map.svg --out ferry/map.png")
    assert list_files(read(*drawn, *ran("git add . && git commit -m 'Add tides'", COMMITTED))) == [
        "created: ferry/map.png",
        "created: .hooks/pre-push — taken up by a commit; no call names it",
    ]


@pytest.mark.parametrize(
    ("said", "use"),
    [("", "created"), ("Wall time: 0.0 s\nOutput:\n", "created"), ("     1\tpackage ferry", "changed")],
)
def test_a_file_that_a_conditional_command_did_not_show_was_not_there(said: str, use: str) -> None:
    looked = ran("test -f ferry/tides.go && nl -ba ferry/tides.go || true", said)
    assert [one.use for one in read(*looked, *written("ferry/tides.go", "package ferry\n")).files] == [use]


EDITED = (
    assistant(("e", "Edit", json.dumps({"file_path": "ferry.py", "old_string": "a = 1", "new_string": "a = 2"}))),
    result("ok", "Edit", "e"),
)
WRITTEN = ran("git diff -- ferry.py > ferry.patch")
BACK = ran("git checkout ferry.py", "Updated 1 path from the index")


@pytest.mark.parametrize(
    ("rounds", "use"),
    [
        ((*WRITTEN, *BACK), "restored"),
        ((*WRITTEN, *BACK, *ran("git apply ferry.patch")), "changed"),
        ((*WRITTEN, *BACK, *ran("patch -p1 < ferry.patch", "patching file ferry.py")), "changed"),
        ((*WRITTEN, *BACK, *ran("git apply --check ferry.patch")), "restored"),
        ((*WRITTEN, *BACK, *ran("git apply other.patch")), "restored"),
        ((*ran("git diff > ferry.patch"), *BACK, *ran("git apply ferry.patch")), "changed"),
    ],
)
def test_a_patch_that_is_applied_again_brings_back_what_was_taken_back(rounds: tuple[Message, ...], use: str) -> None:
    assert {one.path: one.use for one in read(*EDITED, *rounds).files}["ferry.py"] == use


def edited(path: str, old: str, new: str) -> Ran:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def test_a_file_that_was_moved_and_changed_there_is_one_line() -> None:
    moved = ran("cd /w/src && mv tides-new.py tides.py")
    whole = read(*edited("/w/src/tides-new.py", "HIGH = 1", "HIGH = 2"), *moved)
    assert list_files(whole) == ["moved: ./tides-new.py → ./tides.py — `HIGH = 1` → `HIGH = 2`"]
    assert list_files(read(*ran("mv tides-new.py tides.py"), *edited("tides.py", "LOW = 3", "LOW = 4"))) == [
        "moved: tides-new.py → tides.py — `LOW = 3` → `LOW = 4`"
    ]
    assert list_files(read(*written("north.md"), *ran("mv north.md south.md"))) == ["created: south.md — “Ferry”"]


def test_a_file_that_is_seen_from_a_folder_is_the_one_that_calls_name_whole() -> None:
    seen = ran("cd /w/src && sed -i 's/a/b/' tides.py ferry.py")
    whole = read(*seen, *edited("/w/src/tides.py", "def high(): 1", "def high(): 2"))
    assert [one.path for one in whole.files] == ["ferry.py", "/w/src/tides.py"]
    other = ran("cd /w/src && cd /w/test && sed -i 's/a/b/' tides.py")
    apart = read(*edited("/w/test/north.py", "def high(): 1", "def high(): 2"), *other)
    assert [one.path for one in apart.files] == ["/w/test/north.py", "tides.py"]
