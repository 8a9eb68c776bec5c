"""The tools' answers: text for a model, in pages of limited size, each under a line that describes it.

Rule: the original text is shown, character for character; a page says how to get the next one. The status of a session
has facts of the store only: the size of the last request, what was removed from it, and whether the record is intact. A
question that cannot be answered gets a hint what to ask instead. Only pins change anything.
"""

from collections.abc import Iterator
from typing import Any

from secateur.answers.recall import SCHEMA as SCHEMA  # for adapters, which import public names only
from secateur.answers.recall import TextRange, find_matching_lines, show_blob
from secateur.answers.removals import Removal, list_removals
from secateur.engine import Engine
from secateur.errors import ConfigError
from secateur.lineage import HANDLE_DIGITS
from secateur.mcp.scope import Scope, list_held
from secateur.mcp.tool_arguments import decode_arguments
from secateur.plan import fold
from secateur.receipt import Receipt
from secateur.sessions.receipt_log import find_last_receipt
from secateur.stores.proof import find_problems
from secateur.stores.protocol import BlobRef, State, Store
from secateur.text.placeholder import shorten_line
from secateur.text.readback import add_header

PROVEN_BYTES = 50_000_000  # that are read to prove them; of more, `secateur verify`

NAMES = ("recall", "search", "removed", "status", "pin", "unpin")  # methods of `Tools`; what they say is their help
PINS = ("pin", "unpin")  # those that change something
ROWS = 50  # of a list
SEARCHED_BYTES = 16_000_000  # at once, the newest first
LINE_CHARS = 240  # of a line that was found


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


class Tools:
    """The tools of one server."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def answer(self, name: str, given: Any) -> str:
        """Answer a model's call of a tool with the arguments that it gave. Raises ConfigError, StoreError."""
        tool = getattr(self, name)
        return str(tool(**decode_arguments(tool, given)))

    def recall(self, handle: str, page: int = 1, lines: str = "", json_path: str = "") -> str:
        """secateur: read back, word for word, what was removed from your context, by the handle in its placeholder.

        `[secateur: Bash "npm test" gave 8120 chars ...; removed, recall 1a2b3c4d5e6f]` is read with handle
        1a2b3c4d5e6f. It comes in pages; `lines` like "120-180" or `json_path` like "$.items[0].name" give a part.
        """
        _, blob = self._scope.get_blob(handle)
        return show_blob(blob, TextRange(page, lines, json_path))

    def search(self, pattern: str, handle: str = "", page: int = 1, seen: str = "") -> str:
        """secateur: find lines in what was removed from your context, by a regular expression ((?i) ignores case).

        In all that was removed, or only in what `handle` names. Each line is given as HANDLE:LINE: text.
        """
        some, rest = self._collect_texts(handle, seen)
        joined = "\n".join(text for _, text in some)
        starts: list[tuple[int, str]] = []
        line = 1
        for name, text in some:
            starts.append((line, name))
            line += text.count("\n") + 1
        numbers = find_matching_lines(joined, pattern)
        found = _format_hits(numbers, joined.split("\n"), starts)
        rows, of = _paginate(found, page)
        note = f"; {rest} older texts were not looked through, give a handle" if rest else ""
        about = f"{pattern!r:.240} in {len(some)} texts, {len(found)} lines, page {page} of {of}{note}"
        return add_header("search", about, "\n".join(rows) or "No line matches.")

    def removed(self, page: int = 1, tool: str = "", seen: str = "") -> str:
        """secateur: list what was removed from your context, the newest first, each with its handle for `recall`.

        `tool` lists only the outputs of one tool.
        """
        state = self._scope.get_session(seen)
        removals = list_removals(self._scope.store, state)
        out = {one.key: one for one in removals if one.out and one.verb != "restore"}.values()
        wanted = [one for one in reversed(out) if tool.lower() in one.tool.lower()]
        rows, of = _paginate([_format_row(one) for one in wanted], page)
        named = f" of {tool!r:.60}" if tool else ""
        about = f"{len(wanted)} parts{named} of session {state.who.session}, page {page} of {of}"
        more = f"; page={page + 1} goes on" if page < of else ""
        return add_header("removed", about + more, "\n".join(rows) or _describe_none({one.tool for one in out}))

    def pin(self, pattern: str, kind: str = "handle", seen: str = "") -> str:
        """secateur: bring something removed back into your context, from your next request on, and keep it there.

        `kind` is handle (as in a placeholder), tool (a name, * for any letters) or glob (over paths in calls'
        arguments). It costs the tokens of what comes back, and the prompt cache behind it: to look once, use recall.
        """
        return self._change_pin(pattern, kind, seen, True)

    def unpin(self, pattern: str, kind: str = "handle", seen: str = "") -> str:
        """secateur: take a pin away: what it kept in your context may be removed again."""
        return self._change_pin(pattern, kind, seen, False)

    def status(self, seen: str = "") -> str:
        """secateur: how full your context is, how much was removed, what is pinned, and whether the record holds."""
        return add_header("status", *describe_status(self._scope.store, self._scope.get_session(seen)))

    def _change_pin(self, pattern: str, kind: str, seen: str, on: bool) -> str:
        by_handle = kind == "handle"
        state = self._scope.get_session(seen or (pattern if by_handle else ""))
        if by_handle and on:
            self._scope.get_blob(pattern)
        engine = Engine("observe", store=self._scope.store, tenant=self._scope.tenant)
        pins = (engine.pin if on else engine.unpin)(state.who.session, kind, pattern)
        told = ", ".join(f"{pin.kind} {pin.pattern}" for pin in pins) or "none"
        return add_header("pin" if on else "unpin", f"from your next request on; pins now: {told}")

    def _collect_texts(self, handle: str, seen: str) -> tuple[list[tuple[str, str]], int]:
        """The texts to search, newest first, with their handles, and the number left out."""
        store = self._scope.store
        if handle:
            _, only = self._scope.get_blob(handle)
            return [(only.id[:HANDLE_DIGITS], only.data.decode("utf-8", "replace"))], 0
        state = self._scope.get_session(seen)
        named = {one.id: one for one in list_held(store, state) if one.kind != "media"}
        wanted = _take_searchable(list(reversed(named.values())))
        found = []
        for one in wanted:
            blob = store.get_blob(state.who.tenant, one.id)
            if blob is not None:
                found.append((one.id[:HANDLE_DIGITS], blob.data.decode("utf-8", "replace")))
        return found, len(named) - len(wanted)


