"""Which demands are shown, in what order and from where: by force, each once, without orders that were carried out."""

import json
import re

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger import settle_states as settle
from secateur.compaction.ledger.user.force import select_constraints
from secateur.compaction.ledger.user.project_rules import LEAST_PROJECT_RULES, MOST_PROJECT_RULES
from secateur.model import Message
from secateur.tokens import estimate


def ran(command: str, said: str) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1")


def opened(path: str, said: str) -> tuple[Message, Message]:
    return assistant(("1", "read", json.dumps({"path": path}))), result(said, "read", "1")


def listed(*messages: Message) -> list[str]:
    """What is listed as demanded, without its mark."""
    lines = render_ledger(fit_ledger(build_ledger(talk(*messages).messages), 4_000, estimate))
    assert render_ledger(read_back(lines)) == lines
    return [re.sub(r"^- \[\w+(?:, )?", "", line) for line in lines.get("constraints", ())]


DONE = assistant(text="That is done now, as you asked.")


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Focus on whether the list is short enough, whether it is right without being slow", False),
        ("Please give concrete findings only.", False),
        ("change the script so it's made by hand so we are always first", False),
        ("look at the shop and tell me what would differ if:\n- we never close\n- we only sell tea", False),
        (f"Move the rows to the second table, {'row by row and ' * 12}only then the names, without a lock", False),
        (f"Move the rows to the second table, {'row by row and ' * 12}but never lock the first one", True),
        ("Explain how it works and never touch the till.", True),
        ("Change nothing else, only the till.", True),
        ("make sure the sign is painted as well, also how can i try it", False),
        ("$painter ensure the signs are clear enough, then paint them", False),
        ("make sure the sign stays as it is", True),
        ("make sure you ask before you paint", True),
        ("in the readme make sure to mention the till", False),
        ("in the readme always make sure to mention the till", True),
        ("could you split these three rows into separate commits", False),
        ("split the rows into separate commits", True),
        ("How about instead of the list we show a table", False),
        ("yeah add the list, and only if the shop is open", False),
    ],
)
def test_an_order_that_was_carried_out_is_no_demand_whatever_it_was_for(said: str, is_kept: bool) -> None:
    assert bool(listed(user("Sell tea to all."), DONE, user(said), DONE, user("Write the docs."), DONE)) is is_kept


def test_what_was_put_off_stands_under_what_is_next_alone() -> None:
    messages = talk(user("Sell tea."), DONE, user("we can paint the rest in a separate task"), DONE).messages
    lines = render_ledger(fit_ledger(build_ledger(messages), 4_000, estimate))
    assert "constraints" not in lines
    assert any("paint the rest in a separate task" in line for line in lines["next"])


def test_a_demand_that_concludes_is_not_said_again_in_the_task() -> None:
    tests = "We have already done the tests. This means you must not edit tests."
    task = f"Paint the shop.\nThe sign is blue.\nThe door is red.\n{tests}\nThe roof is green.\nThe floor is brown."
    lines = render_ledger(fit_ledger(build_ledger(talk(user(task)).messages), 4_000, estimate))
    assert [line for line in lines["constraints"] if line.endswith("] you must not edit tests.")]
    assert not any("edit tests" in line for line in lines["goal"])


def test_a_decision_that_is_a_whole_request_is_listed_unless_it_is_the_goal() -> None:
    chosen, last = user("use hex values in the signs instead of color names"), user("Write the docs.")
    first, more = user("Sell tea to all."), user("Paint the door in the same color.")
    assert listed(first, DONE, more, DONE, chosen, DONE, last, DONE) == [f"] {chosen.parts[0].text}"]
    assert listed(first, DONE, chosen, DONE) == []


