"""Where the work is, and what of it is out."""

import json
import re

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.repository.unpushed import UNSEEN
from secateur.model import Message


def ran(command: str, said: str = "", error: bool = False, **more: str) -> tuple[Message, Message]:
    given = json.dumps({"command": command, **more})
    return assistant(("1", "bash", given)), result(said, "bash", "1", error)


def read(*rounds: tuple[Message, Message]) -> Ledger:
    return build_ledger(talk(user(), *(one for pair in rounds for one in pair)).messages)


COMMIT = ran("git commit -m x", "[main 1234abc] x\n 1 file changed")
TAGGED = ran("git tag v0.1.0")
SHOWN = "   1234567..1234abc  main -> main\n * [new tag]         v0.1.0 -> v0.1.0\nnpm error code E403\n"
REWRITTEN = ran(
    "git rebase --exec 'git commit --amend --no-edit' HEAD~1",
    "Rebasing (2/2)Executing: git commit --amend --no-edit\n[detached HEAD 5678def] x\n",
)
REJECTED = ran(
    "git push --force origin main",
    " ! [remote rejected] main -> main (declined)\nerror: failed to push some refs to 'x'",
    True,
)
OTHERS = [ran("git commit -m x", f"[main a0000{at}f] x") for at in range(6)]
AHEAD = "On branch main\nYour branch is ahead of 'origin/main' by 3 commits.\n\n"
LOCKED = ran("git commit -m 'Mend y'", "fatal: Unable to create '/srv/.git/index.lock': File exists.", True)
LOGGED = ran("git log --oneline -2", "5678def (HEAD -> main) Mend y\n1111111 z")
PUSHED = ran("git push origin main", "To github.com:a/b\n   1..2  main -> main")


