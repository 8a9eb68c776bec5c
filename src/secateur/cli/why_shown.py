"""What `why` shows a person: many parts as a table with the reasons below, a few in full.

Rule: every line fits 80 columns or folds; texts of a session are made harmless first. Savings in money only where the
model has a price.
"""

from collections.abc import Sequence
from typing import Any

from secateur.answers.left import Left, freed
from secateur.cli import tables
from secateur.cli.figures import many, moment, money, size, tokens
from secateur.cli.terminal import Line, harmless, one_line
from secateur.pricing import price_of
from secateur.stores.protocol import State

_ROWS = 40  # more than two screens is not read
_REASONS = 12


def table(found: Sequence[Left], state: State, about: str) -> list[Any]:
    """Everything, the newest last; and why each epoch was opened."""
    blocks: list[Any] = [_session(state)]
    if not found:
        return [*blocks, _nothing(state, about)]
    told = list(found) if about else [one for one in found if one.verb != "summed"] or list(found)
    rows = [_row(one) for one in told[-_ROWS:]]
    head = (">request", ">turn", "what", ">tokens", "now", "by", "handle")
    blocks.append(tables.listed(rows, f"What left its views{f', {about}' if about else ''}", head))
    if len(told) > _ROWS:
        blocks.append(f"and {len(told) - _ROWS:,} before: --turn or --call narrow it, --json has all")
    if len(told) < len(found):
        blocks.append(
            f"{many(len(found) - len(told), 'part')} behind summaries: --turn and --call tell them, as --json does"
        )
    return [
        *blocks,
        tables.listed(_reasons(found), "Why", ("epoch", "when", "reason")),
        *_sum(found, state),
        _next(found),
    ]


def one_by_one(found: Sequence[Left], state: State, about: str) -> list[Any]:
    """Each in full."""
    blocks: list[Any] = [_session(state)]
    for one in found:
        blocks += ["", Line(harmless(_name(one)), "bold"), *(f"  {harmless(line)}" for line in _told(one))]
    return blocks if found else [*blocks, _nothing(state, about)]


def _session(state: State) -> str:
    model = f", {state.model}" if state.model else ""
    name = harmless(state.who.session)
    what = f"{state.format or 'nothing sent yet'}{model}"
    gone = f" ({state.anchor.number + 1:,} of them gone by retention)" if state.anchor.number >= 0 else ""
    return f"Session {name}: {what}, {many(state.receipts, 'receipt')}{gone}, last {moment(state.touched)}"


def _nothing(state: State, about: str) -> str:
    if not about:
        return "Nothing left its views: the model saw all that was said."
    return f"Nothing of {harmless(about)} left its views. `secateur why {harmless(state.who.session)}` lists what did."


def _row(one: Left) -> tuple[str, ...]:
    known = one.message is not None
    return (
        _number(one.request),
        _number(one.turn),
        one_line(_what(one), 40),
        f"{tokens(one.tokens_before)} → {tokens(one.tokens_after)}" if known else "",
        _now(one),
        one.by,
        one.handle if one.handle and one.bytes is not None else "gone" if one.handle else "",
    )


def _reasons(found: Sequence[Left]) -> list[tuple[str, str, str]]:
    """One row an epoch, the newest last."""
    told = {(one.at, one.reason): one for one in found}
    rows = [(_number(one.epoch), moment(one.at), one_line(one.reason, 300)) for one in told.values()]
    return rows[-_REASONS:]


def _sum(found: Sequence[Left], state: State) -> list[str]:
    count = freed(found)
    price = price_of(state.model) if state.model else None
    if count <= 0:
        return []
    said = f"{tokens(count)} tokens are out of the view now"
    if price is None:
        return [f"{said}; what that saves is unknown: the model has no price here."]
    saved = price.dollars(count * price.base.r)
    return [f"{said}: {money(saved)} less for each request that reads its history from the cache ({price.model})."]


def _next(found: Sequence[Left]) -> str:
    handle = next((one.handle for one in reversed(found) if one.handle and one.bytes is not None), None)
    return f"Read one back: secateur recall {handle}" if handle else ""


def _told(one: Left) -> list[str]:
    told = [f"left at {'request ' + str(one.request) if one.request is not None else 'a compaction'}, {moment(one.at)}"]
    told[0] += f", by {one.by or 'the session'}" + (f" of policy {one.policy}" if one.policy else "")
    told.append(f"because: {one.reason}")
    if one.message is not None:
        told.append(f"tokens: {tokens(one.tokens_before)} → {tokens(one.tokens_after)}")
    told.append(f"stands there: {one_line(one.stands, 400)}" if one.stands else "stands there: nothing")
    told.append(f"now: {_at_length(one)}")
    return [*told, _read_back(one)]


def _at_length(one: Left) -> str:
    if one.out:
        return f"out of the view; `secateur undo SESSION {one.epoch}` brings back all that left with it"
    return "it came back here" if one.verb == "restore" else "no longer in force: back, or edited again since"


def _read_back(one: Left) -> str:
    if one.handle and one.bytes is not None:
        return f"read it back: secateur recall {one.handle} ({size(one.bytes)})"
    if one.handle:
        return f"its bytes are gone: the store has let go of {one.handle}"
    if one.verb == "replace":
        return "each part that it stands for has a handle: --turn and --call tell them"
    return "its bytes were not kept: it left while the store could not be used"


def _name(one: Left) -> str:
    turn = f", turn {one.turn}" if one.turn is not None else ""
    place = f", message {one.message}" if one.message is not None else ""
    return f"{_what(one)}{f' of call {one.call}' if one.call else ''}{turn}{place}"


def _what(one: Left) -> str:
    if one.verb == "replace":
        return "(a summary)"
    return one.tool or "text"


def _now(one: Left) -> str:
    return "out" if one.out else "back" if one.verb == "restore" else "not any more"


def _number(number: int | None) -> str:
    return "" if number is None else str(number)