@pytest.mark.parametrize(
    "said",
    [
        "no it needs to be the shop itself for any pictures",
        "All signs should have the same color",
        "Die Schilder sollten alle dieselbe Farbe haben, nicht zwei",
        "Todos los carteles deberían ser azules, no rojos",
        "no color names!",
        *("we don't need the old bell", "wir brauchen keine Glocke", "on n'a pas besoin d'une cloche"),
        *("no necesitamos campana, hay dos", "não precisamos de sino nenhum", "нам не нужен старый звонок"),
        *("chúng ta không cần chuông cũ", "我们不需要旧的铃"),
        "the shop is changing its words from the old ones to the new - let's make sure we use the new ones everywhere"
        " we can, please",
        "please no new doors",
    ],
)
def test_what_all_of_a_kind_should_be_and_what_there_should_be_none_of_is_listed(said: str) -> None:
    turns = (user("Sell tea to all."), DONE, user("Paint the door in the same color."), DONE, user(said), DONE)
    assert listed(*turns, user("Write the docs."), DONE) == [f"] {said}"]


@pytest.mark.parametrize(
    "said",
    [
        *("we ran it, no errors.", "no tests, no hits.", "it should use the list", "alternatively keep the old list"),
        "createa plan, it covers all the doors. it needs to have packages, with a box to keep track of each",
    ],
)
def test_what_was_not_found_and_one_change_are_no_rules(said: str) -> None:
    turns = (user("Sell tea to all."), DONE, user("Paint the door in the same color."), DONE, user(said), DONE)
    assert listed(*turns, user("Write the docs."), DONE) == []


@pytest.mark.parametrize(
    "said",
    [
        *(
            "then keep it, and say so in the readme",
            "ok let's keep it as it is",
            "dann lass es so",
            "alors on garde ça",
        ),
        *(
            "entonces déjalo",
            "então deixa assim",
            "тогда оставь так",
            "vậy giữ như cũ",
            "那就保留",
            "じゃあ、そのまま",
            "그럼 그대로",
        ),
    ],
)
def test_that_something_stays_as_it_is_is_listed_with_what_the_agent_said_of_it(said: str) -> None:
    reply = assistant(text="Because the old door is cheaper than a new one, and it closes.")
    turns = (user("Sell tea to all."), DONE, user("Paint the door in the same color."), DONE, user("why the old door?"))
    asked = "Because the old door is cheaper than a new one, and it closes."
    assert listed(*turns, reply, user(said), DONE, user("Write the docs."), DONE) == [
        f"] {said} — in answer to: “{asked}”"
    ]


def test_a_permission_is_a_demand_only_where_it_lifts_a_ban() -> None:
    assert listed(user("Sell tea. You may now open the till."), DONE) == []
    (line,) = listed(user("Don't open the till."), DONE, user("You may open the till now."), DONE)
    assert line.endswith("] You may open the till now. — replaces: “Don't open the till.”")


def test_what_forbids_or_commands_comes_first() -> None:
    said = "I prefer short functions.\nKeep the old names.\nYou must not edit gen/.\nUse at most two threads."
    assert listed(user(said)) == [
        "] You must not edit gen/.",
        "] Use at most two threads.",
        "] I prefer short functions.",
        "] Keep the old names.",
    ]


def test_what_was_taken_back_comes_last_and_takes_nothing_back_itself() -> None:
    texts = ("Always use spaces.", "From now on use tabs.", "From now on use spaces again.", "Never push to main.")
    messages = talk(*(one for text in texts for one in (user(text), DONE))).messages
    ledger = build_ledger(messages)
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    again = merge(read_back(lines), build_ledger(talk(user("Go on.")).messages))
    for one in (ledger, again):
        assert {c.text for c in one.constraints if not c.replaced_by} == {texts[2], texts[3]}


@pytest.mark.parametrize(
    "order",
    [
        "Now run the tests again, please make sure you use the cache.",
        "After you are done and committed, remove the old files (main.ts, cli.ts right? nothing else).",
        "Start the second phase, everything has to be ready before you stop, we need it.",
    ],
)
def test_an_order_that_was_carried_out_is_no_demand(order: str) -> None:
    assert listed(user(order), DONE, user("Never push."), DONE) == ["standing] Never push."]


