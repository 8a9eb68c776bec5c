"""Changes that wait together go together, and each hears of its own."""

from threading import Event, Thread

import pytest

from secateur.errors import StoreError
from secateur.stores.group import Group, PendingWrite

Jobs = list[PendingWrite[int, int]]


def test_what_waits_while_one_is_carried_out_goes_next_together() -> None:
    begun, go, batches = Event(), Event(), []

    def carry(jobs: Jobs, wait_s: float) -> None:
        batches.append(sorted(job.asked for job in jobs))
        begun.set()
        assert go.wait(20)
        for job in jobs:
            job.answer = job.asked * 2

    group: Group[int, int] = Group(carry)
    answers: dict[int, int] = {}
    threads = [Thread(target=lambda n=n: answers.update({n: group.submit(n, 20.0)})) for n in range(5)]
    threads[0].start()
    assert begun.wait(20)
    for thread in threads[1:]:
        thread.start()
    while len(group._waiting) < 4:
        Event().wait(0.001)
    go.set()
    for thread in threads:
        thread.join()
    assert batches == [[0], [1, 2, 3, 4]]
    assert answers == {n: n * 2 for n in range(5)}


def test_a_transaction_that_came_to_nothing_is_told_to_all_and_an_interrupt_to_its_own() -> None:
    def carry(jobs: Jobs, wait_s: float) -> None:
        for job in jobs:
            job.answer = 1
        raise KeyboardInterrupt

    group: Group[int, int] = Group(carry)
    other: PendingWrite[int, int] = PendingWrite(7)
    group._waiting.append(other)
    with pytest.raises(KeyboardInterrupt):
        group.submit(8, 1.0)
    assert other.done
    assert isinstance(other.error, StoreError)


def test_who_cannot_wait_takes_his_change_back_and_what_is_being_carried_out_is_heard_of() -> None:
    begun, go, batches = Event(), Event(), []

    def carry(jobs: Jobs, wait_s: float) -> None:
        batches.append([job.asked for job in jobs])
        begun.set()
        assert go.wait(20)
        for job in jobs:
            job.answer = job.asked

    group: Group[int, int] = Group(carry)
    answers: list[int] = []
    first = Thread(target=lambda: answers.append(group.submit(1, 0.0)))
    first.start()
    assert begun.wait(20)
    with pytest.raises(StoreError, match="locked by this process for 0 s: try again"):
        group.submit(2, 0.0)
    go.set()
    first.join()
    assert group.submit(3, 0.0) == 3
    assert (answers, batches) == ([1], [[1], [3]])
