"""Where opencode, Pi, pi-auto-compressor and Hermes cut, as their sources do: vectors OC, PI, PA, HE and KI.

Two rules of ours hold in every preset: the newest user message stays as it came, and no round is parted. Where a vector
differs by them, or by what a preset is held to, the test says so.
"""

import pytest

from compactions import COUNT, done, opened, refused, rows, run, scene, texts, view
from conversation import assistant, result, talk, user
from secateur.compaction.cut import HistoryCut, cut
from secateur.compaction.outcome import Layout, apply_layout, parse_layout
from secateur.compaction.settings import Compaction
from secateur.compaction.trigger import Load, Report, check_due, compute_limits, load
from secateur.model import Epoch, Message, NewMessage, Replace
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.policy import load as policy

OPENCODE, HERMES, PI = (policy(name).compaction for name in ("opencode", "hermes", "pi-auto-compressor"))
X = "x" * 400  # 100 tokens
PIS_OWN = {"keep_tokens": 20_000, "reserve_tokens": 16_384, "cut_at": "rounds"}


def found(messages: list[Message], settings: Compaction, usable: int = 168_000) -> HistoryCut:
    return cut(rows(talk(*messages)), settings, usable, every_user=True)


def opencode(messages: list[Message], turns: int, budget: int) -> HistoryCut:
    return found(messages, Compaction(keep_turns=turns, keep_tokens=budget))


def pi(messages: list[Message], keep: int) -> HistoryCut:
    return found(messages, Compaction(keep_tokens=keep, cut_at="rounds"))


# opencode


@pytest.mark.parametrize(
    ("window", "usable"), [(200_000, 168_000), (100_000, 68_000)], ids=["OC-U1 and OC-U3", "OC-U1"]
)
def test_OC_U_usable(window: int, usable: int) -> None:
    assert OPENCODE
    assert compute_limits(OPENCODE, window).usable == usable


def test_OC_U5_a_reserve_as_large_as_the_window_leaves_half() -> None:
    assert OPENCODE
    assert compute_limits(OPENCODE, 8_000).usable == 4_000  # the source has 0, and compacts after every step


@pytest.mark.parametrize(("tokens", "over"), [(168_000, True), (167_999, False)])
def test_OC_U6_the_threshold_itself_counts(tokens: int, over: bool) -> None:
    assert OPENCODE
    assert check_due(OPENCODE, Load(tokens), compute_limits(OPENCODE, 200_000)).now is over


def test_OC_U7_off() -> None:
    assert not check_due(Compaction(enabled=False), Load(10**9), compute_limits(Compaction(), 200_000)).now


def test_OC_S1_two_turns() -> None:
    assert opencode([user("first"), user("second"), user("third")], 2, 10_000).end == 1


def test_OC_S2_a_turn_of_one_message_is_not_split() -> None:
    assert opencode([user("first"), user("x" * 2_000), user("tiny")], 2, 100).end == 2


def test_OC_S3_no_tail_but_the_newest_request_stays() -> None:
    made = opencode([user("first"), user("y" * 2_000)], 1, 20)
    assert (made.end, made.stays) == (2, ((1, 2),))  # the source summarizes it too


def test_OC_S4_the_rounds_at_the_end_of_a_turn_that_fit() -> None:
    messages = [user("u"), assistant(text="z" * 2_000), assistant(text="keep tail")]
    made = opencode(messages, 2, 100)
    assert (made.end, made.split, made.stays) == (2, 0, ((0, 1),))


@pytest.mark.parametrize(("usable", "budget"), [(168_000, 8_000), (20_000, 5_000), (4_000, 2_000)])
def test_OC_S5_a_quarter_of_what_is_usable(usable: int, budget: int) -> None:
    assert OPENCODE
    fits = [user("x" * 4 * (budget - 1)), user("tiny")]
    assert found(fits, OPENCODE, usable).end == 0
    assert found([user("x" * 4 * budget), user("tiny")], OPENCODE, usable).end == 1


def test_OC_F4_of_two_compactions_the_newest_counts() -> None:
    one = [user(X), assistant(text=X), user(X), assistant(text=X)]
    talked, settings = talk(*one, user(X), assistant(text=X)), Compaction(keep_turns=1, keep_tokens=0)
    plan = opened(talked, run(scene(talked), settings)[0])
    longer = talk(*talked.messages, user("x" * 4_000), assistant(text="y" * 4_000), user("u4"), assistant(text="a4"))
    plan = opened(longer, run(scene(longer, plan), settings)[0], plan)
    assert [one.origin for one in view(longer, plan)][0] == "summary"
    assert texts(view(longer, plan))[1:] == ["u4", "a4"]


# Kilocode


