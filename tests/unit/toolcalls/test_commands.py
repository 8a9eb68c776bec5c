"""Command lines as a summary tells them: on one line, each command told from the next."""

import pytest

from secateur.toolcalls.commands import join_command_lines


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("git add a\ngit commit -m x\n", "git add a; git commit -m x"),
        ("git add a &&\ngit push", "git add a && git push"),
        ("cat a |\n  sort", "cat a | sort"),
        ("cp a \\\n   b", "cp a b"),
        ("cd a\n\n\nls", "cd a; ls"),
        ('git commit -m "one\ntwo"\ngit push', 'git commit -m "one two"; git push'),
        ("for n in 1 2; do\n  echo $n\ndone", "for n in 1 2; do echo $n; done"),
        ("# look\nls", "# look ls"),
        ("cat <<E\na\nE", "cat <<E a E"),
        ("ls   -l", "ls -l"),
    ],
)
def test_a_command_that_ends_with_its_line_is_told_from_the_next(lines: str, line: str) -> None:
    assert join_command_lines(lines) == line
