"""Many files surveyed, side by side: the work of a scan, spread over the processors.

Rule: the answer does not depend on how many work at it, nor on who is done first. Each file is read twice: once for
what was said in it, so that a history which several files hold is counted once, then for what that cost. Few files are
done at once, since a process costs more than they do.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from secateur.cli.surveyed import Surveyed, Wanted, outlined, surveyed
from secateur.simulate.shared import shared

_FEW = 4  # files
_Answer = TypeVar("_Answer")
Done = Callable[[str], None]
Counting = Callable[[str, int], AbstractContextManager[Done]]


def scanned(paths: list[Path], wanted: Wanted, jobs: int, counting: Counting) -> list[Surveyed]:
    """One answer for each file, in their order. `counting` shows how far each of the two readings is."""
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    with _pool(workers if len(paths) > _FEW else 1) as pool:
        with counting("reading", len(paths)) as done:
            said = _each(pool, [partial(outlined, path, wanted) for path in paths], paths, done)
        counted = iter(shared([one for file in said for one in file]))
        since = [tuple(next(counted) for _ in file) for file in said]
        work = [partial(surveyed, path, wanted, ours) for path, ours in zip(paths, since, strict=True)]
        with counting("replaying", len(paths)) as done:
            return _each(pool, work, paths, done)


@contextmanager
def _pool(workers: int) -> Iterator[Executor | None]:
    """Processes to work in; None where one is enough."""
    if workers <= 1:
        yield None
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _each(pool: Executor | None, work: Sequence[Callable[[], _Answer]], paths: list[Path], done: Done) -> list[_Answer]:
    """What comes of each, in order."""
    found: dict[int, _Answer] = {}
    if pool is None:
        for at, one in enumerate(work):
            found[at] = one()
            done(paths[at].name)
    else:
        longest = sorted(range(len(work)), key=lambda at: -_size(paths[at]))  # nobody waits for them alone at the end
        asked: dict[Future[Any], int] = {pool.submit(work[at]): at for at in longest}
        for future in as_completed(asked):
            found[asked[future]] = future.result()
            done(paths[asked[future]].name)
    return [found[at] for at in range(len(work))]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