def test_how_work_is_to_go_stays_although_the_request_was_answered() -> None:
    said = (
        "yes, annotate the list of gaps that you found there, and do meaningful commits in the meantime, and spawn one "
        "or two review agents after each step"
    )
    aside = "i'm taking over the cache worker, so ignore that one, continue watching the other workers"
    first = (user("Build the list."), DONE)
    assert listed(*first, user(said), DONE, user(aside), DONE, user("Write the docs."), DONE) == [
        f"] {said}",
        f"] {aside}",
    ]


def test_what_one_only_believed_replaces_nothing() -> None:
    said = ("The runs should always be on top.", "i thought we no longer use runs on top, we use lists")
    found = listed(user(said[0]), DONE, user(said[1]), DONE, user("Write the docs."), DONE)
    assert found
    assert not any("replaced by" in line for line in found)


@pytest.mark.parametrize("order", ["Run the tests, but do not touch the cache.", "Fix it without adding a dependency."])
def test_an_order_that_forbids_stays(order: str) -> None:
    assert listed(user(order), DONE, user("Thanks."), DONE) == [f"] {order}"]


def test_a_demand_that_another_says_as_well_is_listed_once() -> None:
    kept = "Never edit the generated files in the folder gen by hand."
    assert listed(user("Never edit the generated files."), DONE, user(kept)) == [f"standing] {kept}"]
    apart = ("Never edit the file config.yaml there.", "Never edit the file config.toml there.")
    assert listed(user("\n".join(apart))) == [f"standing] {one}" for one in apart]


