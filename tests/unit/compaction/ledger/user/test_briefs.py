"""A long request by its decisive sentences: whole ones, in order, those first that say what is to be done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation import talk, user
from secateur.compaction.ledger import build_ledger
from secateur.compaction.ledger.user.brief_units import GAP, drop_code, split_units
from secateur.compaction.ledger.user.briefs import condense_request, find_decisive_sentence

FILLER = "The table was made in spring and has had the same columns since that time. "
SENTENCES = st.lists(
    st.sampled_from([
        "Your task is to add a flag.", "It was seen on two machines.", "## Notes", "1. Find the file.", "<issue>",
        "def f(x): return {x}", "```\ncode\n```", "Never push.", "Vì vậy hãy sửa nó.", "请修复它。", "",
        "    at x(y.js:1)",
    ])
    | st.text(max_size=30),
    max_size=60,
).map("\n".join)  # fmt: skip


@given(SENTENCES, st.integers(20, 400))
def test_it_is_no_longer_than_asked_and_every_line_is_of_the_text(text: str, room: int) -> None:
    made = condense_request(text, room)
    assert len(made) <= max(room, 0) + 2 * len(GAP) + 4
    for line in made.split("\n"):
        assert all(piece.strip() in text for piece in line.strip().split(". ")) or line == GAP


def test_a_short_request_stays_as_it_is() -> None:
    assert condense_request("Do  this.\n\nThen that.", 100) == "Do  this.\n\nThen that."


def test_the_task_and_what_is_expected_outlive_what_surrounds_them() -> None:
    text = "\n".join([
        "<report>", "Totals are wrong on the last page", "It was found in spring.", FILLER * 6,
        "Traceback (most recent call last):", '  File "a.py", line 3, in f', "    raise E", FILLER * 6,
        "## Expected", "The total should be 12.", "## Environment", "- OS: Linux", FILLER * 6,
        "Your task is to change the rows, not the tests.", FILLER * 6, "Thanks a lot, have fun.",
    ])  # fmt: skip
    made = condense_request(text, 320)
    assert made.startswith("Totals are wrong on the last page\nIt was found in spring.\n[…]\n")
    assert "## Expected\nThe total should be 12.\n" in made
    assert "Your task is to change the rows, not the tests." in made
    assert not any(word in made for word in ("Traceback", "a.py", "OS: Linux", "<report>"))


def test_the_numbered_headings_of_a_plan_stay_whole_and_without_what_stands_below_them() -> None:
    steps = [f"### {n}. Change part `{n}` of the table\n\n{FILLER * 4}" for n in range(1, 6)]
    made = condense_request("\n\n".join(["Carry out this plan:", "## Context", FILLER * 4, *steps]), 500)
    assert [line for line in made.split("\n") if line.startswith("###")] == [
        f"### {n}. Change part `{n}` of the table" for n in range(1, 6)
    ]


def test_what_is_said_again_is_left_out() -> None:
    said = f"The totals on the last page are wrong.\n\n```\nrow = total(3)\n```\n\n{FILLER}"
    made = condense_request(f"{said}\n\n{said}\n\n{FILLER * 8}\n\nPlease fix them.", 300)
    assert made.count("The totals on the last page are wrong.") == made.count("row = total(3)") == 1
    assert made.endswith("Please fix them.")


def test_short_code_stays_with_the_line_that_opens_it() -> None:
    text = f"Given this query:\n```sql\nSELECT a\n```\n{FILLER * 20}\nDone."
    assert "Given this query:\n```sql\nSELECT a\n```\n" in condense_request(text, 300)


def test_where_nothing_has_room_the_ends_are_kept() -> None:
    assert condense_request("word " * 200, 60).startswith("word word")


def test_a_whole_decisive_sentence_stands_for_a_request() -> None:
    asked = f"I have sent a file.\n{GAP}\nFix the totals on the last page.\nThey are wrong.\n{GAP}"
    assert find_decisive_sentence(asked) == "Fix the totals on the last page."
    assert find_decisive_sentence("Do it.") == "Do it."


def test_neither_code_nor_a_fragment_stands_for_a_request() -> None:
    steps = "**To Reproduce**\nSteps to reproduce the behavior:\n```\n$ git clone x\n$ make html\n```\n"
    assert find_decisive_sentence(steps * 3) == ""
    assert find_decisive_sentence(f"{steps}You are going to fix the translation of captions.") == (
        "You are going to fix the translation of captions."
    )
    assert find_decisive_sentence("Fix " + "the totals and " * 40) == ""


@pytest.mark.parametrize(
    "frame",
    [
        "Now, you're going to solve this issue on your own.",
        "Can you help me implement the necessary changes so that the requirements in the description are met?",
    ],
)
def test_a_sentence_that_fits_any_task_does_not_say_what_the_user_waits_for(frame: str) -> None:
    asked = f"The totals on the last page are wrong.\n{frame}\n" + "It happens with every print.\n" * 20
    assert find_decisive_sentence(asked) == ""
    assert find_decisive_sentence(f"{asked}Please mend the totals.") == "Please mend the totals."


def test_the_things_that_a_line_announces_by_their_number_stay_together() -> None:
    filler = "\n".join(
        f"The weather of the {n} days before was said to be mild and dry in the north." for n in range(60)
    )
    items = "The driver decodes each field by itself.", "The deletion selects all of the fields."
    said = f"There appear to be two issues here:\n{items[0]} Much more.\n{items[1]}"
    text = f"Make deletion fast.\n{filler}\n{said}\n{filler}"
    shortened = condense_request(f"{text}\nFixing issue (2) would improve it.", 600)
    assert all(one in shortened for one in items)


def test_leave_to_think_for_long_is_no_part_of_the_task() -> None:
    text = "\n".join(["Make deletion fast.", *["It is slow today."] * 40, "Your thinking should be thorough."])
    assert "thinking" not in condense_request(text, 300)


ISSUE = f"""There is a project in ./dates. Here is the issue text:
<issue_description>
Dates of leap years are read wrongly

