"""Policies are made of plain data, and refused with the place and the nearest valid name."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.policy import Policy, as_toml, load, names, protecting, source
from secateur.protect import Protect
from secateur.schedule import Never, Threshold
from secateur.strategies import ClearInputs, ClearMedia, Excerpt, HardClear, SoftTrim


@pytest.mark.parametrize("name", names())
def test_presets_load_and_their_toml_loads_back(name: str, tmp_path: Path) -> None:
    policy = load(name)
    assert policy.name == name
    assert policy.doc
    again = tmp_path / "again.toml"
    again.write_text(as_toml(policy), "utf-8")
    assert load(again) == policy
    assert f'name = "{name}"' in source(name)


def test_every_field_survives_toml(tmp_path: Path) -> None:
    policy = Policy(
        name='of "mine" \\ — ünï',
        doc="two\nlines\tand a tab",
        counter="chars",
        window=1,
        context_tokens=2,
        windows={"a/b.c": 3},
        sticky=False,
        stamp=True,
        in_place="never",
        results_only=False,
        host={"x y": "1h", "plain": ""},
        protect=Protect(tools=("a", "b"), tokens=((1, 2), (3, 4)), media=True, head=2),
        birth=Excerpt(max_chars=5),
        prune=(
            SoftTrim(form="ends"),
            HardClear(text="[{tool} gone]", from_weight=0.5),
            ClearMedia(keep=0),
            ClearInputs(),
        ),
        schedule=Threshold(only=("a:*",), idle_over_s=0.5, over_share=0.25, clear_at_least=7),
    )
    (tmp_path / "mine.toml").write_text(as_toml(policy), "utf-8")
    assert load(tmp_path / "mine.toml") == policy


@pytest.mark.parametrize("tokens", [0, 7, 0.5, ((1, 2),)])
def test_every_kind_of_token_count_survives_toml(tokens: Any, tmp_path: Path) -> None:
    policy = Policy(name="mine", protect=Protect(tokens=tokens))
    (tmp_path / "mine.toml").write_text(as_toml(policy), "utf-8")
    again = load(tmp_path / "mine.toml")
    assert again.protect.tokens == tokens
    assert type(again.protect.tokens) is type(tokens)


def test_a_policy_is_taken_as_it_is() -> None:
    policy = Policy(name="mine")
    assert load(policy) is policy
    assert load({"name": "mine"}) == policy


def test_a_file_gives_its_name(tmp_path: Path) -> None:
    (tmp_path / "garden.toml").write_text("[protect]\nturns = 3\n")
    policy = load(str(tmp_path / "garden.toml"))
    assert (policy.name, policy.protect.turns) == ("garden", 3)


def test_extending_lays_tables_over_each_other() -> None:
    policy = load({"extends": "kilocode", "protect": {"turns": 3}, "schedule": {"more_than": 5}})
    kilocode = load("kilocode")
    assert policy.protect == replace(kilocode.protect, turns=3)
    assert policy.schedule == Threshold(more_than=5)
    assert policy.prune == kilocode.prune
    assert policy.name == "kilocode"


def test_a_table_that_says_what_it_is_replaces() -> None:
    assert load({"extends": "kilocode", "schedule": {"when": "never"}}).schedule == Never()


def test_insertion_time_excerpts_are_one_setting() -> None:
    policy = load({"extends": "opencode", "birth": {"max_chars": 8_000}})
    assert policy.birth == Excerpt(max_chars=8_000)
    assert replace(policy, birth=None) == load("opencode")


def test_protecting_adds_tools() -> None:
    assert protecting(load("opencode"), ("memory_store", "skill")).protect.tools == ("skill", "memory_store")
    assert protecting(load("opencode"), ()) == load("opencode")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("kilokode", "no policy 'kilokode' (did you mean 'kilocode'?)"),
        ("zzz", "no policy 'zzz': give a TOML file, or one of balance, "),
        (7, "a policy is a name, a path, a dict or a Policy, not a int"),
        ({"extends": "opencod"}, "did you mean 'opencode'?"),
        ({"extends": 3}, "not a int"),
        ({"nam": "x"}, "no field 'nam' (did you mean 'name'?); fields are name, doc, "),
        ({"protect": {"tool": ["x"]}}, "no field 'tool' at protect (did you mean 'tools'?)"),
        ({"protect": {"turns": -1}}, "expected `int` >= 0 at protect.turns"),
        ({"protect": {"tokens": "many"}}, "at protect.tokens"),
        ({"prune": 3}, "expected `array`, got `int` at prune"),
        ({"prune": [{"text": "x"}]}, "missing required field `do` at prune[0]"),
        (
            {"prune": [{"do": "hard_clear"}, {"do": "soft_trimm"}]},
            "'soft_trimm' at prune[1].do is not known (did you mean ",
        ),
        ({"prune": [{"do": "hard_clear", "texts": ""}]}, "no field 'texts' at prune[0] (did you mean 'text'?)"),
        ({"prune": [{"do": "soft_trim", "form": "end"}]}, "'end' at prune[0].form"),
        ({"schedule": {"when": "treshold"}}, "'treshold' at schedule.when is not known (did you mean 'threshold'?)"),
        (
            {"schedule": {"when": "threshold", "over_shar": 1}},
            "no field 'over_shar' at schedule (did you mean 'over_share'?)",
        ),
        ({"schedule": {"when": "threshold", "over_share": 85}}, "at schedule.over_share"),
        ({"birth": {"chars": 1}}, "no field 'chars' at birth"),
        ({"counter": "chars/5"}, "chars/5"),
        ({"prune": [{"do": "hard_clear", "text": "[{tols} gone]"}]}, "tols"),
        ({"prune": [{"do": "hard_clear", "text": "{tool}"}]}, "no words of its own"),
        ({"results_only": True, "prune": [{"do": "clear_media"}]}, "results_only, but clear_media edits more"),
    ],
)
def test_refused(wrong: Any, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(wrong)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"), [("a = = 1", "is not TOML"), ("[protect]\nx = 1", "no field 'x' at protect")]
)
def test_a_refused_file_is_named(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "bad.toml")
    assert says in str(refused.value)
    assert "bad.toml" in str(refused.value)


def test_a_missing_file_and_one_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path / "binary.toml")