@pytest.mark.parametrize(("window", "usable"), [(200_000, 168_000), (20_000, 10_000)])
def test_KI_1_usable_as_in_its_older_version(window: int, usable: int) -> None:
    settings = policy("kilocode").compaction
    assert settings
    assert compute_limits(settings, window).usable == usable


# Pi


@pytest.mark.parametrize(
    ("keep", "place", "turn"), [(100, 3, 2), (150, 2, None), (200, 2, None), (1_000, 0, None)], ids=str
)
def test_PI_3_to_5(keep: int, place: int, turn: int | None) -> None:
    made = pi([user(X), assistant(text=X), user(X), assistant(text=X)], keep)
    assert (made.end, made.split) == (place, turn)


def test_PI_6_large_results_at_the_end_are_not_parted_from_their_calls() -> None:
    big = [result("x" * 8_000, call="a"), result("x" * 8_000, call="b")]
    made = pi([user("u" * 40), assistant(("a", "bash", "{}"), ("b", "bash", "{}")), *big], 100)
    assert made.end == 1  # as Pi's newest version; the older ones keep everything


@pytest.mark.parametrize("keep", [60, 130, 220])
def test_PI_7_a_cut_is_never_at_a_result(keep: int) -> None:
    round_ = [assistant(("a", "bash", "")), result(X, call="a")]
    made = pi([user("u" * 40), *round_, assistant(text=X), user("u" * 40), assistant(text="a" * 40)], keep)
    assert (made.end, made.split) == (3, 0)


def test_PI_9_the_cut_does_not_cross_a_compaction() -> None:
    host = Message("user", (), user("summary of before").parts, "summary")
    assert pi([user(X), host, assistant(text=X)], 1).end == 2
    assert pi([user(X), host, assistant(text=X)], 1_000).end == 2


def twice(keep: int) -> tuple[list[str], bool]:
    """u1 a1 u2 a2 C(keep u2) u3 a3: what of it stands after the second compaction, and whether there was one."""
    said = [f"{name} " + "x" * 396 for name in ("u1", "a1", "u2", "a2", "u3", "a3")]
    talked = talk(*[(user if n % 2 == 0 else lambda text: assistant(text=text))(text) for n, text in enumerate(said)])
    keys = [one.key for one in talked.messages]
    first = Replace("", keys[1], (NewMessage("user", "what was done so far", "summary"),))
    plan = Plan((Epoch(0, keys[3], "compaction", (first,)),))
    made = cut(rows(talked, plan), Compaction(keep_tokens=keep, cut_at="rounds"), 0)
    kept = [row.message.parts[0].text[:2] for row in rows(talked, plan)[made.end :]]
    taken = [row.message.parts[0].text[:2] for a, b in made.iterate_segments() for row in rows(talked, plan)[a:b]]
    assert "u1" not in taken  # it is in the summary: only what came since is summarized
    assert set(kept) | set(taken) | {"u3"} >= {"u2", "a2", "u3", "a3"}  # nothing the first one kept is lost
    return kept, any(name != "wh" for name in taken)


@pytest.mark.parametrize(
    ("keep", "kept", "more"),
    [
        (100, ["a3"], True),
        (150, ["u3", "a3"], True),
        (250, ["a2", "u3", "a3"], True),
        (1_000, ["u2", "a2", "u3", "a3"], False),
    ],
)
def test_PI_11_to_14_what_the_first_compaction_kept_is_summarized_by_the_second(
    keep: int, kept: list[str], more: bool
) -> None:
    assert twice(keep) == (kept, more)  # as the mended version; that of March loses u2 and a2


def test_PI_15_nothing_to_do_after_a_compaction() -> None:
    talked = talk(*[user(X), assistant(text=X)] * 9, user("go"))
    settings = Compaction(keep_tokens=1, cut_at="rounds")
    plan = opened(talked, run(scene(talked), settings)[0])
    assert refused(run(scene(talked, plan), settings)[0]).reason == "nothing_new"


@pytest.mark.parametrize(("tokens", "over"), [(83_617, True), (83_616, False)])
def test_PI_16_over_the_window_less_the_reserve(tokens: int, over: bool) -> None:
    for settings in (Compaction(**PIS_OWN), PI):  # type: ignore[arg-type]
        assert settings
        assert check_due(settings, Load(tokens), compute_limits(settings, 100_000)).now is over
        assert not check_due(settings, Load(1), compute_limits(settings, 0)).now


def test_PI_17_usage_and_what_came_after_it() -> None:
    assert load(900 + COUNT("x" * 40) + COUNT("x" * 8), report=Report(1_000, 900)).tokens == 1_012


