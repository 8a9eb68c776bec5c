"""Shell commands as they are parsed: what a substitution interrupts goes on behind it."""

import pytest

from secateur.toolcalls.file_effects import parse_effects
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


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ('t=$(mktemp -d); cd "$t/lib"; touch a.go; cd /repo; touch b.go', ["b.go"]),
        ("T=`mktemp -d`\ncd ${T}\ntouch a.go; cp a.go /repo/c.go", ["/repo/c.go"]),
        ('cd "$(mktemp -d)" && touch a.go', []),
        ('t=$(mktemp -d); cd "$t" && mkdir work && cd work && touch a.go && cd .. && touch b.go', []),
        ('cd "$(git rev-parse --show-toplevel)" && touch a.go', ["a.go"]),
        ("f=$(mktemp); cd src && touch a.go", ["a.go"]),
        ('t=$(mktemp -d); cd "$target" && touch a.go', ["a.go"]),
    ],
)
def test_files_of_a_scratch_folder_that_the_line_made_are_none_of_the_session(line: str, paths: list[str]) -> None:
    assert [effect.path for effect in parse_effects(line)] == paths
