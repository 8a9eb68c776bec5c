"""A summary without a model."""

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.extract import Known, extract
from secateur.compaction.ledger import FileEntry, Ledger, build_ledger
from secateur.compaction.ledger.entries import mark
from secateur.compaction.sentences import is_finding
from secateur.tokens import estimate

TOLD = [
    "The root cause is that `parse_header` drops the last byte because the buffer is one short.",
    "Fixed the buffer size in src/parser.c and all tests pass.",
    "Nguyên nhân là bộ đệm quá ngắn nên byte cuối bị mất.",
    "原因是缓冲区太短,所以最后一个字节丢失了。",
    "La causa es que el búfer es demasiado corto para el último byte.",
]
TALK = [
    "Let me check the patterns in the parser first:",
    "Now I'll look at the header code to understand it.",
    "Great! Now let me run the tests again to see.",
    "Để tôi xem lại mã nguồn của bộ phân tích.",
    "现在让我查看一下解析器的代码。",
    "Voy a revisar el código del analizador.",
    "The full suite is still running and has reached the parser.",
    "I have enough context to start on the parser.",
    "Would you like me to continue with the next step?",
    "## Summary of what was found in the parser",
    "It doesn't compare to the header because that line comes after it.",
    "So the parser must drop the last byte of the buffer.",
    "Maybe because the buffer was moved by the lexer.",
    "Another possible fix: the parser must not read the last byte.",
    "The second patch didn't apply because the lines had already moved.",
    "The parser is creating a new buffer instead of reusing the old one.",
    "This should work now because the buffer is longer.",
    "Instead of building the parser, let's read the header by hand.",
    "Rather than the buffer, we can change the header of the parser.",
    "I'm re-reading the parser instead of trusting the earlier copy.",
    "I've identified the first open task as the header of the parser.",
    "The output doesn't have the header that the parser must read.",
]


def test_what_closes_a_turn_has_no_proposals_and_no_talk() -> None:
    closing = [
        "Want me to write the other two tests for the parser as well?",
        "Add a check of the length before reading the header.",
        "Cons: users cannot run the parser while it is waiting.",
        "Full suite green, 11 commits on the branch by now.",
        "Good point, the parser and the lexer are confusing.",
        "Thanks for the additional context about the parser!",
        "The parser reads 4 MB in 12 ms on this machine now.",
    ]
    messages = talk(user("Fix it."), assistant(text="\n".join(closing))).messages
    assert extract(messages, Ledger(), 1_000, estimate) == {"discoveries": (f"- “{closing[-1]}”",)}


def test_a_measured_figure_is_kept_from_the_middle_of_work() -> None:
    messages = talk(
        user("Go."), *(assistant(("1", "bash", "{}"), text="The importer reaches 51200 rows/s."),) * 2
    ).messages
    assert extract(messages, Ledger(), 1_000, estimate) == {"discoveries": ("- “The importer reaches 51200 rows/s.”",)}


@pytest.mark.parametrize("told", TOLD)
def test_what_tells_something_is_kept_and_talk_about_the_work_is_not(told: str) -> None:
    messages = talk(user("Fix it."), *(assistant(("1", "bash", "{}"), text=one) for one in (*TALK, told))).messages
    sections = extract(messages, Ledger(), 1_000, estimate)
    assert [line for lines in sections.values() for line in lines] == [f"- “{told}”"]


def test_what_was_done_stands_apart_from_what_was_found() -> None:
    messages = talk(user("Fix it."), assistant(text=f"{TOLD[1]} {TOLD[0]}")).messages
    sections = extract(messages, Ledger(), 1_000, estimate)
    assert sections == {"discoveries": (f"- “{TOLD[0]}”",), "accomplished": (f"- “{TOLD[1]}”",)}


MIDWAY = [
    "There are still three callers of `parse_header` in src/lexer.py and src/main.py.",
    "The issue is in the comparison of `indent` with `level` in the second loop.",
    "The plan section has the header of `parse_header` in its third diagram.",
]


