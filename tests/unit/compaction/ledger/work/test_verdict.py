"""The line that says where the session stands: whose turn it is, and what is open."""

import json
import re

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.entries import (
    Command,
    Constraint,
    PlanItem,
    Progress,
    Quote,
    Standing,
    TaskDocument,
    Ticket,
    Undelivered,
    UserRequest,
    mark,
)
from secateur.compaction.ledger.work.endings import SUBMITTED
from secateur.compaction.ledger.work.standing import NOTHING_OPEN
from secateur.compaction.ledger.work.verdict import QUESTION_CHARS
from secateur.model import Message
from secateur.tokens import estimate

DONE = assistant(text="The basket is mended.")
STOPPED = user("[Request interrupted by user]", "harness")


def ran(line: str, said: str = "ok then", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": line}))), result(said, "bash", "1", error)


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(*messages).messages)


def stands(ledger: Ledger) -> str:
    """What the line says, without the mark of the request, and the same when it was read back."""
    lines = render_ledger(ledger)
    assert render_ledger(read_back(lines)) == lines
    told = [line for line in lines["next"] if line.startswith("- where it stands: ")]
    assert told == [lines["next"][0]]
    return re.sub(r"(?: on| and waits for) \[\w{6}\]", "", told[0].removeprefix("- where it stands: "), count=1)


FIX = user("Mend the basket.")
HANDED_IN = "the agent handed its work in with `echo SUBMIT_NOW`, which ended the session"
WORK = "the agent is in the middle of its work"
UNEDITED = ", and no call edited a file yet"
FOUND = "the agent ended its turn; the user is next; open: what the agent's last words found"
NOTHING = "the agent ended its turn; the user is next; no call edited a file"


@pytest.mark.parametrize(
    ("words", "is_announced"),
    [
        ("Good. Now let me mend the handle.", True),
        ("The lid fits. Next, I'll weave the rim.", True),
        ("I’m weaving the rim now.", True),
        ("Now the handle:", True),
        ("The basket is mended. Let me know if it leaks.", False),
        ("I'll wait for the new reed.", False),
        ("I will now exit.", False),
        ("Once you agree, I'll weave the rim.", False),
        ("I'll weave the rim.\n\nThe basket is mended.", False),
    ],
)
def test_a_turn_that_ends_with_an_announcement_was_cut_off_there(words: str, is_announced: bool) -> None:
    told = stands(read(FIX, *ran("make x", "Exit code: 0\nok"), assistant(text=words)))
    announced = "the agent ended its turn; its last words announce more work, which no call began"
    assert told.startswith(announced if is_announced else "the agent ended its turn; the user is next")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Findings:\n\n1. High: the basket loses coins.\n2. Low: a name is long.", FOUND),
        ("- **Medium** — the basket loses coins.", FOUND),
        ("- [P2] The basket loses coins.", FOUND),
        ("It looks good.\n\nOpen question:\n- The lid may be too heavy for a child.", FOUND),
        ("It looks good.\n\n**Open questions**\n\n1. The lid may be too heavy for a child.", FOUND),
        ("It looks good.\n\nOpen questions:\n- None.", NOTHING),
        ("The lamp has three steps:\n- high is for reading\n- low is for the night", NOTHING),
        ("High: the lamp is bright.", NOTHING),
        ("- High: the basket lost coins; fixed.", NOTHING),
    ],
)
def test_findings_and_open_questions_of_the_last_reply_are_open(text: str, said: str) -> None:
    assert stands(read(user("Review the basket."), *ran("make x", "Exit code: 0\nok"), assistant(text=text))) == said


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((FIX, DONE), NOTHING),
        ((FIX, DONE, user("Now the lamp.")), "the user spoke last"),
        ((FIX, DONE, STOPPED), "the user interrupted the agent"),
        ((FIX, *ran("make x", "Error: no x")), f"{WORK} (its last call ended, outcome unknown){UNEDITED}"),
        ((FIX, *ran("make x", "Exit code: 0\nok")), f"{WORK} (its last call ended ok){UNEDITED}"),
        (
            (FIX, *ran("make x && pytest", "Exit code: 0\n2 passed in 1s")),
            f"{WORK} (its last call, a check, passed){UNEDITED}",
        ),
        ((FIX, *ran("make x", "no rule", True)), f"{WORK} (its last call failed){UNEDITED}"),
        ((FIX, *ran("pytest", "1 failed in 1s", True)), f"{WORK}{UNEDITED}; open: 1 failing check"),
        ((FIX, *ran("ls"), ran("sleep 9")[0]), f"{WORK}{UNEDITED}; open: 1 call without a result"),
        ((user("Look at the basket."), *ran("make x", "Exit code: 0\nok")), f"{WORK} (its last call ended ok)"),
        ((FIX, assistant(text="Two are there. Which one?")), "the agent asked “Which one?” and waits for the answer"),
        (
            (FIX, assistant(text="It is mended. Would you like me to add a test?")),
            "the agent ended its turn and asks “Would you like me to add a test?”",
        ),
        ((FIX, *ran("echo SUBMIT_NOW", "")), f"{HANDED_IN}; no call edited a file"),
    ],
)
def test_whose_turn_it_is(messages: tuple[Message, ...], said: str) -> None:
    assert stands(read(*messages)) == said


