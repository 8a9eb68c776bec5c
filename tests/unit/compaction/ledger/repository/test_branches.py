"""Commits name a branch only where it is not the one of the work, and are read back with it."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, read_back, render_ledger
from secateur.compaction.ledger.repository.unpushed import UNSEEN
from secateur.model import Message


def ran(command: str, said: str, error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def read(*rounds: tuple[Message, Message]) -> Ledger:
    asked = user("Mend the parser and commit it.")
    return build_ledger(talk(asked, *(one for pair in rounds for one in pair), assistant(text="Done.")).messages)


ON_MAIN = ran("git commit -m x", "[main 1234abc] Mend the parser")
ON_TOPIC = ran("git checkout -b topic && git commit -m y", "Switched to a new branch 'topic'\n[topic 5678def] Mend it")


def test_commits_on_the_branch_of_the_work_are_told_without_it() -> None:
    lines = render_ledger(read(ON_MAIN, ON_TOPIC))
    told = "\n".join(lines["accomplished"])
    assert "commit [main 1234abc] Mend the parser" in told
    assert "commit 5678def Mend it" in told
    assert "branch: topic" in "\n".join(lines["files"])


def test_commits_are_read_back_with_their_branch() -> None:
    ledger = read(ON_MAIN, ON_TOPIC)
    lines = render_ledger(ledger)
    back = read_back(lines)
    assert set(back.commits) == set(ledger.commits)
    assert render_ledger(back)["accomplished"] == lines["accomplished"]


def test_where_no_branch_is_known_commits_stand_as_git_printed_them() -> None:
    lines = render_ledger(read(ran("git rebase --continue && git commit", "[detached HEAD 1234abc] Mend the parser")))
    assert "commit [detached HEAD 1234abc] Mend the parser" in "\n".join(lines["accomplished"])


REBASED = "Successfully rebased and updated refs/heads/main.\n"


def test_commits_that_a_rebase_names_on_no_branch_are_on_the_rebased_one() -> None:
    shown = f"Rebasing (2/2)\n[detached HEAD 5678def] Mend the parser\n{REBASED}"
    ledger = read(ON_MAIN, ran("git rebase --exec 'git commit --amend --no-edit' HEAD~1", shown))
    assert ledger.commits == ("[main 5678def] Mend the parser",)
    told = "\n".join(render_ledger(ledger)["accomplished"])
    assert "commit 5678def Mend the parser" in told
    assert "1234abc" not in told


def test_a_commit_that_a_rebase_gave_another_hash_says_so_until_a_log_shows_it() -> None:
    rebased = ran("git fetch && git rebase origin/main", REBASED)
    ledger = read(ON_MAIN, rebased)
    assert ledger.commits == ("[main 1234abc] Mend the parser (rebased since: another hash)",)
    assert "commit 1234abc Mend the parser (rebased since: another hash)" in "\n".join(
        render_ledger(ledger)["accomplished"]
    )
    ledger = read(ON_MAIN, rebased, ran("git log --oneline -2", "9999abc Mend the parser\n1111111 Begin"))
    assert ledger.commits == ("[main 9999abc] Mend the parser",)
    assert ledger.unpushed == (UNSEEN, "9999abc")
    assert "commit 9999abc Mend the parser" in "\n".join(render_ledger(ledger)["accomplished"])


def test_a_rebase_leaves_commits_that_are_out_and_one_that_changes_nothing_leaves_all() -> None:
    pushed = ran("git push origin main", "To github.com:a/b\n   1..2  main -> main")
    assert read(ON_MAIN, pushed, ran("git pull --rebase", REBASED)).commits == ("[main 1234abc] Mend the parser",)
    even = ran("git rebase origin/main", "Current branch main is up to date.")
    assert read(ON_MAIN, even).commits == ("[main 1234abc] Mend the parser",)


def test_a_branch_that_a_call_made_is_a_step() -> None:
    told = "\n".join(
        render_ledger(read(ran("git branch backup/main", ""), ran("git branch -vv", "* main 1")))["accomplished"]
    )
    assert "git branch backup/main → ok" in told
    assert "git branch -vv → ok" not in told


@pytest.mark.parametrize(
    ("rounds", "branch"),
    [
        ([ON_MAIN, ran("git branch -m topic", "")], "topic"),
        ([ON_MAIN, ran("git branch -m main trunk", "")], "trunk"),
        ([ON_MAIN, ran("git branch -m other trunk", "")], "main"),
        ([ON_MAIN, ran("git checkout 1234abc && git status", "HEAD detached at 1234abc\n")], "detached HEAD"),
        ([ON_MAIN, ran("git checkout 1234abc && git status", "HEAD detached at 1234abc"), ON_TOPIC], "topic"),
        ([ran("git rebase origin/main", REBASED)], "main"),
    ],
)  # fmt: skip
def test_the_branch_is_the_newest_that_git_named_or_was_told(
    rounds: list[tuple[Message, Message]], branch: str
) -> None:
    assert read(*rounds).branch == branch


def test_a_merge_that_deletes_its_branch_leaves_for_the_one_that_it_was_merged_into() -> None:
    said = "From https://git.example/ferry\n * branch            main       -> FETCH_HEAD\nUpdating 1a2b3c4..5d6e7f8\n"
    switched = ran("git switch -c tides", "Switched to a new branch 'tides'")
    assert read(switched, ran("gh pr merge 7 --squash -d", said)).branch == "main"


def test_a_branch_is_read_below_what_a_host_writes_above_an_output() -> None:
    said = "Chunk ID: 1a2b3c\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\nmain\n"
    assert read(ran("git branch --show-current", said)).branch == "main"


@pytest.mark.parametrize(
    ("told", "branch"),
    [
        ("# Context\n- **Git Branch:** tides-7\n- **Folder:** /w\n", "tides-7"),
        ("Current branch: main\n\nPaint the boat.", "main"),
        ("The current branch is broken: mend it.", ""),
        ("Open a branch: tides-7", ""),
    ],
)
def test_the_branch_is_what_the_host_named_at_first_until_git_names_one(told: str, branch: str) -> None:
    assert build_ledger(talk(user(told)).messages).branch == branch
    assert build_ledger(talk(user(told), *ON_TOPIC).messages).branch == "topic"
