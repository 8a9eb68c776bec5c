"""Claims against the passages of the history that are most like them: numbers, paths, reasons, wishes, opposites."""

import json
import time

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.accept import SummarySource, judge_answer
from secateur.compaction.ask import SummaryAnswer
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.ground.passages import MOST_FOUND, Passage, PassageIndex, build_passages
from secateur.compaction.judge.ground.stems import get_stems
from secateur.compaction.judge.truth import find_contradiction
from secateur.compaction.judge.weighing import count_most_false
from secateur.compaction.marks import is_marked
from secateur.compaction.template import get_template

WISH = (
    "The greenhouse opens its vents too late. Keep the log in data/vents.csv, and stop at 31 degrees. No new sensors."
)
MESSAGES = talk(
    user(WISH),
    assistant(("a", "read", json.dumps({"path": "house/control.py"}))),
    result("THRESHOLD = 35\ndef open_vents(reading):\n    pump.close()\n", call="a"),
    assistant(("b", "bash", json.dumps({"command": "python -m house.replay"}))),
    result("vents opened 7 times, closed 6 times\nfan started before the heater stopped", call="b"),
    assistant(
        text="The vents opened 7 times in the replay. The delay was added because the motor overheated in spring."
    ),
    user("Then shorten the delay. I will calibrate the thermometer on Friday."),
    assistant(("c", "edit", json.dumps({"path": "house/control.py", "old_string": "35", "new_string": "31"}))),
    result("ok", call="c"),
    assistant(
        text="The threshold is lowered in house/control.py. The humidity table in house/humidity.py is unchanged."
    ),
).messages
HISTORY: Evidence = collect_evidence(MESSAGES)


def judge(section: str, claim: str) -> str | None:
    found = find_contradiction({section: (f"- {claim}",)}, HISTORY)
    return found.rule if found else None


@pytest.mark.parametrize(
    ("section", "claim", "rule"),
    [
        ("discoveries", "The vents opened nine times in the replay", "anchors.elsewhere"),
        ("discoveries", "In the replay the vents opened 4 times", "anchors.elsewhere"),
        ("discoveries", "The humidity table is unchanged in house/control.py", "anchors.elsewhere"),
        ("discoveries", "The delay had been added because the warranty demanded it", "reasons.unknown_reason"),
        ("goal", "The user wants a mobile dashboard", "reasons.unheard_wish"),
        ("discoveries", "The fan started after the heater stopped", "turns.opposite"),
        ("discoveries", "Fan after heater", "turns.opposite"),
        ("discoveries", "The delay was removed because the motor overheated in spring", "turns.opposite"),
    ],
)
def test_what_stands_together_otherwise_is_false(section: str, claim: str, rule: str) -> None:
    assert judge(section, claim) == rule


@pytest.mark.parametrize(
    ("section", "claim"),
    [
        ("discoveries", "The vents opened seven times in the replay"),
        ("discoveries", "Together the vents moved 13 times in the replay, opened or closed"),
        ("discoveries", "house/humidity.py holds a humidity table that is unchanged"),
        ("discoveries", "A delay exists because of an overheated motor"),
        ("goal", "The user wants the delay to be shorter"),
        ("constraints", "The user asked for no further sensors"),
        ("discoveries", "The fan started before the heater stopped"),
        ("discoveries", "At line 204 of the replay the vents opened"),
        ("accomplished", "The threshold in house/control.py is 31 now"),
    ],
)
def test_what_stands_together_stands(section: str, claim: str) -> None:
    assert judge(section, claim) is None


def test_a_wish_in_another_language_is_not_compared() -> None:
    assert judge("goal", "Der Benutzer möchte, dass die Lüftungsklappen des Gewächshauses früher aufgehen") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It wrote three files", "3 file writing"),
        ("clearCache", "cleared the cache"),
        ("test_two_buyers fails", "the failure of test two buyers"),
        ("文件已修改", "文件已修改"),
    ],
)
def test_stems_are_those_of_the_same_words(one: str, other: str) -> None:
    assert get_stems(one) == get_stems(other)


def test_a_step_is_one_group_and_rare_words_find() -> None:
    index = build_passages(MESSAGES, ("kept from before",))
    found = index.find(get_stems("the heater stopped"))[0]
    assert found.passage.text == "fan started before the heater stopped"
    assert found.share == pytest.approx(1.0)
    assert index.measure_groups(get_stems("replay heater"))[found.passage.group] == pytest.approx(1.0)
    assert [one.text for one in index.passages if one.group == 0] == ["kept from before"]


