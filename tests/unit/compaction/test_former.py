"""What an earlier summary says that still holds, and what later work has overtaken."""

import pytest
from msgspec.structs import replace

from secateur.compaction.former import (
    clean_host_summary,
    mark_former,
    take_steps,
    with_former_states,
    without_gone_files,
)
from secateur.compaction.former_lines import MOST_LASTING, MOST_LINES, select_demands, select_telling
from secateur.compaction.ledger import Command, Constraint, FileEntry, Ledger, PlanItem, UserRequest, merge
from secateur.compaction.summary import parse_sections

ANSWERED = Ledger(before="done")
FORMER = "- as of an earlier summary: "


def formerly(*lines: str) -> tuple[str, ...]:
    return tuple(map(mark_former, lines))


def test_next_steps_of_then_stay_while_the_agent_works_on_them_and_go_once_it_answered() -> None:
    kept = {"next": ("1. Write the parser.", "Options:", "├── src")}
    assert with_former_states(kept, Ledger()) == {"next": (f"{FORMER}Write the parser.",)}
    assert with_former_states(kept, ANSWERED) == {}


def test_what_was_so_then_goes_once_the_agent_answered() -> None:
    present = formerly(
        "The lexer is still broken.", "The docs need to be updated.", "Currently on step 3.", "Move `a.py`."
    )
    lasting = formerly("`parse` reads one line.", "Fixed the header of `lexer.py`.")
    assert with_former_states({"discoveries": (*present, *lasting)}, ANSWERED) == {"discoveries": lasting}
    assert with_former_states({"discoveries": (*present, *lasting)}, Ledger()) == {"discoveries": (*present, *lasting)}


def test_lines_of_our_own_summaries_are_no_former_lines() -> None:
    kept = {"discoveries": ("- The lexer still reads one line more than it must.",)}
    assert with_former_states(kept, ANSWERED) == kept


def test_of_former_lines_on_one_file_the_longest_stays_and_a_known_folder_is_not_named_again() -> None:
    rows = "`src/rows.py`: reads rows of dates, with a header or without one."
    kept = {"files": formerly("cwd: /w/dates", rows, "created: src/rows.py - Reading.", "See the docs of rows.")}
    told = formerly(rows, "See the docs of rows.")
    assert with_former_states(kept, Ledger(root="/w/dates")) == {"files": told}
    assert with_former_states(kept, Ledger())["files"] == (*formerly("cwd: /w/dates"), *told)


def test_a_deed_of_then_of_which_a_finding_says_most_is_left_out() -> None:
    finding = "Reader: a row of dates may have a header, which the reader skips where the first column is no date."
    kept = {
        "discoveries": formerly(finding),
        "accomplished": formerly("The reader skips a header before rows of dates.", "The lexer counts lines."),
    }
    assert with_former_states(kept, Ledger())["accomplished"] == formerly("The lexer counts lines.")


def test_failing_checks_of_then_go_once_checks_passed_and_none_fails() -> None:
    kept = {"discoveries": formerly("Two tests of the lexer fail.", "Expected 2 points, got 1.")}
    passed, failed = Command("pytest", check="test"), Command("ruff check", False, 1, "lint")
    assert with_former_states(kept, Ledger(commands=(passed,))) == {}
    assert with_former_states(kept, Ledger(commands=(passed, failed))) == kept
    assert with_former_states(kept, Ledger()) == kept


def test_the_goal_of_then_stays_beside_what_was_asked_since() -> None:
    kept = {"goal": ("A parser for dates.", "It reads ISO dates only.", "The user said: be fast.")}
    assert with_former_states(kept, Ledger(requests=(UserRequest("Write the docs."),))) == {
        "goal": formerly("A parser for dates.", "It reads ISO dates only.")
    }
    assert with_former_states(kept, Ledger())["goal"][0] == "- A parser for dates."


def test_orders_of_then_go_once_the_user_asked_for_more_and_wishes_stay() -> None:
    wish = '"please never leave a warning"'
    kept = {"goal": ("A parser for dates.", "Merge the changes of main."), "instructions": ('"commit this"', wish)}
    assert with_former_states(kept, Ledger(requests=(UserRequest("Write the docs."),))) == {
        "goal": formerly("A parser for dates."),
        "constraints": formerly(wish),
    }
    assert with_former_states(kept, Ledger())["instructions"] == kept["instructions"]


def test_messages_of_then_are_no_wishes_once_the_user_wrote_others() -> None:
    messages = formerly(
        '"can you check the tests, they do not cover the reader"',
        '**Message 2:** "Implement the following plan: [plan of the reader]"',
        "Invoked `/plan`",
        '"yes, please do"',
    )
    wishes = formerly('"never write to the table without asking"', "Answers in short sentences")
    kept = {"instructions": (*messages, *wishes)}
    since = Ledger(requests=(UserRequest("Write the docs."),))
    assert with_former_states(kept, since) == {"constraints": wishes[:1], "instructions": wishes[1:]}
    assert with_former_states(kept, Ledger())["instructions"] == kept["instructions"]


