"""A summary without headings is one if it tells what was done, and speaks of what the user spoke of."""

import time

import pytest

from secateur.compaction.prose import read_prose, read_summary

SAID = ("The kettle boils over. Find the reason in firmware/kettle.c, and do not touch the thermostat table.",)
WHOLE = """The user wants the kettle to stop boiling over.

The sensor was read once per minute, which is too seldom. It has been changed to once per second in firmware/kettle.c,
and the bench run passed. Do not change the thermostat table.

The descaling cycle is next. It has not been tried on a real kettle yet."""


def test_prose_is_read_by_what_it_says() -> None:
    found = read_prose(WHOLE, SAID)
    assert found["goal"] == ("- The user wants the kettle to stop boiling over.",)
    assert found["constraints"] == ("- Do not change the thermostat table.",)
    assert found["next"] == ("- The descaling cycle is next. It has not been tried on a real kettle yet.",)
    told = (*found.get("accomplished", ()), *found.get("discoveries", ()))
    assert any("read once per minute" in line for line in told)


@pytest.mark.parametrize(
    "text",
    [
        # nothing was done
        "The user wants the kettle to stop boiling over. Do not touch the thermostat table, and do not buy a"
        " new sensor. The descaling cycle is next, and then the housing.",
        # about something else
        "The gate was painted in green. The hinges were oiled by two men. Next they wait for the lock, which is still"
        " missing, and for better weather.",
        # announcements, answers and questions
        "Sure! I will change the kettle now. The sensor was read once per minute. It was changed. Next comes the"
        " bench, and the thermostat is left.",
        "The sensor of the kettle was read too seldom. The firmware was changed and the bench run passed. The"
        " thermostat table is next. Shall I go on with it?",
        "The kettle works now.",
        "API error 529\nThe service is overloaded\nPlease try again later",
        "",
    ],
)
def test_what_tells_nothing_of_the_work_is_no_summary(text: str) -> None:
    assert read_prose(text, SAID) == {}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Der Wasserkocher läuft über. Finde den Grund in firmware/kettle.c.",
            "Der Wasserkocher lief über, weil der Fühler zu selten gelesen wurde. Das ist in firmware/kettle.c geändert"
            " worden. Der Prüflauf war erfolgreich. Offen ist noch das Entkalken, darauf wartet der Nutzer.",
        ),
        (
            "La bouilloire déborde. Trouve la raison dans firmware/kettle.c.",
            "La bouilloire débordait parce que le capteur était lu trop rarement. Le fichier firmware/kettle.c a été"
            " modifié. L'essai a réussi. Il reste à faire le détartrage de la bouilloire.",
        ),
        (
            "水壶会溢出。请在 firmware/kettle.c 里找出原因。",
            "水壶溢出的原因是传感器每分钟只读取一次，间隔太长。已在 firmware/kettle.c 中改为每秒读取一次。"
            "台架测试已经全部通过。下一步是处理水壶的除垢流程，目前还没有在真实的水壶上测试过，需要等待用户确认。",
        ),
    ],
)
def test_prose_in_other_languages_is_read(said: str, text: str) -> None:
    found = read_prose(text, (said,))
    assert found["next"]
    assert found.keys() & {"accomplished", "discoveries"}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (SAID[0], "- kettle: reason found in the firmware\n- bench run passed\n- thermostat table as it was"),
        (SAID[0], "Why the kettle boiled over is known. The sensor was read too seldom. It is read each second,"
         " and on the bench as well."),
        (SAID[0], "Boiling over was traced to a sensor that is read too seldom. The bench agrees, and the reasons are"
         " written down where others look for them."),
        ("水壶会溢出。请在 firmware/kettle.c 里找出原因。", "- 溢出原因已找到\n- kettle.c 已修改\n- 测试通过"),
    ],
)  # fmt: skip
def test_notes_may_be_short_and_leave_out_what_is_open(said: str, text: str) -> None:
    assert read_prose(text, (said,)).keys() & {"accomplished", "discoveries"}


def test_lines_that_name_a_section_open_it() -> None:
    text = (
        "WHAT WAS DONE\n\nThe sensor of the kettle was read too seldom. The firmware was changed for that.\n"
        "REMAINING WORK\ndescaling of the kettle, and a look at the housing of it"
    )
    found = read_summary(text, SAID)
    assert found["next"] == ("- descaling of the kettle, and a look at the housing of it",)


def test_long_prose_is_read_in_linear_time() -> None:
    started = time.perf_counter()
    read_prose("the kettle was changed, " * 20_000 + "." + " no" * 20_000 + "\n" * 20_000, SAID)
    read_prose(f"{WHOLE} {'1aa' * 30_000}", SAID)
    assert time.perf_counter() - started < 10


LIST = """- the kettle boils over, reason wanted
- the sensor was read once per minute
- changed to once per second, the bench run passed
- thermostat table not touched
- {last}"""


def test_a_short_item_that_names_its_section_is_no_heading() -> None:
    assert read_prose(LIST.format(last="next: descaling, housing"), SAID)["next"] == ("- next: descaling, housing",)


def test_a_list_may_end_with_an_open_question() -> None:
    assert read_prose(LIST.format(last="todo: descaling cycle?"), SAID)
    assert not read_prose(LIST.format(last="x") + "\n\nWhat is next, the descaling cycle or the housing?", SAID)
