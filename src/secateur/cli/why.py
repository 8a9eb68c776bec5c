"""`secateur why`: what the model could not see of a session, and why: strategy, time, tokens, and how to recall it.

Rule: it reads the record and shows only the size of what was removed; `recall` shows its content. What was restored is
listed, too. Savings are in money only if the model has a price.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from secateur.answers.removals import Removal, list_removals, number_summaries, sum_freed_tokens
from secateur.answers.savings import read_savings, sum_bills
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.names import HANDLE
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import (
    describe_recall_rounds,
    format_bytes,
    format_count,
    format_dollars,
    format_percent,
    format_time,
    pluralize,
)
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import StyledLine, clean, print_blocks, print_json, to_one_line
from secateur.cli.store_option import describe_unknown_handle, find_session, open_existing_store
from secateur.pricing import price_of
from secateur.stores.protocol import State
from secateur.usage import UsageBill

SCHEMA = "secateur.why/2"
_FEW = 3  # entries up to which each is shown in full
_EPILOG = """\
\b
Examples:
  secateur why s1                     all removals, oldest first
  secateur why s1 --turn 4            in the user's fourth turn
  secateur why s1 --call toolu_01AB   of one tool call
  secateur why s1 1a2b3c4d5e6f        what a handle in a placeholder means
  secateur why s1 --json | jq '.removals[] | select(.out) | .handle'

\b
`secateur sessions` lists names, `secateur recall HANDLE` reads a part back,
`secateur undo SESSION EPOCH` brings an epoch back into the view.
"""
_ROWS, _REASONS = 40, 12  # more than two screens is not read


class WhyOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur why`."""

    session: options.Session
    handle: Annotated[str | None, make_argument(required=False, type=HANDLE)]
    turn: Annotated[
        int | None,
        make_option(
            "--turn", type=NumberType(min=0), metavar="N", help="Only what was removed from the user's Nth turn."
        ),
    ]
    call: Annotated[
        str | None,
        make_option("--call", metavar="ID", help="Only what was removed from this tool call, by the provider's id."),
    ]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson

    @property
    def about(self) -> str:
        """Describe what the options select; "" for everything."""
        words = (f"turn {self.turn}" if self.turn is not None else "", f"call {self.call}" if self.call else "")
        return " and ".join(filter(None, (*words, f"handle {self.handle}" if self.handle else "")))


class WhyReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    store: str
    format: str
    model: str
    requests: int  # receipts, with those that retention took
    receipts_gone: int  # this many of the first; their removals are listed from the plan alone
    tokens_out: int  # by which the view is smaller now, as receipts counted them
    bill: UsageBill  # what the session's answers took, as their provider counted
    recall_rounds: UsageBill  # of this, requests of a proxy's own, in which the model read removed texts back
    removals: tuple[Removal, ...]  # oldest first; if a summary replaced it, `summary` is its number in `summaries`
    summaries: tuple[str, ...]  # each once, from number 0


@options.make_command("why", WhyOptions, _EPILOG)
def command(args: WhyOptions) -> None:
    """Show what was removed from SESSION, and why; HANDLE, --turn and --call narrow it down."""
    with show_work("reading the record"), open_existing_store(args.store) as kept:
        state = find_session(kept, args.tenant, args.session)
        removals = list_removals(kept.store, state)
        rounds = read_savings(kept.store, state).recall_rounds
        chosen = tuple(removal for removal in removals if _is_selected(removal, args))
        if args.handle and not chosen:
            raise UsageError(describe_unknown_handle(args.handle, state))
    if args.as_json:
        return print_json(_make_report(chosen, state, rounds, kept.url))
    shown = _render_in_full if args.about and len(chosen) <= _FEW else _render_table
    more = describe_recall_rounds(rounds) if not args.about else ""
    return print_blocks(*shown(chosen, state, args.about), *filter(None, (more,)))