def test_orders_of_then_are_no_demands_however_a_host_quotes_them() -> None:
    orders = formerly(
        'User: "now commit and push this"', "The user then asked to delete that file", "Run the tests again"
    )
    demands = formerly("User asked to always commit after each step", "User wants to keep the names", "Never push")
    since = Ledger(requests=(UserRequest("Write the docs."),))
    assert with_former_states({"constraints": (*orders, *demands)}, since) == {"constraints": demands}
    assert with_former_states({"constraints": orders}, Ledger()) == {"constraints": orders}


def test_how_the_work_of_then_is_to_be_done_is_a_demand() -> None:
    ways = ("Write tests first", "Run `make lint` before considering complete", "Commit after each step")
    goal = ("A parser for dates.", "It reads ISO dates.", *ways, "Run the parser")
    since = Ledger(requests=(UserRequest("Write the docs."),))
    made = with_former_states({"goal": goal}, since)
    assert made == {"goal": formerly(*goal[:2]), "constraints": formerly(*ways)}
    again = with_former_states({"constraints": made["constraints"]}, since)  # at the next compaction
    assert again == {"constraints": formerly(*ways)}


def test_what_the_user_said_since_stands_before_the_demands_of_then() -> None:
    demands = formerly("Keep the license.", "The choice of a team must persist.", "Use blue.")
    since = Ledger(requests=(UserRequest("Teams should not persist."),))
    first, *others = with_former_states({"constraints": demands}, since)["constraints"]
    assert "since an earlier summary, the user: Teams should not persist." in first
    listed = replace(since, constraints=(Constraint("Teams should not persist.", "request", "1"),))
    assert with_former_states({"constraints": demands}, listed)["constraints"] == tuple(others)  # it stands there
    assert tuple(others) == (demands[0], demands[2])


def test_a_line_loses_the_sentence_that_leads_to_what_stood_below_it() -> None:
    lines = ("The user wants a faster reader. Specifically:", "- The reader of tables:")
    assert select_telling(lines) == ("The user wants a faster reader.", "- The reader of tables")


def test_what_is_required_before_each_commit_is_a_demand() -> None:
    rule, other = formerly("`make fmt && make lint` required before every commit", "`parse` reads one line.")
    assert with_former_states({"discoveries": (rule, other)}, Ledger()) == {
        "discoveries": (other,),
        "constraints": (rule,),
    }


def test_what_another_line_says_as_well_is_said_once() -> None:
    kept = {
        "goal": ("The cache must never be shared between two users of one host.",),
        "instructions": formerly("The cache must never be shared between two users."),
    }
    assert with_former_states(kept, Ledger()) == {
        "goal": ("- The cache must never be shared between two users of one host.",)
    }


def test_of_many_lines_those_stay_that_name_something() -> None:
    bare = [f"The {word} matters to everyone who reads it." for word in ("first", "second", "third", "fourth")]
    named = [f"`part_{n}` reads the table of its part." for n in range(MOST_LINES - 2)]
    assert select_telling([*bare, *named]) == (*bare[:2], *named)


def test_of_many_messages_those_stay_that_hold_from_now_on() -> None:
    messages = [f'"can you look at part {n} of src/read.py"' for n in range(20)]
    wish = '"oh, please don\'t amend commits - it breaks them"'
    kept = select_demands([*messages[:9], wish, *messages[9:]])
    assert kept == (*messages[:7], wish)
    many = [f'"never sell part {n}"' for n in range(20)]
    assert select_demands([*messages, *many]) == tuple(many[-MOST_LASTING:])


def test_headings_and_beginnings_of_lists_say_nothing_alone() -> None:
    lines = [
        "Options:",
        "### Structure",
        "(from the session before)",
        "`a.py` (5 places)",
        "Fixed the cleanup of `a.py`:",
    ]
    assert select_telling(lines) == ("Fixed the cleanup of `a.py`",)


def test_an_unknown_heading_of_a_host_ends_the_section_before_it() -> None:
    text = "## Constraints\nNever push.\n## Commands\n`make x` builds it.\n### More\nIt is fast."
    assert parse_sections(clean_host_summary(text)) == {
        "constraints": ("Never push.",),
        "discoveries": ("`make x` builds it.", "It is fast."),
    }


