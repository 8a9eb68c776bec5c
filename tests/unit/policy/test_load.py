"""Policies are made of plain data, and refused with the place and the nearest valid name."""

from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.policy import Policy, as_toml, list_preset_names, load, read_source, with_protected_tools
from secateur.policy.explain import RENAMED_FIELDS
from secateur.protect import Protection
from secateur.schedule import SCHEDULES, Never, Threshold
from secateur.strategies import STRATEGIES, ClearInputs, ClearMedia, Excerpt, HardClear, SoftTrim


@pytest.mark.parametrize("name", list_preset_names())
def test_presets_load_and_their_toml_loads_back(name: str, tmp_path: Path) -> None:
    policy = load(name)
    assert policy.name == name
    assert policy.description
    again = tmp_path / "again.toml"
    again.write_text(as_toml(policy), "utf-8")
    assert load(again) == policy
    assert f'name = "{name}"' in read_source(name)


def test_every_field_survives_toml(tmp_path: Path) -> None:
    policy = Policy(
        name='of "mine" \\ — ünï',
        description="two\nlines\tand a tab",
        counter="chars",
        window=1,
        context_tokens=2,
        windows={"a/b.c": 3},
        sticky=False,
        record_cleared_at=True,
        allow_in_place="never",
        results_only=False,
        host_settings={"x y": "1h", "plain": ""},
        protect=Protection(tools=("a", "b"), last_tokens=((1, 2), (3, 4)), media_results=True, first_messages=2),
        on_arrival=Excerpt(max_chars=5),
        prune=(
            SoftTrim(form="ends"),
            HardClear(placeholder="[{tool} gone]", min_char_share=0.5),
            ClearMedia(keep=0),
            ClearInputs(),
        ),
        schedule=Threshold(only_models=("a:*",), min_idle_s=0.5, over_window_share=0.25, clear_at_least=7),
    )
    (tmp_path / "mine.toml").write_text(as_toml(policy), "utf-8")
    assert load(tmp_path / "mine.toml") == policy


@pytest.mark.parametrize("tokens", [0, 7, 0.5, ((1, 2),)])
def test_every_kind_of_token_count_survives_toml(tokens: Any, tmp_path: Path) -> None:
    policy = Policy(name="mine", protect=Protection(last_tokens=tokens))
    (tmp_path / "mine.toml").write_text(as_toml(policy), "utf-8")
    again = load(tmp_path / "mine.toml")
    assert again.protect.last_tokens == tokens
    assert type(again.protect.last_tokens) is type(tokens)


def test_a_policy_is_taken_as_it_is() -> None:
    policy = Policy(name="mine")
    assert load(policy) is policy
    assert load({"name": "mine"}) == policy


def test_a_file_gives_its_name(tmp_path: Path) -> None:
    (tmp_path / "garden.toml").write_text("[protect]\nlast_turns = 3\n")
    policy = load(str(tmp_path / "garden.toml"))
    assert (policy.name, policy.protect.last_turns) == ("garden", 3)


def test_extending_lays_tables_over_each_other() -> None:
    policy = load({"extends": "kilocode", "protect": {"last_turns": 3}, "schedule": {"over_prunable_tokens": 5}})
    kilocode = load("kilocode")
    assert policy.protect == replace(kilocode.protect, last_turns=3)
    assert policy.schedule == Threshold(over_prunable_tokens=5)
    assert policy.prune == kilocode.prune
    assert policy.name == "kilocode"


def test_a_table_that_says_what_it_is_replaces() -> None:
    assert load({"extends": "kilocode", "schedule": {"type": "never"}}).schedule == Never()


def test_insertion_time_excerpts_are_one_setting() -> None:
    policy = load({"extends": "opencode", "on_arrival": {"max_chars": 8_000}})
    assert policy.on_arrival == Excerpt(max_chars=8_000)
    assert replace(policy, on_arrival=None) == load("opencode")


