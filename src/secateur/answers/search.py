"""Look through lines for a regular expression, as a process of its own that can be ended.

    python search.py PATTERN < TEXT

Rule: standard library only, and nothing of this package: it is run by its path. Numbers of the lines that match go
to standard output, one a line, from 1; what is wrong with the pattern to standard error, with exit code 2. Python's
engine can take exponential time on a hostile pattern, so whoever starts this sets a time after which it is killed.
"""

import re
import sys


def run_search(pattern: str, data: bytes) -> str:
    """Return the numbers of the lines that match."""
    wanted = re.compile(pattern)
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return "".join(f"{number}\n" for number, line in enumerate(lines, 1) if wanted.search(line))


if __name__ == "__main__":
    try:
        sys.stdout.write(run_search(sys.argv[1], sys.stdin.buffer.read()))
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(str(error))
        sys.exit(2)
