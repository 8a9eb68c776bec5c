"""What is known of a request beside its text: the time, the cache's age, what the provider counts.

Rule: values from the caller, the document and the session's state, never from a clock or from memory, so that the same
state gives the same decision.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.formats.breakpoints import NEAR, SLOTS, buys_longer, slots
from secateur.keeping.calibrating import rebased
from secateur.keeping.clock import lives_s
from secateur.model import Transcript
from secateur.policy import Policy
from secateur.policy.windows import resolve
from secateur.pricing.stated import Entries
from secateur.pricing.tariffs import tariff_of
from secateur.session import Session
from secateur.stores.protocol import Calibration, State
from secateur.tariff import Tariff


class Moment(Struct, frozen=True):
    """What the caller knows."""

    now: int  # ms since 1970
    idle_s: float | None
    fixed_tokens: int
    model: str = ""  # where the document names none, or another
    said: Entries = ()  # prices and cache rules that the policy states
    goes_on: bool = False  # the plan of an earlier request was handed in, or the session had one


def budget_of(work: Session, window: int, moment: Moment, state: State, handles: bool) -> Budget:
    """The numbers of this request.

    What the view holds is what the provider would count, where the policy counts as the reports do; a preset with a
    counter of its own keeps to it (SEEDS S.4).
    """
    read = work.document.transcript
    used = work.used + (moment.fixed_tokens or read.fixed_tokens)
    ratio = ratio_of(state, read.model) if work.counting.alike else 1.0
    return Budget(
        window=window,
        used=round(used * ratio),
        ratio=ratio,
        count=work.gauge,
        protect=work.protect,
        edited=work.edited,
        own=work.places.own,
        raw=work.raw,
        idle_s=_idle(work, moment, state),
        goes_on=moment.goes_on,
        now=moment.now,
        handles=handles,
        tariff=_tariff(work, moment, state),
        cold=_switched(moment.model or read.model, state),
    )


def ratio_of(state: State, model: str) -> float:
    """What the provider counts for one token of ours: about 1 where the model's own factor is right."""
    return calibration_of(state, model).ratio


def calibration_of(state: State, model: str) -> Calibration:
    """The session's calibration for a model, over our count as it is now."""
    return rebased(state.calibrations.get(model, Calibration()), model)


def window_for(stated: int | None, model: str, policy: Policy, known: tuple[Transcript, State]) -> tuple[int, str]:
    """The window of this request and where it comes from; `known` are what was read and what the session learned."""
    read, state = known
    learned = state.calibrations.get(model, Calibration()).window
    return resolve(stated, model, policy, learned=learned, recorded=read.window)


def _idle(work: Session, moment: Moment, state: State) -> float | None:
    """Idle time runs from the last call or from the last epoch, whichever is later: pruning restarts it (SEEDS 3.2).

    The last call is the latest that is known: by the document, by what was observed, or by the session's own last
    request. One to another provider or model says nothing of this one's cache; an epoch of a command called nobody.
    """
    idle_s, read, clock = moment.idle_s, work.document.transcript, state.clock
    last = max(read.called or read.stamped, _called(state, read), clock.sent.get(moment.model or read.model, 0))
    if idle_s is None and last:
        idle_s = max(0.0, (moment.now - last) / 1000)
    opened = work.mine.epochs[-1].at if work.mine.epochs else 0
    if opened and opened != clock.by_hand and idle_s is not None:
        idle_s = max(0.0, min(idle_s, (moment.now - opened) / 1000))
    return idle_s


def _tariff(work: Session, moment: Moment, state: State) -> Tariff:
    """What the model asks now, of a request that buys what this one buys; a cache lives as long as it was seen to.

    A request that marks blocks itself says how many breakpoints may be added to it.
    """
    document = work.document
    request = document.format.name, document.native, document.transcript.messages[-NEAR:]
    model = moment.model or document.transcript.model
    tariff = tariff_of(model, buys_longer(*request), at=moment.now, said=moment.said)
    ttl_s, used = lives_s(state.clock, model, tariff.ttl_s), slots(*request)
    free = max(0, SLOTS - used) if used else tariff.free
    return tariff if (ttl_s, free) == (tariff.ttl_s, tariff.free) else replace(tariff, ttl_s=ttl_s, free=free)


def _switched(model: str, state: State) -> str:
    last = state.clock.model
    return f"the model was switched from {last} to {model}" if model and last and last != model else ""


def _called(state: State, read: Transcript) -> int:
    clock = state.clock
    same = not clock.provider or not read.provider or clock.provider == read.provider
    return clock.called if same else 0
