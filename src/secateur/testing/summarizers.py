"""What every summarizer must do: a class of tests to inherit from, with one method to write.

Rule: it is asked one small question. Deadlines are the caller's; a summarizer only has to support cancellation.
"""

import asyncio
import os

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.redact import detect_kinds, redact
from secateur.summarizers import Failed, Summarizer

_PATIENCE_S = 30.0  # after which a summarizer that cannot be cancelled fails a test instead of blocking it
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")  # of environment variables


class SummarizerKit:
    """Inherit from it in a class named Test…, and write `summarizer`. pytest runs the rest."""

    def summarizer(self) -> Summarizer:
        """The summarizer to be tested. Its backend may be scripted; the connection should be real."""
        raise NotImplementedError("write summarizer(): it returns the summarizer to be tested")

    def ask(self) -> Ask:
        """The question."""
        return Ask(
            system="You write summaries.",
            text="<conversation>\n[user] hello\n</conversation>\n\n<template>\n## Goal\n(what)\n</template>",
            stage="summary",
            most_tokens=500,
            tokens=40,
        )

    def test_it_says_who_it_is_and_how_much_it_takes(self) -> None:
        made = self.summarizer()
        assert made.name.strip()
        assert made.window_tokens >= 0
        assert made.max_output >= 0

    def test_it_answers_with_a_text_or_says_why_not(self) -> None:
        answer = asyncio.run(self._get_answer())
        if isinstance(answer, SummaryAnswer):
            assert isinstance(answer.text, str)
            assert answer.text or answer.error, "no text, and no reason"
            assert answer.by
        else:
            assert str(answer)

    def test_it_can_be_cancelled(self) -> None:
        async def cancel() -> bool:
            task = asyncio.ensure_future(self.summarizer().summarize(self.ask(), 60.0))
            await asyncio.sleep(0)
            task.cancel()
            done, _ = await asyncio.wait({task}, timeout=_PATIENCE_S)
            if done and not task.cancelled():
                task.exception()
            return bool(done)

        assert asyncio.run(cancel()), "it goes on after it was cancelled"

    def test_it_is_not_kept_from_answering_twice_at_once(self) -> None:
        async def twice() -> tuple[object, object]:
            return await asyncio.gather(self._get_answer(), self._get_answer())

        one, other = asyncio.run(twice())
        assert type(one) is type(other)

    def test_no_secret_stands_in_what_is_recorded_of_it(self) -> None:
        made = self.summarizer()
        answer = asyncio.run(self._get_answer())
        shown = [made.name, made.host, answer.by if isinstance(answer, SummaryAnswer) else str(answer)]
        held = [
            value for name, value in os.environ.items() if len(value) >= 8 and any(mark in name for mark in _SECRETS)
        ]
        for text in shown:
            assert not detect_kinds(text), f"a credential: {redact(text)}"
            assert not any(value in text for value in held), "the value of an environment variable that holds a secret"

    async def _get_answer(self) -> SummaryAnswer | Failed:
        try:
            return await asyncio.wait_for(self.summarizer().summarize(self.ask(), _PATIENCE_S), _PATIENCE_S)
        except Failed as failed:
            return failed
