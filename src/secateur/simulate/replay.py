"""A policy over a recorded session: before each recorded request it decides anew, with its plan kept.

Rule: the policy sees what it would have seen: the history up to that request, the time since the call before, and its
own plan. It prunes and compacts as the engine does; only the native document is not written and not validated, and no
model writes a summary (`summaries`). Histories grow message by message, so a request costs what is new.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import bounds
from secateur.api import Violation
from secateur.budget import Budget
from secateur.decision import decide
from secateur.model import Index, Message, Replace, Transcript
from secateur.plan import Plan
from secateur.policy import Policy
from secateur.policy.windows import resolve
from secateur.pricing.tariffs import tariff_of
from secateur.session import Session
from secateur.session.ahead import ahead
from secateur.session.document import Document
from secateur.session.projection import inserted, placed
from secateur.simulate.bill import Call
from secateur.simulate.requests import Recording, Request
from secateur.simulate.summaries import Summed, numbers, summed
from secateur.tariff import Tariff
from secateur.tokens import Counter

GAP_S = 20.0  # between requests whose time is not recorded: an agent at work


class Turn(Struct, frozen=True):
    """One request as the policy would have sent it."""

    request: Request
    at: int  # ms since 1970; from 0 on where no time is recorded
    seen: tuple[Message, ...]  # the view
    fixed_tokens: int
    opened: bool = False  # an epoch was opened for it
    why: str = ""  # of that epoch, or of the gate that did nothing
    calls: tuple[Call, ...] = ()  # made for it beside it: summaries
    plan: Plan = Plan()
    ahead: tuple[int, ...] = ()  # messages before which a prefix is kept as well (`session.ahead`)

    @property
    def begins(self) -> bool:
        """Whether the newest message is a user's: a turn begins here."""
        newest = self.seen[-1] if self.seen else None
        return newest is not None and newest.role == "user" and newest.origin == "user"


def replayed(
    recording: Recording,
    policy: Policy,
    *,
    window: int | None = None,
    tariff: Tariff | None = None,
    handles: bool = False,
) -> Iterator[Turn]:
    """The session's requests under a policy, in order. `window` in tokens, else the model's; so the `tariff`.

    With `handles` texts name what can be read back, as where there is a store. A policy whose `compaction` is None is
    only pruned by, and its views may outgrow the window.
    """
    work = Replay(policy, recording.tally, tariff or tariff_of(recording.model, said=policy.pricing))
    counted = recording.factor != 1.0 or any(request.usage for request in recording.requests)
    for request, at, idle_s in moments(recording):
        work.turn(request)
        segment = recording.segments[request.segment]
        work.grow(recording.document, segment, request.answer)
        room, _ = resolve(window, request.model or segment.model, policy, recorded=segment.window)
        epochs = len(work.plan.epochs)
        budget = replace(work.budget(room, segment.fixed_tokens, at, idle_s), handles=handles)
        _, gate = decide(policy, work, budget)
        given = numbers(policy, budget, request.model or segment.model, segment.fixed_tokens, counted)
        done = summed(work, given) if given is not None else Summed()
        opened = len(work.plan.epochs) > epochs
        why = done.why or (work.plan.epochs[-1].why if opened else gate)
        seen = work.after().messages
        kept = ahead(work) if opened else ()
        yield Turn(request, at, seen, segment.fixed_tokens, opened, why, done.calls, work.plan, kept)


def unpruned(recording: Recording) -> Iterator[Turn]:
    """The session as it was."""
    for request, at, _ in moments(recording):
        yield Turn(request, at, recording.context(request), recording.segments[request.segment].fixed_tokens)


def moments(recording: Recording) -> Iterator[tuple[Request, int, float | None]]:
    """Each request, when it was sent (ms), and the seconds since the model was last called (None: never before).

    Time never goes back; where none is recorded, requests follow each other by `GAP_S`.
    """
    last: int | None = None
    for request in recording.requests:
        at = max(request.at or (0 if last is None else last + round(GAP_S * 1000)), last or 0)
        answered = next((one.at for one in reversed(recording.context(request)) if one.role == "assistant"), 0)
        called = max(answered, last) if last is not None else answered
        yield request, at, max(0, at - called) / 1000 if called or last is not None else None
        last = at


class Replay(Session):
    """The work of a session whose history is already read: each request takes more of it over."""

    def __init__(self, policy: Policy, tally: Counter, tariff: Tariff) -> None:
        super().__init__(policy.protect, ("estimate", policy.counter), policy.stamp, policy.schedule.needs_usage)
        self.count = tally = lru_cache(maxsize=4_096)(tally)
        if policy.counter == "estimate":
            self.gauge = tally
        self.counting = replace(self.counting, both=(self.count, self.gauge))
        self._sticky = policy.sticky
        self._tariff = tariff
        self._last: Request | None = None
        self._cold = ""
        self._coming: tuple[Document, int]
        self._whole: tuple[tuple[Message, ...], Transcript] | None = None  # the view of these messages
        self._put: dict[int, tuple[Replace, tuple[Message, ...]]] = {}  # what stands for a range, by the edit's id

    def turn(self, request: Request) -> None:
        """Go on to a request: another model, and a history that the host compacted, share no cache with the last."""
        last, self._last = self._last, request
        switched = last is not None and last.model != request.model
        rewritten = last is not None and last.segment != request.segment
        self._cold = "the model was switched" if switched else "the host compacted its history" if rewritten else ""

    def grow(self, whole: Document, segment: Transcript, size: int) -> None:
        """Take the first `size` messages of a segment for the request."""
        known = self.document.transcript.messages if hasattr(self, "document") else ()
        messages = segment.messages[:size]
        goes_on = 0 < len(known) <= size and known[-1] is messages[len(known) - 1]
        read = replace(segment, messages=messages, index=None)
        self._coming = (replace(whole, transcript=read), len(known) if goes_on else 0)
        self.take(b"", None if self._sticky else Plan(), None, "")

    def _read(self, old: Document | None, request: Any, format: str | None, model: str) -> tuple[Document, int]:
        return self._coming

    def after(self) -> Transcript:
        """The view. What stands in it stays the same object from request to request: others know it by that."""
        if not self._ranges:
            return super().after()
        if self._whole is None or self._whole[0] is not self._seen:
            messages: list[Message] = []
            here = 0
            for i, j, edit in self._ranges:
                messages += self._seen[here:i]
                messages += self._put.setdefault(id(edit), (edit, inserted(edit, self.count)))[1]
                here = max(here, j)
            read = replace(self.document.transcript, messages=(*messages, *self._seen[here:]), index=None)
            index = bounds.indexed(read.messages, Index(spent=placed(self._ranges, self._index.spent)))
            self._whole = self._seen, replace(read, index=index)
        return self._whole[1]

    def caused(self) -> list[Violation]:
        """Nothing is written, so nothing is refused."""
        return []

    def budget(self, window: int, fixed_tokens: int, now: int, idle_s: float | None) -> Budget:
        """The numbers of this request; an epoch restarts the idle time, as in the engine."""
        if self.plan.epochs and idle_s is not None:
            idle_s = max(0.0, min(idle_s, (now - self.plan.epochs[-1].at) / 1000))
        used = self.used + fixed_tokens
        return Budget(
            window=window,
            used=used,
            count=self.gauge,
            protect=self.protect,
            edited=self.edited,
            own=self.places.own,
            raw=self.raw,
            idle_s=idle_s,
            now=now,
            tariff=self._tariff,
            cold=self._cold,
        )