@pytest.mark.parametrize(
    ("rounds", "left"),
    [
        ([COMMIT], (UNSEEN, "1234abc")),
        ([ran("git commit -m x", "[main a87a7777] x")], (UNSEEN, "a87a7777")),
        ([ran("git commit -m x", "[main (root-commit) a87a7777] x")], ("a87a7777",)),
        ([COMMIT, TAGGED], (UNSEEN, "1234abc", "tag v0.1.0")),
        ([COMMIT, ran("git push --dry-run", "To x\n   1..2  main -> main")], (UNSEEN, "1234abc")),
        ([COMMIT, ran("git push origin --delete topic", "To x\n - [deleted] topic")], (UNSEEN, "1234abc")),
        ([COMMIT, ran("git revert --no-edit HEAD", "[main 5678def] Revert x\n 1 file")],
         (UNSEEN, "1234abc", "5678def")),
        ([ran("git cherry-pick 9999999", "[main 5678def] y\n Date: Tue\n 1 file changed")], (UNSEEN, "5678def")),
        ([COMMIT, TAGGED, ran("git tag -d v0.1.0", "Deleted tag 'v0.1.0' (was 1234abc)")], (UNSEEN, "1234abc")),
        ([COMMIT, TAGGED, PUSHED], ("tag v0.1.0",)),
        ([COMMIT, TAGGED, PUSHED, ran("git push --tags", "ok")], ()),
        ([COMMIT, TAGGED, PUSHED, ran("git push origin v0.1.0", "ok")], ()),
        ([COMMIT, ran("git push", "rejected", True)], (UNSEEN, "1234abc")),
        ([COMMIT, TAGGED, ran("git push origin main v0.1.0 && npm publish", SHOWN, True)], ()),
        ([COMMIT, TAGGED, ran("git push origin main && npm publish", SHOWN.partition(" *")[0], True)], ("tag v0.1.0",)),
        ([COMMIT, ran("git pull && git push", SHOWN.replace("-> main", "-> origin/main"), True)], (UNSEEN, "1234abc")),
        ([COMMIT, ran("gh pr create --title T", "https://github.com/a/b/pull/7")], ()),
        ([ran("git add . && git commit -m x && git tag v2", "[main 1234abc] x")], (UNSEEN, "1234abc", "tag v2")),
        (
            [COMMIT, ran("git push", "ssh: connect to host\nfatal: Could not read from remote repository.")],
            (UNSEEN, "1234abc"),
        ),
        ([COMMIT, ran("git push | tail -3", " ! [rejected]  main -> main (fetch first)")], (UNSEEN, "1234abc")),
        ([ran("git commit -m x && git push", "[main 1234abc] x\nfatal: no upstream", True)], (UNSEEN, "1234abc")),
        ([ran("git tag -l"), ran("git tag -d v1")], ()),
        ([COMMIT, PUSHED, ran("git commit -m y", "[main 5678def] y")], ("5678def",)),
        ([ran("git -C /srv/app commit -m x", "[main 1234abc] x")], (UNSEEN, "1234abc")),
        ([ran("git -C /srv/app commit -m x && git -C /srv/app push", "[main 1234abc] x\n  1..2  main -> main")], ()),
        ([ran("git -C /srv/app commit -m x", "[main 1234abc] x"), ran("git -C /srv/docs push", "ok")],
         (UNSEEN, "1234abc")),
        ([COMMIT, ran("git status", "On branch main\nYour branch is up to date with 'origin/main'.")], ()),
        ([COMMIT, ran("git status -sb", "## main...origin/main")], ()),
        ([COMMIT, ran("git status -sb", "## main")], (UNSEEN, "1234abc")),
        (
            [
                COMMIT,
                ran("git commit -m y", "[main 5678def] y"),
                ran("git status -sb", "## main...origin/main [ahead 1]"),
            ],
            ("5678def",),
        ),
        (
            [
                COMMIT,
                ran("git commit -m y", "[main 5678def] y"),
                ran("git status -sb", "## main...origin/main [ahead 3]"),
            ],
            ("1 earlier by git status", "1234abc", "5678def"),
        ),
        (
            [ran("git status -sb", "## main...origin/main [ahead 3]"), COMMIT, PUSHED, *OTHERS[:1]],
            ("a00000f",),
        ),
        (
            [ran("git commit -m y", f"{AHEAD}nothing to commit, working tree clean", True), *OTHERS[:1]],
            ("3 earlier by git status", "a00000f"),
        ),
        ([ran("git status", AHEAD), ran("git checkout side", "Switched to branch 'side'"), COMMIT], ("1234abc",)),
        (OTHERS, (UNSEEN, "a00000f", "3 more", "a00004f", "a00005f")),
        ([COMMIT, OTHERS[0], ran("git log --oneline", "a00000f x\nb0b0b0b y\n1234abc x\nc0c0c0c z")],
         (UNSEEN, "1234abc", "b0b0b0b", "a00000f")),
        ([COMMIT, OTHERS[0], ran("git log --oneline --all", "a00000f x\nb0b0b0b y\n1234abc x")],
         (UNSEEN, "1234abc", "a00000f")),
        ([COMMIT, ran("git merge side", "ok"), OTHERS[0], ran("git log --oneline", "a00000f x\nb0b0b0b y\n1234abc x")],
         (UNSEEN, "1234abc", "a00000f")),
        ([LOCKED, LOGGED], (UNSEEN, "5678def")),
        ([LOCKED, ran("git status", AHEAD), LOGGED], ()),
        ([LOCKED, ran("git log --oneline", "5678def (HEAD -> main) z")], ()),
        ([COMMIT, PUSHED, REWRITTEN], ("5678def",)),
        ([COMMIT, REWRITTEN], (UNSEEN, "5678def")),
        ([COMMIT, PUSHED, REWRITTEN, REJECTED], ("5678def",)),
        ([COMMIT, PUSHED, REWRITTEN, REJECTED, PUSHED], ()),
        ([COMMIT, ran("git pull --rebase && git push", "error: cannot pull with rebase: x")], (UNSEEN, "1234abc")),
        ([ran("git status && git commit -m x", "## main...origin/main\n[main 1234abc] x")], (UNSEEN, "1234abc")),
    ],
)  # fmt: skip
def test_what_no_call_pushed_is_told(rounds: list[tuple[Message, Message]], left: tuple[str, ...]) -> None:
    assert read(*rounds).unpushed == left