def test_what_was_so_in_the_middle_of_work_is_not_told_as_being_so() -> None:
    reason = "The issue is that `parse_header` drops a byte because the buffer is one short."
    midway = [assistant(("1", "bash", "{}"), text=one) for one in (*MIDWAY, reason)]
    messages = talk(
        user("Fix it."), *midway, assistant(text="The header of `parse_header` is in docs/format.md.")
    ).messages
    sections = extract(messages, Ledger(), 1_000, estimate)
    assert sections == {"discoveries": (f"- “{reason}”", "- “The header of `parse_header` is in docs/format.md.”")}


def test_of_the_middle_of_long_work_a_few_sentences_stay() -> None:
    found = [f"The module{n} fails because case {n * 7} of table{n} is rejected." for n in range(80)]
    messages = talk(user("Go."), *(assistant(("1", "bash", "{}"), text=one) for one in found)).messages
    assert len(extract(messages, Ledger(), 4_000, estimate)["discoveries"]) == 12


THOUGHTS = [
    "Maybe because `my_id` was moved to a new line by the first rule of the two.",
    "For `my_id` (i=2): it is on a line of its own, because the rule ran before.",
    "The second part matches `is_blank`, so continue, because it must not end here.",
    "So the choice is either a loose mode, or one that requires a rule for each name.",
    "I'd add one run of `plan` after that, because it requires no writing.",
    "Both should see the same color, because both have the same setting.",
    "If the first test looks the same, then there's an issue that is caused by the theme.",
    "**Scope:** It requires a look at staged files only.",
]


@pytest.mark.parametrize("said", THOUGHTS)
def test_steps_of_thinking_and_proposals_are_no_findings(said: str) -> None:
    assert extract(talk(user("Fix it."), assistant(text=said)).messages, Ledger(), 1_000, estimate) == {}


LEARNED = [
    "The root cause is in `copy_rows` of src/rows.py: it skips the last one.",
    "It turns out that the server closes the pipe first.",
    "The issue only happens when both flags are given.",
    "The import takes 12 seconds with the cache and 95 without.",
    "The hosted service requires the old header.",
]


@pytest.mark.parametrize("said", LEARNED)
def test_what_the_agent_learned_is_a_finding_also_midway(said: str) -> None:
    messages = talk(user("Fix it."), assistant(("1", "bash", "{}"), text=said)).messages
    assert extract(messages, Ledger(), 1_000, estimate) == {"discoveries": (f"- “{said}”",)}


def test_findings_are_few() -> None:
    said = "\n".join(f"The part{n} of module{n} fails because case {n * 7} is rejected." for n in range(80))
    messages = talk(user("Look."), assistant(text=said)).messages
    assert len(extract(messages, Ledger(), 4_000, estimate)["discoveries"]) == 12


def test_the_ledger_comes_first_and_all_of_it_fits() -> None:
    words = [
        assistant(text=f"The problem is in part {n}, because module{n} fails on input {n * 7}.") for n in range(200)
    ]
    messages = talk(user("Fix it, but never push."), *words).messages
    sections = extract(messages, build_ledger(messages), 500, estimate)
    assert sections["constraints"] == (f"- [{mark(messages[0].key)}, standing] Fix it, but never push.",)
    assert 300 < sum(estimate(line) + 1 for lines in sections.values() for line in lines) <= 500


def test_of_sentences_that_say_the_same_the_fuller_one_stays() -> None:
    more = "Added the top-level `icon` field to `package.json`, which fixes the missing icon."
    less = "Added the `icon` field to `package.json`, which fixes the missing icon."
    other = "Added the `title` field to `package.json`, which fixes the missing title."
    messages = talk(user("Fix it."), *(assistant(text=one) for one in (less, more, other))).messages
    assert extract(messages, Ledger(), 1_000, estimate)["accomplished"] == (f"- “{more}”", f"- “{other}”")


