"""Which words of a message are the user's."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, in_order, result, talk, user
from secateur.compaction.ledger import build_ledger, render_ledger
from secateur.compaction.ledger.said import (
    clean_words,
    get_closing_text,
    get_rejection,
    get_user_text,
    strip_file_links,
)
from secateur.model import Message, Part

FILES = "./a.py\n./src/b.py\n./src/error.py\n./README.md\n"


@pytest.mark.parametrize(
    "text", [f"find .\n\n{FILES}", "ls\n\nLICENSE\nREADME.md\ndocs\nsrc", "Ran `npm test`\n```\n1 failed\n```"]
)
def test_the_record_of_a_command_that_the_user_ran_is_no_request(text: str) -> None:
    assert get_user_text(user(text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "find .",
        f"find the parser\n\n{FILES}",
        f"cat and explain these\n\n{FILES}",
        f"find .\n\n{FILES}please keep these files",
        "python a.py\n\nTraceback\n  a.py\n  b.py\nKeyError: 'a'\n",
        "make build\n\nfix it\nthanks",
    ],
)
def test_what_the_user_says_or_pastes_beside_a_command_is_a_request(text: str) -> None:
    assert get_user_text(user(text)) == text.strip()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("see [src/cart.py](/home/ada/shop/src/cart.py#L12) first", "see src/cart.py:12 first"),
        ("[`cart.py`](src/cart.py:12)", "cart.py:12"),
        ("[cart.py](/shop/src/cart.py#L12-L40)", "cart.py:12"),
        ("[cart.py](/shop/src/cart.py:12:5)", "cart.py:12"),
        ("[cart.py:12](/shop/src/cart.py:12)", "cart.py:12"),
        ("[cart.py](/shop/src/cart.py)", "cart.py"),
        ("[cart.md](docs/cart.md#totals)", "cart.md"),
        ("and [line 40](/shop/src/cart.py:40) returns", "and cart.py:40 returns"),
        ("[L40](src/cart.py#L40)", "cart.py:40"),
        ("[line 40](src/cart.py:41)", "[line 40](src/cart.py:41)"),
        ("[the guide](docs/guide.md)", "[the guide](docs/guide.md)"),
        ("[cart.py](src/smart_cart.py)", "[cart.py](src/smart_cart.py)"),
        ("[cart.py](src/cart.py.orig)", "[cart.py](src/cart.py.orig)"),
    ],
)
def test_a_link_that_repeats_the_path_of_its_file_is_told_as_that_file_with_its_line(said: str, told: str) -> None:
    assert strip_file_links(said) == told


REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n{}"
)


def rejected(tool: str, words: str, error: bool = True) -> tuple[Message, Message]:
    call = json.dumps({"file_path": "/p/src/cart.py", "old_string": "a", "new_string": "b"})
    return assistant(("1", tool, call)), result(REJECTED.format(words), tool, "1", error)


def test_what_the_user_says_in_rejecting_an_edit_is_the_users() -> None:
    words = "let's do this as a separate branch"
    ledger = build_ledger(talk(user("Split the cart in two."), *rejected("Edit", words), user("Fix it.")).messages)
    assert [(one.text, one.state, one.answers) for one in ledger.requests[:2]] == [
        ("Split the cart in two.", "deferred", ""),
        (words, "open", "Edit cart.py, rejected"),
    ]
    assert [(one.text, one.answers) for one in ledger.constraints] == [(words, "Edit cart.py, rejected")]


@pytest.mark.parametrize(("tool", "error"), [("Bash", True), ("WebFetch", True), ("Edit", False)])
def test_what_a_program_or_a_page_can_write_is_no_word_of_the_user(tool: str, error: bool) -> None:
    assert get_rejection(rejected(tool, "Never push.", error)[1]) == ""


def test_a_message_that_the_user_followed_with_another_one_is_replied_to_with_it() -> None:
    said = talk(user("Split the cart in two."), user("Sort the rows, too."), assistant(text="Both are done.")).messages
    lines = in_order(render_ledger(build_ledger(said))["goal"])
    first, second = (line[3:9] for line in lines[1:])
    assert lines == [
        "- every request was answered",
        f"- [{first}, replied to with {second}] Split the cart in two.",
        f"- [{second}] Sort the rows, too.",
    ]


def test_an_agent_ends_with_what_it_says_behind_a_search_of_the_provider() -> None:
    message = assistant(text="I look it up first.")
    searched, answer = Part("other", (), "{}"), Part("text", (), "Both servers take such packs.")
    assert get_closing_text(replace(message, parts=(*message.parts, searched, answer))) == answer.text
    assert get_closing_text(replace(message, parts=(*message.parts, searched))) == "I look it up first."


def test_what_stands_behind_a_block_with_a_block_in_it_is_no_code() -> None:
    inner = "```markdown\n# Tides\n```bash\nmake tides\n```\nThey need a key.\n```\n"
    assert clean_words(f"Add this:\n\n{inner}\nThen tell the crew.").endswith("\n\nThen tell the crew.")
    assert clean_words("See:\n\n```\nmake tides").endswith("    make tides")
