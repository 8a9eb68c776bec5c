"""Fields that exclude each other, and the size of it all."""

from secateur.api.gemini.walk import Contents
from secateur.api.rule import Found, rule

BODY = 100_000_000  # bytes; docs: 20 MB once, 100 MB now


@rule("G12", "cached content goes without system instruction, tools and tool config", "reported: litellm #17304")
def cached(history: Contents) -> Found:
    if not history.field("cachedContent"):
        return
    for name in ("systemInstruction", "tools", "toolConfig"):
        if history.field(name):
            yield (name,), f"`{name}` stands beside cached content, which holds it already: leave it out"


@rule("G14", "a body has at most 100 MB", "docs", whole=True)
def body(history: Contents) -> Found:
    if history.size > BODY:
        yield (), f"the body has {history.size:,} bytes, {BODY:,} may be: clear media and old results"
