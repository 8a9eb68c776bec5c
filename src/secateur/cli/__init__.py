"""The command line: recorded sessions and request bodies in, the same format out, and a report of what was done.

Rule: one command, one file; nothing is loaded before it is needed, so that `--help` answers at once. This room decides
nothing about pruning: it reads, asks the engine, writes and tells.
"""

import sys

_NEEDED = ("click", "rich")


def main() -> None:
    """Run the command named on the command line and leave with its exit code."""
    try:
        from secateur.cli.program import run
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(f"secateur: the command line needs {error.name}: pip install 'secateur[cli]'", file=sys.stderr)
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))
