"""`secateur why`: what the model could not see of a session, and why: rule, moment, tokens, and how to read it back.

Rule: it answers from the record and shows nothing of what left but its size; `recall` reads it. What was brought back
is told too, as back.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import click
from msgspec import Struct

from secateur.answers.left import Removal, freed, left, listed
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.names import HANDLE
from secateur.cli.options import Options, argument, option
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_bytes, format_count, format_dollars, format_time, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import StyledLine, clean, print_blocks, print_json, to_one_line
from secateur.cli.store_option import find_session, open_existing_store
from secateur.pricing import price_of
from secateur.stores.protocol import State

SCHEMA = "secateur.why/2"
_FEW = 3  # entries up to which each is told in full
_EPILOG = """\
\b
Examples:
  secateur why s1                     all that left, oldest first
  secateur why s1 --turn 4            of the user's fourth message and on
  secateur why s1 --call toolu_01AB   of one tool call
  secateur why s1 1a2b3c4d5e6f        what a handle in a placeholder means
  secateur why s1 --json | jq '.left[] | select(.out) | .handle'

\b
`secateur sessions` lists the names, `secateur recall HANDLE` reads it back,
`secateur undo SESSION EPOCH` brings it back into the view.
"""
_ROWS = 40  # more than two screens is not read
_REASONS = 12


class WhyOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur why`."""

    session: options.Session
    handle: Annotated[str | None, argument(required=False, type=HANDLE)]
    turn: Annotated[
        int | None,
        option("--turn", type=click.IntRange(min=0), metavar="N", help="Of the user's Nth message, up to the next."),
    ]
    call: Annotated[
        str | None, option("--call", metavar="ID", help="Of this tool call, by the id that the provider gave it.")
    ]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson

    @property
    def about(self) -> str:
        """What it asks about, in words; "" for everything."""
        told = (f"turn {self.turn}" if self.turn is not None else "", f"call {self.call}" if self.call else "")
        return " and ".join(filter(None, (*told, f"handle {self.handle}" if self.handle else "")))


class WhyReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    store: str
    format: str
    model: str
    requests: int  # receipts, with those that retention took
    receipts_gone: int  # so many of the first ones; what left with them is told from the plan alone
    tokens_out: int  # by which the view is smaller now, as receipts counted them
    left: tuple[Removal, ...]  # oldest first; where a summary stands, `summary` is its number in `summaries`
    summaries: tuple[str, ...]  # each once, from number 0


@options.command("why", WhyOptions, _EPILOG)
def command(args: WhyOptions) -> None:
    """Say what left the views of SESSION, and why; with HANDLE, --turn or --call, of that alone."""
    with show_work("reading the record"), open_existing_store(args.store) as kept:
        state = find_session(kept, args.tenant, args.session)
        found = left(kept.store, state)
        chosen = tuple(one for one in found if _is_selected(one, args))
        if args.handle and not chosen:
            raise UsageError(_describe_unknown_handle(args.handle, state))
    if args.as_json:
        return print_json(_make_report(chosen, state, kept.url))
    shown = _render_in_full if args.about and len(chosen) <= _FEW else _render_table
    return print_blocks(*shown(chosen, state, args.about))


def _is_selected(one: Removal, args: WhyOptions) -> bool:
    named = not args.handle or (one.handle or "").startswith(args.handle.strip().lower()[:12])
    return named and args.turn in (None, one.user_turn) and args.call in (None, one.call_id)


def _make_report(found: tuple[Removal, ...], state: State, url: str) -> WhyReport:
    told, summaries = listed(found)
    return WhyReport(
        session=state.who.session,
        store=url,
        format=state.format,
        model=state.model,
        requests=state.receipts,
        receipts_gone=state.anchor.number + 1,
        tokens_out=freed(found),
        left=told,
        summaries=summaries,
    )


def _describe_unknown_handle(handle: str, state: State) -> str:
    name = state.who.session
    return f"nothing that left session {name!r} has the handle {handle!r}: `secateur why {name}` lists what did"


def _render_table(found: Sequence[Removal], state: State, about: str) -> list[Any]:
    """Everything, the newest last; and why each epoch was opened."""
    blocks: list[Any] = [_describe_session(state)]
    if not found:
        return [*blocks, _describe_nothing(state, about)]
    told = list(found) if about else [one for one in found if one.verb != "summed"] or list(found)
    rows = [_make_row(one) for one in told[-_ROWS:]]
    head = (">request", ">turn", "what", ">tokens", "now", "by", "handle")
    blocks.append(tables.make_list(rows, f"What left its views{f', {about}' if about else ''}", head))
    if len(told) > _ROWS:
        blocks.append(f"and {len(told) - _ROWS:,} before: --turn or --call narrow it, --json has all")
    if len(told) < len(found):
        blocks.append(
            f"{pluralize(len(found) - len(told), 'part')} behind summaries: --turn and --call tell them, as --json does"
        )
    return [
        *blocks,
        tables.make_list(_list_reasons(found), "Why", ("epoch", "when", "reason")),
        *_describe_savings(found, state),
        _suggest_next(found),
    ]


