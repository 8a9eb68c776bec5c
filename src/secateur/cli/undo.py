"""`secateur undo`: undo an epoch of a session; its edits are reversed from the next request on.

Rule: nothing is rewritten: an undo is a new epoch, and undoing it restores the edits. Its cost is shown in tokens, and
in money if the model has a price. Files that were pruned are not changed; they are listed.
"""

from typing import Annotated

from msgspec import Struct

from secateur.cli import options
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_argument
from secateur.cli.output.formatting import format_count, format_dollars
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.engine import Engine
from secateur.pricing import price_of
from secateur.sessions.originals import iterate_writings
from secateur.stores.protocol import SessionId

SCHEMA = "secateur.undo/1"
_NAMED = 5  # files that a person is shown; --json has all
_EPILOG = """\
\b
Examples:
  secateur undo s1          the latest active epoch
  secateur undo s1 3        epoch 3, numbered as in `secateur why s1`
  secateur undo s1 --json | jq .tokens

\b
What it brings back is not pruned again. Undoing the undo removes it again.
`secateur pin` keeps a single part. Files that `prune` wrote stay pruned:
`secateur restore FILE` restores them.
"""


class UndoCost(Struct, frozen=True):
    """The cost of the tokens that return, in dollars, at the prices of one model."""

    model: str
    once: float  # they are written to the prompt cache; what is behind them, too, and is not counted here
    each: float  # for each later request that reads them from the cache


class UndoReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    store: str
    epoch: int  # that was taken back
    by: int  # the epoch that did it
    reason: str  # why the one taken back was opened
    tokens: int  # by which the view grows; below zero: shrinks
    cost: UndoCost | None  # null: the model has no price
    files: tuple[str, ...] = ()  # that were written of this session by `prune`: they stay unchanged


class UndoOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur undo`."""

    session: options.Session
    epoch: Annotated[int | None, make_argument(required=False, type=NumberType(min=0))]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


@options.make_command("undo", UndoOptions, _EPILOG)
def command(args: UndoOptions) -> None:
    """Undo EPOCH (one batch of edits) of SESSION. Default: the latest active one."""
    with open_existing_store(args.store) as kept:
        state = find_session(kept, args.tenant, args.session)
        done = Engine("observe", store=kept.store, tenant=args.tenant).undo(state.who.session, args.epoch)
        undid = UndoReport(
            session=state.who.session,
            store=kept.url,
            epoch=done.epoch,
            by=done.by,
            reason=done.plan.epochs[done.epoch].reason,
            tokens=done.tokens,
            cost=price_tokens(state.model, done.tokens),
            files=_list_pruned_files(kept, state.who),
        )
    if args.as_json:
        print_json(undid)
    else:
        print_blocks(*_render(undid))


def _list_pruned_files(kept: OpenedStore, who: SessionId) -> tuple[str, ...]:
    """The files that were written from a session without something of it, each once."""
    written = (writing.filed for writing in iterate_writings(kept.store, [who]))
    return tuple(dict.fromkeys(filed.path for filed in written if filed.path and filed.difference))


def price_tokens(model: str, count: int) -> UndoCost | None:
    """The cost of this many more tokens in the view; None if they cannot be priced."""
    price = price_of(model) if model and count > 0 else None
    if price is None:
        return None
    return UndoCost(price.model, price.to_dollars(count * price.base.w), price.to_dollars(count * price.base.r))


def _render(undid: UndoReport) -> list[str]:
    name, way = clean(undid.session), "return" if undid.tokens >= 0 else "are removed"
    lines = [
        f"Epoch {undid.epoch} of session {name} is undone by epoch {undid.by}.",
        f"Reason it was opened: {clean(undid.reason)}",
        f"{format_count(abs(undid.tokens))} tokens {way} with the next request.",
    ]
    if undid.cost:
        lines.append(
            f"That costs {format_dollars(undid.cost.once)} to write them to the cache, besides rewriting what follows "
            f"them, and {format_dollars(undid.cost.each)} for each request that reads them ({undid.cost.model})."
        )
    if undid.files:
        named = ", ".join(map(clean, undid.files[-_NAMED:]))
        more = f" and {len(undid.files) - _NAMED:,} more" if len(undid.files) > _NAMED else ""
        lines.append(
            f"Files that were written stay pruned ({named}{more}): secateur restore FILE restores the original."
        )
    return [*lines, f"To reverse this: secateur undo {name} {undid.by}"]
