"""At birth: the excerpt depends on the result alone."""

from msgspec.structs import replace

from conversation import part, result, results, talk, user
from secateur.bounds import index_of
from secateur.budget import Budget
from secateur.model import Transcript
from secateur.protect import Protect
from secateur.strategies import Excerpt

LOG = "\n".join(f"line {number}" for number in range(2_000))


def excerpts(talked: Transcript, protect: Protect | None = None, **edited: str) -> dict[str, str]:
    budget = Budget(window=0, used=0, count=len, protect=protect or Protect(), edited=edited)
    return {edit.key: edit.text for edit in Excerpt(max_chars=500)(talked, budget)}


def test_only_what_is_too_long() -> None:
    talked = talk(user("x" * 999), result("x" * 500), result(LOG))
    said = excerpts(talked)
    assert list(said) == [part(talked, 2).key]
    assert len(said[part(talked, 2).key]) <= 500
    assert said[part(talked, 2).key].startswith("line 0\n")


def test_age_and_place_make_no_difference() -> None:
    young = talk(user(), result(LOG))
    old = talk(user(), result(LOG), *(user() for _ in range(9)))
    assert excerpts(young) == excerpts(old)
    assert excerpts(young, Protect(turns=2, messages=20)) == excerpts(old)


def test_tools_errors_pins_and_media_are_spared() -> None:
    talked = talk(
        result(LOG, "skill"), result(LOG + "!", error=True), result(LOG + "?", image="cat"), result(LOG + ".")
    )
    pin = part(talked, 3).key
    assert excerpts(talked, Protect(tools=("skill",), errors=True, media=True, keys=(pin,))) == {}
    assert len(excerpts(talked)) == 4


def test_what_an_excerpt_would_not_shorten_stays() -> None:
    budget = Budget(window=0, used=0, count=len, protect=Protect())
    assert list(Excerpt(max_chars=5)(talk(result("x" * 300)), budget)) == []


def test_the_head_is_spared() -> None:
    talked = talk(result(LOG), user(), result(LOG + "."))
    assert list(excerpts(talked, Protect(head=1))) == [part(talked, 2).key]
    assert list(excerpts(talked, Protect(before_first_user=True))) == [part(talked, 2).key]


def test_what_was_edited_is_left_alone_and_what_is_spent_is_not_looked_at() -> None:
    talked = talk(results(LOG), results(LOG + "."))
    first, second = part(talked, 0).key, part(talked, 1).key
    assert list(excerpts(talked, None, **{first: "excerpt"})) == [second]
    assert list(excerpts(replace(talked, index=replace(index_of(talked), spent=1)))) == [second]