@pytest.mark.parametrize(
    ("rounds", "commits"),
    [
        ([COMMIT, ran("git commit --amend --no-edit", "[main 5678def] x")], ("[main 5678def] x",)),
        ([COMMIT, ran("git commit --amend", "error", True)], ("[main 1234abc] x",)),
        ([COMMIT, ran("git commit --amend", "[side 5678def] y")], ("[main 1234abc] x", "[side 5678def] y")),
        ([COMMIT, ran("git commit -m y", "[main 5678def] y"), ran("git reset --soft HEAD~1")], ("[main 1234abc] x",)),
        ([COMMIT, ran("git commit -m y", "[main 5678def] y"), ran("git reset HEAD^^")], ()),
        ([COMMIT, ran("git commit -m y", "[main 5678def] y"), ran("git reset --hard 1234a", "HEAD is now at 1234abc")],
         ("[main 1234abc] x",)),
        ([COMMIT, ran("git reset a.py"), ran("git reset HEAD~1", "fatal: no", True)], ("[main 1234abc] x",)),
    ],
)  # fmt: skip
def test_a_commit_that_was_amended_or_reset_does_not_stand(
    rounds: list[tuple[Message, Message]], commits: tuple[str, ...]
) -> None:
    ledger = read(*rounds)
    assert ledger.commits == commits
    steps = [step for one in ledger.requests if one.progress for step in one.progress.steps if "] " in step]
    assert steps == [f"commit {one}" for one in commits]


def test_a_commit_whose_call_failed_and_that_the_log_shows_is_listed() -> None:
    assert read(LOCKED, LOGGED).commits == ("[main 5678def] Mend y",)
    assert read(LOCKED).commits == read(LOGGED).commits == ()


def test_commits_that_were_all_pushed_are_said_to_be() -> None:
    lines = render_ledger(read(COMMIT, PUSHED))
    assert "- pushed: all commits above" in lines["next"]
    assert render_ledger(read_back(lines)) == lines
    later = render_ledger(merge(read_back(lines), read(ran("git commit -m y", "[main 5678def] y"))))["next"]
    assert not any("committed and pushed" in line for line in later)
    assert "- committed, not pushed: 5678def" in later


def test_a_rejected_push_denies_that_all_commits_are_out_until_a_push_succeeds() -> None:
    told = "- pushed: all commits above"
    rejected = render_ledger(read(COMMIT, PUSHED, REJECTED))["next"]
    assert told not in rejected
    assert any("git push --force" in line for line in rejected)
    assert told in render_ledger(read(COMMIT, PUSHED, REJECTED, ran("git push --force origin main", "ok")))["next"]


def test_what_was_committed_and_changed_again_is_left_to_commit() -> None:
    given = {"file_path": "src/a.py", "old_string": "a", "new_string": "b"}
    edit = (assistant(("e", "edit", json.dumps(given))), result("ok", "edit", "e"))
    assert read(edit, COMMIT).uncommitted == ()
    assert read(edit, COMMIT, ran("git status -s", ' M "src/a.py"\n?? b.py\n')).uncommitted == ("src/a.py",)


def test_a_commit_is_read_behind_a_command_line_of_any_length() -> None:
    added = " ".join(f'"src/features/checkout/part-{number}.ts"' for number in range(12))
    ledger = read(ran(f"git add {added} && git commit -m x", "[main 1234abc] x"))
    assert (ledger.commits, ledger.branch, ledger.unpushed) == (("[main 1234abc] x",), "main", (UNSEEN, "1234abc"))


def test_a_push_that_only_tries_or_deletes_is_not_delivered() -> None:
    assert "push" not in read(COMMIT, ran("git push --dry-run", "To x")).delivered
    assert "push" not in read(COMMIT, ran("git push origin --delete topic", "To x")).delivered
    assert "push" in read(COMMIT, ran("git push origin main", "To x")).delivered