## Description
The reader takes the last day of February for the first of March, and nobody saw it. {FILLER * 3}

## Observed behavior
We get the first of March in every second year that has such a day.

```
1 29 True
2 30 False
3 31 True
4 32 False
5 33 True
6 34 False
7 35 True
8 36 False
```

### Versions
dates 5.2.1
Reader 3.8.10 (default, Mar 13 2023)
</issue_description>

You will be asked to mend it. Your task is to change the reader, and nothing else of it.

## Response format
Each answer has a thought. Each answer has a call.

Instructions for publishing, but ONLY if the user asks for it:
* Create a branch with a better name
* Use the main branch as the base
{FILLER * 3}
"""


def test_a_quoted_issue_is_told_by_what_it_says_first_and_not_by_versions_or_formats() -> None:
    made = condense_request(ISSUE, 700)
    for told in (
        "Dates of leap years are read wrongly",
        "The reader takes the last day of February for the first of March",
        "We get the first of March in every second year",
        "Your task is to change the reader, and nothing else of it.",
    ):
        assert told in made
    for noise in ("5.2.1", "3.8.10", "29 True", "Each answer", "better name", "the base"):
        assert noise not in made


def test_a_section_of_versions_ends_with_its_tag_or_heading() -> None:
    text = f"<report>\nIt is slow.\n### Versions\na 1.0\n</report>\nMend the reader of rows.\n{FILLER * 9}"
    assert "Mend the reader of rows." in condense_request(text, 200)
    assert "a 1.0" not in condense_request(text, 200)


def test_steps_to_follow_and_how_to_submit_outlive_how_it_is_reproduced() -> None:
    text = "\n".join([
        "Totals are wrong.", "## To Reproduce", "Steps to reproduce:", "1. Open the shop.", "2. Add a lamp.",
        "3. Press pay.", FILLER * 8, "Follow these steps:", "1. Read the totals module.", "2. Write a script.",
        "3. Edit the rows.", "4. Check the last page.", "5. Look at odd pages.", FILLER * 4,
        "When you're satisfied with the rows, you can submit your work by running the submit command.", FILLER * 4,
    ])  # fmt: skip
    made = condense_request(text, 480)
    steps = ("1. Read the totals", "2. Write", "3. Edit", "4. Check", "5. Look")
    assert all(step in made for step in (*steps, "by running the submit command."))
    assert "Press pay" not in made


def test_what_holds_in_such_a_case_only_is_no_end_of_a_request() -> None:
    text = f"Fix the totals.\n{FILLER * 8}\nIf the login fails, the token is old. In such case, update the address."
    assert "update the address" not in condense_request(text, 200)


def test_a_piece_that_goes_on_what_is_left_out_is_left_out() -> None:
    text = (
        f"Your task is to fix the reader.\n{FILLER * 20}\n\n"
        "The token gives you leave to work with\nthe other store.\n\n"
        f"gives\n```\n{'1 True' * 90}\n```\n{FILLER * 20}\nThank you."
    )
    for room in range(80, 400, 8):
        made = condense_request(text, room).split("\n")
        assert "gives" not in made
        assert "the other store." not in made or "The token gives you leave to work with" in made


HARNESS = """ISSUE:
Sums of Q are wrong

