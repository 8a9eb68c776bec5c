"""What the history says little for is marked; what it says, denies in other words or tells in other ones is not."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.accept import SummarySource, judge_answer
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.ground.backing import LEAST, WEIGHTS, Signs, measure_signs, weigh_signs
from secateur.compaction.judge.truth import find_contradiction, iterate_contradictions
from secateur.compaction.template import get_template

WISH = "The ferry list loads slowly. Keep the price table in fares.csv. Do not change the timetable."
MESSAGES = talk(
    user(WISH),
    assistant(("a", "bash", '{"command": "python -m ferry.load --profile"}')),
    result("load 900 rows: 41 s\nparse dates: 38 s", call="a"),
    assistant(text="Parsing dates takes most of the time. The cache was not tried. The rehearsal failed on Monday."),
    user("Then parse them once. Ask Ida before the release."),
    assistant(text="The dates are parsed once now. Ida has not answered."),
).messages
HISTORY = collect_evidence(MESSAGES)


def mark(claim: str) -> str:
    return next((one.why for one in iterate_contradictions({"discoveries": (f"- {claim}",)}, HISTORY)), "")


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("The timetable may be changed as well", "the user said 'Do not change the timetable.'"),
        ("The rehearsal went through on Monday", "the agent said 'The rehearsal failed on Monday.'"),
        ("Ida has answered and is content", "the agent said 'Ida has not answered.'"),
        ("Tickets and harbor dues wait behind a mutex after parsing the release", "nothing in the history says so"),
    ],
)
def test_what_the_history_says_little_for_is_in_doubt(claim: str, why: str) -> None:
    assert mark(claim) == why


@pytest.mark.parametrize(
    "claim",
    [
        "Parsing dates took most of the time",
        "The dates are parsed once",
        "The timetable must not change",
        "No answer of Ida so far",
        "The rehearsal on Monday was a failure",
        "Die Termine der Konditorei wurden im Kalender eingetragen und von allen bestätigt, wie es verabredet war",
    ],
)
def test_what_it_says_or_what_denies_or_is_in_another_language_is_not(claim: str) -> None:
    assert mark(claim) == ""


def test_each_sign_counts() -> None:
    for name, weight in WEIGHTS.items():
        assert weigh_signs(Signs(**{name: 1.0})) == weight > 0
    plain = measure_signs("Parsing dates takes most of the time", HISTORY)
    assert plain is not None
    assert weigh_signs(plain) < LEAST / 2
    assert measure_signs("It did", HISTORY) is None


def test_doubts_of_this_kind_reject_no_summary_and_are_no_contradictions() -> None:
    lines = (
        "- The rehearsal went through on Monday",
        "- Tickets and harbor dues wait behind a mutex after parsing the release",
        "- Lanterns and divers wait behind a wall after parsing the release",
    )
    assert not any(find_contradiction({"discoveries": (line,)}, HISTORY) for line in lines)
    source = SummarySource(
        texts=tuple(part.text for one in MESSAGES for part in one.parts), tokens=9_000, said=(WISH,), evidence=HISTORY
    )
    verdict = judge_answer(SummaryAnswer("## Discoveries\n" + "\n".join(lines)), get_template("secateur"), source, len)
    assert verdict.reason is None
    assert verdict.marked == tuple(line.removeprefix("- ") for line in lines)