def test_a_push_that_git_calls_failed_is_not_delivered() -> None:
    asked = (user("Fix it, then push."), *ran("git push", "fatal: unable to access the remote"))
    assert [one.kind for one in build_ledger(talk(*asked).messages).undelivered] == ["push"]


def test_an_unpushed_tag_or_commit_is_open() -> None:
    done = assistant(text="The release is made.")
    lines = render_ledger(build_ledger(talk(user(), *COMMIT, *TAGGED, done).messages))["next"]
    assert "- committed, not pushed: earlier ones unknown · 1234abc · tag v0.1.0" in lines
    assert lines[0].endswith("; open: at least 1 unpushed commit, 1 unpushed tag")
    unpushed, pushed = (
        render_ledger(build_ledger(talk(user(), *COMMIT, *more, done).messages))["next"] for more in ((), PUSHED)
    )
    assert unpushed[0].endswith("; open: at least 1 unpushed commit")
    assert pushed[0].endswith("; nothing is open")


def test_commits_of_others_that_are_not_pushed_are_told_by_what_git_status_showed() -> None:
    done = assistant(text="The release is made.")
    for ahead, told in ((6, "6 unpushed commits"), (1, "1 unpushed commit")):
        shown = ran("git status", f"On branch main\nYour branch is ahead of 'origin/main' by {ahead} commits.\n")
        lines = render_ledger(build_ledger(talk(user(), *COMMIT, *shown, done).messages))
        assert lines["next"][0].endswith(f"; open: {told}")
        assert render_ledger(read_back(lines)) == lines


CREATED = ran("bd create --title='Read model' --type=task", "✓ Created issue: app-rkl — Read model\n  Priority: P2")
CLOSED = ran("bd close app-rkl", "✓ Closed app-rkl: Done")


def test_a_ticket_is_open_until_a_call_closes_it() -> None:
    opened = read(CREATED, ran("bd update app-rkl --claim", "✓ Updated issue: app-rkl — Read model"))
    assert "- ticket, open: app-rkl — Read model" in render_ledger(opened)["next"]
    for ledger in (read(CREATED, CLOSED), merge(read(CREATED), read(CLOSED))):
        assert [(one.id, one.title, one.state) for one in ledger.tickets] == [("app-rkl", "Read model", "done")]
    assert read(ran("bd show app-rkl", "app-rkl Read model"), ran("bd create --title=x", "error", True)).tickets == ()


SHOWN_CLOSED = "✓ app-rkl · Read model   [● P1 · CLOSED]\nOwner: A"
SHOWN_OPEN = "◐ app-rkl · Read model   [● P1 · IN_PROGRESS]\n"
LISTED = '[{"id": "app-rkl", "title": "x", "status": "%s"}, {"id": "app-b2b", "status": "open"}]'


@pytest.mark.parametrize(
    ("later", "state"),
    [
        ([ran("bd show app-rkl", SHOWN_CLOSED)], "done"),
        ([ran("bd --readonly list --json", LISTED % "closed")], "done"),
        ([ran("bd list --json", LISTED % "open")], "open"),
        ([ran("bd show app-rkl", SHOWN_OPEN)], "open"),
        ([ran("bd show app-xyz", "○ app-xyz · Read [● P1 · OPEN]\n  → ✓ app-rkl: Read model ● P1")], "done"),
        ([ran("tmux capture-pane -p", f"Ran it\n  └ {SHOWN_CLOSED}")], "done"),
        ([ran("bd show app-rkl", SHOWN_CLOSED), ran("bd show app-rkl", SHOWN_OPEN)], "open"),
        ([ran("bd show app-rkl", SHOWN_CLOSED), ran("bd update app-rkl --claim", "✓ Updated issue: app-rkl")], "open"),
        ([ran("bd show app-rkl.2", SHOWN_CLOSED.replace("rkl", "rkl.2"))], "open"),
        ([ran("cat notes.json", LISTED % "closed")], "open"),
        ([(assistant(text="Beads:\n- Closed `app-rkl`\n- next is `app-b2b`"), user())], "done"),
        ([(assistant(text="I closed app-rkl."), user())], "done"),
        ([(assistant(text="It is not closed: app-rkl waits. Never closed app-rkl."), user())], "open"),
    ],
)
def test_a_ticket_is_left_in_the_state_that_was_seen_last(later: list[tuple[Message, Message]], state: str) -> None:
    for ledger in (read(CREATED, *later), merge(read(CREATED), read(*later))):
        assert [(one.id, one.title, one.state) for one in ledger.tickets] == [("app-rkl", "Read model", state)]
    assert state == "open" or read(*later).tickets == ()


