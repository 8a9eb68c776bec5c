"""A sentence of a summary is judged with its surroundings: its heading, its question and the subject before it."""

import json
import time

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.headings import parse_answer, read_labels
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.reading import read_claims
from secateur.compaction.judge.truth import find_contradiction
from secateur.model import Message


def run(name: str, command: str, said: str, *, fails: bool = False) -> tuple[Message, Message]:
    given = json.dumps({"command": command})
    return assistant((name, "bash", given)), result(("Exit code 1\n" if fails else "") + said, call=name)


HISTORY: Evidence = collect_evidence(
    talk(
        user("The kettle boils dry. Mend it; never publish the crate."),
        *run("a", "cargo clippy", "error: too many arguments", fails=True),
        *run("b", "cargo test", "test result: ok. 12 passed; 0 failed"),
        *run("c", "git commit -am Valve", "[main 4c1d2e3] Valve\n 1 file changed"),
        assistant(text="The valve is fixed and committed. I did not push."),
    ).messages
)


def read(text: str) -> list[str]:
    return [claim.text for claim in read_claims(parse_answer(text), read_labels(text))]


def judge(text: str) -> str:
    found = find_contradiction(parse_answer(text), HISTORY, read_labels(text))
    return found.reason if found else ""


def test_a_heading_that_denies_is_part_of_the_fragments_below_it() -> None:
    assert read("## Goal\nx\n## Not done\n- publish\n- It was left.") == ["x", "Not done publish", "It was left."]


@pytest.mark.parametrize("heading", ["Don'ts", "Forbidden", "What the user did not allow"])
def test_what_stands_under_a_prohibition_is_no_order(heading: str) -> None:
    assert judge(f"## Goal\nA kettle\n## Next\n- publish the crate\n## {heading}\n- x") == "inverted"
    assert not judge(f"## Goal\nA kettle\n## {heading}\n- publish the crate")


def test_a_question_is_no_claim_and_its_answer_is_one() -> None:
    assert read("## State\nIs clippy green? No.")[-1] == "not clippy is green."
    assert not judge("## State\n- Is clippy green? No.")
    assert judge("## State\n- Is clippy green? Yes.") == "check"


def test_a_pronoun_stands_for_the_subject_of_the_sentence_before() -> None:
    assert read("## State\nThe commit was made. It was pushed.")[-1] == "The commit was pushed."
    assert judge("## State\n- The commit was made. It was pushed.") == "not_run"
    assert read("## State\nThe user has asked. It was late.")[-1] == "It was late."


def test_what_is_not_content_fails() -> None:
    assert not judge("## State\n- Clippy is not satisfied.")
    assert judge("## State\n- Clippy is satisfied.") == "check"


def test_a_commit_is_not_denied_by_a_missing_push() -> None:
    assert not judge("## State\n- local commit, no push")


def test_headings_of_the_writers_own_open_sections() -> None:
    assert parse_answer("## Hand-off\nThe kettle boils for 480 seconds.") == {
        "discoveries": ("The kettle boils for 480 seconds.",)
    }
    assert parse_answer("## Not done\n- x")["next"] == ("- x",)


@pytest.mark.parametrize("line", ["a " * 200_000, "a" * 400_000, "1 " * 200_000, "was written " * 40_000])
def test_a_hostile_line_is_read_in_one_pass(line: str) -> None:
    assert read(f"## State\n- {line}")


def test_a_hostile_line_is_judged_in_one_pass() -> None:
    started = time.process_time()
    assert not judge(f"## State\n- {'a' * 100_000}")
    assert time.process_time() - started < 5  # a quadratic pattern takes half a minute
