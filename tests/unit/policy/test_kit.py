"""Our own presets and counters pass what others' are asked to pass."""

import pytest

from secateur.policy import PRESETS, read_source
from secateur.testing import CounterKit, PresetKit
from secateur.tokens import COUNTERS, Counter


def laws(kit: type) -> list[str]:
    return [name for name in vars(kit) if name.startswith("test_")]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("law", laws(PresetKit))
def test_a_preset_keeps_the_law(name: str, law: str) -> None:
    class Kit(PresetKit):
        def preset(self) -> str:
            return read_source(name)

    getattr(Kit(), law)()


@pytest.mark.parametrize("name", COUNTERS.built_in)
@pytest.mark.parametrize("law", laws(CounterKit))
def test_a_counter_keeps_the_law(name: str, law: str) -> None:
    class Kit(CounterKit):
        def counter(self) -> Counter:
            found = COUNTERS.get(name)
            assert found
            return found

    getattr(Kit(), law)()
