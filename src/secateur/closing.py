"""What is closed at the end of a `with` or an `async with`.

Rule: `close` may be called as often as one likes. Beside a running event loop it runs in a thread of its own.
"""

import asyncio
from types import TracebackType
from typing import Self


class Closing:
    """Something with a `close` to be called when it is not needed any more."""

    def close(self) -> None:
        """Give back what is held open."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)