@pytest.mark.parametrize(
    ("between", "is_left"), [((), True), ((assistant(text="The basket is mended, and it holds."),), False)]
)
def test_a_request_that_work_was_done_for_and_that_the_user_wrote_on_behind_is_named_as_open(
    between: tuple[Message, ...], is_left: bool
) -> None:
    given = json.dumps({"path": "basket.py", "old_str": "hole = 1", "new_str": "hole = 0"})
    edit = assistant(("2", "str_replace", given)), result("Done.", "str_replace", "2")
    made = read(FIX, *edit, *between, user("Also mend the lamp."), *ran("make x", "Exit code: 0\nok"))
    told = f", with [{mark(made.requests[0].key)}] open before it" if is_left else ""
    assert stands(made).startswith(f"{WORK}{told} (its last call ended ok)")


def test_nothing_is_said_before_the_agent_did_anything() -> None:
    assert render_ledger(read(FIX))["next"] == ("- the user waits for: Mend the basket.",)
    assert "next" not in render_ledger(Ledger())


EVERYTHING = Ledger(
    requests=(UserRequest("Mend the basket.", "done"),),
    last_words=Quote("The basket is mended."),
    commands=tuple(Command(f"pytest {name}", False, 1, "test", f"1 failed in {name}") for name in "abcd"),
    standing=(
        Standing("unchecked", "no call ran a test"),
        Standing("outdated", "a.patch was written before a.py was changed"),
        Standing("failed", "git pull --rebase · git push — said: fatal: commit refused"),
    ),
    undelivered=(Undelivered("tag", "Tag it."),),
    tasks=(PlanItem("one"), PlanItem("two"), PlanItem("three", "done")),
    tickets=(Ticket("b-1"), Ticket("b-2"), Ticket("https://x.example/pull/1", kind="pull request")),
    uncommitted=("a.py",),
    unpushed=("1234abc", "5 more", "5678def", "tag v1"),
)


def test_everything_that_is_open_is_counted() -> None:
    assert stands(EVERYTHING).partition("; open: ")[2].split(", ") == [
        "at least 3 failing checks",
        "unverified and uncommitted changes",
        "a failed pull or push",
        "1 outdated patch",
        "a tag that the user asked for",
        "2 tasks",
        "2 tickets",
        "1 pull request",
        "7 unpushed commits",
        "1 unpushed tag",
    ]


