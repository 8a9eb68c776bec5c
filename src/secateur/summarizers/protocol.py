"""What every summarizer is: a name, a place, a window, and one coroutine that answers a question.

    class Mine:
        name, host, window_tokens, max_output = "mine", "", 8_000, 0

        async def summarize(self, ask, seconds):
            return Answer(await my_model(ask.system, ask.text), by=self.name)

Rule: whoever asks has redacted the question, holds the deadline and tries again; a summarizer asks once, and either
answers or raises. `Failed` says what kind of failure it was; anything else counts as a crash. Whether an answer is a
summary is not decided here. `max_parallel`, where a summarizer has it, is how many questions it takes at a time, and
`asks_behind_session` says that it is sent `ask.body`: the session's own request with the question behind it.
"""

from typing import Protocol

from secateur.compaction.ask import Ask, Failure, SummaryAnswer


class Summarizer(Protocol):
    """Someone who writes summaries."""

    @property
    def name(self) -> str:
        """As it is in records."""
        ...

    @property
    def host(self) -> str:
        """The host that receives the conversation; "" if it does not leave this process."""
        ...

    @property
    def window_tokens(self) -> int:
        """The most that a question and its answer may take together; 0: as large as the session's own window."""
        ...

    @property
    def max_output(self) -> int:
        """The most tokens of an answer; 0: no limit is known."""
        ...

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        """The answer, of which at most `ask.most_tokens` are wanted. It is cancelled when `seconds` are over."""
        ...


def get_max_parallel(by: Summarizer) -> int:
    """How many questions this summarizer accepts at a time; 1 by default."""
    return max(1, int(getattr(by, "max_parallel", 1)))


def is_asked_behind_session(by: Summarizer) -> bool:
    """Whether this summarizer is sent the session's own request with the question behind it."""
    return bool(getattr(by, "asks_behind_session", False))


class Failed(Exception):
    """No answer came. `wait_s` is how long the provider asked us to wait; None if it did not."""

    def __init__(self, failure: Failure, text: str, wait_s: float | None = None) -> None:
        super().__init__(text)
        self.failure: Failure = failure
        self.wait_s = wait_s