def _take_searchable(held_: list[BlobRef]) -> list[BlobRef]:
    """The first of these blobs that can be searched at once."""
    size = 0
    for number, one in enumerate(held_):
        size += one.size
        if number and size > SEARCHED_BYTES:
            return held_[:number]
    return held_


def _format_hits(numbers: tuple[int, ...], lines: list[str], starts: list[tuple[int, str]]) -> list[str]:
    """Lines of the joined texts as HANDLE:LINE: text."""
    found = []
    place = 0
    for number in numbers:
        while place + 1 < len(starts) and starts[place + 1][0] <= number:
            place += 1
        first, name = starts[place]
        text = lines[number - 1]
        cut = f"{text[:LINE_CHARS]}… ({len(text)} chars)" if len(text) > LINE_CHARS else text
        found.append(f"{name}:{number - first + 1}: {cut}")
    return found


def _paginate(rows: list[str], page: int) -> tuple[list[str], int]:
    of = max(1, -(-len(rows) // ROWS))
    if not 1 <= page <= of:
        raise ConfigError(f"no page {page}: it has {of}")
    return rows[(page - 1) * ROWS : page * ROWS], of


def _describe_none(tools: set[str]) -> str:
    """What a list without rows says: `tools` are those whose outputs are out."""
    names = ", ".join(sorted(tools - {""}))
    return (
        f"Nothing of it; outputs of these tools are out: {names}." if names else "Nothing is out of your context now."
    )


def _format_row(one: Removal) -> str:
    """One removed part on a line: its handle, what it was, where, and what replaced it."""
    name = one.handle or "(not kept)"
    where = f"message {one.message}" if one.message is not None else one.verb
    size = f"{one.tokens_before} tokens" if one.tokens_before else f"{one.bytes or 0} bytes"
    gone = "" if one.bytes is not None else ", bytes no longer kept"
    stands = f": {shorten_line(one.stands, 160)}" if one.stands else ""
    return f"{name} {one.tool or one.verb}, {where}, {size}, by {one.strategy}{gone}{stands}"
