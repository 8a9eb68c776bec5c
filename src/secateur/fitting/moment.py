"""The numbers of one request that decide about its compaction, and the conversation as a compaction is given it.

Rule: values of this request only. What the provider counted stands in for our count as soon as it has told; a preset
with a counter of its own keeps to that until then (SEEDS S.4).
"""

from collections.abc import Sequence

from msgspec import Struct

from secateur.budget import Budget
from secateur.compaction.scene import Scene
from secateur.compaction.settings import Compaction, Continuation
from secateur.compaction.trigger import Load
from secateur.fitting.wish import Wish
from secateur.keeping.moment import Moment, calibration_of
from secateur.model import Message
from secateur.policy import Policy
from secateur.session import Session
from secateur.stores.protocol import Calibration, State, Who


class Numbers(Struct, frozen=True, kw_only=True):
    """One request of a session."""

    session: str
    tenant: str = ""
    settings: Compaction
    after: Continuation
    model: str
    window: int
    fixed: int  # tokens of system prompt and tools, by our count
    calibration: Calibration
    counter: str  # the policy's
    now: int  # ms since 1970
    handles: bool  # what gives way can be read back
    budget: Budget | None = None  # what tokens cost, and how old the cache is; None: nobody asks

    @property
    def who(self) -> Who:
        """The session and whose it is."""
        return Who(self.session, self.tenant)

    def load(self, work: Session) -> Load:
        """What the view of this session holds now; of what it held before nothing is counted again."""
        told = self.calibration
        if told.samples:
            ours = self.fixed + work.tokens[1]
            return Load(round(ours * told.ratio), round(self.fixed * told.ratio), anchored=True)
        name = self.settings.counter or self.counter
        count = work.counting.by(name)
        return Load(self.fixed + work.tallies.by(count).of(work.after().messages), self.fixed)

    def of(self, work: Session, messages: Sequence[Message]) -> Load:
        """What a view of these messages would hold."""
        return self._load(work, messages)

    def _load(self, work: Session, messages: Sequence[Message]) -> Load:
        told = self.calibration
        if told.samples:
            ours = self.fixed + sum(part.tokens or work.count(part.text) for one in messages for part in one.parts)
            return Load(round(ours * told.ratio), round(self.fixed * told.ratio), anchored=True)
        count = work.counting.by(self.settings.counter or self.counter)
        sizes = [part.tokens if part.kind == "media" else count(part.text) for one in messages for part in one.parts]
        return Load(self.fixed + sum(sizes), self.fixed)

    def scene(self, work: Session, wish: Wish, asks: bool) -> Scene:
        """The conversation as it stands after pruning."""
        return Scene(
            raw=work.document.transcript.messages,
            shown=work.aligned,
            ranges=work.ranges,
            count=work.counting.by(self.counter),
            window=self.window,
            load=self.load(work),
            model=self.model,
            protect=work.protect,
            forced=wish.forced,
            focus=wish.focus,
            supplied=wish.summary,
            asks=asks,
            handles=self.handles,
        )


def numbers_of(work: Session, state: State, policy: Policy, given: tuple[str, int, Moment, Budget]) -> Numbers | None:
    """The numbers of a request; None where its policy does not compact.

    `given` are the model that the caller names, the window, what the caller knows, and the budget of the prune phase.
    """
    if policy.compaction is None:
        return None
    named, window, moment, budget = given
    read = work.document.transcript
    return Numbers(
        session=state.who.session,
        tenant=state.who.tenant,
        settings=policy.compaction,
        after=policy.continuation,
        model=named or read.model,
        window=window,
        fixed=moment.fixed_tokens or read.fixed_tokens,
        calibration=calibration_of(state, named or read.model),
        counter=policy.counter,
        now=moment.now,
        handles=budget.handles,
        budget=budget,
    )