def test_tools_have_no_sentences() -> None:
    messages = talk(user("Go."), assistant(("1", "web", "{}")), result(TOLD[0], "web", "1")).messages
    assert extract(messages, Ledger(), 1_000, estimate) == {}


def test_secrets_do_not_reach_it() -> None:
    secret = "ghp_" + "a1B2" * 9
    messages = talk(user("Go."), assistant(text=f"The upload failed because the token {secret} was rejected.")).messages
    (line,) = extract(messages, Ledger(), 1_000, estimate)["discoveries"]
    assert secret not in line


SUPPOSED = [
    "The padding of the last row should be removed from the renderer of tables.",
    "I think the padding of `rows` was removed in the second commit of the branch.",
    "The blank at the end of `row_text` was added by the template of the report.",
    "When a column is moved to the front, the header takes its place in the order.",
    "A row could be created twice because the cursor is not advanced behind it.",
]


@pytest.mark.parametrize("supposed", SUPPOSED)
def test_what_is_supposed_is_not_accomplished(supposed: str) -> None:
    sections = extract(talk(user("Fix it."), assistant(text=supposed)).messages, Ledger(), 1_000, estimate)
    assert "accomplished" not in sections


@pytest.mark.parametrize(
    "done", ["Fixed the crash that could occur on empty tables.", "I've added the column that could be missing else."]
)
def test_what_was_done_about_a_possible_event_is_accomplished(done: str) -> None:
    sections = extract(talk(user("Fix it."), assistant(text=done)).messages, Ledger(), 1_000, estimate)
    assert sections == {"accomplished": (f"- “{done}”",)}


def test_what_was_done_to_a_file_that_was_edited_again_is_left_out() -> None:
    given = '{"file_path": "src/rows.py", "old_string": "a", "new_string": "b"}'
    edit = (assistant(("e", "Edit", given)), result("ok", "Edit", "e"))
    old, new = "Added a cache of parsed lines to rows.py.", "Removed the cache of parsed lines from rows.py."
    other = "Added a list of all columns to arrows.py."
    told = (user("Go."), *edit, assistant(text=f"{old} {other}"), user("Undo it."), *edit, assistant(text=new))
    assert extract(talk(*told).messages, Ledger(), 1_000, estimate) == {"accomplished": (f"- “{other}”", f"- “{new}”")}


@pytest.mark.parametrize(
    ("reply", "is_kept"),
    [
        ("No, the header comes later.", False),
        ("that's not what I see here", False),
        ("Actually it is the footer.", False),
        ("Wrong.", False),
        ("no problem, go on with the next one", True),
        ("nothing to add, now write the tests", True),
        ("Now write its tests.", True),
    ],
)
def test_what_the_user_contradicts_is_not_told(reply: str, is_kept: bool) -> None:
    said = "The table fails because its header is read twice by the parser."
    messages = talk(user("Why?"), assistant(text=said), user(reply), assistant(text="Understood.")).messages
    assert extract(messages, Ledger(), 1_000, estimate) == ({"discoveries": (f"- “{said}”",)} if is_kept else {})


def test_names_without_a_sentence_and_what_is_quoted_anyway_are_left_out() -> None:
    kept = "The parser failed because `read_row()` returned the header twice."
    quoted = "The export now writes its rows in one pass, which made it faster."
    said = ["`buildSystemPrompt()` function (orchestration only)", "`src/cli/args.ts` - Argument Parsing Module", kept]
    messages = talk(user("Mend it."), assistant(text="\n\n".join(said)), user("And?"), assistant(text=quoted)).messages
    lines = [line for some in extract(messages, Ledger(), 800, estimate, Known((quoted,))).values() for line in some]
    sentences = [line for line in lines if line.startswith("- “") and "[" not in line]
    assert sentences == [f"- “{kept}”"]


