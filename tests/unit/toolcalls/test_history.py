"""What became of results: which were shown, run or tried again, and which files are in use."""

import pytest

from conversation import assistant, result, talk, user
from secateur.model import Derived, Message, MessagePositions
from secateur.toolcalls.history import ToolHistory, get_history
from secateur.toolcalls.staleness import StalenessIndex

CODE = "\n".join(f"def step_{number}(): return {number}" for number in range(40))
Call = tuple[str, str, str]  # tool, arguments, result


def session(*calls: Call, errors: tuple[int, ...] = ()) -> tuple[Message, ...]:
    """One round for each call; its result is message 2, 4, 6 and so on."""
    rounds: list[Message] = [user()]
    for number, (tool, arguments, said) in enumerate(calls):
        rounds.append(assistant((f"c{number}", tool, arguments)))
        rounds.append(result(said, tool, f"c{number}", error=number in errors))
    return talk(*rounds).messages


def staleness(messages: tuple[Message, ...], files: int = 10) -> StalenessIndex:
    return get_history(messages).get_staleness(files)


def told(messages: tuple[Message, ...], found: dict[str, object]) -> list[int]:
    """Numbers of the messages whose results are among these."""
    return [number for number, message in enumerate(messages) if any(part.key in found for part in message.parts)]


def read(path: str, said: str = CODE, **more: int) -> Call:
    given = "".join(f', "{name}": {value}' for name, value in more.items())
    return ("open_it", f'{{"path": "{path}"{given}}}', said)


def edit(path: str) -> Call:
    return ("change", f'{{"path": "{path}", "oldText": "a", "newText": "b"}}', "done")


def run(line: str, said: str = "fine") -> Call:
    return ("anything", f'{{"command": "{line}"}}', said)


def test_the_same_call_with_the_same_result() -> None:
    messages = session(run("date", "noon"), run("date", "noon"), run("date", "one"), run("ls", "noon"))
    assert told(messages, staleness(messages).repeats.same) == [2]


def test_a_range_is_shown_again_by_the_same_call_or_by_its_lines() -> None:
    part = "\n".join(CODE.split("\n")[:20])
    messages = session(read("a.py", part, limit=20), read("a.py"), read("b.py"), read("a.py", CODE + "\nmore"))
    assert told(messages, staleness(messages).shown) == [2, 4]
    assert staleness(messages).shown[messages[2].parts[0].key].since == 4
    again = session(read("a.py", "old text"), read("a.py", "quite another text"))
    assert told(again, staleness(again).shown) == [2]
    other = session(read("a.py", "old text", offset=1), read("a.py", "quite another text", offset=99))
    assert staleness(other).shown == {}


def test_shell_commands_read_files_as_tools_do() -> None:
    messages = session(
        run("cat src/a.py", CODE), read("src/a.py", "\n".join(f"{n}\t{x}" for n, x in enumerate(CODE.split("\n"), 1)))
    )
    assert told(messages, staleness(messages).shown) == [2]
    elsewhere = session(run("cd /one && cat a.py", CODE), run("cd /two && cat a.py", CODE))
    assert staleness(elsewhere).shown == {}


def test_a_written_file_outdates_its_reads_once_it_is_out_of_use() -> None:
    messages = session(read("a.py"), edit("a.py"), read("b.py"), read("c.py"))
    assert staleness(messages, files=3).written == {}
    assert told(messages, staleness(messages, files=2).written) == [2]
    assert told(messages, staleness(session(read("a.py"), read("b.py"), read("c.py")), files=1).written) == []
    back = session(read("a.py"), edit("a.py"), read("b.py"), read("c.py"), edit("a.py"))
    assert staleness(back, files=2).written == {}


def test_only_checks_are_asked_again() -> None:
    messages = session(
        run("npm test", "1 failed"), run("npm test | tail -5", "2 passed"), run("ls", "x"), run("ls", "y")
    )
    assert told(messages, staleness(messages).repeats.run) == [2]
    apart = session(run("cd one && npm test", "1 failed"), run("cd two && npm test", "2 passed"))
    assert staleness(apart).repeats.run == {}


def test_failures_are_resolved_by_success_and_tried_by_either() -> None:
    messages = session(edit("a.py"), edit("a.py"), edit("b.py"), errors=(0, 2))
    assert told(messages, staleness(messages).repeats.resolved) == [2]
    assert told(messages, dict.fromkeys(staleness(messages).get_held_keys(reads=False, failures=True).keys)) == [6]
    failing = session(run("make all", "Exit code 2"), run("make all", "Exit code 2"))
    assert staleness(failing).repeats.resolved == {}
    assert told(failing, staleness(failing).repeats.tried) == [2]


def test_the_working_set_is_the_fresh_reads_of_the_files_in_use() -> None:
    messages = session(read("a.py"), read("b.py"), read("a.py"), read("c.py", "other"), edit("a.py"))
    held = staleness(messages, files=2).get_held_keys(reads=True, failures=False)
    assert told(messages, dict.fromkeys(held.keys)) == [6, 8]
    assert {number: held.left[messages[number].parts[0].key] for number in (2, 4)} == {2: 6, 4: 8}


def test_reads_that_are_too_long_are_not_in_the_working_set() -> None:
    messages = session(read("a.py", "x" * 9), read("b.py", "y" * 10))
    long = get_history(messages).get_staleness(2, longest=9).get_held_keys(reads=True, failures=False)
    assert told(messages, dict.fromkeys(long.keys)) == [2]
    assert long.left == {messages[4].parts[0].key: 4}
    every = get_history(messages).get_staleness(2).get_held_keys(reads=True, failures=False)
    assert told(messages, dict.fromkeys(every.keys)) == [2, 4]


@pytest.mark.parametrize("cut", range(1, 11))
def test_a_history_that_grows_tells_what_it_tells_at_once(cut: int) -> None:
    calls = (read("a.py"), edit("a.py"), read("b.py"), run("npm test"), read("a.py"))
    messages = session(*calls)
    at_once = ToolHistory()
    at_once.grow(messages, {})
    index = MessagePositions(derived=Derived())
    begun = get_history(messages[:cut], index=index)
    grown = get_history(messages, index=index)
    assert grown is begun
    for name in ("shown", "written", "unused"):
        assert getattr(grown.get_staleness(1), name) == getattr(at_once.get_staleness(1), name)
    for name in ("same", "run", "resolved", "tried", "failed", "refused"):
        assert getattr(grown.get_repeats(), name) == getattr(at_once.get_repeats(), name)


def test_a_history_that_went_another_way_is_told_anew() -> None:
    one, other = session(read("a.py"), read("b.py")), session(read("a.py"), read("c.py"))
    kept = Derived()
    first, second = (get_history(messages, index=MessagePositions(derived=kept)) for messages in (one, other))
    assert first is not second
    assert [completed.result.key for completed in second.completed_calls] == [
        other[2].parts[0].key,
        other[4].parts[0].key,
    ]
