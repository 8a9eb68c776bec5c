"""How a peer's adapter is spoken to: one JSON line for each request, one line back.

    {"new": [piece...], "prompt_tokens": n, "idle_s": s, "output_tokens": n}   what came since the request before
    {"sent": [number | piece...], "ms": f, "calls": [[asked, said]...]}        what the peer would send for it

Rule: runs in the peer's own environment with nothing but the standard library. `prompt_tokens` is what the provider
would have counted for the view before, `output_tokens` for the answer to it, so that a peer that goes by usage has one.
A piece that is as it was goes back as its number. Only the peer's own work is timed, in CPU time. Whatever a package
prints goes to stderr.
"""

import json
import os
import sys
import time
import traceback

ASKED = []  # calls to a model since the last request: what was asked, what was said


class Clock:
    """CPU milliseconds spent under `with`."""

    def __init__(self):
        self.ms = 0.0

    def __enter__(self):
        self._since = time.process_time()

    def __exit__(self, *_):
        self.ms += (time.process_time() - self._since) * 1000


def numbered(sent, known):
    """Each piece's number where it is in `known` (from `name` to the numbers that have it), else the piece itself.

    Numbers only rise: of equal pieces the first is meant that is behind the one before.
    """
    found, last = [], -1
    for piece in sent:
        numbers = known.get(name(piece), ())
        number = next((one for one in numbers if one > last), None)
        last = last if number is None else number
        found.append(piece if number is None else number)
    return found


def name(piece):
    """What makes two pieces equal."""
    if piece["role"] == "tool":
        return ("tool", piece["call"], piece["text"])
    calls = json.dumps([[call["id"], call["args"]] for call in piece.get("calls", ())], sort_keys=True)
    return (piece["role"], piece["text"], calls)


def serve(make):
    """Answer requests; `make(setting)` gives a function of (all pieces, the new ones, the request, the clock)."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        work = make(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
        pieces, known = [], {}
        for line in sys.stdin:
            request = json.loads(line)
            for piece in request["new"]:
                known.setdefault(name(piece), []).append(len(pieces))
                pieces.append(piece)
            clock = Clock()
            ASKED.clear()
            sent = numbered(work(pieces, request["new"], request, clock), known)
            print(json.dumps({"sent": sent, "ms": clock.ms, "calls": ASKED}), file=out, flush=True)
    except Exception as error:
        traceback.print_exc()
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}), file=out, flush=True)
