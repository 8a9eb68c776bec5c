"""The example's plugins keep what secateur promises. The distribution has to be installed: its formats and rules are
looked up by name."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from secateur_example.dialog import Dialog
from secateur_example.enough import EnoughFreed
from secateur_example.gateway import long_result
from secateur_example.named import open_named
from secateur_example.squeeze import SqueezeBlankLines
from secateur_example.turns import command
from secateur_example.verbatim import make_summarizer
from secateur_example.words import count_words

from secateur.plugins import Counter, Format, Rule, Schedule, Store, Strategy, Summarizer
from secateur.testing import (
    CommandKit,
    CounterKit,
    FormatKit,
    PresetKit,
    RuleKit,
    ScheduleKit,
    StoreKit,
    StrategyKit,
    SummarizerKit,
)

HERE = Path(__file__).parent
DIALOG = HERE / "vectors" / "tidy" / "request.json"


class TestDialog(FormatKit):
    def format(self) -> Format:
        return Dialog()

    def documents(self) -> Sequence[bytes]:
        return [DIALOG.read_bytes()]

    def vectors(self) -> Path:
        return HERE / "vectors"


class TestSqueezeBlankLines(StrategyKit):
    def strategy(self) -> Strategy:
        return SqueezeBlankLines()


class TestEnoughFreed(ScheduleKit):
    def schedule(self) -> Schedule:
        return EnoughFreed(least_tokens=100)


class TestTidy(PresetKit):
    def preset(self) -> str:
        return (HERE.parent / "src" / "secateur_example" / "tidy.toml").read_text()


class TestLongResult(RuleKit):
    def rule(self) -> Rule:
        return long_result

    def breaks(self) -> Any:
        return _body("word " * 1_000)

    def passes(self) -> Any:
        return _body("short")


class TestNamed(StoreKit):
    def opened(self, folder: Path) -> Store:
        return open_named(f"named://{folder.name}", folder)


class TestVerbatim(SummarizerKit):
    def summarizer(self) -> Summarizer:
        return make_summarizer("verbatim:All is well.")


class TestWords(CounterKit):
    def counter(self) -> Counter:
        return count_words


class TestTurns(CommandKit):
    schema = "secateur-example.turns/1"

    def command(self) -> click.Command:
        return command

    def arguments(self) -> Sequence[str]:
        return [str(DIALOG)]


def _body(result: str) -> dict[str, Any]:
    messages: list[dict[str, Any]] = json.loads(
        """[
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "find", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": ""}]}
    ]"""
    )
    messages[2]["content"][0]["content"] = result
    return {"model": "claude-haiku-4-5", "max_tokens": 64, "messages": messages}
