"""At birth: the excerpt depends on the result and on what is before it, never on its age."""

import json

from msgspec.structs import replace

from conversation import assistant, part, result, results, talk, user
from secateur.bounds import get_index
from secateur.budget import Budget
from secateur.model import Rewrite, Transcript
from secateur.pricing.arithmetic import compute_excerpt_threshold, compute_fetch_cost
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.strategies import Excerpt
from secateur.strategies.excerpt import CHANCE

OPUS = CachePricing(cache_read=0.1, cache_write=1.25, output=5.0)
LOG = "\n".join(f"line {number}" for number in range(2_000))


def excerpts(talked: Transcript, protect: Protection | None = None, **edited: str) -> dict[str, str]:
    budget = Budget(window=0, tokens_used=0, count=len, protect=protect or Protection(), edited_by=edited)
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
    assert excerpts(young, Protection(last_turns=2, last_messages=20)) == excerpts(old)


def test_tools_errors_pins_and_media_are_spared() -> None:
    talked = talk(
        result(LOG, "skill"), result(LOG + "!", error=True), result(LOG + "?", image="cat"), result(LOG + ".")
    )
    pin = part(talked, 3).key
    assert (
        excerpts(talked, Protection(tools=("skill",), error_results=True, media_results=True, part_keys=(pin,))) == {}
    )
    assert len(excerpts(talked)) == 4


def test_what_an_excerpt_would_not_shorten_stays() -> None:
    budget = Budget(window=0, tokens_used=0, count=len, protect=Protection())
    assert list(Excerpt(max_chars=5)(talk(result("x" * 300)), budget)) == []


def test_the_head_is_spared() -> None:
    talked = talk(result(LOG), user(), result(LOG + "."))
    assert list(excerpts(talked, Protection(first_messages=1))) == [part(talked, 2).key]
    assert list(excerpts(talked, Protection(before_first_user=True))) == [part(talked, 2).key]


def test_what_was_edited_is_left_alone_and_what_is_spent_is_not_looked_at() -> None:
    talked = talk(results(LOG), results(LOG + "."))
    first, second = part(talked, 0).key, part(talked, 1).key
    assert list(excerpts(talked, None, **{first: "excerpt"})) == [second]
    assert list(excerpts(replace(talked, index=replace(get_index(talked), first_prunable=1)))) == [second]


def by_price(
    talked: Transcript, strategy: Excerpt, window: int = 200_000, tariff: CachePricing = OPUS
) -> dict[str, str]:
    budget = Budget(
        window=window,
        tokens_used=0,
        count=lambda text: len(text) // 4,
        protect=Protection(last_results=20),
        pricing=tariff,
    )
    return {edit.key: edit.text for edit in strategy(talked, budget)}


def asked(line: str, said: str, error: bool = False) -> Transcript:
    given = json.dumps({"command": line})
    return talk(user("why is `gate_width` wrong?"), assistant(("c", "do", given)), result(said, "do", "c", error))


def test_by_price_the_size_follows_from_what_a_fetch_would_cost() -> None:
    pays = Excerpt(by_price=True, all_tools=False)
    threshold = compute_excerpt_threshold(
        1.25, 0.1, chance=CHANCE, call=compute_fetch_cost(1.25, 0.1, 5, tokens=0, prompt=100_000), stays=25.75
    )
    longer, shorter = (LOG * 9)[: int(threshold * 4) + 8], (LOG * 9)[: int(threshold * 4) - 8]
    [text] = by_price(asked("npm install", longer), pays).values()
    assert len(text) <= threshold * 2
    assert by_price(asked("npm install", shorter), pays) == {}
    dear = CachePricing(cache_read=0.5, cache_write=1.0, output=4.0)
    assert by_price(asked("npm install", longer), pays, tariff=dear) == {}


def test_what_was_looked_up_and_failures_come_whole_until_they_fill_the_window() -> None:
    pays = Excerpt(by_price=True, all_tools=False, max_window_share=0.5)
    for line, error in (("cat a.py", False), ("grep -rn x .", False), ("npm install", True)):
        assert by_price(asked(line, LOG * 3, error), pays) == {}
        assert len(by_price(asked(line, LOG * 3, error), pays, window=10_000)) == 1


def test_lines_that_name_what_the_user_asked_about_stay() -> None:
    lines = [f"line {number}" for number in range(2_000)]
    lines[900] = "set gate_width to 7"
    [text] = by_price(asked("npm install", "\n".join(lines)), Excerpt(max_chars=900)).values()
    assert "901: set gate_width to 7" in text
    assert len(text) <= 900


LIKE = "\n".join(f"compiled src/rose_{number}.ts in {number} ms" for number in range(400))


def test_repetitions_go_from_all_but_what_shows_files() -> None:
    folds = Excerpt(by_price=True, all_tools=False, dedupe_lines=True)
    for line, error in (("npm run build", False), ("npm run build", True), ("find . -newer x -printf y", False)):
        [text] = by_price(asked(line, LIKE, error), folds).values()
        assert text.count("\n") == 5
        assert "[secateur: lines 3-397 of 400 left out: more of the like]" in text
    assert by_price(asked("cat built.log", LIKE), folds) == {}
    assert by_price(asked("npm run build", LIKE[:1_500]), folds) == {}


def test_what_is_still_too_long_without_its_repetitions_is_cut() -> None:
    once = "\n".join(f"{'of ' * (number % 40)}roses {'and ' * (number // 40)}thorns" for number in range(600))
    cut, folded = Excerpt(max_chars=4_000), Excerpt(max_chars=4_000, dedupe_lines=True)
    [text] = by_price(asked("npm install", once + "\n" + LIKE), folded).values()
    assert len(text) <= 4_000
    [text] = by_price(asked("npm install", LIKE), folded).values()
    assert len(text) < 300
    [text] = by_price(asked("npm install", LIKE), cut).values()
    assert 3_000 < len(text) <= 4_000
    assert by_price(asked("npm install", LIKE[:3_999]), folded) == {}


def test_a_fold_is_made_once_for_a_place_and_depends_on_what_stands_before_it() -> None:
    folds = Excerpt(max_chars=500, dedupe_lines=True)
    named = LIKE.replace("rose_77.", "gate_width.")
    [text] = by_price(asked("npm install", named), folds).values()
    assert "\ncompiled src/gate_width.ts in 77 ms\n" in text
    assert list(by_price(asked("npm install", named), folds).values()) == [text]
    [other] = by_price(talk(user("prune"), result(named)), folds).values()
    assert "gate_width" not in other


def test_what_was_edited_since_changes_nothing() -> None:
    folds = Excerpt(max_chars=500, dedupe_lines=True)
    call = assistant(("c", "do", json.dumps({"command": "prune gate_width"})))
    talked = talk(user("prune"), call, result(LIKE.replace("rose_77.", "gate_width."), "do", "c"))
    was = part(talked, 1)
    short = replace(talked.messages[1], parts=(replace(was, text="{}"),))
    view = replace(talked, messages=(talked.messages[0], short, talked.messages[2]))
    for handles, seen, raw in ((False, talked, {}), (True, view, {was.key: was})):
        budget = Budget(window=0, tokens_used=0, count=len, protect=Protection(), originals=raw, recall_handles=handles)
        [edit] = folds(seen, budget)
        assert isinstance(edit, Rewrite)
        assert "\ncompiled src/gate_width.ts in 77 ms\n" in edit.text
