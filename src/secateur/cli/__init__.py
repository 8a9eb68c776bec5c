"""The command line: recorded sessions and request bodies in, the same format out, and a report of what was done.

Rule: one command a file; nothing is loaded before it is needed, so that `--help` answers at once. This package decides
nothing about pruning: it reads, calls the engine, writes and reports.
"""

import sys

_NEEDED = ("click", "rich")


def main() -> None:
    """Run the command named on the command line and exit with its code."""
    try:
        from secateur.cli.program import run
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(f"secateur: the command line needs {error.name}: pip install 'secateur[cli]'", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))