def test_a_file_that_was_moved_into_a_folder_is_not_gone() -> None:
    prose = {"discoveries": ("- `lexer.py` reads one line.", "- `old.py` was slow.")}
    files = (FileEntry("lexer.py", "moved", to="src/"), FileEntry("old.py", "deleted"))
    assert without_gone_files(prose, files) == {"discoveries": prose["discoveries"][:1]}


def test_a_folder_that_was_deleted_takes_no_other_lines_with_it() -> None:
    prose = {"discoveries": ("- The lexer reads one line.",)}
    assert without_gone_files(prose, (FileEntry("build/", "deleted"),)) == prose


@pytest.mark.parametrize("unit", ["a", "a.", "#", "# (", "("])
def test_lines_of_any_length_are_read(unit: str) -> None:
    """Each takes milliseconds, and would take many minutes if it were read from each of its characters."""
    line = unit * 200_000
    text = f"## Goal\nGo on.\n{line}!\n## {line}!\n"
    assert parse_sections(clean_host_summary(text))["goal"][0] == "Go on."
    assert len(select_telling((line, "The lexer is done."))) in (1, 2)


@pytest.mark.parametrize(
    ("order", "is_gone"),
    [
        ("When you are done, remove the old remaining files (a.py, right? nothing else).", True),
        ("Now delete all old modules.", True),
        ("Remove any code duplication.", False),
        ("Do not remove the old modules yet.", False),
        ("Remove the new modules, and test what is old.", False),
    ],
)
def test_what_was_to_be_kept_goes_where_the_user_orders_to_remove_it(order: str, is_gone: bool) -> None:
    [line] = formerly("Keep old code running beside new code")
    ledger = Ledger(before="done", requests=(UserRequest("Go on."), UserRequest(order, "done")))
    assert with_former_states({"constraints": (line,)}, ledger) == ({} if is_gone else {"constraints": (line,)})


def test_the_tags_of_a_hosts_summary_are_no_text_of_it() -> None:
    text = (
        "<state_snapshot>\n<overall_goal>\nShip the parser.\n</overall_goal>\n<active_constraints>\n"
        "  <constraint>The API must stay.</constraint>\n</active_constraints>\n<recent_actions>\n"
        '<action>Wrote the lexer.</action>\n<step status="DONE">Chose the grammar.</step>\n'
        "<created>src/lexer.py</created>\n</recent_actions>\n</state_snapshot>"
    )
    assert parse_sections(clean_host_summary(text)) == {
        "goal": ("Ship the parser.",),
        "constraints": ("- The API must stay.",),
        "accomplished": ("- Wrote the lexer.", "- done: Chose the grammar.", "- created: src/lexer.py"),
    }


SNAPSHOT = """<state_snapshot>
    <overall_goal>A parser for dates.</overall_goal>
    <active_constraints>
        <constraint>Keep the header of each file.</constraint>
        <constraint>The options are still needed.</constraint>
    </active_constraints>
    <!-- A remark. -->
    <file_system_state>
        <created>src/dates.py - reads a date.</created>
    </file_system_state>
    <task_state>
        <step status="DONE">Write the lexer.</step>
        <step status="IN PROGRESS">Commit the lexer. <-- CURRENT FOCUS</step>
        1. [TODO] Write the docs.
        - [maybe] Write more.
    </task_state>
</state_snapshot>"""


def test_elements_of_a_hosts_summary_are_bullets_of_their_sections() -> None:
    text, _ = take_steps(SNAPSHOT)
    assert parse_sections(clean_host_summary(text)) == {
        "goal": ("A parser for dates.",),
        "constraints": ("- Keep the header of each file.", "- The options are still needed."),
        "files": ("- created: src/dates.py - reads a date.",),
        "next": ("        - [maybe] Write more.",),
    }


def test_steps_of_a_hosts_summary_are_the_plan() -> None:
    _, steps = take_steps(SNAPSHOT)
    assert steps == (
        PlanItem("Write the lexer.", "done"),
        PlanItem("Commit the lexer. (as of an earlier summary)", "open"),
        PlanItem("Write the docs. (as of an earlier summary)", "open"),
    )
    later = merge(Ledger(tasks=steps), Ledger(commits=("[main 1234abc] lexer",)))
    assert later.tasks == (steps[0], PlanItem("Commit the lexer.", "done"), steps[2])
    assert merge(Ledger(tasks=steps), Ledger()).tasks == steps


def test_demands_of_then_are_no_state_that_passes() -> None:
    kept = {"constraints": formerly("The options are still needed.")}
    assert with_former_states(kept, ANSWERED) == kept


def test_what_was_not_committed_then_goes_once_something_was() -> None:
    kept = {"accomplished": formerly("Built it and staged all files.", "Wrote the lexer.")}
    assert with_former_states(kept, ANSWERED) == kept
    committed = Ledger(before="done", commits=("[main 1234abc] lexer",))
    assert with_former_states(kept, committed) == {"accomplished": kept["accomplished"][1:]}


