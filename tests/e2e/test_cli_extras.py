"""Without an optional package a command does without, or says in a sentence which extra brings it."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cli_runs import pi_worked, saved, without
from secateur.cli.installed import EXTRAS, find_extra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
DECLARED = PROJECT["optional-dependencies"]


def test_all_brings_every_extra() -> None:
    brought, *bounds = DECLARED["all"]
    assert all(Requirement(one).name in {name for names in EXTRAS.values() for name in names} for one in bounds)
    assert set(re.findall(r"[a-z-]+", brought.partition("[")[2])) == set(DECLARED) - {"all", "dev", "oracle"}


def test_what_is_shown_as_an_extra_is_what_the_package_declares() -> None:
    declared = {
        extra: {re.match(r"[\w-]+", one)[0] for one in wanted if not one.startswith("secateur")}  # type: ignore[index]
        for extra, wanted in DECLARED.items()
        if extra not in ("all", "dev", "oracle")
    }
    assert {extra: set(names) for extra, names in EXTRAS.items()} == declared


@pytest.mark.parametrize(
    ("module", "extra"),
    [("numpy", "simulate"), ("numpy.typing", "simulate"), ("rich.console", "cli"), ("pyarrow", "parquet"), ("os", "")],
)
def test_a_missing_module_is_traced_to_its_extra(module: str, extra: str) -> None:
    assert find_extra(module) == extra


@pytest.mark.parametrize("module", ["numpy", "rich", "pyarrow", "vl_convert", "toktok_rs", "platformdirs", "pyjson5"])
def test_no_command_fails_over_a_missing_package_without_saying_so(module: str, tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    store = ["--store", f"sqlite:///{tmp_path / 'kept.db'}"]
    for args in (
        ["scan", tmp_path],
        ["simulate", path, "--plot", tmp_path / "x.svg", "--csv", tmp_path / "x.csv"],
        ["prune", path, "-o", tmp_path / "out", *store],
        ["inspect", path, "--counter", "o200k"],
        ["doctor"],
    ):
        done = without(module, *args)
        assert done.code in (0, 1, 2), (args, done.err)
        if done.code == 2:
            assert "pip install 'secateur[" in done.err
            assert len(done.err.splitlines()) == 1
