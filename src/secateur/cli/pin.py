"""`secateur pin`: keep something in a session's views as received, whatever the policy says.

Rule: a pin holds from the next request on; nothing is sent or edited here.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

import click
from msgspec import Struct

from secateur.answers.removals import list_removals
from secateur.cli import options
from secateur.cli.exit_codes import UsageError
from secateur.cli.options import Options, make_argument
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_time
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.store_option import OpenedStore, describe_unknown_handle, find_session, open_existing_store
from secateur.engine import Engine
from secateur.lineage import HANDLE_DIGITS
from secateur.stores.changes import make_ambiguous_error, parse_handle
from secateur.stores.protocol import Pin, PinKind, State

SCHEMA = "secateur.pins/1"
MOST_NAMED = 8  # of the handles that a beginning may mean
KINDS = """\
\b
Kinds:
  tool     a tool's name, with * and ?       tool 'mcp_docs_*'
  glob     paths in calls' arguments         glob 'docs/*.md'
  call     one call, by its id               call toolu_01AB
  handle   as placeholders name it           handle 1a2b3c4d5e6f
  message  a message or part, by its key     message 9f86d081884c7d65
"""
_EPILOG = f"""\
\b
Examples:
  secateur pin s1                        list the pins of the session
  secateur pin s1 tool 'skill_*'
  secateur pin s1 glob 'docs/plan.md'
  secateur pin s1 handle 1a2b3c4d5e6f    bring a part back, and keep it

{KINDS}
All pins together may keep 40,000 tokens (Engine(max_pinned_tokens=...)); what exceeds that is not kept, and the receipt
says so.
"""


class PinsReport(Struct, frozen=True, kw_only=True):
    """The JSON report: all pins of a session."""

    schema: str = SCHEMA
    session: str
    store: str
    pins: tuple[Pin, ...]


class PinOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur pin` and `secateur unpin`."""

    session: options.Session
    kind: Annotated[str | None, make_argument(required=False, type=click.Choice(get_args(PinKind)))]
    pattern: Annotated[str | None, make_argument(required=False)]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


@options.make_command("pin", PinOptions, _EPILOG)
def command(args: PinOptions) -> None:
    """Keep what KIND and PATTERN match in the views of SESSION; without them, list its pins."""
    update_pins(args, Engine.pin, "Pinned")


def update_pins(args: PinOptions, verb: Callable[[Engine, str, str, str], tuple[Pin, ...]], done: str) -> None:
    """Pin or unpin, then show all pins; without a kind, only show them."""
    if (args.kind is None) != (args.pattern is None):
        raise UsageError("a pin needs a kind and a pattern, as in: secateur pin s1 tool 'skill_*'")
    with open_existing_store(args.store) as kept:
        state = find_session(kept, args.tenant, args.session)
        pins = state.pins
        if args.kind is not None and args.pattern is not None:
            engine = Engine("observe", store=kept.store, tenant=args.tenant)
            pattern = args.pattern
            if args.kind == "handle" and verb is Engine.pin:
                pattern = _complete_handle(kept, state, pattern)
            pins = verb(engine, state.who.session, args.kind, pattern)
    if args.as_json:
        print_json(PinsReport(session=state.who.session, store=kept.url, pins=pins))
    else:
        print_blocks(*_render(state.who.session, pins, f"{done} {args.kind} {args.pattern}" if args.kind else ""))


def _complete_handle(kept: OpenedStore, state: State, handle: str) -> str:
    """Return the whole handle of a removed part of the session: a pin by an unknown one would keep nothing."""
    start = parse_handle(handle)[:HANDLE_DIGITS]
    removals = list_removals(kept.store, state)
    found = sorted({one.handle for one in removals if one.handle and one.handle.startswith(start)})
    if not found:
        raise UsageError(describe_unknown_handle(handle, state))
    if len(found) > 1:
        raise make_ambiguous_error(handle, found[:MOST_NAMED])
    return found[0]


def _render(session: str, pins: Sequence[Pin], done: str) -> list[Any]:
    blocks: list[Any] = [f"{clean(done)}, from the next request on."] if done else []
    if not pins:
        return [*blocks, f"Session {clean(session)} has no pins."]
    rows = [(pin.kind, to_one_line(pin.pattern, 200), format_time(pin.at)) for pin in pins]
    return [*blocks, tables.make_list(rows, f"Pins of session {clean(session)}", ("kind", "pattern", "since"))]
