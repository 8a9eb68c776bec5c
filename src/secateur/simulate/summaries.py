"""What is still too long in a replay becomes a summary, as it would have in the engine, and what that call would cost.

Rule: when, where and what follows are the engine's own (`fitting`). No model is asked: the summary that code makes
stands for the one that a model would have written, in its place and within its budget. The call is priced as if the
session's own model had been asked in plain text, as `compaction.ask` puts it: all of the question as plain input, all
of the summary as output. No breaker's veto and no host's hook is played but those that follow from plan and history.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.compaction.ask import Answer, Ask
from secateur.compaction.compact import compact
from secateur.compaction.outcome import Compacted
from secateur.compaction.trigger import due, limits
from secateur.fitting import NOTHING, Fitting
from secateur.fitting.breakers import held_back
from secateur.fitting.fit import fitted
from secateur.fitting.moment import Numbers
from secateur.policy import Policy
from secateur.session import Session
from secateur.simulate.bill import Call
from secateur.simulate.cache import Sent
from secateur.stores.protocol import Calibration

REPLAYED = Fitting(written=False)


class Summed(Struct, frozen=True):
    """What came of it: why an epoch was opened ("": none was), and the calls that it took."""

    why: str = ""
    calls: tuple[Call, ...] = ()


def numbers(policy: Policy, budget: Budget, model: str, fixed_tokens: int, counted: bool) -> Numbers | None:
    """The numbers of a request; None where its policy does not compact.

    `counted`: tokens are what the provider counts, as it would have told by then (`Engine.observe`), so they stand in
    for the policy's own counter. A summary that must not fail (`on_bad_summary` "cancel") does not: here it never
    comes from a model.
    """
    if policy.compaction is None:
        return None
    return Numbers(
        session="",
        settings=replace(policy.compaction, on_bad_summary="next_rung"),
        after=policy.continuation,
        model=model,
        window=budget.window,
        fixed=fixed_tokens,
        calibration=Calibration(samples=1) if counted else Calibration(),
        counter=policy.counter,
        now=budget.now,
        handles=budget.handles,
        budget=budget,
    )


def summed(work: Session, given: Numbers) -> Summed:
    """Compact if it is due."""
    asks = _asks(work, given)
    done = fitted(work, given, REPLAYED, NOTHING)
    if not done.why or not isinstance(done.outcome, Compacted) or done.outcome.rung == "digest":
        return Summed(done.why)  # no model is asked for a digest
    written = work.count(done.outcome.summary)
    calls = [Call(Sent(0, 0, ask.tokens), ask.most_tokens if ask.stage == "part" else written) for ask in asks]
    return Summed(done.why, tuple(calls))


def _asks(work: Session, given: Numbers) -> list[Ask]:
    """The questions that a summariser would have been asked; none where no summary is due or a breaker holds it."""
    space = limits(given.settings, given.window, given.model)
    if not due(given.settings, given.load(work), space).now:
        return []
    if held_back(work.plan, work.document.transcript.messages, given.window, work.count) is not None:
        return []
    steps = compact(given.scene(work, NOTHING, True), given.settings, given.after)
    found: list[Ask] = []
    try:
        found.append(next(steps))
        while found[-1].stage == "part":
            found.append(steps.send(Answer(found[-1].text[: found[-1].most_tokens])))
    except StopIteration:
        pass
    finally:
        steps.close()
    return found
