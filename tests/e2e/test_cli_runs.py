"""A run in a fork of a loaded interpreter is the same as one in a new interpreter: code, output and errors."""

import pytest

from cli_runs import LONG, afresh, chat, secateur, worked

BODY = chat(*worked(LONG, LONG, "short", LONG))


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("prune", "-", "--policy", "opencode"), {}),
        ((), {}),
        (("pruen",), {}),
        (("simulate", "--help"), {}),
        (("compact", "-", "--window", "1"), {}),
        (("inspect", "-"), {"FORCE_COLOR": "1", "COLUMNS": "100"}),
        (("inspect", "-", "--json", "--counter", "o200k"), {}),
        (("check", "none.json"), {"SECATEUR_DEBUG": "1"}),
        (("simulate", "-", "--policy", "observe", "--json"), {}),
        (("sessions", "--json"), {"SECATEUR_STORE": "sqlite:////none/kept.db"}),
    ],
)
def test_output_is_the_same(args: tuple[str, ...], env: dict[str, str]) -> None:
    done = secateur(*args, stdin=BODY, **env)
    assert done == afresh(*args, stdin=BODY, **env)
    assert done.out or done.err


def test_a_run_leaves_nothing_for_the_next() -> None:
    first = secateur("inspect", "-", stdin=BODY)
    assert secateur("inspect", "-", stdin=BODY, FORCE_COLOR="1") != first
    assert secateur("inspect", "-", stdin=BODY) == first
    assert secateur("inspect", "-").code == 3