def _is_selected(removal: Removal, args: WhyOptions) -> bool:
    named = not args.handle or (removal.handle or "").startswith(args.handle.strip().lower()[:12])
    return named and args.turn in (None, removal.user_turn) and args.call in (None, removal.call_id)


def _make_report(removals: tuple[Removal, ...], state: State, rounds: UsageBill, url: str) -> WhyReport:
    entries, summaries = number_summaries(removals)
    return WhyReport(
        session=state.who.session,
        store=url,
        format=state.format,
        model=state.model,
        requests=state.receipts,
        receipts_gone=state.anchor.number + 1,
        tokens_out=sum_freed_tokens(removals),
        bill=sum_bills(state),
        recall_rounds=rounds,
        removals=entries,
        summaries=summaries,
    )


def _render_table(removals: Sequence[Removal], state: State, about: str) -> list[Any]:
    """Everything as a table, the newest last; and why each epoch was opened."""
    blocks: list[Any] = [_describe_session(state)]
    if not removals:
        return [*blocks, _describe_nothing(state, about)]
    shown = list(removals) if about else [removal for removal in removals if removal.verb != "summed"] or list(removals)
    blocks.append(_make_removals_table(shown[-_ROWS:], f"Removed from its views{f', {about}' if about else ''}"))
    if len(shown) > _ROWS:
        blocks.append(f"and {len(shown) - _ROWS:,} earlier: --turn or --call narrow it down, --json has all")
    if len(shown) < len(removals):
        hidden = pluralize(len(removals) - len(shown), "part")
        blocks.append(f"{hidden} replaced by summaries: --turn, --call and --json list them")
    return [
        *blocks,
        tables.make_list(_list_reasons(removals), "Why", ("epoch", "when", "reason")),
        *_describe_savings(removals, state),
        _suggest_next(removals),
    ]


def _render_in_full(removals: Sequence[Removal], state: State, about: str) -> list[Any]:
    """Each in full."""
    blocks: list[Any] = [_describe_session(state)]
    for removal in removals:
        blocks += [
            "",
            StyledLine(clean(_name_removal(removal)), "bold"),
            *(f"  {clean(line)}" for line in _describe_removal(removal, state.who.session)),
        ]
    return blocks if removals else [*blocks, _describe_nothing(state, about)]


def _describe_session(state: State) -> str:
    model = f", {state.model}" if state.model else ""
    name = clean(state.who.session)
    what = f"{state.format or 'nothing sent yet'}{model}"
    gone = f" ({state.anchor.number + 1:,} of them deleted by retention)" if state.anchor.number >= 0 else ""
    head = f"Session {name}: {what}, {pluralize(state.receipts, 'receipt')}{gone}, last {format_time(state.touched)}"
    return f"{head}\n{_describe_bill(sum_bills(state))}".rstrip()


def _describe_bill(bill: UsageBill) -> str:
    """The provider's count and its cost; "" if nothing was recorded."""
    if not bill.answers:
        return ""
    used = bill.usage
    cost = f", {format_dollars(bill.dollars)}" if bill.answers > bill.unpriced else ""
    return (
        f"Its provider counted {format_count(used.taken)} tokens of input in {pluralize(bill.answers, 'answer')}, "
        f"{format_percent(used.read, used.taken)} of them from the prompt cache, and {format_count(used.output)} of "
        f"output{cost}"
    )


def _describe_nothing(state: State, about: str) -> str:
    if not about:
        return "Nothing was removed from its views: the model saw the whole history."
    return f"Nothing of {clean(about)} was removed. `secateur why {clean(state.who.session)}` lists what was."


def _make_removals_table(removals: Sequence[Removal], title: str) -> Any:
    """One row each; what is true of them now only where not all are still out of the view."""
    head = [">request", ">turn", "what", ">tokens", "strategy", "handle"]
    rows = [_make_row(removal) for removal in removals]
    if any(not removal.out for removal in removals):
        head.insert(4, "now")
        rows = [[*row[:4], _format_state(one), *row[4:]] for row, one in zip(rows, removals, strict=True)]
    return tables.make_table(title, head, rows)


