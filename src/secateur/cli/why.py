"""`secateur why`: what the model could not see of a session, and why: rule, moment, tokens, and how to read it back.

Rule: it answers from the record and shows nothing of what left but its size; `recall` reads it. What was brought back
is told too, as back.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.answers.left import Left, freed, left, listed
from secateur.cli import options
from secateur.cli.exits import Refused
from secateur.cli.kept import opened_store, session_of, tenant
from secateur.cli.kept_names import HANDLE, SESSION
from secateur.cli.progress import working
from secateur.cli.terminal import say_json, tell
from secateur.cli.why_shown import one_by_one, table
from secateur.stores.protocol import State

SCHEMA = "secateur.why/2"
_FEW = 3  # entries up to which each is told in full

_HELP = """\
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


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str
    handle: str | None
    turn: int | None
    call: str | None
    store: str
    tenant: str
    as_json: bool

    @property
    def about(self) -> str:
        """What it asks about, in words; "" for everything."""
        told = (f"turn {self.turn}" if self.turn is not None else "", f"call {self.call}" if self.call else "")
        return " and ".join(filter(None, (*told, f"handle {self.handle}" if self.handle else "")))


class Why(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    store: str
    format: str
    model: str
    requests: int  # receipts, with those that retention took
    receipts_gone: int  # so many of the first ones; what left with them is told from the plan alone
    tokens_out: int  # by which the view is smaller now, as receipts counted them
    left: tuple[Left, ...]  # oldest first; where a summary stands, `summary` is its number in `summaries`
    summaries: tuple[str, ...]  # each once, from number 0


@click.command("why", epilog=_HELP)
@click.argument("session", type=SESSION)
@click.argument("handle", required=False, type=HANDLE)
@options.all_of(
    click.option("--turn", type=click.IntRange(min=0), metavar="N", help="Of the user's Nth message, up to the next."),
    click.option("--call", metavar="ID", help="Of this tool call, by the id that the provider gave it."),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> None:
    """Say what left the views of SESSION, and why; with HANDLE, --turn or --call, of that alone."""
    asked = msgspec.convert(given, Asked)
    with working("reading the record"), opened_store(asked.store) as kept:
        state = session_of(kept, asked.tenant, asked.session)
        found = left(kept.store, state)
        chosen = tuple(one for one in found if _fits(one, asked))
        if asked.handle and not chosen:
            raise Refused(_no_handle(asked.handle, state))
    if asked.as_json:
        return say_json(_report(chosen, state, kept.url))
    shown = one_by_one if asked.about and len(chosen) <= _FEW else table
    return tell(*shown(chosen, state, asked.about))


def _fits(one: Left, asked: Asked) -> bool:
    named = not asked.handle or (one.handle or "").startswith(asked.handle.strip().lower()[:12])
    return named and asked.turn in (None, one.turn) and asked.call in (None, one.call)


def _report(found: tuple[Left, ...], state: State, url: str) -> Why:
    told, summaries = listed(found)
    return Why(
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


def _no_handle(handle: str, state: State) -> str:
    name = state.who.session
    return f"nothing that left session {name!r} has the handle {handle!r}: `secateur why {name}` lists what did"