def test_PI_20_files_read_and_changed() -> None:
    calls = [("read", "a"), ("read", "b"), ("edit", "b"), ("write", "c")]
    made = [user("do it")]
    for n, (tool, path) in enumerate(calls):
        more = {"edit": ', "oldText": "x", "newText": "y"', "write": ', "content": "z"'}.get(tool, "")
        made += [assistant((f"c{n}", tool, f'{{"path": "{path}.py"{more}}}')), result(X * 3, tool, f"c{n}")]
    outcome, _ = run(scene(talk(*made, user("go"))), Compaction(keep_turns=1, keep_tokens=0))
    files = {file.path: file.use for file in done(outcome).ledger.files}
    assert {path for path, use in files.items() if use == "read"} == {"a.py"}
    assert {path for path, use in files.items() if use != "read"} == {"b.py", "c.py"}


# pi-auto-compressor


def test_PA_7_head_summary_tail_and_what_came_after() -> None:
    raw = ["h1", "h2", "m1", "m2", "t1", "t2", "new"]
    assert apply_layout(raw, "S", Layout(2, 2, 6)) == ["h1", "h2", "S", "t1", "t2", "new"]


def test_PA_8_without_a_summary_nothing_changes() -> None:
    assert apply_layout(["a", "b", "c"], None, Layout(1, 1, 3)) == ["a", "b", "c"]


def test_PA_9_fewer_messages_than_were_compacted() -> None:
    assert apply_layout(["a", "b", "c", "d"], "S", Layout(3, 2, 6)) == ["a", "b", "c", "S", "d"]


def test_PA_10_a_tail_that_reaches_into_the_head() -> None:
    assert apply_layout(["a", "b", "c", "d", "e"], "S", Layout(3, 4, 4)) == ["a", "b", "c", "S", "d", "e"]


def test_PA_a_layout_is_read_as_it_was_stored() -> None:
    assert parse_layout(Layout(3, 12, 60).make_details()) == Layout(3, 12, 60)
    assert parse_layout({"kind": "other", "headMessageCount": 3}) is None
    assert parse_layout({"kind": "hermes-middle", "headMessageCount": -3}) is None
    assert parse_layout(None) is None


# Hermes: held to three first and four last messages and 85 %; the version of June has other numbers


def alternating(count: int) -> list[Message]:
    return [user(f"msg {n}") if n % 2 == 0 else assistant(text=f"msg {n}") for n in range(count)]


def hermes(settings: Policy | Compaction | None, messages: list[Message]) -> tuple[int, int]:
    assert isinstance(settings, Compaction)
    made = found(messages, settings)
    return made.start, made.end


def test_HE_C1_first_three_and_last_four() -> None:
    assert hermes(HERMES, alternating(12)) == (3, 8)  # June with first 2, last 2 of 8: 2 and 5


def test_HE_C2_too_few_messages_stay_as_they_are() -> None:
    start, end = hermes(HERMES, alternating(6))
    assert start == end


def test_HE_C3_a_system_message_is_no_message_of_the_head() -> None:
    system = Message("system", (), user("rules").parts, "harness")
    assert hermes(HERMES, [system, *alternating(12)]) == (4, 9)


def test_HE_C5_without_a_head_the_view_begins_with_the_summary_as_a_user() -> None:
    talked = talk(*[one for n in range(12) for one in (user(X), assistant(text=X))])
    outcome, _ = run(scene(talked), Compaction(layout="middle", keep_messages=3, keep_tokens=0))
    assert view(talked, opened(talked, outcome))[0].role == "user"  # June begins with an assistant


def test_HE_T4_a_round_is_not_split() -> None:
    round_ = [assistant(("a", "bash", "{}"), ("b", "bash", "{}")), result(X, call="a"), result(X, call="b")]
    messages = [user(), assistant(text="a"), user(), *round_, assistant(text=X), user()]
    assert hermes(HERMES, messages) == (3, 3)


def test_HE_T5_the_newest_request_stays_though_it_is_far_back() -> None:
    messages = [user(), assistant(text="a"), user(), assistant(text="b"), user("the ask")]
    for n in range(8):
        messages += [assistant((f"c{n}", "bash", "{}")), result("x" * 4_000, call=f"c{n}")]
    assert HERMES
    made = found(messages, HERMES)
    assert made.stays == ((4, 5),)  # June begins the tail there, and summarizes next to nothing
    assert list(made.iterate_segments()) == [(3, 4), (5, 17)]


@pytest.mark.parametrize(("tokens", "over"), [(50_000, False), (85_000, False), (85_001, True), (90_000, True)])
def test_HE_B_the_threshold(tokens: int, over: bool) -> None:
    assert HERMES
    assert check_due(HERMES, Load(tokens), compute_limits(HERMES, 100_000)).now is over  # June: at 85,000 too
