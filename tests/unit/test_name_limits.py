"""Names have a length: of sessions, tenants, models, formats, pins, globs and handles."""

from typing import Any

import pytest

from secateur import Engine, fit
from secateur.cli.program import run
from secateur.errors import ConfigError

LONG, LONGEST = "n" * 1_001, "n" * 1_000
BODY: dict[str, Any] = {"messages": [{"role": "user", "content": "go"}]}


@pytest.mark.parametrize("field", ["model", "format", "tenant"])
def test_an_engine_refuses_a_name_without_end(field: str) -> None:
    with pytest.raises(ConfigError, match=f"{field}=.*1,000 characters at most"):
        Engine("observe", **{field: LONG})


def test_a_session_s_name(tmp_path: Any) -> None:
    with Engine("observe", store=f"sqlite:///{tmp_path}/s.db") as engine:
        assert engine.fit(BODY, session=LONGEST).request == BODY
        for ask in (
            lambda: engine.fit(BODY, session=LONG),
            lambda: engine.compact(BODY, session=LONG),
            lambda: engine.record_usage(LONG, {}),
            lambda: engine.undo(LONG),
            lambda: engine.replay(LONG, 0),
            lambda: engine.pin(LONG, "tool", "bash"),
            lambda: engine.pin(LONGEST, "tool", LONG),
            lambda: engine.fit(BODY, session="s", tenant=LONG),
        ):
            with pytest.raises(ConfigError, match="1,000 characters at most"):
                ask()


def test_a_glob() -> None:
    assert fit(BODY, policy="observe", protect=LONGEST).request == BODY
    for globs in (LONG, ["bash", LONG]):
        with pytest.raises(ConfigError, match="1,000 characters at most"):
            fit(BODY, policy="observe", protect=globs)


@pytest.mark.parametrize("args", [["why", LONG], ["recall", LONG], ["undo", LONG], ["pin", LONG, "tool", "bash"]])
def test_a_command_refuses_it_without_repeating_it(args: list[str], capsys: Any) -> None:
    assert run(args) == 2
    told = capsys.readouterr().err
    assert "may have 1,000 characters" in told
    assert LONG not in told
