"""Tables at 80 columns: figures are whole, whatever a name is."""

import io

import pytest
from rich.console import Console

from secateur.cli.output.tables import make_list


@pytest.mark.parametrize("name", ["a", "x" * 32 + " (tenant)", "\u754c" * 32, "\U0001f4a5" * 32])
def test_a_wide_name_leaves_figures_and_their_heads_whole(name: str) -> None:
    out = io.StringIO()
    head = ("session", "last", ">receipts", ">epochs", ">removed", "format", "model")
    row = (name, "12 min ago", "1,234", "56", "789 kB", "anthropic_messages", "claude-sonnet-4-5-20250929")
    Console(file=out, width=80, force_terminal=False).print(make_list([row], "", head))
    for figure in (">receipts", ">epochs", ">removed", "1,234", "56", "789 kB"):
        assert figure.removeprefix(">") in out.getvalue()
