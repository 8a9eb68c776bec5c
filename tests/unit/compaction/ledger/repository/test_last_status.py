"""What the last `git status` showed holds as long as nothing behind it changed that."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.model import Message


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a = 1", "new_string": "a = 2"}
    return assistant(("e", "edit", json.dumps(given))), result("ok", "edit", "e")


def read(*rounds: tuple[Message, Message]) -> Ledger:
    return build_ledger(talk(user(), *(one for pair in rounds for one in pair)).messages)


SHOWN = ran("git status --short", " M src/a.py\n M src/b.py\nA  src/new.py\n?? notes.md\n?? docs/\n")
DONE = "[main 1234abc] x\n 1 file changed"


@pytest.mark.parametrize(
    ("rounds", "left"),
    [
        ([SHOWN, ran("git add src/a.py && git commit -m x", DONE)],
         ("modified src/b.py", "untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git add ./src"), ran("git commit -m x", DONE)], ("untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git -C /w add src/a.py docs/new.md && git -C /w commit -m x", DONE)],
         ("modified src/b.py", "untracked notes.md")),
        ([SHOWN, ran("git commit -am x", DONE)], ("untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git commit -m x src/b.py", DONE)],
         ("modified src/a.py", "untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git add -A && git commit -m x", DONE)], ()),
        ([SHOWN, ran("git add src/*.py && git commit -m x", DONE)], ()),
        ([SHOWN, ran("make release", DONE)], ()),
        ([SHOWN, ran("git commit -m x", f"{DONE}\n create mode 100644 notes.md")],
         ("modified src/a.py", "modified src/b.py", "untracked docs/")),
        ([SHOWN, ran("git checkout -- src/a.py")], ()),
        ([SHOWN, ran("git stash")], ()),
        ([SHOWN, ran("git reset HEAD~1")], ()),
        ([SHOWN, ran("git reset origin/main")], ()),
        ([SHOWN, ran("git restore -SW src/a.py")], ()),
        ([SHOWN, ran("git restore --staged src/new.py")],
         ("modified src/a.py", "modified src/b.py", "untracked src/new.py", "untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git reset -q")],
         ("modified src/a.py", "modified src/b.py", "untracked src/new.py", "untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git add notes.md src/b.py"), ran("git reset src/b.py\ngit commit -m x", DONE)],
         ("modified src/a.py", "modified src/b.py", "untracked docs/")),
        ([SHOWN, ran("git add -A && git commit -m x && git push", f"{DONE}\nfatal: no route", True)], ()),
        ([SHOWN, ran("git push", "To github.com:a/b")],
         ("modified src/a.py", "modified src/b.py", "added src/new.py", "untracked notes.md", "untracked docs/")),
        ([SHOWN, ran("git status --short -- src", " M src/b.py\n")],
         ("untracked notes.md", "untracked docs/", "modified src/b.py")),
        ([ran("git status -s && git add src && git commit -m x", f" M src/a.py\n?? notes.md\n{DONE}")],
         ("untracked notes.md",)),
    ],
)  # fmt: skip
def test_a_commit_leaves_what_it_did_not_take(rounds: list[tuple[Message, Message]], left: tuple[str, ...]) -> None:
    assert read(*rounds).status == left


@pytest.mark.parametrize(
    ("root", "other", "is_left"), [("/home/x/cart", "/tmp/try.py", False), ("/tmp/cart", "/tmp/cart/try.py", True)]
)
def test_what_is_kept_for_a_while_beside_the_work_is_nothing_to_commit(root: str, other: str, is_left: bool) -> None:
    place = ran(f"cd {root} && git rev-parse --show-toplevel", root)
    assert (other in read(place, edited(other)).uncommitted) is is_left


def test_a_file_that_was_taken_back_and_is_shown_changed_again_is_not_restored() -> None:
    again = [edited("/w/src/a.py"), ran("cd /w && git checkout -- src/a.py")]
    assert any("restored" in line for line in render_ledger(read(*again))["files"])
    lines = render_ledger(read(*again, ran("make fmt"), ran("git status -sb", "## main\n M src/a.py\n")))["files"]
    assert not any("restored" in line for line in lines)
    assert "- also uncommitted: modified src/a.py" in lines


def test_what_a_patch_left_beside_a_changed_file_is_of_the_session() -> None:
    shown = ran("git status -sb", "## main\n M src/a.py\n?? src/a.py.orig\n?? src/other.py.orig\n")
    lines = render_ledger(read(edited("/w/src/a.py"), shown))["files"]
    assert "- also uncommitted: untracked src/other.py.orig" in lines
    assert any(line.startswith("- scratch files: ") and line.endswith("src/a.py.orig") for line in lines)


def test_what_a_commit_took_and_a_status_shows_again_is_told_over_spans() -> None:
    taken = [edited("/w/src/a.py"), ran("cd /w && git add src/a.py && git commit -m x", DONE)]
    shown = ran("cd /w && git status -sb", "## main\n M src/a.py\n")
    assert read(*taken, shown).strays == ("modified src/a.py",)
    assert merge(Ledger(), read(*taken, shown)).strays == ("modified src/a.py",)
    assert merge(read(*taken), read(shown)).strays == ("modified src/a.py",)
    assert merge(read(edited("/w/src/a.py")), read(shown)).strays == ()


def test_of_many_files_that_are_dirty_those_of_the_session_are_kept() -> None:
    taken = [edited("/w/src/a.py"), ran("cd /w && git add src/a.py && git commit -m x", DONE)]
    others = "".join(f"?? notes{name}.md\n" for name in "abcdefghijklmnopqrstuvwxyz")
    shown = ran("cd /w && git status -sb", f"## main\n M src/a.py\n M z.py\n{others}")
    line = render_ledger(read(*taken, shown))["files"][1]
    assert line.startswith("- also uncommitted: … · ")
    assert line.endswith(" · untracked notesz.md · modified z.py · modified src/a.py")


AHEAD_3 = ran("git rev-list --left-right --count origin/main...HEAD", "0\t3")
DIVERGED = (
    "On branch main\nYour branch and 'origin/main' have diverged,\n"
    "and have 3 and 2 different commits each, respectively.\n\nnothing to commit, working tree clean\n"
)


@pytest.mark.parametrize(
    ("rounds", "distance"),
    [
        ([ran("git status", DIVERGED)], ("ahead 3, behind 2 of origin/main",)),
        ([ran("git rev-list --left-right --count origin/main...HEAD", "2\t3\n")],
         ("ahead 3, behind 2 of origin/main",)),
        ([ran("git rev-list --count --left-right HEAD...origin/main", "3\t0")], ("ahead 3 of origin/main",)),
        ([ran("git rev-list --left-right --count origin/main...HEAD", "0\t0")], ()),
        ([ran("git rev-list --left-right --count one...other", "1\t4")], ()),
        ([AHEAD_3, ran("git status -sb", "## main\n M a.py")],
         ("ahead 3 of origin/main",)),
        ([AHEAD_3,
          ran("git status -sb", "## main...origin/main [ahead 4]\n")], ("ahead 4 of origin/main",)),
        ([AHEAD_3, ran("git push", "ok")], ()),
        ([AHEAD_3, ran("git rebase origin/main", "ok")], ()),
    ],
)  # fmt: skip
def test_how_far_a_branch_diverged_is_told(rounds: list[tuple[Message, Message]], distance: tuple[str, ...]) -> None:
    assert tuple(one for one in read(*rounds).status if one.startswith(("ahead", "behind"))) == distance
    if distance:
        assert any(line.endswith(f"git status, last: {distance[0]}") for line in render_ledger(read(*rounds))["files"])


def test_what_a_tracker_keeps_is_left_to_commit() -> None:
    shown = ran("git status -sb", "## main\nM  .beads/issues.jsonl\n M z.py\n")
    made = read(edited("/w/src/a.py"), ran("bd close w-1", "Closed w-1"), shown)
    assert made.strays == ("staged .beads/issues.jsonl", "modified z.py")


def test_dirty_files_of_one_folder_stand_behind_its_name() -> None:
    shown = ran("cd /w && git status -s", " M docs/a.md\n M docs/b.md\n M docs/c.md\n?? notes/\n")
    lines = render_ledger(read(edited("/w/src/a.py"), shown))
    assert "- also uncommitted: untracked notes/ · modified docs/: a.md, b.md, c.md" in lines["files"]
    assert render_ledger(read_back(lines)) == lines


def test_files_are_not_dirty_from_before_where_the_agents_earlier_answers_are_missing() -> None:
    shown = ran("cd /w && git status -s", " M src/b.py\n")
    rounds = (*shown, *edited("/w/src/a.py"), *shown)
    assert build_ledger(talk(user("Write the cart."), *rounds).messages).dirty == ("modified src/b.py",)
    later = build_ledger(talk(user("Write the cart."), user("Now its tests."), *rounds).messages)
    assert (later.dirty, later.strays) == ((), ("modified src/b.py",))


def test_what_a_commit_took_is_no_more_what_was_dirty_before_the_session() -> None:
    begun = ran("cd /w && git status -sb", "## main\n M src/b.py\n?? notes/\n")
    assert read(begun, edited("/w/src/a.py")).dirty == ("modified src/b.py", "untracked notes/")
    assert read(begun, edited("/w/src/a.py"), ran("cd /w && git commit -am x", DONE)).dirty == ("untracked notes/",)
