"""How many examples a law is given: few where they are the same in each run, many where `make laws` draws new ones."""

import os
from typing import Any

from hypothesis import settings

DEEPER = 4  # times as many are drawn by `make laws`
IS_SEARCH = os.environ.get("SECATEUR_LAWS") == "search"


def examples(count: int, **more: Any) -> settings:
    """Settings of a law: so many examples in each run, and more settings of Hypothesis."""
    return settings(max_examples=count * DEEPER if IS_SEARCH else count, **more)
