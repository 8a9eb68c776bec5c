"""What `pin` and `unpin` share: what is pinned is named by its kind and a pattern, and all pins are shown after.

Rule: a pin holds from the next request on; nothing is sent or edited here.
"""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import click
from msgspec import Struct

from secateur.cli import options, tables
from secateur.cli.exits import Refused
from secateur.cli.figures import moment
from secateur.cli.kept import opened_store, session_of, tenant
from secateur.cli.kept_names import SESSION
from secateur.cli.options import Command
from secateur.cli.terminal import harmless, one_line, say_json, tell
from secateur.engine import Engine
from secateur.stores.protocol import Pin, PinKind

SCHEMA = "secateur.pins/1"
KINDS = """\
\b
Kinds:
  tool     a tool's name, with * and ?       tool 'mcp_docs_*'
  glob     paths in calls' arguments         glob 'docs/*.md'
  call     one call, by its id               call toolu_01AB
  handle   what a placeholder names          handle 1a2b3c4d5e6f
  message  a message or part, by its key     message 9f86d081884c7d65
"""


class Pins(Struct, frozen=True, kw_only=True):
    """The JSON report: all pins of a session."""

    schema: str = SCHEMA
    session: str
    store: str
    pins: tuple[Pin, ...]


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str
    kind: str | None
    pattern: str | None
    tenant: str
    store: str
    as_json: bool


def arguments(command: Command) -> Command:
    """The arguments and options of both commands."""
    kinds = click.Choice(get_args(PinKind))
    command = click.argument("pattern", required=False)(command)
    command = click.argument("kind", required=False, type=kinds)(command)
    command = click.argument("session", type=SESSION)(command)
    return options.all_of(tenant, options.store, options.as_json)(command)


def carried_out(asked: Asked, verb: Callable[[Engine, str, str, str], tuple[Pin, ...]], done: str) -> None:
    """Pin or unpin, then show all pins; without a kind, only show them."""
    if (asked.kind is None) != (asked.pattern is None):
        raise Refused("a pin is a kind and a pattern, as in: secateur pin s1 tool 'skill_*'")
    with opened_store(asked.store) as kept:
        state = session_of(kept, asked.tenant, asked.session)
        pins = state.pins
        if asked.kind is not None and asked.pattern is not None:
            engine = Engine("observe", store=kept.store, tenant=asked.tenant)
            pins = verb(engine, state.who.session, asked.kind, asked.pattern)
    if asked.as_json:
        say_json(Pins(session=state.who.session, store=kept.url, pins=pins))
    else:
        tell(*_blocks(state.who.session, pins, f"{done} {asked.kind} {asked.pattern}" if asked.kind else ""))


def _blocks(session: str, pins: Sequence[Pin], done: str) -> list[Any]:
    told: list[Any] = [f"{harmless(done)}: it holds from the next request on."] if done else []
    if not pins:
        return [*told, f"Session {harmless(session)} has no pins."]
    rows = [(pin.kind, one_line(pin.pattern, 200), moment(pin.at)) for pin in pins]
    return [*told, tables.listed(rows, f"Pins of session {harmless(session)}", ("kind", "pattern", "since"))]
