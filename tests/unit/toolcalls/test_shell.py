"""Shell commands as they are parsed: what a substitution interrupts goes on behind it."""

import pytest

from secateur.toolcalls.shell import parse_command_line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("make -j$(nproc) all && x", [("nproc",), ("make", "-j$", "all"), ("x",)]),
        ("a $(b $(c) d) e", [("c",), ("b", "$", "d"), ("a", "$", "e")]),
        ("$(npm bin)/jest -v", [("npm", "bin"), ("$/jest", "-v")]),
        ("a $((1+2)) b", [("1+2",), ("a", "$", "b")]),
        ("a $( (cd x; ls) ) b", [("cd", "x"), ("ls",), ("a", "$", "b")]),
        ("a $(b", [("b",), ("a", "$")]),
        ("(cd x && make)", [("cd", "x"), ("make",)]),
        ("case x in a) cmd;; esac", [("case", "x", "in", "a"), ("cmd",), ("esac",)]),
    ],
)
def test_a_command_goes_on_behind_a_substitution(line: str, words: list[tuple[str, ...]]) -> None:
    assert [simple.words for simple in parse_command_line(line).commands] == words


def test_what_a_captured_command_prints_is_not_shown() -> None:
    captured = [simple.is_captured for simple in parse_command_line("make -j$(nproc) > $(mktemp) && (cd x)").commands]
    assert captured == [True, True, False, False]
    assert parse_command_line("make -j$(nproc) > log").commands[-1].writes == ("log",)