def test_tasks_that_had_no_room_are_counted_as_more() -> None:
    tasks = tuple(PlanItem(f"Write part {number} of it, with its tests.") for number in range(60))
    fitted = fit_ledger(replace(EVERYTHING, tasks=tasks), 300, estimate)
    assert 0 < len(fitted.tasks) < 60
    assert f"at least {len(fitted.tasks)} task" in stands(fitted)


def test_a_question_is_quoted_within_its_room() -> None:
    said = stands(read(FIX, assistant(text=f"There are two. Is it the one that {'is very ' * 40}old?")))
    assert said.endswith("” and waits for the answer")
    assert len(said) < QUESTION_CHARS + 60


def test_a_later_span_says_anew_whose_turn_it_is() -> None:
    handed_in = read(FIX, *ran("make x"), *ran("echo SUBMIT_NOW", ""))
    assert stands(handed_in).startswith(SUBMITTED)
    assert stands(merge(handed_in, read(user("Now the lamp.")))) == "the user spoke last"
    at_work = merge(read(FIX, DONE), read(user("Now the lamp."), *ran("make x")))
    assert stands(at_work).startswith(WORK)
    assert stands(merge(at_work, read(DONE))) == NOTHING
    again = merge(read_back(render_ledger(at_work)), read(DONE))
    assert stands(again) == NOTHING


def test_a_request_whose_work_was_handed_in_is_not_open() -> None:
    handed_in = read(FIX, *ran("make x"), *ran("echo SUBMIT_NOW", ""))
    assert [one.state for one in handed_in.requests] == ["done"]
    assert not any(", open]" in line for lines in render_ledger(handed_in).values() for line in lines)
    later = merge(handed_in, read(user("Now the lamp."), *ran("make lamp")))
    assert [one.state for one in later.requests] == ["done", "open"]
    assert [one.state for one in read(FIX, *ran("make x"), *ran("echo NEXT", "")).requests] == ["open"]


def test_changes_that_must_not_be_committed_are_not_open() -> None:
    edit = assistant(("e", "Edit", json.dumps({"file_path": "/w/a.md", "old_string": "a", "new_string": "b"})))
    work = (*ran("git status", "On branch main"), edit, result("ok", "Edit", "e"), DONE)
    assert (
        stands(read(user("Mend the basket and commit it."), *work))
        .partition("; open: ")[2]
        .startswith("uncommitted changes")
    )
    assert stands(read(FIX, *work)).endswith("; nothing is open")  # nobody asks for a commit
    assert stands(read(FIX, *work[2:])).endswith("; nothing is open")  # no call used git, and nobody asks for a commit
    assert stands(read(user("Mend the basket. Do not commit anything."), *work)).endswith("; nothing is open")


PUSH_RULES = (
    Constraint("Work is not done until you push.", "project", source="a.md"),
    Constraint("NEVER push.", "project", source="b.md"),
)


def test_a_push_on_which_rules_oppose_each_other_says_so() -> None:
    failed = replace(EVERYTHING, constraints=PUSH_RULES)
    assert ", a failed pull or push (rules on pushing oppose each other), " in stands(failed)
    assert "oppose" not in stands(replace(EVERYTHING, constraints=PUSH_RULES[:1]))
    unpushed = replace(failed, standing=(), commits=("[main 1234abc] Mend it",))
    assert "unpushed commits (rules on pushing oppose each other)" in stands(unpushed)


def test_a_failed_release_names_the_tag_that_is_out_already() -> None:
    progress = Progress(("git push origin v2.1.0 → ok", "npm publish → failed: no login"))
    failed = Standing("failed", "npm publish — said: no login")
    ledger = Ledger(requests=(UserRequest("Release it.", "done", progress=progress),), standing=(failed,))
    assert stands(ledger).endswith("; open: a failed publish (tag v2.1.0 is pushed already)")
    unpushed = replace(ledger.requests[0], progress=Progress(("git push origin v2.1.0 → failed: no route",)))
    assert stands(replace(ledger, requests=(unpushed,))).endswith("; open: a failed publish")


