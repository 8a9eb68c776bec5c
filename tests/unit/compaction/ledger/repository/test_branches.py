"""Commits name a branch only where it is not the one of the work, and are read back with it."""

import json

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, read_back, render_ledger
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
