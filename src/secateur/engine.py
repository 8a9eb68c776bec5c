"""Read, plan, apply: once per request.

How a request flows: `document` reads it into a transcript (of a grown request, only what is new); `projection` lays the
session's plan over it; `decision` lets the policy's strategies propose edits for the view they see, asks its schedule
whether they pay now, closes them (`settle`) and makes them one epoch of the plan; `patch` carries the plan out on the
native document; the gate validates what was edited before it goes out.

Rule: the view is a pure function of history and plan. What a session keeps in memory only saves work: dropping it
changes no byte. The core fails loud: callers at the edge decide what to do about a `SecateurError`.
"""

import time
from collections import OrderedDict
from threading import Lock
from typing import Any

from msgspec import Struct

from secateur.budget import Budget
from secateur.decision import decide, force
from secateur.errors import SecateurError
from secateur.model import Edit, Epoch, Message, Restore, Transcript
from secateur.plan import REFUSED, Plan
from secateur.policy import Policy, load, protecting
from secateur.policy.windows import resolve
from secateur.receipt import Entry, Receipt
from secateur.session import Session, document
from secateur.settle import settled


class View(Struct, frozen=True):
    """What to send: `native` is of the kind that came in, and the very same object if nothing is edited."""

    native: Any
    plan: Plan
    receipt: Receipt
    before: Transcript  # as it was read
    after: Transcript  # as the model will read it


def fit(
    request: Any,
    *,
    policy: Any = "kilocode",
    plan: Plan | None = None,
    model: str = "",
    window: int | None = None,
    format: str | None = None,
    protect: tuple[str, ...] | list[str] = (),
    idle_s: float | None = None,
    now: int | None = None,
    fixed_tokens: int = 0,
    counter: str = "estimate",
    repair: bool = False,
) -> View:
    """The request as it should be sent, with the plan to hand in next time. Pure: no key, no network, no store.

    `request` is a body or a session log as bytes or str, a body as a dict, or a list of messages. `policy` is a
    preset's name, the path of a TOML file, a dict or a `Policy`. `protect` names more tools (globs) whose results
    stay. `idle_s` is the time since the model was last called, in seconds (default: from the document's timestamps,
    else unknown); `now` the present in ms since 1970. `fixed_tokens` states system prompt and tools where the
    document lacks them. With `repair`, a request that the provider would refuse as it came is mended first, anew each
    time. Raises FormatError, ConfigError, EditError.
    """
    engine = Engine(policy, model, window=window, format=format, protect=protect, counter=counter, repair=repair)
    return engine.fit(request, plan=plan, idle_s=idle_s, now=now, fixed_tokens=fixed_tokens)