def test_a_pushed_branch_without_the_pull_request_that_a_rule_speaks_of_is_not_all_there_is_to_do() -> None:
    rule = Constraint("Every merge needs a pull request.", "project", source="a.md")
    ledger = Ledger(
        requests=(UserRequest("Mend the basket.", "done"),),
        last_words=Quote("The basket is mended."),
        constraints=(rule,),
        standing=(Standing("settled", NOTHING_OPEN),),
        commits=("[basket 1234abc] Mend it",),
        delivered=("commit", "push"),
        branch="basket",
    )
    assert stands(ledger).endswith("; open: a pull request (a rule speaks of them, and no call opened one)")
    for other in (
        replace(ledger, branch="main"),
        replace(ledger, constraints=()),
        replace(ledger, last_words=Quote("The basket is mended, see https://x.example/pull/12.")),
        replace(ledger, tickets=(Ticket("https://x.example/pull/1", state="done", kind="pull request"),)),
    ):
        assert stands(other).endswith("; nothing is open")


def test_a_reason_that_names_what_is_not_committed_is_not_what_the_agent_left() -> None:
    said = "The files are new to git since they're not committed. It counts them now."
    assert stands(read(FIX, assistant(text=said))) == NOTHING
    assert stands(read(FIX, assistant(text="The basket is mended. It is not committed."))).endswith("is not done")


def test_open_boxes_of_the_task_document_are_counted() -> None:
    ledger = read(user("Go on with plan.md."), *ran("make"), assistant(text="The first part is done."))
    ledger = replace(ledger, document=TaskDocument("plan.md", "boxes as last seen: 3 of 7 done"))
    assert stands(ledger).endswith("open: 4 boxes of the task document")


EDITED = (
    assistant(("e", "Edit", json.dumps({"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}))),
    result("ok", "Edit", "e"),
)
NEW = (
    assistant(("w", "Write", json.dumps({"file_path": "/w/src/new.py", "content": "x = 1"}))),
    result("ok", "Write", "w"),
)


@pytest.mark.parametrize(
    ("work", "behind"),
    [
        ((*EDITED, *ran("pytest", "1 passed in 1s")), "; nothing is open"),
        ((*ran("pytest", "1 passed in 1s"), *EDITED), "; open: unverified changes"),
        ((*EDITED, *ran("./weave tests")), "the user is next"),  # it may have checked something; nobody knows
        ((*NEW, *ran("pytest", "1 passed in 1s")), "; open: the fix (no existing file was changed)"),
    ],
)
def test_that_nothing_is_open_needs_a_check_behind_the_newest_change(work: tuple[Message, ...], behind: str) -> None:
    ledger = read(user("Fix the bug in the basket."), *work, DONE)
    assert stands(ledger).endswith(behind)
    goal = render_ledger(ledger)["goal"][0]
    assert (goal == "- every request was answered") is (behind == "; nothing is open")


def test_the_request_that_the_agent_works_on_is_named_by_its_mark_and_not_quoted_again() -> None:
    lines = render_ledger(read(FIX, *ran("make x")))
    key = lines["goal"][0].partition("[")[2].partition(",")[0]
    assert f"in the middle of its work on [{key}]" in lines["next"][0]
    assert not any(line.startswith("- the user waits for") for line in lines["next"])


def test_a_script_that_tries_something_is_no_change_of_the_work_and_is_not_passed_over() -> None:
    made = json.dumps({"file_path": "/tmp/reproduce.py", "content": "print(1)"})
    looked = result("1", "bash", "2")
    ledger = build_ledger(
        talk(
            FIX,
            assistant(("1", "Write", made)),
            result("ok", "Write", "1"),
            assistant(("2", "bash", json.dumps({"command": "python /tmp/reproduce.py"}))),
            looked,
        ).messages
    )
    assert stands(ledger).endswith(", and only scratch files were changed yet")