The sum of more than two is counted as if there were one. {filler}

>>> Sum(Q(1)).count()
1
>>> Sum(Q(1) + Q(1)).count()
0

### How to Reproduce

```python
{code}
```

INSTRUCTIONS:
Now, you're going to solve this on your own. Your session has started in the root of the repository.
When you're satisfied with your changes, you can submit them by running the submit command.

IMPORTANT TIPS:
1. Start by trying to replicate it.
2. Instead of scrolling, use the goto command. It is much quicker.
"""


def test_of_a_harness_only_how_work_is_handed_in_stands_behind_the_issue_that_it_quotes() -> None:
    code = "\n".join(f"print(Sum(Q({n})).count(), 'of', {n})" for n in range(12))
    text = HARNESS.format(filler="It was seen by three people on two machines. " * 12, code=code)
    told = condense_request(text, 1_400)
    assert "Sums of Q are wrong" in told
    assert "goto" not in told
    assert "replicate" not in told
    assert "session has started" not in told
    assert "submit them by running the submit command" in told
    assert code in told
    assert ">>> Sum(Q(1)).count()\n1\n>>> Sum(Q(1) + Q(1)).count()\n0" in told


def test_instructions_of_the_users_own_are_no_harness() -> None:
    text = (
        f"The parser is slow. {'It was seen by many people. ' * 30}\n## Instructions\nUse the new reader in the shop."
    )
    assert "Use the new reader in the shop." in condense_request(text, 300)


def test_what_the_user_asks_outlives_what_only_describes() -> None:
    text = f"{'The first rows are as they were. ' * 20}\nThe others are not shown, though?\n{'They were there. ' * 20}"
    assert "The others are not shown, though?" in condense_request(text, 200)


def test_code_that_reproduces_it_stays_whole_behind_a_label() -> None:
    code = "\n".join(f"SELECT a{n} FROM rows_of_the_shop" for n in range(12))
    text = f"It fails.\n\n## Steps to Reproduce\nSQL file:\n```sql\n{code}\n```\n{'It was seen by many people. ' * 40}"
    assert code in condense_request(text, 700)


def test_of_a_trace_the_error_at_its_end_is_told() -> None:
    trace = """Traceback (most recent call last):
File "/shop/cart.py", line 12, in total
return self._total
AttributeError: 'Cart' object has no attribute '_total'
During handling of the above exception, another exception occurred:
Traceback (most recent call last):
File "/shop/till.py", line 9, in pay
amount = read_total(cart, with_guests=True)
  File "/shop/till.py", line 40, in read_total
    return base64.b64decode(cart.sum.encode('ascii'))
