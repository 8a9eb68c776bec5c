"""Which words of a message are the user's."""

import pytest

from conversation import user
from secateur.compaction.ledger.said import get_user_text, strip_file_links

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
        ("see [src/cart.py](/home/ada/shop/src/cart.py#L12) first", "see src/cart.py first"),
        ("[`cart.py`](src/cart.py:12)", "cart.py"),
        ("[the guide](docs/guide.md)", "[the guide](docs/guide.md)"),
        ("[cart.py](src/smart_cart.py)", "[cart.py](src/smart_cart.py)"),
        ("[cart.py](src/cart.py.orig)", "[cart.py](src/cart.py.orig)"),
    ],
)
def test_a_link_that_repeats_the_path_of_its_file_is_told_as_that_file(said: str, told: str) -> None:
    assert strip_file_links(said) == told
