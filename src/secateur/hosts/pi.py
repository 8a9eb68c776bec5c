"""Pi's hooks: `session_before_compact` and `context`, answered as pi-auto-compressor does (SEEDS 2.4, 2.6).

Rule: a compaction is answered with a full result or with a cancellation, never with nothing, so that the host's own
default never steps in. The host keeps every entry. Of a policy with layout `middle`, the layout that is stored with the
summary says which of them it sends, layout first and sweep second; of any other, the first entry behind the summary.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct, structs

from secateur.compaction.outcome import (
    Compacted,
    CompactionSkipped,
    Layout,
    Outcome,
    apply_layout,
    build_host_answer,
    get_status,
    parse_layout,
)
from secateur.compaction.settings import Compaction
from secateur.engine import Engine, fit
from secateur.errors import SecateurError
from secateur.model import Replace
from secateur.policy import Policy
from secateur.view import View

Event = dict[str, Any]
_IN_CONTEXT = ("message", "custom_message", "branch_summary")
_SUMMARY, _SUMMARY_MARK = "compactionSummary", b"compactionSummary"


class PiReply(Struct, frozen=True):
    """The host's reply, and a message for people: `override`, `host`, or `cancelled: reason`."""

    native: Event
    status: str


def handle_event(
    event: Event, policy: Policy, summarizer: Any = None, deadline_s: float = 120.0, local_only: bool = False
) -> PiReply:
    """Return the answer to one event. Never raises."""
    kind = event.get("type") or event.get("event")
    if kind == "session_before_compact":
        return _handle_compaction(event, policy, (summarizer, deadline_s, local_only))
    if kind == "context":
        return _handle_context(event, policy)
    return PiReply({}, f"host: {kind} is not a supported event")


def arrange_messages(messages: bytes, details: bytes) -> bytes:
    """A request's messages in the layout that the newest compaction stored, both as JSON."""
    layout = parse_layout(msgspec.json.decode(details))
    if layout is None:
        return messages
    items = msgspec.json.decode(messages, type=list[Raw])
    laid = _apply_layout(items, [one for one in items if _is_raw_summary(bytes(one))], layout)
    return messages if laid is items else msgspec.json.encode(laid)


def _is_raw_summary(message: bytes) -> bool:
    return _SUMMARY_MARK in message and msgspec.json.decode(message).get("role") == _SUMMARY


class _Asked(Struct, frozen=True):
    """A compaction that the host asks for."""

    entries: list[Event]  # the branch, oldest first
    inside: list[Event]  # those that are messages of the context
    prepared: Event  # the host's own cut

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """The messages as the host sends them now, each with the id of its entry; "" for an earlier summary."""
        said = [(str(entry.get("id") or ""), _make_message(entry)) for entry in self.inside]
        newest = [entry for entry in self.entries if entry.get("type") == "compaction"]
        if not newest:
            return said
        summary = ("", {"role": _SUMMARY, "summary": newest[-1].get("summary") or ""})
        layout = _find_layout(self.entries)
        if layout is not None:
            return apply_layout(said, summary, layout)
        first = newest[-1].get("firstKeptEntryId")
        kept = [number for number, entry in enumerate(self.inside) if entry.get("id") == first]
        return [summary, *said[kept[0] if kept else 0 :]]


def _handle_compaction(event: Event, policy: Policy, how: tuple[Any, float, bool]) -> PiReply:
    """Return a summary for the host's compaction entry, or the cancellation."""
    entries = [entry for entry in _as_list(event.get("branchEntries")) if isinstance(entry, dict)]
    prepared = event.get("preparation")
    asked = _Asked(
        entries,
        [entry for entry in entries if entry.get("type") in _IN_CONTEXT],
        prepared if isinstance(prepared, dict) else {},
    )
    first = ""
    try:
        outcome, first = _compute_outcome(event, policy, asked, how)
    except Exception as error:  # whatever it is, the host is answered
        outcome = CompactionSkipped("cancelled", f"{type(error).__name__}: {error}")
    before = asked.prepared.get("tokensBefore")
    answer = build_host_answer(outcome, first, before if isinstance(before, int) else 0)
    return PiReply(answer, get_status(outcome))


