"""Breakers: when no further summary is made, at the very limits."""

from conversation import assistant, talk, user
from secateur.compaction.outcome import CompactionSkipped
from secateur.model import Edit, Epoch, Message, NewMessage, Replace, Rewrite
from secateur.plan import Plan
from secateur.stages.summary_epoch import LEAST_CALLS, LEAST_NEW_SHARE, MOST_IN_A_ROW, find_refusal

WINDOW = 1_000
LEAST = int(WINDOW * LEAST_NEW_SHARE)


def compacted(talked: tuple[Message, ...], *tips: int, by: str = "compact") -> Plan:
    """A plan with a compaction whose newest message is each of these."""
    replaced: tuple[Edit, ...] = (Replace("", talked[0].key, (NewMessage("user", "so far"),), by),)
    return Plan(tuple(Epoch(0, talked[tip].key, "", replaced) for tip in tips))


def refusal(plan: Plan, talked: tuple[Message, ...]) -> str:
    """Why no summary is made, a token being a character; "" if nothing speaks against it."""
    found = find_refusal(plan, talked, WINDOW, len)
    return found.reason if isinstance(found, CompactionSkipped) else ""


def test_as_much_new_as_it_takes_is_enough() -> None:
    for new, why in ((LEAST - 1, "no_progress"), (LEAST, "")):
        talked = talk(user("go"), assistant(text="so"), user("x" * new)).messages
        assert refusal(compacted(talked, 1), talked) == why


def test_new_is_what_stands_behind_the_newest_compaction() -> None:
    talked = talk(user("x" * LEAST), user("y" * LEAST), user("z")).messages
    assert refusal(compacted(talked, 0, 1), talked) == "no_progress"
    assert refusal(compacted(talked, 0), talked) == ""


def calls(*between: int) -> tuple[tuple[Message, ...], list[int]]:
    """A history with so many answers between its compactions, and the places of those."""
    said, tips = [user("go")], []
    for number in between:
        tips.append(len(said) - 1)
        said += [assistant(text="x" * LEAST) for _ in range(number)]
    return talk(*said).messages, tips


def test_three_compactions_that_come_soon_after_each_other_are_enough() -> None:
    soon, late = LEAST_CALLS - 1, LEAST_CALLS
    for between, why in (
        ([soon] * MOST_IN_A_ROW, "too_often"),
        ([soon] * (MOST_IN_A_ROW - 1), ""),
        ([late, *[soon] * (MOST_IN_A_ROW - 1)], ""),
        ([late, *[soon] * MOST_IN_A_ROW], "too_often"),
        ([soon] * (MOST_IN_A_ROW - 1) + [late], ""),
    ):
        talked, tips = calls(*between)
        assert refusal(compacted(talked, *tips), talked) == why, between


def test_only_compactions_of_this_history_count() -> None:
    talked, tips = calls(*[LEAST_CALLS - 1] * MOST_IN_A_ROW)
    assert refusal(compacted(talked, *tips, by="digest"), talked) == ""
    pruned = Plan(tuple(Epoch(0, talked[tip].key, "", (Rewrite("k", "", "hard_clear"),)) for tip in tips))
    assert refusal(pruned, talked) == ""
    other = talk(user("another"), *[assistant(text="x" * LEAST)] * 9).messages
    assert refusal(compacted(talked, *tips), other) == ""