def _make_row(removal: Removal) -> list[str]:
    known = removal.message is not None
    return [
        _format_number(removal.request),
        _format_number(removal.user_turn),
        to_one_line(_name_removed(removal) if removal.verb == "replace" else removal.subject or "text", 60),
        f"{format_count(removal.tokens_before)} → {format_count(removal.tokens_after)}" if known else "",
        removal.strategy,
        removal.handle if removal.handle and removal.bytes is not None else "gone" if removal.handle else "",
    ]


def _list_reasons(removals: Sequence[Removal]) -> list[tuple[str, str, str]]:
    """One row per epoch, the newest last."""
    latest = {(removal.at_ms, removal.reason): removal for removal in removals}
    rows = [
        (_format_number(value.epoch), format_time(value.at_ms), to_one_line(value.reason, 300))
        for value in latest.values()
    ]
    return rows[-_REASONS:]


def _describe_savings(removals: Sequence[Removal], state: State) -> list[str]:
    count = sum_freed_tokens(removals)
    price = price_of(state.model) if state.model else None
    if count <= 0:
        return []
    text = f"{format_count(count)} tokens are out of the view now"
    if price is None:
        return [f"{text}; what that saves is unknown: no price is known for the model."]
    saved = price.to_dollars(count * price.base.r)
    return [
        f"{text}: {format_dollars(saved)} less for each request that reads its history from the cache ({price.model})."
    ]


def _suggest_next(removals: Sequence[Removal]) -> str:
    handle = next(
        (removal.handle for removal in reversed(removals) if removal.handle and removal.bytes is not None), None
    )
    return f"Read one back: secateur recall {handle}" if handle else ""


def _describe_removal(removal: Removal, name: str) -> list[str]:
    when = f"request {removal.request}" if removal.request is not None else "a compaction"
    policy = f" of policy {removal.policy}" if removal.policy else ""
    lines = [f"removed at {when}, {format_time(removal.at_ms)}, by {removal.strategy or 'the session'}{policy}"]
    lines.append(f"reason: {removal.reason}")
    if removal.message is not None:
        lines.append(f"tokens: {format_count(removal.tokens_before)} → {format_count(removal.tokens_after)}")
    lines.append(f"in its place: {to_one_line(removal.stands, 400)}" if removal.stands else "in its place: nothing")
    lines.append(f"now: {_describe_state(removal, name)}")
    return [*lines, _describe_recall(removal)]


def _describe_state(removal: Removal, name: str) -> str:
    if removal.out:
        return f"out of the view; `secateur undo {name} {removal.epoch}` brings back everything removed with it"
    return "restored here" if removal.verb == "restore" else "no longer active: restored, or edited again since"


def _describe_recall(removal: Removal) -> str:
    if removal.handle and removal.bytes is not None:
        return f"read it back: secateur recall {removal.handle} ({format_bytes(removal.bytes)})"
    if removal.handle:
        return f"its bytes are gone: the store has deleted {removal.handle}"
    if removal.verb == "replace":
        return "each part that it replaces has a handle: --turn and --call list them"
    return "its bytes were not stored: the store was not available when it was removed"


def _name_removal(removal: Removal) -> str:
    turn = f", turn {removal.user_turn}" if removal.user_turn is not None else ""
    place = f", message {removal.message}" if removal.message is not None else ""
    return f"{_name_removed(removal)}{f' of call {removal.call_id}' if removal.call_id else ''}{turn}{place}"


def _name_removed(removal: Removal) -> str:
    if removal.verb == "replace":
        return "(a summary)"
    return removal.tool or "text"


def _format_state(removal: Removal) -> str:
    return "out" if removal.out else "back" if removal.verb == "restore" else "inactive"


def _format_number(number: int | None) -> str:
    return "" if number is None else str(number)
