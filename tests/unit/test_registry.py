"""Registries: what is built in and what distributions bring, found once, with every way in which a plugin can fail."""

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from plugin_distributions import installed, write
from secateur import fit, formats, policy, registry
from secateur.errors import ConfigError, UnknownFormat
from secateur.policy import load
from secateur.registry import PluginWarning, Registry
from secateur.schedule import SCHEDULES
from secateur.stores import STORES, open_store
from secateur.strategy import STRATEGIES
from secateur.summarizers import parse
from secateur.tokens import COUNTERS, list_report_counters

STRATEGY = """
from secateur.model import Rewrite
from secateur.strategy import Strategy


class Shout(Strategy, frozen=True, kw_only=True, tag="shout"):
    leaves = "a shout stays"
    text: str = "!"

    def __call__(self, transcript, budget):
        for message in transcript.messages:
            for part in message.parts:
                if part.kind == "tool_result" and part.key not in budget.edited_by and len(part.text) > len(self.text):
                    yield Rewrite(part.key, self.text, strategy="shout")
"""
READ: list[Any] = [
    {"role": "user", "content": "Read a.txt."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {"path": "a.txt"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "line\n" * 90}]},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "Thanks."},
]


def numbers(built_in: dict[str, str]) -> Registry[Any]:
    return Registry("counters", built_in, lambda name, loaded: loaded)


def shouting(folder: Path, name: str = "shouting", version: str = "1.0") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(STRATEGY)
    write(folder, name, {"strategies": {"shout": f"{name}:Shout"}}, version)
    return folder


def test_a_registry_is_what_is_built_in_and_what_distributions_bring(tmp_path: Path) -> None:
    write(tmp_path, "more", {"counters": {"tau": "math:tau"}})
    known = numbers({"pi": "math:pi"})
    with installed(tmp_path):
        assert known.list_names() == ("pi", "tau")
        assert known.get("tau") == 2 * known.get("pi")
        assert known.get("phi") is None
        assert known.load_all() == {"pi": known.get("pi"), "tau": known.get("tau")}
        [plugin] = known.list_plugins()
        assert (plugin.name, plugin.origin, plugin.problem) == ("tau", "more 1.0", "")
    assert known.list_names() == ("pi",)


def test_what_is_built_in_needs_no_look_at_what_is_installed() -> None:
    code = (
        "import sys; from secateur import fit; from secateur.policy import PRESETS, load; [load(p) for p in PRESETS];"
        "fit([{'role': 'user', 'content': 'hello'}]); print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_plugin_that_cannot_be_loaded_warns_and_is_an_error_by_name(tmp_path: Path) -> None:
    write(tmp_path, "torn", {"counters": {"lost": "no_such_module:it", "tau": "math:tau"}})
    known = numbers({})
    with installed(tmp_path):
        with pytest.warns(PluginWarning, match=r"'lost' \(secateur.counters\) of torn 1.0 cannot be used"):
            assert list(known.load_all()) == ["tau"]
        with pytest.raises(ConfigError, match="torn 1.0 cannot be used: ModuleNotFoundError: No module named"):
            known.get("lost")
        assert [bool(plugin.problem) for plugin in known.list_plugins()] == [True, False]


def test_two_distributions_with_one_name_are_refused_and_both_are_named(tmp_path: Path) -> None:
    write(tmp_path, "first", {"counters": {"tau": "math:tau"}})
    write(tmp_path, "second", {"counters": {"tau": "math:tau"}}, "2.0")
    known = numbers({})
    with installed(tmp_path):
        with pytest.warns(PluginWarning, match=r"first 1.0 and second 2.0 both bring it|second 2.0 and first 1.0"):
            assert known.list_names() == ()
        with pytest.raises(ConfigError, match="both bring it. Uninstall one"):
            known.get("tau")


def test_no_plugin_takes_the_name_of_something_built_in(tmp_path: Path) -> None:
    write(tmp_path, "greedy", {"counters": {"pi": "math:tau"}})
    known = numbers({"pi": "math:pi"})
    with installed(tmp_path):
        assert known.get("pi") == pytest.approx(3.14159, abs=1e-4)
        with pytest.warns(PluginWarning, match=r"of greedy 1.0 is not used: 'pi' is built in"):
            assert known.list_names() == ("pi",)
        assert [plugin.problem for plugin in known.list_plugins()] != [""]


def test_the_switch_disables_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECATEUR_PLUGINS", "off")
    with installed(shouting(tmp_path)):
        assert STRATEGIES.list_names() == tuple(STRATEGIES.built_in)
        with pytest.raises(ConfigError, match="'shout' at prune"):
            load({"prune": [{"type": "shout"}]})


@pytest.mark.parametrize("known", [STRATEGIES, SCHEDULES, STORES, COUNTERS], ids=lambda known: known.kind)
def test_every_built_in_thing_is_there_under_its_name(known: Registry[Any]) -> None:
    for name in known.built_in:
        found = known.get(name)
        assert callable(found)
        if known.kind in ("strategies", "schedules"):
            assert found.__struct_config__.tag == name


def test_a_policy_names_the_strategy_of_a_plugin_with_its_fields(tmp_path: Path) -> None:
    with installed(shouting(tmp_path)):
        shouts = load({"prune": [{"type": "shout", "text": "?"}]})
        assert type(shouts.prune[0]).__name__ == "Shout"
        view = fit(READ, policy=shouts)
        assert view.request[2]["content"][0]["content"] == "?"
        with pytest.raises(ConfigError, match="no field 'txt' at prune"):
            load({"prune": [{"type": "shout", "txt": "?"}]})
        with pytest.raises(ConfigError, match="'shut' at prune.*did you mean shout"):
            load({"prune": [{"type": "shut"}]})
    with pytest.raises(ConfigError, match="'shout' at prune"):
        load({"prune": [{"type": "shout"}]})


def test_a_policy_that_names_a_torn_plugin_says_whose_it_is(tmp_path: Path) -> None:
    write(tmp_path, "torn", {"schedules": {"tides": "no_such_module:Tides"}})
    with installed(tmp_path), pytest.raises(ConfigError, match="'tides' .secateur.schedules. of torn 1.0"):
        load({"schedule": {"type": "tides"}})


@pytest.mark.parametrize("reference", ["math:pi", "secateur.strategies.condense:Condense"])
def test_what_is_no_strategy_of_that_name_is_refused(tmp_path: Path, reference: str) -> None:
    write(tmp_path, "odd", {"strategies": {"shout": reference}})
    with installed(tmp_path), pytest.raises(ConfigError, match="of odd 1.0 cannot be used: .*(subclass|tag)"):
        load({"prune": [{"type": "shout"}]})


FORMAT = """
from secateur.lineage import assign_keys
from secateur.model import Message, Part, Transcript
from secateur.plugins import Format


class Tape(Format):
    name = "tape"
    telltale_names = frozenset({"reel", "spool"})

    def recognize(self, native):
        value = native.value() if hasattr(native, "value") else native
        return "a `reel`" if isinstance(value, dict) and "reel" in value else ""

    def read(self, native, known=(), model=""):
        value = native.value() if hasattr(native, "value") else native
        spoken = enumerate(value["reel"])
        parts = ((number, (Part("text", ("reel", number), text),)) for number, text in spoken)
        messages = (Message(("user", "assistant")[number % 2], ("reel", number), said) for number, said in parts)
        return Transcript(("reel",), assign_keys(messages), model)
"""


def test_a_format_of_a_plugin_is_found_after_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "taped.py").write_text(FORMAT.replace("secateur.plugins", "secateur.formats"))
    write(tmp_path, "taped", {"formats": {"tape": "taped:Tape"}})
    tape = {"reel": ["hello", "good day"]}
    with installed(tmp_path):
        assert formats.list_format_names() == (*formats.FORMATS, "tape")
        for request in (tape, json.dumps(tape).encode()):
            view = fit(request)
            assert view.receipt.format == "tape"
            assert view.request is request
            assert fit(request, format="tape").receipt.format == "tape"
        with pytest.raises(UnknownFormat, match="closest is tape: it has spool"):
            fit(b'{"spool": []}')
    with pytest.raises(UnknownFormat):
        fit(tape)


