"""The project's own files agree: the lock answers every dependency and names no machine; sessions are what they say."""

import json
import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
SESSIONS = sorted(path for path in (ROOT / "sessions").iterdir() if path.suffix in (".json", ".jsonl"))


def wanted() -> Iterator[Requirement]:
    """What the package and its extras depend on, besides itself."""
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    named = (Requirement(text) for listed in lists for text in listed)
    return (requirement for requirement in named if requirement.name != "secateur")


def pinned() -> dict[str, list[Version]]:
    """Package → the versions that the lock pins, one per Python version where they differ."""
    found: dict[str, list[Version]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", LOCK, re.M):
        found.setdefault(name, []).append(Version(version))
    return found


@pytest.mark.parametrize("requirement", list(wanted()), ids=str)
def test_the_lock_answers_every_dependency(requirement: Requirement) -> None:
    versions = pinned().get(requirement.name, [])
    assert versions
    assert all(version in requirement.specifier for version in versions)


def test_the_lock_has_pre_releases_only_where_a_release_pins_one() -> None:
    early = {name for name, versions in pinned().items() if any(one.is_prerelease for one in versions)}
    assert early == {"opentelemetry-semantic-conventions"}


def test_uv_installs_the_lock_as_it_is() -> None:
    """Overrides in pyproject.toml would replace pinned lines by lines without a hash, which uv then refuses."""
    assert "uv" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]


def list_needed(*names: str) -> set[str]:
    """Distributions, and what they need without extras, by the metadata of what is installed."""
    found: set[str] = set()
    left = [*names]
    while left:
        name = left.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            needed = (Requirement(text) for text in metadata.requires(name) or ())
            left += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def test_the_langchain_extra_brings_langchains_own_packages_and_no_provider() -> None:
    assert [Requirement(one).name for one in PROJECT["optional-dependencies"]["langchain"]] == ["langchain"]
    brought = list_needed("langchain")
    assert {one for one in brought if one.startswith("lang")} == {
        *("langchain", "langchain-core", "langchain-protocol", "langsmith"),
        *("langgraph", "langgraph-checkpoint", "langgraph-prebuilt", "langgraph-sdk"),
    }
    assert not brought & {"openai", "anthropic", "google-genai", "litellm", "tiktoken", "numpy", "pandas", "aiohttp"}
    files = (file for name in brought for file in metadata.files(name) or ())
    assert sum(file.size or 0 for file in files) < 100_000_000  # bytes; 53 million with langchain 1.4.7


def test_the_lock_hashes_everything_and_names_no_place() -> None:
    entries = re.split(r"^(?=[a-z0-9-]+==)", LOCK, flags=re.M)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|^--|/", LOCK, re.M)


def test_the_core_depends_on_msgspec_only() -> None:
    assert [Requirement(text).name for text in PROJECT["dependencies"]] == ["msgspec"]


def test_five_formats_ship_with_a_session() -> None:
    names = {path.name for path in SESSIONS}
    assert names == {
        "anthropic_messages.json",
        "claude_code.jsonl",
        "codex.jsonl",
        "openai_chat.json",
        "pi.jsonl",
    }


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_a_session_is_json_of_a_size_that_ships(session: Path) -> None:
    text = session.read_text()
    assert len(text.encode()) < 1_000_000
    documents = text.splitlines() if session.suffix == ".jsonl" else [text]
    assert all(isinstance(json.loads(document), dict) for document in documents)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_a_session_names_no_home_but_the_made_up_one(session: Path) -> None:
    homes = set(re.findall(r"(?<![\w.])/(?:home|Users)/(\w+)", session.read_text()))
    assert homes <= {"dev"}
