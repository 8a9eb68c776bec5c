"""A statement beside the wrong file or name is marked; beside its own, however the history tells it, it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation import assistant, result, talk, user
from secateur.compaction.accept import SummarySource, judge_answer
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.truth import iterate_contradictions
from secateur.compaction.template import get_template

MESSAGES = talk(
    user("Round the harbor dues, and log each ferry that is late."),
    assistant(
        ("a", "edit", '{"path": "src/dues.py", "old": "total = sum(rows)", "new": "total = round_dues(sum(rows))"}')
    ),
    result("edited", call="a"),
    assistant(
        ("b", "edit", '{"path": "src/ferry_log.py", "old": "pass", "new": "warn_late(ferry, minutes, pier)"}'),
        text="Late ferries are logged with minutes and pier.",
    ),
    result("edited", call="b"),
    assistant(text="Both are done: round_dues rounds the total, warn_late logs ferry, minutes and pier."),
).messages
HISTORY = collect_evidence(MESSAGES)


def explain(claim: str) -> str:
    found = iterate_contradictions({"discoveries": (f"- {claim}",)}, HISTORY)
    return next((one.why for one in found if one.rule == "places.misplaced"), "")


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (
            "src/dues.py logs late ferries with minutes and pier",
            "the history has this beside ferry_log.py, and not beside dues.py",
        ),
        (
            "ferry_log.py: total of the rows, rounded by dues",
            "the history has this beside dues.py, and not beside ferry_log.py",
        ),
    ],
)
def test_what_is_said_of_the_wrong_file_is_in_doubt(claim: str, why: str) -> None:
    assert explain(claim) == why


@pytest.mark.parametrize(
    "claim",
    [
        "src/ferry_log.py logs late ferries with minutes and pier",
        "dues.py: total of the rows, rounded by dues",
        "src/dues.py and src/ferry_log.py log late ferries with minutes and pier",
        "src/dues.py logs late",
        "src/dues.py welcomes anglers, lanterns and musicians",
        "src/unknown.py logs late ferries with minutes and pier",
    ],
)
def test_what_is_said_of_its_own_file_or_of_both_or_stands_nowhere_is_not(claim: str) -> None:
    assert explain(claim) == ""


def test_the_sentence_is_marked_and_the_summary_stands() -> None:
    line = "- src/dues.py logs late ferries with minutes and pier"
    source = SummarySource(texts=tuple(p.text for one in MESSAGES for p in one.parts), tokens=9_000, evidence=HISTORY)
    verdict = judge_answer(SummaryAnswer(f"## Discoveries\n{line}"), get_template("secateur"), source, len)
    assert verdict.reason is None
    assert verdict.marked == (line.removeprefix("- "),)
    assert "(unconfirmed: the history has this beside ferry_log.py" in verdict.sections["discoveries"][0]


SEEN = ["pier", "ferry", "lantern", "angler", "ticket", "harbor", "whistle", "anchor"]
WORDS = st.lists(st.sampled_from(SEEN), min_size=3, max_size=6)
STEPS = st.lists(st.tuples(st.sampled_from(["dock.py", "tide.py", "mast.py"]), WORDS), min_size=1, max_size=6)


@given(steps=STEPS, at=st.integers(0, 5))
def test_what_the_history_itself_says_of_a_file_is_never_in_doubt(steps: list[tuple[str, list[str]]], at: int) -> None:
    told = [f"In {name} there is {' '.join(words)}" for name, words in steps]
    messages = talk(user("Go on."), *(assistant(text=one) for one in told)).messages
    found = iterate_contradictions({"discoveries": (f"- {told[at % len(told)]}",)}, collect_evidence(messages))
    assert not [one for one in found if one.rule == "places.misplaced"]