def _compute_outcome(event: Event, policy: Policy, asked: _Asked, how: tuple[Any, float, bool]) -> tuple[Outcome, str]:
    """The outcome, and the first entry that the host keeps behind it."""
    summarizer, deadline_s, local_only = how
    settings = policy.compaction
    if settings is None:
        return CompactionSkipped("no_policy", f"policy {policy.name} does not compact"), ""
    shown = asked.shown
    tail = _count_tail(asked.inside, asked.prepared)
    chosen = structs.replace(policy, prune=(), on_arrival=None, compaction=_with_tail(settings, tail))
    engine = Engine(chosen, summarizer=summarizer, deadline_s=deadline_s, local_only=local_only, format="pi_messages")
    view = engine.compact(
        [message for _, message in shown],
        focus=str(event.get("customInstructions") or ""),
        run_active=event.get("isIdle") is False or event.get("isStreaming") is True,
        messages_queued=event.get("hasPendingMessages") is True,
    )
    outcome = view.compaction or CompactionSkipped("cancelled", "there is nothing to summarize")
    if isinstance(outcome, CompactionSkipped):
        return outcome, ""
    if outcome.layout is not None:
        layout = structs.replace(outcome.layout, compacted=len(asked.inside))
        return structs.replace(outcome, layout=layout), str(asked.inside[0].get("id") or "")
    kept = _find_first_kept(view, outcome)
    first = str(asked.prepared.get("firstKeptEntryId") or "") if kept is None else shown[kept][0]
    return structs.replace(outcome, summary=_join_carried(outcome)), first


def _find_first_kept(view: View[Any], outcome: Compacted) -> int | None:
    """The number of the first message behind the summary; None if there is none."""
    ends = {edit.through for edit in outcome.edits if isinstance(edit, Replace) and edit.after != edit.through}
    messages = view.raw_transcript.messages
    last = max((number for number, message in enumerate(messages) if message.key in ends), default=len(messages))
    return int(messages[last + 1].path[0]) if last + 1 < len(messages) else None


def _join_carried(outcome: Compacted) -> str:
    """The summary, and behind it what a policy carries on word for word: the host's entry has one text."""
    made = [edit for edit in outcome.edits if isinstance(edit, Replace) and edit.after != edit.through]
    carried = [new.text for edit in made for new in edit.messages if new.origin not in ("summary", "synthetic")]
    return "\n\n".join((outcome.summary, *carried))


def _handle_context(event: Event, policy: Policy) -> PiReply:
    """Return head, summary and tail of a request, pruned."""
    messages = _as_list(event.get("messages"))
    layout = parse_layout(event.get("layout")) or _find_layout(_as_list(event.get("branchEntries")))
    summaries = [one for one in messages if isinstance(one, dict) and one.get("role") == _SUMMARY]
    laid = _apply_layout(messages, summaries, layout)
    try:
        view = fit(laid, policy=policy, format="pi_messages", compact=False)
    except SecateurError as error:
        return PiReply({"messages": laid}, f"host: nothing was pruned: {error}")
    return PiReply({"messages": view.request}, "override" if view.request is not messages else "host")


def _apply_layout(messages: list[Any], summaries: list[Any], layout: Layout | None) -> list[Any]:
    """The messages with the newest of their summaries where the layout has it."""
    if layout is None or not summaries:
        return messages
    rest = [one for one in messages if one is not summaries[-1]]
    return apply_layout(rest, summaries[-1], layout)


def _make_message(entry: Event) -> Any:
    if entry.get("type") == "message":
        return entry.get("message")
    if entry.get("type") == "branch_summary":
        return {"role": "branchSummary", "summary": entry.get("summary") or ""}
    return {"role": "custom", "content": entry.get("content")}


def _count_tail(inside: Sequence[Event], prepared: Event) -> int | None:
    """Return how many messages the host's own cut keeps, or None if it does not say."""
    first = prepared.get("firstKeptEntryId")
    places = [number for number, entry in enumerate(inside) if first and entry.get("id") == first]
    return len(inside) - places[0] if places else None


def _with_tail(settings: Compaction, tail: int | None) -> Compaction:
    if tail is None:
        return settings
    return structs.replace(settings, cut_at="turns", keep_turns=0, keep_tokens=0, keep_messages=tail)


def _find_layout(entries: Sequence[Any]) -> Layout | None:
    """Return the layout that the newest compaction stored."""
    made = [entry for entry in entries if isinstance(entry, dict) and entry.get("type") == "compaction"]
    return parse_layout(made[-1].get("details")) if made else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