def test_a_pull_request_is_known_by_its_address_and_merged_by_its_number() -> None:
    made = ran('gh pr create --title "Round prices" --body x', "https://github.com/a/b/pull/12")
    ledger = read(made)
    assert "- pull request, open: https://github.com/a/b/pull/12 — Round prices" in render_ledger(ledger)["next"]
    assert [one.state for one in merge(ledger, read(ran("gh pr merge 12 --squash", "Merged"))).tickets] == ["done"]


def test_a_pull_request_is_a_draft_until_it_is_said_to_be_ready() -> None:
    made = ran("gh pr create --draft --title 'Round prices'", "https://github.com/a/b/pull/12")
    line = "https://github.com/a/b/pull/12 — Round prices"
    lines = render_ledger(read(made))
    assert f"- pull request, open as a draft: {line}" in lines["next"]
    assert render_ledger(read_back(lines)) == lines
    for ready in ("gh pr ready 12", "gh pr ready"):
        assert f"- pull request, open: {line}" in render_ledger(read(made, ran(ready, "✓ marked")))["next"]
    assert f"- pull request, open as a draft: {line}" in render_ledger(read(made, ran("gh pr ready 9", "✓")))["next"]


ROWS = "lint\tfail\t1m25s\thttps://a.b/1\ntest\tpass\t2m\thttps://a.b/2\nbot\tpending\t0\thttps://a.b\n"


def test_the_checks_of_a_pull_request_are_told_as_they_were_last_seen() -> None:
    seen = ran("gh pr checks 12 2>&1", ROWS, True)
    lines = render_ledger(read(seen))
    assert "- CI as last seen: gh pr checks 12 → fail lint; pending bot; 1 pass" in lines["next"]
    assert render_ledger(read_back(lines)) == lines
    assert any("checks of a pull request that failed when last seen" in line for line in lines["next"])
    since = "gh pr checks 12 → fail lint; pending bot; 1 pass (pushed since)"
    assert read(seen, PUSHED, PUSHED).ci == merge(read(seen), read(PUSHED)).ci == since
    green = read(seen, PUSHED, ran("gh pr checks 12", ROWS.replace("fail", "pass").replace("pending", "pass")))
    assert green.ci == "gh pr checks 12 → 3 pass"
    assert not any("that failed" in line for line in render_ledger(green)["next"])
    assert read(ran("cat notes", ROWS)).ci == ""


def test_the_folder_and_the_branch_are_those_of_late() -> None:
    calls = [ran("ls", "a", workdir="/srv/app") for _ in range(3)]
    calls += [
        ran("git status --short --branch", "## feat/x...origin/feat/x [ahead 1]\n M a.py", workdir="/srv/feat")
    ] * 3
    ledger = read(*calls)
    assert (ledger.root, ledger.branch) == ("/srv/feat", "feat/x")
    lines = render_ledger(ledger)
    assert "- root: /srv/feat · branch: feat/x · git status, last: ahead 1 of origin/feat/x" in lines["files"]
    assert "- also uncommitted: modified a.py" in lines["files"]
    assert render_ledger(read_back(lines)) == lines
    assert render_ledger(read(*calls[:3]))["files"] == ("- working directory: /srv/app",)
    assert read(ran("cat README.md; git log", "## Install\ntext")).branch == ""


def test_tickets_and_what_is_unpushed_are_read_back() -> None:
    lines = render_ledger(read(COMMIT, TAGGED, CREATED))
    assert render_ledger(read_back(lines)) == lines


