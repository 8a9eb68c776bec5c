"""Search lines for a regular expression, in a process that can be killed.

    python search.py PATTERN < TEXT

Rule: standard library only, and nothing of this package: it is run by its path. Numbers of the matching lines go to
standard output, one per line, from 1; an error in the pattern goes to standard error, with exit code 2. Python's engine
can take exponential time on a hostile pattern, so the caller kills the process after a time limit.
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
