"""What a person is told of a compaction: what was summed up and by whom, the summary itself, how the agent goes on.

Rule: the first lines answer what the command was asked; the summary is shown whole, since it is what the agent will
know.
"""

from pathlib import Path
from typing import Any

from secateur.cli import tables
from secateur.cli.anatomy import largest
from secateur.cli.figures import percent, tokens
from secateur.cli.reading import Opened
from secateur.cli.report import Report
from secateur.cli.terminal import harmless

_LARGEST = 5
_WRITERS = {"model": "a model", "extract": "code alone", "supplied": "whoever asked for it"}
_BRANCHES = {
    "media": "the newest request, its media named in words",
    "unanswered": "the newest request, which stands in the view",
    "mid_task": "where it was",
    "sentence": "what the policy says",
    "idle": "nothing: it awaits the user",
    "waiting": "nothing: a call still waits for its result",
    "none": "nothing",
}


def account(done: Report, before: Opened, after: Opened, backup: Path | None) -> list[Any]:
    """All that is to be drawn, in order."""
    blocks: list[Any] = [_setting(done, before), _verdict(done), *_attempts(done), ""]
    if done.summary is not None:
        blocks += [harmless(done.summary), "", *_goes_on(done), ""]
    blocks += [tables.places("Largest that stay", largest(after.transcript, _LARGEST))]
    blocks += [f"warning: {harmless(warning)}" for warning in done.warnings]
    return [*blocks, _written(done, before, backup)]


def _setting(done: Report, before: Opened) -> str:
    return (
        f"{harmless(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {done.policy}, window {tokens(done.window.value)}: {done.window.source}"
    )


def _verdict(done: Report) -> str:
    if done.summary is None:
        why = done.compaction.text if done.compaction else f"policy {done.policy} does not compact"
        return f"Nothing was summed up: {harmless(why)}."
    gone = sum(len(done.edits) and edit.verb == "replace" for edit in done.edits)
    share = percent(done.input.tokens - done.output.tokens, done.input.tokens)
    who = _WRITERS.get(done.rung or "", done.rung or "")
    by = f" ({harmless(done.compaction.by)})" if done.compaction and done.compaction.by else ""
    where = f" in {gone} places" if gone > 2 else ""
    figures = f"{tokens(done.input.tokens)} → {tokens(done.output.tokens)} tokens, {share} less"
    return f"Summed up{where} by {who}{by}: {done.input.messages:,} → {done.output.messages:,} messages, {figures}."


def _attempts(done: Report) -> list[str]:
    tried = done.compaction.attempts if done.compaction else ()
    return [f"not taken: {harmless(one.by or one.rung)}: {harmless(one.text)}" for one in tried]


def _goes_on(done: Report) -> list[str]:
    if done.continuation is None:
        return []
    branch, text = done.continuation.branch, done.continuation.text
    said = f": {harmless(text)}" if text else ""
    return [f"The agent goes on with {_BRANCHES.get(branch, branch)}{said}"]


def _written(done: Report, before: Opened, backup: Path | None) -> str:
    if done.output.path is None:
        return "Nothing was written: -o FILE writes the outcome, --in-place changes the input and keeps a backup."
    if done.output.path == "-":
        return ""
    if done.output.path != before.source.name:
        return f"Written to {done.output.path}: {done.output.bytes:,} bytes, of {done.input.bytes:,}."
    name = before.source.label
    if backup is None:
        return f"{name} is as it was."
    return f"{name} was changed: {done.output.bytes:,} bytes, of {done.input.bytes:,}. As it was: {backup}"
