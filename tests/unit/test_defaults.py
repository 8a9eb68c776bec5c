"""The policy where no one names one: said once, the same in the library and in the list of presets."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from native import calls, tool, user
from secateur import Engine, fit
from secateur.defaults import POLICY
from secateur.policy import DEFAULT, PRESETS, load


def test_it_is_balance_in_every_signature() -> None:
    assert POLICY == DEFAULT == PRESETS[0] == load(DEFAULT).name == "balance"
    assert Engine().policy == load("balance")
    assert inspect.signature(fit).parameters["policy"].default == POLICY
    assert fit([{"role": "user", "content": "hi"}]).receipt.policy == "balance"


def test_a_first_fit_loads_nothing_that_is_heavy() -> None:
    code = (
        "import sys; old = set(sys.modules); import secateur; secateur.fit(open(sys.argv[1], 'rb').read());"
        "print(*{name.split('.')[0] for name in set(sys.modules) - old} - set(sys.stdlib_module_names))"
    )
    session = Path(__file__).parents[2] / "sessions" / "openai_chat.json"
    argv = [sys.executable, "-c", code, str(session)]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    taken_by_msgspec = {"typing_extensions"}  # where it is installed
    assert set(loaded) - taken_by_msgspec == {"secateur", "msgspec"}


WHOLE = "on arrival, before it is ever cached: repetition written once, every value kept"
REPORT = "\n".join(f"{line}: {line * line % 97} of a kind of its own {'x' * (line % 7)}" for line in range(900))
WAITS = "waiting for the gate to open\n" * 900


@pytest.mark.parametrize(("printed", "edited"), [(REPORT, []), (WAITS, [("reduce_output", "c")])])
def test_what_is_new_stays_whole_unless_less_says_the_same_and_the_reason_says_so(
    printed: str, edited: list[tuple[str, str]]
) -> None:
    old = [
        one for n in range(30) for one in (calls((f"o{n}", "bash")), tool(f"{n} of what was printed\n" * 60, f"o{n}"))
    ]
    done = [*old, calls(("c", "bash"), args='{"command": "make report"}'), tool(printed, "c")]
    view = fit({"model": "gpt-5", "messages": [user("make the report"), *done]}, idle_s=20.0, now_ms=0)
    assert [(entry.strategy, entry.call_id) for entry in view.receipt.edits] == edited
    if edited:
        assert view.receipt.reason == WHOLE
        assert view.receipt.skipped_reason == ""  # something was done, so nothing is said of why not