@pytest.mark.parametrize(
    ("line", "order", "is_gone"),
    [
        ("The choice of a theme MUST persist in the settings.", "themes shouldn't persist, ask me at each start", True),
        ("Added persistence for the theme.", "themes shouldn't persist", True),
        ("Added persistence for the window.", "themes shouldn't persist", False),
        ("The theme must not persist.", "themes shouldn't persist", False),
        ("Added a list of themes.", "themes shouldn't persist", False),
        ("Added persistence for the theme.", "themes should persist", False),
    ],
)
def test_what_the_user_denies_gives_way_to_the_users_words(line: str, order: str, is_gone: bool) -> None:
    [former] = formerly(line)
    ledger = Ledger(before="done", requests=(UserRequest(order, "done"),))
    expected = f"- since an earlier summary, the user: {order} — replaces: “{line}”" if is_gone else former
    kept = with_former_states({"constraints": (former,)}, ledger)
    assert kept == {"constraints": (expected,)}
    assert with_former_states(kept, ledger) == kept
    done = {"accomplished": (former,)}
    assert with_former_states(done, ledger) == ({} if is_gone else done)


@pytest.mark.parametrize("unit", ["<a>", "<a", "<!--", "- [", " ", "<-"])
def test_elements_of_any_length_are_read(unit: str) -> None:
    text, steps = take_steps(f"{unit * 100_000}!\n<goal>Go on.</goal>")
    assert clean_host_summary(text).endswith("## goal\nGo on.")
    assert steps == ()


def test_what_a_hosts_summary_lists_under_a_file_stands_behind_the_file() -> None:
    text = (
        "- **`src/lexer.py`** - The lexer\n    - Reads one line:\n    - Has no state\n"
        "- **`src/parser.py`** (lines 8-20)\n    1. Reads two\n- `src/rows.py`:\n- Nothing else\n    - of note"
    )
    assert select_telling(text.split("\n")) == (
        "- **`src/lexer.py`** - The lexer — Reads one line; Has no state",
        "- **`src/parser.py`** (lines 8-20) — Reads two",
        "- Nothing else",
        "    - of note",
    )


@pytest.mark.parametrize(
    ("line", "is_demand"),
    [
        ('User later clarified: "Only the newest list is read. Keep the older ones for now."', True),
        ('The user decided that "lists must stay sorted by name"', True),
        ('The user clarified: "run the tests again, please"', False),
        ('User asked about "lists that must stay sorted"', False),
        ('**Sorting**: User told me "don\'t print the lists - it breaks the page"', True),
        ('User said: "what do the lists hold, and where do they come from"', False),
        ('The test clarified "lists must stay sorted by name"', False),
    ],
)
def test_what_the_user_settled_is_a_demand_wherever_a_hosts_summary_quotes_it(line: str, is_demand: bool) -> None:
    ledger = Ledger(before="done", requests=(UserRequest("Go on."),))
    made = with_former_states({"goal": ("- Sort the lists.", f"- {line}")}, ledger)
    assert made.get("constraints") == (formerly(line) if is_demand else None)
    assert any(line in one for one in made["goal"]) != is_demand


def test_steps_that_a_host_lists_under_several_headings_are_told_once() -> None:
    kept = {
        "next": (
            "- Fix the junk code in `read_tail`",
            "- Call `read_tail` in `resume` to compare time stamps",
            "- Fix `read_tail`, which has junk code",
            "- Fix junk code in `read_tail`",
        )
    }
    assert with_former_states(kept, Ledger())["next"] == (
        f"{FORMER}Fix the junk code in `read_tail`",
        f"{FORMER}Call `read_tail` in `resume` to compare time stamps",
    )


def test_of_many_steps_the_first_stay() -> None:
    kept = {
        "next": tuple(
            f"- write the chapter on {word}" for word in ("oaks", "elms", "firs", "yews", "figs", "tea", "hops")
        )
    }
    assert len(with_former_states(kept, Ledger())["next"]) < 7


def test_a_wish_of_then_that_a_rule_of_the_project_forbids_stands_with_the_rule() -> None:
    ban = Constraint("- NEVER commit unless the user asks", "project", "k", source="AGENTS.md")
    lines = formerly("Git commits after major steps", "Write it in Go.")
    ledger = Ledger(constraints=(ban,))
    first, second = with_former_states({"constraints": lines}, ledger)["constraints"]
    told = f"{lines[0]} — against a rule of the project: “- NEVER commit unless the user asks” (AGENTS.md)"
    assert (first, second) == (told, lines[1])
    assert with_former_states({"constraints": (first, second)}, ledger)["constraints"] == (first, second)
