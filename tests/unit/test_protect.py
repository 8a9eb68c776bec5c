"""The selection language: globs, and how many tokens stay."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import ConfigError
from secateur.policy import load
from secateur.protect import Protection, count_protected_tokens, is_protected_tool

HERMES = ((32_000, 10_000), (128_000, 40_000), (1_000_000, 100_000))


@pytest.mark.parametrize(
    ("deny", "allow", "tool", "stays"),
    [
        ((), (), "bash", False),
        (("skill",), (), "skill", True),
        (("skill",), (), "Skill", True),
        (("SKILL",), (), " skill ", True),
        (("skill",), (), "skills", False),
        (("*image*",), (), "make_image_now", True),
        (("mcp_?",), (), "mcp_a", False),
        (("mcp_?",), (), "mcp_?", True),
        (("a*a",), (), "a", False),
        (("a*b*c",), (), "a-b-c", True),
        (("a*b*c",), (), "a-c-b", False),
        ((), ("exec", "read"), "read", False),
        ((), ("exec", "read"), "browser", True),
        (("exec",), ("ex*",), "Exec", True),
        ((), (" ",), "browser", False),
        (("  ",), (), "", False),
        ((), ("*",), "", False),
        ((), ("exec",), "", True),
        (("a.b",), (), "axb", False),
        (("a[b]",), (), "a[b]", True),
        (("a**b",), (), "a-b", True),
    ],
)
def test_globs(deny: tuple[str, ...], allow: tuple[str, ...], tool: str, stays: bool) -> None:
    assert is_protected_tool(Protection(tools=deny, prunable_tools=allow), tool) is stays


@given(st.text("ab*?[.", max_size=8), st.text("ab*?[.", max_size=10))
def test_a_glob_is_its_letters_with_anything_for_each_star(glob: str, tool: str) -> None:
    meant = ".*".join(map(re.escape, glob.split("*")))
    assert is_protected_tool(Protection(tools=(glob,)), tool) is (glob != "" and re.fullmatch(meant, tool) is not None)


def test_no_glob_is_tried_twice() -> None:
    """One that a backtracking matcher would not be done with in a lifetime."""
    glob = "a*" * 400 + "b"
    assert not is_protected_tool(Protection(tools=(glob,)), "a" * 5_000)
    assert is_protected_tool(Protection(tools=(glob,)), "a" * 5_000 + "b")


def test_globs_have_a_length() -> None:
    for field in ("tools", "prunable_tools"):
        assert load({"protect": {field: ["a" * 1_000]}})
        with pytest.raises(ConfigError, match="1000"):
            load({"protect": {field: ["a" * 1_001]}})


@pytest.mark.parametrize(
    ("tokens", "window", "kept"),
    [
        (0, 200_000, 0),
        (40_000, 8_000, 40_000),
        (0.25, 200_000, 50_000),
        (HERMES, 0, 0),
        (HERMES, 16_000, 5_000),
        (HERMES, 32_000, 10_000),
        (HERMES, 80_000, 25_000),
        (HERMES, 128_000, 40_000),
        (HERMES, 564_000, 70_000),
        (HERMES, 1_000_000, 100_000),
        (HERMES, 2_000_000, 100_000),
    ],
)
def test_protected_tokens(tokens: int | float | tuple[tuple[int, int], ...], window: int, kept: int) -> None:
    assert count_protected_tokens(Protection(last_tokens=tokens), window) == kept
