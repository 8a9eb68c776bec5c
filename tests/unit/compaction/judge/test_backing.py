"""What the history speaks against is marked with its words; what it says, denies or only tells in other ones is not."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.accept import SummarySource, judge_answer
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.judge.evidence import collect_evidence
from secateur.compaction.judge.ground.backing import LEAST, LIKE, Signs, measure_signs
from secateur.compaction.judge.truth import find_contradiction, iterate_contradictions
from secateur.compaction.template import get_template

WISH = "The ferry list loads slowly. Keep the price table in fares.csv. Do not change the timetable."
MESSAGES = talk(
    user(WISH),
    assistant(("a", "bash", '{"command": "python -m ferry.load --profile"}')),
    result("load 900 rows: 41 s\nparse dates: 38 s", call="a"),
    assistant(text="Parsing dates takes most of the time. The cache was not tried. The rehearsal failed on Monday."),
    user("Then parse them once. Ask Ida before the release."),
    assistant(text="The dates are parsed once now. Ida has not answered. Loading the ferry list takes 9 seconds."),
    assistant(text="Next I print the tickets of the night boat."),
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
        (
            "Loading the whole ferry list took 41 seconds again",
            "the agent said 'Loading the ferry list takes 9 seconds.'",
        ),
        (
            "The tickets of the night boat were printed twice",
            "the agent said 'Next I print the tickets of the night boat.'",
        ),
    ],
)
def test_what_it_speaks_against_is_in_doubt(claim: str, why: str) -> None:
    assert mark(claim) == why


@pytest.mark.parametrize(
    "claim",
    [
        "Parsing dates took most of the time",
        "The dates are parsed once",
        "The timetable must not change",
        "No answer of Ida so far",
        "Tickets and harbor dues wait behind a mutex while lamps are lit",
        "The rehearsal on Monday was a failure",
        "Die Termine der Konditorei wurden im Kalender eingetragen und von allen bestätigt, wie es verabredet war",
    ],
)
def test_what_it_says_or_what_denies_or_is_in_another_language_is_not(claim: str) -> None:
    assert mark(claim) == ""


@pytest.mark.parametrize("section", ["next", "questions", "files"])
def test_plans_questions_and_lists_of_files_are_not_judged(section: str) -> None:
    assert not list(iterate_contradictions({section: ("- The rehearsal went through on Monday",)}, HISTORY))


def test_each_sign_counts_the_same() -> None:
    signs = [one for one in Signs.__struct_fields__ if one != "against"]
    assert {Signs(**{name: 0.5}).total for name in signs} == {0.5}
    assert Signs(**dict.fromkeys(signs, 1.0)).total == len(signs) == 7
    plain = measure_signs("Parsing dates takes most of the time", HISTORY)
    assert plain is not None
    assert plain.total < LEAST / 2
    assert measure_signs("It did", HISTORY) is None


@pytest.mark.parametrize(
    ("clause", "sign"),
    [
        ("A walrus is content", "unknown"),
        ("Monday parses fares", "apart"),
        ("Ida answered", "denied"),
        ("The timetable changes daily", "ruled"),
        ("The rehearsal went through on Monday", "turned"),
        ("The tickets of the night boat were printed", "undone"),
        ("Loading the ferry list takes 30 seconds", "recounted"),
    ],
)
def test_a_sign_tells_of_one_thing(clause: str, sign: str) -> None:
    signs = measure_signs(clause, HISTORY)
    assert signs is not None
    assert getattr(signs, sign) > LIKE


def test_nothing_is_marked_that_nothing_speaks_against() -> None:
    signs = measure_signs("Tickets and harbor dues wait behind a mutex while lamps are lit", HISTORY)
    assert signs is not None
    assert signs.total > LEAST
    assert signs.against == ""


def test_doubts_of_this_kind_reject_no_summary_and_are_no_contradictions() -> None:
    lines = (
        "- The rehearsal went through on Monday",
        "- Loading the ferry list takes 41 seconds by now",
    )
    assert not any(find_contradiction({"discoveries": (line,)}, HISTORY) for line in lines)
    source = SummarySource(
        texts=tuple(part.text for one in MESSAGES for part in one.parts), tokens=9_000, said=(WISH,), evidence=HISTORY
    )
    verdict = judge_answer(SummaryAnswer("## Discoveries\n" + "\n".join(lines)), get_template("secateur"), source, len)
    assert verdict.reason is None
    assert verdict.marked == tuple(line.removeprefix("- ") for line in lines)