def test_protecting_adds_tools() -> None:
    assert with_protected_tools(load("opencode"), ("memory_store", "skill")).protect.tools == ("skill", "memory_store")
    assert with_protected_tools(load("opencode"), ()) == load("opencode")
    compaction = with_protected_tools(load("balance"), ("memory_*",)).compaction
    assert compaction is not None
    assert compaction.keep_tools == ("memory_*",)
    bare = {"name": "bare", "prune": [{"type": "hard_clear"}]}
    assert with_protected_tools(load(bare), ("memory_*",)).compaction is None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("kilokode", "no policy 'kilokode' (did you mean kilocode?)"),
        ("zzz", "no policy 'zzz': give a TOML file, or one of balance, "),
        (7, "a policy is a name, a path, a dict or a Policy, not a int"),
        ({"extends": "opencod"}, "did you mean opencode?"),
        ({"extends": 3}, "not a int"),
        ({"nam": "x"}, "no field 'nam' (did you mean name?); fields are name, description, "),
        ({"protect": {"tool": ["x"]}}, "no field 'tool' at protect (did you mean tools or tool_kinds?)"),
        ({"protect": {"last_turns": -1}}, "expected `int` >= 0 at protect.last_turns"),
        ({"protect": {"last_tokens": "many"}}, "at protect.last_tokens"),
        ({"prune": 3}, "expected `array`, got `int` at prune"),
        ({"prune": [{"placeholder": "x"}]}, "missing required field `type` at prune[0]"),
        (
            {"prune": [{"type": "hard_clear"}, {"type": "soft_trimm"}]},
            "'soft_trimm' at prune[1].type is not known (did you mean ",
        ),
        (
            {"prune": [{"type": "hard_clear", "placeholders": ""}]},
            "no field 'placeholders' at prune[0] (did you mean placeholder?)",
        ),
        ({"prune": [{"type": "soft_trim", "form": "end"}]}, "'end' at prune[0].form"),
        ({"schedule": {"type": "treshold"}}, "'treshold' at schedule.type is not known (did you mean threshold?)"),
        (
            {"schedule": {"type": "threshold", "over_shar": 1}},
            "no field 'over_shar' at schedule (did you mean over_window_share?)",
        ),
        ({"schedule": {"type": "threshold", "over_window_share": 85}}, "at schedule.over_window_share"),
        ({"on_arrival": {"chars": 1}}, "no field 'chars' at on_arrival"),
        ({"counter": "chars/5"}, "chars/5"),
        ({"prune": [{"type": "hard_clear", "placeholder": "[{tols} gone]"}]}, "tols"),
        ({"prune": [{"type": "hard_clear", "placeholder": "{tool}"}]}, "no words of its own"),
        (
            {"results_only": True, "prune": [{"type": "clear_media"}]},
            "results_only, but clear_media also edits other parts",
        ),
    ],
)
def test_refused(wrong: Any, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(wrong)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ({"birth": {}}, "birth was renamed: write on_arrival"),
        ({"protect": {"turns": 2}}, "protect.turns was renamed: write last_turns"),
        ({"prune": [{"do": "hard_clear"}]}, "prune[0].do was renamed: write type"),
        ({"prune": [{"type": "hard_clear", "do": "x"}]}, "prune[0].do was renamed: write type"),
        ({"prune": [{"type": "hard_clear", "text": "x"}]}, "prune[0].text was renamed: write placeholder"),
        ({"schedule": {"when": "never"}}, "schedule.when was renamed: write type"),
        ({"schedule": {"type": "balance"}}, "schedule.type 'balance' was renamed: write 'break_even'"),
        ({"compaction": {"digest": {"beta": 1}}}, "compaction.digest.beta was renamed: write break_even_share"),
        ({"pricing": [{"hour": True}]}, "pricing[0].hour was renamed: write cache_ttl"),
    ],
)
def test_an_old_name_is_refused_with_the_new_one(old: Any, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(old)
    assert str(refused.value) == f"the policy: {says}"


def test_a_word_that_was_another_kind_of_name_is_just_unknown() -> None:
    with pytest.raises(ConfigError, match=r"'balance' at prune\[0\].type is not known"):
        load({"prune": [{"type": "balance"}]})


def test_every_old_name_has_a_field_to_take_its_place() -> None:
    of_registries = [registry.get(name) for registry in (STRATEGIES, SCHEDULES) for name in registry.list_names()]
    known = {struct.__name__: struct for struct in {*structs_of(Policy), *of_registries}}
    assert RENAMED_FIELDS.keys() <= known.keys()
    for name, renamed in RENAMED_FIELDS.items():
        assert set(renamed.values()) <= set(known[name].__struct_fields__)
        assert not set(renamed) & set(known[name].__struct_fields__)


def structs_of(kind: Any) -> set[Any]:
    """The structs that a policy is made of, those of strategies and schedules included."""
    found = {kind} if isinstance(kind, type) and issubclass(kind, Struct) else set()
    inner = get_type_hints(kind, include_extras=True).values() if found else get_args(kind)
    return found.union(*(structs_of(one) for one in inner))


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
