"""Group commit: changes that arrive during a commit go into the next transaction together.

Rule: `submit` returns only after the transaction with its change is durable, and one rejected change does not affect
the others. There is no thread: the first caller carries out what is waiting.
"""

from collections.abc import Callable, Iterable
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from secateur.errors import StoreError

MOST = 64  # changes in one transaction, so that the first of them does not wait for long

_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")


class PendingWrite(Generic[_Asked, _Answer]):
    """One change on its way: what is asked, then what became of it."""

    def __init__(self, asked: _Asked) -> None:
        self.asked = asked
        self.done = False
        self.answer: _Answer | None = None
        self.error: BaseException | None = None


class Group(Generic[_Asked, _Answer]):
    """`carry` makes some jobs durable in one transaction, and leaves each its answer or its error.

    Its argument is how many seconds the leading caller can wait for other processes.
    """

    def __init__(self, carry: Callable[[list[PendingWrite[_Asked, _Answer]], float], None]) -> None:
        self._carry = carry
        self._waiting: list[PendingWrite[_Asked, _Answer]] = []
        self._door = Lock()  # for the list
        self._turn = Lock()  # for the transaction

    def submit(self, asked: _Asked, wait_s: float) -> _Answer:
        """Carry out a change together with everything else that waits. Raises what carrying it out raised.

        A caller that cannot wait `wait_s` seconds for the changes before it withdraws its own, if it has not been
        started.
        """
        job: PendingWrite[_Asked, _Answer] = PendingWrite(asked)
        until = monotonic() + wait_s
        with self._door:
            self._waiting.append(job)
        while not job.done:
            if self._turn.acquire(timeout=wait_s):
                try:
                    if not job.done:
                        self._lead_batch(job, max(0.0, until - monotonic()))
                finally:
                    self._turn.release()
            elif self._withdraw(job):
                raise StoreError(f"the store was locked by this process for {wait_s:.2g} s: try again")
            else:
                with self._turn:  # someone carries it out at this moment: its answer is near
                    pass
        if job.error:
            raise job.error
        assert job.answer is not None
        return job.answer

    def _withdraw(self, job: PendingWrite[_Asked, _Answer]) -> bool:
        """Whether this change had not been started yet; it is then withdrawn."""
        with self._door:
            waits = job in self._waiting
            if waits:
                self._waiting.remove(job)
            return waits

    def _lead_batch(self, own: PendingWrite[_Asked, _Answer], wait_s: float) -> None:
        with self._door:
            jobs, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        try:
            self._carry(jobs, wait_s)
        except BaseException as error:
            _fail(jobs, own, error)
        for job in jobs:
            job.done = True


def _fail(
    jobs: Iterable[PendingWrite[_Asked, _Answer]], own: PendingWrite[_Asked, _Answer], error: BaseException
) -> None:
    """The transaction came to nothing: its leader hears why, and so do the others, but an interrupt is his alone."""
    for job in jobs:
        told = error if job is own or isinstance(error, StoreError) else StoreError(f"not saved: {error!r}; try again")
        job.error = job.error or told