def test_a_search_is_bounded() -> None:
    index = PassageIndex([Passage(f"vent {number}", "output", number) for number in range(1_400)])
    assert len(index.find({"vent"})) == MOST_FOUND


def test_hostile_claims_are_read_in_linear_time() -> None:
    started = time.perf_counter()
    for claim in (
        "1" * 20_000,
        "1.2.3.4 " * 4_000,
        "because " * 4_000,
        "user wants " * 3_000,
        "a/" * 20_000,
        "aB" * 20_000,
    ):
        judge("discoveries", claim)
    assert time.perf_counter() - started < 20


def test_one_false_line_is_dropped_and_two_of_a_short_summary_or_one_of_a_few_lines_reject() -> None:
    said = "The replay showed what the vents do when the house is warm and the wind comes from the sea, as in "
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"]
    lines = [f"- Measured in {month}, hour {hour}" for month in months for hour in ("a", "b", "c", "d", "e")]
    text = " ".join(lines)
    messages = talk(user(WISH), assistant(text=said + text * 4)).messages
    source = SummarySource(
        texts=tuple(part.text for one in (*MESSAGES, *messages) for part in one.parts),
        tokens=9_000,
        said=(WISH,),
        evidence=collect_evidence((*MESSAGES, *messages)),
    )
    false = "- The change is committed"
    other = "- data/vents.csv was deleted"

    def answer(lines: list[str]) -> SummaryAnswer:
        return SummaryAnswer(
            "## Goal\n- the vents of the greenhouse open too late\n\n## Discoveries\n" + "\n".join(lines)
        )

    assert count_most_false(len(lines) + 2) == 1
    long = judge_answer(answer([*lines, false]), get_template("secateur"), source, len)
    short = judge_answer(answer([*lines[:8], false]), get_template("secateur"), source, len)
    assert (long.reason, long.dropped) == (None, (false,))
    assert (short.reason, short.dropped) == (None, (false,))
    for few in ([*lines[:8], false, other], [*lines[:2], false]):
        assert judge_answer(answer(few), get_template("secateur"), source, len).reason in ("not_run", "unchanged_file")


def test_a_doubtful_sentence_is_marked_with_what_is_known_unless_most_of_a_summary_is_doubtful() -> None:
    plain = "- The threshold went down. Nothing new is known about humidity."
    doubtful = "The delay had been added because the warranty demanded it."
    source = SummarySource(
        texts=tuple(part.text for one in MESSAGES for part in one.parts), tokens=9_000, said=(WISH,), evidence=HISTORY
    )

    def answer(lines: list[str]) -> SummaryAnswer:
        return SummaryAnswer("## Discoveries\n" + "\n".join(lines) + f"\n{plain} {doubtful}")

    verdict = judge_answer(answer(["- The threshold is lower now."]), get_template("secateur"), source, len)
    assert (verdict.reason, verdict.dropped, verdict.marked) == (None, (), (doubtful,))
    marked = verdict.sections["discoveries"][-1]
    assert marked.startswith(f"{plain} {doubtful} (unconfirmed: nothing in the history tells of this reason")
    assert not is_marked(plain)
    again = judge_answer(SummaryAnswer(f"## Discoveries\n{marked}"), get_template("secateur"), source, len)
    assert again.sections["discoveries"] == (marked,)  # a mark is judged anew, and is no part of what is said


def test_a_summary_that_is_doubtful_for_the_most_part_is_rejected() -> None:
    doubtful = ["- The vents opened nine times in the replay", "- The fan started after the heater stopped"]
    source = SummarySource(
        texts=tuple(part.text for one in MESSAGES for part in one.parts), tokens=9_000, said=(WISH,), evidence=HISTORY
    )
    for lines, reason in ((doubtful, None), ([*doubtful, "- The user wants a mobile dashboard"], "approval")):
        text = "## Discoveries\n" + "\n".join(lines)
        assert judge_answer(SummaryAnswer(text), get_template("secateur"), source, len).reason == reason


def test_a_turned_prohibition_rejects_a_summary_of_any_length() -> None:
    source = SummarySource(
        texts=tuple(part.text for one in MESSAGES for part in one.parts), tokens=90_000, said=(WISH,), evidence=HISTORY
    )
    notes = "\n".join(f"- A note, number {word * 3}, on the vents" for word in "abcdefghijklmnopqrstuvwxyz" * 3)
    text = f"## Discoveries\n{notes}\n\n## Constraints\n- New sensors may be added"
    assert judge_answer(SummaryAnswer(text), get_template("secateur"), source, len).reason == "inverted"
