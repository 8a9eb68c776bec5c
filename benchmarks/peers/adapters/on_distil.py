"""distil: its adapter for Anthropic's messages, on requests marked for the prompt cache as coding agents mark them.

Settings: arguments of `compress_messages`. It works on the whole history on every call; what stands up to the mark goes
out in its final form.
"""

import shapes
import wire
from distil.adapters.anthropic import compress_messages


def make(setting):
    def work(pieces, new, request, clock):
        messages = shapes.anthropic(pieces)
        messages[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        with clock:
            seen, _ = compress_messages(messages, persist=False, **setting)
        return shapes.from_anthropic(seen)

    return work


if __name__ == "__main__":
    wire.serve(make)
