"""What a person is told of a prune: what happened and why now, or why nothing did; then the tables.

Rule: the first lines answer the question that the command was; figures are those of the report.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from secateur.cli import tables
from secateur.cli.anatomy import largest
from secateur.cli.figures import duration, many, percent, tokens
from secateur.cli.others import Other
from secateur.cli.paid import paid
from secateur.cli.reading import Opened
from secateur.cli.report import Report
from secateur.cli.terminal import harmless
from secateur.cli.toll import by_rule, by_tool, by_turn
from secateur.pricing.tariffs import tariff_of

_LARGEST = 5
_PRICED = "tokens of input"  # in the words of a schedule that weighs costs
_FREE = re.compile(r": [\d,]+ tokens come free$")  # how a schedule says that no cache is lost


def account(
    done: Report, before: Opened, after: Opened, backup: Path | None, others: Sequence[Other] | None
) -> list[Any]:
    """All that is to be drawn, in order."""
    blocks: list[Any] = [_setting(done, before), _verdict(done, before), *_why(done), ""]
    if done.edits:
        blocks += _left(done, before)
    elif others:
        blocks += [tables.alternatives(others)]
    elif others is not None:
        blocks += ["No other policy that ships would free anything here.", ""]
    blocks += [tables.places("Largest that stay", largest(after.transcript, _LARGEST))]
    blocks += [paid(done.cost)] if done.cost else []
    blocks += [f"warning: {harmless(warning)}" for warning in _warnings(done, others or ())]
    return [*blocks, *_over(done), *_kept(done), _written(done, before, backup)]


def _setting(done: Report, before: Opened) -> str:
    idle = "unknown" if done.idle_s is None else duration(done.idle_s)
    return (
        f"{harmless(before.source.label)}: {before.format}, {before.document.reason}\n"
        f"policy {done.policy}, idle {idle}, window {tokens(done.window.value)}: {done.window.source}\n"
        f"tokens are about: by {harmless(done.counted_by or done.counter)}"
    )


def _verdict(done: Report, before: Opened) -> str:
    if not done.edits:
        return f"Nothing was pruned: {done.gate}."
    share = percent(done.input.tokens - done.output.tokens, done.input.tokens)
    figures = f"{tokens(done.input.tokens)} → {tokens(done.output.tokens)} tokens, {share} less"
    return f"Pruned {_parts(done, before)}: {figures}."


def _parts(done: Report, before: Opened) -> str:
    """What was edited, by kind: `30 of 64 tool results, the arguments of 9 calls and 2 other parts`."""
    kinds = {part.key: part.kind for message in before.transcript.messages for part in message.parts}
    edited = Counter(kinds.get(edit.key, "other") for edit in done.edits)
    results, calls = edited["tool_result"], edited["tool_call"]
    rest = len(done.edits) - results - calls
    said = [f"{results:,} of {done.input.tool_results:,} tool results"] if results else []
    said += [f"the arguments of {many(calls, 'call')}"] if calls else []
    said += [many(rest, "other part" if said else "part")] if rest else []
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def _why(done: Report) -> list[str]:
    """Why the edits were made when they were, each reason once; the figures stand in the tables."""
    reasons = dict.fromkeys(_FREE.sub(": editing costs nothing", edit.reason) for edit in done.edits)
    return [f"Why: {harmless(why)}." for why in reasons]


def _left(done: Report, before: Opened) -> list[Any]:
    """What left, added up; by rule only where several were at work."""
    whole, rules = done.input.tokens, by_rule(done.edits)
    return [
        *([tables.left_by_rule(rules, whole)] if len(rules) > 1 else []),
        tables.left_by_tool(by_tool(done.edits), whole),
        tables.left_by_turn(by_turn(done.edits, before.transcript), whole),
    ]


def _warnings(done: Report, others: Sequence[Other]) -> list[str]:
    """The warnings that are not told yet. Whose prices are taken is one only where a price decided or is shown."""
    assumed = tariff_of(done.model).assumed
    priced = not done.cost and (_PRICED in (done.gate or "") or any(one.cost for one in others))
    return [one for one in done.warnings if one != assumed or priced]


def _over(done: Report) -> list[str]:
    """What to do where pruning was not enough."""
    over = done.output.tokens > done.window.value > 0
    return ["Pruning alone does not bring it under the window: secateur compact sums up what is left."] if over else []


def _kept(done: Report) -> list[str]:
    """Where what left is, and how to read it back."""
    if done.session is None and done.edits and done.output.path:
        return ["To read back what left: --session NAME keeps it, and secateur recall shows it."]
    if done.session is None:
        return []
    name = harmless(done.session)
    handle = next((edit.handle for edit in done.edits if edit.handle), None)
    back = f"; secateur recall {handle} reads one back" if handle else ""
    return [f"Kept as session {name} at {harmless(done.store or '')}: secateur why {name} lists what left{back}."]


def _written(done: Report, before: Opened, backup: Path | None) -> str:
    name = before.source.label
    if done.output.path is None:
        return "Nothing was written: -o FILE writes the outcome, --in-place changes the input and keeps a backup."
    if done.output.path == "-":
        return ""
    if done.output.path != before.source.name:
        return f"Written to {done.output.path}: {done.output.bytes:,} bytes, of {done.input.bytes:,}."
    if backup is None:
        return f"{name} is as it was."
    return f"{name} was changed: {done.output.bytes:,} bytes, of {done.input.bytes:,}. As it was: {backup}"
