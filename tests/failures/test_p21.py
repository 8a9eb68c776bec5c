"""P21: the pruner takes what is being worked with, and the agent reads it again and again.

What goes first is what a later result made worthless: of reads of one file the older, of runs of one test the older.
The freshest reads of the files worked with last stay whatever their age, where a policy says so, and what was read
again is not taken again at once. How much is read twice is told.
"""

import json
from typing import Any

from secateur import Engine, View
from secateur.simulate.attribution import analyze_spending
from secateur.simulate.recall import recall_of
from secateur.simulate.requests import read_recording
from secateur.simulate.run import simulate

MODEL = "claude-opus-4-5"
EAGER: dict[str, Any] = {
    "name": "eager",
    "extends": "balance",
    "protect": {"last_results": 3, "recent_files": 2, "min_prunable_chars": 100},
    "on_arrival": {"type": "excerpt", "max_chars": 1_000_000},
    "schedule": {"type": "every_request"},
}


def text(name: str, lines: int = 120) -> str:
    return "\n".join(f"    {name}_{line} = compute({line})" for line in range(lines))


def request(*calls: tuple[str, str]) -> bytes:
    """A body of one call after the other, each with its output: (path that is read or command, output)."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "mend the login"}]
    for number, (what, output) in enumerate(calls):
        read = what.endswith(".py")
        given = {"file_path": what} if read else {"command": what}
        use = {"type": "tool_use", "id": f"c{number}", "name": "Read" if read else "Bash", "input": given}
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    return json.dumps({"model": MODEL, "max_tokens": 9, "messages": messages}).encode()


def shown(view: View) -> list[bool]:
    """By call: whether its output reads as received."""
    pairs = zip(view.raw_transcript.messages, view.transcript.messages, strict=True)
    both = ((was.parts[0], now.parts[0]) for was, now in pairs if was.parts[0].kind == "tool_result")
    return [was.text == now.text for was, now in both]


OTHERS = [(f"make part-{number}", text(f"part{number}")) for number in range(6)]


def test_the_freshest_reads_of_the_files_worked_with_stay_and_older_content_goes() -> None:
    login, session = ("/src/login.py", text("login")), ("/src/session.py", text("session"))
    old = [("/src/first.py", text("first")), ("/src/second.py", text("second"))]
    view = Engine(EAGER).fit(request(*old, login, session, *OTHERS), session="s", now_ms=1)
    assert shown(view) == [False, False, True, True, *[False] * 3, *[True] * 3]


def test_of_reads_of_one_file_only_the_newest_stays_and_of_runs_of_one_test_too() -> None:
    login, failing = ("/src/login.py", text("login")), ("pytest tests/test_login.py", text("FAILED") + "\nExit code 1")
    calls = [login, failing, login, failing, login, failing, *OTHERS[:3]]
    view = Engine(EAGER).fit(request(*calls), session="s", now_ms=1)
    assert shown(view) == [False, False, False, False, True, True, True, True, True]


def test_what_was_read_again_is_not_taken_again_at_once() -> None:
    """A file that is read, goes with age, and is read again: from then on it is among those worked with."""
    login = ("/src/login.py", text("login"))
    others = [(f"/src/m{number}.py", text(f"m{number}")) for number in range(4)]
    calls = [login, *others, *OTHERS[:3], login, *OTHERS[3:]]
    engine, views = Engine(EAGER), list[View]()
    for count in range(1, len(calls) + 1):
        views.append(engine.fit(request(*calls[:count]), session="s", now_ms=count))
    assert not shown(views[7])[0]
    assert all(shown(view)[8] for view in views[8:])


def test_sixty_rounds_of_four_files_read_none_of_them_away() -> None:
    """An agent that goes round four files: under `balance` the newest read of each is there when it comes back."""
    names = [f"/src/{name}.py" for name in ("login", "session", "user", "token")]
    calls = [(names[number % 4], text(names[number % 4][5:-3])) for number in range(60)]
    engine = Engine("balance")
    for count in range(1, len(calls) + 1):
        view = engine.fit(request(*calls[:count]), session="s", now_ms=1_000 * count, idle_s=5.0)
        newest = {calls[at][0]: seen for at, seen in enumerate(shown(view))}
        assert all(newest.values())


def test_what_was_read_twice_is_told() -> None:
    recording = read_recording(request(("/src/login.py", text("login")), *OTHERS, ("/src/login.py", text("login"))))
    run = simulate(recording)
    (again,) = [leak for leak in analyze_spending(recording, run, recall_of(recording)).leaks if leak.what == "again"]
    assert (again.times, again.tool) == (1, "Read")
    assert again.tokens > 500