def test_of_sentences_about_the_same_deed_in_the_middle_of_work_the_newest_stays() -> None:
    words = [f"We've successfully added a stricter check to the `{name}` property." for name in ("files", "parts")]
    calls = [
        one
        for number, text in enumerate(words)
        for one in (assistant((str(number), "bash", '{"command": "ls"}'), text=text), result("a", "bash", str(number)))
    ]
    messages = talk(user("Find the cause."), *calls).messages
    assert extract(messages, Ledger(), 500, estimate)["accomplished"] == (f"- “{words[1]}”",)


LIST = (
    "What changed:\n- The reader keeps the last byte because the buffer is longer.\n- a list of rows\n"
    "- Added a test of the last byte to tests/test_reader.py.\n\n"
    "**Which store is it?**\n\n1. **Files only** - the reader doesn't need a lock for them\n"
    "2. **A table** - fails without an index on the day\n\n"
    "## Next steps\n- The cache must be cleared because it holds old rows\n\n"
    "The lock is needed because two readers share one file."
)


def test_of_a_list_its_findings_stand_alone_and_what_is_open_is_left_out() -> None:
    sections = extract(talk(user("Fix it."), assistant(text=LIST)).messages, Ledger(), 1_000, estimate)
    assert sections == {
        "discoveries": (
            "- “The reader keeps the last byte because the buffer is longer.”",
            "- “The lock is needed because two readers share one file.”",
        ),
        "accomplished": ("- “Added a test of the last byte to tests/test_reader.py.”",),
    }


CHATTER = [
    "Thanks for the additional context about the reader and its rows!",
    "Instead of installing the package, let's use the sources that are here already.",
    "I’m re-reading the current versions instead of assuming the earlier state of them.",
    "I've identified the first open task as the work on the reader of rows.",
    "However, the issue is still there because the reader is cached by the server.",
    "The structure was solid to begin with, just in need of a little care.",
    "That would test more than the reader, because the rows are written as well.",
    "Got it - the rows are not read by the server when the cache has them.",
    "The row `sum_rows` is unused because it is not called by the reader yet.",
    "Because the reader of `rows.py` had already been closed by then.",
]


@pytest.mark.parametrize("said", CHATTER)
def test_what_only_accompanies_the_work_is_no_finding(said: str) -> None:
    finding = "The reader drops rows because its buffer is one short."
    messages = talk(user("Fix it."), assistant(text=f"{said}\n{finding}")).messages
    assert extract(messages, Ledger(), 1_000, estimate) == {"discoveries": (f"- “{finding}”",)}


def test_what_others_removed_is_found_and_not_done() -> None:
    said = "The `dates` module has been removed in newer versions of the tool."
    assert extract(talk(user("Go."), assistant(text=said)).messages, Ledger(), 1_000, estimate) == {
        "discoveries": (f"- “{said}”",)
    }


def test_a_sentence_that_a_file_is_noted_with_is_not_said_again() -> None:
    edit = '{"file_path": "rows.py", "old_string": "a", "new_string": "b"}'
    said = "I've updated the reader in `rows.py` to keep the last byte of every row."
    history = [user("Fix it."), assistant(("1", "Edit", edit)), result("ok", "Edit", "1"), assistant(text=said)]
    messages = talk(*history, user("And the docs?")).messages
    lines = [line for some in extract(messages, build_ledger(messages), 2_000, estimate).values() for line in some]
    assert sum(said.removeprefix("I've ") in line for line in lines) == 1


def test_what_the_span_says_is_overtaken_by_work_behind_it() -> None:
    said = "The current table of `read_rows` fails because the header is dropped."
    given = '{"file_path": "src/rows.py", "old_string": "read_rows()", "new_string": "rows()"}'
    span = talk(user("Mend it."), assistant(("1", "bash", "{}"), text=said)).messages
    later = talk(assistant(("e", "Edit", given)), result("ok", "Edit", "e")).messages
    assert extract(span, Ledger(), 800, estimate) == {"discoveries": (f"- “{said}”",)}
    assert extract(span, Ledger(), 800, estimate, Known(later=later)) == {}