def test_a_format_that_fails_to_look_at_a_document_does_not_hide_it_from_others(tmp_path: Path) -> None:
    (tmp_path / "taped.py").write_text(FORMAT.replace("secateur.plugins", "secateur.formats"))
    clumsy = "from secateur.formats import Format\n\n\nclass Clumsy(Format):\n    name = 'clumsy'\n"
    (tmp_path / "clumsy.py").write_text(clumsy)
    write(tmp_path, "taped", {"formats": {"tape": "taped:Tape"}})
    write(tmp_path, "clumsy", {"formats": {"clumsy": "clumsy:Clumsy"}})
    with installed(tmp_path), pytest.warns(PluginWarning, match="'clumsy'.*NotImplementedError"):
        assert fit({"reel": ["hello"]}).receipt.format == "tape"


PRESET = 'extends = "kilocode"\ndescription = "As kilocode, but sooner."\n'


def test_presets_counters_stores_and_summarizers_of_plugins_are_named_like_ours(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").write_text(
        "from secateur.stores.memory import MemoryStore\nfrom secateur.summarizers import Function\n\n\n"
        "def count(text):\n    return len(text.split())\n\n\ndef store(url):\n    return MemoryStore()\n\n\n"
        "def summarizer(name):\n    return Function(name, lambda ask: 'so')\n"
    )
    (tmp_path / "kit" / "sooner.toml").write_text(PRESET)
    (tmp_path / "kit" / "torn.toml").write_text("prun = []\n")
    points = {
        "counters": {"words": "kit:count"},
        "stores": {"shelf": "kit:store"},
        "summarizers": {"mine": "kit:summarizer"},
    }
    write(tmp_path, "kit", points | {"presets": {"sooner": "kit", "torn": "kit"}})
    with installed(tmp_path):
        assert list_report_counters() == ("estimate", "o200k", "words")
        assert fit(READ, counter="words").receipt.tokens_raw < fit(READ).receipt.tokens_raw
        assert load({"counter": "words"}).counter == "words"
        assert type(open_store("shelf://here")).__name__ == "MemoryStore"
        assert parse("mine:small")[0].name == "mine:small"
        with pytest.warns(PluginWarning, match=r"'torn' \(secateur.presets\) of kit 1.0 .* no field 'prun'"):
            assert policy.list_preset_names() == (*policy.PRESETS, "sooner")
        assert load("sooner").description == "As kilocode, but sooner."
        assert policy.read_source("sooner") == PRESET
        with pytest.raises(ConfigError, match="no field 'prun'"):
            load("torn")
    with pytest.raises(ConfigError, match="no policy 'sooner'"):
        load("sooner")


def test_a_registry_is_read_once(tmp_path: Path) -> None:
    with installed(shouting(tmp_path)):
        assert "shout" in STRATEGIES.list_names()
        write(tmp_path, "late", {"strategies": {"late": "shouting:Shout"}})
        assert "late" not in STRATEGIES.list_names()
        registry.forget()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "late" in STRATEGIES.list_names()