class Engine:
    """`fit` with settings kept, and the work of each session's last request saved.

    `sessions` bounds how many sessions are remembered; a forgotten one costs a cold read, nothing else, as long as
    the caller hands its plan in.
    """

    def __init__(
        self,
        policy: Any = "kilocode",
        model: str = "",
        *,
        window: int | None = None,
        format: str | None = None,
        protect: tuple[str, ...] | list[str] = (),
        counter: str = "estimate",
        repair: bool = False,
        sessions: int = 64,
    ) -> None:
        self.policy: Policy = protecting(load(policy), tuple(protect))
        self.model = model
        self.window = window
        self.format = format
        self.counter = counter
        self.repair = repair
        self._sessions = sessions
        self._kept: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def fit(
        self,
        request: Any,
        *,
        session: str = "",
        plan: Plan | None = None,
        idle_s: float | None = None,
        now: int | None = None,
        fixed_tokens: int = 0,
    ) -> View:
        """The request as it should be sent. With a `session`, its plan goes on where the last request left it."""
        moment = Moment(int(time.time() * 1000) if now is None else now, idle_s, fixed_tokens)
        with self._lock:
            work = self._kept.pop(session, None) if session else None
            view, work = self._fit(work, request, plan, moment)
            if session:
                self._kept[session] = work
                while len(self._kept) > self._sessions:
                    self._kept.popitem(last=False)
        return view

    def _fit(self, work: Session | None, request: Any, plan: Plan | None, moment: "Moment") -> tuple[View, Session]:
        policy = self.policy
        work = work or Session(policy.protect, (self.counter, policy.counter), policy.stamp, policy.schedule.weighs)
        came = request
        request, mended = _mended(came, self.format) if self.repair else (came, ())
        before = plan or work.plan
        work.take(request, plan if policy.sticky else Plan(), self.format, self.model)
        if not policy.sticky and work.binds and before.epochs:  # reasoning was made under the views of that plan
            work.take(request, before, self.format, self.model)
        read = work.document.transcript
        window, source = resolve(self.window, self.model or read.model, self.policy)
        budget = _budget(work, window, moment)
        voided: tuple[Entry, ...] = ()
        forced = ""
        if self.repair:
            voided, forced, budget = force(work, self._came(came) if mended else read.messages, budget)
        told, gate = self._decided(work, budget)
        refused = _taken_back(work, budget.now, bool(told))
        told, gate = ((), refused) if refused else (told, gate)
        native = work.emit(request)
        raw, seen = work.tokens
        fixed = moment.fixed_tokens or read.fixed_tokens
        receipt = Receipt(
            policy=self.policy.name,
            model=self.model or read.model,
            window=window,
            window_source=source,
            counter=self.counter,
            tokens_raw=raw + fixed,
            tokens_view=seen + fixed,
            messages=len(read.messages),
            opened=bool(told or forced),
            entries=(*voided, *told),
            in_force=work.in_force,
            gate=gate,
            idle_s=budget.idle_s,
            warnings=read.warnings,
            mended=mended,
            forced=forced,
        )
        return View(native, work.plan, receipt, read, work.after()), work

    def _came(self, request: Any) -> tuple[Message, ...]:
        """The messages of a request as it came, mended nowhere; none where it cannot be read so."""
        try:
            return document.read(request, self.format, self.model).transcript.messages
        except SecateurError:
            return ()

    def _decided(self, work: Session, budget: Budget) -> tuple[tuple[Entry, ...], str]:
        """The decision for this request; the last one's, where that did nothing and nothing but the time moved on."""
        shut = work.shut
        if work.unchanged and shut and shut[:2] == (budget.window, budget.used) and not self.policy.schedule.timed:
            return (), shut[2]
        told, gate = decide(self.policy, work, budget)
        work.shut = None if told else (budget.window, budget.used, gate)
        return told, gate


def _mended(request: Any, format: str | None) -> tuple[Any, tuple[str, ...]]:
    """The request as the provider takes it, and what was mended."""
    from secateur.repair import repaired  # only who asks for it pays for loading it

    done = repaired(request, format)
    return done.native, tuple(f"{one.rule} at {one.where}: {one.what}" for one in done.mended)


def _taken_back(work: Session, now: int, opened: bool) -> str:
    """Never send what the provider would refuse: take the newest epoch back, then all; why, or "".

    Both are epochs of the plan, so the record says what happened. An epoch that was taken back before it was ever
    sent leaves the view as it was; going back to the raw history is an edit like any other, and is settled.
    """
    broken = work.caused()
    if not broken:
        return ""
    first = broken[0]
    why = f"{REFUSED}: rule {first.rule} at {first.where}, {first.text}"
    tip = work.document.transcript.messages[-1].key
    if opened:
        work.open(Epoch(now, tip, why, (), undoes=len(work.plan.epochs) - 1))
        if not work.caused():
            return why
    back: tuple[Edit, ...] = tuple(Restore(key, by="gate") for key in sorted(work.fold.parts))
    if work.binds:
        back = settled(work.document.transcript.messages, back, work.fold.removed)
    work.open(Epoch(now, tip, why, back))
    work.caused()
    return why


class Moment(Struct, frozen=True):
    """What the caller knows of this request beside its text."""

    now: int  # ms since 1970
    idle_s: float | None
    fixed_tokens: int


def _budget(work: Session, window: int, moment: Moment) -> Budget:
    """Idle time runs from the last call or from the last epoch, whichever is later: pruning restarts it (SEEDS 3.2)."""
    read = work.document.transcript
    idle_s = moment.idle_s
    last = read.called or read.stamped
    if idle_s is None and last:
        idle_s = max(0.0, (moment.now - last) / 1000)
    if work.plan.epochs and idle_s is not None:
        idle_s = max(0.0, min(idle_s, (moment.now - work.plan.epochs[-1].at) / 1000))
    return Budget(
        window=window,
        used=work.used + (moment.fixed_tokens or read.fixed_tokens),
        count=work.gauge,
        protect=work.protect,
        edited=work.edited,
        raw=work.raw,
        idle_s=idle_s,
        now=moment.now,
    )
