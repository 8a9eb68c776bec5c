"""A rule with its repair: a gateway in front of Anthropic's API takes results of 2,000 characters at most."""

from typing import Any

from secateur.plugins import Found, RepairRun, rule

MOST_CHARS = 2_000
_NOTE = "\n[cut for the gateway]"


def shorten_results(run: RepairRun) -> None:
    """Cut results that are one text and too long."""
    for _, block in run.iterate_blocks():
        text = block.get("content")
        if block.role == "tool_result" and isinstance(text, str) and len(text) > MOST_CHARS:
            block.put(("content",), text[: MOST_CHARS - len(_NOTE)] + _NOTE)
            run.record("EXAMPLE-1", block, f"a result of {len(text):,} characters was cut to {MOST_CHARS:,}")


@rule(
    "EXAMPLE-1",
    "a result has at most 2,000 characters",
    "the gateway's manual",
    blocks=("tool_result",),
    family="anthropic",
    repair=shorten_results,
)
def long_result(block: Any, history: Any) -> Found:
    """Results that are one text."""
    text = block.get("content")
    if isinstance(text, str) and len(text) > MOST_CHARS:
        return [(("content",), f"a result is longer than the gateway takes: cut it to {MOST_CHARS:,} characters")]
    return ()
