"""Claims need support: figures, names, packages, results, owners and states that the history gives."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.claims import TruthReason
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.truth import find_contradiction
from secateur.model import Message

WISH = (
    "Lower RETRIES in lib/mail.py from 9 to 4. Never use threads. Add a flag --loud for the log."
    " Nora will write the notes, and I'll commit it myself."
)
LOG = "edge-2 refused the connection\nretries: 4\nsouth  3.5  120\nnorth  4.5  310\nsent 1,864 mails in 12.4 s"
PLAN = {"todos": [{"content": "Lower the retries", "status": "completed"}, {"content": "Spec", "status": "pending"}]}


def run(name: str, command: str, said: str, *, fails: bool = False) -> tuple[Message, Message]:
    given = json.dumps({"command": command})
    return assistant((name, "bash", given)), result(("Exit code 1\n" if fails else "") + said, call=name)


HISTORY: Evidence = collect_evidence(
    talk(
        user(WISH),
        assistant(("a", "todo_write", json.dumps(PLAN))),
        result("ok", call="a"),
        assistant(
            ("b", "edit", json.dumps({"path": "lib/mail.py", "old_string": "RETRIES = 9", "new_string": "RETRIES = 4"}))
        ),
        result("done", call="b"),
        *run("c", "python send.py --host edge-2", LOG),
        *run("d", "pip install aiosmtp", "ERROR: No matching distribution found for aiosmtp", fails=True),
        *run("e", "pip install rich", "Successfully installed rich-13.7.1"),
        *run("f", "python migrate.py --dry-run", "cannot lock the table", fails=True),
        user("Forget the flag --loud. Whether we delete the queue I decide tomorrow."),
        assistant(text="I have not measured the memory of the workers. Next I write the spec for bounced mails."),
    ).messages
)


def judge(section: str, claim: str) -> TruthReason | None:
    found = find_contradiction({section: (f"- {claim}",)}, HISTORY)
    return found.reason if found else None


@pytest.mark.parametrize(
    ("section", "claim", "reason"),
    [
        ("discoveries", "The run sent 2,512 mails in 12.4 s", "unsupported"),
        ("discoveries", "The run is 37% faster", "unsupported"),
        ("accomplished", "RETRIES = 6 in lib/mail.py", "unsupported"),
        ("accomplished", "Committed and opened a pull request", "not_run"),
        ("accomplished", "变更已提交并推送", "not_run"),
        ("questions", "The user said yes to the release", "approval"),
        ("instructions", "Lower RETRIES from 9 to 2", "inverted"),
        ("discoveries", "Means: south 4.5, north 3.5", "unsupported"),
        ("discoveries", "The certificate expires on 2031-01-02", "unsupported"),
        ("discoveries", "RETRIES is read in lib/pool/limits.yml as well", "unsupported"),
        ("accomplished", "The column mail_state_code was added", "unsupported"),
        ("accomplished", "The dry run of migrate.py succeeded", "not_run"),
        ("accomplished", "lib/queue.py (rewritten)", "unchanged_file"),
        ("accomplished", "lib/queue.py: the lock is gone", "unchanged_file"),
        ("next", "Keine. Der Eintrag in NEWS.md ist geschrieben.", "unchanged_file"),
        ("constraints", "Use threads where it helps", "inverted"),
        ("constraints", "Avoid threads if possible", "inverted"),
        ("next", "The agent must write the notes for the release", "approval"),
        ("next", "The agent will commit it", "approval"),
        ("discoveries", "Nora approved the release", "approval"),
        ("decisions", "The user decided to delete the queue", "approval"),
        ("accomplished", "The memory of the workers was measured", "unfinished_work"),
        ("accomplished", "The spec for bounced mails is written", "unfinished_work"),
    ],
)
def test_what_the_history_does_not_support_is_rejected(section: str, claim: str, reason: TruthReason) -> None:
    assert judge(section, claim) == reason


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("discoveries", "The run sent about 1,900 mails in 12 s"),
        ("discoveries", "1864 mails were sent in 12.4 seconds"),
        ("goal", "RETRIES should be 4 instead of 9"),
        ("accomplished", "RETRIES went from 9 to 4 in lib/mail.py"),
        ("discoveries", "south 3.5, north 4.5"),
        ("accomplished", "rich 13.7.1 was installed; aiosmtp could not be installed"),
        ("accomplished", "python migrate.py --dry-run failed"),
        ("accomplished", "lib/mail.py (edited), lib/queue.py (left alone)"),
        ("next", "Create lib/bounce.py and NEWS.md"),
        ("discoveries", "edge-2 refused the connection"),
        ("constraints", "No threads at all"),
        ("constraints", "--loud was the first wish; the user withdrew it"),
        ("next", "Nora will write the notes; the user commits"),
        ("questions", "The user has not decided whether the queue is deleted"),
        ("next", "[ ] Spec"),
        ("accomplished", "[DONE] Lower the retries"),
        ("next", "Write the spec for bounced mails"),
        ("discoveries", "The memory of the workers was not measured"),
        ("discoveries", "--- FAIL: TestMail (2.91s)"),
    ],
)
def test_what_the_history_supports_stands(section: str, claim: str) -> None:
    assert judge(section, claim) is None


def test_a_command_that_runs_two_checks_counts_for_both() -> None:
    both = run("a", "make lint && make test", "4 passed in 0.20s")
    broken = run("b", "make lint", "Found 2 errors", fails=True)
    mended = collect_evidence(talk(user("Mend it"), *broken, *both).messages)
    assert find_contradiction({"accomplished": ("- lint is clean",)}, mended) is None
    failing = collect_evidence(talk(user("Mend it"), *both, *broken).messages)
    found = find_contradiction({"accomplished": ("- lint is clean",)}, failing)
    assert found is not None
    assert found.reason == "check"


def test_a_named_test_that_passed_does_not_fail() -> None:
    lines = "test split::quoted ... FAILED\ntest args::tab ... ok\ntest result: FAILED. 1 passed; 1 failed"
    told = collect_evidence(talk(user("Read tabs"), *run("a", "cargo test", lines, fails=True)).messages)
    assert find_contradiction({"discoveries": ("- args::tab fails",)}, told)
    assert find_contradiction({"discoveries": ("- split::quoted fails",)}, told) is None


def test_a_check_that_continues_in_a_session_changes_no_file_that_it_names() -> None:
    said = "Process running with session ID 41\nOutput:\ntests/test_pool.py ..."
    history = talk(
        user("Run the tests."),
        assistant(("1", "exec_command", '{"cmd": "pytest"}')),
        result(said, "exec_command", "1"),
        assistant(("2", "write_stdin", '{"session_id": 41, "chars": ""}')),
        result("Process exited with code 0\nOutput:\n3 passed", "write_stdin", "2"),
    ).messages
    found = find_contradiction({"files": ("- tests/test_pool.py was edited",)}, collect_evidence(history))
    assert found is not None
    assert found.reason == "unchanged_file"


def test_what_a_call_printed_is_known_although_the_call_names_instructions_for_agents() -> None:
    committed = run("a", "git commit -m 'skills: say in CLAUDE.md how they load'", "[main 4c1d9ae] skills: say how")
    evidence = collect_evidence(talk(user("Commit it."), *committed).messages)
    assert find_contradiction({"accomplished": ("- Committed as 4c1d9ae",)}, evidence) is None
    assert find_contradiction({"accomplished": ("- Committed as 4c1d9af",)}, evidence) is not None
