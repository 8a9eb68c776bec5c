"""How a session stands, for the model: what the last request held, what is out of it, and whether the record holds.

Rule: facts of the store; what is not known is not said.
"""

from collections.abc import Iterator

from secateur.mcp.scope import list_held
from secateur.plan import fold
from secateur.receipt import Receipt
from secateur.sessions.receipt_log import find_last_receipt
from secateur.stores.proof import find_problems
from secateur.stores.protocol import State, Store

PROVEN_BYTES = 50_000_000  # that are read to prove them; of more, `secateur verify`


def describe_status(store: Store, state: State) -> tuple[str, str]:
    """Return the session's name and a description of its state, line by line."""
    return f"session {state.who.session}", "\n".join(_format_lines(store, state))


def _format_lines(store: Store, state: State) -> Iterator[str]:
    receipt = find_last_receipt(store, state)
    if receipt is not None:
        yield from _describe_request(receipt)
    kept = list_held(store, state)
    size = sum(one.size for one in kept)
    yield f"removed and kept: {len(kept)} texts, {size:,} bytes; epochs: {len(state.plan.epochs)}"
    yield f"edits in force: {len(fold(state.plan).parts)} parts, {len(fold(state.plan).ranges)} summaries"
    yield f"pins: {', '.join(f'{pin.kind} {pin.pattern}' for pin in state.pins) or 'none'}"
    yield f"record: {_record(store, state, size)}"


def _describe_request(receipt: Receipt) -> Iterator[str]:
    share = (
        f", {receipt.tokens_view / receipt.window:.0%} of the window of {receipt.window:,}" if receipt.window else ""
    )
    yield f"your last request: {receipt.tokens_view:,} tokens{share}; without removals {receipt.tokens_raw:,}"
    yield f"policy: {receipt.policy}; {receipt.reason or receipt.skipped_reason or 'nothing was removed for it'}"
    for warning in receipt.warnings:
        yield f"warning: {warning}"


def _record(store: Store, state: State, size: int) -> str:
    if size > PROVEN_BYTES:
        return "not looked through, it is large: `secateur verify` does"
    return "; ".join(find_problems(store, state.who)) or f"holds, {state.receipts - state.anchor.number - 1} receipts"