@pytest.mark.parametrize(
    ("later", "told"),
    [
        ([COMMIT], "open: at least 7 unpushed commits"),
        ([ran("git status", AHEAD.replace("by 3", "by 9")), COMMIT], "open: 10 unpushed commits"),
        ([PUSHED, COMMIT], "; open: 1 unpushed commit"),
        ([PUSHED], "where it stands: the agent is in the middle of its work (its last call ended ok)"),
    ],
)
def test_unpushed_commits_of_several_spans_are_counted(later: list[tuple[Message, Message]], told: str) -> None:
    both = render_ledger(merge(read_back(render_ledger(read(*OTHERS))), read(*later)))
    assert re.sub(r" on \[\w{6}\]", "", both["next"][0]).endswith(told)
    assert render_ledger(read_back(both))["next"] == both["next"]


def test_what_an_earlier_span_pushed_was_out_before_the_commits_of_a_later_one() -> None:
    both = merge(read(COMMIT, PUSHED), read(*OTHERS[:2]))
    assert both.unpushed == ("a00000f", "a00001f")


def test_where_nothing_was_committed_the_changed_files_are_not_named_twice() -> None:
    edits = [ran(f"echo x >> src/part{at}.py") for at in range(5)]
    branch = ran("git status", "On branch main")
    lines = render_ledger(read(branch, *edits))
    assert "- not committed: all changed files above" in lines["next"]
    assert render_ledger(read_back(lines)) == lines
    after = render_ledger(read(branch, COMMIT, *edits))["next"]
    assert f"- changed since the last commit: src/: {', '.join(f'part{at}.py' for at in range(5))}" in after


LONG = (
    "On branch main\nYour branch is ahead of 'origin/main' by 2 commits.\n\nChanges not staged for commit:\n"
    '  (use "git add <file>..." to update)\n\tmodified:   src/a.py\n\tdeleted:    src/b.py\n\n'
    'Untracked files:\n  (use "git add <file>..." to include)\n\tdocs/new.md\n\nno changes added to commit'
)
SHORT = "## main...origin/main [behind 2]\n M src/a.py\nR  src/b.py -> src/c.py\n?? docs/\n"


STAGED = """On branch main
Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
\tmodified:   a.py
\tnew file:   b.py

Changes not staged for commit:
\tmodified:   a.py

Untracked files:
\tc.py
"""


@pytest.mark.parametrize(
    ("rounds", "shown"),
    [
        ([ran("git status", LONG)],
         ("ahead 2 of origin/main", "modified src/a.py", "deleted src/b.py", "untracked docs/new.md")),
        ([ran("git status -sb", SHORT)],
         ("behind 2 of origin/main", "modified src/a.py", "renamed src/b.py -> src/c.py", "untracked docs/")),
        (
            [ran("git status -s", "M  a.py\n M b.py\nMM c.py\nA  d.py\n")],
            ("staged a.py", "modified b.py", "part-staged c.py", "added d.py"),
        ),
        (
            [ran("git status", STAGED)],
            ("staged a.py", "added b.py", "modified a.py", "untracked c.py"),
        ),
        ([ran("git status --short", "?? a.py\n"), COMMIT], ("untracked a.py",)),
        ([ran("git status -sb", "## main...origin/main [ahead 1]\n?? a.py\n"), PUSHED], ("untracked a.py",)),
        ([ran("git status -s", "?? a.py\n"), ran("git status -s", "")], ("clean",)),
        ([ran("git commit -m x && git status", f"{LONG}\n[main 1234abc] x\nOn branch main\nnothing to commit")],
         ("clean",)),
        ([ran("git log -3", SHORT), ran("git status", "x", True)], ()),
    ],
)  # fmt: skip
def test_the_last_status_is_read_in_both_forms(rounds: list[tuple[Message, Message]], shown: tuple[str, ...]) -> None:
    assert read(*rounds).status == shown


def test_files_of_a_status_whose_names_count_up_are_one() -> None:
    names = [f'?? "My Docs/PLAN-{at:02}.md"\n' for at in (2, 3, 4, 6)]
    lines = render_ledger(read(ran("make plans"), ran("git status -s", "".join(names))))
    assert lines["files"] == (
        '- also uncommitted: untracked "My Docs/PLAN-02.md" to PLAN-04.md · untracked "My Docs/PLAN-06.md"',
    )
    assert render_ledger(read_back(lines)) == lines


