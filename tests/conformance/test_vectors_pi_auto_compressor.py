"""pi-auto-compressor's sweep: vectors PA-1 to PA-6, PA-12 and PA-13. Where ours differs, the test says so."""

import pytest

import secateur
from native import Native, assistant, pi_call, pi_messages, pi_result, pi_session, user
from secateur.tokens import get_counter


def history(size: int, **results: Native) -> list[Native]:
    """So many messages; results at `i5` and the like, each right behind its call, and talk everywhere else."""
    placed = {int(name[1:]): message for name, message in results.items()}
    made = [placed.get(number) or (user() if number % 2 else assistant()) for number in range(size)]
    for number in placed:
        if number - 1 not in placed:
            ids = [placed[n] for n in range(number, size) if all(m in placed for m in range(number, n + 1))]
            made[number - 1] = {
                "role": "assistant",
                "content": [pi_call(one["toolCallId"], one["toolName"])["content"][0] for one in ids],
            }
    return made


def swept(messages: list[Native]) -> dict[int, str]:
    """The texts that results were given, by message number."""
    before = pi_session(messages)
    after = pi_messages(secateur.fit(before, policy="pi-auto-compressor", format="pi").request)
    return {
        number: new["content"][0]["text"]
        for number, (old, new) in enumerate(zip(messages, after, strict=True))
        if old != new
    }


PA_1 = history(
    30,
    i2=pi_result("c2", "x" * 250),
    i5=pi_result("c5", "x" * 250),
    i6=pi_result("c6", "x" * 199),
    i7=pi_result("c7", "x" * 200),
    i8=pi_result("c8", "x" * 5_000, "write"),
    i9=pi_result("c9", "x" * 1_234, "read", error=True),
    i10=pi_result("c10", "x" * 5_000),
)


def test_PA_1_old_large_results_outside_head_and_tail() -> None:
    assert sorted(swept(PA_1)) == [5, 7, 9]


def test_PA_2_tombstones() -> None:
    texts = swept(PA_1)
    assert texts[5] == "[Tool output swept: bash c5, 250 chars removed]"
    assert texts[9] == "[Tool output swept: read c9, error output, 1,234 chars removed]"


@pytest.mark.parametrize(("size", "places"), [(22, []), (23, []), (24, [3])])
def test_PA_3_the_tail_begins_behind_the_head(size: int, places: list[int]) -> None:
    assert sorted(swept(history(size, i3=pi_result("c3", "x" * 250)))) == places


def test_PA_4_a_result_swept_earlier_is_left_intact_in_the_tail() -> None:
    messages = history(30, i9=pi_result("c9", "x" * 250))
    long = secateur.fit(pi_session(messages), policy="pi-auto-compressor", format="pi")
    assert pi_messages(long.request)[9] != messages[9]
    rewound = pi_session(messages[:25])
    assert secateur.fit(rewound, policy="pi-auto-compressor", format="pi", plan=long.plan).request == rewound


def test_PA_5_a_call_and_its_result_survive() -> None:
    messages = [user(), pi_call("c1"), pi_result("c1", "README.md\npruner.ts\n")]
    session = pi_session(messages)
    assert secateur.fit(session, policy="pi-auto-compressor", format="pi").request == session


def test_PA_6_orphans_are_left_to_repair() -> None:
    """The source drops results without a call and calls without a result; here pruning never deletes, and mending a
    history that arrives broken is another step."""
    messages = history(30, i5=pi_result("c5", "x" * 99), i8=pi_result("", "x" * 99)) + [pi_call("c99")]
    messages[4] = assistant()
    assert swept(messages) == {}


@pytest.mark.parametrize(
    ("text", "tokens"), [pytest.param("", 0, id="PA-12"), pytest.param("x" * 400, 110, id="PA-13")]
)
def test_tokens(text: str, tokens: int) -> None:
    assert get_counter("chars/4-round+10")(text) == tokens
