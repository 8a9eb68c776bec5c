"""What the user pasted of logs and terminals: a count stands for most of it, and nothing in it is a demand."""

import pytest

from conversation import assistant, talk, user
from secateur.compaction.ledger import build_ledger, render_ledger
from secateur.compaction.ledger.pasted import PROMPT, cut_pasted, is_pasted, is_shown
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.constraints import extract_constraints


def test_of_a_log_that_was_pasted_the_first_lines_and_a_count_stay() -> None:
    log = [f"Feb  9 09:56:{n} |INFO| saved row={n}" for n in range(10, 16)]
    text = "\n".join(("It saves twice:", *log, "Why is that?"))
    assert cut_pasted(text) == "\n".join(("It saves twice:", *log[:2], "[4 more lines]", "Why is that?"))
    assert cut_pasted("\n".join(log[:2])) == "\n".join(log[:2])


def test_the_users_words_behind_the_last_line_of_a_log_stay() -> None:
    log = [f"Feb  9 09:56:{n} |INFO| saved row={n}" for n in range(10, 40)]
    said = f"{log[-1]} and the open window still shows the old rows"
    text = "\n".join((*log[:-1], said))
    assert cut_pasted(text) == "\n".join((*log[:2], "[27 more lines]", said))
    assert condense_request(cut_pasted(text), 150).endswith(said)
    assert "saved row=39" not in condense_request("\n".join(("Why are they saved twice?", *log)), 150)


DONE = assistant(text="That is done now, as you asked.")
SCREEN = [f" row {n} of the screen" for n in range(9)]


@pytest.mark.parametrize("prompt", ["ann@box shop % ", "ann@box:~/shop$ ", "➜  shop git:(main) ✗ "])
def test_of_what_a_terminal_printed_the_ends_stay_with_the_command(prompt: str) -> None:
    text = "\n".join((f"this is what i see: {prompt}sell" if "@" in prompt else f"{prompt}sell", *SCREEN))
    shown = cut_pasted(text).split("\n")
    assert shown[0].endswith(f"{prompt}sell")
    assert shown[1:] == [*SCREEN[:3], "[3 more lines]", *SCREEN[-3:]]


def test_the_users_words_below_a_terminal_stay() -> None:
    said = "why is it so, it should be like it was before"
    assert cut_pasted("\n".join(("ann@box shop % sell", *SCREEN, said))).split("\n")[-1] == said


def test_an_address_is_no_prompt() -> None:
    assert PROMPT.search("write to ann@box.org, it costs 5$ or 3 %") is None
    assert PROMPT.search("ann@box.org is the 1st of 20 % that answered") is None


def test_what_a_terminal_printed_demands_nothing() -> None:
    text = "ann@box shop % sell\nYou must never sell twice.\nDo not sell at night.\n\nNever touch the till."
    assert [one.text for one in extract_constraints([user(text)])] == ["Never touch the till."]


REPORT = "=== NAME  TestTill\n    till_test.go:12: Rows: 3\n--- FAIL: TestTill (1.2s)"


def test_what_a_test_or_a_terminal_printed_is_told_from_words_beside_it() -> None:
    assert is_pasted(REPORT)
    assert is_pasted("ann@box shop % sell\nsold: 3")
    assert not is_pasted(f"{REPORT}\nwhy?")
    assert not is_pasted("this is what i see: ann@box shop % sell\nsold: 3")
    assert not is_pasted("")


def test_a_goal_of_a_report_alone_stands_beside_the_task_before_it() -> None:
    asked = (user("Write the reader of the table."), DONE, user("Make the till count every row."), DONE)
    lines = render_ledger(build_ledger(talk(*asked, user(REPORT)).messages))["goal"]
    assert "=== NAME" in lines[0]
    assert any("Make the till count every row." in line for line in lines[1:])


def test_an_answered_terminal_is_no_goal() -> None:
    shown = user("❯ sell --all \\\n    --fast\nerror: no till")
    lines = render_ledger(build_ledger(talk(shown, DONE, user("Make the till count every row.")).messages))["goal"]
    assert not any("sell --all" in line for line in lines)
    assert "sell --all" in render_ledger(build_ledger(talk(shown).messages))["goal"][0]


def test_a_brief_line_may_lead_to_what_a_screen_shows() -> None:
    screen = "────────\n-- INSERT -- ~/shop (main)\n────────"
    assert is_shown(f"this is what i see:\n{screen}")
    assert is_shown(f"das sehe ich：\n{REPORT}")
    assert is_shown(REPORT)
    assert not is_shown(f"this is what i see:\n{screen}\nplease put the till above the line again")
    assert not is_shown(f"please draw the till like this\n{screen}")
    assert not is_shown("write these two:\nthe till\nthe shelf")
    assert not is_shown("this is what i see:")