FORBIDDEN = "Change what you like. Do not commit your changes."


def test_where_the_user_forbids_commits_the_changed_files_are_said_to_be_so() -> None:
    edit = (assistant(("e", "write", json.dumps({"file_path": "a.py", "content": "x"}))), result("ok", "write", "e"))
    told = render_ledger(build_ledger(talk(user(FORBIDDEN), *edit).messages))
    assert "- changed (the task forbids commits): a.py" in told["next"]
    assert render_ledger(read_back(told))["next"] == told["next"]
    some = render_ledger(build_ledger(talk(user("Fix it. Do not commit machine state."), *edit).messages))
    assert "- not committed: a.py" in some["next"]
    submitted = ran("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt")
    sent = render_ledger(build_ledger(talk(user(FORBIDDEN), *edit, submitted[0]).messages))
    assert not any(line.startswith("- changed") for line in sent["next"])


def test_what_lies_in_the_home_of_a_person_is_nothing_to_commit() -> None:
    def edit(path: str) -> tuple[Message, Message]:
        arguments = json.dumps({"file_path": path, "old_string": "a", "new_string": "b"})
        return assistant((path, "edit", arguments)), result("ok", "edit", path)

    own = edit("/home/ann/.agent/skills/find.md")
    branch = ran("cd /home/ann/work && git status", "On branch main")
    lines = render_ledger(read(branch, edit("/home/ann/work/a.py"), edit("/home/ann/work/b.py"), own))
    assert "- not committed: ./a.py · ./b.py" in lines["next"]
    assert render_ledger(read_back(lines)) == lines
    inside = read(ran("cd /home/ann/.agent && git status", "On branch main"), own)
    assert inside.uncommitted == ("/home/ann/.agent/skills/find.md",)


def test_files_of_the_last_status_that_no_line_names_have_one() -> None:
    edits = [
        (assistant(("e", "edit", json.dumps({"file_path": f"/w/src/{name}.py", "old_string": "a", "new_string": "b"}))),
         result("ok", "edit", "e"))
        for name in "abcd"
    ]  # fmt: skip
    known = " M src/a.py\n M src/b.py\n M src/c.py\n M src/d.py\n"
    more = render_ledger(read(*edits, ran("git status -sb", f"## main\n{known}?? docs/\n")))
    assert more["files"][:2] == (
        "- root: /w · branch: main",
        "- also uncommitted: untracked docs/",
    )
    both = "- not committed: all changed files above"
    assert both in more["next"]
    ledger = read(*edits, ran("git status -sb", f"## main\n{known}"))
    assert not any("git status" in line for line in render_ledger(ledger)["files"])
    assert "- not committed: all changed files above" in render_ledger(ledger)["next"]
    assert read_back(more).strays == ("untracked docs/",)
    assert merge(ledger, read(COMMIT)).status == ()


@pytest.mark.parametrize(
    ("said", "tool", "commits"),
    [
        ("[main 1234abc] x\n 1 file changed, 2 insertions(+)", "bash", ("[main 1234abc] x",)),
        ("ok\n[main 1234abc] x\n Author: A <a@b.c>\n 2 files changed", "bash", ("[main 1234abc] x",)),
        ("[main 1234abc] x\n 1 file changed", "web_fetch", ()),
        ("A log:\n[main 1234abc] x", "bash", ()),
    ],
)
def test_a_commit_is_told_by_a_result_whose_call_is_not_there(said: str, tool: str, commits: tuple[str, ...]) -> None:
    edit = assistant(("1", "write", json.dumps({"path": "a.py", "content": "x = 1"})))
    ledger = build_ledger(talk(user(), edit, result("ok", "write", "1"), result(said, tool, "9")).messages)
    assert ledger.commits == commits
    assert ledger.uncommitted == (() if commits else ("a.py",))
    assert "9" in ledger.arrived
