"""Readers raise only our own errors on a fixed number of bent documents; `fuzz/readers.py` runs for any time."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from secateur import documents, formats

ROOT = Path(__file__).parent.parent / "fuzz"
DOCUMENTS = 1_000


def harness() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_readers", ROOT / "readers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_bent_documents_raise_nothing_but_our_own_errors() -> None:
    tried, failures = harness().run(7, documents=DOCUMENTS)
    assert [told for _, told in failures] == []
    assert tried == DOCUMENTS


def test_there_is_a_seed_for_every_format() -> None:
    read = {documents.read(path.read_bytes()).format.name for path in (ROOT / "seeds").iterdir()}
    assert set(formats.list_format_names()) == read


@pytest.mark.parametrize("seed", sorted((ROOT / "seeds").iterdir()), ids=lambda path: path.name)
def test_a_seed_fails_nowhere(seed: Path) -> None:
    module = harness()
    for format in (None, *formats.list_format_names()):
        assert module.attempt(seed.read_bytes(), format) == ""
