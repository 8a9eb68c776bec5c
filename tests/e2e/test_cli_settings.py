"""Options that are stated once: by the environment, a project's file and the user's own; and where each came from."""

import re
from pathlib import Path

import pytest

from cli_runs import pi_worked, saved, secateur


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder with a session, below a folder that may state something too."""
    folder = tmp_path / "project" / "inside"
    folder.mkdir(parents=True)
    saved(folder, pi_worked(), "session.jsonl")
    monkeypatch.chdir(folder)
    return folder


def settings(desk: Path, *args: object, **env: str) -> dict[str, tuple[str, str]]:
    done = secateur("doctor", "session.jsonl", "--json", *args, HOME=str(desk), **env)
    assert done.code in (0, 1), done.err
    return {one["name"]: (one["value"], one["source"]) for one in done.json["settings"]}


def test_without_files_all_is_as_it_was(desk: Path) -> None:
    assert settings(desk)["policy"] == ("balance", "preset balance, the default")


def test_the_nearest_file_above_counts_and_the_command_line_comes_first(desk: Path) -> None:
    (desk.parent / "secateur.toml").write_text(
        'policy = "hermes"\nmodel = "gpt-5"\nwindow = 90000\nprotect = ["read*"]\n'
    )
    found, where = settings(desk), str(desk.parent / "secateur.toml")
    assert found["policy"] == ("hermes", f"{where}: preset hermes")
    assert found["model"] == ("gpt-5", where)
    assert found["window"] == ("90,000", where)
    assert found["protect.tools"][1].endswith(f"and {where}")
    assert settings(desk, "--policy", "kilocode")["policy"] == ("kilocode", "preset kilocode")
    assert settings(desk, "--model", "gpt-4o")["model"] == ("gpt-4o", "--model")
    report = secateur("prune", "session.jsonl", "--json", HOME=str(desk)).json
    assert (report["policy"], report["model"], report["window"]["value"]) == ("hermes", "gpt-5", 90_000)


def test_the_environment_comes_before_files_and_a_project_before_the_user(desk: Path) -> None:
    user = desk / "config" / "secateur"
    user.mkdir(parents=True)
    (user / "secateur.toml").write_text('policy = "opencode"\nwindow = 50000\n')
    (desk / "pyproject.toml").write_text('[tool.secateur]\npolicy = "openclaw"\n')
    env = {"XDG_CONFIG_HOME": str(desk / "config")}
    found = settings(desk, **env)
    assert (found["policy"][0], found["window"][0]) == ("openclaw", "50,000")
    found = settings(desk, **env, SECATEUR_POLICY="hermes", SECATEUR_MODEL="claude-opus-4-5")
    assert found["policy"] == ("hermes", "SECATEUR_POLICY: preset hermes")
    assert found["model"] == ("claude-opus-4-5", "SECATEUR_MODEL")


def test_a_policy_file_is_found_beside_the_file_that_names_it(desk: Path) -> None:
    (desk.parent / "ours.toml").write_text('extends = "opencode"\nname = "ours"\n')
    (desk.parent / "secateur.toml").write_text('policy = "ours.toml"\n')
    assert settings(desk)["policy"][0] == "ours"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('store = "postgresql://elsewhere/db"', "it can contain policy, model, window, counter, protect"),
        ("window = true", "it can contain"),
        ("policy = ", "is not TOML"),
        ("\udcff", "is not TOML"),
    ],
)
def test_a_file_that_is_wrong_is_named(text: str, said: str, desk: Path) -> None:
    (desk / "secateur.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = secateur("prune", "session.jsonl", "--json", HOME=str(desk))
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert str(desk / "secateur.toml") in done.err
    assert said in done.err
    assert secateur("sessions", "--store", f"sqlite:///{desk / 's.db'}", HOME=str(desk)).code in (0, 2)


def test_several_policies_are_asked_for_by_name_alone(desk: Path) -> None:
    (desk / "secateur.toml").write_text('policy = "hermes"\n')
    report = secateur("simulate", "session.jsonl", "--json", HOME=str(desk))
    assert report.code in (0, 1), report.err
    assert {"hermes", "balance", "opencode"} <= {one["policy"] for one in next(iter(report.json["lines"].values()))}


def test_the_page_names_every_variable() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "reference" / "settings.md").read_text()
    code = "".join(path.read_text() for path in (root / "src" / "secateur").rglob("*.py"))
    named = set(re.findall(r"\bSECATEUR_[A-Z_]+[A-Z]\b", code))
    assert named >= {"SECATEUR_POLICY", "SECATEUR_STORE"}
    assert named - set(re.findall(r"`(SECATEUR_[A-Z_]+)`", page)) == set()
