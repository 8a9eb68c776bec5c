"""Requests that several recordings hold are counted once, and what only looks alike is counted as often as it is."""

from secateur.simulate.several import Said, count_shared


def run(keys: str, at: int = 0, tokens: int = 200) -> list[Said]:
    """Answers named by letters, a second apart; 0: no times are recorded."""
    return [Said(key.strip(), f"before {keys[:n]}", at and at + 1_000 * n, tokens) for n, key in enumerate(keys)]


def test_the_longest_of_copies_counts() -> None:
    assert count_shared([run("abc", at=5), run("abcd", at=5), run("ab", at=5)]) == [3, 0, 2]


def test_a_fork_counts_what_came_after_it() -> None:
    assert count_shared([run("abcde", at=5), run("abcx", at=5)]) == [0, 3]


def test_a_fork_whose_times_were_written_anew_is_known_by_how_much_is_the_same() -> None:
    assert count_shared([run("abcde", at=5), run("abcx", at=90)]) == [0, 3]
    assert count_shared([run("abcde", at=5), run("abcx", at=90, tokens=9)]) == [0, 0]
    assert count_shared([run("abcde", at=5), run("abx", at=90)]) == [0, 0]


def test_a_whole_recording_without_times_may_be_short() -> None:
    assert count_shared([run("a", tokens=9), run("abc", tokens=9), run("ax", tokens=9)]) == [1, 0, 0]


def test_a_request_whose_answer_only_another_recording_has_is_the_same_one() -> None:
    assert count_shared([run("ab ", tokens=9), run("abc", tokens=9)]) == [3, 0]
    assert count_shared([run("ab ", tokens=9), run("axc", tokens=9)]) == [0, 0]


def test_of_equal_recordings_the_first_counts() -> None:
    assert count_shared([run("ab", at=5), run("ab", at=5), run("")]) == [0, 2, 0]
