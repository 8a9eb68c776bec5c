"""leantokens: its call for a request body, which it changes in place.

Settings: arguments of `compress_request`. It works on the whole history on every call, and keeps nothing between them
but the texts that it shortened.
"""

import shapes
import wire
from leantokens import compress_request


def make(setting):
    def work(pieces, new, request, clock):
        body = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": shapes.anthropic(pieces)}
        with clock:
            compress_request(body, **setting)
        return shapes.from_anthropic(body["messages"])

    return work


if __name__ == "__main__":
    wire.serve(make)
