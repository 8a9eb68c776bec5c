"""Many files surveyed, side by side: the work of a scan, spread over the processors.

Rule: the answer does not depend on how many work at it, nor on who is done first. Few files are done at once, since a
process costs more than they do.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from secateur.cli.surveyed import Surveyed, Wanted, surveyed

_FEW = 4  # files


def scanned(paths: list[Path], wanted: Wanted, jobs: int, done: Callable[[str], None]) -> list[Surveyed]:
    """One answer for each file, in their order. `done` is told each file's name when it is."""
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    if workers <= 1 or len(paths) <= _FEW:
        return list(_one_by_one(paths, wanted, done))
    by_size = sorted(paths, key=lambda path: -_size(path))  # the longest first: nobody waits for it alone at the end
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        asked = {pool.submit(partial(surveyed, wanted=wanted), path): path for path in by_size}
        found: dict[Path, Surveyed] = {}
        try:
            for one in as_completed(asked):
                found[asked[one]] = one.result()
                done(asked[one].name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[path] for path in paths]


def _one_by_one(paths: list[Path], wanted: Wanted, done: Callable[[str], None]) -> Iterator[Surveyed]:
    for path in paths:
        yield surveyed(path, wanted)
        done(path.name)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
