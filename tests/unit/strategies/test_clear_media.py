"""Clear media: old pictures give way to a line, wherever they stand."""

import pytest

from conversation import part, result, talk, user
from secateur.budget import Budget
from secateur.model import Message, Part, Transcript
from secateur.protect import Protection
from secateur.strategies import ClearMedia


def picture(name: str, pinned: bool = False) -> Message:
    return Message("user", (), (Part("text", (), "look"), Part("media", (), name, fingerprint=name, pinned=pinned)))


TALKED = talk(picture("image/png cat.png"), result("shot", image="one"), picture("image/png"), user())


def cleared(
    strategy: ClearMedia, talked: Transcript, protect: Protection | None = None, **edited: str
) -> dict[int, str]:
    """The texts by message number."""
    budget = Budget(window=0, tokens_used=0, count=len, protect=protect or Protection(), edited_by=edited)
    texts = {edit.key: edit.text for edit in strategy(talked, budget)}
    places = {one.key: number for number, message in enumerate(talked.messages) for one in message.parts}
    return dict(sorted((places[key], text) for key, text in texts.items()))


def test_all_but_the_newest() -> None:
    assert cleared(ClearMedia(), TALKED) == {
        0: "[media removed: image/png cat.png]",
        1: "[media removed: image/png]",
    }
    assert list(cleared(ClearMedia(keep=0), TALKED)) == [0, 1, 2]
    assert cleared(ClearMedia(keep=3), TALKED) == {}


def test_what_is_protected_stays() -> None:
    assert list(cleared(ClearMedia(keep=0), TALKED, Protection(first_messages=1))) == [1, 2]
    assert list(cleared(ClearMedia(keep=0), TALKED, Protection(last_messages=2))) == [0, 1]
    assert list(cleared(ClearMedia(keep=0), TALKED, Protection(tools=("bash",)))) == [0, 2]
    assert list(cleared(ClearMedia(keep=0), TALKED, Protection(media_results=True))) == [0, 2]
    assert list(cleared(ClearMedia(keep=0), TALKED, Protection(part_keys=(part(TALKED, 0, 1).key,)))) == [1, 2]
    assert list(cleared(ClearMedia(keep=0), TALKED, None, **{part(TALKED, 2, 1).key: "clear_media"})) == [0, 1]
    assert cleared(ClearMedia(keep=0), talk(picture("x", pinned=True))) == {}


def test_a_medium_without_a_name() -> None:
    assert cleared(ClearMedia(keep=0), talk(picture(" \n"))) == {0: "[media removed]"}


def pictures(*sizes: int) -> Transcript:
    """A picture a turn."""
    return talk(*(Message("user", (), (Part("media", (), f"image/png {n}", size=n),)) for n in sizes))


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({"keep": 1, "max_media": 3}, [30, 40, 50]),
        ({"keep": 1, "max_media_bytes": 95}, [40, 50]),
        ({"keep": 3, "max_media_bytes": 95}, [30, 40, 50]),  # the newest stay whatever they weigh
        ({"keep": 1, "max_media": 9, "max_media_bytes": 999}, [10, 20, 30, 40, 50]),
        ({"keep": 1}, [50]),
    ],
)
def test_limits_in_number_and_in_bytes(fields: dict[str, int], left: list[int]) -> None:
    seen = pictures(10, 20, 30, 40, 50)
    budget = Budget(window=1, tokens_used=0, count=len, protect=Protection())
    gone = {edit.key for edit in ClearMedia(**fields)(seen, budget)}
    assert [part.size for message in seen.messages for part in message.parts if part.key not in gone] == left
