"""The selection language: globs, and how many tokens stay."""

import pytest

from secateur.protect import Protect, protected_tokens, spares

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
        (("mcp_?",), (), "mcp_a", True),
        (("mcp_?",), (), "mcp_ab", False),
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
    assert spares(Protect(tools=deny, allow=allow), tool) is stays


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
    assert protected_tokens(Protect(tokens=tokens), window) == kept
