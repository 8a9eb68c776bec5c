"""Cache points: how many, and behind what they may not stand."""

from secateur.api.accessors import fields
from secateur.api.bedrock.walk import Converse
from secateur.api.rule import Found, rule

SLOTS = 4  # docs


@rule("B12", "no cache point follows reasoning", "reported: opencode #36517, #49859, strands #1820, rig #1673")
def after_reasoning(history: Converse) -> Found:
    for path, before, _ in history.points:
        if before == "reasoningContent":
            yield path, "a cache point follows reasoning: put it before the reasoning, or in a user message"


@rule("B14", "no cache point follows a document that is no PDF", "reported: strands #2001")
def after_document(history: Converse) -> Found:
    for path, before, value in history.points:
        if before == "document" and fields(value).get("format") != "pdf":
            yield path, "a cache point follows a document that is no PDF: put it before the document"


@rule("B14", "cache points are 4 at most", "docs")
def too_many(history: Converse) -> Found:
    for path, _, _ in history.points[SLOTS:]:
        yield path, f"{len(history.points)} cache points, {SLOTS} may be: take this one out"
