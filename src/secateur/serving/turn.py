"""One request at its session's desk: read, decided, written, kept.

Rule: what is decided follows from the request, the policy and the session's state. A view that is not sent leaves the
session as it was. Nothing here knows a store's way of keeping things, or a strategy's of choosing.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.compaction.outcome import Refused
from secateur.decision import Asked, decide, force, taken_back
from secateur.errors import SecateurError, StoreError
from secateur.fitting import Fitted
from secateur.fitting.away import not_compacted, still
from secateur.fitting.fit import fitted
from secateur.fitting.moment import numbers_of
from secateur.fitting.ready import Ready
from secateur.fitting.unread import taken
from secateur.fitting.unread import told as unread_told
from secateur.fitting.window import Window, held
from secateur.keeping import ATTEMPTS, Base, Desk, Keeping, Place
from secateur.keeping.asking import asking
from secateur.keeping.memory import has_view
from secateur.keeping.moment import Moment, budget_of, ratio_of, window_for
from secateur.keeping.parting import MOVED, Parted
from secateur.keeping.parting import told as placed
from secateur.keeping.readable import readable
from secateur.keeping.record import handled
from secateur.keeping.rewritten import with_local
from secateur.model import Epoch, Message
from secateur.plan import Plan, branch
from secateur.receipt import Entry, Receipt, entries
from secateur.schedule.reckoning import assumed, cost_of
from secateur.serving.asked import Request, Settings, Taken, at_work
from secateur.serving.attempt import Attempt
from secateur.session import Session, document
from secateur.session.breakpoints import emitted, marks
from secateur.session.mending import Sent
from secateur.stores.protocol import Conflict, State, Who
from secateur.tokens import counted_by
from secateur.view import View


class Turn(Struct):
    """One request at its session's desk."""

    settings: Settings
    keeping: Keeping
    desk: Desk
    who: Who
    place: Place
    request: Request
    taken: Taken
    kept: bool = False  # what is removed now can be read back by whoever can reach the store
    away: bool = False  # there is a store, and it cannot be reached now
    ready: Ready | None = None  # a summary that needs no asking
    too_long: str = ""  # why the view cannot be sent
    attempt: Attempt | None = None  # what is kept once the caller says that it was sent all the same

    def view(self) -> View[Any]:
        """The view, kept; decided again where the session moved on meanwhile; unkept where the store fails."""
        wrong, mended = "", self.desk.work.sent if self.desk.work is not None else None
        for _ in range(ATTEMPTS):
            state, wrong = self.keeping.opened(self.desk, self.who, self.keeping.reach)
            if wrong:
                break
            self.kept = self.keeping.store is not None
            view, base = self._made(state)
            if self._stays():
                return self._put_off(view, base, mended)
            if not self.kept:
                return self._remembered(view, base)
            wrong, moved = self._saved(state, view, base)
            if not wrong:
                return _warned(view, self.keeping.tidied(self.request.now))
            if not moved:
                break
        return self._without_store(state, wrong, mended)

    def _saved(self, state: State, view: View[Any], base: Base) -> tuple[str, bool]:
        """Keep the view: what was wrong, and whether only because the session moved on meanwhile."""
        try:
            self.keeping.save(self.desk, state, base, (view.native, view.receipt))
        except Conflict as conflict:
            self.keeping.again(self.desk)
            return str(conflict), True
        except StoreError as error:
            return str(error), False
        self._swapped_in()
        return "", False

    def _without_store(self, state: State, wrong: str, mended: Sent | None) -> View[Any]:
        """The view while the store is away: no text may name what could not be kept, and none may go."""
        self.kept, self.away = False, True
        view, base = self._made(state)
        view = _warned(view, f"this request went on without the store: {wrong}")
        return self._put_off(view, base, mended) if self._stays() else self._remembered(view, base)

    def _remembered(self, view: View[Any], base: Base) -> View[Any]:
        self.keeping.remember(self.desk, base, view.receipt)
        self._swapped_in()
        return view

    def _stays(self) -> bool:
        """Whether the view is not to be sent."""
        return bool(self.too_long) and not self.settings.sends

    def _over(self) -> tuple[str, ...]:
        """What a view that is sent although it is too long is warned of."""
        return (self.too_long,) if self.too_long and self.settings.sends else ()

    def _put_off(self, view: View[Any], base: Base, mended: Sent | None) -> View[Any]:
        """Keep nothing of a view that is not sent: the session is as it was, and what would be kept waits beside."""
        desk, sticky = self.desk, self.settings.policy.sticky
        work, given = desk.work, self.request.plan
        assert work is not None
        sent = view.plan, view.native, view.receipt
        self.attempt = Attempt(self.who, self.place, base, work.document, *sent, desk.beside, given, sticky)
        if view.plan != base.plan:
            work.shut = None
        work.take(work.document, base.plan, None, "")
        work.sent, desk.beside = mended, ()
        return view

    def _swapped_in(self) -> None:
        """A summary that was made beside the requests is used once."""
        if (background := self.settings.fitting.background) is not None:
            background.used(self.who)

    def _made(self, state: State) -> tuple[View[Any], Base]:
        """The view under this state, and the plan that it went on from."""
        of, desk, settings, policy = self.request, self.desk, self.settings, self.settings.policy
        state = self.place.seen(state)
        work, base = self._begun(state)
        read = work.document.transcript
        window, source = window_for(settings.window, settings.model or read.model, policy, (read, state))
        goes_on = of.plan is not None or desk.last is not None or has_view(state)
        moment = Moment(of.now, of.idle_s, of.fixed_tokens, settings.model, policy.pricing, goes_on)
        asked = asking(self.keeping, desk, work, state, (policy.protect, settings.pin_tokens, moment.now))
        budget = budget_of(work, window, moment, state, self.kept and readable(settings.handles, work.document))
        inherited = _inherited(work, self.place.inherited) if base.plan is self.place.inherited else ()
        voided, forced = tuple[Entry, ...](), ""
        if settings.repair:
            came = self._came() if self.taken.mended else read.messages
            voided, forced, budget = force(work, came, budget)
        forced = self._moved(work, asked.place, budget.now) or forced
        shown = work.aligned
        told, gate = self._decided(work, budget, Asked(asked.edits, asked.why))
        refused = taken_back(work, budget.now, bool(told))
        told, gate = ((), refused) if refused else (told, gate)
        summed = self._fitted(work, state, ((window, source), moment, budget))
        native, added = emitted(work, self.taken.native, marks(policy.schedule))
        desk.work = work
        if self.keeping.store is not None:
            self._mark(work, base)
        opened = bool(told or forced or summed.why)
        unread = taken(work)
        more = (*assumed(policy.schedule, budget), *self._over(), *unread_told(unread, policy.name))
        (raw, seen), fixed = work.tokens, moment.fixed_tokens or read.fixed_tokens
        receipt = Receipt(
            policy=policy.name,
            model=settings.model or read.model,
            window=window,
            window_source=source,
            counter=settings.counter,
            tokens_raw=raw + fixed,
            tokens_view=seen + fixed,
            messages=len(read.messages),
            opened=opened,
            entries=(*inherited, *voided, *told, *summed.entries),
            in_force=work.in_force,
            gate="" if opened else gate,
            idle_s=budget.idle_s,
            cost=cost_of(shown, work.aligned, budget) if told and not refused else None,
            warnings=(*read.warnings, *asked.warnings, *summed.warnings, *more),
            mended=self.taken.mended,
            forced=forced,
            outcome="refused" if refused else "opened" if opened else "unchanged",
            trigger=(work.plan.epochs[-1].why if work.plan.epochs else forced) if opened or refused else "",
            at=budget.now,
            format=work.document.format.name,
            provider=read.provider,
            tip=read.messages[-1].key if read.messages else "",
            calibrated=ratio_of(state, read.model),
            counted_by=counted_by(settings.counter, read.model),
            compaction=summed.told,
            breakpoints=added,
            unread=unread,
        )
        receipt = placed(receipt, asked.place, desk, work)
        if self.keeping.store is not None:
            receipt = self._recorded(receipt, work, state, base, native)
        self.desk.beside = summed.blobs
        whose = state.who.session, state.who.tenant
        return View(native, work.plan, receipt, read, work.after(), *whose, summed.outcome), base

    def _moved(self, work: Session, place: Parted, now: int) -> str:
        """Why what this branch has sent before reads otherwise: an epoch says so, if none does yet."""
        if place.moved == MOVED and self.settings.policy.sticky:
            work.open(Epoch(now, work.document.transcript.messages[-1].key, MOVED, ()))
        return place.moved

    def _begun(self, state: State) -> tuple[Session, Base]:
        """The session's work with this request laid in; from the beginning where its model counts otherwise now."""
        work, self.desk.work = self.desk.work or at_work(self.settings), None  # an error must not leave half of it
        base = self._laid(work, state)
        if not work.counting.fits(work.document.transcript.model):
            sent, work = work.sent, at_work(self.settings)
            work.sent, self.taken = sent, replace(self.taken, read=None)
            base = self._laid(work, state)
        return work, base

    def _fitted(self, work: Session, state: State, given: tuple[tuple[int, str], Moment, Budget]) -> Fitted:
        """What is still too long becomes a summary; one that was made already is not made again."""
        (window, source), moment, budget = given
        settings, wish, policy = self.settings, self.request.wish, self.settings.policy
        numbers = numbers_of(work, state, policy, (settings.model, window, moment, budget))
        if numbers is None:
            no = Refused("no_policy", f"policy {policy.name} does not compact")
            done = Fitted(no if wish.forced else None)
        else:
            away = not_compacted(work, numbers) if self.away else None
            done = away or fitted(work, numbers, settings.fitting, wish, self.ready)
        self.ready, read = done.ready, work.document.transcript
        fixed, ratio = moment.fixed_tokens or read.fixed_tokens, ratio_of(state, read.model)
        here = Window(window, source, settings.window or 0, fixed, ratio)
        done = held(work, policy, here, (numbers, done, budget)).onto(done)
        self.too_long = done.too_long
        return done

    def _laid(self, work: Session, state: State) -> Base:
        """Read the request and lay the session's plan over it; of a policy whose edits do not hold, nothing.

        But reasoning that is bound was made under the views of that plan.
        """
        came = self.taken.read or self.taken.native
        settings, plan = self.settings, self.request.plan
        if settings.policy.sticky:
            base = self.keeping.base(self.desk, state, self.place, plan)
            work.take(came, base.plan, settings.format, settings.model)
            return base
        afresh = Base(Plan(), 0, len(state.plan.epochs))
        shown = self.keeping.shown(self.desk, state) if plan is None else replace(afresh, plan=plan)
        work.take(came, Plan(), settings.format, settings.model)
        if not (work.binds or self.away) or not shown.plan.epochs:
            return afresh
        work.take(came, shown.plan, settings.format, settings.model)
        return shown

    def _came(self) -> tuple[Message, ...]:
        """The messages of a request as it came, mended nowhere; none where it cannot be read so."""
        try:
            return document.read(self.request.native, self.settings.format, self.settings.model).transcript.messages
        except SecateurError:
            return ()

    def _decided(self, work: Session, budget: Budget, asked: Asked) -> tuple[tuple[Entry, ...], str]:
        """The decision for this request; the last one's, where that did nothing and nothing but the time moved on."""
        policy, shut = (still(self.settings.policy), None) if self.away else (self.settings.policy, work.shut)
        same = work.unchanged and not asked.edits and not policy.schedule.needs_clock
        if same and shut and shut[:2] == (budget.window, budget.used):
            return (), shut[2]
        told, gate = decide(policy, work, budget, asked)
        work.shut = None if told or self.away else (budget.window, budget.used, gate)
        return told, gate

    def _mark(self, work: Session, base: Base) -> None:
        """Give the new epochs the hashes by which their parts are found again in a rewritten history."""
        known, epochs = base.saved, work.plan.epochs
        if epochs[known:]:
            messages = work.document.transcript.messages
            work.plan = Plan((*epochs[:known], *(with_local(one, messages) for one in epochs[known:])))
            work.mine = branch(work.plan, work.places)

    def _recorded(self, receipt: Receipt, work: Session, state: State, base: Base, native: Any) -> Receipt:
        """The receipt with what only a store's has."""
        hashed = isinstance(native, bytes | str) or self.keeping.raw
        return replace(
            receipt,
            entries=handled(receipt.entries, work.document) if self.kept else receipt.entries,
            session=state.who.session,
            number=state.receipts + len(self.desk.waiting),
            epochs=(base.offset, base.offset + len(work.plan.epochs)),
            sent=self.desk.sent.next(native) if hashed else "",
        )


def _warned(view: View[Any], warning: str) -> View[Any]:
    """The view with one more warning, if there is one."""
    receipt = view.receipt
    return replace(view, receipt=replace(receipt, warnings=(*receipt.warnings, warning))) if warning else view


def _inherited(work: Session, plan: Plan) -> tuple[Entry, ...]:
    """What the epochs that came from another session do here."""
    messages = work.document.transcript.messages
    return tuple(one for epoch in plan.epochs for one in entries(messages, messages, work.aligned, epoch))
