"""A turn's reader that never fails: a provider may send what its API does not describe.

Rule: from the first event that cannot be read, the client gets what was held back and then everything as it comes, with
the calls of the tool in it; nothing is served or hidden any more. A whole response that cannot be read is the client's
as it is.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from secateur.proxy.served.turns import HiddenTurn, RecallAnswer, RecallCall, TurnReader

T = TypeVar("T")


class GuardedTurn(TurnReader):
    """Another reader, and whether it could read everything."""

    def __init__(self, reader: TurnReader) -> None:
        self._reader = reader
        self._is_lost = False
        self._whole = b""  # the response that was read last, if it is not streamed

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it."""
        if self._is_lost:
            return [event]
        try:
            return self._reader.feed(event)
        except Exception:
            held = self.reveal()
            self._is_lost = True
            return [*held, event]

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""
        self._whole = body
        try:
            self._reader.read_whole(body)
        except (ValueError, RecursionError):
            raise
        except Exception as error:
            self._is_lost = True
            raise ValueError(f"not a response of its API: {error}") from error

    def list_calls(self) -> tuple[RecallCall, ...]:
        """List the calls to serve before the turn continues."""
        return self._try(self._reader.list_calls, ())

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """List the hidden calls whose answers go into the client's next request."""
        return self._try(self._reader.list_open_calls, ())

    def has_stuck_calls(self) -> bool:
        """Whether there are hidden calls that cannot be served."""
        return self._try(self._reader.has_stuck_calls, False)

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The next request of the turn. Raises ValueError."""
        try:
            return self._reader.build_continuation(body, answers, forbids)
        except Exception as error:
            raise ValueError(f"the turn cannot continue: {error}") from error

    def finish(self) -> list[bytes]:
        """The end of the client's stream, as far as it was held back."""
        return self._try(self._reader.finish, [])

    def reveal(self) -> list[bytes]:
        """The end of the client's stream, with the calls that could not be served."""
        return self._try(self._reader.reveal, [])

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error, as a stream has it that has begun."""
        return self._reader.report_error(body)

    def build_whole(self, reveals: bool = False) -> bytes:
        """The client's response; the provider's own if none can be made of it."""
        return self._try(lambda: self._reader.build_whole(reveals), self._whole)

    def list_bound(self) -> tuple[str, ...]:
        """Identify the reasoning that the client saw after a hidden call, if it is bound to that call."""
        return self._try(self._reader.list_bound, ())

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of the turn; None if the client saw all of it."""
        return self._try(lambda: self._reader.make_turn(at, answers), None)

    def _try(self, ask: Callable[[], T], otherwise: T) -> T:
        """What the reader says, as long as it can read."""
        if not self._is_lost:
            with suppress(Exception):
                return ask()
        return otherwise
