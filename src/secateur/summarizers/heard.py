"""An answer while it streams in.

Rule: an answer whose end was not announced is a dropped stream, however much of it there is. Tool calls are counted,
never carried out. A model's thoughts are no part of its answer.
"""

import re

from secateur.compaction.ask import SummaryAnswer, SummaryUsage
from secateur.summarizers.protocol import Failed

MOST_CHARS = 1_000_000  # of an answer: several times the longest summary
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.S)  # as servers without a field for it send it


class Heard:
    """What has come so far."""

    def __init__(self) -> None:
        self.finish = ""  # as the provider says it
        self.spent = SummaryUsage()
        self._pieces: list[str] = []
        self._chars = 0
        self._calls: set[str] = set()

    def say(self, text: str | None) -> None:
        """Some text came."""
        if text:
            self._pieces.append(text)
            self._chars += len(text)
        if self._chars > MOST_CHARS:
            raise Failed("malformed", f"the answer does not end: {self._chars:,} characters")

    def call(self, id: object) -> None:
        """A tool call came, or a piece of one."""
        self._calls.add(str(id))

    def build_answer(self, by: str) -> SummaryAnswer:
        """The complete answer. Raises Failed if the stream has no end."""
        text = "".join(self._pieces)
        if not self.finish:
            raise Failed("dropped", f"the stream ended after {len(text):,} characters without an end")
        return SummaryAnswer(_THOUGHT.sub("", text, count=1), self.finish, len(self._calls), by=by, spent=self.spent)