def test_deeds_are_not_told_where_calls_tell_them() -> None:
    deed, found = "Added a cache of parsed lines to rows.py.", "The cache is small because the rows are short."
    messages = talk(user("Go."), assistant(text=f"{deed} {found}")).messages
    changed = Ledger(files=(FileEntry("rows.py", "changed"),))
    assert extract(messages, Ledger(), 1_000, estimate)["accomplished"] == (f"- “{deed}”",)
    told = extract(messages, changed, 1_000, estimate)
    assert "accomplished" not in told
    assert told["discoveries"] == (f"- “{found}”",)


@pytest.mark.parametrize(
    "said",
    [
        "Because your setting is off, nothing is sent to the kitchen.",
        "It fails because the oven is still cold at that time.",
        "**Problem:** the cook cannot find the soup, because it has no label.",
        "High: the reader drops rows because the buffer is too short.",
        "The test checks the rule that I just saw, because it must hold.",
        "I could not fully run `./kitchen` because the oven is locked there.",
        "The only gap I’ve hit is the oven, which cannot be opened because it is locked.",
    ],
)
def test_what_is_told_to_the_user_of_that_moment_is_no_finding(said: str) -> None:
    assert extract(talk(user("Why?"), assistant(text=said)).messages, Ledger(), 1_000, estimate) == {}


def test_what_was_wrong_before_an_edit_is_no_finding() -> None:
    said = "The issue is that new rows have no label because the printer skips them."
    edit = '{"file_path": "src/rows.py", "old_string": "a", "new_string": "b"}'
    history = (user("Why?"), assistant(text=said))
    later = (user("Mend it."), assistant(("e", "Edit", edit)), result("ok", "Edit", "e"), assistant(text="Fine."))
    assert "discoveries" in extract(talk(*history).messages, Ledger(), 1_000, estimate)
    assert "discoveries" not in extract(talk(*history, *later).messages, Ledger(), 1_000, estimate)


def test_edits_by_tools_of_one_text_overtake_what_was_wrong_before_them() -> None:
    said = "The error is occurring because we have no tables for the rows of the cart."
    create = (
        assistant(("c", "create", '{"input": "create rows.py"}')),
        result("[File: /shop/rows.py (1 lines total)]\n1:"),
    )
    edit = assistant(("e", "edit", '{"input": "edit 1:1\\nrows = []\\nend_of_edit"}'), text=said)
    ran = result("[File: /shop/rows.py (1 lines total)]\n1:rows = []", "edit", "e")
    messages = talk(user("Why?"), *create, edit, ran, assistant(text="It works.")).messages
    assert "discoveries" not in extract(messages, Ledger(), 1_000, estimate)


def test_praise_is_no_finding() -> None:
    assert is_finding("The port is closed because the cook has no key.")
    assert not is_finding("The port is working smoothly because the cook has a key.")


@pytest.mark.parametrize(
    ("said", "is_found"),
    [
        ("`copy_rows` never closes the table.", True),
        ("The rows never reach the table.", False),  # nothing is named
        ("`copy_rows` would never close the table.", False),
        ("Using `copy_rows` never closes the table.", False),
        ("**`copy_rows`**: never closes the table.", False),  # an item of a plan or a review
        ("The table lives in src/rows.py.", True),
        ("The service rejects empty tables.", True),
    ],
)
def test_what_something_does_not_do_is_a_finding_where_it_is_named(said: str, is_found: bool) -> None:
    assert is_finding(said) is is_found


def test_what_was_said_of_a_line_by_its_number_is_told_only_while_the_talk_is_of_it() -> None:
    found = "The root cause is that `copy_rows` in store.py:170 skips the last row because it counts from one."
    talked = (user("Look at it."), assistant(text=found))
    assert "store.py:170" in str(extract(talk(*talked, user("go on")).messages, Ledger(), 900, estimate))
    later = [one for n in range(3) for one in (user(f"Write page {n}."), assistant(text=f"Page {n} is written."))]
    assert "store.py:170" not in str(extract(talk(*talked, *later).messages, Ledger(), 900, estimate))