binascii.Error: Incorrect padding"""
    asked = "Paying fails for old carts, which were made before the move to the new shop.\n"
    filler = " ".join(f"The till of part {n} reads its rows from the table." for n in range(12))
    told = condense_request(f"{asked}{trace}\nPlease make the till ignore such carts.\n{filler}", 400)
    assert "binascii.Error: Incorrect padding" in told
    assert "Please make the till ignore such carts." in told
    assert not any(line in told for line in trace.split("\n")[:-1])


def test_the_sentence_that_gives_the_task_is_cut_rather_than_left_out() -> None:
    order = "please see to it that both graders still work with the examples in this folder and with the live model too"
    report = "\n".join(f"I also read part {n} of the page, and all of it was fine." for n in range(8))
    brief = condense_request(f"{order}\n\n{report}", 80)
    assert brief.startswith("please see to it that both graders")
    assert brief.endswith("\n[…]")


def test_no_mark_stands_before_the_first_line_for_words_that_say_nothing() -> None:
    text = f"Hi there, it is good to have you back.\nPlease add a flag to `copy`.\n{'It warns by default. ' * 30}"
    assert condense_request(text, 60).startswith("Please add a flag to `copy`.\n")


def test_the_words_before_a_paste_stay_where_they_give_the_task() -> None:
    pasted = "\n".join(f"### {n}. Finding\nThe writer of part {n} closes the file too early." for n in range(9))
    assert condense_request(f"can you incorporate:\n\nAll reviews are in.\n{pasted}", 200).startswith(
        "can you incorporate:"
    )


def test_of_a_numbered_list_of_steps_each_one_stays() -> None:
    steps = [
        f"{n}. Look at page {n} of the old book, copy it to the new one, and leave its date." for n in range(1, 13)
    ]
    steps[5] = "6. Wash your hands."
    told = condense_request("\n".join(("Follow these steps:", *steps, "Then close the book.")), 800)
    assert len(told) <= 800
    for n in range(1, 13):
        assert f"{n}. {'Wash your hands.' if n == 6 else f'Look at page {n} of the old book,'}" in told
    assert told.endswith("\nThen close the book.")


def test_what_a_form_asks_to_be_filled_in_is_no_part_of_a_long_request() -> None:
    form = "<!-- Please read our rules first.\nPlease search for a similar request. -->\n"
    told = "The option is ignored when a table is written as a page, and it should be respected there."
    made = condense_request(f"{form}### What happens\n<!-- Describe it. -->\n{told}\n{FILLER * 20}", 400)
    assert told in made
    assert "rules" not in made
    assert "Describe" not in made
    assert condense_request(f"{form}{told}", 400) == f"{form}{told}"  # one that has room is quoted as it is


def test_addresses_in_the_hints_of_a_form_are_no_names() -> None:
    asked = user("<!-- Read https://shop.example/rules first. -->\nThe cart of https://shop.example/carts/7 is empty.")
    assert build_ledger(talk(asked).messages).identifiers == ("https://shop.example/carts/7",)


def test_what_stands_in_parentheses_stays_behind_its_sentence() -> None:
    assert [one.text for one in split_units("Does it support all acts? (create, delete)? Why?")] == [
        "Does it support all acts? (create, delete)?",
        "Why?",
    ]


def test_what_shows_a_defect_goes_behind_the_error_it_quotes_and_what_the_user_makes_of_it() -> None:
    screen = "\n".join(
        ("Loading the shop ...", "Error: the stock is locked!", *(f"  shelf {n}: full" for n in range(20)))
    )
    steps = "\n".join(f"{n}. add a table of kind {n} to the basket of the shop" for n in range(1, 8))
    cause = "It looks like `stock.lock` stays when the shop is closed."
    quoted = f"We get this when a basket is paid, as an error:\n```\n{screen}\n```\n"
    text = f"{quoted}\nSequence:\n{steps}\n\n{cause}\n\n{FILLER * 5}"
    made = condense_request(text, 220)
    assert made.split("\n")[:2] == ["We get this when a basket is paid, as an error:", "Error: the stock is locked!"]
    assert cause in made
    assert "basket of the shop" not in made
    plain = condense_request(text.replace("as an error", "as a list"), 220)
    assert "locked" not in plain


def test_an_answered_request_keeps_the_error_that_its_code_quotes() -> None:
    failed = drop_code("It failed with this error:\n```\nat x\nTypeError: no such y\n```\nWhy?")
    assert " ".join(failed.split()) == "It failed with this error: TypeError: no such y Why?"
    assert " ".join(drop_code("Use this:\n```\nraise TypeError\n```\nThanks.").split()) == f"Use this: {GAP} Thanks."


def test_much_of_a_screen_that_is_left_out_is_marked_and_blanks_at_the_ends_of_lines_take_no_room() -> None:
    screen = "\n".join(f"[Part {at}]\n  ~/.crew/agent/part-{at}.md, tide-{at}" for at in range(4))
    asked = f"Can we change this to a table?\n{screen}\ncrew/index.ts is new"
    wide = "\n".join(f"{line:<120}" for line in asked.split("\n"))
    assert condense_request(wide, len(asked)) == asked
    short = condense_request(asked, 100)
    assert short.startswith("Can we change this to a table?")
    assert GAP in short
