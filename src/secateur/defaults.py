"""Defaults shared by the library, the CLI and the docs.

Rule: each default is stated once, and reading it loads nothing, since help and completion use it too.
"""

POLICY = "balance"  # a preset: it acts where that pays
