"""What holds for every test: laws are judged by what they find, never by how fast the machine is.

The examples of a law are the same in every run, so that a change fails by what it changed. `make laws` draws others.
"""

import os

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("search", deadline=None, print_blob=True, max_examples=200)
settings.load_profile(os.environ.get("SECATEUR_LAWS", "repeatable"))
