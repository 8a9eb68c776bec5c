"""What holds for every test: laws are judged by what they find, never by how fast the machine is.

The examples of a law are the same in every run, so that a change fails by what it changed. `make laws` draws others.
"""

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("search", deadline=None, print_blob=True, max_examples=200)
settings.load_profile(os.environ.get("SECATEUR_LAWS", "repeatable"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end: it is not looked through for garbage, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