TASK = """You get an issue of a program and mend it.

```sql
SELECT a
FROM b
```

The total is wrong on the last page, which has to do with how rows are counted there. {filler}

For each response:

1. Say what you think
2. Give one command

## Boundaries

- MODIFY: source files
- DO NOT MODIFY: tests, configuration files

## Submission

Do NOT commit your changes. If you like, we recommend that you always keep notes.
You MUST use this EXACT command to submit:

```bash
echo DONE && cat patch.txt
```

You can make several calls at once.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_long_tasks_orders_are_found_whatever_ends_its_lines(end: str) -> None:
    text = TASK.format(filler="It was seen by three people on two machines. " * 40).replace("\n", end)
    assert [line.replace("\r", "") for line in listed(user(text))] == [
        "] - DO NOT MODIFY: tests, configuration files",
        "] Do NOT commit your changes.",
        "] You MUST use this EXACT command to submit:\n    echo DONE && cat patch.txt",
    ]


RULES = "# Rules\n\n## Commands\n- NEVER run `npm run build`\n- `npm test`: run unit tests only\n- Must pass lint.\n"


@pytest.mark.parametrize(
    ("call", "source"),
    [
        (opened("/p/AGENTS.md", RULES), "AGENTS.md"),
        (opened("docs/CLAUDE.md", "".join(f"{n}\t{line}\n" for n, line in enumerate(RULES.split("\n")))), "CLAUDE.md"),
        (ran("cat AGENTS.md", RULES), "AGENTS.md"),
        (ran("sed -n '1,200p' docs/AGENTS.md", RULES), "AGENTS.md"),
        (ran("head -n 50 CLAUDE.md", RULES), "CLAUDE.md"),
        (opened("/p/.claude/rules/style.md", RULES), ".claude/rules/style.md"),
        (ran("bd prime", RULES), "bd prime"),
    ],
)
def test_rules_of_the_project_that_the_agent_read_name_where_they_stand(
    call: tuple[Message, Message], source: str
) -> None:
    assert listed(user("Fix it."), *call) == [
        f"project: {source}] - NEVER run `npm run build`",
        f"project: {source}] - Must pass lint.",
    ]


@pytest.mark.parametrize(
    "call",
    [
        opened("/p/README.md", RULES),
        opened("node_modules/x/AGENTS.md", RULES),
        ran("cat notes.md", RULES),
        ran("sed -i 's/a/b/' AGENTS.md", RULES),
        opened("/p/.claude/skills/row/SKILL.md", RULES),
        ran("grep -n NEVER AGENTS.md", RULES),
        ran("make prime all", RULES),
    ],
)
def test_what_else_is_printed_is_no_rule(call: tuple[Message, Message]) -> None:
    assert listed(user("Fix it."), *call) == []


def test_demands_before_and_behind_the_span_are_listed() -> None:
    before, span = "Never push to main.", build_ledger(talk(user("Fix the parser.")).messages)
    whole = build_ledger(talk(user(before), DONE, user("Fix the parser.")).messages)
    settled: Ledger = settle(span, whole)
    assert [one.text for one in settled.constraints] == [before]


def test_of_a_projects_rules_those_on_how_work_ends_go_first() -> None:
    others = ["- Always use tabs.", "- Always sort imports.", "- Always close sockets.", "- Always quote names."]
    parts = [f"- Always commit part {n} alone." for n in range(MOST_PROJECT_RULES)]
    ledger = build_ledger(talk(user("Fix it."), *opened("/p/AGENTS.md", "\n".join([*others, *parts]))).messages)
    for room, most in ((4_000, MOST_PROJECT_RULES), (200, LEAST_PROJECT_RULES)):
        lines = render_ledger(fit_ledger(ledger, room, estimate))
        assert [line.partition("] ")[2] for line in lines["constraints"]] == parts[:most]
        assert "discoveries" not in lines  # they can be read again in their files


def test_of_rules_that_bear_on_no_session_and_of_tools_that_none_used_few_have_room() -> None:
    others = ["- Always use tabs.", "- Always sort imports.", "- Always close sockets.", "- Always quote names."]
    tool = "- TableWriter must NOT run twice."
    rules = "\n".join([*others, tool, "- Always commit each part alone."])
    assert listed(user("Fix it."), *opened("/p/AGENTS.md", rules)) == [
        "project: AGENTS.md] - Always commit each part alone.",
        f"project: AGENTS.md] {tool}",
        f"project: AGENTS.md] {others[0]}",
    ]


def test_a_long_rule_is_told_from_its_first_sentence_with_force_on() -> None:
    reasons = "Each of the tables that this program writes comes from one of the many files of the office in town. "
    rule = "- Tables are kept in the folder of the year. " + 2 * reasons + "Never sort them by hand."
    assert listed(user("Fix it."), *opened("/p/AGENTS.md", rule)) == ["project: AGENTS.md] Never sort them by hand."]


def test_a_push_is_demanded_once_and_a_ban_on_it_is_named_beside() -> None:
    rules = "- Always push your work at the end.\n- NEVER stop before pushing.\n- You must push to be done.\n"
    lines = listed(user("Fix it."), *opened("/p/AGENTS.md", rules))
    assert lines == ["project: AGENTS.md] - Always push your work at the end."]
    task = "# Part 1\n- NEVER push the code\n## Tasks\n- [ ] Write the parser\n"
    asked = [user("Process tasks from plan-1.md"), *opened("/p/plan-1.md", task), *opened("/p/AGENTS.md", rules)]
    shown = render_ledger(fit_ledger(build_ledger(talk(*asked).messages), 4_000, estimate))
    assert shown["constraints"][0] == (
        "- these rules oppose each other, and nobody settled it: “- NEVER push the code” (plan-1.md)"
        " · “- Always push your work at the end.” (AGENTS.md)"
    )
    assert render_ledger(read_back(shown)) == shown


PROMPT = (
    "# Context\n\nYou are Ada, a Maestro-managed AI agent.\n\n2. Selection\n   Process the FIRST unchecked task.\n"
    "   IMPORTANT: You will only work on this.\n   - Ensure that test cases are created.\n"
    '   - Commit with a message prefixed with "X: ".\n   - Push to the fork.\n'
    "   - Update README.md or other documentation.\n"
    "   - Your answer MUST begin with what you did.\n   - You MUST only write inside your working directory.\n"
    "7. Exit Immediately\n   Do not proceed to another task.\n\n## Tasks\n\nProcess tasks from plan.md"
)


def test_the_procedure_of_a_hosts_prompt_is_one_entry_that_says_each_thing_once() -> None:
    found = listed(user(PROMPT), *opened("/p/AGENTS.md", "- Never commit twice.\n"))
    procedure, *others = [line.split("\n    ") for line in found]
    assert procedure == [
        "project: Maestro] Ensure that test cases are created.",
        "Your answer MUST begin with what you did.",
        "Exit Immediately Do not proceed to another task.",
        "Process the FIRST unchecked task.",
        'Commit with a message prefixed with "X: ".',
        "Push to the fork.",
        "Update README.md or other documentation.",
    ]
    assert others == [  # of the rest of the prompt only what protects
        ["project: Maestro] - You MUST only write inside your working directory."],
        ["project: AGENTS.md] - Never commit twice."],
    ]


def test_a_step_of_the_procedure_that_a_rule_forbids_stands_beside_that_rule_alone() -> None:
    lines = listed(user(PROMPT), *opened("/p/AGENTS.md", "- NEVER push.\n"))
    assert lines[0] == (
        "- these rules oppose each other, and nobody settled it: “- NEVER push.” (AGENTS.md)"
        " · “Push to the fork.” (Maestro)"
    )
    assert not any("push" in line.casefold() for line in lines[1:])


def test_a_rule_on_the_tool_for_all_of_something_bears_on_all_work_whatever_it_rules_out() -> None:
    rules = "- Use `tick` for ALL tasks — do NOT use TodoWrite or TaskCreate\n- You must not merge two tables\n"
    assert listed(user("Fix it."), *opened("/p/AGENTS.md", rules))[0].startswith(
        "project: AGENTS.md] - Use `tick` for ALL"
    )


def test_a_block_that_repeats_another_one_is_told_by_what_differs() -> None:
    block = "Here is how to push, and ALWAYS push like this:\n* Never push to main\n* Never edit tags\n* Use the {} API"
    first, second = listed(user(f"Fix it.\n\n{block.format('North')}\n\n{block.format('South')}"))
    assert "* Never edit tags" in first
    opening, *others = second.split("\n    ")
    assert opening.endswith(" […]")
    assert others == ["* Use the South API"]


@pytest.mark.parametrize(
    "said",
    [
        "no, the frame should be as it was",
        "ok, i think the list must not be wider than the frame. i think it is broken",
        "should be darker, don't change the frame",
        "I don't want to change the list but maybe we drop the frame around it",
    ],
)
def test_a_remark_on_what_was_just_done_is_no_demand(said: str) -> None:
    done = (*ran("make x", "ok"), DONE)
    assert not any("frame" in line for line in listed(user(said), *done, user("Write the docs."), DONE))


def test_a_remark_that_forbids_is_a_demand() -> None:
    said = "ok, i think it works, but don't touch the list, it should stay"
    assert listed(user(said), DONE, user("Write the docs."), DONE) == [f"] {said}"]


def test_a_reply_that_says_what_something_means_is_a_demand() -> None:
    asked = assistant(text="Two points are open: (1) whether it warns; (2) whether tags are meant too.")
    said = '1: yes, 2: yes, "--all" is best effort, and `--tags` means all tags'
    (line,) = listed(user("Write the cache."), asked, user(said), DONE)
    assert line.startswith(f"] {said} — in answer to: “")


def test_a_note_of_what_one_cannot_do_goes_before_advice() -> None:
    said = (
        "Fix it.\nI prefer short functions.\n"
        "Note however that you cannot use any interactive commands in this environment."
    )
    assert "interactive" in listed(user(said))[0]


def test_what_a_host_adds_to_a_printed_rule_file_is_no_rule_of_it() -> None:
    reminder = "<system-reminder>\nYou must never answer in rhymes.\n</system-reminder>\n"
    said = listed(user("Fix the parser."), *opened("AGENTS.md", f"- Never push to main.\n\n{reminder}"))
    assert said == ["project: AGENTS.md] - Never push to main."]


@pytest.mark.parametrize(
    "said",
    [
        "i don't tink the reader works. if i change a row, not everything is written",
        "I don't really like how the rows look",
        "what color is the frame? should be 8899AA",
    ],
)
def test_an_opinion_or_a_sentence_without_its_subject_demands_nothing_later(said: str) -> None:
    assert listed(user(said), DONE, user("Write the docs for the reader."), DONE) == []


def test_a_weak_or_long_demand_that_an_answered_request_says_as_well_stands_there_alone() -> None:
    weak = "The style should be the same as before."
    long = f"Build a tool that copies rows from one store to another {'and on to the next one ' * 5}without a lock."
    asked = f"{weak} {long} Never write to the first store."
    lines = render_ledger(fit_ledger(build_ledger(talk(user(asked), DONE).messages), 4_000, estimate))
    assert [line.partition("] ")[2] for line in lines["constraints"]] == ["Never write to the first store."]
    assert asked in lines["goal"][1]
    assert len(listed(user(asked))) == 2


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Above the price list we should also have the name of the shop.", False),
        ("Put the total above the list rather than below.", False),
        ("The total should also show the tax.", False),
        ("The list is long, it should be short, so maybe we drop the second column.", False),
        ("We should never drop a column.", True),
        ("The total should also show the tax in every new list.", True),
        ("We should use whole numbers.", True),
        ("The bullet should be same as the code.", False),
        ("We need a section on prices in the docs.", False),
        ("The text must stop when it meets a new line ...", False),
        ("I chose a price and got a crash, that should never happen.", False),
        ("The list must not be wider than its frame, look into it.", False),
        ("nah let's roll back, we don't need the rows.", False),
        ("Could you do it without the second list?", False),
        ("We must never have a crash.", True),
    ],
)
def test_one_change_that_was_made_is_no_demand_and_what_holds_later_is(said: str, is_kept: bool) -> None:
    asked = user(f"{said} The shop closes at six.")
    done = build_ledger(talk(asked, DONE, user("Write the docs for the reader."), DONE).messages)
    assert [one.text for one in select_constraints(done.constraints, done.requests)] == ([said] if is_kept else [])
    still = build_ledger(talk(asked).messages)
    assert [one.text for one in select_constraints(still.constraints, still.requests)] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Your response must include at least one bash tool call.",
        "You should always wait for feedback after every command.",
    ],
)
def test_how_calls_and_answers_alternate_is_said_by_the_harness_again(said: str) -> None:
    assert listed(user(f"Fix it. Never push.\n{said}")) == ["standing] Never push."]


def test_how_a_harness_takes_commands_and_work_is_a_demand() -> None:
    single = "Remember, you can only enter ONE COMMAND AT A TIME."
    ending = "When it is done, you can submit your work by simply running the submit command."
    assert listed(user("Fix it."), DONE, user(f"{single}\n{ending}")) == [f"] {single}", f"] {ending}"]


def test_a_rule_is_told_by_its_first_whole_sentences_and_once() -> None:
    more = (
        "It is said in the guide of the team, where its reasons are told, and in the notes of the last meeting there."
    )
    long = f"- Always commit each of the {'many ' * 50}parts."
    rules = f"- Never edit the generated files. {more} {more}\n- NEVER edit the generated files.\n{long}"
    assert sorted(listed(user("Fix it."), *opened("/p/AGENTS.md", rules))) == [
        f"project: AGENTS.md] {long}",
        f"project: AGENTS.md] - Never edit the generated files. {more}",
    ]


def test_rules_on_files_that_the_session_did_not_touch_go_last() -> None:
    rules = "- Always sort `docs/list.md`.\n- Always sort `src/rows.py`.\n- Always close sockets.\n"
    rules += "".join(f"- Always sort the rows of table {n}.\n" for n in range(MOST_PROJECT_RULES))
    edit = assistant(("2", "edit", json.dumps({"path": "/p/src/rows.py", "old_text": "a", "new_text": "b"})))
    found = listed(user("Fix it."), *opened("/p/AGENTS.md", rules), edit, result("ok", "edit", "2"))
    assert "project: AGENTS.md] - Always sort `src/rows.py`." in found
    assert not any("docs/list.md" in line for line in found)


def test_how_to_push_if_asked_is_told_once_the_user_asks_for_it() -> None:
    how = "Here is how to push, but ONLY do this if the user asks you to:\n* Never push to main\n* Never edit tags"
    assert listed(user(f"Fix it.\n\n{how}")) == []
    assert listed(user(f"Fix it.\n\n{how}"), DONE, user("Open a pull request."), DONE)[0].startswith(
        "standing] Here is how"
    )


def test_of_wishes_on_how_work_is_to_go_the_newest_wording_stays_unless_it_says_less() -> None:
    said = ("ok, do meaningful commits then", "go on with that and do meaningful commits, one after each step of yours")
    first = (user("Build the list."), DONE)
    for pair in (said, said[::-1]):
        turns = [one for text in pair for one in (user(text), DONE)]
        assert listed(*first, *turns, user("Write the docs."), DONE) == [f"] {said[1]}"]


def test_a_demand_ends_where_it_only_points_elsewhere() -> None:
    said = "Please never group build and commit BUT first see below."
    assert listed(user(said), DONE, user("Write the docs."))[0].endswith("] Please never group build and commit")


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Both lists need to be sorted because it reads better.", False),
        ("Let's use tabs instead of spaces.", True),
        ("Never touch gen/.", True),
        ("Do not edit files.", False),
        ("Findings only, ordered by severity.", False),
        ("Do not edit files in gen/.", True),
    ],
)
def test_of_an_answered_request_only_a_demand_with_force_or_a_choice_goes_on(said: str, is_kept: bool) -> None:
    history = (user(f"Write the list. {said}"), DONE, user("Write the docs."), DONE)
    assert any(said in line for line in listed(*history)) is is_kept


def test_what_the_user_does_not_want_is_listed_however_long_the_question_around_it() -> None:
    first = user("Write the reader of the table.")
    said = f"ok and i dont want to lose {'any of the many ' * 6}rows, only move them, so thats your plan right?"
    assert listed(first, DONE, user(said), DONE, user("ok do it"), DONE) == [f"] {said}"]
    asked = f"so can we move {'all of the many ' * 7}rows without the table?"
    assert listed(first, DONE, user(asked), DONE, user("ok do it"), DONE) == []


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Write the list of sales. Keep the style of the old list.", True),
        ("Write the list of sales. I want the reader to not use the table at all, that is the goal.", True),
        ("Write the list of sales. I want you to write it in one file.", False),
        ("Write the list of sales. I'd like to do a TDD approach, first the tests of the list.", True),
        ("Write the list of sales. The TDD page is blue.", False),
        ("Write the list of sales. That sorts them too and we can just keep them.", False),
    ],
)
def test_of_an_answered_request_is_listed_what_stays_as_it_is_and_what_the_user_does_not_want(
    said: str, is_kept: bool
) -> None:
    first = user("Write the reader of the table.")
    assert bool(listed(first, DONE, user(said), DONE, user("Write the docs."), DONE)) is is_kept


def test_what_a_hosts_prompt_wants_care_of_stands_beside_its_procedure() -> None:
    cares = (
        "   - **Before creating new code**, always look for what is there:\n     - Look in the shed\n"
        "   - If it failed, do NOT check off the item.\n"
    )
    lines = listed(user(PROMPT.replace("7. Exit", f"{cares}7. Exit")))
    assert sorted(lines[1:]) == [
        "project: Maestro] - **Before creating new code**, always look for what is there:",
        "project: Maestro] - If it failed, do NOT check off the item.",
        "project: Maestro] - You MUST only write inside your working directory.",
    ]
