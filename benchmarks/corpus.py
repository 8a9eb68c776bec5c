"""Where the recorded sessions are: the folder that SECATEUR_CORPUS names.

They are not part of the project. A benchmark that needs them calls `find_corpus`, which ends the program with exit code
2 and a sentence where there is no such folder; one that can do with less asks `is_corpus_set` before.
"""

import os
import sys
from pathlib import Path

VARIABLE = "SECATEUR_CORPUS"


def find_corpus(or_else: str = "") -> Path:
    """The folder of recorded sessions. `or_else`: what could be given instead, as the beginning of the sentence."""
    named = os.environ.get(VARIABLE, "")
    if named and Path(named).is_dir():
        return Path(named)
    folder = f"{VARIABLE} to a folder of recorded sessions"
    wrong = f"; {named} is not one" if named else ""
    print(f"{or_else + ', or ' if or_else else ''}set {folder}{wrong}", file=sys.stderr)
    raise SystemExit(2)


def is_corpus_set() -> bool:
    """Whether a folder is named."""
    return bool(os.environ.get(VARIABLE))
