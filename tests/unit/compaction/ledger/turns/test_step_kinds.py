"""A command line is told without its folder and variables, and never cut inside a substitution."""

import pytest

from secateur.compaction.ledger.turns.step_kinds import name_line


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("cd app && CI=1 make test", "make test"),
        ("env CI=1 LANG=C pytest -q", "pytest -q"),
        ("t=$(mktemp -d); make -C $t", "t=$(mktemp -d); make -C $t"),
        ("V=`git rev-parse HEAD` make", "V=`git rev-parse HEAD` make"),
    ],
)
def test_only_plain_variables_are_left_out(line: str, name: str) -> None:
    assert name_line(line) == name
