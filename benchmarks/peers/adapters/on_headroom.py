"""Headroom: its library call, with its proxy's way of leaving alone what the prompt cache holds.

Settings: arguments of `CompressConfig`; `"frozen": true` sends what was sent before as it was and names it frozen, as
its documentation asks of callers with a loop of their own. Without it the whole history is compressed on every call.
Its model for prose is not in the package, and is not fetched.
"""

import shapes
import wire
from headroom import compress
from headroom.compress import CompressConfig

MODEL = "claude-sonnet-4-5-20250929"


def make(setting):
    frozen = setting.pop("frozen", False)
    before = []

    def work(pieces, new, request, clock):
        added = shapes.anthropic(new if frozen else pieces)
        config = CompressConfig(**setting, frozen_message_count=len(before))
        with clock:
            seen = compress(before + added, model=MODEL, config=config).messages
        if frozen:
            before[:] = seen
        return shapes.from_anthropic(seen)

    return work


if __name__ == "__main__":
    wire.serve(make)