def _render_in_full(found: Sequence[Removal], state: State, about: str) -> list[Any]:
    """Each in full."""
    blocks: list[Any] = [_describe_session(state)]
    for one in found:
        blocks += [
            "",
            StyledLine(clean(_name_removal(one)), "bold"),
            *(f"  {clean(line)}" for line in _describe_removal(one)),
        ]
    return blocks if found else [*blocks, _describe_nothing(state, about)]


def _describe_session(state: State) -> str:
    model = f", {state.model}" if state.model else ""
    name = clean(state.who.session)
    what = f"{state.format or 'nothing sent yet'}{model}"
    gone = f" ({state.anchor.number + 1:,} of them gone by retention)" if state.anchor.number >= 0 else ""
    return f"Session {name}: {what}, {pluralize(state.receipts, 'receipt')}{gone}, last {format_time(state.touched)}"


def _describe_nothing(state: State, about: str) -> str:
    if not about:
        return "Nothing left its views: the model saw all that was said."
    return f"Nothing of {clean(about)} left its views. `secateur why {clean(state.who.session)}` lists what did."


def _make_row(one: Removal) -> tuple[str, ...]:
    known = one.message is not None
    return (
        _format_number(one.request),
        _format_number(one.user_turn),
        to_one_line(_name_removed(one), 40),
        f"{format_count(one.tokens_before)} → {format_count(one.tokens_after)}" if known else "",
        _format_state(one),
        one.strategy,
        one.handle if one.handle and one.bytes is not None else "gone" if one.handle else "",
    )


def _list_reasons(found: Sequence[Removal]) -> list[tuple[str, str, str]]:
    """One row an epoch, the newest last."""
    told = {(one.at_ms, one.reason): one for one in found}
    rows = [(_format_number(one.epoch), format_time(one.at_ms), to_one_line(one.reason, 300)) for one in told.values()]
    return rows[-_REASONS:]


def _describe_savings(found: Sequence[Removal], state: State) -> list[str]:
    count = freed(found)
    price = price_of(state.model) if state.model else None
    if count <= 0:
        return []
    said = f"{format_count(count)} tokens are out of the view now"
    if price is None:
        return [f"{said}; what that saves is unknown: the model has no price here."]
    saved = price.dollars(count * price.base.r)
    return [
        f"{said}: {format_dollars(saved)} less for each request that reads its history from the cache ({price.model})."
    ]


def _suggest_next(found: Sequence[Removal]) -> str:
    handle = next((one.handle for one in reversed(found) if one.handle and one.bytes is not None), None)
    return f"Read one back: secateur recall {handle}" if handle else ""


def _describe_removal(one: Removal) -> list[str]:
    told = [
        f"left at {f'request {one.request}' if one.request is not None else 'a compaction'}, {format_time(one.at_ms)}"
    ]
    told[0] += f", by {one.strategy or 'the session'}" + (f" of policy {one.policy}" if one.policy else "")
    told.append(f"because: {one.reason}")
    if one.message is not None:
        told.append(f"tokens: {format_count(one.tokens_before)} → {format_count(one.tokens_after)}")
    told.append(f"stands there: {to_one_line(one.stands, 400)}" if one.stands else "stands there: nothing")
    told.append(f"now: {_describe_state(one)}")
    return [*told, _describe_recall(one)]


def _describe_state(one: Removal) -> str:
    if one.out:
        return f"out of the view; `secateur undo SESSION {one.epoch}` brings back all that left with it"
    return "it came back here" if one.verb == "restore" else "no longer in force: back, or edited again since"


def _describe_recall(one: Removal) -> str:
    if one.handle and one.bytes is not None:
        return f"read it back: secateur recall {one.handle} ({format_bytes(one.bytes)})"
    if one.handle:
        return f"its bytes are gone: the store has let go of {one.handle}"
    if one.verb == "replace":
        return "each part that it stands for has a handle: --turn and --call tell them"
    return "its bytes were not kept: it left while the store could not be used"


def _name_removal(one: Removal) -> str:
    turn = f", turn {one.user_turn}" if one.user_turn is not None else ""
    place = f", message {one.message}" if one.message is not None else ""
    return f"{_name_removed(one)}{f' of call {one.call_id}' if one.call_id else ''}{turn}{place}"


def _name_removed(one: Removal) -> str:
    if one.verb == "replace":
        return "(a summary)"
    return one.tool or "text"


def _format_state(one: Removal) -> str:
    return "out" if one.out else "back" if one.verb == "restore" else "not any more"


def _format_number(number: int | None) -> str:
    return "" if number is None else str(number)
