"""What an installation writes can be taken out again, whatever else was changed in the file since."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import ConfigError
from secateur.hosts.changes import BEGIN, JsonMembers, OwnFile, TextBlock

NAMES = st.sampled_from(["a", "b", "hooks", "mcp"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["x", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


def test_members_are_merged_into_the_users_own() -> None:
    own = {"model": "opus", "hooks": {"Stop": [1], "Start": [2]}}
    change = JsonMembers("settings.json", {"hooks": {"Start": [3], "End": [4]}, "env": {"X": "1"}})
    rendered = change.render(json.dumps(own).encode())
    assert json.loads(rendered) == {
        "model": "opus",
        "hooks": {"Stop": [1], "Start": [2, 3], "End": [4]},
        "env": {"X": "1"},
    }
    later = json.loads(rendered) | {"theme": "dark"}
    later["hooks"]["Start"].append(5)
    left = change.strip(json.dumps(later).encode(), json.dumps(own).encode())
    assert json.loads(left or b"") == {
        "model": "opus",
        "hooks": {"Stop": [1], "Start": [2, 5]},
        "theme": "dark",
    }


@settings(deadline=None)
@given(own=OBJECTS, ours=OBJECTS)
def test_what_was_merged_can_be_taken_out(own: dict[str, Any], ours: dict[str, Any]) -> None:
    change, before = JsonMembers("f", ours), json.dumps(own).encode()
    left = change.strip(change.render(before), before)
    assert json.loads(left or b"{}") == own


@settings(deadline=None)
@given(own=OBJECTS, ours=OBJECTS, more=st.integers())
def test_what_was_added_since_stays(own: dict[str, Any], ours: dict[str, Any], more: int) -> None:
    change, before = JsonMembers("f", ours), json.dumps(own).encode()
    now = json.loads(change.render(before)) | {"later": more}
    left = change.strip(json.dumps(now).encode(), before)
    assert json.loads(left or b"{}") == own | {"later": more}


def test_a_file_that_only_we_wrote_into_goes() -> None:
    change = JsonMembers("f", {"hooks": {"Stop": [1]}})
    assert change.strip(change.render(None), None) is None
    block = TextBlock("f", "x = 1")
    assert block.strip(block.render(None), None) is None


@pytest.mark.parametrize("bad", [b"{ // a comment\n}", b"[]", b"\xff"])
def test_a_file_that_cannot_be_merged_is_an_error_that_names_it(bad: bytes) -> None:
    with pytest.raises(ConfigError, match=r"settings\.json"):
        JsonMembers("settings.json", {"a": 1}).render(bad)


@settings(deadline=None)
@given(own=st.binary(max_size=30), later=st.binary(max_size=30).filter(lambda data: BEGIN.encode() not in data))
def test_lines_at_the_end_can_be_taken_out(own: bytes, later: bytes) -> None:
    block = TextBlock("config.toml", '[mcp_servers.secateur]\ncommand = "secateur"')
    rendered = block.render(own)
    assert rendered.startswith(own)
    left = block.strip(rendered + later, own) or b""
    assert left in (own + later, own + b"\n" + later)


def test_lines_that_were_changed_are_left_to_a_person() -> None:
    block = TextBlock("config.toml", "x = 1")
    with pytest.raises(ConfigError, match="remove them by hand"):
        block.strip(block.render(b"").replace(b"1", b"2"), b"")


def test_a_file_of_our_own_gives_way_to_what_was_there() -> None:
    assert OwnFile("f", "ours").strip(b"edited", b"theirs") == b"theirs"
    assert OwnFile("f", "ours").strip(b"edited", None) is None
